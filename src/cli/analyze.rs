//! `tcplimit analyze`: from captures to reports.

mod args;

use std::io::{self, IsTerminal as _};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tcplimit::model::{Code, FlowReport, Note, Report, codes};
use tcplimit::report::{self, Failure, Outcome};
use tcplimit::{Config, Error, Lease, captures_in};

pub(super) use self::args::Args;
use super::jobs::Jobs;
use super::output::Output;
use super::pages;
use super::progress::Progress;
use super::say;
use super::signals::Signals;
use super::status::Status;
use super::stdin::Stdin;

pub(super) fn run(args: &Args) -> Status {
    let signals = match Signals::watch() {
        Ok(signals) => signals,
        Err(status) => return status,
    };
    let is_stdin = args.files.iter().any(|file| file == Path::new("-"));
    if is_stdin && io::stdin().is_terminal() {
        say("error", "standard input is a terminal: pipe a capture into it, or name a file");
        return Status::Usage;
    }
    let mut config = args.config(&signals);
    config.filter = match args.filter.get() {
        Ok(filter) => filter,
        Err(status) => return status,
    };
    let output = match Output::at(args.output.as_deref(), &args.files) {
        Ok(output) => output,
        Err(status) => return status,
    };
    let status = if args.separate {
        write_separate(args, &config, &signals, output)
    } else {
        write_one(args, &config, output)
    };
    match status {
        Status::Complete | Status::Damaged => signals.received().map_or(status, Status::Signal),
        failed => failed,
    }
}

/// One report on all files.
fn write_one(args: &Args, config: &Config, output: Output) -> Status {
    let progress = args.progress(config);
    // Alone, nothing recalls it.
    let Some(outcome) = args.outcome(&args.files, config) else { return Status::NoReport };
    // Messages and perhaps the report go to the same terminal.
    drop(progress);
    args.tell(&outcome);
    let mut tally = Tally::default();
    tally.count(&outcome);
    let missing = args.missing(&outcome);
    if let (Outcome::Report(report), None, false) = (&outcome, &missing, args.quiet) {
        warn_of_missing(&args.flow, report);
    }
    let status = missing.map_or_else(|| tally.status(), |error| refuse(&error));
    let has_lines = args.ndjson || args.csv;
    let is_written = match &outcome {
        // Lines hold a record of what failed; a document, like a text, is a report or nothing.
        Outcome::Failure(_) => has_lines,
        Outcome::Report(_) => has_lines || args.json || status != Status::NoReport,
    };
    if !is_written {
        return status;
    }
    let (selection, format) = (args.selection(), args.format());
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    // The analysis is over: its threads are free.
    let threads = args.resources.threads().unwrap_or_else(cores);
    let written = output.write(|out| report::write_on(threads, &outcome, &selection, &format, out));
    written.or(status)
}

/// A report on each file, in their order, up to the first signal.
fn write_separate(args: &Args, config: &Config, signals: &Signals, output: Output) -> Status {
    let files = separate_files(args);
    let _progress = args.progress(config);
    let mut tally = Tally::default();
    let (selection, format) = (args.selection(), args.format());
    let work = |file: &PathBuf, lease: &Arc<Lease>| {
        let mut config = config.clone();
        config.lease = Some(Arc::clone(lease));
        args.outcome(std::slice::from_ref(file), &config)
    };
    let is_over = || signals.received().is_some();
    let jobs = Jobs { budget: config.budget(args.jobs), number: args.jobs };
    let written = jobs.in_order(&files, (work, is_over), |all| {
        let broken = |file: &PathBuf| {
            let name = vec![file.display().to_string()];
            Outcome::Failure(Failure::new(name, "internal error".to_owned()))
        };
        let all = all.map(|(file, outcome)| outcome.unwrap_or_else(|| broken(file)));
        let mut all = all.inspect(|outcome| {
            args.tell(outcome);
            tally.count(outcome);
        });
        output.write(|out| report::write_all(&mut all, &selection, &format, out))
    });
    if tally.chosen == 0 && !args.flow.is_empty() && tally.has_reports() {
        say("error", "none of the captures has a connection that --flow asks for");
        return written.or(Status::NoReport);
    }
    written.or(tally.status())
}

/// How the inputs fared.
#[derive(Debug, Default)]
struct Tally {
    reports: u64,
    damaged: u64,
    failures: u64,
    /// Reports in which there is something of what was asked for.
    chosen: u64,
}

impl Tally {
    fn count(&mut self, outcome: &Outcome) {
        let of_kind = match outcome {
            Outcome::Failure(_) => &mut self.failures,
            Outcome::Report(report) if report.input.damage.is_some() => &mut self.damaged,
            Outcome::Report(_) => &mut self.reports,
        };
        *of_kind = of_kind.saturating_add(1);
        if matches!(outcome, Outcome::Report(report) if !report.flows.is_empty()) {
            self.chosen = self.chosen.saturating_add(1);
        }
    }

    fn has_reports(&self) -> bool {
        self.reports > 0 || self.damaged > 0
    }

    /// Of several inputs a bad one is damage to the whole.
    fn status(&self) -> Status {
        match (self.reports, self.damaged, self.failures) {
            (_, 0, 0) => Status::Complete,
            (0, 0, _) => Status::NoReport,
            _ => Status::Damaged,
        }
    }
}

impl Args {
    /// `None` where reports come to the same terminal meanwhile.
    fn progress(&self, config: &Config) -> Option<Progress> {
        let is_mixed = self.separate && self.output.is_none() && io::stdout().is_terminal();
        (!self.quiet && !is_mixed).then(|| Progress::show(Arc::clone(&config.packets)))
    }

    /// `None` if the analysis was recalled.
    fn outcome(&self, files: &[PathBuf], config: &Config) -> Option<Outcome> {
        match analyze(files, config) {
            Ok(mut report) => {
                self.selection().apply(&mut report);
                Some(Outcome::Report(Box::new(report)))
            }
            Err(Error::Recalled) => None,
            Err(error) => {
                let names = files.iter().map(|file| file.display().to_string()).collect();
                Some(Outcome::Failure(Failure::new(names, error.to_string())))
            }
        }
    }

    /// Why the report on the one capture shows no flow, if some were asked for.
    fn missing(&self, outcome: &Outcome) -> Option<Error> {
        match outcome {
            Outcome::Report(report) => missing(&self.flow, report),
            Outcome::Failure(_) => None,
        }
    }

    /// What standard error has to say of it.
    fn tell(&self, outcome: &Outcome) {
        match outcome {
            Outcome::Failure(failure) => say("error", failure.error()),
            // Without the flow that was asked for there is no report.
            Outcome::Report(report)
                if !self.quiet && (!self.is_read_at_once() || self.missing(outcome).is_some()) =>
            {
                warn_of_damage(&report.notes);
            }
            Outcome::Report(_) => {}
        }
    }

    /// The report says the same on the same terminal.
    fn is_read_at_once(&self) -> bool {
        let is_text = matches!(self.format(), report::Format::Text(_)) && self.output.is_none();
        is_text && io::stdout().is_terminal() && io::stderr().is_terminal()
    }
}

/// Why `report` has none of the connections `asked` for; `None` if it has one, or none was asked for.
pub(super) fn missing(asked: &[RangeInclusive<u32>], report: &Report) -> Option<Error> {
    let first = asked.iter().map(|range| *range.start()).min()?;
    let is_asked = |flow: &FlowReport| asked.iter().any(|range| range.contains(&flow.stream));
    (!report.flows.iter().any(is_asked)).then(|| report.input.no_connection(first))
}

/// Of several that were `asked` for, those that the report does not show.
fn warn_of_missing(asked: &[RangeInclusive<u32>], report: &Report) {
    let is_shown =
        |range: &RangeInclusive<u32>| report.flows.iter().any(|flow| range.contains(&flow.stream));
    for range in asked.iter().filter(|range| !is_shown(range)) {
        say("warning", report.input.no_connection(*range.start()));
    }
}

pub(super) fn refuse(error: &Error) -> Status {
    say("error", error);
    Status::NoReport
}

pub(super) fn analyze(files: &[PathBuf], config: &Config) -> Result<Report, Error> {
    pages::suit(config);
    match files {
        [file] if file == Path::new("-") => {
            let name = "standard input";
            let stdin = Stdin::open(Arc::clone(&config.stop))
                .map_err(|error| Error::Read { name: name.to_owned(), cause: error.to_string() })?;
            tcplimit::analyze_stream(name, stdin, config)
        }
        files => tcplimit::analyze(files, config),
    }
}

/// The files themselves, and the captures in the directories among them, by name.
fn separate_files(args: &Args) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in &args.files {
        match path.is_dir().then(|| captures_in(path)) {
            Some(Ok(found)) => {
                if !args.quiet {
                    found.passed_over.iter().for_each(|why| warn(codes::FILE_SKIPPED, why));
                }
                files.extend(found.captures);
            }
            // Analysing it will say what is wrong, if anything.
            Some(Err(_)) | None => files.push(path.clone()),
        }
    }
    files
}

/// One line for each place where a file is damaged: file, octet, packet.
pub(super) fn warn_of_damage(notes: &[Note]) {
    warn_of(&[codes::FILE_CUT, codes::FILE_DAMAGED, codes::FILE_SKIPPED], notes);
}

/// One line for each file that was passed over.
pub(super) fn warn_of_skipped(notes: &[Note]) {
    warn_of(&[codes::FILE_SKIPPED], notes);
}

fn warn_of(wanted: &[Code], notes: &[Note]) {
    for note in notes.iter().filter(|note| wanted.contains(&note.code)) {
        warn(note.code, &note.text);
    }
}

fn warn(code: Code, text: &str) {
    say(&format!("warning {code}"), text);
}

//! `tcplimit analyze`: from captures to reports.

use std::io::{self, IsTerminal as _};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anstream::{AutoStream, ColorChoice};
use tcplimit::report::{self, Failure, Format, Outcome, Report, Selection, TextOptions, codes};
use tcplimit::{Budget, Config, Error, Lease, Memory, SeriesWanted};

use super::filter::FilterOption;
use super::jobs::Jobs;
use super::output::Output;
use super::pages;
use super::progress::Progress;
use super::say;
use super::signals::Signals;
use super::status::Status;
use super::stdin::Stdin;
use super::values::{ColorWhen, MethodName, SortKey, count, memory, some, streams};
use super::vantage::VantageOption;

const EXAMPLES: &str = "\
Examples:
  tcplimit analyze trace.pcap                    what limited each transfer
  tcplimit analyze trace.pcap --flow 3           one connection in full
  tcplimit analyze ring-*.pcapng                 files of one rotation, as one capture
  tcplimit analyze captures/ --separate --ndjson one JSON line per flow, file by file
  tcplimit analyze captures/ --separate --csv --jobs 4   a table, four files at a time
  ssh host tcpdump -s 128 -U -w - port 443 | tcplimit analyze -

Capture at the sender, with the start of the connection: tcpdump -i IF -s 128 -w trace.pcap";

/// Name what limited each TCP transfer of a capture
///
/// Reads pcap and pcapng, plain or in gzip, zstd or lz4. Several files, or a directory of them,
/// are read as one capture in the order of time (a rotation), unless --separate is given.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Args {
    /// Capture files, directories of them, or - for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Write one JSON document (its layout: tcplimit schema)
    #[arg(long, conflicts_with = "ndjson", group = "machine")]
    json: bool,

    /// Write a JSON line per flow: an entry of the document's `flows`, and its `files`
    #[arg(long, group = "machine")]
    ndjson: bool,

    /// Add the lines that plots are drawn from to each flow of --json or --ndjson
    #[arg(long, requires = "machine")]
    series: bool,

    /// Points of a line of --series, at most
    #[arg(long, value_name = "N", requires = "series", default_value_t = 1000, value_parser = count::<usize>)]
    points: usize,

    /// Write a table of comma-separated values, a row per flow
    #[arg(long, conflicts_with_all = ["json", "ndjson"])]
    csv: bool,

    /// Write to FILE instead of standard output; it appears when it is complete
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Only these connections: numbers as Wireshark's tcp.stream, 3 or 3,7 or 10-19
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = streams)]
    flow: Vec<RangeInclusive<u32>>,

    #[command(flatten)]
    filter: FilterOption,

    /// Flows in the table
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = count::<usize>)]
    top: usize,

    /// Order of the table
    #[arg(long, value_name = "KEY", default_value = "bytes")]
    sort: SortKey,

    /// A report for each file, instead of one for all
    #[arg(long)]
    separate: bool,

    /// Files analysed at a time, together within the memory of one. The output does not depend on it
    #[arg(long, value_name = "N", requires = "separate", default_value_t = NonZeroUsize::MIN, value_parser = some)]
    jobs: NonZeroUsize,

    /// Memory to keep to, about: 256M, 2G, or none for no bound. Connections that it has no room for
    /// are reported early, and counted as dropped [default: 512M, 1.5G with --series]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    memory: Option<Memory>,

    /// Threads of each analysis, beside one that decompresses; by default as many as the machine has
    /// cores, as far as they are of use, or 1 with --jobs. The output does not depend on it
    #[arg(long, value_name = "N", value_parser = some)]
    threads: Option<NonZeroUsize>,

    /// Method of analysis
    #[arg(long, value_name = "NAME", default_value = "default")]
    method: MethodName,

    #[command(flatten)]
    vantage: VantageOption,

    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,

    /// Columns of the text; by default those of the terminal, else 80
    #[arg(long, value_name = "N", value_parser = count::<usize>)]
    width: Option<usize>,

    /// No hints, no progress, no warnings on standard error
    #[arg(short, long)]
    quiet: bool,
}

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
    let output = match args.output.as_deref().map(Output::file).transpose() {
        Ok(output) => output.unwrap_or_else(Output::stdout),
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
    // Lines hold a record of what failed; a document, like a text, is a report or nothing.
    if tally.status() == Status::NoReport && !args.ndjson && !args.csv {
        return tally.status();
    }
    let (selection, format) = (args.selection(), args.format());
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    // The analysis is over: its threads are free.
    let threads = args.threads.unwrap_or_else(cores);
    let written =
        output.write(|out| report::write_on(threads, (&outcome, &selection), &format, out));
    written.or(tally.status())
}

/// A report on each file, in their order, up to the first signal.
fn write_separate(args: &Args, config: &Config, signals: &Signals, output: Output) -> Status {
    let _progress = args.progress(config);
    let mut tally = Tally::default();
    let files = separate_files(&args.files);
    let (selection, format) = (args.selection(), args.format());
    let work = |file: &PathBuf, lease: &Arc<Lease>| {
        let mut config = config.clone();
        config.lease = Some(Arc::clone(lease));
        args.outcome(std::slice::from_ref(file), &config)
    };
    let is_over = || signals.received().is_some();
    let jobs = Jobs { budget: Budget::new(config, args.jobs), number: args.jobs };
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
    written.or(tally.status())
}

/// How the inputs fared.
#[derive(Debug, Default)]
struct Tally {
    reports: u64,
    damaged: u64,
    failures: u64,
}

impl Tally {
    fn count(&mut self, outcome: &Outcome) {
        let of_kind = match outcome {
            Outcome::Failure(_) => &mut self.failures,
            Outcome::Report(report) if report.input.damage.is_some() => &mut self.damaged,
            Outcome::Report(_) => &mut self.reports,
        };
        *of_kind = of_kind.saturating_add(1);
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
    fn config(&self, signals: &Signals) -> Config {
        let mut config = Config::default();
        config.stop = Arc::clone(&signals.stop);
        config.memory = self.memory.unwrap_or_default();
        config.vantage = self.vantage.told();
        config.series = self.series.then(|| {
            let mut series = SeriesWanted::default();
            (series.points, series.streams) = (self.points, self.flow.clone());
            series
        });
        let has_jobs = self.jobs > NonZeroUsize::MIN;
        config.threads = self.threads.or(has_jobs.then_some(NonZeroUsize::MIN));
        config.method = self.method.into();
        config
    }

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

    /// What standard error has to say of it.
    fn tell(&self, outcome: &Outcome) {
        match outcome {
            Outcome::Failure(failure) => say("error", failure.error()),
            Outcome::Report(report) if !self.quiet => warn_of_damage(report),
            Outcome::Report(_) => {}
        }
    }

    fn selection(&self) -> Selection {
        let mut selection = Selection::default();
        selection.streams.clone_from(&self.flow);
        selection.top = self.top;
        selection.sort = self.sort.into();
        selection
    }

    fn format(&self) -> Format {
        if self.json {
            return Format::Json;
        }
        if self.ndjson {
            return Format::JsonLines;
        }
        if self.csv {
            return Format::Csv;
        }
        let mut options = TextOptions::default();
        options.width = self.width.or_else(|| self.terminal_width()).unwrap_or(options.width);
        options.is_quiet = self.quiet;
        options.has_color = match self.color {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto if self.output.is_some() => false,
            ColorWhen::Auto => AutoStream::choice(&io::stdout()) != ColorChoice::Never,
        };
        Format::Text(options)
    }

    fn terminal_width(&self) -> Option<usize> {
        if self.output.is_some() {
            return None;
        }
        let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
        Some(usize::from(width.0))
    }
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

/// The files themselves, and those in the directories among them, by name.
fn separate_files(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        match std::fs::read_dir(path) {
            Ok(entries) => {
                let inside = entries.filter_map(Result::ok).map(|entry| entry.path());
                let mut inside: Vec<PathBuf> = inside.filter(|path| path.is_file()).collect();
                inside.sort();
                files.extend(inside);
            }
            // No directory: analysing it will say what is wrong, if anything.
            Err(_) => files.push(path.clone()),
        }
    }
    files
}

/// One line for each place where a file is damaged: file, octet, packet.
pub(super) fn warn_of_damage(report: &Report) {
    for note in &report.notes {
        if [codes::FILE_CUT, codes::FILE_DAMAGED, codes::FILE_SKIPPED].contains(&note.code) {
            say(&format!("warning {}", note.code), &note.text);
        }
    }
}

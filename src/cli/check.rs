//! `tcplimit check`: assertions on a capture, for CI.

mod github;

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::ArgGroup;
use serde_json::Value;
use tcplimit::check::{
    self, Flows, Outcome, Rule, Verdict, read_rules, write_junit, write_junit_error,
};
use tcplimit::{Config, Error, analyze};

use super::analyze::{missing, warn_of_skipped};
use super::filter::FilterOption;
use super::output::{Output, spare};
use super::resources::ResourceOptions;
use super::say;
use super::status::Status;
use super::values::streams;
use super::vantage::VantageOption;

const EXAMPLES: &str = "\
Examples:
  tcplimit check run.pcap --assert 'goodput >= 900Mbit/s' --assert 'rlimit < 20%'
  tcplimit check run.pcap --assert 'limit != receive_window' --flow 3
  tcplimit check run.pcap --rules tcplimit.toml --junit result.xml
  tcplimit check run.pcap --baseline last.json --assert 'goodput >= 0.95 * baseline'

A field is one of a flow's in the JSON (tcplimit schema), by its path: rtt.mean_us. Short names:
goodput, rlimit, slimit, climit, alimit, limit, confidence, rtt, min_rtt, duration, bytes,
retransmissions, timeouts, stalls.

A file of rules is TOML:
  [[rule]]
  name = \"fast enough\"
  assert = \"goodput >= 900Mbit/s\"";

/// Check a capture against assertions
///
/// Exit status: 0 all assertions hold, 1 one failed, 6 the capture does not tell (and none failed),
/// 4 all hold for what precedes where the capture is damaged or cut.
/// In GitHub Actions failures become annotations, and a table goes to the step summary.
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    group(ArgGroup::new("wanted").required(true).multiple(true).args(["asserts", "rules"])),
)]
pub(super) struct Args {
    /// Capture files of one capture, or - for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// What must hold: FIELD OPERATOR VALUE, with its unit
    #[arg(long = "assert", value_name = "EXPR")]
    asserts: Vec<String>,

    /// A file of named rules
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,

    /// These connections, 3 or 3,7 or 10-19; by default the flow that carried most
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = streams, conflicts_with = "all")]
    flow: Vec<RangeInclusive<u32>>,

    /// All flows that carried payload
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    filter: FilterOption,

    /// A report of `analyze --json` to compare with
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Write the outcomes as a JUnit file, too; - writes it to standard output instead of the lines
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// End with status 0 where nothing failed, though the capture does not tell all
    #[arg(long)]
    allow_inconclusive: bool,

    #[command(flatten)]
    vantage: VantageOption,

    #[command(flatten)]
    resources: ResourceOptions,
}

pub(super) fn run(args: &Args) -> Status {
    if let Err(status) = args.junit.as_deref().map_or(Ok(()), |path| spare(path, &inputs(args))) {
        return status;
    }
    let (rules, baseline) = match (rules(args), baseline(args)) {
        (Ok(rules), Ok(baseline)) => (rules, baseline),
        (Err(status), _) | (_, Err(status)) => return status,
    };
    let mut config = Config::default();
    config.vantage = args.vantage.told();
    args.resources.bound(&mut config);
    config.filter = match args.filter.get() {
        Ok(filter) => filter,
        Err(status) => return status,
    };
    let report = match analyze(&args.files, &config) {
        Ok(report) => report,
        Err(error) => {
            say("error", &error);
            tell_unread(args, &error);
            return Status::NoReport;
        }
    };
    if let Some(damage) = &report.input.damage {
        say("warning", format_args!("{}: {}: checked what precedes it", damage.file, damage.what));
    }
    warn_of_skipped(&report.notes);
    if let Some(error) = missing(&args.flow, &report) {
        say("error", &error);
        tell_unread(args, &error);
        return Status::NoReport;
    }
    let read = Status::of_input(&report.input);
    let flows = match args.flow.as_slice() {
        [] if args.all => Flows::All,
        [] => Flows::Largest,
        streams => Flows::Streams(streams.to_vec()),
    };
    let outcomes = check::check(report, &rules, &flows, baseline.as_ref());
    tell(args, &outcomes).or(verdict(args, &outcomes)).or(read)
}

/// All that is read.
fn inputs(args: &Args) -> Vec<PathBuf> {
    args.files.iter().chain(&args.rules).chain(&args.baseline).cloned().collect()
}

fn rules(args: &Args) -> Result<Vec<Rule>, Status> {
    let mut rules = Vec::new();
    for text in &args.asserts {
        match Rule::of(text) {
            Ok(rule) => rules.push(rule),
            Err(error) => {
                say("error", &error);
                return Err(Status::Usage);
            }
        }
    }
    if let Some(path) = &args.rules {
        let text = fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
        match read_rules(&text) {
            Ok(more) => rules.extend(more),
            Err(error) => {
                say("error", format_args!("{}: {error}", path.display()));
                return Err(Status::Usage);
            }
        }
    }
    let lacks_baseline = |rule: &&Rule| args.baseline.is_none() && rule.assertion.needs_baseline();
    if let Some(Rule { text, .. }) = rules.iter().find(lacks_baseline) {
        let what = "needs a report to compare with: add --baseline FILE";
        say("error", format_args!("{text:?} {what}"));
        return Err(Status::Usage);
    }
    Ok(rules)
}

fn baseline(args: &Args) -> Result<Option<Value>, Status> {
    let Some(path) = &args.baseline else { return Ok(None) };
    let octets = fs::read(path).map_err(|error| unreadable(path, &error))?;
    let document: Value = serde_json::from_slice(&octets).unwrap_or_default();
    if document.get("flows").is_none() {
        say("error", format_args!("{} is no report of tcplimit analyze --json", path.display()));
        return Err(Status::Usage);
    }
    Ok(Some(document))
}

fn unreadable(path: &Path, error: &io::Error) -> Status {
    say("error", format_args!("cannot read {}: {error}", path.display()));
    Status::Usage
}

/// Flow by flow, each in the order of the rules.
fn write_lines(outcomes: &[Outcome], out: &mut dyn Write) -> io::Result<()> {
    let widest = outcomes.iter().map(|outcome| outcome.title().chars().count()).max().unwrap_or(0);
    for (flow, outcomes) in by_flow(outcomes) {
        writeln!(out, "{}", flow.unwrap_or("no flow"))?;
        for outcome in outcomes {
            let (rule, measured) = (outcome.title(), &outcome.measured);
            writeln!(out, "  {}  {rule:widest$}  {measured}", word(outcome.result))?;
            if let Some(evidence) = &outcome.evidence {
                writeln!(out, "        {evidence}")?;
            }
        }
    }
    writeln!(out, "{}", counts(outcomes))
}

/// In the order in which the flows first appear.
fn by_flow(outcomes: &[Outcome]) -> Vec<(Option<&str>, Vec<&Outcome>)> {
    let mut places = HashMap::new();
    let mut flows = Vec::new();
    for outcome in outcomes {
        let flow = outcome.flow.as_deref();
        let place = *places.entry(flow).or_insert(flows.len());
        if place == flows.len() {
            flows.push((flow, Vec::new()));
        }
        if let Some((_, group)) = flows.get_mut(place) {
            group.push(outcome);
        }
    }
    flows
}

fn word(result: Verdict) -> &'static str {
    match result {
        Verdict::Pass => "PASS",
        Verdict::Fail => "FAIL",
        _ => "NONE",
    }
}

fn counts(outcomes: &[Outcome]) -> String {
    let count = |result| outcomes.iter().filter(|outcome| outcome.result == result).count();
    let (passed, failed) = (count(Verdict::Pass), count(Verdict::Fail));
    match count(Verdict::Inconclusive) {
        0 => format!("{passed} passed, {failed} failed"),
        open => format!("{passed} passed, {failed} failed, {open} without a verdict"),
    }
}

/// Lines, JUnit and annotations; standard output as `--junit -` holds nothing but the document.
fn tell(args: &Args, outcomes: &[Outcome]) -> Status {
    match &args.junit {
        Some(path) if path == Path::new("-") => write_suite(args, outcomes, Output::stdout()),
        path => {
            let status = Output::stdout().write(|out| write_lines(outcomes, out));
            let file = path.as_ref().map(|path| Output::file(path, &inputs(args)));
            let written = match file {
                Some(Ok(output)) => write_suite(args, outcomes, output),
                Some(Err(status)) => status,
                None => Status::Complete,
            };
            status.or(written).or(github::tell(args.rules.as_deref(), outcomes))
        }
    }
}

fn write_suite(args: &Args, outcomes: &[Outcome], output: Output) -> Status {
    output.write(|out| write_junit(outcomes, &suite(args), out))
}

/// The JUnit file of a capture that could not be read. That is the run's status, whatever becomes of the
/// file.
fn tell_unread(args: &Args, error: &Error) {
    let Some(path) = &args.junit else { return };
    if let Ok(output) = Output::file(path, &inputs(args)) {
        output.write(|out| write_junit_error(&error.to_string(), &suite(args), out));
    }
}

/// What the suite is called.
fn suite(args: &Args) -> String {
    let names: Vec<String> = args.files.iter().map(|file| file.display().to_string()).collect();
    names.join(" ")
}

fn verdict(args: &Args, outcomes: &[Outcome]) -> Status {
    let has = |result| outcomes.iter().any(|outcome| outcome.result == result);
    match () {
        () if has(Verdict::Fail) => Status::Failed,
        () if has(Verdict::Inconclusive) && !args.allow_inconclusive => Status::Inconclusive,
        () => Status::Complete,
    }
}

//! `tcplimit explain`: codes in words, and a flow's verdict with what it rests on.

use std::fmt::Write as _;
use std::path::PathBuf;

use tcplimit::model::codes::{self, Entry};
use tcplimit::report::{wrapped, write_explanation};
use tcplimit::{Question, explain};

use super::analyze::warn_of_damage;
use super::filter::FilterOption;
use super::output::{Output, text_for_stdout};
use super::resources::ResourceOptions;
use super::status::Status;
use super::values::stream;
use super::vantage::VantageOption;
use super::{print, say};

const EXAMPLES: &str = "\
Examples:
  tcplimit explain W001                       what a code means
  tcplimit explain trace.pcap                 the longest intervals of the largest flow
  tcplimit explain trace.pcap --flow 3 --at 1.5
                                              the interval at 1.5 s, wait by wait";

/// Explain a code of a report (W001, N002, E001, A003, ...), or a verdict
///
/// W: warning, something is missing. N: note. E: evidence behind a verdict. A: advice.
/// Without an argument, lists all codes.
///
/// Given a capture, explains the verdict on one flow: for each of its 20 longest intervals the test that
/// fired with its numbers, which others the facts would fit, and a filter that shows the frames in Wireshark.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Codes, or the capture files of one capture
    #[arg(value_name = "CODE|FILE")]
    what: Vec<String>,

    /// The connection: its number as Wireshark's tcp.stream; by default the largest
    #[arg(long, value_name = "N", value_parser = stream)]
    flow: Option<u32>,

    #[command(flatten)]
    filter: FilterOption,

    /// Only the interval at this time, in seconds from the flow's start
    #[arg(long, value_name = "SECONDS", value_parser = time, allow_negative_numbers = true)]
    at: Option<f64>,

    /// Every interval, not only the 20 longest
    #[arg(long, conflicts_with = "at")]
    all: bool,

    /// The direction that carried less
    #[arg(long)]
    reverse: bool,

    #[command(flatten)]
    vantage: VantageOption,

    #[command(flatten)]
    resources: ResourceOptions,
}

/// Intervals explained unless all are asked for: what a reader scrolls through. A flow may have thousands.
const INTERVALS: usize = 20;

pub(super) fn time(text: &str) -> Result<f64, String> {
    match text.strip_suffix('s').unwrap_or(text).trim().parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => Ok(seconds),
        _ => Err("expected seconds from 0 on, as 1.5".to_owned()),
    }
}

pub(super) fn run(args: &Args) -> Status {
    let is_of_capture = args.flow.is_some()
        || args.at.is_some()
        || args.reverse
        || args.all
        || args.filter.is_given()
        || args.vantage.told().is_some()
        || args.resources.is_given();
    let is_code = |what: &String| codes::find(what).is_some() || looks_like_code(what);
    if is_of_capture || args.what.iter().any(|what| !is_code(what)) {
        if let Some(code) = args.what.iter().find(|what| names_code_alone(what)) {
            let what = "is a code, which is explained without a capture or options";
            say("error", format_args!("{code} {what}: tcplimit explain {code}"));
            return Status::Usage;
        }
        return explain_flow(args);
    }
    explain_codes(&args.what)
}

/// A code that there is, and no file of that name.
fn names_code_alone(what: &str) -> bool {
    codes::find(what).is_some() && !std::path::Path::new(what).exists()
}

/// A letter and digits, and no file of that name.
fn looks_like_code(what: &str) -> bool {
    let mut letters = what.chars();
    let is_letter = letters.next().is_some_and(|first| first.is_ascii_alphabetic());
    is_letter && letters.all(|c| c.is_ascii_digit()) && !std::path::Path::new(what).exists()
}

fn explain_flow(args: &Args) -> Status {
    let paths: Vec<PathBuf> = args.what.iter().map(PathBuf::from).collect();
    if paths.is_empty() {
        say("error", "no capture: name a file whose flow is to be explained");
        return Status::Usage;
    }
    if paths.iter().any(|path| path.as_os_str() == "-") {
        say("error", "a capture is read twice to explain it: save standard input to a file first");
        return Status::Usage;
    }
    let mut question = Question::default();
    (question.stream, question.at_s, question.is_reverse) = (args.flow, args.at, args.reverse);
    question.longest = (!args.all).then_some(INTERVALS);
    question.vantage = args.vantage.told();
    (question.memory, question.threads) = (args.resources.memory(), args.resources.threads());
    question.filter = match args.filter.get() {
        Ok(filter) => filter,
        Err(status) => return status,
    };
    let explanation = match explain(&paths, question) {
        Ok(explanation) => explanation,
        Err(error) => {
            say("error", &error);
            return Status::NoReport;
        }
    };
    if args.at.is_some() && explanation.intervals.is_empty() {
        let end = explanation.flow.duration_s;
        say("error", format_args!("--at lies behind the flow's end, at {end:.6} s"));
        return Status::Usage;
    }
    let options = text_for_stdout();
    warn_of_damage(&explanation.notes);
    let written = Output::stdout().write(|out| write_explanation(&explanation, options, out));
    written.or(Status::of_input(&explanation.input))
}

fn explain_codes(asked: &[String]) -> Status {
    let mut text = String::new();
    let width = text_for_stdout().width;
    if asked.is_empty() {
        for entry in codes::ALL {
            line(&mut text, &format!("{}  {}", entry.code, entry.title));
        }
    }
    for (number, code) in asked.iter().enumerate() {
        let Some(entry) = codes::find(code) else {
            say("error", format_args!("no code {code:?}: `tcplimit explain` lists them all"));
            return Status::Usage;
        };
        if number > 0 {
            line(&mut text, "");
        }
        explain_code(entry, width, &mut text);
    }
    print(text.as_bytes())
}

/// Before the paragraphs of a code.
const INDENT: &str = "  ";

fn explain_code(entry: &Entry, width: usize, text: &mut String) {
    line(text, &format!("{} ({}): {}", entry.code, entry.kind(), entry.title));
    for (label, paragraph) in [("", entry.meaning), ("What to do: ", entry.remedy)] {
        line(text, "");
        for row in wrapped(&format!("{label}{paragraph}"), width.saturating_sub(INDENT.len())) {
            line(text, &format!("{INDENT}{row}"));
        }
    }
}

fn line(text: &mut String, line: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{line}");
}

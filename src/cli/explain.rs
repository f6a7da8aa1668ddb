//! `tcplimit explain`: codes in words.

use std::fmt::Write as _;

use tcplimit::report::codes::{self, Entry};

use super::status::Status;
use super::{print, say};

/// Explain a code of a report (W001, N002, E001, A003, ...)
///
/// W: warning, something is missing. N: note. E: evidence behind a verdict. A: advice.
/// Without a code, lists all.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// One or more codes
    #[arg(value_name = "CODE")]
    codes: Vec<String>,
}

pub(super) fn run(args: &Args) -> Status {
    let mut text = String::new();
    if args.codes.is_empty() {
        for entry in codes::ALL {
            line(&mut text, &format!("{}  {}", entry.code, entry.title));
        }
    }
    for (number, code) in args.codes.iter().enumerate() {
        let Some(entry) = codes::find(code) else {
            say("error", format_args!("no code {code:?}: `tcplimit explain` lists them all"));
            return Status::Usage;
        };
        if number > 0 {
            line(&mut text, "");
        }
        explain(entry, &mut text);
    }
    print(text.as_bytes())
}

fn explain(entry: &Entry, text: &mut String) {
    line(text, &format!("{} ({}): {}", entry.code, entry.kind(), entry.title));
    for (label, paragraph) in [("", entry.meaning), ("What to do: ", entry.remedy)] {
        line(text, "");
        for row in codes::wrapped(&format!("{label}{paragraph}")) {
            line(text, &format!("  {row}"));
        }
    }
}

fn line(text: &mut String, line: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{line}");
}

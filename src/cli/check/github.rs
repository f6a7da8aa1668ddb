//! What GitHub Actions reads of a check: annotations and the step summary.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use tcplimit::check::{Outcome, Verdict};
use tcplimit::report;

use super::word;
use crate::cli::output::Output;
use crate::cli::status::Status;

/// Annotations for what did not hold, and a table for the step summary, where GitHub Actions runs
/// this.
pub(super) fn tell(rules: Option<&Path>, outcomes: &[Outcome]) -> Status {
    if env::var_os("GITHUB_ACTIONS").is_none_or(|value| value != "true") {
        return Status::Complete;
    }
    let status = Output::stdout().write(|out| {
        for outcome in outcomes.iter().filter(|outcome| outcome.result != Verdict::Pass) {
            let kind = if outcome.result == Verdict::Fail { "error" } else { "warning" };
            let text = escaped(&format!("{}: {}", outcome.title(), outcome.measured));
            writeln!(out, "::{kind} {}title=tcplimit::{text}", place(rules, outcome))?;
        }
        Ok(())
    });
    let Some(path) = env::var_os("GITHUB_STEP_SUMMARY").map(PathBuf::from) else { return status };
    let file = OpenOptions::new().create(true).append(true).open(&path);
    match file.and_then(|mut file| file.write_all(summary(outcomes).as_bytes())) {
        Ok(()) => status,
        Err(error) => status.or(Status::of_output_error(&error, &path.display().to_string())),
    }
}

/// A table in GitHub's Markdown.
fn summary(outcomes: &[Outcome]) -> String {
    let mut rows =
        ["| | rule | measured | flow |", "| --- | --- | --- | --- |"].map(str::to_owned).to_vec();
    for outcome in outcomes {
        let cells = [&outcome.title(), &outcome.measured, outcome.flow.as_deref().unwrap_or("")];
        let [rule, measured, flow] = cells.map(cell);
        let word = word(outcome.result);
        rows.push(format!("| {word} | {rule} | {measured} | {flow} |"));
    }
    rows.join("\n") + "\n"
}

/// `text` as it stands: what a rule is called begins neither an element nor a link, nor the next cell.
fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in report::escaped(text).chars() {
        match c {
            '|' | '[' | '`' | '\\' => out.extend(['\\', c]),
            '\n' | '\r' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Where an annotation is shown: at the rule's line of its file.
fn place(rules: Option<&Path>, outcome: &Outcome) -> String {
    let place = rules.zip(outcome.line);
    place.map_or_else(String::new, |(file, line)| {
        // In a property a colon or a comma would end it, too.
        let file = escaped(&file.display().to_string()).replace(':', "%3A").replace(',', "%2C");
        format!("file={file},line={line},")
    })
}

/// As GitHub's workflow commands want it.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

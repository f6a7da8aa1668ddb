//! What GitHub Actions reads of a check: annotations and the step summary.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use tcplimit::check::{Outcome, Verdict};

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
            let (rule, measured) = (escaped(&outcome.rule), escaped(&outcome.measured));
            writeln!(out, "::{kind} {}title=tcplimit::{rule}: {measured}", place(rules, outcome))?;
        }
        Ok(())
    });
    let Some(path) = env::var_os("GITHUB_STEP_SUMMARY").map(PathBuf::from) else { return status };
    let written = OpenOptions::new().create(true).append(true).open(&path).and_then(|mut file| {
        writeln!(file, "| | rule | measured | flow |\n| --- | --- | --- | --- |")?;
        for outcome in outcomes {
            let cell = |text: &str| text.replace('|', "\\|").replace(['\n', '\r'], " ");
            writeln!(
                file,
                "| {} | {} | {} | {} |",
                word(outcome.result),
                cell(&outcome.rule),
                cell(&outcome.measured),
                cell(outcome.flow.as_deref().unwrap_or_default())
            )?;
        }
        Ok(())
    });
    match written {
        Ok(()) => status,
        Err(error) => status.or(Status::of_output_error(&error, &path.display().to_string())),
    }
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

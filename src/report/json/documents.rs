//! What JSON is written beside a [`Report`]: a line of `--ndjson`, the list of `--separate`, and what stands
//! for an input that gave no report. Each says in `schema` what it is.

use std::cell::RefCell;

use serde::Serialize;

use crate::model::{Damage, FlowReport, Report};

/// A flow on a line of its own.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct FlowLine<'a> {
    /// Always `tcplimit/flow`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "tcplimit/flow")))]
    schema: &'static str,
    /// Version of this layout, that of a report.
    schema_version: &'static str,
    /// Version of the program.
    tool_version: &'static str,
    /// Names of the files that its packets may be in, or `standard input`.
    files: &'a [String],
    /// The entry of a report's `flows`.
    #[serde(flatten)]
    flow: &'a FlowReport,
}

impl<'a> FlowLine<'a> {
    pub(super) fn new(files: &'a [String], flow: &'a FlowReport) -> Self {
        Self {
            schema: "tcplimit/flow",
            schema_version: Report::SCHEMA_VERSION,
            tool_version: Report::TOOL_VERSION,
            files,
            flow,
        }
    }
}

/// An input without a report, or without all of it, as a record like any other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Failure {
    /// Always `tcplimit/failure`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "tcplimit/failure")))]
    schema: &'static str,
    /// Version of this layout, that of a report.
    schema_version: &'static str,
    /// Version of the program.
    tool_version: &'static str,
    /// Names of the files that it stands for, or `standard input`.
    files: Vec<String>,
    /// What went wrong, as standard error says it.
    error: String,
    /// Where a file was damaged; left out where there is no report at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    damage: Option<Damage>,
}

impl Failure {
    /// `error` is what standard error says of `files`.
    #[must_use]
    pub fn new(files: Vec<String>, error: String) -> Self {
        Self {
            schema: "tcplimit/failure",
            schema_version: Report::SCHEMA_VERSION,
            tool_version: Report::TOOL_VERSION,
            files,
            error,
            damage: None,
        }
    }

    /// Beside the lines of what precedes the damage.
    pub(super) fn of_damage(files: &[String], damage: &Damage) -> Self {
        let failure = Self::new(files.to_vec(), damage.what.clone());
        Self { damage: Some(damage.clone()), ..failure }
    }

    pub(in crate::report) fn files(&self) -> &[String] {
        &self.files
    }

    /// What went wrong.
    #[must_use]
    pub fn error(&self) -> &str {
        &self.error
    }
}

/// What one of several inputs came to (`--separate`).
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Outcome {
    /// Its report.
    Report(Box<Report>),
    /// Why there is none.
    Failure(Failure),
}

/// The outcomes of several inputs.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ReportList<'a> {
    /// Always `tcplimit/report-list`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "tcplimit/report-list")))]
    schema: &'static str,
    /// Version of this layout, that of a report.
    schema_version: &'static str,
    /// Version of the program.
    tool_version: &'static str,
    /// One for each input, in their order.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Outcome>"))]
    reports: Passing<'a>,
}

impl<'a> ReportList<'a> {
    pub(super) fn new(outcomes: &'a mut dyn Iterator<Item = Outcome>) -> Self {
        Self {
            schema: "tcplimit/report-list",
            schema_version: Report::SCHEMA_VERSION,
            tool_version: Report::TOOL_VERSION,
            reports: Passing(RefCell::new(outcomes)),
        }
    }
}

/// Serialized while it passes; a second time it would be empty.
struct Passing<'a>(RefCell<&'a mut dyn Iterator<Item = Outcome>>);

impl Serialize for Passing<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&mut **self.0.borrow_mut())
    }
}

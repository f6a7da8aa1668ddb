//! The report as JSON: one document, or one line per flow.
//!
//! Keys stand in the model's order. Floats have six significant digits, times in seconds (and the
//! points of series) six decimals, so that an interval of a capture of days still has its
//! microseconds; no digit is noise, and the same report gives the same octets. Control and
//! direction characters are escaped although JSON would let some of them stand raw: a report may
//! be shown on a terminal.

mod blocks;
mod layout;
pub(super) mod number;
mod parts;

use std::cell::RefCell;
use std::io::{self, Write};
use std::num::NonZeroUsize;

use serde::Serialize;
use serde_json::Serializer;

use crate::model::{Damage, FlowReport, Report};
use blocks::Blocks;
use layout::Layout;
use parts::Document;

/// Writes one document, indented.
pub(super) fn write(
    outcome: &Outcome,
    threads: NonZeroUsize,
    out: &mut dyn Write,
) -> io::Result<()> {
    match outcome {
        Outcome::Report(report) if parts::is_long(report, threads) => {
            write_pretty(&Document { report, threads }, out)
        }
        outcome => write_pretty(outcome, out),
    }
}

/// Writes each flow as a line that can be read without the others, and a further line if the
/// input was damaged or gave no report.
pub(super) fn write_lines(
    outcome: &Outcome,
    threads: NonZeroUsize,
    out: &mut dyn Write,
) -> io::Result<()> {
    match outcome {
        Outcome::Report(report) => {
            let mut blocks = Blocks::new(out);
            write_flow_lines(report, threads, &mut blocks)?;
            blocks.flush()
        }
        Outcome::Failure(failure) => write_compact(failure, out),
    }
}

fn write_flow_lines(report: &Report, threads: NonZeroUsize, blocks: &mut Blocks) -> io::Result<()> {
    let files = &report.input.files;
    if parts::is_long(report, threads) {
        let write = |flow: &FlowReport, _: bool, text: &mut Vec<u8>| {
            let line = Line { files, ..Line::flow(flow) };
            line.serialize(&mut Serializer::with_formatter(&mut *text, Layout::compact()))?;
            text.push(b'\n');
            Ok(())
        };
        let take = |part: serde_json::Result<Vec<u8>>| blocks.write_all(&part?);
        parts::in_order(&report.flows, threads, write, take)?;
    } else {
        for flow in &report.flows {
            write_as(&Line { files, ..Line::flow(flow) }, Layout::compact(), blocks)?;
        }
    }
    if let Some(damage) = &report.input.damage {
        write_as(&Line { files, ..Line::damage(damage) }, Layout::compact(), blocks)?;
    }
    Ok(())
}

/// An input without a report, as a record like any other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    schema: &'static str,
    schema_version: &'static str,
    tool_version: &'static str,
    files: Vec<String>,
    error: String,
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
        }
    }

    /// The files that it stands for.
    pub(super) fn files(&self) -> &[String] {
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
#[serde(untagged)]
pub enum Outcome {
    /// Its report.
    Report(Box<Report>),
    /// Why there is none.
    Failure(Failure),
}

/// Writes the reports of several inputs as one document, holding one at a time.
pub(super) fn write_list(
    outcomes: &mut dyn Iterator<Item = Outcome>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let list = List {
        schema: "tcplimit/report-list",
        schema_version: Report::SCHEMA_VERSION,
        tool_version: Report::TOOL_VERSION,
        reports: Passing(RefCell::new(outcomes)),
    };
    write_pretty(&list, out)
}

#[derive(Serialize)]
struct List<'a> {
    schema: &'static str,
    schema_version: &'static str,
    tool_version: &'static str,
    reports: Passing<'a>,
}

/// Serialized while it passes; a second time it would be empty.
struct Passing<'a>(RefCell<&'a mut dyn Iterator<Item = Outcome>>);

impl Serialize for Passing<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&mut **self.0.borrow_mut())
    }
}

#[derive(Serialize)]
struct Line<'a> {
    schema: &'static str,
    schema_version: &'static str,
    tool_version: &'static str,
    files: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    damage: Option<&'a Damage>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    flow: Option<&'a FlowReport>,
}

impl<'a> Line<'a> {
    const EMPTY: Self = Self {
        schema: "tcplimit/flow",
        schema_version: Report::SCHEMA_VERSION,
        tool_version: Report::TOOL_VERSION,
        files: &[],
        error: None,
        damage: None,
        flow: None,
    };

    fn flow(flow: &'a FlowReport) -> Self {
        Self { flow: Some(flow), ..Self::EMPTY }
    }

    fn damage(damage: &'a Damage) -> Self {
        let error = Some(damage.what.as_str());
        Self { schema: "tcplimit/failure", error, damage: Some(damage), ..Self::EMPTY }
    }
}

fn write_pretty(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut blocks = Blocks::new(out);
    write_as(value, Layout::indented(), &mut blocks)?;
    blocks.flush()
}

/// Writes one document on one line.
pub(super) fn write_compact(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut blocks = Blocks::new(out);
    write_as(value, Layout::compact(), &mut blocks)?;
    blocks.flush()
}

fn write_as(value: &impl Serialize, layout: Layout, blocks: &mut Blocks) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *blocks, layout))?;
    blocks.write_all(b"\n")
}

/// What a terminal might obey or a reader be misled by: controls and direction marks. JSON's own
/// rule already escapes those below U+0020.
pub(super) fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || c == '\u{feff}'
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests;

//! The report as JSON: one document, or one line per flow.
//!
//! Keys stand in the model's order. Floats have six significant digits, times in seconds (and the
//! points of series) six decimals, so that an interval of a capture of days still has its
//! microseconds; no digit is noise, and the same report gives the same octets. Control and
//! direction characters are escaped although JSON would let some of them stand raw: a report may
//! be shown on a terminal.

use std::cell::RefCell;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

use super::model::{Damage, FlowReport, Report};

/// The JSON Schema of the one-document output.
pub const SCHEMA: &str = include_str!("report-1.schema.json");

/// Writes one document, indented.
pub(super) fn write(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    write_pretty(outcome, out)
}

/// Writes each flow as a line that can be read without the others, and a further line if the
/// input was damaged or gave no report.
pub(super) fn write_lines(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    match outcome {
        Outcome::Report(report) => write_flow_lines(report, out),
        Outcome::Failure(failure) => write_compact(failure, out),
    }
}

fn write_flow_lines(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for flow in &report.flows {
        write_compact(&Line { files: &report.input.files, ..Line::flow(flow) }, out)?;
    }
    if let Some(damage) = &report.input.damage {
        write_compact(&Line { files: &report.input.files, ..Line::damage(damage) }, out)?;
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
    let format = Plain::new(PrettyFormatter::with_indent(b" "));
    value.serialize(&mut Serializer::with_formatter(&mut *out, format))?;
    out.write_all(b"\n")
}

/// Writes one document on one line.
pub(super) fn write_compact(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let format = Plain::new(CompactFormatter);
    value.serialize(&mut Serializer::with_formatter(&mut *out, format))?;
    out.write_all(b"\n")
}

/// Another formatter's layout with rounded floats and escaped control characters.
struct Plain<F> {
    layout: F,
    is_in_key: bool,
    /// The key last written.
    key: String,
}

impl<F> Plain<F> {
    fn new(layout: F) -> Self {
        Self { layout, is_in_key: false, key: String::new() }
    }
}

impl<F: Formatter> Formatter for Plain<F> {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        let is_time = self.key.ends_with("_s") || self.key == "series";
        let rounded = if is_time { six_decimals(value) } else { six_digits(value) };
        // Display writes the shortest decimal that reads back as the same number, never with an
        // exponent and without ".0"; adding 0.0 turns -0 into 0.
        write!(writer, "{}", rounded + 0.0)
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if self.is_in_key {
            self.key.push_str(fragment);
        }
        let mut plain = fragment;
        while let Some((at, odd)) = plain.char_indices().find(|(_, c)| is_unprintable(*c)) {
            let (before, rest) = plain.split_at_checked(at).unwrap_or((plain, ""));
            writer.write_all(before.as_bytes())?;
            let mut units = [0; 2];
            for unit in odd.encode_utf16(&mut units) {
                write!(writer, "\\u{unit:04x}")?;
            }
            plain = rest.strip_prefix(odd).unwrap_or_default();
        }
        writer.write_all(plain.as_bytes())
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        self.is_in_key = true;
        self.key.clear();
        self.layout.begin_object_key(w, first)
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.is_in_key = false;
        self.layout.end_object_key(w)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.layout.begin_array(w)
    }

    fn end_array<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.layout.end_array(w)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        self.layout.begin_array_value(w, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.layout.end_array_value(w)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.layout.begin_object(w)
    }

    fn end_object<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.layout.end_object(w)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.layout.begin_object_value(w)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.layout.end_object_value(w)
    }
}

/// Rounds to six significant digits; by way of decimal text, since no binary factor is exact.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

fn six_decimals(value: f64) -> f64 {
    format!("{value:.6}").parse().unwrap_or(value)
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

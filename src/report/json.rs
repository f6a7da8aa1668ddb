//! The report as JSON: one document, or one line per flow.
//!
//! Keys stand in the model's order. Floats have six significant digits, times in seconds (and the
//! points of series) six decimals, so that an interval of a capture of days still has its
//! microseconds; no digit is noise, and the same report gives the same octets. Control and
//! direction characters are escaped although JSON would let some of them stand raw: a report may
//! be shown on a terminal.

mod blocks;
mod documents;
mod layout;
pub(super) mod number;
mod parts;
mod schema;

use std::io::{self, Write};
use std::num::NonZeroUsize;

use serde::Serialize;
use serde_json::Serializer;

use crate::model::{FlowReport, Report};
use blocks::Blocks;
pub use documents::{Failure, Outcome};
use documents::{FlowLine, ReportList};
use layout::Layout;
use parts::Document;
pub use schema::JsonDocument;

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
            let line = FlowLine::new(files, flow);
            line.serialize(&mut Serializer::with_formatter(&mut *text, Layout::compact()))?;
            text.push(b'\n');
            Ok(())
        };
        let take = |part: serde_json::Result<Vec<u8>>| blocks.write_all(&part?);
        parts::in_order(&report.flows, threads, write, take)?;
    } else {
        for flow in &report.flows {
            write_as(&FlowLine::new(files, flow), Layout::compact(), blocks)?;
        }
    }
    if let Some(damage) = &report.input.damage {
        write_as(&Failure::of_damage(files, damage), Layout::compact(), blocks)?;
    }
    Ok(())
}

/// Writes the reports of several inputs as one document, holding one at a time.
pub(super) fn write_list(
    outcomes: &mut dyn Iterator<Item = Outcome>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_pretty(&ReportList::new(outcomes), out)
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

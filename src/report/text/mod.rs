//! The terminal report. It formats; every number was decided by `verdict`.
//!
//! Few connections are shown in full, many as a table of the largest. Verdict first, then the
//! size of the effect, the shares, why, what to do, and notes.

mod congestion;
mod events;
mod explanation;
mod flow;
mod head;
mod path;
mod table;
mod what_if;

use std::io::{self, Write};

use anstyle::Style;
pub use explanation::write_explanation;
pub(super) use flow::name_of;

use super::page::Page;
use super::select::Selection;
use crate::model::figures::count;
use crate::model::{FlowReport, Report};

/// Connections that are shown in full without being asked for.
const FULL_MAX: usize = 3;

const BOLD: Style = Style::new().bold();

/// How the text is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextOptions {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether the reader sees colour.
    pub has_color: bool,
    /// Only what is asked for: no hints to other commands.
    pub is_quiet: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { width: 80, has_color: false, is_quiet: false }
    }
}

pub(super) fn write(
    report: &Report,
    selection: &Selection,
    options: TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = &mut Page::new(out, options.width, options.has_color);
    head::write(report, page)?;
    let connections = connections(&report.flows, selection);
    if connections.is_empty() && !selection.streams.is_empty() && report.input.connections > 0 {
        page.line("")?;
        page.field("", &none_of(report.input.connections))?;
        return head::write_notes(report, page);
    }
    if connections.len() <= FULL_MAX || !selection.streams.is_empty() {
        for connection in &connections {
            flow::write(connection, page)?;
        }
        head::write_notes(report, page)?;
        if !options.is_quiet {
            write_flow_hints(&connections, page)?;
        }
        return Ok(());
    }
    table::write(report, selection, page)?;
    table::write_flow_notes(report, page)?;
    head::write_notes(report, page)?;
    if !options.is_quiet {
        table::write_hints(report, selection, page)?;
    }
    Ok(())
}

/// Writes one direction in full, as in a report on few connections.
pub(super) fn write_flow(
    flow: &FlowReport,
    options: TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = &mut Page::new(out, options.width, options.has_color);
    flow::write(&Connection { main: flow, other: None }, page)
}

/// Both directions of a connection, or the one that carried data.
struct Connection<'a> {
    /// The one with more payload.
    main: &'a FlowReport,
    other: Option<&'a FlowReport>,
}

/// The chosen connections, in the chosen order of their main directions.
fn connections<'a>(flows: &'a [FlowReport], selection: &Selection) -> Vec<Connection<'a>> {
    let chosen = flows.iter().filter(|flow| selection.has(flow.stream));
    let mut connections: Vec<Connection> = Vec::new();
    for flow in chosen {
        match connections.last_mut() {
            Some(last) if last.main.stream == flow.stream => last.add(flow),
            _ => connections.push(Connection { main: flow, other: None }),
        }
    }
    connections.sort_by(|a, b| selection.sort.compare(a.main, b.main));
    connections
}

impl<'a> Connection<'a> {
    fn add(&mut self, flow: &'a FlowReport) {
        if flow.payload_bytes > self.main.payload_bytes {
            self.other = Some(std::mem::replace(&mut self.main, flow));
        } else {
            self.other = Some(flow);
        }
    }
}

/// No flow has a number that was asked for.
fn none_of(connections: u64) -> String {
    match connections {
        1 => "no such connection: the only one has the number 0".to_owned(),
        some => {
            format!("no such connection with a report: {} are numbered from 0", count(some))
        }
    }
}

fn write_flow_hints(shown: &[Connection], page: &mut Page) -> io::Result<()> {
    let Some(first) = shown.first() else { return Ok(()) };
    let code = first.main.verdict.advice.first().map(|advice| advice.code);
    let code = code.or_else(|| first.main.notes.first().map(|note| note.code));
    page.line("")?;
    let stream = first.main.stream;
    let rests = format!("what it rests on: tcplimit explain FILE --flow {stream}");
    match code {
        Some(code) => {
            page.field("", &format!("More: tcplimit explain {code}; {rests}; all numbers: --json"))
        }
        None => page.field("", &format!("More: {rests}; all numbers: --json")),
    }
}

#[cfg(test)]
mod tests;

//! Many connections: the sums, and the largest flows, a line each.

use std::collections::BTreeMap;
use std::io;

use super::super::page::Page;
use super::super::select::{Selection, Sort};
use super::super::table::{Align, Table};
use super::super::words;
use super::flow::name_of;
use super::head::write_note;
use crate::model::figures::{bytes, count, counted, micros, percent, rate};
use crate::model::{
    Code, Confidence, FlowReport, Limit, Note, PathVerdict, Report, Summary, codes,
};
use crate::units::as_f64;

pub(super) fn write(report: &Report, selection: &Selection, page: &mut Page) -> io::Result<()> {
    let summary = &report.summary;
    if summary.payload_bytes > 0 {
        page.field("", &carriers(summary))?;
        page.field("bytes by limit: ", &bytes_by_limit(summary))?;
        if summary.by_path.iter().any(|total| total.path != PathVerdict::Unknown) {
            page.field("bytes by path: ", &bytes_by_path(summary))?;
        }
    }
    write_rows(&shown(report, selection), selection.sort, page)?;
    let silent = report.flows.iter().filter(|flow| flow.payload_bytes == 0).count();
    if silent > 0 {
        page.line("")?;
        let silent = counted(u64::try_from(silent).unwrap_or(u64::MAX), "connection");
        page.field("", &format!("{silent} carried no data"))?;
    }
    Ok(())
}

/// A heading stands above rows only.
fn write_rows(shown: &[&FlowReport], sort: Sort, page: &mut Page) -> io::Result<()> {
    if shown.is_empty() {
        return Ok(());
    }
    page.line("")?;
    for (number, line) in rows(shown, sort).lines(page.width()).iter().enumerate() {
        let style = if number == 0 { super::BOLD } else { anstyle::Style::new() };
        let line = page.paint(style, line);
        page.line(&line)?;
    }
    Ok(())
}

/// How many flows each of their notes is about, most telling first.
pub(super) fn write_flow_notes(report: &Report, page: &mut Page) -> io::Result<()> {
    let mut flows_of: BTreeMap<Code, u64> = BTreeMap::new();
    for note in report.flows.iter().flat_map(|flow| &flow.notes) {
        let flows = flows_of.entry(note.code).or_default();
        *flows = flows.saturating_add(1);
    }
    if !flows_of.is_empty() {
        page.line("")?;
    }
    for entry in codes::ALL {
        if let Some(flows) = flows_of.get(&entry.code) {
            let text = format!("{}: {}", counted(*flows, "flow"), entry.title);
            write_note("", &Note { code: entry.code, text }, page)?;
        }
    }
    Ok(())
}

pub(super) fn write_hints(
    report: &Report,
    selection: &Selection,
    page: &mut Page,
) -> io::Result<()> {
    let with_data = report.flows.iter().filter(|flow| flow.payload_bytes > 0).count();
    if with_data == 0 {
        return Ok(());
    }
    page.line("")?;
    if with_data > selection.top {
        let text = format!(
            "{} of {} flows shown; more: --top N, --sort bytes|rate|share|loss|rtt|stream",
            selection.top,
            count(u64::try_from(with_data).unwrap_or(u64::MAX)),
        );
        page.field("", &text)?;
    }
    match shown(report, selection).first() {
        Some(first) => page.field("", &format!("why, and what to do: --flow {}", first.stream)),
        None => Ok(()),
    }
}

/// The flows with payload in the chosen order, up to the chosen number.
fn shown<'a>(report: &'a Report, selection: &Selection) -> Vec<&'a FlowReport> {
    let mut flows: Vec<&FlowReport> =
        report.flows.iter().filter(|flow| flow.payload_bytes > 0).collect();
    flows.sort_by(|a, b| selection.sort.compare(a, b));
    flows.truncate(selection.top);
    flows
}

fn carriers(summary: &Summary) -> String {
    let carry = if summary.flows_of_90_percent == 1 { "carries" } else { "carry" };
    format!(
        "{} of {} {carry} 90 % of the bytes",
        count(summary.flows_of_90_percent),
        counted(summary.flows, "flow")
    )
}

fn bytes_by_limit(summary: &Summary) -> String {
    let totals = summary.by_limit.iter();
    parts(summary, totals.map(|total| (words::limit(total.limit), total.payload_bytes)))
}

fn bytes_by_path(summary: &Summary) -> String {
    let totals = summary.by_path.iter();
    parts(summary, totals.map(|total| (words::path(total.path), total.payload_bytes)))
}

/// `receive window 92 %, application 8 %`.
fn parts<'a>(summary: &Summary, totals: impl Iterator<Item = (&'a str, u64)>) -> String {
    let part = |bytes: u64| percent(as_f64(bytes) / as_f64(summary.payload_bytes));
    totals.map(|(name, bytes)| format!("{name} {}", part(bytes))).collect::<Vec<_>>().join(", ")
}

/// `#` is the stream number. The name of the flow comes last: it is what may be long.
fn rows(flows: &[&FlowReport], sort: Sort) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[Right, Right, Right, Left, Right, Left, Left]);
    let key = match sort {
        Sort::Loss => "resent",
        Sort::Rtt => "RTT",
        _ => "goodput",
    };
    let heading = ["#", "bytes", key, "limited by", "share", "conf", "from → to"];
    table.row(heading.map(str::to_owned));
    for flow in flows {
        table.row([
            flow.stream.to_string(),
            bytes(flow.payload_bytes),
            key_of(flow, sort),
            words::limit_short(flow.verdict.limit).to_owned(),
            share(flow),
            confidence(flow).to_owned(),
            name_of(flow),
        ]);
    }
    table
}

fn key_of(flow: &FlowReport, sort: Sort) -> String {
    let known = match sort {
        Sort::Loss => Some(percent(flow.resent_share())),
        Sort::Rtt => flow.rtt.filter(|rtt| rtt.usual_us >= 1.0).map(|rtt| micros(rtt.usual_us)),
        _ => flow.goodput_bps.map(rate),
    };
    known.unwrap_or_else(|| "-".to_owned())
}

fn share(flow: &FlowReport) -> String {
    match flow.verdict.limit {
        Limit::Unknown => "-".to_owned(),
        _ => percent(flow.verdict.share),
    }
}

fn confidence(flow: &FlowReport) -> &'static str {
    match (flow.verdict.limit, flow.verdict.confidence) {
        (Limit::Unknown, _) => "-",
        (_, Confidence::Medium) => "med",
        (_, confidence) => words::confidence(confidence),
    }
}

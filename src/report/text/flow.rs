//! One connection in full: its main direction, and the other in a line.

use std::io;
use std::net::SocketAddr;

use super::super::page::{Page, clean, columns, name};
use super::super::strip::strip;
use super::super::table::{Align, Table};
use super::super::words;
use super::congestion;
use super::events;
use super::head::write_note;
use super::path;
use super::{BOLD, Connection, what_if};
use crate::model::figures::{bytes, bytes_f64, counted, micros, percent, rate, seconds};
use crate::model::{Confidence, FlowReport, Limit, LimitShare, Peer, codes};

/// Smaller shares are left out of the table: they would read "0 %".
const SHARE_MIN: f64 = 0.0005;
/// Causes with a smaller part of their limit's share are left out: the sum reads the same.
const CAUSE_MIN: f64 = 0.01;

pub(super) fn write(connection: &Connection, page: &mut Page) -> io::Result<()> {
    let flow = connection.main;
    page.line("")?;
    let vantage = words::vantage(flow.vantage).map(|place| format!(", {place}"));
    let place = format!("stream {}{}", flow.stream, vantage.unwrap_or_default());
    page.ends(&name_of(flow), &place, BOLD)?;
    write_headline(flow, page)?;
    if let Some(remark) = &flow.path.remark {
        page.field("  ", remark)?;
    }
    page.field("  ", &effect(flow))?;
    write_strip(flow, page)?;
    write_shares(flow, page)?;
    page.line("")?;
    write_reasons(flow, page)?;
    if let Some(other) = connection.other {
        page.field("  back  ", &in_short(other))?;
    }
    Ok(())
}

/// `10.0.0.7:443 → 10.0.9.2:51514`.
pub(in crate::report) fn name_of(flow: &FlowReport) -> String {
    let scope = flow.scope.as_ref().map(|scope| format!(" ({})", name(scope)));
    format!("{} → {}{}", address(flow.src), address(flow.dst), scope.unwrap_or_default())
}

fn address(peer: Peer) -> SocketAddr {
    SocketAddr::new(peer.ip, peer.port)
}

fn write_headline(flow: &FlowReport, page: &mut Page) -> io::Result<()> {
    let verdict = &flow.verdict;
    let confidence = format!("confidence {}", words::confidence(verdict.confidence));
    let style = BOLD | words::color(verdict.limit).get_effects();
    let style = style.fg_color(words::color(verdict.limit).get_fg_color());
    page.ends(&format!("  {}", clean(&headline(flow))), &confidence, style)
}

fn headline(flow: &FlowReport) -> String {
    let verdict = &flow.verdict;
    let share = percent(verdict.share);
    let maybe = if verdict.confidence == Confidence::Low { "probably " } else { "" };
    let named = words::limit(verdict.limit).to_uppercase();
    if flow.notes.iter().any(|note| note.code == codes::NOT_OPENED) {
        return format!("NO CONNECTION: {}", verdict.text);
    }
    let main = match verdict.limit {
        Limit::Unknown | Limit::CaptureGap => return format!("NO VERDICT: {}", verdict.text),
        Limit::HandshakeClose => format!("{maybe}{named} took {share} of the time"),
        _ if verdict.confidence == Confidence::High => {
            format!("{named} limits this transfer: {share} of the time")
        }
        _ => format!("{maybe}{named}: {share} of the time"),
    };
    match verdict.runner_up {
        Some(second) if verdict.confidence != Confidence::High => {
            let (part, name) = (flow.limits.of(second), words::limit(second));
            // A limit that never held for sure, but fits the same facts.
            let is_other_reading = part.share < 0.005;
            if is_other_reading {
                format!("{main}, or {name}")
            } else if part.is_perhaps_larger() {
                // What may be its own, not its share, makes it the second.
                let (share, most) = (percent(part.share), percent(part.share_high));
                format!("{main}, then {name} {share}, perhaps {most}")
            } else {
                format!("{main}, then {name} {}", percent(part.share))
            }
        }
        _ => main,
    }
}

/// The sizes: rate, time, RTT.
fn effect(flow: &FlowReport) -> String {
    let mut parts = Vec::new();
    if let Some(goodput) = flow.goodput_bps {
        parts.push(format!("goodput {}", rate(goodput)));
    }
    parts.push(words::amount(flow));
    parts.extend(flow.rtt.as_ref().map(words::round_trip));
    parts.extend(words::carried(flow));
    parts.join(", ")
}

fn write_strip(flow: &FlowReport, page: &mut Page) -> io::Result<()> {
    let end = seconds(flow.duration_s);
    let frame = "  0 s ||".len().saturating_add(columns(&end)).saturating_add(1);
    let columns = page.width().saturating_sub(frame);
    let limits = strip(&flow.intervals, (0.0, flow.duration_s), columns);
    if limits.is_empty() {
        return Ok(());
    }
    let mut letters = String::new();
    for run in limits.chunk_by(|a, b| a == b) {
        let limit = run.first().copied().flatten();
        let text = limit.map_or(' ', words::letter).to_string().repeat(run.len());
        letters.push_str(&limit.map_or(text.clone(), |l| page.paint(words::color(l), &text)));
    }
    page.line("")?;
    page.line(&format!("  0 s |{letters}| {end}"))
}

fn write_shares(flow: &FlowReport, page: &mut Page) -> io::Result<()> {
    use Align::{Left, Right};
    let mut shares: Vec<(Limit, &LimitShare)> = Limit::ALL
        .iter()
        .map(|limit| (*limit, flow.limits.of(*limit)))
        .filter(|(_, part)| part.share >= SHARE_MIN)
        .collect();
    shares.sort_by(|a, b| b.1.share.total_cmp(&a.1.share));
    let mut table = Table::new(&[Left, Left, Right, Right, Right, Left]);
    for (limit, part) in &shares {
        table.row([
            format!("  {}", words::letter(*limit)),
            words::limit(*limit).to_owned(),
            percent(part.share),
            range(part),
            seconds(part.time_s),
            causes(part),
        ]);
    }
    for line in table.lines(page.width()) {
        page.line(&line)?;
    }
    Ok(())
}

/// `(69–73)`, where it is wider than a point.
fn range(part: &LimitShare) -> String {
    let (low, high) = (100.0 * part.share_low, 100.0 * part.share_high);
    let range = format!("({low:.0}–{high:.0})");
    if high - low >= 1.0 { range } else { String::new() }
}

/// `idle 12 %, slow writes 6 %`, without what is small beside the rest.
fn causes(part: &LimitShare) -> String {
    let least = SHARE_MIN.max(CAUSE_MIN * part.share);
    let shown: Vec<_> = part.causes.iter().filter(|cause| cause.share >= least).collect();
    match shown.as_slice() {
        [only] => words::cause(only.cause).to_owned(),
        causes => causes
            .iter()
            .map(|part| format!("{} {}", words::cause(part.cause), percent(part.share)))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

fn write_reasons(flow: &FlowReport, page: &mut Page) -> io::Result<()> {
    write_list("why", &flow.verdict.why, page)?;
    let advice: Vec<String> = flow
        .verdict
        .advice
        .iter()
        .map(|advice| format!("{} {}", advice.code, advice.text))
        .collect();
    write_list("do", &advice, page)?;
    what_if::write(flow, "  if    ", page)?;
    path::write(flow, "  path  ", page)?;
    events::write(flow, page)?;
    congestion::write(flow, page)?;
    if let Some(paper) = &flow.paper {
        let (r, s, c) = (percent(paper.rlimit), percent(paper.slimit), percent(paper.climit));
        page.field(
            "  2007  ",
            &format!("Rlimit {r}, Slimit {s}, Climit {c} of these three together"),
        )?;
    }
    write_lu2007(flow, page)?;
    flow.notes.iter().try_for_each(|note| write_note("  ", note, page))
}

/// The label stands once, before the first of `items`.
fn write_list(label: &str, items: &[String], page: &mut Page) -> io::Result<()> {
    let mut label = label;
    for item in items {
        page.field(&format!("  {label:<6}"), item)?;
        label = "";
    }
    Ok(())
}

fn write_lu2007(flow: &FlowReport, page: &mut Page) -> io::Result<()> {
    let Some(lu2007) = &flow.lu2007 else { return Ok(()) };
    let rtt = lu2007.rtt_mean_us.map_or("unknown".to_owned(), micros);
    let text = format!(
        "by its figure 1, taken literally: Rlimit {}, Slimit {}, Climit {} of the connection's \
         time; mean wnd {}, mean RTT {rtt}, cwnd {} at the end",
        percent(lu2007.rlimit),
        percent(lu2007.slimit),
        percent(lu2007.climit),
        bytes_f64(lu2007.wnd_mean_bytes),
        bytes_f64(lu2007.cwnd_end_bytes),
    );
    page.field("  2007  ", &text)
}

/// The direction with less payload, in a sentence.
fn in_short(flow: &FlowReport) -> String {
    let verdict = &flow.verdict;
    let resent = match flow.retransmitted_segments {
        0 => String::new(),
        segments => format!(", {} retransmitted", counted(segments, "segment")),
    };
    format!(
        "{}: {}{resent}; {} {}, confidence {}",
        name_of(flow),
        bytes(flow.payload_bytes),
        words::limit(verdict.limit),
        percent(verdict.share),
        words::confidence(verdict.confidence),
    )
}

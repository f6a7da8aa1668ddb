//! What was read, and the doubts about it.

use std::cmp::Reverse;
use std::io;

use super::super::page::{Page, name};
use crate::model::figures::{bytes, count, counted, seconds};
use crate::model::{Code, Input, InputFilter, Note, Report, codes};

/// Reasons listed for what was not TCP.
const REASONS_MAX: usize = 6;
/// Files named before the rest is only counted.
const FILES_MAX: usize = 3;

pub(super) fn write(report: &Report, page: &mut Page) -> io::Result<()> {
    let input = &report.input;
    if input.tcp_packets == 0 {
        return page.field("", &no_tcp(input));
    }
    let lost = match input.capture_drops {
        Some(0) => " and lost no packets".to_owned(),
        Some(lost) => format!(" and lost {}", counted(lost, "packet")),
        None => String::new(),
    };
    let line = format!(
        "{}: {}, {}; the capture lasts {}{lost}",
        files(input),
        counted(input.connections, "TCP connection"),
        amount(report),
        seconds(input.duration_s),
    );
    page.field("", &line)?;
    let packets = input.filter.as_ref().map_or(input.packets, |filter| filter.packets_passed);
    let other = packets.saturating_sub(input.tcp_packets);
    if other > 0 {
        let are = if other == 1 { "is" } else { "are" };
        let line = format!(
            "{} of {} {are} not TCP{}",
            count(other),
            counted(packets, "packet"),
            reasons(input)
        );
        page.field("", &line)?;
    }
    if let Some(filter) = &input.filter {
        page.field("", &passed(filter))?;
    }
    Ok(())
}

/// What the packets carried; of a capture of ACKs alone, what they acknowledged.
fn amount(report: &Report) -> String {
    let unseen = report.flows.iter().filter(|flow| flow.is_unseen());
    let acked = unseen.filter_map(|flow| flow.acked_bytes).fold(0, u64::saturating_add);
    match report.summary.payload_bytes {
        0 if acked > 0 => format!("{} by the ACKs alone", bytes(acked)),
        carried => bytes(carried),
    }
}

/// Notes on the whole capture, and damage where no note tells of it.
pub(super) fn write_notes(report: &Report, page: &mut Page) -> io::Result<()> {
    let is_told = report.notes.iter().any(|note| is_about_damage(note.code));
    let damage = report.input.damage.as_ref().filter(|_| !is_told);
    // Without TCP the first line has said so.
    let notes: Vec<&Note> = report.notes.iter().filter(|note| note.code != codes::NO_TCP).collect();
    if damage.is_some() || !notes.is_empty() {
        page.line("")?;
    }
    if let Some(damage) = damage {
        page.field("warning ", &format!("{}: {}", name(&damage.file), damage.what))?;
    }
    notes.iter().try_for_each(|note| write_note("", note, page))
}

pub(super) fn write_note(indent: &str, note: &Note, page: &mut Page) -> io::Result<()> {
    let label = if note.code.0.starts_with('W') { "warn" } else { "note" };
    page.field(&format!("{indent}{label:<6}"), &format!("{} {}", note.code, note.text))
}

/// `12 of 30 packets pass the filter "tcp port 80"`.
fn passed(filter: &InputFilter) -> String {
    let (passed, left_out) = (filter.packets_passed, filter.packets_left_out);
    let all = counted(passed.saturating_add(left_out), "packet");
    let verb = if passed == 1 { "passes" } else { "pass" };
    format!("{} of {all} {verb} the filter \"{}\"", count(passed), name(&filter.expression))
}

fn is_about_damage(code: Code) -> bool {
    [codes::FILE_CUT, codes::FILE_DAMAGED].contains(&code)
}

fn files(input: &Input) -> String {
    let named: Vec<String> = input.files.iter().take(FILES_MAX).map(|file| name(file)).collect();
    match input.files.len().saturating_sub(FILES_MAX) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

fn no_tcp(input: &Input) -> String {
    let filter = match &input.filter {
        _ if input.packets == 0 => return format!("{}: no packets", files(input)),
        Some(filter) if filter.packets_passed == 0 => {
            return format!("{}: {}", files(input), passed(filter));
        }
        filter => filter.as_ref(),
    };
    let packets = filter.map_or(input.packets, |filter| filter.packets_passed);
    let passed = filter.map(|filter| format!("; {}", passed(filter))).unwrap_or_default();
    let packets = counted(packets, "packet");
    format!("{}: no TCP in {packets}{}{passed}", files(input), reasons(input))
}

/// `: udp 12, arp 4`, largest first.
fn reasons(input: &Input) -> String {
    let mut skipped: Vec<_> = input.skipped.iter().filter(|skip| skip.packets > 0).collect();
    skipped.sort_by_key(|skip| Reverse(skip.packets));
    let mut parts: Vec<String> = skipped
        .iter()
        .take(REASONS_MAX)
        .map(|skip| format!("{} {}", name(&skip.reason).replace('_', " "), count(skip.packets)))
        .collect();
    if skipped.len() > REASONS_MAX {
        parts.push("…".to_owned());
    }
    if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) }
}

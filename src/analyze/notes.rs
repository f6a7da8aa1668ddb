//! What is to be remarked on the input as a whole.

use std::cmp::Reverse;

use super::run::Run;
use crate::capture::{DamageKind, FilterTally, Summary};
use crate::flow::TableCounts;
use crate::report::{Code, Note, codes, figures};
use crate::verdict::Remaining;
use crate::wire::Skip;

/// In the order in which they are written.
pub(super) fn of(
    run: &Run,
    summary: &Summary,
    counts: TableCounts,
    remaining: &Remaining,
) -> Vec<Note> {
    let mut notes = of_files(summary);
    notes.extend(of_packets(summary));
    notes.extend(of_given_up(counts));
    notes.extend(of_decoding(run, summary));
    if run.is_interrupted {
        let packets = summary.tally().packets;
        notes.push(note(codes::INTERRUPTED, format!("stopped after {packets} packets")));
    }
    notes.extend(of_left_out(remaining));
    notes
}

/// Connections given up early.
pub(super) fn dropped(counts: TableCounts) -> u64 {
    counts.evicted_half_open.saturating_add(counts.evicted_open)
}

fn note(code: Code, text: String) -> Note {
    Note { code, text }
}

/// Files that were damaged, or not read at all.
fn of_files(summary: &Summary) -> Vec<Note> {
    let damaged = summary.files.iter().flat_map(|file| &file.damage).map(|damage| {
        let is_cut = damage.kind == DamageKind::Truncated;
        note(if is_cut { codes::FILE_CUT } else { codes::FILE_DAMAGED }, damage.to_string())
    });
    let skipped = skipped_files(summary).into_iter().map(|text| note(codes::FILE_SKIPPED, text));
    damaged.chain(skipped).collect()
}

/// Why files were not read, and how many there are beside those listed.
fn skipped_files(summary: &Summary) -> Vec<String> {
    let Summary { lost_files, passed_over, passed_over_count, .. } = summary;
    let listed = u64::try_from(passed_over.len()).unwrap_or(u64::MAX);
    let more = passed_over_count.saturating_sub(listed);
    let rest = format!("{} passed over", figures::counted(more, "more file"));
    lost_files.iter().chain(passed_over).cloned().chain((more > 0).then_some(rest)).collect()
}

/// Packets that were lost before they were written, or carry no time to go by.
fn of_packets(summary: &Summary) -> impl Iterator<Item = Note> {
    let tally = summary.tally();
    let lost = tally.capture_drops.unwrap_or_default();
    let (irregular, untimed) = (tally.times_irregular, tally.packets_untimed);
    let impossible = ["carries a time that cannot be", "carry a time that cannot be"];
    let earlier = [
        "carries an earlier time than the one before it",
        "carry an earlier time than the one before them",
    ];
    let backwards = packets(tally.times_backwards, earlier);
    let by = figures::seconds(tally.backwards_max.as_secs_f64());
    let at_most = if tally.times_backwards == 1 { "" } else { " at most" };
    let none = ["carries no time of its own", "carry no time of their own"];
    let counted = [
        (lost, codes::CAPTURE_LOST_PACKETS, format!("the capture itself lost {lost} packets")),
        (irregular, codes::CLOCK_STEPPED_BACK, packets(irregular, impossible)),
        (
            tally.times_backwards,
            codes::CLOCK_STEPPED_BACK,
            format!("{backwards}, by {by}{at_most}"),
        ),
        (untimed, codes::TIMES_MISSING, packets(untimed, none)),
    ];
    counted.into_iter().filter(|(count, ..)| *count > 0).map(|(_, code, text)| note(code, text))
}

/// What is so of one packet, or of more.
fn packets(count: u64, [of_one, of_more]: [&str; 2]) -> String {
    let so = if count == 1 { of_one } else { of_more };
    format!("{} {so}", figures::counted(count, "packet"))
}

fn of_given_up(counts: TableCounts) -> Option<Note> {
    let count = dropped(counts);
    let text = format!("{count} connections were given up early for lack of memory");
    (count > 0).then(|| note(codes::CONNECTIONS_DROPPED, text))
}

/// What kept packets from being understood.
fn of_decoding(run: &Run, summary: &Summary) -> Vec<Note> {
    let mut notes = Vec::new();
    let incomplete = run.decoder.incomplete_datagrams_count();
    if incomplete > 0 {
        let text = format!("{incomplete} fragmented datagrams lack a part");
        notes.push(note(codes::FRAGMENTS_MISSING, text));
    }
    if run.has_cut_options {
        let text = "the snap length cut TCP options off".to_owned();
        notes.push(note(codes::OPTIONS_CUT, text));
    }
    let filter = summary.filter.as_ref();
    notes.extend(filter.and_then(without_meaning));
    let packets = filter.map_or(summary.tally().packets, |filter| filter.packets_passed);
    if run.tcp_packets == 0 && packets > 0 {
        notes.push(note(codes::NO_TCP, no_tcp(run, packets)));
    }
    notes
}

/// Of packets on which the filter could not be tried.
fn without_meaning(filter: &FilterTally) -> Option<Note> {
    let why = filter.meaningless.as_ref()?;
    let count = filter.packets_meaningless;
    Some(note(codes::FILTER_WITHOUT_MEANING, format!("{count} packets left out: {why}")))
}

/// What the packets held instead, most first.
fn no_tcp(run: &Run, packets: u64) -> String {
    let mut reasons: Vec<(&Skip, &u64)> = run.skipped.iter().collect();
    reasons.sort_by_key(|(reason, count)| (Reverse(**count), **reason));
    let held: Vec<String> =
        reasons.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
    format!("no TCP among {packets} packets: {}", held.join(", "))
}

/// Flows that are left out of the report, or have no series in it.
fn of_left_out(remaining: &Remaining) -> Vec<Note> {
    let mut notes = Vec::new();
    if remaining.bared > 0 {
        let flows = figures::counted(remaining.bared, "flow");
        let have = if remaining.bared == 1 { "has" } else { "have" };
        let text = format!("{flows} with the least payload {have} no series");
        notes.push(note(codes::SERIES_LEFT_OUT, text));
    }
    if remaining.dropped > 0 {
        let count = remaining.dropped;
        let text = format!("{count} flows with the least payload were left out");
        notes.push(note(codes::CONNECTIONS_DROPPED, text));
    }
    notes
}

//! What is to be remarked on the input as a whole.

use std::cmp::Reverse;
use std::fmt::Display;

use super::run::Run;
use crate::capture::{DamageKind, FileSummary, FilterTally, Outlier, Outliers, Summary};
use crate::flow::TableCounts;
use crate::model::{Code, Note, codes, figures};
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
    notes.extend(of_outliers(summary));
    notes.extend(of_packets(summary));
    notes.extend(of_given_up(counts));
    notes.extend(of_decoding(run, summary));
    if run.is_interrupted {
        let packets = figures::counted(summary.tally().packets, "packet");
        notes.push(note(codes::INTERRUPTED, format!("stopped after {packets}")));
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

/// Times that were not believed.
fn of_outliers(summary: &Summary) -> impl Iterator<Item = Note> {
    let told = |file: &FileSummary| {
        let Outliers { count, first } = file.outliers;
        let Outlier { packet, said, taken } = first?;
        let more = match count.saturating_sub(1) {
            0 => String::new(),
            more => format!(" (so with {} after it)", figures::counted(more, "packet")),
        };
        let name = &file.name;
        let text = format!(
            "{name}: packet {packet} carries the time {said}, which those around it contradict: \
             {taken} was taken{more}"
        );
        Some(note(codes::TIMES_CONTRADICTED, text))
    };
    summary.files.iter().filter_map(told)
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
    let missed = format!("the capture itself lost {}", figures::counted(lost, "packet"));
    let impossible = ["carries a time that cannot be", "carry a time that cannot be"];
    let by = figures::seconds(tally.backwards_max.as_secs_f64());
    let earlier = [
        format!("carries an earlier time than the one before it, by {by}"),
        format!("carry an earlier time than the one before them, by {by} at most"),
    ];
    let backwards = tally.times_backwards;
    let none = ["carries no time of its own", "carry no time of their own"];
    let counted = [
        (lost, codes::CAPTURE_LOST_PACKETS, missed),
        (irregular, codes::CLOCK_STEPPED_BACK, told(irregular, "packet", &impossible)),
        (backwards, codes::CLOCK_STEPPED_BACK, told(backwards, "packet", &earlier)),
        (untimed, codes::TIMES_MISSING, told(untimed, "packet", &none)),
    ];
    counted.into_iter().filter(|(count, ..)| *count > 0).map(|(_, code, text)| note(code, text))
}

/// What is so of one thing, or of more.
fn told(count: u64, thing: &str, [of_one, of_more]: &[impl Display; 2]) -> String {
    let so = if count == 1 { of_one } else { of_more };
    format!("{} {so}", figures::counted(count, thing))
}

fn of_given_up(counts: TableCounts) -> Option<Note> {
    let count = dropped(counts);
    let why = ["was given up early for lack of memory", "were given up early for lack of memory"];
    let text = told(count, "connection", &why);
    (count > 0).then(|| note(codes::CONNECTIONS_DROPPED, text))
}

/// What kept packets from being understood.
fn of_decoding(run: &Run, summary: &Summary) -> Vec<Note> {
    let mut notes = Vec::new();
    let incomplete = run.decoder.incomplete_datagrams_count();
    if incomplete > 0 {
        let text = told(incomplete, "fragmented datagram", &["lacks a part", "lack a part"]);
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
    let packets = figures::counted(count, "packet");
    Some(note(codes::FILTER_WITHOUT_MEANING, format!("{packets} left out: {why}")))
}

/// What the packets held instead, most first.
fn no_tcp(run: &Run, packets: u64) -> String {
    let mut reasons: Vec<(&Skip, &u64)> = run.skipped.iter().collect();
    reasons.sort_by_key(|(reason, count)| (Reverse(**count), **reason));
    let held: Vec<String> = reasons
        .iter()
        .map(|(reason, count)| format!("{reason} {}", figures::count(**count)))
        .collect();
    format!("no TCP in {}: {}", figures::counted(packets, "packet"), held.join(", "))
}

/// Flows that are left out of the report, or have no series in it.
fn of_left_out(remaining: &Remaining) -> impl Iterator<Item = Note> {
    let Remaining { bared, dropped, .. } = *remaining;
    let [no_series, left_out] = [
        ["with the least payload has no series", "with the least payload have no series"],
        ["with the least payload was left out", "with the least payload were left out"],
    ];
    let counted = [
        (bared, codes::SERIES_LEFT_OUT, told(bared, "flow", &no_series)),
        (dropped, codes::CONNECTIONS_DROPPED, told(dropped, "flow", &left_out)),
    ];
    counted.into_iter().filter(|(count, ..)| *count > 0).map(|(_, code, text)| note(code, text))
}

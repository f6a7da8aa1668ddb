//! One flow, with each ruling and what it rests on: which test fired, which nearly did, and the
//! frames that show it. The stages are those of [`analyze`](crate::analyze()), run a second time over
//! the segments of one connection.

mod signs;
mod words;

use std::cmp::Reverse;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use crate::analyze::{Config, Memory, analyze, told_position};
use crate::capture::{Capture, Filter};
use crate::error::Error;
use crate::flow::{Connection, FlowTable, TableBounds};
use crate::limit::{Record, Recording, Records};
use crate::listeners::{self, Followed};
use crate::model::{
    ExplainedInterval, ExplainedWait, Explanation, FlowReport, Interval, Vantage, ZeroWindow,
};
use crate::units::{Duration, Timestamp};
use crate::vantage::Told;
use crate::verdict::Wanted;
use crate::wire::{Decoder, End, Endpoint, Segment};

/// What is asked.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Question {
    /// Only packets that pass it are looked at.
    pub filter: Option<Filter>,
    /// Number of the connection, as Wireshark's `tcp.stream`; by default the one with most payload.
    pub stream: Option<u32>,
    /// Seconds from the flow's start: only the interval that holds this time, with
    /// each of its waits.
    pub at_s: Option<f64>,
    /// Only so many intervals, the longest; `None` for all.
    pub longest: Option<usize>,
    /// The direction with less payload.
    pub is_reverse: bool,
    /// As [`Config::vantage`].
    pub vantage: Option<Vantage>,
    /// As [`Config::memory`].
    pub memory: Memory,
    /// As [`Config::threads`].
    pub threads: Option<NonZeroUsize>,
}

/// Explains one flow of a capture.
///
/// # Errors
/// As [`analyze`], and if there is no such connection, or not that direction of it. The files are read
/// twice, so none of them may be standard input.
pub fn explain(paths: &[PathBuf], question: Question) -> Result<Explanation, Error> {
    let Question { vantage, filter, threads, memory, .. } = question;
    let config = Config { vantage, filter, threads, memory, ..Config::default() };
    let report = analyze(paths, &config)?;
    let stream = question.stream.or_else(|| {
        let largest =
            report.flows.iter().max_by_key(|flow| (flow.payload_bytes, Reverse(flow.stream)));
        largest.map(|flow| flow.stream)
    });
    let number = stream.unwrap_or_default();
    let absent = report.input.no_connection(number);
    let mut flows: Vec<FlowReport> =
        report.flows.into_iter().filter(|flow| Some(flow.stream) == stream).collect();
    flows.sort_by_key(|flow| Reverse(flow.payload_bytes));
    let index = usize::from(question.is_reverse);
    if flows.is_empty() {
        return Err(absent);
    }
    let Some(flow) = (index < flows.len()).then(|| flows.swap_remove(index)) else {
        return Err(Error::NoReverse { stream: number });
    };
    let is_closer = question.at_s.is_some();
    let recording = if is_closer { Recording::WithTallies } else { Recording::Rulings };
    let found = record(paths, &flow, &config, recording)?;
    let mut explanation = Explanation {
        intervals: explained(&flow, &found, question.at_s),
        flow,
        input: report.input,
        notes: report.notes,
        at_s: question.at_s,
        intervals_left_out: 0,
        time_left_out_s: 0.0,
        records_left_out: found.records.left_out,
    };
    if let Some(listed) = question.longest {
        keep_longest(&mut explanation, listed);
    }
    Ok(explanation)
}

/// Leaves all but so many intervals out; those that stay do so in order of time.
fn keep_longest(explanation: &mut Explanation, listed: usize) {
    let length = |it: &ExplainedInterval| it.interval.end_s - it.interval.start_s;
    let intervals = &mut explanation.intervals;
    intervals.sort_by(|a, b| length(b).total_cmp(&length(a)));
    let left_out = intervals.split_off(listed.min(intervals.len()));
    intervals.sort_by(|a, b| a.interval.start_s.total_cmp(&b.interval.start_s));
    explanation.intervals_left_out = left_out.len() as u64;
    explanation.time_left_out_s = left_out.iter().map(length).sum();
}

/// Runs the stages once more, for the segments of one flow's connection alone.
fn record(
    paths: &[PathBuf],
    flow: &FlowReport,
    config: &Config,
    recording: Recording,
) -> Result<Found, Error> {
    let mut capture = Capture::open(paths)?.filtered(config.filter.as_ref(), &config.stop);
    let mut decoder = Decoder::default();
    let wanted = Wanted { recording, ..Wanted::default() };
    let settings = Arc::new(Told { position: told_position(config), consumer: wanted });
    let mut table = FlowTable::<Followed<()>>::new(TableBounds::default(), settings);
    let mut found = Vec::new();
    let mut start = None;
    while let Some(frame) = capture.next_frame() {
        let start = *start.get_or_insert(frame.time);
        let Ok(segment) = decoder.decode(&frame) else { continue };
        if is_of(&segment, flow) {
            table.on_segment(&segment, &mut |ended| found.extend(of(ended, flow, start)));
        }
    }
    let start = start.unwrap_or_default();
    table.finish(&mut |ended| found.extend(of(ended, flow, start)));
    Ok(found.pop().unwrap_or_default())
}

/// Whether the segment runs between the flow's ends.
fn is_of(segment: &Segment, flow: &FlowReport) -> bool {
    let end = |peer: &crate::model::Peer| End::from(Endpoint { addr: peer.ip, port: peer.port });
    let ends = [segment.src, segment.dst];
    ends == [end(&flow.src), end(&flow.dst)] || ends == [end(&flow.dst), end(&flow.src)]
}

/// The records of the direction, if the connection is the flow's and not another between its ends.
fn of(ended: Connection<Followed<()>>, flow: &FlowReport, start: Timestamp) -> Option<Found> {
    let (connection, consumers) = ended.split();
    let begins = start.after(Duration::try_from_secs_f64(flow.start_s)?);
    if begins < connection.first_time || begins > connection.last_time {
        return None;
    }
    let is_first = connection
        .flows
        .first()
        .is_some_and(|first| (first.src.addr, first.src.port) == (flow.src.ip, flow.src.port));
    let [first, second] = consumers;
    let followed = if is_first { first } else { second };
    let end = connection.last_time;
    let records = followed.map(|followed| listeners::records(*followed, end));
    Some(Found { records: records.unwrap_or_default(), start: begins })
}

/// What the second run found.
#[derive(Debug, Default)]
struct Found {
    records: Records,
    /// The flow's.
    start: Timestamp,
}

/// The flow's intervals, each with the records that made it.
fn explained(flow: &FlowReport, found: &Found, at_s: Option<f64>) -> Vec<ExplainedInterval> {
    let seconds = |time: Timestamp| time.since(found.start).as_secs_f64();
    let kept = &found.records.kept;
    let mut intervals = Vec::new();
    for interval in &flow.intervals {
        let holds = |at: f64| interval.start_s <= at && at < interval.end_s;
        if at_s.is_some_and(|at| !holds(at)) {
            continue;
        }
        let first = kept.partition_point(|record| seconds(record.wait.start) < interval.start_s);
        let end = kept.partition_point(|record| seconds(record.wait.start) < interval.end_s);
        // Where the verdict took the rulings back, they explain nothing.
        let is_ruled = |record: &Record| record.ruling.limit == interval.limit;
        let of_interval = kept.get(first..end).unwrap_or_default();
        let records = if of_interval.iter().any(is_ruled) { of_interval } else { &[] };
        let shown = at_s.map_or(0..0, |at| around(records, at, &seconds));
        let waits = waits(records.get(shown.clone()).unwrap_or_default(), &seconds);
        let middle = records.get(records.len() / 2);
        let tallies = middle.and_then(|record| record.context.as_deref());
        intervals.push(ExplainedInterval {
            interval: *interval,
            fired: words::fired(interval.limit, interval.cause, records),
            facts: words::facts(records, flow.smss_bytes.unwrap_or_default()),
            nearly: words::nearly(records),
            tallies: tallies.map(words::tallies).unwrap_or_default(),
            zero_windows: overlapping(&flow.episodes.zero_windows, interval),
            waits_left_out: records.len().saturating_sub(waits.len()) as u64,
            waits_before: shown.start as u64,
            waits,
        });
    }
    intervals
}

/// Places of the closed windows that share time with `interval`.
fn overlapping(windows: &[ZeroWindow], interval: &Interval) -> Vec<usize> {
    let shares =
        |window: &ZeroWindow| window.start_s < interval.end_s && interval.start_s < window.end_s;
    windows.iter().enumerate().filter(|(_, window)| shares(window)).map(|(at, _)| at).collect()
}

/// Waits shown one by one.
const WAITS_MAX: usize = 40;

/// Places of those to show: the one at `at_s` with as many before it as after it, or all.
fn around(
    records: &[Record],
    at_s: f64,
    seconds: &impl Fn(Timestamp) -> f64,
) -> std::ops::Range<usize> {
    let after = records.partition_point(|record| seconds(record.wait.start) <= at_s);
    let last_start = records.len().saturating_sub(WAITS_MAX);
    let start = after.saturating_sub(1 + WAITS_MAX / 2).min(last_start);
    start..records.len().min(start.saturating_add(WAITS_MAX))
}

fn waits(records: &[Record], seconds: &impl Fn(Timestamp) -> f64) -> Vec<ExplainedWait> {
    let shown = records.iter();
    shown
        .map(|record| ExplainedWait {
            start_s: seconds(record.wait.start),
            duration_s: record.wait.duration().as_secs_f64(),
            count: record.wait.count,
            first_frame: record.wait.first_frame.shown(),
            last_frame: record.wait.last_frame.shown(),
            flight_bytes: record.wait.flight_before.0,
            signs: signs::signs(record.wait.sign),
            ruling: signs::ruling(record.ruling),
        })
        .collect()
}

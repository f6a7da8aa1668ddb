//! The whole program: frames in, report out.

use std::io::Read;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::budget::Lease;
use crate::capture::{Capture, Filter, FilterTally, Summary};
use crate::error::Error;
use crate::flow::{TableBounds, TableCounts};
use crate::glance::Watch;
use crate::report::figures;
use crate::report::{
    Damage, FlowReport, Input, InputFilter, Note, Report, SkippedCount, Vantage, codes,
};
use crate::series::{Listener, Series, SeriesWanted};
use crate::shards::Shards;
use crate::units::{Bytes, Timestamp};
use crate::vantage::Position;
use crate::verdict::{Kept, Room, Wanted};
use crate::wire::{Decoder, Segment, Skip};

/// How to analyse.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Config {
    /// Which method the shares come from.
    pub method: Method,
    /// Where the capture was taken, as every direction of every connection sees it; `None` or
    /// `Unknown` to find out from the capture.
    pub vantage: Option<Vantage>,
    /// Only packets that pass it are analysed.
    pub filter: Option<Filter>,
    /// What plots are drawn from, where it is wanted.
    pub series: Option<SeriesWanted>,
    /// Threads that analyse, the one that reads included, but not one that decompresses; `None` for as
    /// many as are of use. The report does not depend on it.
    pub threads: Option<NonZeroUsize>,
    /// How much memory connections may take.
    pub memory: Memory,
    /// Its part of the memory that it shares with analyses beside it; `None` where there are none.
    pub lease: Option<Arc<Lease>>,
    /// Set from elsewhere (a signal) to stop reading; the report then covers what was read.
    pub stop: Arc<AtomicBool>,
    /// Looks into the analysis from elsewhere.
    pub watch: Option<Arc<Watch>>,
    /// Packets read so far, for a display.
    pub packets: Arc<AtomicU64>,
}

/// How much memory an analysis may take, about. Half of it is for connections that have not ended;
/// when they need more, the least telling are reported early, and counted as dropped. The rest is for
/// the reports, of which the largest flows' are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Memory {
    /// 512 MiB; 1.5 GiB with series.
    #[default]
    Usual,
    /// So many octets.
    AtMost(u64),
    /// As much as it takes: no connection is reported early.
    Unbounded,
}

impl Memory {
    /// How many octets that is; `None` without a bound.
    pub(crate) fn octets(self, has_series: bool) -> Option<u64> {
        match self {
            Self::Usual if has_series => Some(1536 << 20),
            Self::Usual => Some(512 << 20),
            Self::AtMost(octets) => Some(octets),
            Self::Unbounded => None,
        }
    }
}

/// Where the shares come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Each waiting interval is charged to the thing whose change ended it.
    #[default]
    Waits,
    /// The founding paper's figure 1, taken literally, beside the default.
    Lu2007,
}

/// Analyses files, directories of them, and standard input (`-`) as one capture.
///
/// # Errors
/// If a file that was named cannot be read or is no capture, or if all frames are of link types that
/// are not supported; or if it gave up for those beside it ([`Error::Recalled`]). A capture that is
/// damaged further on is no error: what precedes the damage is reported, with the place ([`Input::damage`]).
pub fn analyze(paths: &[PathBuf], config: &Config) -> Result<Report, Error> {
    report_on(Capture::open(paths)?, config)
}

/// Analyses one capture from any reader; `name` stands for it in the report.
///
/// # Errors
/// As [`analyze`].
pub fn analyze_stream(
    name: &str,
    input: impl Read + Send + 'static,
    config: &Config,
) -> Result<Report, Error> {
    report_on(Capture::of_stream(name, input)?, config)
}

/// The report, unless no frame at all was of a link type that can be decoded.
fn decoded(report: Report) -> Result<Report, Error> {
    let input = &report.input;
    let packets = input.filter.as_ref().map_or(input.packets, |filter| filter.packets_passed);
    let unsupported = Skip::UnsupportedLinkType.code();
    let is_unsupported =
        |skip: &SkippedCount| skip.reason == unsupported && skip.packets == packets && packets > 0;
    if input.skipped.iter().any(is_unsupported) {
        let (name, link_types) = (input.files.join(", "), input.link_types.join(", "));
        return Err(Error::NoSupportedLinkType { name, link_types });
    }
    Ok(report)
}

fn report_on(capture: Capture, config: &Config) -> Result<Report, Error> {
    let octets = config.memory.octets(config.series.is_some());
    let bounds = octets.map_or_else(TableBounds::unbounded, TableBounds::within);
    match &config.series {
        None => run_with::<()>(capture, config, bounds),
        Some(_) => run_with::<Series>(capture, config, bounds),
    }
}

fn run_with<S: Listener>(
    capture: Capture,
    config: &Config,
    bounds: TableBounds,
) -> Result<Report, Error> {
    let mut capture = capture.filtered(config.filter.as_ref(), &config.stop);
    let mut run = Run::default();
    let stretch = config.series.as_ref().map(SeriesWanted::stretch).unwrap_or_default();
    let series_points = config.series.as_ref().map_or(0, |series| series.points);
    let lu2007 = config.method == Method::Lu2007;
    let is_watched = config.watch.is_some();
    let wanted = Wanted { is_watched, lu2007, series_points, stretch };
    let settings = (told_position(config), wanted);
    let kept = Kept::new(config.series.clone(), room(config));
    // A display looks at the flows of one thread; it is for captures that come no faster than the wire.
    let threads = config.threads.filter(|_| config.watch.is_none());
    let threads = threads.or(config.watch.as_ref().map(|_| NonZeroUsize::MIN));
    let mut shards = Shards::<S>::new(bounds, settings, kept, threads);
    let mut segment = Segment::default();
    while let Some(frame) = capture.next_frame() {
        let frame_number = frame.number.0;
        let now = frame.time;
        if run.start.is_none() {
            run.start = Some(now);
            shards.begin(now);
        }
        match run.decoder.decode_into(&frame, &mut segment) {
            Ok(()) => {
                run.tcp_packets = run.tcp_packets.saturating_add(1);
                run.has_cut_options |= segment.options.is_cut;
                shards.on_segment(&segment);
            }
            Err(reason) => run.skip(reason),
        }
        config.packets.store(frame_number, Ordering::Relaxed);
        if let Some(watch) = config.watch.as_ref().filter(|watch| watch.is_asked()) {
            watch.answer(shards.glance(now, frame_number));
        }
        if frame_number % COVERED_EVERY == 0 {
            cover(config, shards.memory())?;
        }
        if config.stop.load(Ordering::Relaxed) {
            break;
        }
    }
    cover(config, shards.memory())?;
    // A reader may have seen the signal first, and ended the input.
    run.is_interrupted = config.stop.load(Ordering::Relaxed);
    let summary = capture.summary();
    let report = run.into_report(&summary, shards);
    cover(config, Bytes(report.flows.iter().map(FlowReport::octets).sum()))?;
    let filter = summary.filter.as_ref();
    if let Some(cause) = filter.and_then(|filter| meaningless(filter, report.input.packets)) {
        return Err(Error::FilterWithoutMeaning { name: report.input.files.join(", "), cause });
    }
    decoded(report)
}

/// For the reports.
fn room(config: &Config) -> Room {
    let octets = config.memory.octets(config.series.is_some());
    octets.map_or_else(Room::default, Room::within)
}

/// Frames after which it is seen to that a lease covers what is held.
const COVERED_EVERY: u64 = 1024;

/// Asks for the memory that is held, where it is shared.
fn cover(config: &Config, octets: Bytes) -> Result<(), Error> {
    match &config.lease {
        Some(lease) if !lease.cover(octets.0) => Err(Error::Recalled),
        _ => Ok(()),
    }
}

/// What libpcap says, if the filter means nothing on any of the packets.
fn meaningless(filter: &FilterTally, packets: u64) -> Option<String> {
    filter.meaningless.clone().filter(|_| filter.packets_meaningless == packets)
}

/// Where the user says that the capture was taken.
pub(crate) fn told_position(config: &Config) -> Option<Position> {
    match config.vantage? {
        Vantage::Sender => Some(Position::Sender),
        Vantage::Receiver => Some(Position::Receiver),
        Vantage::Middle => Some(Position::Middle),
        Vantage::Unknown => None,
    }
}

/// What one run collects.
#[derive(Default)]
struct Run {
    decoder: Decoder,
    start: Option<Timestamp>,
    tcp_packets: u64,
    skipped: std::collections::BTreeMap<Skip, u64>,
    has_cut_options: bool,
    is_interrupted: bool,
}

impl Run {
    fn skip(&mut self, reason: Skip) {
        let count = self.skipped.entry(reason).or_default();
        *count = count.saturating_add(1);
    }

    fn into_report<S: Listener>(self, summary: &Summary, shards: Shards<S>) -> Report {
        let (kept, counts) = shards.finish();
        let left_out = kept.dropped;
        let mut notes = self.notes(summary, counts);
        if kept.bared > 0 {
            let flows = figures::counted(kept.bared, "flow");
            let have = if kept.bared == 1 { "has" } else { "have" };
            let text = format!("{flows} with the least payload {have} no series");
            notes.push(Note { code: codes::SERIES_LEFT_OUT, text });
        }
        if left_out > 0 {
            let text = format!("{left_out} flows with the least payload were left out");
            notes.push(Note { code: codes::CONNECTIONS_DROPPED, text });
        }
        let named = |(scope, flow): (_, Box<FlowReport>)| {
            let scope = self.decoder.scope_name(scope).map(str::to_owned);
            FlowReport { scope, ..*flow }
        };
        let flows = kept.reports.into_iter().map(named).collect();
        Report::new(self.input(summary, counts), flows, notes)
    }

    fn input(&self, summary: &Summary, counts: TableCounts) -> Input {
        let tally = summary.tally();
        let skipped = |(reason, packets): (&Skip, &u64)| SkippedCount {
            reason: reason.code().to_owned(),
            packets: *packets,
        };
        let duration = tally.first_time.zip(tally.last_time).map(|(first, last)| last.since(first));
        Input {
            files: summary.files.iter().map(|file| file.name.clone()).collect(),
            format: summary.files.first().map(|file| file.format.name().to_owned()),
            link_types: tally.link_types.iter().map(|link_type| link_type.name()).collect(),
            packets: tally.packets,
            filter: summary.filter.as_ref().map(|filter| InputFilter {
                expression: filter.expression.clone(),
                packets_passed: filter.packets_passed,
                packets_left_out: filter.packets_left_out,
            }),
            tcp_packets: self.tcp_packets,
            skipped: self.skipped.iter().map(skipped).collect(),
            connections: counts.connections,
            connections_dropped: dropped(counts),
            capture_drops: tally.capture_drops,
            snapped_packets: tally.packets_snapped,
            damage: summary.files.iter().flat_map(|file| &file.damage).next_back().map(|damage| {
                Damage {
                    file: damage.file.clone(),
                    offset_bytes: damage.offset,
                    packets_before: damage.packets_before,
                    what: damage.kind.to_string(),
                }
            }),
            first_packet_utc: tally.first_time.map(|time| time.to_string()),
            duration_s: duration.unwrap_or_default().as_secs_f64(),
        }
    }

    fn notes(&self, summary: &Summary, counts: TableCounts) -> Vec<Note> {
        let tally = summary.tally();
        let mut notes = Vec::new();
        let mut add = |code, text: String| notes.push(Note { code, text });
        for damage in summary.files.iter().flat_map(|file| &file.damage) {
            let is_cut = damage.kind == crate::capture::DamageKind::Truncated;
            add(if is_cut { codes::FILE_CUT } else { codes::FILE_DAMAGED }, damage.to_string());
        }
        for lost in summary.lost_files.iter().chain(&summary.passed_over) {
            add(codes::FILE_SKIPPED, lost.clone());
        }
        if let Some(drops) = tally.capture_drops.filter(|drops| *drops > 0) {
            add(codes::CAPTURE_LOST_PACKETS, format!("the capture itself lost {drops} packets"));
        }
        if tally.times_irregular > 0 {
            let count = tally.times_irregular;
            add(codes::CLOCK_STEPPED_BACK, format!("{count} packets carry a time that cannot be"));
        }
        if tally.packets_untimed > 0 {
            let count = tally.packets_untimed;
            add(codes::TIMES_MISSING, format!("{count} packets carry no time of their own"));
        }
        if dropped(counts) > 0 {
            let count = dropped(counts);
            add(
                codes::CONNECTIONS_DROPPED,
                format!("{count} connections were given up early for lack of memory"),
            );
        }
        let incomplete = self.decoder.incomplete_datagrams_count();
        if incomplete > 0 {
            add(codes::FRAGMENTS_MISSING, format!("{incomplete} fragmented datagrams lack a part"));
        }
        if self.has_cut_options {
            add(codes::OPTIONS_CUT, "the snap length cut TCP options off".to_owned());
        }
        let filter = summary.filter.as_ref();
        if let Some(why) = filter.and_then(|filter| filter.meaningless.as_ref()) {
            let count = filter.map_or(0, |filter| filter.packets_meaningless);
            add(codes::FILTER_WITHOUT_MEANING, format!("{count} packets left out: {why}"));
        }
        let packets = filter.map_or(tally.packets, |filter| filter.packets_passed);
        if self.tcp_packets == 0 && packets > 0 {
            add(codes::NO_TCP, self.no_tcp(packets));
        }
        if self.is_interrupted {
            add(codes::INTERRUPTED, format!("stopped after {} packets", tally.packets));
        }
        notes
    }

    /// What the packets held instead, most first.
    fn no_tcp(&self, packets: u64) -> String {
        let mut reasons: Vec<(&Skip, &u64)> = self.skipped.iter().collect();
        reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), **reason));
        let held: Vec<String> =
            reasons.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        format!("no TCP among {packets} packets: {}", held.join(", "))
    }
}

fn dropped(counts: TableCounts) -> u64 {
    counts.evicted_half_open.saturating_add(counts.evicted_open)
}

//! The whole program: frames in, report out.

mod config;
mod notes;
mod outcome;
mod run;

use std::io::Read;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use crate::capture::{Capture, FilterTally};
use crate::error::Error;
use crate::flow::TableBounds;
use crate::limit::Recording;
use crate::model::{FlowReport, Report, SkippedCount, Vantage};
use crate::series::{Listener, Series, SeriesWanted};
use crate::shards::Shards;
use crate::units::Bytes;
use crate::vantage::Told;
use crate::verdict::{Kept, Room, Wanted};
use crate::wire::Skip;
pub use config::{Config, Memory, Method};
use run::Run;

/// Analyses files, directories of them, and standard input (`-`) as one capture.
///
/// # Errors
/// If a file that was named cannot be read or is no capture, or if all frames are of link types that
/// are not supported; or if it gave up for those beside it ([`Error::Recalled`]). A capture that is
/// damaged further on is no error: what precedes the damage is reported, with the place
/// ([`Input::damage`](crate::model::Input::damage)).
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
    let bounds = config.octets().map_or_else(TableBounds::unbounded, TableBounds::within);
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
    if config.watch.is_some() {
        capture = capture.at_once();
    }
    let mut run = Run::default();
    let mut shards = shards_for::<S>(config, bounds);
    while let Some(frame) = capture.next_frame() {
        run.on_frame(&frame, &mut shards);
        let (number, now) = (frame.number.ordinal(), frame.time);
        config.packets.store(number, Ordering::Relaxed);
        if let Some(watch) = config.watch.as_ref().filter(|watch| watch.is_asked()) {
            watch.answer(shards.glance(now, number));
        }
        if number % COVERED_EVERY == 0 {
            cover(config, shards.memory())?;
        }
        if config.stop.load(Ordering::Relaxed) {
            break;
        }
    }
    take_waiting(&mut capture, &mut run, &mut shards);
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

/// Takes what was read before a stop and waits for its turn.
#[cold]
#[inline(never)]
fn take_waiting<S: Listener>(capture: &mut Capture, run: &mut Run, shards: &mut Shards<S>) {
    while let Some(frame) = capture.next_waiting() {
        run.on_frame(&frame, shards);
    }
}

fn shards_for<S: Listener>(config: &Config, bounds: TableBounds) -> Shards<S> {
    let wanted = Wanted {
        is_watched: config.watch.is_some(),
        lu2007: config.method == Method::Lu2007,
        series_points: config.series.as_ref().map_or(0, |series| series.points),
        stretch: config.series.as_ref().map(SeriesWanted::stretch).unwrap_or_default(),
        recording: Recording::None,
    };
    // A display looks at the flows of one thread; it is for captures that come no faster than the wire.
    let threads = if wanted.is_watched { Some(NonZeroUsize::MIN) } else { config.threads };
    let kept = Kept::new(config.series.clone(), room(config));
    let told = Told { position: told_position(config), consumer: wanted };
    Shards::new(bounds, told, kept, threads)
}

/// For the reports.
fn room(config: &Config) -> Room {
    config.octets().map_or_else(Room::default, Room::within)
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
pub(crate) fn told_position(config: &Config) -> Option<Vantage> {
    config.vantage.filter(|told| *told != Vantage::Unknown)
}

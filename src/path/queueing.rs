//! How long did packets wait on the way, over time?

use super::track::Point;
use super::way_back;
use crate::units::{Timestamp, at_share};

/// What waited on the way beyond the unloaded round trip.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Queueing {
    /// In order, at most [`SERIES_MAX`].
    pub(crate) series: Vec<Queued>,
    /// Seconds; that half, or 95 %, of the time does not exceed.
    pub(crate) p50_s: f64,
    pub(crate) p95_s: f64,
    /// The largest sample.
    pub(crate) max_s: f64,
    /// The part that ACKs met on the way back; `None` where that is not told, or none to speak of is there.
    pub(crate) way_back_share: Option<f64>,
}

impl Queueing {
    /// What waited were ACKs, for the most part.
    pub(crate) fn is_mostly_on_way_back(&self) -> bool {
        self.way_back_share.is_some_and(|share| share >= way_back::MOST)
    }

    /// What is left for the way there is none to speak of.
    pub(super) fn is_on_way_back_alone(&self) -> bool {
        let there_s = self.p50_s * (1.0 - self.way_back_share.unwrap_or_default());
        self.is_mostly_on_way_back() && there_s < FELT_S
    }
}

/// Points told: enough to draw.
const SERIES_MAX: usize = 100;

/// A shorter queue is not told from the jitter of hosts and links (`CoDel`'s target, RFC 8289),
/// seconds.
pub(crate) const FELT_S: f64 = 0.005;

/// The queue around one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Queued {
    pub(crate) time: Timestamp,
    /// Delay, seconds.
    pub(crate) delay_s: f64,
    /// The flow's own octets in the queue: its rate over the round trip before times the delay (Little's
    /// law).
    pub(crate) octets: f64,
}

/// `base` is the unloaded round trip and `rtt_max` the largest sample, seconds. `None` without
/// points.
pub(super) fn summarize(points: &[Point], base: f64, rtt_max: f64) -> Option<Queueing> {
    let delays = delays(points, base);
    let total: f64 = delays.iter().map(|(_, weight)| weight).sum();
    let p50_s = at_share(delays.iter().copied(), total, 0.5)?;
    let p95_s = at_share(delays.iter().copied(), total, 0.95)?;
    let size = points.len().div_ceil(SERIES_MAX).max(1);
    Some(Queueing {
        series: points.chunks(size).filter_map(|group| queued(group, points, base)).collect(),
        p50_s,
        p95_s,
        max_s: (rtt_max - base).max(0.0),
        way_back_share: (p95_s >= FELT_S).then(|| way_back::share(points, base)).flatten(),
    })
}

/// Delays in order of size, each with the seconds that it stands for: at most its own round trip, for
/// nothing is known of what nothing passed in.
fn delays(points: &[Point], base: f64) -> Vec<(f64, f64)> {
    let first = points.first().map(|point| point.at.time).unwrap_or_default();
    let before = std::iter::once(first).chain(points.iter().map(|point| point.at.time));
    let weigh = |(point, before): (&Point, Timestamp)| {
        let seconds = point.at.time.since(before).as_secs_f64().clamp(1e-6, point.rtt.max(1e-6));
        ((point.rtt - base).max(0.0), seconds)
    };
    let mut delays: Vec<(f64, f64)> = points.iter().zip(before).map(weigh).collect();
    delays.sort_by(|a, b| a.0.total_cmp(&b.0));
    delays
}

fn queued(group: &[Point], points: &[Point], base: f64) -> Option<Queued> {
    let last = group.last()?;
    let (sum, count) = group.iter().fold((0.0, 0.0), |(sum, n), point| (sum + point.rtt, n + 1.0));
    let rtt = sum / count;
    let delay_s = (rtt - base).max(0.0);
    Some(Queued { time: last.at.time, delay_s, octets: rate(points, last, rtt) * delay_s })
}

/// Octets a second that had passed by `last`, over the round trip of `rtt` seconds before and no less: one
/// ACK may tell of many at once.
fn rate(points: &[Point], last: &Point, rtt: f64) -> f64 {
    let seconds_since = |point: &Point| last.at.time.since(point.at.time).as_secs_f64();
    let after = points.partition_point(|point| seconds_since(point) >= rtt);
    let before = points.get(after.saturating_sub(1)).unwrap_or(last);
    // By a coarse clock all of it may have been one instant.
    (last.at.passed - before.at.passed) / seconds_since(before).max(rtt).max(1e-6)
}

/// Share of the points with a shorter delay than `delay`, seconds.
pub(super) fn rank(points: &[Point], base: f64, delay: f64) -> f64 {
    super::bucket::share(points, |point| point.rtt - base < delay)
}

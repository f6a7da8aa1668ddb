//! How long did packets wait on the way, over time?

use super::track::Point;
use crate::units::Timestamp;

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
}

/// Points told: enough to draw.
const SERIES_MAX: usize = 100;

/// A shorter queue is not told from the jitter of hosts and links (`CoDel`'s target, RFC 8289 section 4.3), seconds.
pub(super) const FELT_S: f64 = 0.005;

/// The queue around one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Queued {
    pub(crate) time: Timestamp,
    /// Delay, seconds.
    pub(crate) delay_s: f64,
    /// The flow's own octets in the queue: its rate times the delay (Little's law).
    pub(crate) octets: f64,
}

/// `base` is the unloaded round trip and `rtt_max` the largest sample, seconds. `None` without
/// points.
pub(super) fn summarize(points: &[Point], base: f64, rtt_max: f64) -> Option<Queueing> {
    let delays = delays(points, base);
    let total: f64 = delays.iter().map(|(_, weight)| weight).sum();
    let p50_s = at_share(&delays, total, 0.5)?;
    let size = points.len().div_ceil(SERIES_MAX).max(1);
    let starts = std::iter::once(points.first()).chain(points.chunks(size).map(<[Point]>::last));
    let groups = points.chunks(size).zip(starts.flatten());
    Some(Queueing {
        series: groups.filter_map(|(group, before)| queued(group, *before, base)).collect(),
        p50_s,
        p95_s: at_share(&delays, total, 0.95)?,
        max_s: (rtt_max - base).max(0.0),
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

fn at_share(delays: &[(f64, f64)], total: f64, share: f64) -> Option<f64> {
    let mut passed = 0.0;
    let found = delays.iter().find(|(_, weight)| {
        passed += weight;
        passed >= share * total
    });
    found.or(delays.last()).map(|(delay, _)| *delay)
}

fn queued(group: &[Point], before: Point, base: f64) -> Option<Queued> {
    let last = group.last()?;
    let (sum, count) = group.iter().fold((0.0, 0.0), |(sum, n), point| (sum + point.rtt, n + 1.0));
    let delay_s = (sum / count - base).max(0.0);
    let seconds = last.at.time.since(before.at.time).as_secs_f64();
    let rate = if seconds > 0.0 { (last.at.passed - before.at.passed) / seconds } else { 0.0 };
    Some(Queued { time: last.at.time, delay_s, octets: rate * delay_s })
}

/// Share of the points with a shorter delay than `delay`, seconds.
pub(super) fn rank(points: &[Point], base: f64, delay: f64) -> f64 {
    super::bucket::share(points, |point| point.rtt - base < delay)
}

//! Did a burst pass before the queue began? A shaper lets pass what finds tokens, as a policer does,
//! and queues the rest (Linux `tbf`).

use super::track::Point;

/// Octets of frames that passed beyond `rate` (octets a second) before a queue stood; `None` where
/// no queue ever did, or no more passed than an interface sends at once.
pub(super) fn burst(points: &[Point], rate: f64, base: f64, segment: f64) -> Option<f64> {
    let mut before = points.first()?;
    let mut deficit = before.at.passed;
    let mut found = Vec::new();
    let mut free = 0.0_f64;
    for point in points {
        let seconds = point.at.time.since(before.at.time).as_secs_f64();
        deficit = (deficit + point.at.passed - before.at.passed - rate * seconds).max(0.0);
        before = point;
        let queued = (point.rtt_last - base) * rate;
        if queued > QUEUE_MIN * segment {
            found.push((deficit - queued).max(0.0));
        } else if found.is_empty() {
            free = free.max(deficit);
        }
        if found.len() >= FOUND_MAX {
            break;
        }
    }
    found.sort_by(f64::total_cmp);
    // Half of it at least must have been seen to pass without a queue.
    let is_burst = |burst: &f64| free >= 0.5 * burst && *burst >= BURST_MIN * segment;
    found.get(found.len() / 2).copied().filter(is_burst)
}

/// Segments of a burst that no ordinary interface sends at once (Linux `tbf` needs two; TSO brings
/// up to 45, but waits for them).
const BURST_MIN: f64 = 16.0;

/// Segments in the queue at least: fewer are the flow's own bursts.
const QUEUE_MIN: f64 = 8.0;
/// Points looked at: an error of the rate sums up over time.
const FOUND_MAX: usize = 9;

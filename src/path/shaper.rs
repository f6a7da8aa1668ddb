//! Did a burst pass before the queue began? A shaper lets pass what finds tokens, as a policer does,
//! and queues the rest (Linux `tbf`).

use super::track::Point;

/// Octets of frames that passed beyond `rate` (octets a second) before a queue stood; `None` where
/// no queue ever did.
pub(super) fn burst(points: &[Point], rate: f64, base: f64, segment: f64) -> Option<f64> {
    let mut before = points.first()?;
    let mut deficit = before.passed;
    let mut found = Vec::new();
    let mut free = 0.0_f64;
    for point in points {
        let seconds = point.time.since(before.time).as_secs_f64();
        deficit = (deficit + point.passed - before.passed - rate * seconds).max(0.0);
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
    found.get(found.len() / 2).copied().filter(|burst| free >= 0.5 * burst)
}

/// Segments in the queue at least: fewer are the flow's own bursts.
const QUEUE_MIN: f64 = 8.0;
/// Points looked at: an error of the rate sums up over time.
const FOUND_MAX: usize = 9;

//! Does a queue hold what a bucket let pass no more? A shaper lets pass what finds tokens, as a policer
//! does, and queues the rest (Linux `tbf`): what waits is the deficit of the bucket less the tokens that it
//! began with. So where a queue stands, the deficit (see the module `deficit`) and the octets that wait
//! differ by the same number of octets at all times; for a plain queue they do not differ.
//!
//! It misleads where the shortest round trip met a queue itself: that then passes for tokens.

use super::deficit::{Curve, Kind, Step};
use super::track::Point;

/// How long something waited.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waited {
    /// The step of the curve by which it had been sent.
    pub(super) step: usize,
    pub(super) seconds: f64,
}

/// The tokens of a shaper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tokens {
    /// Octets of frames per second.
    pub(super) rate: f64,
    /// Octets of frames that pass at once.
    pub(super) octets: f64,
    /// Half of all differences lie this close together, octets.
    spread: f64,
}

impl Tokens {
    /// A queue stood; `segment` is a full frame, octets.
    pub(super) fn is_queue(&self, waited: &Waited, segment: f64) -> bool {
        waited.seconds * self.rate > QUEUE_MIN * segment
    }
}

/// Segments in the queue at least: fewer are the flows' own bursts. Moved as in the module `capacity`: 4 and
/// 16 change the kind of one, the queue of an AQM that looks shaped.
const QUEUE_MIN: f64 = 8.0;
/// Times at which a queue stood, at least: enough for quartiles. 8 and 32 change none.
const STANDING_MIN: usize = 16;
/// Segments: plain queues of Linux `tbf` show the two that it needs, and a delay is not told better.
pub(super) const TOKENS_MIN: f64 = 4.0;
/// Tokens over their spread. Shapers of `tests/held-out` that several flows share have 3.4 and more and are
/// told within 22 %, one of 17 kB has 2.4 and would be told as 35 kB; plain queues have 2 at most.
const CLEAR: f64 = 3.0;
/// Rates tried first to either side of one that is nearly known, so far apart; then half of that, down to
/// 0.03 %.
const STEP: f64 = 0.01;
const HALVINGS: u32 = 6;

/// What passes a shaper of about one of `rates` at once, octets a second; `None` where the waiting shows
/// no more than any queue lets pass. `segment` is a full frame, octets.
pub(super) fn fit(curve: &Curve, waited: &[Waited], rates: &[f64], segment: f64) -> Option<Tokens> {
    let found = rates.iter().filter_map(|rate| around(curve, waited, *rate, segment));
    let best = found.min_by(|a, b| a.spread.total_cmp(&b.spread))?;
    let is_clear = best.octets >= TOKENS_MIN * curve.segment && best.octets >= CLEAR * best.spread;
    let is_free = || Seen::of(curve, waited, best.rate, segment).is_burst_free(&best);
    (is_clear && is_free()).then_some(best)
}

/// The same of one flow, whose points these are; `base` is its unloaded round trip, seconds.
pub(super) fn of_one(points: &[Point], rate: f64, base: f64, segment: f64) -> Option<Tokens> {
    let steps: Vec<Step> = points
        .iter()
        .map(|point| Step { at: point.at.mark(), kind: Kind::Passed { times: 1 } })
        .collect();
    let wait = |(step, point): (usize, &Point)| Waited { step, seconds: point.rtt_last - base };
    let waited: Vec<Waited> = points.iter().enumerate().map(wait).collect();
    fit(&Curve::of(&steps, segment), &waited, &[rate], segment)
}

/// The least spread at about `rate`: an error of the rate adds up over time.
fn around(curve: &Curve, waited: &[Waited], rate: f64, segment: f64) -> Option<Tokens> {
    let at = |rate: f64| Seen::of(curve, waited, rate, segment).tokens(rate);
    let nearer = |best: Tokens, rate: f64| {
        at(rate).filter(|found| found.spread < best.spread).unwrap_or(best)
    };
    let mut best = at(rate)?;
    let mut step = rate * STEP;
    for _ in 0..HALVINGS {
        let middle = best.rate;
        best = nearer(nearer(best, middle - step), middle + step);
        step /= 2.0;
    }
    Some(best)
}

/// Deficits, octets.
struct Seen {
    /// Where a queue stood, less what waited; in no order.
    beyond: Vec<f64>,
    /// Where none did.
    free: Vec<f64>,
}

impl Seen {
    fn of(curve: &Curve, waited: &[Waited], rate: f64, segment: f64) -> Self {
        let lacked: Vec<f64> = curve.lacked(rate).collect();
        let [mut beyond, mut free] = [(); 2].map(|()| Vec::with_capacity(waited.len()));
        for Waited { step, seconds } in waited {
            let Some(deficit) = lacked.get(*step) else { continue };
            let queued = seconds * rate;
            if queued > QUEUE_MIN * segment {
                beyond.push(deficit - queued);
            } else {
                free.push(*deficit);
            }
        }
        Self { beyond, free }
    }

    fn tokens(&self, rate: f64) -> Option<Tokens> {
        if self.beyond.len() < STANDING_MIN {
            return None;
        }
        let mut all = self.beyond.clone();
        let (half, quarter) = (all.len() / 2, all.len() / 4);
        let (below, octets, above) = all.select_nth_unstable_by(half, f64::total_cmp);
        let octets = *octets;
        // From here on only one half holds it.
        let last = quarter.saturating_mul(3).checked_sub(half.saturating_add(1))?;
        let upper = *above.select_nth_unstable_by(last, f64::total_cmp).1;
        let lower = *below.select_nth_unstable_by(quarter, f64::total_cmp).1;
        Some(Tokens { rate, octets, spread: upper - lower })
    }

    /// Half of the burst at least was seen to pass without a queue, and one stood for most of the time
    /// that half of the tokens or more were gone: else what drops is no queue.
    fn is_burst_free(&self, tokens: &Tokens) -> bool {
        let spent = self.free.iter().filter(|deficit| **deficit >= 0.5 * tokens.octets).count();
        spent > 0 && spent <= self.beyond.len()
    }
}

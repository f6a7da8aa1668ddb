//! Which rate does the bottleneck have, from the time in which it was busy?
//!
//! Two answers, which check each other. The *plateau* is the highest rate over stretches of a round
//! trip or more that holds for a good part of the busy time: exact, but only what others left over
//! where the queue is shared all the time. The *train mode* is the commonest rate of single ACK
//! intervals: blurred where ACKs come bunched, but blind to others.

use serde::Serialize;

use super::busy::Found;
use super::stretch::Stretch;
use super::trains::Mode;
use crate::units::{at_share, len_as_f64};

/// Rate of the bottleneck, bits per second of whole frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Capacity {
    pub(crate) bps: f64,
    pub(crate) low_bps: f64,
    pub(crate) high_bps: f64,
    pub(crate) method: CapacityMethod,
    pub(crate) trust: Trust,
}

/// A bucket that lets pass so much of the bottleneck's rate is the bottleneck, with its queue. 0.6 to 0.9
/// change none, 1 changes one (of the directions that `bucket` tells of).
const LINE: f64 = 0.8;

impl Capacity {
    /// It is more than a rate among others.
    pub(crate) fn is_known(&self) -> bool {
        self.trust != Trust::Doubtful
    }

    /// What lets pass `rate_bps` in the long run lets about as much pass as this: be it known or guessed, it
    /// is the rate of that.
    pub(super) fn is_within(&self, rate_bps: f64) -> bool {
        rate_bps >= LINE * self.bps
    }

    /// A bottleneck of one rate lets no more pass than that.
    pub(super) fn lets_pass(&self, carried: Stretch) -> bool {
        carried.rate() <= self.high_bps
    }
}

/// What the rate of a bottleneck was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CapacityMethod {
    /// The rate of ACKs over round trips in which a queue stood.
    AckRatePlateau,
    /// The spacing of the ACKs of single trains of segments: others shared the queue, or none stood
    /// for long.
    TrainDispersion,
}

/// How well it is founded, the best first. It says what an estimate rests on; how sure that makes a report,
/// whose `Confidence` also goes by what was not captured, is for `verdict` to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trust {
    /// The bottleneck had this rate nearly all the time in which it was busy.
    Steady,
    /// Plateau and train mode agree.
    Agreed,
    /// A plateau or a mode among other rates.
    Doubtful,
}

/// `carried` is all that was delivered over the time in which data was in flight. `None` where
/// neither a queue stood for long nor that comes near the rate of the trains.
pub(super) fn estimate(busy: &Found, carried: Option<Stretch>) -> Option<Capacity> {
    let mode = busy.mode();
    let Some(plateau) = Plateau::find(busy) else {
        let (mode, carried) = mode.zip(carried)?;
        return nearly_full(mode, carried.rate());
    };
    match mode {
        Some(mode) if mode.is_above(plateau.bps) && busy.passed_at(mode.bps) => {
            Some(of_trains(mode, Trust::Agreed))
        }
        _ => Some(plateau.capacity(mode, busy)),
    }
}

/// The window kept just below what the path holds: the truth lies between what was carried and
/// what bursts passed at. Bursts that pass no faster than the whole flow show nothing: by a coarse clock an
/// even writer's data seem sent together.
fn nearly_full(mode: Mode, carried: f64) -> Option<Capacity> {
    let capacity = of_trains(mode, Trust::Agreed);
    let [bps, low_bps] = [capacity.bps, capacity.low_bps].map(|bps| bps.max(carried));
    (FILLED * mode.bps..=mode.bps * (1.0 + MARGIN)).contains(&carried).then_some(Capacity {
        bps,
        low_bps,
        ..capacity
    })
}

fn of_trains(mode: Mode, trust: Trust) -> Capacity {
    Capacity {
        bps: mode.bps,
        low_bps: mode.bps / Mode::BLUR,
        high_bps: mode.bps * Mode::BLUR,
        method: CapacityMethod::TrainDispersion,
        trust,
    }
}

// What follows was moved one at a time over 2482 directions (open corpus, `tests/held-out`, captures of
// others); said is in how many a capacity came to differ by 3 %, or a kind.

/// Bursts at a rate of which so much was carried are the path's: above the three quarters that a sender
/// halving its window at a queue of no depth uses, and below the 85 % that CUBIC uses at least
/// ([`FULL`](super::FULL)). 0.7 changes 13 capacities, 0.9 two, and neither a kind.
const FILLED: f64 = 0.8;
/// Clocks and the mean of the header sizes are no better. It widens ranges: 0.002 and 0.02 change none.
const MARGIN: f64 = 0.005;
/// Segments more or less that the ACKs at the ends of a stretch stand for (RFC 5681 section 4.2). 1 and 4
/// change none.
const PAIR: f64 = 2.0;
/// Nearly all of the busy time. 0.8 changes two capacities, 0.95 none.
const STEADY: f64 = 0.9;
/// Fewer stretches may agree by chance. 2 and 8 change none.
const STRETCHES_MIN: usize = 4;

/// The highest rate that held for long.
struct Plateau {
    bps: f64,
    low: f64,
    high: f64,
    /// Its stretches over the time of all.
    time_share: f64,
    stretches: usize,
}

impl Plateau {
    /// A plateau takes at least this part of the busy time: peaks that ACKs bunched together make
    /// are short. 0.05 changes 11 capacities and one kind, 0.2 changes 12 and two.
    const PART_MIN: f64 = 0.1;
    /// Stretches within 4 % are of one rate: what a round trip's ACKs come early or late on a quiet
    /// path. 1.02 changes 6 capacities, 1.06 changes 5 and one kind.
    const WIDTH: f64 = 1.04;
    /// Stretches within 10 % of it count as the same rate, blurred by jitter. 7 and 15 % change 2 capacities
    /// and two kinds each.
    const BLUR: f64 = 1.1;
    const SHIFTS_MAX: usize = 50;

    fn find(busy: &Found) -> Option<Self> {
        let mut sorted = busy.stretches.clone();
        sorted.sort_by(|a, b| a.rate().total_cmp(&b.rate()));
        let all = Stretch::sum(&sorted);
        let median = rate_at(&sorted, all.seconds, 0.5)?;
        let middle = Stretch::sum(around(&sorted, median, Self::BLUR));
        // Where nearly all lies there, what lies above it is blur like what lies below.
        let is_one_rate = middle.seconds >= STEADY * all.seconds;
        let bps = if is_one_rate { middle.rate() } else { Self::highest(&sorted, all.seconds)? };
        let near = around(&sorted, bps, Self::BLUR);
        let part = Stretch::sum(near);
        let margin =
            (PAIR * busy.segment * len_as_f64(near.len()).sqrt() / part.octets).max(MARGIN);
        let margin = margin.max(busy.left_open(near));
        Some(Self {
            bps,
            low: rate_at(near, part.seconds, 0.16)?.min(bps * (1.0 - margin)),
            high: rate_at(near, part.seconds, 0.84)?.max(bps * (1.0 + margin)),
            time_share: part.seconds / all.seconds,
            stretches: near.len(),
        })
    }

    fn capacity(&self, mode: Option<Mode>, busy: &Found) -> Capacity {
        Capacity {
            bps: self.bps,
            low_bps: self.low,
            high_bps: self.high,
            method: CapacityMethod::AckRatePlateau,
            trust: self.trust(mode, busy),
        }
    }

    fn trust(&self, mode: Option<Mode>, busy: &Found) -> Trust {
        let is_near = |mode: Mode| mode.bps * Mode::BLUR >= self.bps && !mode.is_above(self.bps);
        let is_steady = self.time_share >= STEADY && self.stretches >= STRETCHES_MIN;
        match (mode.map(is_near), is_steady) {
            // A clock that hides the spacing of trains hides what others had of it, but not in the sum.
            (None, true) if busy.tick > 0.0 => {
                if busy.passed_above(self.bps) {
                    Trust::Doubtful
                } else {
                    Trust::Agreed
                }
            }
            (Some(true) | None, true) => Trust::Steady,
            (Some(true), false) => Trust::Agreed,
            // ACKs bunch single intervals, but not what comes over a round trip.
            (Some(false), true) if busy.passed_at(self.bps) => Trust::Agreed,
            // Most trains passed more slowly: that may be the spacing of what was sent.
            (Some(false) | None, _) => Trust::Doubtful,
        }
    }

    /// The middle of the highest plateau; `seconds` is the time of all.
    fn highest(sorted: &[Stretch], seconds: f64) -> Option<f64> {
        let top = sorted.iter().rev().find(|stretch| {
            let near = Stretch::sum(around(sorted, stretch.rate(), Self::WIDTH));
            near.seconds >= Self::PART_MIN * seconds
        })?;
        let mut bps = top.rate();
        // From its upper edge to its middle (mean shift).
        for _ in 0..Self::SHIFTS_MAX {
            let mean = Stretch::sum(around(sorted, bps, Self::WIDTH)).rate();
            let is_still = (mean / bps - 1.0).abs() < 1e-6;
            bps = mean;
            if is_still {
                break;
            }
        }
        Some(bps)
    }
}

/// The stretches whose rate is within a factor of `bps`.
fn around(sorted: &[Stretch], bps: f64, factor: f64) -> &[Stretch] {
    let first = sorted.partition_point(|stretch| stretch.rate() < bps / factor);
    let end = sorted.partition_point(|stretch| stretch.rate() <= bps * factor);
    sorted.get(first..end).unwrap_or_default()
}

/// The rate that so much of the time does not exceed.
fn rate_at(sorted: &[Stretch], seconds: f64, share: f64) -> Option<f64> {
    let timed = sorted.iter().map(|stretch| (stretch, stretch.seconds));
    at_share(timed, seconds, share).map(|stretch| stretch.rate())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 20 Mbit/s: what was carried beside it.
    #[test]
    fn bursts_no_faster_than_the_whole_tell_of_no_bottleneck() {
        let mode = Mode { bps: 20e6, is_sharp: true };
        let told = |carried| nearly_full(mode, carried).map(|it| (it.low_bps, it.bps));
        assert_eq!(told(19.5e6), Some((19.5e6, 20e6)));
        assert_eq!(told(20.05e6), Some((20.05e6, 20.05e6)), "as good as clocks are");
        assert_eq!(told(20.6e6), None, "an even writer's");
        assert_eq!(told(15e6), None, "far from full");
    }
}

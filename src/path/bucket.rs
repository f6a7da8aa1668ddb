//! Do the losses fit a token bucket? A policer lets pass what finds tokens in a bucket of `burst`
//! octets that fills at `rate`, and drops the rest, without a queue.
//!
//! The deficit of the bucket follows from what passed: it grows with each octet, shrinks with time,
//! and is never below zero (RFC 2697 section 3; Linux `tcf_police_act`). All losses happen at one
//! deficit, that of the empty bucket, and nothing passes beyond it. Time is that of sending: what meets
//! a policer has not waited, so it comes there a constant time after it was sent, while its ACK may be
//! late for reasons of its own.
//!
//! Drop-tail queues fit the same curve, for they drop what finds more than so much in front of it. But
//! what passes them has waited as long as the deficit takes to serve: the round-trip time tells, and of
//! a shaper (Linux `tbf`) how much of the deficit was tokens and how much queue.
//! (Flach et al., SIGCOMM 2016, test for the same between the first and the last loss of a chunk;
//! here the bucket may fill up in between, and its rate is searched for.)
//!
//! Where the bucket is empty nearly all the time, losses prove nothing; what passed may (module `excess`).

mod burst;
mod candidates;
mod contrast;

use self::burst::Burst;
use self::candidates::rates;
use self::contrast::Contrast;
use super::capacity::Capacity;
use super::deficit::Curve;
use super::excess::Excess;
use super::tokens::TOKENS_MIN;
use super::track::Mark;
use crate::units::len_as_f64;

/// The bucket that fits best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bucket {
    /// Octets of frames per second.
    pub(super) rate: f64,
    /// Octets of frames.
    pub(super) burst: f64,
    /// Share of all losses that found it empty.
    hits: f64,
    /// How losses met it.
    sharp: Contrast,
    /// The same, where delays vary.
    blurred: Contrast,
    /// Share of the points beyond that: there should have been no tokens.
    over: f64,
    score: f64,
    /// How much better it fits than one that fills at another rate: losses' worth.
    lead: f64,
    /// The same of one that fills at nearly its rate: round trips with losses' worth, as the losses of one
    /// say the same.
    close_lead: f64,
    /// All that went beyond its rate was lost (module `excess`).
    drops_excess: bool,
}

// Where it is said how many change, the figure was moved alone over 521 directions whose path is judged, 264
// of them with losses enough for a bucket (open corpus, `tests/held-out`, captures of others): so many then
// changed their kind.

/// Fewer losses fit some bucket by chance. 2 to 6 change 2, which have none; 12 and 16 change none.
const LOSSES_MIN: usize = 8;
/// Segments; half as many losses do if they took so much. 16 and 32 change one, which has none; 128 changes
/// none.
const LOST_MIN: f64 = 64.0;
/// Segments that a deficit may be off: one that did not fit, and two that one ACK stands for. 2 and 4 change
/// none of 656 captures, 4 one of the 30 of `police.py`. (With half as much for where the bucket is empty,
/// losses of a paced sender at a policer of ten segments were told as random.)
const BLUR: f64 = 3.0;
/// The bucket is empty within such a part of it, where delays vary: 0.05 to 0.2 change none, 0 changes 3.
const EMPTY_PART: f64 = 0.1;

/// Rates so far off are others. Policers of `tests/held-out` with a lead of 1 and more were told within 12 %.
const RIVALS: [f64; 2] = [0.67, 1.5];
/// Rates that a confident verdict is to tell apart.
const NEIGHBOURS: [f64; 2] = [0.9, 1.1];
/// Capacities lie within 3 % of the rate configured (`tests/score_path.py`). 0.01 to 10 change none.
const SERVED: f64 = 0.03;
/// The share of what passed that is nearly all. 0.7 to 1 change none.
const ALWAYS: f64 = 0.9;

/// Rates tried beside that of what passed, which is up to 3 % too high, so far apart: that of a bucket which
/// is empty all the time fits within half a percent. 0.001 changes none (as in `excess`), 0.006 one policer.
const EXCESS_STEP: f64 = 0.003;

/// Whether so many losses, of so many `octets` in all, are enough to fit a bucket to.
pub(super) fn is_enough(losses: usize, octets: f64, segment: f64) -> bool {
    losses >= LOSSES_MIN || (losses >= LOSSES_MIN / 2 && octets >= LOST_MIN * segment)
}

/// `losses` are those of `curve` in order, and enough; `base` is the unloaded round trip, seconds.
/// Beyond `excess` all was lost, if there is one.
pub(super) fn fit(
    curve: &Curve,
    losses: &[Mark],
    base: f64,
    excess: Option<&Excess>,
) -> Option<Bucket> {
    let segment = curve.segment;
    let beyond = excess.map(|excess| around(excess.rate, EXCESS_STEP));
    let coarse = best(curve, rates(losses, base, segment).chain(beyond.into_iter().flatten()))?;
    let fine = best(curve, around(coarse.rate, 0.001)).unwrap_or(coarse);
    let best = best(curve, around(fine.rate, 0.0001))?;
    let drops_excess = excess.is_some_and(|excess| excess.is_at(best.rate));
    let best = Bucket { drops_excess, ..best };
    if !best.is_proven() {
        return Some(best); // Nobody asks how well its rate is told.
    }
    let lead_over = |rivals: [f64; 2]| {
        let rivals = rivals.iter().filter_map(|factor| try_rate(curve, factor * best.rate));
        best.score - rivals.map(|rival| rival.score).fold(0.0, f64::max)
    };
    let lead = lead_over(RIVALS) * len_as_f64(losses.len());
    let close_lead = lead_over(NEIGHBOURS) * best.sharp.losses;
    Some(Bucket { lead, close_lead, ..best })
}

/// A rate, and fifteen to either side of it, so far apart.
fn around(rate: f64, part: f64) -> impl Iterator<Item = f64> {
    (-15..=15).map(move |step| rate * (1.0 + part * f64::from(step)))
}

impl Bucket {
    /// The share of the losses that are its own: most. 0.6 changes none, 0.4 and 0.7 change one.
    const OWN_MIN: f64 = 0.5;
    /// Passed although the bucket was empty: reordered, or resent with nobody to tell. 0.01 to 0.06 change
    /// none, 0.1 changes one.
    const OVER_MAX: f64 = 0.03;
    /// That losses which know nothing of a bucket fit it by chance is to be less likely than one in a
    /// thousand: ln(1000). Hundreds of rates are tried, but neighbours fit alike: the best of them got to
    /// 3.7 at most in 80 flows with random loss alone (open corpus and `tests/held-out`).
    const SURE: f64 = Excess::SURE;

    /// A part of the deficit that waits: less is what a policer's burst takes on a fast line behind it. 0.05
    /// to 0.2 change none.
    const WAITS_MIN: f64 = 0.1;
    /// From here on it is a queue, whatever lies behind it. 0.1 to 0.9 change none: no policer of these has a
    /// line behind it on which its burst takes so long.
    const WAITS: f64 = 0.5;
    /// Trains so much faster than the bucket fills were not served by it. 1.1 to 2 change none, as the line
    /// before.
    const FASTER: f64 = 1.25;
    /// A shaper's losses have one cause; a queue that drops early has them at many deficits. 0.5 and 0.6
    /// change none, 0 changes 4, 0.9 changes 2.
    const SHAPED_HITS_MIN: f64 = 0.75;
    /// Tokens of a shaper beside [`TOKENS_MIN`] (2 segments change none, 8 change 3): such a part of the
    /// deficit, for a delay is not told better (0.1 to 0.4 change none, 0 one).
    const TOKENS_PART: f64 = 0.2;

    /// What the bucket belongs to; `None` if the losses do not know of it. `queued` is the median queueing
    /// delay at a loss, seconds, and `trains` the octets per second at which the slowest trains passed.
    ///
    /// What passes a queue of `burst` waits for `burst / rate` when it overflows, and for less by what
    /// a shaper lets pass at once. What passes a policer waits for none of it, but for the time that the
    /// burst takes on a slower link behind it, which trains show.
    pub(super) fn owner(&self, queued: f64, trains: Option<f64>) -> Option<Owner> {
        if !self.is_proven() {
            return None;
        }
        let waits = queued * self.rate / self.burst;
        let is_policer =
            waits < Self::WAITS_MIN || (waits < Self::WAITS && self.is_passed_faster(trains));
        Some(if is_policer { Owner::Policer } else { Owner::Queue })
    }

    /// Even the slowest trains passed so much faster than it fills that they were not served by it.
    fn is_passed_faster(&self, trains: Option<f64>) -> bool {
        trains.is_some_and(|trains| trains >= Self::FASTER * self.rate)
    }

    /// Losses know of it.
    fn is_proven(&self) -> bool {
        // By one and the same blur: a wide one takes in losses that know nothing of it, a narrow one few.
        let is_told = |by: &Contrast| by.own() >= Self::OWN_MIN && by.evidence() >= Self::SURE;
        let is_told = self.drops_excess || [self.sharp, self.blurred].iter().any(is_told);
        is_told && self.over <= Self::OVER_MAX
    }

    /// What passes a shaper at once, octets; `None` where that is no more than any queue lets pass.
    pub(super) fn tokens(&self, queued: f64, segment: f64) -> Option<f64> {
        let tokens = self.burst - queued * self.rate;
        let least = (TOKENS_MIN * segment).max(Self::TOKENS_PART * self.burst);
        let is_one = self.hits >= Self::SHAPED_HITS_MIN && self.over <= Self::OVER_MAX;
        (is_one && tokens >= least).then_some(tokens)
    }

    /// Losses tell its rate: one more at least is explained than at rates half as high again or a third
    /// lower. Where the bucket is full again before each burst, they do not.
    pub(super) fn is_rate_told(&self) -> bool {
        self.drops_excess || self.lead >= 1.0
    }

    /// Twice as much evidence as it takes, and losses tell its rate to a tenth. Once to three times as much
    /// change no kind, and how sure one is.
    pub(super) fn is_clear(&self) -> bool {
        self.evidence() >= 2.0 * Self::SURE && self.close_lead >= 1.0
    }

    /// It has no tokens when it lacks so much; `segment` is a full frame.
    pub(super) fn is_empty(&self, lacked: f64, segment: f64) -> bool {
        (lacked - self.burst).abs() <= (BLUR * segment).max(EMPTY_PART * self.burst)
    }

    /// It fills about as fast as the link is, which then is what dropped; not where `trains` passed faster.
    pub(super) fn is_at(&self, capacity: &Capacity, trains: Option<f64>) -> bool {
        capacity.is_known() && capacity.is_within(self.rate * 8.0) && !self.is_passed_faster(trains)
    }

    /// The queue of a shaper serves at the rate that the ACKs show.
    pub(super) fn is_served(&self, capacity: &Capacity) -> bool {
        let is_off = (self.rate * 8.0 / capacity.bps - 1.0).abs() > SERVED;
        !capacity.is_known() || !is_off
    }

    fn evidence(&self) -> f64 {
        self.sharp.evidence().max(self.blurred.evidence())
    }
}

/// What drops beyond the bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Policer,
    /// It serves at the bucket's rate.
    Queue,
}

/// The one that fits best.
fn best(curve: &Curve, rates: impl Iterator<Item = f64>) -> Option<Bucket> {
    let rates: Vec<f64> = rates.collect();
    let mut candidates = Vec::with_capacity(rates.len());
    curve.each_lost(&rates, |rate, lost| {
        candidates.extend(Burst::of(lost, curve.segment).map(|burst| (burst, rate)));
    });
    candidates.sort_by(|a, b| b.0.score.total_cmp(&a.0.score));
    let mut best: Option<Bucket> = None;
    for (burst, rate) in candidates {
        let is_better = |score: f64| best.is_none_or(|best| score > best.score);
        // What passed can only speak against it: no other rate gets further.
        if !is_better(burst.score) {
            break;
        }
        let is_allowed = |beyond| is_better(burst.less(beyond));
        // The first one is allowed whatever lies beyond it.
        if best.is_none() || curve.keeps_to(rate, burst.beyond(curve.segment), is_allowed) {
            best = try_rate(curve, rate).filter(|bucket| is_better(bucket.score)).or(best);
        }
    }
    best
}

/// `None` where losses need no more of a deficit than blur.
fn try_rate(curve: &Curve, rate: f64) -> Option<Bucket> {
    let found = curve.deficits(rate);
    let lost = Burst::of(&found.lost, curve.segment)?;
    let Burst { octets: burst, hits, .. } = lost;
    let sharp = BLUR * curve.segment;
    let blurred = sharp.max(EMPTY_PART * burst);
    let contrast = found.contrast(burst, sharp);
    // A bucket that nearly all met empty is none: so it looks at the rate of a line.
    if contrast.empty > ALWAYS {
        return None;
    }
    let beyond = found.beyond(lost.beyond(curve.segment));
    Some(Bucket {
        rate,
        burst,
        sharp: contrast,
        blurred: found.contrast(burst, blurred),
        hits,
        over: found.beyond(burst + blurred),
        lead: 0.0,
        close_lead: 0.0,
        drops_excess: false,
        score: lost.less(beyond),
    })
}

/// The share of `all` that is so; 0 of none.
pub(super) fn share<T>(all: &[T], is_so: impl Fn(&T) -> bool) -> f64 {
    len_as_f64(all.iter().filter(|one| is_so(one)).count()) / len_as_f64(all.len()).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nine losses at random: four are within three segments of one deficit, where few others are, and
    /// three more within a tenth of it, where a third of all is.
    #[test]
    fn a_narrow_and_a_wide_blur_prove_nothing_together() {
        let by = |hits, empty| Contrast { losses: 9.0, hits, empty };
        let bucket = |sharp, blurred| Bucket {
            rate: 435e3,
            burst: 424e3,
            hits: 0.8,
            sharp,
            blurred,
            over: 0.0,
            score: 0.75,
            lead: 4.6,
            close_lead: 5.4,
            drops_excess: false,
        };
        let (narrow, wide) = (by(4.0 / 9.0, 0.03), by(7.0 / 9.0, 0.35));
        assert!(!bucket(narrow, wide).is_proven());
        assert!(bucket(by(7.0 / 9.0, 0.03), wide).is_proven());
        assert!(bucket(narrow, by(7.0 / 9.0, 0.1)).is_proven());
    }
}

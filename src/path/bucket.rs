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

use super::capacity::{Capacity, Trust};
use super::deficit::{self, Curve, Deficits};
use super::judge;
use super::track::Mark;

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
}

/// Fewer losses fit some bucket by chance.
const LOSSES_MIN: usize = 8;
/// Segments; half as many losses do if they took so much.
const LOST_MIN: f64 = 64.0;
/// Segments that a deficit may be off: one that did not fit, and two that one ACK stands for.
const BLUR: f64 = 3.0;
/// The bucket is empty within so many segments, or such a part of it (delays that vary).
const EMPTY: f64 = 1.5;
const EMPTY_PART: f64 = 0.1;

/// Rates so far off are others. Policers of `tests/held-out` with a lead of 1 and more were told within 12 %.
const RIVALS: [f64; 2] = [0.67, 1.5];
/// Rates that a confident verdict is to tell apart.
const NEIGHBOURS: [f64; 2] = [0.9, 1.1];
/// Capacities lie within 3 % of the rate configured (`tests/score_path.py`).
const SERVED: f64 = 0.03;
/// The share of what passed that is nearly all.
const ALWAYS: f64 = 0.9;

/// Whether so many losses, of so many `octets` in all, are enough to fit a bucket to.
pub(super) fn is_enough(losses: usize, octets: f64, segment: f64) -> bool {
    losses >= LOSSES_MIN || (losses >= LOSSES_MIN / 2 && octets >= LOST_MIN * segment)
}

/// `losses` are those of `curve` in order, and enough; `base` is the unloaded round trip, seconds.
pub(super) fn fit(curve: &Curve, losses: &[Mark], base: f64) -> Option<Bucket> {
    let segment = curve.segment;
    let coarse = best(curve, rates(losses, base, segment))?;
    let fine = best(curve, around(coarse.rate, 0.001)).unwrap_or(coarse);
    let best = best(curve, around(fine.rate, 0.0001))?;
    if !best.is_proven() {
        return Some(best); // Nobody asks how well its rate is told.
    }
    let lead_over = |rivals: [f64; 2]| {
        let rivals = rivals.iter().filter_map(|factor| try_rate(curve, factor * best.rate));
        best.score - rivals.map(|rival| rival.score).fold(0.0, f64::max)
    };
    let lead = lead_over(RIVALS) * as_f64(losses.len());
    let close_lead = lead_over(NEIGHBOURS) * best.sharp.losses;
    Some(Bucket { lead, close_lead, ..best })
}

/// A rate, and fifteen to either side of it, so far apart.
fn around(rate: f64, part: f64) -> impl Iterator<Item = f64> {
    (-15..=15).map(move |step| rate * (1.0 + part * f64::from(step)))
}

impl Bucket {
    /// The share of the losses that are its own: most.
    const OWN_MIN: f64 = 0.5;
    /// Passed although the bucket was empty: reordered, or resent with nobody to tell.
    const OVER_MAX: f64 = 0.03;
    /// That losses which know nothing of a bucket fit it by chance is to be less likely than one in a
    /// thousand: ln(1000). Hundreds of rates are tried, but neighbours fit alike: the best of them got to
    /// 4.9 at most in the flows with random loss of the open corpus and of `tests/held-out`.
    const SURE: f64 = 6.9;

    /// A part of the deficit that waits: less is what a policer's burst takes on a fast line behind it.
    const WAITS_MIN: f64 = 0.1;
    /// From here on it is a queue, whatever lies behind it.
    const WAITS: f64 = 0.5;
    /// Trains so much faster than the bucket fills were not served by it.
    const FASTER: f64 = 1.25;
    /// A shaper's losses have one cause; a queue that drops early has them at many deficits.
    const SHAPED_HITS_MIN: f64 = 0.75;
    /// Tokens of a shaper: so many segments, for plain queues of Linux `tbf` show the two it needs,
    /// and such a part of the deficit, for a delay is not told better.
    const TOKENS_MIN: f64 = 4.0;
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
        let is_passed_faster = trains.is_some_and(|trains| trains >= Self::FASTER * self.rate);
        Some(if waits < Self::WAITS_MIN || (waits < Self::WAITS && is_passed_faster) {
            Owner::Policer
        } else {
            Owner::Queue
        })
    }

    /// Losses know of it.
    fn is_proven(&self) -> bool {
        let is_told = self.own() >= Self::OWN_MIN && self.evidence() >= Self::SURE;
        is_told && self.over <= Self::OVER_MAX
    }

    /// What passes a shaper at once, octets; `None` where that is no more than any queue lets pass.
    pub(super) fn tokens(&self, queued: f64, segment: f64) -> Option<f64> {
        let tokens = self.burst - queued * self.rate;
        let least = (Self::TOKENS_MIN * segment).max(Self::TOKENS_PART * self.burst);
        let is_one = self.hits >= Self::SHAPED_HITS_MIN && self.over <= Self::OVER_MAX;
        (is_one && tokens >= least).then_some(tokens)
    }

    /// Losses tell its rate: one more at least is explained than at rates half as high again or a third
    /// lower. Where the bucket is full again before each burst, they do not.
    pub(super) fn is_rate_told(&self) -> bool {
        self.lead >= 1.0
    }

    /// Twice as much evidence as it takes, and losses tell its rate to a tenth.
    pub(super) fn is_clear(&self) -> bool {
        self.evidence() >= 2.0 * Self::SURE && self.close_lead >= 1.0
    }

    /// It has no tokens when it lacks so much; `segment` is a full frame.
    pub(super) fn is_empty(&self, lacked: f64, segment: f64) -> bool {
        (lacked - self.burst).abs() <= (EMPTY * segment).max(EMPTY_PART * self.burst)
    }

    /// It fills about as fast as the link is, which then is what dropped.
    pub(super) fn is_at(&self, capacity: &Capacity) -> bool {
        capacity.trust != Trust::Doubtful && self.rate * 8.0 >= judge::LINE * capacity.bps
    }

    /// The queue of a shaper serves at the rate that the ACKs show.
    pub(super) fn is_served(&self, capacity: &Capacity) -> bool {
        let is_off = (self.rate * 8.0 / capacity.bps - 1.0).abs() > SERVED;
        capacity.trust == Trust::Doubtful || !is_off
    }

    fn own(&self) -> f64 {
        self.sharp.own().max(self.blurred.own())
    }

    fn evidence(&self) -> f64 {
        self.sharp.evidence().max(self.blurred.evidence())
    }
}

/// How often losses found the bucket empty, and how often what passed did.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Contrast {
    /// Round trips with losses.
    losses: f64,
    /// Share of their losses that found it empty.
    hits: f64,
    /// Share of the places without a loss at which it was; never 0 nor 1 (Laplace's rule of succession).
    empty: f64,
}

impl Contrast {
    /// The share of the losses that the bucket caused, if others found it empty as often as what passed:
    /// hits = own + (1 - own) empty.
    fn own(&self) -> f64 {
        (self.hits - self.empty) / (1.0 - self.empty)
    }

    /// Minus the logarithm of the chance that so many of the losses find the bucket empty if they come
    /// as they like (Chernoff's bound for the binomial distribution).
    fn evidence(&self) -> f64 {
        let (hits, empty) = (self.hits, self.empty);
        if hits <= empty {
            return 0.0;
        }
        let misses =
            if hits < 1.0 { (1.0 - hits) * ((1.0 - hits) / (1.0 - empty)).ln() } else { 0.0 };
        self.losses * (hits * (hits / empty).ln() + misses)
    }
}

/// What drops beyond the bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Policer,
    /// It serves at the bucket's rate.
    Queue,
}

/// Candidates lie so far apart; a bucket that is emptied within seconds tells its rate no better.
const STEP: f64 = 1.03;
/// Candidates on the grid: up to 31 times the mean rate.
const STEPS: i32 = 140;
/// Candidates from pairs of losses lie so far apart.
const PAIRS_STEP: f64 = 1.015;

/// Rates to try: all from half of the mean on, which a sender that is driven back each time may be far
/// below; and what passed between losses. Between some of them the bucket never was full, and that
/// went as fast as it fills; pairs far apart tell it most exactly.
fn rates(losses: &[Mark], base: f64, segment: f64) -> impl Iterator<Item = f64> {
    let rate = |from: &Mark, to: &Mark| {
        let octets = to.passed - from.passed;
        let seconds = to.sent.since(from.sent).as_secs_f64();
        (seconds >= base / 8.0 && octets >= 8.0 * segment).then(|| octets / seconds)
    };
    let mean = losses.first().zip(losses.last()).and_then(|(a, b)| rate(a, b));
    let mut rates = Vec::new();
    for lag in [1, 2, 4, 8, 16, 32] {
        let later = losses.iter().skip(lag);
        rates.extend(losses.iter().zip(later).filter_map(|(from, to)| rate(from, to)));
    }
    let mean_or_none = mean.unwrap_or_default();
    rates.retain(|rate| (0.25 * mean_or_none..=4.0 * mean_or_none).contains(rate));
    deficit::sort(&mut rates);
    let mut middles = Vec::new();
    let mut rest = rates.as_slice();
    while let Some(first) = rest.first() {
        let end = rest.partition_point(|rate| *rate < first * PAIRS_STEP);
        middles.extend(rest.get(end / 2));
        rest = rest.get(end.max(1)..).unwrap_or_default();
    }
    let grid = mean.map(|mean| (0..STEPS).map(move |step| 0.5 * mean * STEP.powi(step)));
    middles.into_iter().chain(grid.into_iter().flatten())
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
    let blur = BLUR * curve.segment;
    let sharp = EMPTY * curve.segment;
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
        over: found.beyond(burst + blurred.max(blur)),
        lead: 0.0,
        close_lead: 0.0,
        score: lost.less(beyond),
    })
}

/// The deficit at which most losses are.
struct Burst {
    octets: f64,
    /// Share of all losses.
    hits: f64,
    /// Losses at one deficit tell the rate; where delays vary, about one.
    score: f64,
}

impl Burst {
    /// `lost` in order of size; `None` where losses need no more of a deficit than blur.
    fn of(lost: &[f64], segment: f64) -> Option<Self> {
        let blur = BLUR * segment;
        let octets = mode(lost, blur).filter(|burst| *burst >= blur)?;
        let blurred = (EMPTY * segment).max(EMPTY_PART * octets);
        let hits = as_f64(near(lost, octets, blurred).len()) / as_f64(lost.len()).max(1.0);
        Some(Self { octets, hits, score: sharpness(lost, octets, blur) + 0.5 * hits })
    }

    /// More than this is beyond it.
    fn beyond(&self, segment: f64) -> f64 {
        self.octets + BLUR * segment
    }

    /// Its score, where such a share of what passed lies beyond it. That speaks against the rate much
    /// louder than a loss elsewhere, which may have other causes.
    fn less(&self, beyond: f64) -> f64 {
        self.score - 4.0 * beyond
    }
}

impl Deficits {
    fn contrast(&self, burst: f64, tolerance: f64) -> Contrast {
        let is_empty = |deficit: &f64| (deficit - burst).abs() <= tolerance;
        let count = as_f64(self.controls.len());
        Contrast {
            losses: as_f64(self.first.len()),
            hits: share(&self.first, is_empty),
            empty: (share(&self.controls, is_empty) * count + 1.0) / (count + 2.0),
        }
    }
}

/// The middle of the `width` that holds the most of what is in order, the last one of several; `None` of
/// none.
fn mode(sorted: &[f64], width: f64) -> Option<f64> {
    let (mut best, mut end) = (0..0, 0_usize);
    for (start, low) in sorted.iter().enumerate() {
        let limit = low + width;
        while sorted.get(end).is_some_and(|one| *one <= limit) {
            end = end.saturating_add(1);
        }
        if end.saturating_sub(start) >= best.len() {
            best = start..end;
        }
        if end == sorted.len() {
            break; // Those further on hold fewer.
        }
    }
    let best = sorted.get(best).filter(|best| !best.is_empty())?;
    Some(best.iter().sum::<f64>() / as_f64(best.len()))
}

/// What of all that is in order is off `middle` by no more than `width`.
fn near(sorted: &[f64], middle: f64, width: f64) -> &[f64] {
    let start = sorted.partition_point(|one| middle - one > width);
    let end = sorted.partition_point(|one| one - middle <= width);
    sorted.get(start..end).unwrap_or_default()
}

/// How well all that is in order lies at `middle`, 0 to 1: one that is off by `width` or more counts
/// nothing (Epanechnikov's kernel).
fn sharpness(sorted: &[f64], middle: f64, width: f64) -> f64 {
    let weigh = |one: &f64| (1.0 - ((one - middle) / width).powi(2)).max(0.0);
    let weighed = near(sorted, middle, width).iter();
    weighed.map(weigh).sum::<f64>() / as_f64(sorted.len()).max(1.0)
}

/// The share of `all` that is so; 0 of none.
pub(super) fn share<T>(all: &[T], is_so: impl Fn(&T) -> bool) -> f64 {
    as_f64(all.iter().filter(|one| is_so(one)).count()) / as_f64(all.len()).max(1.0)
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand at most")]
pub(super) fn as_f64(count: usize) -> f64 {
    count as f64
}

//! Do the losses fit a token bucket? A policer lets pass what finds tokens in a bucket of `burst`
//! octets that fills at `rate`, and drops the rest, without a queue.
//!
//! The deficit of the bucket follows from what passed: it grows with each octet, shrinks with time,
//! and is never below zero (RFC 2697 section 3; Linux `tcf_police_act`). All losses happen while the
//! bucket is empty, and nothing passes beyond that. Drop-tail queues fit the same curve, but what
//! passes them has waited as long as the deficit takes to serve: the round-trip time tells.
//! (Flach et al., SIGCOMM 2016, test for the same between the first and the last loss of a chunk;
//! here the bucket may fill up in between, and its rate is searched for.)

use super::losses::{Loss, Losses};
use super::track::Point;
use crate::units::Timestamp;

/// The bucket that fits best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bucket {
    /// Octets of frames per second.
    pub(super) rate: f64,
    /// Octets of frames.
    pub(super) burst: f64,
    /// Share of the losses that found it empty.
    pub(super) hits: f64,
    /// Share of the flow's points at which it was empty.
    pub(super) empty: f64,
    /// Share of the points beyond that: there should have been no tokens.
    pub(super) over: f64,
}

/// Fewer losses fit some bucket by chance.
const LOSSES_MIN: usize = 8;
/// Segments; half as many losses do if they took so much.
const LOST_MIN: f64 = 64.0;
/// Segments: ACKs stand for two, and what an ACK reports last may have passed before the loss.
const BLUR: f64 = 2.5;
/// Candidates for the rate lie so far apart, and are then refined by a fifteenth of it.
const STEP: f64 = 1.015;

/// `base` is the unloaded round trip, seconds; `segment` a full frame, octets.
pub(super) fn fit(points: &[Point], losses: &Losses, base: f64, segment: f64) -> Option<Bucket> {
    let is_many = losses.list.len() >= LOSSES_MIN
        || (losses.list.len() >= LOSSES_MIN / 2 && losses.octets >= LOST_MIN * segment);
    if !is_many {
        return None;
    }
    let steps = steps(points, losses);
    let coarse = best(&steps, rates(&losses.list, base, segment).into_iter(), segment)?;
    let fine = (-15..=15).map(|step| coarse.rate * (1.0 + (STEP - 1.0) / 15.0 * f64::from(step)));
    best(&steps, fine, segment)
}

fn best(steps: &[Step], rates: impl Iterator<Item = f64>, segment: f64) -> Option<Bucket> {
    let fits = rates.filter_map(|rate| try_rate(steps, rate, segment));
    fits.max_by(|a, b| a.score().total_cmp(&b.score()))
}

impl Bucket {
    fn score(&self) -> f64 {
        self.hits - 0.5 * self.empty - self.over
    }

    /// `queued` is the median queueing delay at a loss, seconds; `loss_rate` the share of what was
    /// sent.
    ///
    /// Found empty by its losses far more often than by the rest; or empty nearly always, which
    /// takes a sender that keeps on losing much. What passes a queue of `burst` waits for
    /// `burst / rate` when it overflows; three tenths of that may be another queue's.
    pub(super) fn is_policer(&self, queued: f64, loss_rate: f64) -> bool {
        let contrast = self.hits - self.empty;
        let is_sharp = self.hits >= 0.5 && contrast >= 0.4;
        let is_overrun = self.hits >= 0.75 && contrast >= 0.05 && loss_rate >= 0.03;
        self.over <= 0.03 && (is_sharp || is_overrun) && queued < 0.3 * self.burst / self.rate
    }
}

/// What had passed by when.
#[derive(Debug, Clone, Copy)]
struct Step {
    time: Timestamp,
    passed: f64,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// One of the points of the whole curve.
    Point,
    /// Right before a loss.
    Near,
    Loss,
}

fn steps(points: &[Point], losses: &Losses) -> Vec<Step> {
    let step = |time, passed, kind| Step { time, passed, kind };
    let all = points.iter().map(|point| step(point.time, point.passed, Kind::Point));
    let near = losses.before.iter().map(|(time, passed)| step(*time, *passed, Kind::Near));
    let lost = losses.list.iter().map(|loss| step(loss.time, loss.passed, Kind::Loss));
    let mut steps: Vec<Step> = all.chain(near).chain(lost).collect();
    steps.sort_by(|a, b| a.time.cmp(&b.time).then(a.passed.total_cmp(&b.passed)));
    steps
}

/// Rates to try: what passed between losses. Between some of them the bucket never was full, and
/// that went as fast as it fills; pairs far apart tell it most exactly.
fn rates(losses: &[Loss], base: f64, segment: f64) -> Vec<f64> {
    let rate = |from: &Loss, to: &Loss| {
        let octets = to.passed - from.passed;
        let seconds = to.time.since(from.time).as_secs_f64();
        (seconds >= base / 8.0 && octets >= 8.0 * segment).then(|| octets / seconds)
    };
    let Some(mean) = losses.first().zip(losses.last()).and_then(|(a, b)| rate(a, b)) else {
        return Vec::new();
    };
    let mut rates = Vec::new();
    for lag in [1, 2, 4, 8, 16, 32] {
        let later = losses.iter().skip(lag);
        rates.extend(losses.iter().zip(later).filter_map(|(from, to)| rate(from, to)));
    }
    rates.retain(|rate| (0.25 * mean..=4.0 * mean).contains(rate));
    rates.sort_by(f64::total_cmp);
    let mut rest = rates.as_slice();
    let mut middles = Vec::new();
    while let Some(first) = rest.first() {
        let end = rest.partition_point(|rate| *rate < first * STEP);
        middles.extend(rest.get(end / 2));
        rest = rest.get(end.max(1)..).unwrap_or_default();
    }
    middles
}

fn try_rate(steps: &[Step], rate: f64, segment: f64) -> Option<Bucket> {
    let mut before = steps.first()?;
    let mut deficit = before.passed;
    let (mut lost, mut passed) = (Vec::new(), Vec::new());
    for step in steps {
        let seconds = step.time.since(before.time).as_secs_f64();
        deficit = (deficit + step.passed - before.passed - rate * seconds).max(0.0);
        before = step;
        match step.kind {
            Kind::Point => passed.push(deficit),
            Kind::Near => {}
            Kind::Loss => lost.push(deficit),
        }
    }
    lost.sort_by(f64::total_cmp);
    let burst = lost.get(lost.len() / 2).copied().filter(|burst| *burst >= BLUR * segment)?;
    let tolerance = (BLUR * segment).max(0.1 * burst);
    let near = |deficit: &f64| (deficit - burst).abs() <= tolerance;
    Some(Bucket {
        rate,
        burst,
        hits: share(&lost, near),
        empty: share(&passed, near),
        over: share(&passed, |deficit| *deficit > burst + tolerance),
    })
}

/// The share of `all` that is so; 0 of none.
pub(super) fn share<T>(all: &[T], is_so: impl Fn(&T) -> bool) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a few thousand at most")]
    let share = all.iter().filter(|one| is_so(one)).count() as f64 / all.len().max(1) as f64;
    share
}

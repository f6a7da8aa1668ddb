//! What would a bucket that fills at a given rate have lacked at each place of a flow's curve?
//!
//! Hundreds of rates are tried, by the losses alone (see the module `legs`), which bound how well a rate
//! can fit. Of the few that may be the best, all that passed is looked at, step by step.

use super::controls::Chosen;
use super::legs::Legs;
use super::losses::{Loss, Losses};
use super::track::{Mark, Point};
use crate::units::Timestamp;

/// What had passed by when.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) at: Mark,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One of the points of the whole curve, or one kept shortly before a loss or a control.
    Passed {
        /// It counts for so many, being before as many controls.
        times: u32,
    },
    Control,
    Loss {
        /// Another one was kept less than a round trip before.
        is_more: bool,
    },
}

/// The steps of one flow, in order; `base` is the unloaded round trip, seconds. Controls are told from
/// `first` to `end`.
pub(super) fn steps(
    points: &[Point],
    losses: &Losses,
    base: f64,
    (first, end): (Timestamp, Timestamp),
) -> Vec<Step> {
    let step = |at, kind| Step { at, kind };
    let passed = |at| step(at, Kind::Passed { times: 1 });
    let all = points.iter().map(|point| passed(point.at.mark()));
    let near = losses.noted().map(|at| passed(*at));
    let is_among = |at: &Mark| at.sent >= first && at.sent <= end;
    let Chosen { controls, before } = losses.controls.chosen(is_among);
    let before = before.into_iter().map(|(at, times)| step(at, Kind::Passed { times }));
    let controls = controls.into_iter().map(|at| step(at, Kind::Control));
    let mut firsts = losses.firsts(base).peekable();
    let missing = losses.list.iter().map(|loss| {
        let is_more = firsts.next_if(|first| std::ptr::eq(*first, loss)).is_none();
        step(loss.at.mark(), Kind::Loss { is_more })
    });
    // At the same place losses and controls come behind what passed.
    let parts = all.chain(near).chain(before).chain(controls).chain(missing);
    // All but those that were noted are counted beforehand.
    let counted = parts.size_hint().0;
    let mut steps: Vec<Step> = Vec::with_capacity(counted.saturating_add(losses.noted_len()));
    steps.extend(parts);
    steps.sort_by(|a, b| a.at.sent.cmp(&b.at.sent).then(a.at.passed.total_cmp(&b.at.passed)));
    steps.dedup_by(|later, first| first.takes_in(later));
    steps
}

impl Step {
    /// Counts for what is at the same place as well, where both passed.
    fn takes_in(&mut self, later: &Self) -> bool {
        let (Kind::Passed { times }, Kind::Passed { times: more }) = (&mut self.kind, later.kind)
        else {
            return false;
        };
        let is_same = self.at == later.at;
        if is_same {
            *times = times.saturating_add(more);
        }
        is_same
    }

    /// As many as it counts for.
    pub(super) fn each(self) -> impl Iterator<Item = Self> {
        let (times, kind) = match self.kind {
            Kind::Passed { times } => (times, Kind::Passed { times: 1 }),
            other => (1, other),
        };
        (0..times).map(move |_| Self { kind, ..self })
    }
}

/// The curve of what passed, with the losses.
pub(super) struct Curve {
    steps: Vec<Move>,
    legs: Legs,
    /// How many of them are [`Kind::Passed`].
    passed: f64,
    /// How many numbers [`Deficits::passed`] has for them.
    places: usize,
    /// How many of them are [`Kind::Control`].
    controls: usize,
    /// A full frame, octets.
    pub(super) segment: f64,
}

/// From one step to the next.
struct Move {
    seconds: f64,
    /// What had passed before, and after it, octets.
    before: f64,
    after: f64,
    kind: Kind,
}

impl Move {
    /// How many of [`Kind::Passed`] it is.
    fn times(&self) -> u32 {
        if let Kind::Passed { times } = self.kind { times } else { 0 }
    }
}

impl Curve {
    /// Of one flow with losses; `base` is the unloaded round trip, seconds; `segment` a full frame,
    /// octets.
    pub(super) fn new(points: &[Point], losses: &Losses, base: f64, segment: f64) -> Self {
        // Of a path that changes, the part without any loss tells nothing.
        let sent = |loss: Option<&Loss>| loss.map(|loss| loss.at.sent).unwrap_or_default();
        let among = (sent(losses.list.first()), sent(losses.list.last()));
        Self::of(&steps(points, losses, base, among), segment)
    }

    pub(super) fn of(steps: &[Step], segment: f64) -> Self {
        let froms = steps.first().into_iter().chain(steps);
        let moves = froms.zip(steps).map(|(from, to)| Move {
            seconds: to.at.sent.since(from.at.sent).as_secs_f64(),
            before: from.at.passed,
            after: to.at.passed,
            kind: to.kind,
        });
        let moves: Vec<Move> = moves.collect();
        let passed = moves.iter().map(|step| f64::from(step.times())).sum();
        let places = moves.iter().map(|step| step.times().min(2) as usize).sum();
        let controls = moves.iter().filter(|step| step.kind == Kind::Control).count();
        let mut legs = Legs::default();
        for leg in moves.split_inclusive(|step| matches!(step.kind, Kind::Loss { .. })) {
            let is_whole = leg.last().is_some_and(|step| matches!(step.kind, Kind::Loss { .. }));
            if is_whole {
                legs.push(leg.iter().rev().map(|step| (step.after - step.before, step.seconds)));
            }
        }
        Self { steps: moves, legs, passed, places, controls, segment }
    }

    /// What a bucket that is full before the first step lacks there.
    fn start(&self) -> f64 {
        self.steps.first().map_or(0.0, |first| first.before)
    }

    /// Calls `take` with each of `rates` and what the bucket lacked at the losses, in order of size.
    pub(super) fn each_lost(&self, rates: &[f64], mut take: impl FnMut(f64, &[f64])) {
        self.legs.each(self.start(), rates, |rate, lost| {
            sort(lost);
            take(rate, lost);
        });
    }

    /// What a bucket of this rate lacks after each step.
    pub(super) fn lacked(&self, rate: f64) -> impl Iterator<Item = f64> {
        let mut lacked = self.start();
        self.steps.iter().map(move |step| {
            lacked = after(lacked, rate, step);
            lacked
        })
    }

    pub(super) fn deficits(&self, rate: f64) -> Deficits {
        let losses = self.legs.len();
        let mut found = Deficits {
            passed: Vec::with_capacity(self.places),
            passed_count: self.passed,
            controls: Vec::with_capacity(self.controls),
            lost: Vec::with_capacity(losses),
            first: Vec::with_capacity(losses),
        };
        let mut lacked = self.start();
        for step in &self.steps {
            lacked = after(lacked, rate, step);
            match step.kind {
                Kind::Passed { times } => {
                    found.passed.push((lacked, 1.0));
                    if times > 1 {
                        lacked = again(lacked, step);
                        found.passed.push((lacked, f64::from(times.saturating_sub(1))));
                    }
                }
                Kind::Control => found.controls.push(lacked),
                Kind::Loss { is_more } => {
                    found.lost.push(lacked);
                    found.first.extend((!is_more).then_some(lacked));
                }
            }
        }
        sort(&mut found.lost);
        found
    }

    /// Whether `is_allowed` says so of the share of what passed that lacked more than `limit`. If it allows
    /// a share, it allows all smaller ones: so the answer mostly comes long before the end.
    pub(super) fn keeps_to(&self, rate: f64, limit: f64, is_allowed: impl Fn(f64) -> bool) -> bool {
        let mut lacked = self.start();
        let mut beyond = 0.0;
        let all = self.passed.max(1.0);
        self.steps.iter().all(|step| {
            lacked = after(lacked, rate, step);
            let times = step.times();
            let mut more = f64::from(u8::from(lacked > limit && times > 0));
            if times > 1 {
                lacked = again(lacked, step);
                more += f64::from(times.saturating_sub(1)) * f64::from(u8::from(lacked > limit));
            }
            beyond += more;
            more == 0.0 || is_allowed(beyond / all)
        })
    }
}

/// What a bucket lacks after a step that it began `lacked` octets short of full.
#[inline]
fn after(lacked: f64, rate: f64, step: &Move) -> f64 {
    let lacked = lacked + step.after - step.before - rate * step.seconds;
    // Never -0: it is sorted by its bits.
    if lacked > 0.0 { lacked } else { 0.0 }
}

/// What a bucket lacks at the same place once more, to the last digit.
#[inline]
fn again(lacked: f64, step: &Move) -> f64 {
    let lacked = lacked + step.after - step.after;
    if lacked > 0.0 { lacked } else { 0.0 }
}

/// Sorts what is never below zero: by its bits, which is several times as fast.
pub(super) fn sort(all: &mut [f64]) {
    all.sort_unstable_by_key(|one| one.to_bits());
}

/// What the bucket lacked at each place.
#[derive(Debug)]
pub(super) struct Deficits {
    /// With how many it stands for.
    passed: Vec<(f64, f64)>,
    /// How many these are.
    passed_count: f64,
    pub(super) controls: Vec<f64>,
    /// In order of size.
    pub(super) lost: Vec<f64>,
    /// At the first loss of each round trip that had some: those that follow go by the first.
    pub(super) first: Vec<f64>,
}

impl Deficits {
    /// The share of what passed that lacked more.
    pub(super) fn beyond(&self, limit: f64) -> f64 {
        let beyond = self.passed.iter().filter(|(lacked, _)| *lacked > limit);
        beyond.map(|(_, times)| times).sum::<f64>() / self.passed_count.max(1.0)
    }
}

//! What would a bucket that fills at a given rate have lacked at each place of a flow's curve?
//!
//! Hundreds of rates are tried. A step along the curve waits for the one before it, but not for those of
//! other rates: several go along together, by the losses alone, which bound how well a rate can fit. Of
//! the few that may be the best, all that passed is looked at.

use super::losses::Losses;
use super::track::{Place, Point};

/// What had passed by when.
#[derive(Debug, Clone, Copy)]
struct Step {
    at: Place,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// One of the points of the whole curve, or one kept shortly before a loss or a control.
    Passed,
    Control,
    Loss {
        /// Another one was kept less than a round trip before.
        is_more: bool,
    },
}

fn steps(points: &[Point], losses: &Losses, base: f64) -> Vec<Step> {
    let step = |at, kind| Step { at, kind };
    let all = points.iter().map(|point| step(point.at, Kind::Passed));
    let near = losses.noted.iter().map(|at| step(*at, Kind::Passed));
    // Of a path that changes, the part without any loss tells nothing.
    let first = losses.list.first().map(|loss| loss.at.sent);
    let end = losses.list.last().map(|loss| loss.at.sent);
    let is_among = |at: &Place| Some(at.sent) >= first && Some(at.sent) <= end;
    let among = losses.controls.list.iter().filter(|(at, _)| is_among(at));
    let controls = among.flat_map(|(at, before)| {
        let near = before.iter().map(|at| step(*at, Kind::Passed));
        near.chain(std::iter::once(step(*at, Kind::Control)))
    });
    let mut firsts = losses.firsts(base).peekable();
    let missing = losses.list.iter().map(|loss| {
        let is_more = firsts.next_if(|first| std::ptr::eq(*first, loss)).is_none();
        step(loss.at, Kind::Loss { is_more })
    });
    let mut steps: Vec<Step> = all.chain(near).chain(controls).chain(missing).collect();
    steps.sort_by(|a, b| a.at.sent.cmp(&b.at.sent).then(a.at.passed.total_cmp(&b.at.passed)));
    steps
}

/// Rates that go along the curve together: four registers of two numbers (SSE2).
const LANES: usize = 8;

/// The curve of what passed, with the losses.
pub(super) struct Curve {
    steps: Vec<Move>,
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

impl Curve {
    /// `base` is the unloaded round trip, seconds; `segment` a full frame, octets.
    pub(super) fn new(points: &[Point], losses: &Losses, base: f64, segment: f64) -> Self {
        let steps = steps(points, losses, base);
        let froms = steps.first().into_iter().chain(&steps);
        let moves = froms.zip(&steps).map(|(from, to)| Move {
            seconds: to.at.sent.since(from.at.sent).as_secs_f64(),
            before: from.at.passed,
            after: to.at.passed,
            kind: to.kind,
        });
        Self { steps: moves.collect(), segment }
    }

    /// What a bucket that is full before the first step lacks there.
    fn start(&self) -> f64 {
        self.steps.first().map_or(0.0, |first| first.before)
    }

    /// Calls `take` with each of `rates` and what the bucket lacked at the losses, in order of size.
    pub(super) fn each_lost(&self, rates: &[f64], mut take: impl FnMut(f64, &[f64])) {
        let mut lost = Vec::new();
        let mut column = Vec::new();
        for rates in rates.chunks(LANES) {
            let mut lanes = [0.0; LANES];
            lanes.iter_mut().zip(rates).for_each(|(lane, rate)| *lane = *rate);
            self.walk(&lanes, &mut lost);
            for (lane, rate) in rates.iter().enumerate() {
                column.clear();
                column.extend(lost.iter().filter_map(|lacked: &[f64; LANES]| lacked.get(lane)));
                column.sort_by(f64::total_cmp);
                take(*rate, &column);
            }
        }
    }

    /// What buckets of these rates lack at each loss.
    fn walk(&self, rates: &[f64; LANES], lost: &mut Vec<[f64; LANES]>) {
        lost.clear();
        let mut lacked = [self.start(); LANES];
        for step in &self.steps {
            for (lacked, rate) in lacked.iter_mut().zip(rates) {
                *lacked = after(*lacked, *rate, step);
            }
            if matches!(step.kind, Kind::Loss { .. }) {
                lost.push(lacked);
            }
        }
    }

    pub(super) fn deficits(&self, rate: f64) -> Deficits {
        let mut lacked = self.start();
        let mut found = Deficits::default();
        for step in &self.steps {
            lacked = after(lacked, rate, step);
            match step.kind {
                Kind::Passed => found.passed.push(lacked),
                Kind::Control => found.controls.push(lacked),
                Kind::Loss { is_more } => {
                    found.lost.push(lacked);
                    found.first.extend((!is_more).then_some(lacked));
                }
            }
        }
        found.lost.sort_by(f64::total_cmp);
        found
    }
}

/// What a bucket lacks after a step that it began `lacked` octets short of full.
#[inline]
fn after(lacked: f64, rate: f64, step: &Move) -> f64 {
    (lacked + step.after - step.before - rate * step.seconds).max(0.0)
}

/// What the bucket lacked at each place.
#[derive(Debug, Default)]
pub(super) struct Deficits {
    pub(super) passed: Vec<f64>,
    pub(super) controls: Vec<f64>,
    /// In order of size.
    pub(super) lost: Vec<f64>,
    /// At the first loss of each round trip that had some: those that follow go by the first.
    pub(super) first: Vec<f64>,
}

//! The curves of several flows, added up.

use super::super::deficit::Step;
use super::super::track::Mark;
use crate::units::Timestamp;

/// Adds the curves of `count` flows up: the steps of all in order, with what all had passed by then.
pub(super) fn added(mut parts: Vec<(usize, Step)>, count: usize) -> (Vec<usize>, Vec<Step>) {
    let order = |place: &Mark| (place.sent, place.passed);
    parts.sort_by(|(a, from), (b, to)| {
        let (from, to) = (order(&from.at), order(&to.at));
        from.0.cmp(&to.0).then(a.cmp(b)).then(from.1.total_cmp(&to.1))
    });
    // Octets per second from each step to the next of the same flow.
    let mut slopes = vec![0.0; parts.len()];
    let mut nexts: Vec<Option<Mark>> = vec![None; count];
    for ((owner, step), slope) in parts.iter().zip(&mut slopes).rev() {
        let Some(next) = nexts.get_mut(*owner) else { continue };
        if let Some(next) = next.replace(step.at) {
            let seconds = next.sent.since(step.at.sent).as_secs_f64();
            if seconds > 0.0 {
                *slope = (next.passed - step.at.passed) / seconds;
            }
        }
    }
    let mut runs = vec![Run::default(); count];
    let (mut total, mut slope_sum) = (0.0, 0.0);
    let mut now = parts.first().map(|(_, step)| step.at.sent).unwrap_or_default();
    for ((owner, step), slope) in parts.iter_mut().zip(slopes) {
        let Some(run) = runs.get_mut(*owner) else { continue };
        total += slope_sum * step.at.sent.since(now).as_secs_f64();
        now = step.at.sent;
        total += step.at.passed - run.by(now);
        slope_sum += slope - run.slope;
        *run = Run { at: now, passed: step.at.passed, slope };
        step.at.passed = total;
    }
    parts.into_iter().unzip()
}

/// How one flow goes on from its last step.
#[derive(Debug, Default, Clone, Copy)]
struct Run {
    at: Timestamp,
    passed: f64,
    slope: f64,
}

impl Run {
    fn by(&self, now: Timestamp) -> f64 {
        self.passed + self.slope * now.since(self.at).as_secs_f64()
    }
}

//! How well does a law predict an epoch's windows from its first one?

use super::law::{self, Grower, Law, Origin, Step};
use super::samples::Sample;

/// How far the windows of one epoch are from a law's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fit {
    pub(crate) law: Law,
    /// Root mean square of the distances, in units of what a sample may be off.
    pub(crate) misfit: f64,
    /// How far the first window is from what the law leaves at a back-off, in the same units; `None`
    /// where there was none.
    pub(crate) back_off: Option<f64>,
}

impl Fit {
    /// Further off than three times what a sample may be, it is another law. Twice and five times change the
    /// law told of single epochs in 15 and 18 of 203 directions with a class, and no class (see `identify`).
    pub(super) fn is_near(&self) -> bool {
        self.misfit <= 3.0
    }
}

/// All laws, each with the best of what its start may have been; `aims` are the windows that it may
/// aim at.
pub(super) fn all(samples: &[Sample], origin: Origin, aims: &[Option<f64>]) -> Vec<Fit> {
    let pairs = samples.windows(2).fold(0.0, |count, _| count + 1.0);
    let of = |law: Law| {
        let aims = if law.has_aim() { aims } else { aims.get(..1).unwrap_or_default() };
        let aimed = aims.iter().map(|aim| Origin { aim: *aim, ..origin });
        let nearest = nearest(samples, law, &aimed);
        let back_offs = aimed.filter_map(|origin| back_off(samples, law, origin));
        Fit {
            law,
            misfit: if pairs > 0.0 { f64::sqrt(nearest / pairs) } else { 0.0 },
            back_off: back_offs.min_by(f64::total_cmp),
        }
    };
    Law::ALL.map(of).to_vec()
}

/// A sample is off by up to one segment, which is what the pipe lacks of the window. The likeliest first:
/// of the others no more is gone through than it takes to see that they are worse.
const SHIFTS: [f64; 3] = [0.0, -1.0, 1.0];

/// The least sum of squared distances, of all that a start and an aim may have been.
fn nearest(samples: &[Sample], law: Law, aimed: &(impl Iterator<Item = Origin> + Clone)) -> f64 {
    let mut least = f64::INFINITY;
    for shift in SHIFTS {
        for origin in aimed.clone() {
            let found = squares(samples, law, origin.shifted(shift), least);
            least = least.min(found.sum);
            if !found.is_aimed {
                break; // Whatever else it aims at, it goes the same way.
            }
        }
    }
    least
}

/// From the window before the loss through the back-off to the first sample.
fn back_off(samples: &[Sample], law: Law, origin: Origin) -> Option<f64> {
    let (before, sample) = (origin.before?, samples.first()?);
    let zero = Sample { time: 0.0, acked: 0.0, acks: 0.0, ..*sample };
    let [low, high] = law::left(law, before).map(|left| {
        let first = before * left;
        let mut grower = Grower::new(law, Origin { first, ..origin });
        advance(&mut grower, first, (&zero, sample))
    });
    // Both windows are off.
    let tolerance = 2.0 * tolerance(sample.window);
    Some((low - sample.window).max(sample.window - high).max(0.0) / tolerance)
}

/// How far a law went astray.
struct Squares {
    /// Of all distances; once it is no longer below the least known, what it is by then.
    sum: f64,
    /// See [`Grower::is_aimed`].
    is_aimed: bool,
}

/// Each law has the loop to itself, in which the compiler knows it: what it does not ask for is not reckoned,
/// and nothing is asked for each step (half of the instructions of all epochs, `.ci/instructions.py`).
fn squares(samples: &[Sample], law: Law, origin: Origin, least: f64) -> Squares {
    let of = Grower::new;
    match law {
        Law::Reno => go(samples, of(Law::Reno, origin), least),
        Law::Veno => go(samples, of(Law::Veno, origin), least),
        Law::HighSpeed => go(samples, of(Law::HighSpeed, origin), least),
        Law::Scalable => go(samples, of(Law::Scalable, origin), least),
        Law::Bic => go(samples, of(Law::Bic, origin), least),
        Law::Cubic => go(samples, of(Law::Cubic, origin), least),
        Law::Htcp => go(samples, of(Law::Htcp, origin), least),
        Law::Illinois => go(samples, of(Law::Illinois, origin), least),
        Law::Vegas => go(samples, of(Law::Vegas, origin), least),
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "where it is called the law is known")]
fn go(samples: &[Sample], mut grower: Grower, least: f64) -> Squares {
    let mut window = grower.first();
    let mut sum = 0.0;
    for pair in samples.windows(2) {
        let [from, to] = pair else { continue };
        window = advance(&mut grower, window, (from, to));
        let off = (window - to.window) / tolerance(to.window);
        sum += off * off;
        if sum >= least {
            break;
        }
    }
    Squares { sum, is_aimed: grower.is_aimed() }
}

/// The window one sample later.
#[inline(always)]
#[expect(clippy::inline_always, reason = "where it is called the law is known")]
fn advance(grower: &mut Grower, window: f64, (from, to): (&Sample, &Sample)) -> f64 {
    let steps = grower.steps();
    let part = 1.0 / f64::from(steps);
    let mut window = window;
    for index in 0..steps {
        let place = (f64::from(index) + 0.5) * part;
        let step = Step {
            acked: (to.acked - from.acked) * part,
            acks: (to.acks - from.acks) * part,
            time: from.time + (to.time - from.time) * place,
            sample: to,
        };
        window = (window + grower.grow(window, &step)).max(1.0);
    }
    window
}

/// What a sample may be off: half a segment, and a hundredth for larger sends. (Measured against
/// Linux 6.12 of known congestion control: half of the epochs are within half of that.)
fn tolerance(window: f64) -> f64 {
    0.5 + 0.01 * window
}

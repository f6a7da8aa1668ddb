//! What does a bucket lack at each loss, for hundreds of rates? From one loss to the next it follows from
//! what was lacked at the first: that, and what passed, less what the bucket was filled with; but no less
//! than what passed since any place between them, less what it was filled with since then, for at the
//! last of the places at which it was full it lacked nothing. Each of these bounds is a straight line over
//! the rate, and only few of them are the highest anywhere: the upper envelope of all is made once, and
//! each rate goes from loss to loss instead of from step to step. Sums go another way round than step by
//! step, so the last digits differ.

/// Rates that go along together: four registers of two numbers (SSE2).
const LANES: usize = 8;

/// The ways from loss to loss.
#[derive(Debug, Default)]
pub(super) struct Legs {
    legs: Vec<Leg>,
    /// Of all legs in order, each one's by falling rate of where it is the highest.
    bounds: Vec<Line>,
}

/// From a loss to the next.
#[derive(Debug)]
struct Leg {
    /// All that passed, and all its time.
    whole: Line,
    /// How many of [`Legs::bounds`] are its.
    bounds: usize,
}

/// Octets that passed in a time: what a bucket of any rate lacks after it that was full before.
#[derive(Debug, Default, Clone, Copy)]
struct Line {
    octets: f64,
    seconds: f64,
}

impl Line {
    #[inline]
    fn at(self, rate: f64) -> f64 {
        self.octets - rate * self.seconds
    }

    /// The rate at which it is as high as a flatter one.
    fn crosses(self, flatter: Self) -> f64 {
        (self.octets - flatter.octets) / (self.seconds - flatter.seconds)
    }
}

impl Legs {
    /// How many there are: one for each loss.
    pub(super) fn len(&self) -> usize {
        self.legs.len()
    }

    /// Adds a leg of these steps, each the octets that passed and the seconds that it took, from the last
    /// to the first.
    pub(super) fn push(&mut self, steps: impl Iterator<Item = (f64, f64)>) {
        let start = self.bounds.len();
        let mut whole = Line::default();
        for (octets, seconds) in steps {
            // Full after this step.
            self.bound(start, whole);
            whole.octets += octets;
            whole.seconds += seconds;
        }
        self.legs.push(Leg { whole, bounds: self.bounds.len().saturating_sub(start) });
    }

    /// Takes a line that is steeper than those from `start` on into their upper envelope.
    fn bound(&mut self, start: usize, line: Line) {
        loop {
            let lines = self.bounds.get(start..).unwrap_or_default();
            let Some((&last, rest)) = lines.split_last() else { break };
            if line.octets <= last.octets {
                return; // Lower at every rate.
            }
            let is_hidden = line.seconds <= last.seconds
                || rest.last().is_some_and(|before| line.crosses(last) >= last.crosses(*before));
            if !is_hidden {
                break;
            }
            self.bounds.pop();
        }
        self.bounds.push(line);
    }

    /// Calls `take` with each of `rates` and what the bucket lacked at the losses, in their order, having
    /// lacked `start` before the first step.
    pub(super) fn each(&self, start: f64, rates: &[f64], mut take: impl FnMut(f64, &mut Vec<f64>)) {
        let mut lost = Vec::with_capacity(self.legs.len());
        let mut column = Vec::with_capacity(self.legs.len());
        for rates in rates.chunks(LANES) {
            let mut lanes = [0.0; LANES];
            lanes.iter_mut().zip(rates).for_each(|(lane, rate)| *lane = *rate);
            self.walk(start, &lanes, &mut lost);
            for (lane, rate) in rates.iter().enumerate() {
                column.clear();
                column.extend(lost.iter().filter_map(|lacked: &[f64; LANES]| lacked.get(lane)));
                take(*rate, &mut column);
            }
        }
    }

    fn walk(&self, start: f64, rates: &[f64; LANES], lost: &mut Vec<[f64; LANES]>) {
        lost.clear();
        let mut lacked = [start; LANES];
        let mut rest = self.bounds.as_slice();
        for leg in &self.legs {
            let (bounds, behind) = rest.split_at_checked(leg.bounds).unwrap_or_default();
            rest = behind;
            for (lacked, rate) in lacked.iter_mut().zip(rates) {
                *lacked = higher(*lacked + leg.whole.at(*rate), 0.0);
            }
            for bound in bounds {
                for (lacked, rate) in lacked.iter_mut().zip(rates) {
                    *lacked = higher(bound.at(*rate), *lacked);
                }
            }
            lost.push(lacked);
        }
    }
}

/// The higher one; the other one where `one` is no number. Never -0 if that is 0.
#[inline]
fn higher(one: f64, other: f64) -> f64 {
    if one > other { one } else { other }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a bucket that goes step by step.
        #[test]
        fn gives_what_a_bucket_lacks_step_by_step(
            legs in prop::collection::vec(
                prop::collection::vec((0_u32..3000, 0_u32..4), 1..30), 1..6),
            start in 0_u32..5000,
        ) {
            let numbers = |step: &(u32, u32)| (f64::from(step.0), f64::from(step.1));
            let mut all = Legs::default();
            for leg in &legs {
                all.push(leg.iter().rev().map(numbers));
            }
            let rates: Vec<f64> = (1..20).map(|rate| f64::from(rate) * 150.0).collect();
            all.each(f64::from(start), &rates, |rate, lost| {
                let mut lacked = f64::from(start);
                for (leg, lost) in legs.iter().zip(lost) {
                    for (octets, seconds) in leg.iter().map(numbers) {
                        lacked = (lacked + octets - rate * seconds).max(0.0);
                    }
                    assert!((lacked - *lost).abs() < 1e-6, "{lacked} {lost} at {rate}");
                }
            });
        }
    }

    /// Of a hundred even steps none but the last place and the first can be the highest.
    #[test]
    fn few_bounds_are_kept() {
        let mut legs = Legs::default();
        legs.push((0..100).map(|_| (1000.0, 1.0)));
        assert!(legs.bounds.len() <= 2, "{:?}", legs.bounds);
    }
}

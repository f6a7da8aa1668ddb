//! `tcp_illinois.c`: ten segments more per round trip while there is no queue, down to 0.3 where the
//! delay is the largest known.

use crate::congestion::samples::Sample;

/// The sender's alpha, which it sets anew once per round trip.
#[derive(Debug, Clone, Copy)]
pub(super) struct Illinois {
    /// In use, and from the next round trip on.
    alpha: f64,
    next: f64,
    /// The delay has passed its first threshold (`rtt_above`).
    is_above: bool,
    /// Round trips below it since (`rtt_low`).
    low_rounds: u32,
    /// Time of the last sample.
    seen: f64,
}

impl Illinois {
    /// A back-off leaves alpha as it was; an overflow in slow start leaves it small.
    pub(super) fn after(earlier: Option<Sample>) -> Self {
        let is_above = earlier.is_none();
        let alpha = if is_above { ALPHA_MIN } else { ALPHA_MAX };
        let mut state = Self { alpha, next: alpha, is_above, low_rounds: 0, seen: f64::NAN };
        if let Some(sample) = earlier {
            state.update(&sample);
            (state.alpha, state.seen) = (state.next, f64::NAN);
        }
        state
    }

    /// Segments per round trip, in the round trip that ends with `sample`.
    pub(super) fn alpha(&mut self, window: f64, sample: &Sample) -> f64 {
        if self.seen.total_cmp(&sample.time).is_ne() {
            self.alpha = self.next;
            self.update(sample);
        }
        // `win_thresh`.
        if window < WINDOW_MIN { 1.0 } else { self.alpha }
    }

    /// `alpha()`.
    fn update(&mut self, sample: &Sample) {
        self.seen = sample.time;
        let largest = sample.max_rtt - sample.base_rtt;
        let delay = sample.rtt_mean - sample.base_rtt;
        let low = largest / 100.0;
        if delay > low {
            self.is_above = true;
            let slope = (ALPHA_MAX - ALPHA_MIN) / ALPHA_MIN;
            let range = largest - low;
            self.next = range * ALPHA_MAX / (range + (delay - low) * slope).max(1e-9);
            return;
        }
        self.low_rounds = self.low_rounds.saturating_add(1);
        if !self.is_above || self.low_rounds >= THETA {
            (self.is_above, self.low_rounds) = (false, 0);
            self.next = ALPHA_MAX;
        }
    }
}

const WINDOW_MIN: f64 = 15.0;
const ALPHA_MIN: f64 = 0.3;
const ALPHA_MAX: f64 = 10.0;
const THETA: u32 = 5;

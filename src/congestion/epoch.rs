//! From one back-off to the next: what the window was before and after, and which laws fit between.

use serde::Serialize;

use super::fit::Fit;
use crate::units::{Duration, Timestamp, as_f64};

/// What made a sender reduce its window, or stop doubling it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BackOff {
    /// Slow start ended without a loss: no back-off.
    SlowStart,
    /// A loss, repaired by fast recovery.
    Loss,
    /// The retransmission timer.
    Timeout,
    /// A congestion mark.
    Ecn,
}

/// The window from the end of a back-off to the next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Epoch {
    /// When the repair was over and the window began to grow.
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    /// What came before it.
    pub(crate) after: BackOff,
    /// Window before the back-off, segments; `None` after slow start.
    pub(crate) before: Option<f64>,
    /// Window of the first and the last round trip, segments.
    pub(crate) first: f64,
    pub(crate) last: f64,
    /// Round trips.
    pub(crate) rounds: u64,
    /// Time and whole round trips until the window was again what it had been.
    pub(crate) regained: Option<(Duration, u64)>,
    /// Round trips in which the window fell by a tenth, though nothing was lost.
    pub(crate) falls: u64,
    /// Segments that queued on the way, by its round-trip times, mean.
    pub(crate) queued: f64,
    /// By law; none where no law is asked for (see [`is_usable`](super::is_usable)).
    pub(crate) fits: Vec<Fit>,
}

impl Epoch {
    /// The part of the window that the back-off left.
    pub(crate) fn left(&self) -> Option<f64> {
        Some(self.first / self.before?)
    }

    /// The law nearest to its windows, if any is near.
    pub(crate) fn nearest(&self) -> Option<&Fit> {
        let nearest = self.fits.iter().min_by(|a, b| a.misfit.total_cmp(&b.misfit));
        nearest.filter(|fit| fit.is_near() && self.shows_growth())
    }

    /// Its largest window, the one before the back-off included, segments.
    pub(crate) fn largest(&self) -> f64 {
        self.before.unwrap_or_default().max(self.first).max(self.last)
    }

    /// How much its growth counts: by its round trips, up to sixteen.
    pub(super) fn weight(&self) -> f64 {
        // Up to eight changes the class of 4 of 203 directions, any number that of one (see `identify`).
        as_f64(self.rounds.min(16))
    }

    /// In fewer round trips all laws grow alike. 6 and 8 change no class, 3 and 4 change 4.
    pub(crate) fn shows_growth(&self) -> bool {
        self.rounds >= 5
    }
}

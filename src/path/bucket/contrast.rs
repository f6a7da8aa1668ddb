//! Do losses know of the bucket, or does what passed find it empty as often?

use super::super::deficit::Deficits;
use super::share;
use crate::units::len_as_f64;

/// How often losses found the bucket empty, and how often what passed did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Contrast {
    /// Round trips with losses.
    pub(super) losses: f64,
    /// Share of their losses that found it empty.
    pub(super) hits: f64,
    /// Share of the places without a loss at which it was; never 0 nor 1 (Laplace's rule of succession).
    pub(super) empty: f64,
}

impl Contrast {
    /// The share of the losses that the bucket caused, if others found it empty as often as what passed:
    /// hits = own + (1 - own) empty.
    pub(super) fn own(&self) -> f64 {
        (self.hits - self.empty) / (1.0 - self.empty)
    }

    /// Minus the logarithm of the chance that so many of the losses find the bucket empty if they come
    /// as they like (Chernoff's bound for the binomial distribution).
    pub(super) fn evidence(&self) -> f64 {
        let (hits, empty) = (self.hits, self.empty);
        if hits <= empty {
            return 0.0;
        }
        let misses =
            if hits < 1.0 { (1.0 - hits) * ((1.0 - hits) / (1.0 - empty)).ln() } else { 0.0 };
        self.losses * (hits * (hits / empty).ln() + misses)
    }
}

impl Deficits {
    pub(super) fn contrast(&self, burst: f64, tolerance: f64) -> Contrast {
        let is_empty = |deficit: &f64| (deficit - burst).abs() <= tolerance;
        let count = len_as_f64(self.controls.len());
        Contrast {
            losses: len_as_f64(self.first.len()),
            hits: share(&self.first, is_empty),
            empty: (share(&self.controls, is_empty) * count + 1.0) / (count + 2.0),
        }
    }
}

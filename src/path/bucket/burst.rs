//! At which deficit are most of the losses?

use super::{BLUR, EMPTY_PART};
use crate::units::len_as_f64;

/// What a loss within the wider blur adds to the score. Moved as in [`super`]: 0 to 1 change no kind, 2
/// changes one.
const HIT: f64 = 0.5;
/// How much what passed beyond the bucket speaks against it. 1 to 16 change no kind, 0 changes one.
const BEYOND: f64 = 4.0;

/// The deficit at which most losses are.
pub(super) struct Burst {
    pub(super) octets: f64,
    /// Share of all losses.
    pub(super) hits: f64,
    /// Losses at one deficit tell the rate; where delays vary, about one.
    pub(super) score: f64,
}

impl Burst {
    /// `lost` in order of size; `None` where losses need no more of a deficit than blur.
    pub(super) fn of(lost: &[f64], segment: f64) -> Option<Self> {
        let blur = BLUR * segment;
        let octets = mode(lost, blur).filter(|burst| *burst >= blur)?;
        let blurred = blur.max(EMPTY_PART * octets);
        let hits = len_as_f64(near(lost, octets, blurred).len()) / len_as_f64(lost.len()).max(1.0);
        Some(Self { octets, hits, score: sharpness(lost, octets, blur) + HIT * hits })
    }

    /// More than this is beyond it.
    pub(super) fn beyond(&self, segment: f64) -> f64 {
        self.octets + BLUR * segment
    }

    /// Its score, where such a share of what passed lies beyond it. That speaks against the rate much
    /// louder than a loss elsewhere, which may have other causes.
    pub(super) fn less(&self, beyond: f64) -> f64 {
        self.score - BEYOND * beyond
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
    Some(best.iter().sum::<f64>() / len_as_f64(best.len()))
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
    weighed.map(weigh).sum::<f64>() / len_as_f64(sorted.len()).max(1.0)
}

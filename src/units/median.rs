//! The middle of several.

/// The middle one of the values in order, the higher of two; `None` of none.
pub(crate) fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

//! Whole numbers below and above, in a handful of instructions. Processors round by themselves only from
//! SSE4.1 on; a program for all of x86-64 calls a function of the mathematical library for it.

/// From here on an `f64` has no fraction, and what is added to it loses its own.
const NO_FRACTION: f64 = 4_503_599_627_370_496.0; // 2^52

/// The largest whole number that is not above `value`.
#[inline]
pub(crate) fn floor(value: f64) -> f64 {
    match nearest(value) {
        Some(near) if near > value => near - 1.0,
        Some(near) => near,
        None => value.floor(),
    }
}

/// The smallest whole number that is not below `value`.
#[inline]
pub(crate) fn ceil(value: f64) -> f64 {
    match nearest(value) {
        Some(near) if near < value => near + 1.0,
        Some(near) => near,
        None => value.ceil(),
    }
}

/// By what the addition rounds away; `None` where that is not so.
#[inline]
fn nearest(value: f64) -> Option<f64> {
    (value > 0.0 && value < NO_FRACTION).then_some((value + NO_FRACTION) - NO_FRACTION)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn assert_as_the_standard_library(value: f64) {
        assert_eq!(floor(value).to_bits(), value.floor().to_bits(), "floor of {value}");
        assert_eq!(ceil(value).to_bits(), value.ceil().to_bits(), "ceil of {value}");
    }

    #[test]
    fn edges_are_as_in_the_standard_library() {
        let edges =
            [0.0, 0.25, 0.5, 1.0, 1.5, 2.5, NO_FRACTION - 0.5, NO_FRACTION, 1e300, f64::INFINITY];
        let near = |edge: f64| {
            [-1, 0, 1].map(|off| f64::from_bits(edge.to_bits().saturating_add_signed(off)))
        };
        for value in edges.into_iter().flat_map(near) {
            assert_as_the_standard_library(value);
            assert_as_the_standard_library(-value);
        }
    }

    proptest! {
        #[test]
        fn any_value_is_as_in_the_standard_library(bits: u64, halves: u32) {
            let value = f64::from_bits(bits);
            if !value.is_nan() {
                assert_as_the_standard_library(value);
            }
            assert_as_the_standard_library(f64::from(halves) / 2.0);
        }
    }
}

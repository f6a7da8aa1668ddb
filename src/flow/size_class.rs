//! How large a flow is, about: a class for each quarter of a power of two. Flows are counted by it while
//! they last, so that it is known early which ones will not be among the largest.

/// Of the payload octets of one direction; classes are in the order of the octets.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SizeClass(u8);

impl SizeClass {
    /// All classes there are.
    pub(crate) const COUNT: usize = 252;

    /// The class of no octets.
    pub(crate) const EMPTY: Self = Self(0);

    #[inline]
    pub(crate) fn of(octets: u64) -> Self {
        let bits = u64::BITS.saturating_sub(octets.leading_zeros());
        let shift = bits.saturating_sub(3);
        // Three bits from the first that is set on; below eight octets each has its own class.
        let class = u64::from(shift.saturating_mul(4)).saturating_add(octets >> shift);
        Self(u8::try_from(class).unwrap_or(u8::MAX))
    }

    /// The fewest octets of the class.
    pub(crate) fn least(self) -> u64 {
        let class = u64::from(self.0);
        let shift = (class / 4).saturating_sub(1);
        class.saturating_sub(shift.saturating_mul(4)) << shift
    }

    /// From 0, below [`SizeClass::COUNT`].
    pub(crate) fn number(self) -> usize {
        usize::from(self.0)
    }

    /// The class with this number.
    pub(crate) fn numbered(number: usize) -> Self {
        Self(u8::try_from(number).unwrap_or(u8::MAX))
    }
}

/// A flow that has a consumer went from one class to a larger one; from the empty one when it is counted
/// for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Growth {
    pub(crate) before: SizeClass,
    pub(crate) after: SizeClass,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_begin_where_they_say_and_are_a_quarter_wide_at_most() {
        for octets in (0..10_000).chain([1 << 40, u64::MAX]) {
            let class = SizeClass::of(octets);
            let least = class.least();
            assert!(least <= octets && octets - least <= least / 4, "{octets} in {class:?}");
            assert_eq!(SizeClass::of(least), class);
            assert!(least == 0 || SizeClass::of(least - 1) < class, "{octets}");
        }
        assert_eq!(SizeClass::of(u64::MAX).number(), SizeClass::COUNT - 1);
    }
}

//! A length of time.

use std::fmt;
use std::iter::Sum;
use std::time;

/// Whole nanoseconds, up to 584 years; sums and products saturate. The standard library's keeps seconds
/// apart, so that each difference of two times takes a division, and each comparison two steps: too
/// much where every packet makes some forty of them.
#[derive(Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Duration(u64);

impl Duration {
    /// No time.
    pub(crate) const ZERO: Self = Self(0);

    /// So many seconds.
    #[must_use]
    pub(crate) const fn from_secs(seconds: u64) -> Self {
        Self(seconds.saturating_mul(NANOS_PER_SEC))
    }

    /// So many milliseconds.
    #[must_use]
    pub(crate) const fn from_millis(milliseconds: u64) -> Self {
        Self(milliseconds.saturating_mul(1_000_000))
    }

    /// So many microseconds.
    #[must_use]
    pub(crate) const fn from_micros(microseconds: u64) -> Self {
        Self(microseconds.saturating_mul(1000))
    }

    /// So many nanoseconds.
    #[must_use]
    pub(crate) const fn from_nanos(nanoseconds: u64) -> Self {
        Self(nanoseconds)
    }

    /// Whole nanoseconds.
    #[must_use]
    pub(crate) const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Whole microseconds.
    #[must_use]
    pub(crate) const fn as_micros(self) -> u64 {
        self.0 / 1000
    }

    /// Whole seconds.
    #[must_use]
    pub(crate) const fn as_secs(self) -> u64 {
        self.0 / NANOS_PER_SEC
    }

    /// Seconds, with their fraction.
    #[must_use]
    pub(crate) fn as_secs_f64(self) -> f64 {
        if self.0 < NANOS_PER_SEC {
            // From a signed number one step does it, from one without a sign it takes six.
            #[expect(clippy::cast_possible_truncation, reason = "below 2^30")]
            return f64::from(self.0 as i32) / 1e9;
        }
        self.whole_secs_f64()
    }

    #[cold]
    #[inline(never)]
    fn whole_secs_f64(self) -> f64 {
        time::Duration::from(self).as_secs_f64()
    }

    /// So many seconds; `None` if they are negative, no number, or too many.
    #[must_use]
    pub(crate) fn try_from_secs_f64(seconds: f64) -> Option<Self> {
        let nanoseconds = time::Duration::try_from_secs_f64(seconds).ok()?.as_nanos();
        u64::try_from(nanoseconds).ok().map(Self)
    }

    /// Whether it is no time at all.
    #[must_use]
    pub(crate) const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// `self + other`.
    #[must_use]
    pub(crate) const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// `self - other`, or none.
    #[must_use]
    pub(crate) const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `factor` times as long.
    #[must_use]
    pub(crate) const fn saturating_mul(self, factor: u32) -> Self {
        Self(self.0.saturating_mul(factor as u64))
    }

    /// The same with a factor that need not be whole; as long as can be if it is negative or no number.
    #[must_use]
    pub(crate) fn mul_f64(self, factor: f64) -> Self {
        Self::try_from_secs_f64(self.as_secs_f64() * factor).unwrap_or(Self(u64::MAX))
    }

    /// One of `divisor` equal parts; `None` for no part.
    #[must_use]
    pub(crate) const fn checked_div(self, divisor: u32) -> Option<Self> {
        match self.0.checked_div(divisor as u64) {
            Some(part) => Some(Self(part)),
            None => None,
        }
    }

    /// By how much the two differ.
    #[must_use]
    pub(crate) const fn abs_diff(self, other: Self) -> Self {
        Self(self.0.abs_diff(other.0))
    }
}

const NANOS_PER_SEC: u64 = 1_000_000_000;

/// What does not fit is as long as can be.
impl From<time::Duration> for Duration {
    fn from(duration: time::Duration) -> Self {
        Self(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl From<Duration> for time::Duration {
    fn from(duration: Duration) -> Self {
        Self::from_nanos(duration.0)
    }
}

impl Sum for Duration {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Self::saturating_add)
    }
}

impl<'a> Sum<&'a Self> for Duration {
    fn sum<I: Iterator<Item = &'a Self>>(all: I) -> Self {
        all.copied().sum()
    }
}

impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        time::Duration::from(*self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// As the standard library has it, to the last digit.
        #[test]
        fn seconds_are_the_standard_library_s(nanoseconds: u64, factor in 0.0..1.0_f64) {
            let (own, other) =
                (Duration::from_nanos(nanoseconds), time::Duration::from_nanos(nanoseconds));
            prop_assert_eq!(own.as_secs_f64().to_bits(), other.as_secs_f64().to_bits());
            prop_assert_eq!(own.mul_f64(factor), other.mul_f64(factor).into());
            let seconds = other.as_secs_f64();
            let back = time::Duration::try_from_secs_f64(seconds).ok().map(Duration::from);
            prop_assert_eq!(Duration::try_from_secs_f64(seconds), back);
        }

        #[test]
        fn parts_of_a_second_are_too(nanoseconds in 0..2 * NANOS_PER_SEC) {
            let own = Duration::from_nanos(nanoseconds).as_secs_f64();
            let other = time::Duration::from_nanos(nanoseconds).as_secs_f64();
            prop_assert_eq!(own.to_bits(), other.to_bits());
        }
    }

    #[test]
    fn what_does_not_fit_is_as_long_as_can_be() {
        let longest = Duration::from_nanos(u64::MAX);
        assert_eq!(Duration::from_secs(u64::MAX), longest);
        assert_eq!(longest.saturating_mul(3), longest);
        assert_eq!([longest, Duration::from_secs(1)].iter().sum::<Duration>(), longest);
        assert_eq!(Duration::from(time::Duration::MAX), longest);
        assert_eq!(Duration::try_from_secs_f64(1e12), None);
        assert_eq!(Duration::try_from_secs_f64(-1.0), None);
        assert_eq!(longest.checked_div(0), None);
    }
}

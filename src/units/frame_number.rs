//! Which frame is it, for the analysis and for its reader?

use std::cmp::Ordering;
use std::fmt;

/// A frame of the capture: its ordinal, from 1, in the order in which frames are read, which orders them; and
/// the number that Wireshark shows for it. The two differ where packets do not stand in a file in the order
/// in which they passed. Up to 2^40 frames: 12 days of a million a second.
///
/// The ordinal stands in the lower bits, above it how far the number shown is from it: nothing, nearly
/// always.
#[derive(Default, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FrameNumber(u64);

impl FrameNumber {
    /// After any frame.
    pub(crate) const AFTER_ALL: Self = Self(Self::ORDINAL);

    const DISTANCE_BITS: u32 = 24;
    const ORDINAL: u64 = u64::MAX >> Self::DISTANCE_BITS;

    /// The frame with this ordinal, which is also its number.
    #[inline]
    pub(crate) const fn new(ordinal: u64) -> Self {
        Self(ordinal)
    }

    /// The frame with this ordinal, shown as `number`; as its ordinal where that is 2^23 and more away.
    pub(crate) fn displaced(ordinal: u64, number: u64) -> Self {
        let frame =
            Self(ordinal | number.wrapping_sub(ordinal) << (u64::BITS - Self::DISTANCE_BITS));
        if frame.shown() == number { frame } else { Self(ordinal) }
    }

    /// The same frame behind so many others.
    #[inline]
    #[must_use]
    pub(crate) fn behind(self, frames: u64) -> Self {
        Self(self.0.wrapping_add(frames))
    }

    #[inline]
    pub(crate) fn ordinal(self) -> u64 {
        self.0 & Self::ORDINAL
    }

    /// Its number as Wireshark shows it.
    pub(crate) fn shown(self) -> u64 {
        let distance =
            i64::from_ne_bytes(self.0.to_ne_bytes()) >> (u64::BITS - Self::DISTANCE_BITS);
        self.ordinal().wrapping_add_signed(distance)
    }

    /// Whether it is at most so many frames after `earlier`.
    #[inline]
    pub(crate) fn is_within(self, frames: u64, earlier: Self) -> bool {
        self.0.wrapping_sub(earlier.0) << Self::DISTANCE_BITS <= frames << Self::DISTANCE_BITS
    }

    /// For [`Self::from_bits`].
    #[inline]
    pub(crate) fn to_bits(self) -> u64 {
        self.0
    }

    #[inline]
    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }
}

impl Ord for FrameNumber {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.ordinal().cmp(&other.ordinal())
    }
}

impl PartialOrd for FrameNumber {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for FrameNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FrameNumber({}", self.ordinal())?;
        if self.shown() != self.ordinal() {
            write!(f, ", shown as {}", self.shown())?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for FrameNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shown().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_shown_apart_does_not_change_the_order() {
        for (ordinal, number) in [(1, 1), (5, 9), (9, 5), (1 << 39, (1 << 39) - 8_000_000)] {
            let frame = FrameNumber::displaced(ordinal, number);
            assert_eq!((frame.ordinal(), frame.shown()), (ordinal, number));
            let [before, after] = [ordinal - 1, ordinal + 1].map(FrameNumber::new);
            assert!(before < frame && frame < after && frame < FrameNumber::AFTER_ALL);
            assert!(after.is_within(1, frame) && !after.is_within(0, frame));
            let behind = frame.behind(70);
            assert_eq!((behind.ordinal(), behind.shown()), (ordinal + 70, number + 70));
        }
    }

    #[test]
    fn a_number_too_far_from_the_ordinal_is_not_shown() {
        assert_eq!(FrameNumber::displaced(1, 8_388_609).shown(), 1);
        assert_eq!(FrameNumber::displaced(1, 8_388_608).shown(), 8_388_608);
    }
}

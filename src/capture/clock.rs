//! From a capture's ticks to nanoseconds. pcap-parser 0.17 refuses every power-of-two resolution
//! and cuts fractions to 32 bits, so the arithmetic is here, in 128 bits.

use crate::units::{Duration, Timestamp};

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// A frame's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) time: Timestamp,
    /// False if the time had to be clamped to what [`Timestamp`] holds, or its fraction was a
    /// second or more.
    pub(super) is_regular: bool,
}

impl Stamp {
    /// A time that is as it should be.
    pub(super) fn regular(time: Timestamp) -> Self {
        Self { time, is_regular: true }
    }

    /// The time of a pcap record: whole seconds since 1970 and a fraction.
    #[inline]
    pub(super) fn from_pcap(seconds: u32, fraction: u32, nanos_per_tick: u32) -> Self {
        let fraction = u64::from(fraction).saturating_mul(u64::from(nanos_per_tick));
        // 2^32 s is year 2106: it fits.
        let nanos = u64::from(seconds).saturating_mul(NANOS_PER_SECOND).saturating_add(fraction);
        Self { time: Timestamp(nanos), is_regular: fraction < NANOS_PER_SECOND }
    }
}

/// The clock of a pcapng interface: `if_tsresol` and `if_tsoffset`
/// (draft-ietf-opsawg-pcapng section 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    tick: Tick,
    offset_seconds: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tick {
    /// So many nanoseconds long.
    Nanos(u64),
    /// So many to a nanosecond.
    PerNano(u128),
    /// 2 to this power in a second.
    PowerOfTwo(u32),
    /// So short that 2^64 of them are no nanosecond.
    Vanishing,
}

impl Clock {
    /// Microseconds since 1970, unless options say otherwise.
    pub(super) const DEFAULT_RESOLUTION: u8 = 6;

    /// From the option octet: a negative power of 10, or of 2 if the top bit is set.
    pub(super) fn new(resolution: u8, offset_seconds: i64) -> Self {
        let exponent = u32::from(resolution & 0x7f);
        let tick = if resolution & 0x80 != 0 {
            Tick::PowerOfTwo(exponent)
        } else if let Some(power) = 9_u32.checked_sub(exponent) {
            Tick::Nanos(10_u64.saturating_pow(power))
        } else {
            10_u128.checked_pow(exponent.saturating_sub(9)).map_or(Tick::Vanishing, Tick::PerNano)
        };
        Self { tick, offset_seconds }
    }

    /// After how long the lower half of a packet block's time is the same again; no time where that is none
    /// of whole nanoseconds.
    pub(super) fn lower_half(&self) -> Duration {
        match self.tick {
            Tick::Nanos(length) => Duration::from_nanos(length.saturating_mul(1 << 32)),
            _ => Duration::ZERO,
        }
    }

    /// The time `ticks` after the interface's zero.
    #[inline]
    pub(super) fn stamp(&self, ticks: u64) -> Stamp {
        if let (Tick::Nanos(length), 0) = (self.tick, self.offset_seconds) {
            if let Some(nanos) = ticks.checked_mul(length) {
                return Stamp { time: Timestamp(nanos), is_regular: true };
            }
        }
        self.stamp_wide(ticks)
    }

    #[cold]
    fn stamp_wide(&self, ticks: u64) -> Stamp {
        let ticks = u128::from(ticks);
        let nanos = match self.tick {
            Tick::Nanos(length) => ticks.saturating_mul(u128::from(length)),
            Tick::PerNano(count) => ticks.checked_div(count).unwrap_or(0),
            // Below 2^64 * 10^9 < 2^94, and the exponent is at most 127.
            Tick::PowerOfTwo(exponent) => {
                ticks.saturating_mul(u128::from(NANOS_PER_SECOND)) >> exponent
            }
            Tick::Vanishing => 0,
        };
        let offset = i128::from(self.offset_seconds).saturating_mul(i128::from(NANOS_PER_SECOND));
        let nanos = i128::try_from(nanos).unwrap_or(i128::MAX).saturating_add(offset);
        let clamped = nanos.clamp(0, i128::from(u64::MAX));
        Stamp {
            time: Timestamp(u64::try_from(clamped).unwrap_or(u64::MAX)),
            is_regular: clamped == nanos,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nanos(resolution: u8, offset: i64, ticks: u64) -> (u64, bool) {
        let stamp = Clock::new(resolution, offset).stamp(ticks);
        (stamp.time.0, stamp.is_regular)
    }

    /// Trap: pcap-parser gives `None` for every resolution with the top bit set.
    #[test]
    fn every_resolution_gives_nanoseconds() {
        let table = [
            (0, 7, 7_000_000_000),
            (3, 1_500, 1_500_000_000),
            (6, 1_700_000_000_123_456, 1_700_000_000_123_456_000),
            (9, 1_700_000_000_123_456_789, 1_700_000_000_123_456_789),
            (12, 123_456_789_012_345, 123_456_789_012),
            (19, u64::MAX, 1_844_674_407),
            (28, u64::MAX, 1),
            (29, u64::MAX, 0),
            (47, u64::MAX, 0),
            (48, u64::MAX, 0),
            (0x7f, u64::MAX, 0),
            (0x80, 3, 3_000_000_000),
            (0x80 | 0x0a, 1_536, 1_500_000_000),
            (0x80 | 32, 0x1_8000_0000, 1_500_000_000),
            (0x80 | 63, u64::MAX, 1_999_999_999),
            (0xff, u64::MAX, 0),
        ];
        for (resolution, ticks, expected) in table {
            assert_eq!(nanos(resolution, 0, ticks), (expected, true), "resolution {resolution}");
        }
    }

    /// Trap: pcap-parser cuts the fraction to 32 bits.
    #[test]
    fn a_picosecond_fraction_keeps_its_high_bits() {
        assert_eq!(nanos(12, 0, 1_123_456_789_012), (1_123_456_789, true));
    }

    #[test]
    fn times_outside_the_range_are_clamped_and_say_so() {
        assert_eq!(nanos(6, i64::MAX, 1), (u64::MAX, false));
        assert_eq!(nanos(6, i64::MIN, 1), (0, false));
        assert_eq!(nanos(0, 0, u64::MAX), (u64::MAX, false));
        assert_eq!(nanos(0x80, 0, u64::MAX), (u64::MAX, false));
        assert_eq!(nanos(6, -1, 2_500_000), (1_500_000_000, true));
    }

    #[test]
    fn a_fraction_of_a_second_or_more_is_added_and_told() {
        let stamp = Stamp::from_pcap(10, 1_500_000, 1_000);
        assert_eq!(stamp, Stamp { time: Timestamp(11_500_000_000), is_regular: false });
        assert!(Stamp::from_pcap(u32::MAX, 999_999_999, 1).is_regular);
    }
}

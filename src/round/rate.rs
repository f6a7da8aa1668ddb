//! How fast is a sender paced? Octets and the time that they take, compared without a division.

use crate::units::{Bytes, Duration};

/// Octets, and how long they take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace(pub(super) Bytes, pub(super) Duration);

impl Pace {
    pub(super) fn time_of(self, octets: Bytes) -> Duration {
        let Self(per, time) = self;
        let nanos = product(time, octets).checked_div(u128::from(per.0)).unwrap_or_default();
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// Within a fiftieth: timers of the kernel were late by 7 to 20 us (see
    /// [`IMMEDIATE`](crate::units::host::IMMEDIATE)), the steps of a paced sender last 1 ms and more.
    pub(super) fn agrees_with(self, other: Self) -> bool {
        let (here, there) = self.against(other);
        here.abs_diff(there).saturating_mul(50) <= there
    }

    /// By no more than BBR's fastest over its slowest pace on one path.
    pub(super) fn is_within_gains_of(self, other: Self) -> bool {
        !self.is_slower_by_gains_than(other) && !other.is_slower_by_gains_than(self)
    }

    /// By more than that.
    pub(super) fn is_slower_by_gains_than(self, other: Self) -> bool {
        let (here, there) = self.against(other);
        here > there.saturating_mul(GAINS)
    }

    pub(super) fn is_faster_than(self, other: Self) -> bool {
        self.is_above(other) && !self.agrees_with(other)
    }

    pub(super) fn is_above(self, other: Self) -> bool {
        let (here, there) = self.against(other);
        here < there
    }

    /// The times of both for the same octets.
    fn against(self, other: Self) -> (u128, u128) {
        (product(self.1, other.0), product(other.1, self.0))
    }
}

/// The fastest over the slowest pace of one path: BBR starts up at 2.89 times the bandwidth and drains at
/// 0.35 (`bbr_high_gain`, `bbr_drain_gain`).
const GAINS: u128 = 8;

pub(super) fn product(time: Duration, octets: Bytes) -> u128 {
    // Two factors of 64 bits: the product always fits.
    u128::from(time.as_nanos()).wrapping_mul(u128::from(octets.0))
}

//! Quantities with their unit in the type. No arithmetic here can panic: a passive tool must
//! survive any input, so differences saturate and sequence numbers wrap (RFC 9293 section 3.4).

mod counted;
mod duration;
mod frame_number;
pub(crate) mod heap;
pub(crate) mod host;
mod median;
mod weighted;

use std::fmt;

use serde::Serialize;

pub(crate) use counted::count;
pub use counted::counted;
pub(crate) use duration::Duration;
pub(crate) use frame_number::FrameNumber;
pub(crate) use median::median;
pub(crate) use weighted::at_share;

/// A count of octets.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub(crate) struct Bytes(pub(crate) u64);

impl Bytes {
    /// `self - other`, or zero.
    #[must_use]
    pub(crate) fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `self + other`, or the largest count.
    #[must_use]
    pub(crate) fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The nearest `f64`; exact below 2^53.
    #[must_use]
    pub(crate) fn as_f64(self) -> f64 {
        as_f64(self.0)
    }
}

/// The nearest `f64`; exact below 2^53.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(crate) fn as_f64(count: u64) -> f64 {
    count as f64
}

/// The same of a list's length.
#[expect(clippy::cast_precision_loss, reason = "no list is so long")]
pub(crate) fn len_as_f64(len: usize) -> f64 {
    len as f64
}

/// Every second one gives way, beginning with the second.
pub(crate) fn halve<T>(list: &mut Vec<T>) {
    let mut is_kept = false;
    list.retain(|_| {
        is_kept = !is_kept;
        is_kept
    });
}

/// The smaller one, of those that are known.
pub(crate) fn least<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// A point in time: nanoseconds since 1970-01-01 00:00 UTC, up to the year 2554.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Timestamp(pub(crate) u64);

impl Timestamp {
    /// Time passed since `earlier`; zero if the clock went back.
    #[must_use]
    pub(crate) fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// The point `delay` earlier, or the first representable one.
    #[must_use]
    pub(crate) fn before(self, delay: Duration) -> Self {
        Self(self.0.saturating_sub(delay.as_nanos()))
    }

    /// The point `delay` later, or the last representable one.
    #[must_use]
    pub(crate) fn after(self, delay: Duration) -> Self {
        Self(self.0.saturating_add(delay.as_nanos()))
    }
}

/// A sequence number as it stands in the header. It has no order: order modulo 2^32 is not one.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SeqNum(pub(crate) u32);

impl SeqNum {
    /// Signed distance from `other` to `self`, the shorter way round the circle.
    #[must_use]
    pub(crate) fn distance_from(self, other: Self) -> i32 {
        i32::from_ne_bytes(self.0.wrapping_sub(other.0).to_ne_bytes())
    }
}

/// A position in one direction's octet stream, unwrapped to 64 bits. Equal to Wireshark's
/// relative sequence number: the SYN stands at 0, the first payload octet at 1; where the SYN was
/// not captured, the first octet seen stands at 1.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StreamOffset(pub(crate) u64);

impl StreamOffset {
    /// Octets from `earlier` to `self`; zero if `self` is not later.
    #[must_use]
    pub(crate) fn since(self, earlier: Self) -> Bytes {
        Bytes(self.0.saturating_sub(earlier.0))
    }

    /// The position `len` later.
    #[must_use]
    pub(crate) fn after(self, len: Bytes) -> Self {
        Self(self.0.saturating_add(len.0))
    }
}

/// The shift of a scaled window (RFC 7323 section 2.2), 0 to 14.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub(crate) struct WindowShift(u8);

impl WindowShift {
    /// The largest shift allowed (RFC 7323 section 2.3).
    pub(crate) const MAX: Self = Self(14);

    /// Takes the shift from the option's octet; a larger one counts as 14 (RFC 7323 section 2.3).
    #[must_use]
    pub(crate) fn new(shift: u8) -> Self {
        Self(shift.min(Self::MAX.0))
    }

    /// The scaled window, in octets.
    #[must_use]
    pub(crate) fn scale(self, window_unscaled: u16) -> Bytes {
        Bytes(u64::from(window_unscaled) << self.0)
    }

    /// The shift count.
    #[must_use]
    pub(crate) fn get(self) -> u8 {
        self.0
    }
}

/// RFC 3339 in UTC with nanoseconds.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time =
            std::time::SystemTime::UNIX_EPOCH.checked_add(std::time::Duration::from_nanos(self.0));
        match time {
            Some(time) => humantime::format_rfc3339_nanos(time).fmt(f),
            None => f.write_str("unknown"),
        }
    }
}

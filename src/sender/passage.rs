//! Which sizes get through? A path may drop all packets that are too large for one of its links, without
//! the ICMP message that would tell the sender (a black hole, RFC 2923 section 2.1): small segments arrive,
//! large ones never do, however often they are sent again.

use crate::units::Bytes;

/// Payload of the largest packet that every host has to accept, whole or in fragments (RFC 791 section 3.1:
/// 576 octets), less the headers. Links need carry no more than 68 octets whole (section 3.2), but those too
/// narrow for this are so rare that its loss is not put down to its size.
const CARRIED_MIN: u16 = 576 - 40;

/// Wire segments by size.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Passage {
    /// The largest that got through; 0 before any did.
    passed: u16,
    /// The largest that was sent again, and none as large got through; 0 without one.
    stuck: u16,
    /// How often such were sent again.
    repeats: u32,
    /// Octets arrived since the first of these, so the path and the receiver were there.
    is_followed: bool,
}

/// No segment as large as this got through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge {
    /// Payload of the largest that was sent again.
    pub(crate) segment: Bytes,
    /// Octets of TCP options beside it.
    pub(crate) options: Bytes,
    /// Payload of the largest that got through; zero where only segments without payload did.
    pub(crate) passed: Bytes,
    /// How often segments of that size were sent again.
    pub(crate) repeats: u32,
    /// Smaller ones got through after the first of these. Else the receiver may be gone.
    pub(crate) is_shown: bool,
}

impl Passage {
    /// So often an unacknowledged segment is sent again before a host suspects the path (RFC 1122 section
    /// 4.2.3.5, R1), and Linux its MTU (`tcp_write_timeout`, `tcp_retries1`).
    const REPEATS_MIN: u32 = 3;

    /// A segment got through that was no smaller than `size` each time that it was sent.
    #[inline]
    pub(super) fn pass(&mut self, size: u16) {
        if size > self.passed {
            self.passed = size;
            if size >= self.stuck {
                (self.stuck, self.repeats, self.is_followed) = (0, 0, false);
            }
        }
    }

    /// One is sent again.
    pub(super) fn repeat(&mut self, size: u16) {
        if size > self.stuck && size > self.passed.max(CARRIED_MIN) {
            (self.stuck, self.repeats, self.is_followed) = (size, 0, false);
        }
        if size == self.stuck && size > 0 {
            self.repeats = self.repeats.saturating_add(1);
        }
    }

    /// Octets arrived, of whatever size.
    #[inline]
    pub(super) fn follow(&mut self) {
        self.is_followed = self.repeats > 0;
    }

    /// What never got through, if that is no chance; each has so many octets of `options`. Nothing can be
    /// said where not even small segments did.
    pub(super) fn too_large(self, options: Bytes) -> Option<TooLarge> {
        let Self { passed, stuck, repeats, is_followed } = self;
        let is_told = repeats >= Self::REPEATS_MIN && (is_followed || passed > 0);
        is_told.then_some(TooLarge {
            segment: Bytes(u64::from(stuck)),
            options,
            passed: Bytes(u64::from(passed)),
            repeats,
            is_shown: is_followed,
        })
    }
}

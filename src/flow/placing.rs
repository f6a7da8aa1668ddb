//! Which octet of the stream is it? Sequence numbers of one direction (its SEQ, the other side's
//! ACK) unwrapped to 64 bits, the shorter way round the circle from what was seen last.
//!
//! A single wild number (a forged or damaged segment) must not shift everything after it. A number
//! further off than the largest window is set aside until a second one agrees with it, as RFC 3550
//! appendix A.1 does for RTP. Jumps beyond 2^31 cannot be told from jumps the other way.

use crate::units::{SeqNum, StreamOffset};

/// The largest window that can be advertised: 65535 octets, shifted by 14 (RFC 7323 section 2.3).
const WINDOW_MAX: u32 = 0xffff << 14;

/// The sequence space of one direction.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Placing {
    base: Option<SeqNum>,
    /// Where the last plausible number stood. Below zero before the first octet seen.
    last: i64,
    set_aside: Option<SeqNum>,
}

impl Placing {
    /// The number that stands at offset 0.
    pub(super) fn base(&self) -> Option<SeqNum> {
        self.base
    }

    /// Lets `seq` stand at 0 and forgets what came before.
    pub(super) fn rebase(&mut self, seq: SeqNum) {
        *self = Self { base: Some(seq), last: 0, set_aside: None };
    }

    /// Nothing is set aside.
    pub(super) fn is_sure(&self) -> bool {
        self.set_aside.is_none()
    }

    /// The number that was set aside.
    pub(super) fn aside(&self) -> Option<SeqNum> {
        self.set_aside
    }

    /// Takes back that `seq` was placed, where `last` is the furthest number that was plausible.
    pub(super) fn take_back(&mut self, seq: SeqNum, last: StreamOffset) {
        self.last = i64::try_from(last.0).unwrap_or(self.last);
        self.set_aside = Some(seq);
    }

    /// The offset of `seq`; below zero for what precedes the first octet seen, which stands at 1 (in a
    /// SYN, at 0). `None` for numbers that are set aside.
    #[inline]
    pub(super) fn place(&mut self, seq: SeqNum) -> Option<i64> {
        let Some(base) = self.base else {
            self.rebase(SeqNum(seq.0.wrapping_sub(1)));
            self.last = 1;
            return Some(1);
        };
        let delta = seq.distance_from(at(base, self.last));
        if (delta.unsigned_abs() > WINDOW_MAX || self.set_aside.is_some())
            && !self.is_agreed(seq, delta)
        {
            return None;
        }
        // 2^32 segments of 2^31 octets would be needed to wrap.
        self.last = self.last.wrapping_add(i64::from(delta));
        Some(self.last)
    }

    /// The same for a number that the other side acknowledges: the one that was set aside, once more, is
    /// likely the same packet recorded twice, and agrees with nothing.
    #[inline]
    pub(super) fn place_acked(&mut self, ack: SeqNum) -> Option<i64> {
        if self.set_aside == Some(ack) { None } else { self.place(ack) }
    }

    /// Whether to believe a number that is `delta` away from the last one, or is the first since one was
    /// set aside.
    #[cold]
    fn is_agreed(&mut self, seq: SeqNum, delta: i32) -> bool {
        let agrees = |other: SeqNum| seq.distance_from(other).unsigned_abs() <= WINDOW_MAX;
        if delta.unsigned_abs() > WINDOW_MAX && !self.set_aside.is_some_and(agrees) {
            self.set_aside = Some(seq);
            return false;
        }
        self.set_aside = None;
        true
    }

    /// The offset of `seq` near the last one, without learning from it: for SACK blocks.
    pub(super) fn place_near(&self, seq: SeqNum) -> Option<StreamOffset> {
        let delta = seq.distance_from(at(self.base?, self.last));
        let is_near = delta.unsigned_abs() <= WINDOW_MAX;
        is_near.then(|| clamped(self.last.saturating_add(i64::from(delta))))
    }
}

/// The offset; zero for what precedes the first octet seen.
pub(super) fn clamped(offset: i64) -> StreamOffset {
    StreamOffset(u64::try_from(offset).unwrap_or(0))
}

/// The sequence number at an offset.
fn at(base: SeqNum, offset: i64) -> SeqNum {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "modulo 2^32")]
    SeqNum(base.0.wrapping_add(offset as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started_at(seq: u32) -> Placing {
        let mut placing = Placing::default();
        assert_eq!(placing.place(SeqNum(seq)), Some(1));
        placing
    }

    #[test]
    fn the_first_octet_seen_stands_at_one() {
        let mut placing = started_at(7000);
        assert_eq!(placing.place(SeqNum(7000)), Some(1));
        assert_eq!(placing.place(SeqNum(6000)), Some(-999));
    }

    #[test]
    fn goes_on_beyond_several_wraps() {
        let mut placing = Placing::default();
        placing.rebase(SeqNum(u32::MAX));
        let step = 1 << 29;
        for count in 1..40_u32 {
            let seq = SeqNum(u32::MAX.wrapping_add(count.wrapping_mul(step)));
            assert_eq!(placing.place(seq), Some(i64::from(count) * i64::from(step)));
        }
    }

    #[test]
    fn one_wild_number_shifts_nothing() {
        let mut placing = started_at(100);
        for wild in [100 + (1 << 31), 100 + (3 << 29), 100_u32.wrapping_sub(3 << 29)] {
            assert_eq!(placing.place(SeqNum(wild)), None);
            assert_eq!(placing.place(SeqNum(200)), Some(101));
        }
        // Within a window the wild number is believed, and the next one is right all the same.
        assert_eq!(placing.place(SeqNum(100 + (1 << 29))), Some((1 << 29) + 1));
        assert_eq!(placing.place(SeqNum(300)), Some(201));
    }

    /// A capture that lost more than a gigabyte goes on at the second segment.
    #[test]
    fn two_agreeing_numbers_are_a_jump() {
        let mut placing = started_at(0);
        assert_eq!(placing.place(SeqNum(0x6000_0000)), None);
        assert_eq!(placing.place(SeqNum(0x6000_05b4)), Some(0x6000_05b5));
        assert_eq!(placing.place(SeqNum(0x6000_0b68)), Some(0x6000_0b69));
    }

    #[test]
    fn near_numbers_are_placed_without_learning() {
        let mut placing = started_at(1000);
        placing.place(SeqNum(2000));
        assert_eq!(placing.place_near(SeqNum(3000)), Some(StreamOffset(2001)));
        assert_eq!(placing.place_near(SeqNum(0)), Some(StreamOffset(0)));
        assert_eq!(placing.place_near(SeqNum(2000 + (1 << 31))), None);
        assert_eq!(placing.place(SeqNum(2000)), Some(1001));
    }
}

//! Of which segment size are adjacent sends whole multiples?

use super::{ETHERNET_MSS, JUMBO_MSS, TUNNEL_MSS_MIN};
use crate::flow::Data;
use crate::units::StreamOffset;

/// Sends that adjoin in the stream, none of them of whole segments. PSH stands at the end of what is queued
/// (RFC 9293 section 3.9.1.2), and with segmentation offload at that of nearly each send.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Run {
    /// Where the next one starts.
    next: StreamOffset,
    /// What divides all of their lengths.
    common: u64,
    longest: u64,
    sends: u8,
    /// Of these, how many since the last that was pushed.
    waiting: u8,
}

impl Run {
    /// Sends with more waiting behind each: a segment cut to fit the window is not taken for a whole one.
    const SENDS: u8 = 3;
    /// Sends that may each be all that was written. A program's messages are of one length or of any; that so
    /// many of different lengths have a divisor as large as a segment is chance once in 1200 to the seventh.
    const PUSHED_SENDS: u8 = 8;

    /// `least`: no segment is smaller, so what has no larger divisor is no whole number of them.
    pub(super) fn add(&mut self, data: &Data, least: u64) {
        let len = data.len.0;
        let common = common_divisor(self.common, len);
        if self.sends == 0 || data.start != self.next || common < least {
            *self = Self { common: len, ..Self::default() };
        }
        self.next = data.end();
        self.longest = self.longest.max(len);
        self.common = common_divisor(self.common, len);
        self.sends = self.sends.saturating_add(1);
        self.waiting = if data.is_pushed { 0 } else { self.waiting.saturating_add(1) };
    }

    /// What comes next begins another one.
    pub(super) fn break_off(&mut self) {
        (self.sends, self.waiting) = (0, 0);
    }

    /// The segments that they are whole numbers of, at most `limit` octets; `None` while that is not shown.
    pub(super) fn whole(&self, limit: u64) -> Option<u64> {
        if self.is_over() {
            return whole(self.common, limit);
        }
        // Several small messages may go in one segment: only super-frames show where it ends. With no more
        // than that in common they are not all of one length.
        let is_shown = self.sends >= Self::PUSHED_SENDS && self.longest > limit;
        let is_segment = (TUNNEL_MSS_MIN..=limit).contains(&self.common) && !is_round(self.common);
        (is_shown && is_segment).then_some(self.common)
    }

    /// One segment each, larger than Ethernet's and no whole number of those, with more waiting behind it.
    pub(super) fn jumbo(&self) -> Option<u64> {
        let is_jumbo = self.common > ETHERNET_MSS && self.common <= JUMBO_MSS;
        (self.is_over() && is_jumbo).then_some(self.common)
    }

    /// Of one length beyond `limit` that `offered` has room for.
    pub(super) fn is_one_each(&self, limit: u64, offered: u64) -> bool {
        self.common == self.longest && limit < self.common && self.common <= offered
    }

    /// What comes next cannot tell more of it.
    pub(super) fn is_over(&self) -> bool {
        self.waiting >= Self::SENDS
    }
}

/// A program's messages may be whole numbers of it: hundreds, or 128 octets.
fn is_round(len: u64) -> bool {
    len.checked_rem(100) == Some(0) || len.checked_rem(128) == Some(0)
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while let Some(rest) = a.checked_rem(b) {
        (a, b) = (b, rest);
    }
    a
}

/// The largest segment of at most `limit` octets of which `len` is a whole number; `None` below half of
/// that, where any number has a divisor.
fn whole(len: u64, limit: u64) -> Option<u64> {
    let least = len.div_ceil(limit.max(1)).max(1);
    let parts =
        (least..=least.saturating_mul(2)).find(|parts| len.checked_rem(*parts) == Some(0))?;
    len.checked_div(parts).filter(|size| size.saturating_mul(2) > limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_segments_divide_what_was_sent() {
        assert_eq!(whole(1348, 1448), Some(1348));
        assert_eq!(whole(common_divisor(13_480, 4_044), 1448), Some(1348));
        assert_eq!(whole(common_divisor(1348, 900), 1448), None);
        assert_eq!(whole(700, 1448), None);
    }
}

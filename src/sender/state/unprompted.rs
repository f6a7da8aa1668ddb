//! Did a timer send it again, as nothing else can have? Duplicate ACKs (RFC 5681), SACK (RFC 6675) and RACK
//! (RFC 8985 section 6.2) tell of a loss once something arrived that was sent later. This asks for no
//! acknowledgment, so it tells timeouts where none is in the capture, too.

use super::Sender;
use crate::flow::Data;
use crate::sender::RTO_MIN;
use crate::units::{Duration, StreamOffset, Timestamp};

/// Octets that were sent again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Again {
    start: StreamOffset,
    time: Timestamp,
    /// Since they went out the time before.
    gap: Duration,
}

impl Sender {
    /// What went out last goes out again, or the timer has doubled, and nothing was heard since. Sooner than
    /// any timer expires it may be a copy.
    pub(super) fn is_unprompted(&self, data: &Data) -> bool {
        self.is_repeat_of_last(data) || self.is_backed_off(data)
    }

    fn is_repeat_of_last(&self, data: &Data) -> bool {
        let (start, end) = self.last_sent;
        let is_last = start <= data.start && end <= data.end();
        is_last
            && self.is_unheard_since(self.last_send)
            && data.time.since(self.last_send) >= RTO_MIN
    }

    /// RFC 6298 section 5.5; data that went out in between, as F-RTO sends (RFC 5682), change nothing. Linux'
    /// timers are late by up to an eighth (`LVL_CLK_DIV` of `kernel/time/timer.c`).
    fn is_backed_off(&self, data: &Data) -> bool {
        let Some(again) = self.again.filter(|again| again.start == data.start) else {
            return false;
        };
        let gap = data.time.since(again.time);
        let doubled = again.gap.saturating_mul(2);
        again.gap >= RTO_MIN
            && gap.abs_diff(doubled) <= doubled.mul_f64(0.125)
            && self.is_unheard_since(again.time)
    }

    fn is_unheard_since(&self, time: Timestamp) -> bool {
        self.last_heard.is_none_or(|heard| heard < time)
    }

    /// One probe is all there is before the timer expires (RFC 8985 section 7.3), and where nothing was ever
    /// heard, only the handshake can tell that the receiver has the SACK that a probe asks for (section 3).
    pub(super) fn may_be_probe(&self, data: &Data) -> bool {
        let nth = self.sent.partition_point(|sent| sent.end <= data.start);
        let is_resent = self.sent.get(nth).is_some_and(|sent| sent.is_resent);
        !is_resent && (self.has_sack || self.last_heard.is_some())
    }

    /// `data` go out again, before anything of it is noted.
    pub(super) fn note_again(&mut self, data: &Data) {
        let nth = self.sent.partition_point(|sent| sent.end <= data.start);
        let first = || self.sent.get(nth).map(|sent| sent.time);
        let again = self.again.filter(|again| again.start == data.start).map(|again| again.time);
        self.again = again.or_else(first).map(|before| Again {
            start: data.start,
            time: data.time,
            gap: data.time.since(before),
        });
    }
}

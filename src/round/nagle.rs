//! Does Nagle's algorithm hold a write's end back? Linux keeps one segment below the largest on its way
//! at a time; the next waits for its acknowledgment (RFC 9293 section 3.7.4, in Minshall's variant:
//! `tcp_minshall_check`). So a single short segment that goes out in answer to the ACK of the short one
//! before it was all that was queued. A writer that blocks inside a write has its end pushed out
//! (`TCP_NAGLE_PUSH` in `tcp_sendmsg_locked`), and with `TCP_NODELAY` several are on their way at once.

use crate::sender::{Acknowledge, Send, SendKind};
use crate::units::{Bytes, StreamOffset};

/// The short segments of a flow.
#[derive(Debug, Default)]
pub(super) struct Nagle {
    /// Where the last one ended (Linux `snd_sml`).
    short_end: StreamOffset,
    /// It was on its way when another went out.
    is_off: bool,
    /// The last ACK was the first to cover it.
    is_short_acked: bool,
    /// One since the last send was.
    was_short_acked: bool,
}

/// A send that may have waited for an acknowledgment.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Release {
    /// It answers the ACK of the short segment before it.
    pub(super) is_answer: bool,
    /// That one was acknowledged since the last send.
    pub(super) is_free: bool,
}

impl Nagle {
    pub(super) fn on_ack(&mut self, ack: &Acknowledge) {
        let una = ack.after.snd_una;
        let is_new = self.short_end.after(ack.newly_acked) > una;
        self.is_short_acked = self.short_end > StreamOffset(0) && self.short_end <= una && is_new;
        self.was_short_acked |= self.is_short_acked;
    }

    /// `send` goes out, which ends in a segment below SMSS or does not; whether it is a write's end that was
    /// held until now, if an ACK prompted it. Away from the sender it is not known which of several ends
    /// were on their way at once.
    pub(super) fn on_send(&mut self, send: &Send, is_short: bool, is_remote: bool) -> Release {
        let is_acked = self.was_short_acked && is_end(send);
        let release = Release {
            is_answer: is_acked && self.is_short_acked && !self.is_off,
            is_free: is_acked && (is_remote || !self.is_off),
        };
        (self.is_short_acked, self.was_short_acked) = (false, false);
        if send.kind == SendKind::New && is_short {
            self.is_off |= self.short_end > send.after.snd_una && !send.is_fin;
            self.short_end = send.end();
        }
        release
    }
}

/// Whether `send` is the end of a write that may wait: with the FIN it does not (`tcp_nagle_test`).
pub(super) fn is_end(send: &Send) -> bool {
    send.kind == SendKind::New && !send.is_fin && send.len > Bytes(0) && send.len < send.smss
}

/// Whether a send of `len` octets ends in a segment below SMSS.
pub(super) fn is_short(len: Bytes, smss: Bytes) -> bool {
    // The first answers nearly always: a division takes longer.
    len != smss && len.0.checked_rem(smss.0).is_some_and(|rest| rest != 0)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{answer, send};
    use super::*;
    use crate::units::Timestamp;

    /// What is acknowledged before each send, and its octets; whether its end had been held back.
    fn told(sends: &[(u64, u64)]) -> Vec<bool> {
        let mut nagle = Nagle::default();
        let (mut una, mut nxt) = (0_u64, 0_u64);
        let mut found = Vec::new();
        for (acked, len) in sends {
            if *acked > una {
                nagle.on_ack(&answer(Timestamp(0), una, *acked));
                una = *acked;
            }
            let mut sent = send(Timestamp(0), nxt, SendKind::New);
            sent.len = Bytes(*len);
            sent.after.snd_una = StreamOffset(una);
            found.push(nagle.on_send(&sent, is_short(sent.len, sent.smss), false).is_answer);
            nxt = nxt.saturating_add(*len);
        }
        found
    }

    #[test]
    fn an_end_that_goes_out_once_the_one_before_is_acknowledged_was_held_back() {
        let sends = [(0, 3000), (0, 400), (1000, 3000), (3400, 500), (6900, 300)];
        assert_eq!(told(&sends), [false, false, false, true, true]);
    }

    #[test]
    fn what_answers_another_ack_was_not() {
        assert_eq!(told(&[(0, 3400), (1000, 3000), (3000, 500)]), [false; 3]);
        assert_eq!(told(&[(0, 3400), (3400, 3000)]), [false; 2], "more was queued");
    }

    #[test]
    fn without_nagle_several_ends_are_on_their_way_at_once() {
        assert_eq!(told(&[(0, 400), (0, 400), (400, 400), (800, 400), (1200, 400)]), [false; 5]);
    }
}

//! Was what ended a stall needed? Whether data was lost or its ACK only late shows afterwards.

use crate::sender::{Acknowledge, SHORTENED_PARTS, Send, SendKind};
use crate::units::{Bytes, Duration, StreamOffset, Timestamp};

/// The send that ended a stall, while nothing tells yet whether anything was lost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Repair {
    start: StreamOffset,
    end: StreamOffset,
    time: Timestamp,
    /// A tail loss probe that carried new data: what was out before was not sent again.
    is_new: bool,
}

/// What an ACK says about a repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hindsight {
    /// Nothing was lost: the receiver had all of it.
    Needless,
    /// There was a loss.
    Needed,
    /// Not known yet.
    Open,
}

impl Repair {
    /// `None` for a send that repairs nothing.
    pub(super) fn of(send: &Send) -> Option<Self> {
        let is_new = send.kind == SendKind::New && send.is_loss_probe;
        (is_new || matches!(send.kind, SendKind::Retransmit(_))).then(|| Self {
            start: send.start,
            end: send.end(),
            time: send.time,
            is_new,
        })
    }

    pub(super) fn judge(&self, ack: &Acknowledge) -> Hindsight {
        let is_advance = ack.newly_acked > Bytes(0);
        if self.is_new {
            return match (is_advance, ack.newly_sacked > Bytes(0)) {
                (_, true) => Hindsight::Needed,
                (true, false) => Hindsight::Needless,
                (false, false) => Hindsight::Open,
            };
        }
        let has_both = |(start, end)| start <= self.start && end >= self.end;
        if ack.dsack.is_some_and(has_both) || (is_advance && self.is_too_soon(ack)) {
            Hindsight::Needless
        } else {
            Hindsight::Open
        }
    }

    /// No ACK answers a repair in less than a round trip, so it answers the original (RFC 3522).
    fn is_too_soon(&self, ack: &Acknowledge) -> bool {
        let least = ack.after.min_rtt.unwrap_or(Duration::ZERO);
        ack.time.since(self.time).saturating_mul(SHORTENED_PARTS) < least
    }
}

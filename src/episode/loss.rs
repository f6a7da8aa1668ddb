//! Loss episodes: from the first retransmission until everything that was out then is acknowledged.

use serde::Serialize;

use super::{Episode, Extent, List};
use crate::sender::{Acknowledge, Recovery, Send, SenderEvent};
use crate::units::heap::OnHeap;
use crate::units::{Bytes, Duration, Timestamp};

/// One loss and its repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Loss {
    pub(crate) extent: Extent,
    pub(crate) trigger: LossTrigger,
    /// Wire segments sent again in it.
    pub(crate) segments: u64,
    /// RFC 6675 pipe just before it.
    pub(crate) pipe_before: Bytes,
    /// FlightSize after the last send before it: what was out when it was lost, or soon after.
    pub(crate) flight_before: Bytes,
    /// The same once the sender has answered the ACK that ended it. Both are cwnd, where that is the
    /// limit.
    pub(crate) pipe_after: Bytes,
    /// The capture ended before the repair did.
    pub(crate) is_open: bool,
}

impl Episode for Loss {
    fn extent(&self) -> Extent {
        self.extent
    }

    fn extent_mut(&mut self) -> &mut Extent {
        &mut self.extent
    }
}

/// How a sender learned of a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LossTrigger {
    /// Duplicate ACKs, SACK or RACK.
    Acks,
    /// The retransmission timer, at once or in the course of the repair.
    Timeout,
}

/// Follows one sender.
#[derive(Debug, Default)]
pub(super) struct Losses {
    list: List<Loss>,
    open: Option<Loss>,
    pipe: Bytes,
    flight: Bytes,
    /// The last loss on the list has ended, and no ACK came since.
    has_just_ended: bool,
}

impl Losses {
    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.list.kept.on_heap()
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "where it is called the kind is known")]
    pub(super) fn on_event(&mut self, event: &SenderEvent) {
        match event {
            SenderEvent::Send(send) => self.on_send(send),
            SenderEvent::Acknowledge(ack) => {
                let is_over = ack.after.recovery == Recovery::Open;
                self.has_just_ended &= ack.newly_acked == Bytes(0);
                if is_over && self.open.is_some() {
                    self.end(ack);
                }
                if self.open.is_none() {
                    self.pipe = self.pipe.max(ack.after.pipe);
                }
            }
            SenderEvent::Gap(_) => {}
        }
    }

    pub(super) fn finish(mut self, end: Timestamp) -> List<Loss> {
        if let Some(mut open) = self.open.take() {
            open.extent.end = open.extent.end.max(end);
            let time: Duration = open.extent.duration();
            self.list.push(open, time);
        }
        self.list
    }

    fn on_send(&mut self, send: &Send) {
        let recovery = send.after.recovery;
        if recovery == Recovery::Open {
            self.pipe = send.after.pipe;
            self.flight = send.after.flight_size;
            if self.has_just_ended {
                self.answer();
            }
        } else {
            self.go_on(send);
        }
    }

    /// A repair begins or goes on.
    #[inline(never)]
    fn go_on(&mut self, send: &Send) {
        let recovery = send.after.recovery;
        let open = self.open.get_or_insert(Loss {
            extent: Extent::at(send.time, send.frame),
            trigger: LossTrigger::Acks,
            segments: 0,
            pipe_before: self.pipe,
            flight_before: self.flight,
            pipe_after: Bytes(0),
            is_open: true,
        });
        (open.extent.end, open.extent.last_frame) = (send.time, send.frame);
        open.pipe_after = send.after.pipe;
        if recovery == Recovery::Timeout {
            open.trigger = LossTrigger::Timeout;
        }
        open.segments = open.segments.saturating_add(u64::from(send.resent_segments));
        self.pipe = Bytes(0);
    }

    #[inline(never)]
    fn end(&mut self, ack: &Acknowledge) {
        let Some(mut open) = self.open.take() else { return };
        (open.extent.end, open.extent.last_frame) = (ack.time, ack.frame);
        open.pipe_after = ack.after.pipe;
        open.is_open = false;
        self.list.push(open, open.extent.duration());
        self.has_just_ended = true;
    }

    /// The sender answers the ACK that ended the last loss.
    #[inline(never)]
    fn answer(&mut self) {
        let is_kept = self.list.count == self.list.kept.len() as u64;
        if let Some(loss) = self.list.kept.last_mut().filter(|_| is_kept) {
            loss.pipe_after = loss.pipe_after.max(self.pipe);
        }
    }
}

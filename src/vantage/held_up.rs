//! Away from the sender: do queues on the way back hold acknowledgments up? Slow lines do, what others
//! upload, and radio links that send in turns. The sender's half of a round trip is the shortest that was
//! seen, so what is held up comes later than it says. Data prove that: an acknowledgment that was due when
//! they were sent, and carried a newer timestamp than they echo (`TSecr`, RFC 7323 section 4.3), was not
//! there yet.
//!
//! Then the one that they echo came as late as it can have, just before them; and of several that carried
//! one timestamp, which a slow line hands on one after another, each is there when data of another tick
//! echo it.

use super::AtSender;
use super::sender_clock::Sent;
use crate::flow::{Ack, Consumer};
use crate::units::Timestamp;
use crate::wire::TcpTimestamps;

impl<C: Consumer> AtSender<C> {
    /// Releases what data prove to have come that echo `echo`; `sent` is when they were, where the sender's
    /// clock tells it. Whether those behind are held up.
    pub(super) fn release_by_echo(
        &mut self,
        echo: Option<u32>,
        sent: Option<&Sent>,
        told: Timestamp,
    ) -> bool {
        let tick = sent.map(Sent::tick_start);
        let is_same_tick = std::mem::replace(&mut self.last_tick, tick) == tick;
        let Some(echo) = echo else { return false };
        let sent = sent.filter(|_| self.still_echo.is_none());
        let is_held_up = sent.is_some_and(|sent| self.is_newer_due(echo, sent.latest()));
        let may_be_another = is_held_up && !is_same_tick && self.proven == Some(echo);
        self.release_proven(echo, told, is_held_up);
        if may_be_another && self.line.front().and_then(value_of) == Some(echo) {
            self.release_late(told);
        }
        is_held_up
    }

    /// Whether one with a timestamp newer than `echo` should have arrived by `sent`.
    fn is_newer_due(&self, echo: u32, sent: Timestamp) -> bool {
        let is_newer =
            |ack: &Ack| value_of(ack).is_some_and(|value| TcpTimestamps::is_newer(value, echo));
        self.is_any_due(sent) && {
            let first = self.line.partition_point(|ack| !is_newer(ack));
            self.line.get(first).is_some_and(|ack| self.arrival_of(ack) <= sent)
        }
    }
}

/// The timestamp that it carried.
pub(super) fn value_of(ack: &Ack) -> Option<u32> {
    ack.timestamps.map(|stamps| stamps.value)
}

//! Away from the sender: do queues on the way back hold acknowledgments up? Slow lines do, what others
//! upload, and radio links that send in turns. The sender's half of a round trip is the shortest that was
//! seen, so what is held up comes later than it says. Data prove that: an acknowledgment that was due when
//! they were sent, and carried a newer timestamp than they echo (`TSecr`, RFC 7323 section 4.3), was not
//! there yet.
//!
//! That holds for what the sender takes into its echo (section 4.3): nothing newer than data of the other
//! side until it has acknowledged those, and no keep-alive, which stays behind for longer than queues grow
//! at once.
//!
//! Then the one that they echo came as late as it can have, just before them; and of several that carried
//! one timestamp, which a slow line hands on one after another, each is there when data of another tick
//! echo it.

use super::AtSender;
use super::echo::ECHO_WAIT;
use super::sender_clock::Sent;
use crate::flow::{Ack, Consumer};
use crate::units::{Duration, Timestamp};
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
        let held_for = sent.and_then(|sent| self.held_for(echo, sent.latest()));
        // A queue does not grow by more than an echo may take from one send to the next.
        let held_for = held_for.filter(|now| *now <= self.held_for.saturating_add(ECHO_WAIT));
        self.held_for = held_for.unwrap_or_default();
        let is_held_up = held_for.is_some();
        let may_be_another = is_held_up && !is_same_tick && self.proven == Some(echo);
        self.release_proven(echo, told, is_held_up);
        if may_be_another && self.line.front().and_then(value_of) == Some(echo) {
            self.release_late(told);
        }
        is_held_up
    }

    /// How long ago by `sent` one with a timestamp newer than `echo` should have arrived; `None` if none
    /// should have, or the sender may have taken no newer one.
    fn held_for(&self, echo: u32, sent: Timestamp) -> Option<Duration> {
        if self.rode == Some(echo) || !self.is_any_due(sent) {
            return None;
        }
        let is_newer =
            |ack: &Ack| value_of(ack).is_some_and(|value| TcpTimestamps::is_newer(value, echo));
        let first = self.line.partition_point(|ack| !is_newer(ack));
        let echoed = first.checked_sub(1).and_then(|last| self.line.get(last));
        if echoed.is_some_and(|ack| ack.has_payload && value_of(ack) == Some(echo)) {
            return None;
        }
        let due = self.arrival_of(self.line.get(first)?);
        (due <= sent).then(|| sent.since(due))
    }
}

/// The timestamp that it carried.
pub(super) fn value_of(ack: &Ack) -> Option<u32> {
    ack.timestamps.map(|stamps| stamps.value)
}

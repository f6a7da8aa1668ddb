//! Acknowledgments that passed the tap and have not reached the sender: which of them has, by when?

use super::echo::ECHO_WAIT;
use super::held_up::value_of;
use super::{AtSender, edge_of};
use crate::flow::{Ack, Consumer, Data};
use crate::units::{Bytes, Duration, StreamOffset, Timestamp};
use crate::wire::TcpTimestamps;

impl<C: Consumer> AtSender<C> {
    /// An acknowledgment came into line at `now`: is it there already, or one before it?
    #[inline(never)]
    pub(super) fn release_behind(&mut self, is_full: bool, now: Timestamp) {
        if is_full {
            self.released_early_count = self.released_early_count.saturating_add(1);
            self.release_front(now);
        }
        // Data that will pass later may have been sent before.
        if !self.is_by_clock() {
            self.release_due(now);
        }
    }

    /// The sender echoed `echo`: the first acknowledgment that carried it and all before arrived; only now,
    /// if they were held up.
    pub(super) fn release_proven(&mut self, echo: u32, now: Timestamp, is_held_up: bool) {
        while let Some(value) = self.line.front().and_then(value_of) {
            if TcpTimestamps::is_newer(value, echo) || (value == echo && self.proven == Some(echo))
            {
                return;
            }
            if value == echo {
                self.proven = Some(echo);
            }
            if is_held_up {
                self.release_late(now);
            } else {
                self.release_front(now);
            }
        }
    }

    /// The acknowledgment that waited longest arrives now, whenever it was due.
    pub(super) fn release_late(&mut self, now: Timestamp) {
        if let Some(ack) = self.line.front_mut() {
            ack.time = now;
        }
        self.release_front(now);
    }

    /// `data` pass: what opened the window for them had arrived.
    pub(super) fn release_opened(&mut self, data: &Data) {
        while data.len > Bytes(1) && self.edge > StreamOffset(0) && data.end() > self.edge {
            let Some(ack) = self.line.front() else { return };
            self.shorten_half(data.time.since(ack.time), data.time);
            self.release_front(data.time);
        }
    }

    /// Data passed that an acknowledgment `within` before it seems to have let out. Once, that may have been
    /// another that the capture missed; a half that is too long shows again as soon.
    fn shorten_half(&mut self, within: Duration, now: Timestamp) {
        let Some(half) = self.half.filter(|half| within < *half) else {
            return self.learn(Some(within), None);
        };
        let soon = half.saturating_mul(2).saturating_add(ECHO_WAIT);
        let is_another = |time: Timestamp| time < now && now.since(time) <= soon;
        let last = self.opened.replace((now, within));
        if let Some((_, before)) = last.filter(|(time, _)| is_another(*time)) {
            let proven = before.max(within);
            self.half = Some(half.min(proven));
            self.learn(Some(proven), None);
        }
    }

    pub(super) fn release_due(&mut self, now: Timestamp) {
        self.release_arrived(now, now);
    }

    /// Hands on what arrived by `until`, as if by `told`.
    #[inline(never)]
    pub(super) fn release_arrived(&mut self, until: Timestamp, told: Timestamp) {
        let slack = self.slack();
        while self.is_any_due(until) {
            self.hand_on_front(told, slack);
        }
    }

    /// Whether the acknowledgment that waited longest has arrived by `until`.
    #[inline]
    pub(super) fn is_any_due(&self, until: Timestamp) -> bool {
        self.line.front().is_some_and(|waiting| self.arrival_of(waiting) <= until)
    }

    #[inline]
    pub(super) fn arrival_of(&self, waiting: &Ack) -> Timestamp {
        waiting.time.after(self.delay_of(waiting.timestamps.is_some()))
    }

    /// Hands on the acknowledgment that waited longest, with its arrival at the sender for a time.
    #[inline(never)]
    fn release_front(&mut self, now: Timestamp) {
        self.hand_on_front(now, self.slack());
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a fast flow's line is gone through here")]
    fn hand_on_front(&mut self, now: Timestamp, slack: Duration) {
        let Some(arrival) = self.line.front().map(|waiting| self.arrival_of(waiting)) else {
            return;
        };
        let time = arrival.min(now).max(self.told);
        self.told = time;
        let Some(ack) = self.line.front_mut() else { return };
        (ack.time, ack.slack) = (time, slack);
        self.edge = self.edge.max(edge_of(ack));
        if ack.has_payload {
            self.rode = value_of(ack);
        }
        self.handed_on.push(ack.timestamps);
        self.consumer.on_ack(ack);
        self.line.pop_front();
    }
}

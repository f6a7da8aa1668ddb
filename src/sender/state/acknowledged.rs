//! What an acknowledgment that reached the sender tells it.

use super::Sender;
use crate::flow::Ack;
use crate::sender::{Acknowledge, Gap, Recovery, SenderEvent};
use crate::units::{Bytes, StreamOffset};

impl Sender {
    /// Takes an acknowledgment that reached the sender.
    pub(crate) fn on_ack(&mut self, ack: &Ack, sink: &mut impl FnMut(SenderEvent)) {
        self.totals.advance(ack.time);
        self.is_remote = !ack.slack.is_zero();
        self.start_at(ack.ack);
        if ack.ack < self.vars.snd_una {
            self.unchanged = 0;
            return; // Reordered: its window is stale as well (SND.WL2, section 3.10.7.4).
        }
        let gap = self.gap(ack);
        if let Some(gap) = gap {
            sink(SenderEvent::Gap(gap));
        }
        let newly_acked = ack.ack.since(self.vars.snd_una);
        let highest_before = self.highest_delivered();
        let is_window_same = self.is_window_same(ack);
        if newly_acked > Bytes(0) {
            self.advance(ack);
        }
        let window_opened = self.take_window(ack, is_window_same);
        let delivery = self.take_sack(ack, highest_before);
        let has_sacked = delivery.as_ref().is_some_and(|it| it.newly_sacked > Bytes(0));
        self.take_eifel(ack);
        let rtt = self.sample(ack, newly_acked);
        self.count_round(rtt.is_some());
        self.end_recovery(ack.ack);
        self.last_heard = Some(ack.time);
        let is_dup_ack = self.repeats(ack, newly_acked) && (is_window_same || has_sacked);
        self.take_arrived(ack, newly_acked, is_dup_ack);
        let mut told = Acknowledge {
            frame: ack.frame,
            time: ack.time,
            newly_acked,
            newly_sacked: Bytes(0),
            newly_delivered: newly_acked,
            passed_over: Bytes(0),
            passed_over_sent: None,
            highest: ack.ack,
            window_opened,
            is_dup_ack,
            dsack: None,
            has_ece: ack.has_ece,
            has_payload: ack.has_payload,
            slack: ack.slack,
            rtt,
            is_followed: newly_acked <= self.size.smss() && self.is_followed(ack),
            repeats: ack.repeats,
            after: self.vars(),
        };
        if let Some(delivery) = &delivery {
            delivery.add_to(&mut told);
        }
        self.count_unchanged(ack, newly_acked, is_window_same && gap.is_none());
        sink(SenderEvent::Acknowledge(told));
    }

    /// Takes over what it acknowledges for the first time.
    #[inline]
    fn advance(&mut self, ack: &Ack) {
        let payload = self.payload_until(ack.ack);
        self.totals.acked = self.totals.acked.saturating_add(payload);
        self.timer_set = ack.time;
        self.passage.follow();
        self.last_echo = ack.timestamps.map(|stamps| stamps.echo);
        self.vars.snd_una = ack.ack;
        self.vars.snd_nxt = self.vars.snd_nxt.max(ack.ack);
    }

    /// See [`Acknowledge`].
    #[inline]
    fn is_followed(&self, ack: &Ack) -> bool {
        let next = self.sent.front().zip(self.vars.min_rtt);
        next.is_some_and(|(sent, min_rtt)| ack.time.since(sent.time) >= min_rtt)
    }

    /// Whether it advertises the window that the last one did; where the scale is not known, by what it says.
    #[inline]
    fn is_window_same(&mut self, ack: &Ack) -> bool {
        let before = std::mem::replace(&mut self.window_unscaled, ack.window_unscaled);
        let is_told_same = ack.window.is_some() || before == ack.window_unscaled;
        is_told_same && self.vars.snd_wnd == ack.window
    }

    /// It acknowledges again what was acknowledged, and nothing else, with data in flight (RFC 5681 section
    /// 2).
    #[inline]
    fn repeats(&self, ack: &Ack, newly_acked: Bytes) -> bool {
        let is_plain = !ack.has_payload && !ack.is_syn && !ack.is_fin;
        newly_acked == Bytes(0) && self.vars.snd_nxt > self.vars.snd_una && is_plain
    }

    #[inline]
    pub(super) fn end_recovery(&mut self, acked: StreamOffset) {
        if self.vars.recovery != Recovery::Open && acked >= self.recovery_point {
            self.vars.recovery = Recovery::Open;
        }
    }

    /// What `ack` acknowledges and the capture has not shown.
    #[inline]
    fn gap(&mut self, ack: &Ack) -> Option<Gap> {
        if self.unseen.is_empty() && ack.ack <= self.vars.snd_nxt {
            return None; // Nearly always.
        }
        let missed = self.missed(ack);
        self.totals.missed = self.totals.missed.saturating_add(missed);
        (missed > Bytes(0)).then_some(Gap { time: ack.time, frame: ack.frame, missed })
    }

    /// Takes over the window, unless it `is_same`; by how much its right edge moved.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "each acknowledgment does it once")]
    fn take_window(&mut self, ack: &Ack, is_same: bool) -> Bytes {
        if !is_same {
            self.vars.snd_wnd = ack.window;
            self.totals.hold_window(ack.window);
            self.size.on_window(ack.window.unwrap_or_default());
        }
        let edge = ack.window.map(|window| ack.ack.after(window));
        let before = std::mem::replace(&mut self.edge, edge);
        let Some(before) = before else { return Bytes(0) };
        // A window that was closed and is of unknown scale now has opened by as much as it says, or more.
        let least = || ack.ack.after(Bytes(u64::from(ack.window_unscaled)));
        edge.unwrap_or_else(least).since(before)
    }

    /// Octets that `ack` covers and the capture never showed.
    fn missed(&mut self, ack: &Ack) -> Bytes {
        if self.may_have_begun_later() {
            self.leave_out(ack);
            return Bytes(0);
        }
        self.unseen.take_below(ack.ack).saturating_add(ack.ack.since(self.vars.snd_nxt))
    }

    /// No more than a window can have been in flight when the capture began: what `ack` covers beyond that,
    /// and beyond what was seen, was acknowledged before, or what was seen belongs elsewhere. Where the scale
    /// is not known it is a window of what the ACK itself says.
    #[cold]
    fn leave_out(&mut self, ack: &Ack) {
        let window = ack.window.unwrap_or(Bytes(u64::from(ack.window_unscaled)));
        let beyond = ack.ack.since(self.vars.snd_nxt).saturating_sub(window);
        if self.has_sent {
            self.left_out = self.left_out.saturating_add(beyond);
        }
    }

    /// Octets from SND.UNA on, SYN and FIN left out.
    #[inline]
    fn payload_until(&self, end: StreamOffset) -> Bytes {
        let una = self.vars.snd_una;
        if una >= self.flag_end {
            return end.since(una); // Nearly always.
        }
        let is_new = |flag: Option<StreamOffset>| flag.is_some_and(|it| una < it && it <= end);
        let flags = u64::from(is_new(self.syn_end)).saturating_add(u64::from(is_new(self.fin_end)));
        end.since(una).saturating_sub(Bytes(flags))
    }
}

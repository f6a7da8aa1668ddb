//! What data change that go out: what was sent and is not acknowledged, and what the capture missed.

use super::Sender;
use crate::flow::Data;
use crate::sender::{RetransmitCause, SendKind};
use crate::units::{Bytes, StreamOffset, Timestamp};

#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    pub(super) start: StreamOffset,
    pub(super) end: StreamOffset,
    pub(super) time: Timestamp,
    /// Octets of it that were sent again; a frame holds no more than fits.
    pub(super) resent: u32,
    /// Payload of the smallest wire segment that its octets went out in: one as large got through once they
    /// are acknowledged.
    pub(super) size: u16,
    pub(super) is_resent: bool,
    pub(super) is_sacked: bool,
}

impl Sent {
    pub(super) fn take_resent(&mut self) -> Bytes {
        Bytes(u64::from(std::mem::take(&mut self.resent)))
    }

    /// The times of the oldest and the newest, with this one's as the newest: of what was not SACKed before.
    #[inline]
    pub(super) fn added_to(
        &self,
        times: Option<(Timestamp, Timestamp)>,
    ) -> Option<(Timestamp, Timestamp)> {
        if self.is_sacked {
            return times;
        }
        Some((times.map_or(self.time, |(oldest, _)| oldest), self.time))
    }

    pub(super) fn set_resent(&mut self, octets: Bytes) {
        self.resent = u32::try_from(octets.0).unwrap_or(u32::MAX);
    }
}

impl Sender {
    /// Data that are not just the next octets of the stream: what are they?
    #[inline(never)]
    pub(super) fn take_in(&mut self, data: &Data) -> SendKind {
        let is_old = data.end() <= self.vars.snd_nxt;
        if is_old && self.last_heard.is_none() {
            // No acknowledgment tells when a repair is over: what went out after it began needs its own.
            self.end_recovery(data.start);
        }
        let kind = match self.copies.on_data(data, is_old, self.copied_since(data)) {
            Some(cause) => SendKind::Duplicate(cause),
            None => self.kind(data),
        };
        if data.start > self.vars.snd_nxt && self.has_sent && !self.may_have_begun_later() {
            self.unseen.note(self.vars.snd_nxt, data.start, data.time);
        }
        self.fill(data, kind);
        self.bound_unseen();
        if data.is_syn {
            self.syn_end = Some(data.start.after(Bytes(1)));
        }
        if data.is_fin {
            self.fin_end = Some(data.end());
        }
        if data.is_syn || data.is_fin {
            self.flag_end = self.flag_end.max(data.end()).max(data.start.after(Bytes(1)));
        }
        match kind {
            SendKind::Retransmit(cause) => self.resend(data, cause),
            SendKind::WindowProbe | SendKind::KeepAlive => self.mark_resent(data),
            SendKind::New if self.is_partly_old(data) => self.mark_resent(data),
            _ => {}
        }
        kind
    }

    /// `data` go beyond all that was sent.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "nearly all data do")]
    pub(super) fn send_beyond(&mut self, data: &Data) {
        self.push_sent(data);
        self.vars.snd_nxt = data.end();
        self.has_more_waiting = !data.is_pushed;
        self.round = self.round.or(Some((self.vars.snd_nxt, false)));
    }

    fn resend(&mut self, data: &Data, cause: RetransmitCause) {
        let resent_end = data.end().min(self.vars.snd_nxt);
        self.on_retransmission(data, resent_end, cause);
        if cause != RetransmitCause::Handshake {
            self.passage.repeat(self.size.wire(data.len));
        }
        let stamp = data.timestamps.filter(|_| !self.has_sack && self.eifel.is_none());
        self.eifel = self.eifel.or(stamp.map(|stamps| (stamps.value, data.start, resent_end)));
    }

    #[inline]
    fn push_sent(&mut self, data: &Data) {
        if self.sent.len() >= Self::SENT_MAX {
            self.sent.pop_front();
            self.totals.is_scoreboard_limit_reached = true;
        }
        self.sent.push_back(Sent {
            // What of it was sent before has an entry, and SND.UNA is not beyond SND.NXT.
            start: data.start.max(self.vars.snd_nxt),
            end: data.end(),
            time: data.time,
            resent: 0,
            size: self.size.wire(data.len),
            is_resent: false,
            is_sacked: false,
        });
    }

    /// What comes late was not missed: it was overtaken, or lost before the tap. At the sender nothing
    /// is lost before the tap, so there the capture missed the first copy.
    fn fill(&mut self, data: &Data, kind: SendKind) {
        let is_first_copy = match kind {
            SendKind::Reordered => true,
            SendKind::Retransmit(_) => self.is_remote,
            _ => false,
        };
        if is_first_copy {
            self.push_unseen(data);
            self.unseen.fill(data.start, data.end());
        }
    }

    /// What was lost before the tap goes into its place, to be marked as sent again: what follows it came
    /// earlier, and an ACK that covers both tells nothing of when (Karn's rule).
    fn push_unseen(&mut self, data: &Data) {
        if self.unseen.since(data.start, data.end()).is_none() || self.sent.len() >= Self::SENT_MAX
        {
            return;
        }
        let (start, end) = (data.start, data.end());
        let place = self.sent.partition_point(|sent| sent.end <= start);
        let (time, size) = (data.time, self.size.wire(data.len));
        let sent = Sent { start, end, time, resent: 0, size, is_resent: false, is_sacked: false };
        self.sent.insert(place, sent);
    }

    /// What there is no room for any more counts as missed, as it would once it was acknowledged.
    fn bound_unseen(&mut self) {
        let octets = self.unseen.keep_last(Self::HOLES_MAX);
        if octets > Bytes(0) {
            self.totals.missed = self.totals.missed.saturating_add(octets);
            self.totals.is_scoreboard_limit_reached = true;
        }
    }
}

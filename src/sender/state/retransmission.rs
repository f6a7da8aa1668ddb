//! Was it sent before, and what made the sender send it again?

use super::Sender;
use super::loss_probe::TICKS;
use crate::flow::{Ack, Data};
use crate::sender::{Recovery, RetransmitCause, SHORTENED_PARTS, SendKind};
use crate::units::host::RTO_INITIAL;
use crate::units::{Bytes, Duration, StreamOffset, Timestamp};
use crate::wire::TcpTimestamps;

impl Sender {
    pub(super) fn kind(&self, data: &Data) -> SendKind {
        let is_old = data.end() <= self.vars.snd_nxt
            && (data.end() > data.start || data.start < self.vars.snd_nxt);
        if !is_old {
            return self.kind_beyond(data);
        }
        if data.is_syn {
            return SendKind::Retransmit(RetransmitCause::Handshake);
        }
        let is_window_shut = self.vars.snd_wnd.is_some_and(|wnd| wnd < self.size.smss());
        if data.len <= Bytes(1) && !data.is_fin {
            if is_window_shut {
                return SendKind::WindowProbe;
            }
            if self.is_keep_alive(data) {
                return SendKind::KeepAlive;
            }
        }
        let since = self.unseen.since(data.start, data.end());
        if since.is_some_and(|since| data.time.since(since) < self.repeat_min()) {
            return SendKind::Reordered;
        }
        SendKind::Retransmit(self.cause(data))
    }

    /// When something was sent or heard last.
    #[inline]
    pub(super) fn last_moved(&self) -> Timestamp {
        self.last_heard.map_or(self.last_send, |heard| heard.max(self.last_send))
    }

    /// Whether the octet, or none, probes an idle connection: it was acknowledged (RFC 9293 section 3.8.4),
    /// as far as ACKs tell.
    fn is_keep_alive(&self, data: &Data) -> bool {
        let is_one_way = self.last_heard.is_none();
        data.len == Bytes(0) || data.end() <= self.vars.snd_una || is_one_way
    }

    /// Of what goes beyond SND.NXT: BSD and Windows fill a repair up to SMSS with what was queued since.
    fn kind_beyond(&self, data: &Data) -> SendKind {
        if !self.is_partly_old(data) || self.is_after_window_probe(data) {
            return SendKind::New;
        }
        let cause = if data.is_syn { RetransmitCause::Handshake } else { self.cause(data) };
        SendKind::Retransmit(cause)
    }

    /// What is in flight is sent again with new octets behind it.
    pub(super) fn is_partly_old(&self, data: &Data) -> bool {
        self.vars.snd_una <= data.start
            && data.start < self.vars.snd_nxt
            && self.vars.snd_nxt < data.end()
    }

    /// An octet that probed a closed window is no loss: it goes out again, with the rest of its segment,
    /// at once when the window opens.
    fn is_after_window_probe(&self, data: &Data) -> bool {
        let quiet = data.time.since(self.last_moved());
        let is_prompt = quiet < self.vars.srtt.unwrap_or(RTO_INITIAL);
        is_prompt && self.vars.snd_nxt.since(data.start) <= Bytes(1)
    }

    /// No sender repeats itself sooner: duplicate ACKs and SACK (RFC 6675) come a round trip after what was
    /// lost, and the timers (RFC 6298, RFC 8985) take longer.
    fn repeat_min(&self) -> Duration {
        let part = f64::from(SHORTENED_PARTS).recip();
        self.vars.min_rtt.unwrap_or(RTO_INITIAL).mul_f64(part)
    }

    /// What is like `data` and went out since is a copy of it. Where neither timestamps nor the other
    /// direction are there, the RTT may be anything. After a timeout all that was out before goes out again,
    /// however new it is.
    pub(super) fn copied_since(&self, data: &Data) -> Timestamp {
        let is_bounded = data.timestamps.is_some() || self.last_heard.is_some();
        if !is_bounded {
            return data.time;
        }
        data.time.before(self.repeat_min()).max(self.expired)
    }

    fn cause(&self, data: &Data) -> RetransmitCause {
        let quiet = data.time.since(self.last_moved());
        let srtt = self.vars.srtt.unwrap_or(RTO_INITIAL);
        let is_by_timer = self.is_timer_expired(data) || self.has_reneged(data);
        let is_tail = self.vars.recovery == Recovery::Open
            && data.end() >= self.vars.snd_nxt
            && self.sacked.is_empty();
        if self.vars.recovery == Recovery::Timeout
            || is_by_timer && !(is_tail && self.is_probe_of_all(quiet))
        {
            return RetransmitCause::Timeout;
        }
        let earliest = self.until_rto().map_or(srtt, |until_rto| until_rto.max(TICKS).min(srtt));
        let is_probe = is_tail && quiet >= earliest;
        if self.is_unprompted(data) && !(is_probe && self.may_be_probe(data)) {
            return RetransmitCause::Timeout;
        }
        if is_probe { RetransmitCause::LossProbe } else { RetransmitCause::Fast }
    }

    /// The head goes out again, as long after the timer was set as it takes to expire. A fifth is
    /// left for what the estimate of the RTO misses. (0.6 and 0.9 change neither limit nor path of 2482
    /// directions of the open corpus, of `tests/held-out` and of captures of others.)
    fn is_timer_expired(&self, data: &Data) -> bool {
        let rto = self.vars.rto_est.unwrap_or(RTO_INITIAL);
        data.start <= self.vars.snd_una && data.time.since(self.timer_set) >= rto.mul_f64(0.8)
    }

    /// The head goes out again although it was SACKed: the receiver has dropped it (RFC 2018 section
    /// 8). Linux treats that as a timeout (`tcp_check_sack_reneging`).
    fn has_reneged(&self, data: &Data) -> bool {
        data.start <= self.vars.snd_una
            && self.sacked.first().is_some_and(|start| start <= self.vars.snd_una)
    }

    /// An octet that probes a closed window again gives no RTT sample (Karn's rule): its acknowledgment comes
    /// when the window has opened, which may be minutes after it went out first.
    pub(super) fn mark_resent(&mut self, data: &Data) {
        let first = self.sent.partition_point(|sent| sent.end <= data.start);
        for sent in self.sent.range_mut(first..).take_while(|sent| sent.start < data.end()) {
            sent.is_resent = true;
        }
    }

    pub(super) fn on_retransmission(
        &mut self,
        data: &Data,
        end: StreamOffset,
        cause: RetransmitCause,
    ) {
        let is_timeout = cause == RetransmitCause::Timeout
            && (self.vars.recovery != Recovery::Timeout
                || self.is_timer_expired(data)
                || self.is_unprompted(data));
        if is_timeout {
            self.lose_resent();
        }
        self.note_again(data);
        self.repeated.add(data.start, end);
        let first = self.sent.partition_point(|sent| sent.end <= data.start);
        let size = self.size.wire(data.len);
        for sent in self.sent.range_mut(first..).take_while(|sent| sent.start < end) {
            sent.is_resent = true;
            sent.size = sent.size.min(size);
            let octets = end.min(sent.end).since(data.start.max(sent.start));
            let before = sent.take_resent();
            // Parts of a super-frame are sent again one by one. Which of them is not kept, so no more than
            // all of it counts.
            let resent = before.saturating_add(octets).min(sent.end.since(sent.start));
            self.resent = self.resent.saturating_sub(before).saturating_add(resent);
            sent.set_resent(resent);
        }
        let next = match cause {
            RetransmitCause::Timeout => Recovery::Timeout,
            RetransmitCause::Fast => Recovery::Fast,
            RetransmitCause::LossProbe | RetransmitCause::Handshake => return,
        };
        if self.vars.recovery == Recovery::Open || is_timeout {
            if next == Recovery::Timeout {
                self.lost_edge = self.lost_edge.max(self.vars.snd_nxt);
                self.arrived = Bytes(0);
                self.expired = data.time;
            }
            self.vars.recovery = next;
            self.recovery_point = self.vars.snd_nxt;
            let episodes = if next == Recovery::Timeout {
                &mut self.totals.timeouts
            } else {
                &mut self.totals.recoveries
            };
            *episodes = episodes.saturating_add(1);
        }
    }

    /// A timer's expiry: what was sent again before is lost as well (Linux `tcp_enter_loss`).
    fn lose_resent(&mut self) {
        if self.resent > Bytes(0) {
            self.sent.iter_mut().for_each(|sent| sent.set_resent(Bytes(0)));
            self.resent = Bytes(0);
        }
    }

    /// RFC 3522: an ACK that covers a retransmission and echoes a timestamp from before it answers
    /// the original, so the retransmission was not needed.
    pub(super) fn take_eifel(&mut self, ack: &Ack) {
        let Some((value, start, end)) = self.eifel.filter(|(.., end)| ack.ack >= *end) else {
            return;
        };
        self.eifel = None;
        if ack.timestamps.is_some_and(|stamps| TcpTimestamps::is_newer(value, stamps.echo)) {
            self.totals.spurious_segments = self.totals.spurious_segments.saturating_add(1);
            // Where no handshake tells of SACK, a D-SACK may say the same again.
            self.repeated.remove(start, end);
        }
        debug_assert!(end <= self.vars.snd_una, "the ACK was taken in");
    }
}

//! Was new data a tail loss probe? Linux prefers it to a repetition, if the window has room
//! (`tcp_send_loss_probe`, RFC 8985 section 7.3), so nothing on the wire marks it but its time.

use super::Sender;
use crate::flow::Data;
use crate::sender::{Recovery, SendKind};
use crate::units::{Bytes, Duration};

/// RFC 8985 section 7.2: what a receiver may hold back the ACK of a lone segment; Linux
/// `TCP_RTO_MIN`.
const DELAYED_ACK_MAX: Duration = Duration::from_millis(200);

/// Two ticks: Linux `TCP_TIMEOUT_MIN`. A tick has 10 ms at the most (`HZ` 100).
pub(super) const TICKS: Duration = Duration::from_millis(20);

/// And 1 ms at the least (`HZ` 1000), the first of the two having begun.
const TICK_MIN: Duration = Duration::from_millis(1);

impl Sender {
    /// It is one segment, or what was put off, with nothing SACKed or under repair
    /// (`tcp_schedule_loss_probe`), in an interval that nothing ended but the probe's timer: data was waiting
    /// behind the send before it (no PSH), or the timer was due just then.
    #[inline]
    pub(super) fn is_probe_of_new_data(&self, data: &Data, kind: SendKind) -> bool {
        let quiet = data.time.since(self.last_moved());
        // No probe comes so soon: this holds for nearly all, and the rest need not be asked.
        let is_late = self.vars.srtt.is_some_and(|srtt| quiet >= srtt.min(TICKS));
        is_late && self.is_late_probe(data, kind, quiet)
    }

    /// From the last send or acknowledgment to when the retransmission timer of what was sent first is due,
    /// for no probe comes later: a send leaves it as it was (`tcp_rto_delta_us`), an acknowledgment sets it
    /// anew.
    pub(super) fn until_rto(&self) -> Option<Duration> {
        let rto = self.vars.rto_est?;
        let is_send_last = self.last_moved() == self.last_send;
        let head = self.sent.front().filter(|head| is_send_last && !head.is_resent);
        Some(head.map_or(rto, |head| head.time.after(rto).since(self.last_send)))
    }

    #[inline(never)]
    fn is_late_probe(&self, data: &Data, kind: SendKind, quiet: Duration) -> bool {
        let is_tail = self.vars.recovery == Recovery::Open && self.sacked.is_empty();
        // What was lost in front of the tap left no later than what came behind it.
        let is_behind_loss = self.is_remote && data.start > self.vars.snd_nxt;
        let is_in_flight = self.vars.snd_nxt > self.vars.snd_una || is_behind_loss;
        if kind != SendKind::New
            || !self.has_sack
            || !is_tail
            || !is_in_flight
            || self.is_too_coarse()
        {
            return false;
        }
        let Some((earliest, latest)) = self.probe_times() else { return false };
        let is_due = quiet >= earliest && quiet <= latest;
        let is_single = data.len > Bytes(0) && self.size.segments(data.len) == 1;
        if is_single {
            is_due || self.has_more_waiting && quiet >= earliest
        } else {
            is_due && self.is_put_off(data)
        }
    }

    /// By a clock of longer ticks than a round trip each next send comes two round trips late, or none.
    fn is_too_coarse(&self) -> bool {
        self.vars.min_rtt.is_some_and(|rtt| rtt < self.tap_tick)
    }

    /// Whole segments before it and in it: what an ACK was waited for, so that they make larger sends
    /// (`tcp_tso_should_defer`), leaves at the probe's time as one buffer (`tcp_write_xmit`: `push_one`).
    fn is_put_off(&self, data: &Data) -> bool {
        let is_whole = |octets: Bytes| octets.0.checked_rem(self.size.smss().0) == Some(0);
        let last = self.sent.back();
        is_whole(data.len) && last.is_some_and(|last| is_whole(last.end.since(last.start)))
    }

    /// The tail goes out again for the first time although it is the head as well: the probe's timer is set
    /// in the retransmission timer's place while nothing is known to be lost, and expires no later
    /// (`tcp_schedule_loss_probe`).
    pub(super) fn is_probe_of_all(&self, quiet: Duration) -> bool {
        let is_first = self.sent.front().is_some_and(|head| !head.is_resent);
        let is_due = || self.probe_times().is_some_and(|(_, latest)| quiet <= latest);
        self.has_sack && is_first && is_due()
    }

    /// How long after the last send or acknowledgment a probe goes out, at least and at most.
    fn probe_times(&self) -> Option<(Duration, Duration)> {
        let (srtt, until_rto) = (self.vars.srtt?, self.until_rto()?);
        let is_lone = self.vars.snd_nxt.since(self.vars.snd_una) <= self.size.smss();
        let extra = if is_lone { DELAYED_ACK_MAX } else { TICKS };
        let two_rtts = srtt.saturating_mul(2);
        let latest = two_rtts.saturating_add(extra).min(until_rto).saturating_add(TICKS);
        Some((two_rtts.min(until_rto).max(TICK_MIN), latest))
    }
}

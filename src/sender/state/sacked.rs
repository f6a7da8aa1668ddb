//! The scoreboard of RFC 6675: what the receiver has beyond SND.UNA, and what is still in the pipe.

use super::Sender;
use crate::flow::Ack;
use crate::sender::Acknowledge;
use crate::units::{Bytes, StreamOffset, Timestamp};

/// What an acknowledgment told of octets beyond it.
#[derive(Debug)]
pub(super) struct Delivery {
    /// All SACKed octets, before it and after.
    sacked_before: Bytes,
    sacked: Bytes,
    /// See [`Acknowledge`].
    pub(super) newly_sacked: Bytes,
    passed_over: Bytes,
    passed_over_sent: Option<Timestamp>,
    highest: StreamOffset,
    dsack: Option<(StreamOffset, StreamOffset)>,
}

impl Delivery {
    #[inline(never)]
    pub(super) fn add_to(&self, told: &mut Acknowledge) {
        told.newly_sacked = self.newly_sacked;
        told.newly_delivered =
            told.newly_acked.saturating_add(self.sacked).saturating_sub(self.sacked_before);
        told.passed_over = self.passed_over;
        told.passed_over_sent = self.passed_over_sent;
        told.highest = self.highest;
        told.dsack = self.dsack;
    }
}

impl Sender {
    /// Takes the SACK blocks of `ack`, which SND.UNA has followed; `before` is the highest octet that the
    /// receiver had told to have.
    /// `None` if it has none, and none had come before.
    pub(super) fn take_sack(&mut self, ack: &Ack, before: StreamOffset) -> Option<Delivery> {
        self.sacked_sent = None;
        if ack.sack.as_slice().is_empty() && self.sacked.is_empty() {
            return None; // Nearly always.
        }
        Some(self.take_blocks(ack, before))
    }

    #[inline(never)]
    fn take_blocks(&mut self, ack: &Ack, before: StreamOffset) -> Delivery {
        let sacked_before = self.sacked.octets();
        self.has_sack = true;
        let mut dsack = second_report(ack);
        for &(start, end) in ack.sack.as_slice() {
            if end <= ack.ack {
                dsack = Some((start, end));
            } else if end <= self.vars.snd_nxt {
                self.take_block(start.max(ack.ack), end);
            }
        }
        self.sacked.forget_below(ack.ack);
        if let Some((start, end)) = dsack {
            self.count_dsack(start, end);
        }
        let sacked = self.sacked.octets();
        let passed_over = self.passed_over(before);
        Delivery {
            newly_sacked: sacked.saturating_sub(sacked_before),
            sacked_before,
            sacked,
            dsack,
            passed_over,
            passed_over_sent: (passed_over > Bytes(0))
                .then(|| self.passed_over_sent(before))
                .flatten(),
            highest: self.highest_delivered(),
        }
    }

    /// A receiver that joins segments reports several in one block (Linux `tcp_dsack_seen`).
    fn count_dsack(&mut self, start: StreamOffset, end: StreamOffset) {
        let copied = u64::from(self.size.segments(end.since(start)));
        self.totals.dsack_segments = self.totals.dsack_segments.saturating_add(copied);
        let again = self.repeated.remove(start, end);
        if again > Bytes(0) {
            let needless = u64::from(self.size.segments(again));
            self.totals.spurious_segments = self.totals.spurious_segments.saturating_add(needless);
        }
    }

    /// Marks what of `start..end` was not SACKed before. Most blocks say nothing new.
    fn take_block(&mut self, start: StreamOffset, end: StreamOffset) {
        if self.sacked.count() >= Self::HOLES_MAX {
            self.totals.is_scoreboard_limit_reached = true;
            return; // Until an acknowledgment makes room.
        }
        let mut at = start;
        while let Some((from, to)) = self.sacked.missing(at, end) {
            self.mark_sent(from, to);
            at = to;
        }
        if at > start {
            self.sacked.add(start, end);
        }
    }

    /// Part of a super-frame tells when it went out if it holds a whole segment, as with Linux, which takes
    /// it apart there (`tcp_match_skb_to_sack`).
    fn mark_sent(&mut self, start: StreamOffset, end: StreamOffset) {
        self.passage.follow();
        let smss = self.size.smss();
        let first = self.sent.partition_point(|sent| sent.end <= start);
        for sent in self.sent.range_mut(first..).take_while(|sent| sent.start < end) {
            let is_whole = sent.end <= end;
            if !sent.is_resent && (is_whole || end.since(start.max(sent.start)) >= smss) {
                let (oldest, newest) = self.sacked_sent.unwrap_or((sent.time, sent.time));
                self.sacked_sent = Some((oldest.min(sent.time), newest.max(sent.time)));
            }
            if is_whole {
                sent.is_sacked = true;
                self.resent = self.resent.saturating_sub(sent.take_resent());
            }
        }
    }

    /// `SetPipe` of RFC 6675 section 4: no SACKed and no lost octets, retransmissions counted.
    #[inline]
    pub(super) fn pipe(&mut self, flight_size: Bytes) -> Bytes {
        if self.arrived > Bytes(0) {
            return self.pipe_without_sack(flight_size);
        }
        if self.sacked.is_empty() {
            let lost = self.lost_edge.since(self.vars.snd_una);
            return flight_size.saturating_sub(lost).saturating_add(self.resent);
        }
        self.pipe_between_sacked(flight_size)
    }

    #[inline(never)]
    fn pipe_between_sacked(&mut self, flight_size: Bytes) -> Bytes {
        let edge = self.lost_edge();
        let sacked_above = self.sacked.octets_above(edge);
        let sacked_below = self.sacked.octets().saturating_sub(sacked_above);
        let lost = edge.since(self.vars.snd_una).saturating_sub(sacked_below);
        let left = flight_size.saturating_sub(self.sacked.octets()).saturating_sub(lost);
        left.saturating_add(self.resent)
    }

    /// One past the highest octet that the receiver has told to have.
    pub(super) fn highest_delivered(&self) -> StreamOffset {
        if self.sacked.is_empty() {
            return self.vars.snd_una; // Nearly always.
        }
        self.vars.snd_una.max(self.sacked.highest())
    }

    /// What of `before..` the receiver does not have, up to the highest octet that it has.
    fn passed_over(&self, before: StreamOffset) -> Bytes {
        if self.sacked.is_empty() {
            return Bytes(0); // It ends at SND.UNA.
        }
        let floor = self.vars.snd_una.max(before);
        let highest = self.highest_delivered();
        highest.since(floor).saturating_sub(self.sacked.between(floor, highest))
    }

    /// When the first octet of [`Self::passed_over`] went out first.
    fn passed_over_sent(&self, before: StreamOffset) -> Option<Timestamp> {
        let (first, _) =
            self.sacked.missing(self.vars.snd_una.max(before), self.highest_delivered())?;
        let nth = self.sent.partition_point(|sent| sent.end <= first);
        self.sent.get(nth).filter(|sent| sent.start <= first).map(|sent| sent.time)
    }

    /// Octets are lost that lie three segments (`DupThresh`) below the highest one SACKed, be those between
    /// SACKed or not: what was sent before it is lost with Linux (`tcp_rack_detect_loss`), while `IsLost` of
    /// RFC 6675 counts the octets SACKed above. (By that, cwnd told of a corpus of Linux senders is off by
    /// 6.5 % on average, by this by 6.3 %.)
    fn lost_edge(&self) -> StreamOffset {
        let allowed = self.size.smss().0.saturating_mul(3);
        self.lost_edge.max(StreamOffset(self.sacked.highest().0.saturating_sub(allowed)))
    }
}

/// RFC 2883 section 4.2: a first block within the second one was received twice, beyond the cumulative
/// acknowledgment (Linux `tcp_check_dsack`).
fn second_report(ack: &Ack) -> Option<(StreamOffset, StreamOffset)> {
    let &[(start, end), (outer_start, outer_end), ..] = ack.sack.as_slice() else { return None };
    let is_within = outer_start <= start && end <= outer_end;
    (is_within && start < end && start >= ack.ack).then_some((start, end))
}

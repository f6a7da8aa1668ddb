//! The scoreboard of RFC 6675: what the receiver has beyond SND.UNA, and what is still in the pipe.

use super::Sender;
use crate::flow::Ack;
use crate::units::{Bytes, StreamOffset};

impl Sender {
    /// Octets newly SACKed, and those that the receiver got once more.
    pub(super) fn take_sack(&mut self, ack: &Ack) -> (Bytes, Option<(StreamOffset, StreamOffset)>) {
        let before = self.sacked_octets;
        let mut dsack = None;
        self.sacked_sent = None;
        for &(start, end) in ack.sack.as_slice() {
            if end <= ack.ack {
                dsack = Some((start, end));
            } else if end <= self.nxt {
                self.mark_sacked(start.max(ack.ack), end);
                self.add_sacked(start.max(ack.ack), end);
            }
        }
        while let Some((&start, &end)) = self.sacked.first_key_value() {
            if start >= ack.ack {
                break;
            }
            self.sacked.remove(&start);
            if end > ack.ack {
                self.sacked.insert(ack.ack, end);
                self.sacked_octets = self.sacked_octets.saturating_sub(ack.ack.since(start));
            } else {
                self.sacked_octets = self.sacked_octets.saturating_sub(end.since(start));
            }
        }
        if let Some((start, end)) = dsack {
            self.totals.dsack_segments = self.totals.dsack_segments.saturating_add(1);
            let is_sent_twice = self.repeated.remove(start, end);
            self.totals.spurious_segments =
                self.totals.spurious_segments.saturating_add(u64::from(is_sent_twice));
        }
        let grown = self.sacked_octets.saturating_sub(before);
        (grown, dsack)
    }

    /// Marks what of `start..end` was not SACKed before.
    fn mark_sacked(&mut self, start: StreamOffset, end: StreamOffset) {
        let mut at = start;
        while at < end {
            let known = self.sacked.range(..=at).next_back().filter(|(_, to)| **to > at);
            if let Some((_, &to)) = known {
                at = to;
                continue;
            }
            let next = self.sacked.range(at..).next().map_or(end, |(from, _)| (*from).min(end));
            self.mark_sent(at, next);
            at = next;
        }
    }

    fn mark_sent(&mut self, start: StreamOffset, end: StreamOffset) {
        let first = self.sent.partition_point(|sent| sent.end <= start);
        for sent in self.sent.range_mut(first..).take_while(|sent| sent.end <= end) {
            if !sent.is_resent && self.sacked_sent.is_none() {
                self.sacked_sent = Some(sent.time);
            }
            sent.is_sacked = true;
            self.resent = self.resent.saturating_sub(std::mem::take(&mut sent.resent));
        }
    }

    fn add_sacked(&mut self, start: StreamOffset, end: StreamOffset) {
        let (mut start, mut end) = (start, end);
        while let Some((&from, &to)) = self.sacked.range(..=end).next_back() {
            if to < start {
                break;
            }
            self.sacked.remove(&from);
            self.sacked_octets = self.sacked_octets.saturating_sub(to.since(from));
            start = start.min(from);
            end = end.max(to);
        }
        self.sacked.insert(start, end);
        self.sacked_octets = self.sacked_octets.saturating_add(end.since(start));
    }

    /// `SetPipe` of RFC 6675 section 4: no SACKed and no lost octets, retransmissions counted.
    pub(super) fn pipe(&self, flight_size: Bytes) -> Bytes {
        let edge = self.lost_edge();
        let above = self.sacked.iter().rev().take_while(|(_, end)| **end > edge);
        let sacked_above = above
            .fold(Bytes(0), |sum, (start, end)| sum.saturating_add(end.since(edge.max(*start))));
        let sacked_below = self.sacked_octets.saturating_sub(sacked_above);
        let lost = edge.since(self.una).saturating_sub(sacked_below);
        let left = flight_size.saturating_sub(self.sacked_octets).saturating_sub(lost);
        left.saturating_add(self.resent)
    }

    /// Octets are lost once more than two segments above them are SACKed (`DupThresh` is 3).
    fn lost_edge(&self) -> StreamOffset {
        let highest = self.sacked.last_key_value().map_or(StreamOffset(0), |(_, end)| *end);
        let allowed = self.size.smss().0.saturating_mul(3);
        self.lost_edge.max(StreamOffset(highest.0.saturating_sub(allowed)))
    }
}

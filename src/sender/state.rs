//! The sender's variables (RFC 9293 section 3.3.1), rebuilt from the wire.

use std::collections::{BTreeMap, VecDeque};

use super::copies::Copies;
use super::rtt::{RTO_INITIAL, RttEstimator};
use super::segment_size::SegmentSize;
use super::totals::SenderTotals;
use super::{
    Acknowledge, Gap, Recovery, RetransmitCause, RttMatcher, RttSample, Send, SendKind,
    SenderEvent, SenderVars,
};
use crate::flow::{Ack, Data, Handshake};
use crate::units::{Bytes, StreamOffset, Timestamp};

/// One direction's sender, as far as a passive observer can know it.
#[derive(Debug, Default)]
pub(crate) struct Sender {
    una: StreamOffset,
    nxt: StreamOffset,
    is_started: bool,
    has_sent: bool,
    edge: Option<StreamOffset>,
    wnd: Option<Bytes>,
    size: SegmentSize,
    sent: VecDeque<Sent>,
    copies: Copies,
    /// Start to end, disjoint, above SND.UNA.
    sacked: BTreeMap<StreamOffset, StreamOffset>,
    sacked_octets: Bytes,
    /// Below it, what is not SACKed is lost: `IsLost` of RFC 6675 section 4, everything sent before
    /// a retransmission timeout (RFC 6298 section 5).
    lost_edge: StreamOffset,
    /// Octets sent again and neither acknowledged nor SACKed since.
    resent: Bytes,
    /// The receiver tells copies by D-SACK (RFC 2883), so timestamps need not.
    has_sack: bool,
    /// TSval and end of the first retransmission that no ACK has covered yet.
    eifel: Option<(u32, StreamOffset)>,
    /// When the oldest segment that the current ACK newly SACKs went out, if sent once only.
    sacked_sent: Option<Timestamp>,
    /// TSval and when it first went out, oldest first.
    stamps: VecDeque<(u32, Timestamp)>,
    /// Passed over by SND.NXT and never seen, start to end and when.
    unseen: BTreeMap<StreamOffset, (StreamOffset, Timestamp)>,
    recovery: Recovery,
    recovery_point: StreamOffset,
    rtt: RttEstimator,
    last_send: Timestamp,
    last_heard: Timestamp,
    totals: SenderTotals,
}

#[derive(Debug, Clone, Copy)]
struct Sent {
    start: StreamOffset,
    end: StreamOffset,
    time: Timestamp,
    /// Octets of it that were sent again.
    resent: Bytes,
    is_resent: bool,
    is_sacked: bool,
}

impl Sender {
    /// Ticks of the timestamp clock remembered: four seconds at Linux's 1 ms.
    const STAMPS_MAX: usize = 4096;
    /// Transmissions remembered at once: a window of 1 GB in full-sized segments has fewer.
    const SENT_MAX: usize = 1 << 20;

    pub(crate) fn on_handshake(&mut self, handshake: &Handshake) {
        self.size.set_announced(handshake.mss);
        self.has_sack = handshake.is_sack_permitted;
    }

    pub(crate) fn into_totals(self) -> SenderTotals {
        self.totals
    }

    /// Takes what the sender put on the wire.
    pub(crate) fn on_data(&mut self, data: &Data, sink: &mut impl FnMut(SenderEvent)) {
        self.advance(data.time);
        self.size.learn(data);
        self.note_stamp(data);
        if !self.is_started {
            (self.is_started, self.una, self.nxt) = (true, data.start, data.start);
        }
        let is_old = data.end() <= self.nxt;
        let kind = match self.copies.on_data(data, is_old) {
            Some(cause) => SendKind::Duplicate(cause),
            None => self.kind(data),
        };
        // What was in flight when the capture began is no gap in it.
        if data.start > self.nxt && self.has_sent {
            self.unseen.insert(self.nxt, (data.start, data.time));
        }
        self.has_sent = true;
        let resent_end = data.end().min(self.nxt);
        if let SendKind::Retransmit(cause) = kind {
            self.on_retransmission(data, resent_end, cause);
            let stamp = data.timestamps.filter(|_| !self.has_sack && self.eifel.is_none());
            self.eifel = self.eifel.or(stamp.map(|stamps| (stamps.value, resent_end)));
        }
        if data.end() > self.nxt {
            self.nxt = data.end();
            self.push_sent(data);
        }
        let segments = self.size.segments(data.len);
        self.totals.count(kind, segments, data.len);
        self.last_send = data.time;
        self.totals.flight_max = self.totals.flight_max.max(self.nxt.since(self.una));
        sink(SenderEvent::Send(Send {
            frame: data.frame,
            time: data.time,
            start: data.start,
            len: data.len,
            segments,
            smss: self.size.smss(),
            kind,
            is_syn: data.is_syn,
            is_fin: data.is_fin,
            is_pushed: data.is_pushed,
            after: self.vars(),
        }));
    }

    /// Takes an acknowledgment that reached the sender.
    pub(crate) fn on_ack(&mut self, ack: &Ack, sink: &mut impl FnMut(SenderEvent)) {
        self.advance(ack.time);
        if !self.is_started {
            (self.is_started, self.una, self.nxt) = (true, ack.ack, ack.ack);
        }
        if ack.ack < self.una {
            return; // Reordered: its window is stale as well (SND.WL2, section 3.10.7.4).
        }
        let missed = self.missed(ack);
        if missed > Bytes(0) {
            self.totals.missed = self.totals.missed.saturating_add(missed);
            sink(SenderEvent::Gap(Gap { time: ack.time, frame: ack.frame, missed }));
        }
        let newly_acked = ack.ack.since(self.una);
        let edge_before = self.edge;
        let is_window_same = self.wnd == ack.window;
        self.totals.acked = self.totals.acked.saturating_add(newly_acked);
        self.una = ack.ack;
        self.nxt = self.nxt.max(ack.ack);
        self.wnd = ack.window;
        self.edge = ack.window.map(|window| ack.ack.after(window));
        let (sacked_now, has_dsack) = self.take_sack(ack);
        self.take_eifel(ack);
        let rtt = self.sample(ack, newly_acked);
        if self.recovery != Recovery::Open && ack.ack >= self.recovery_point {
            self.recovery = Recovery::Open;
        }
        self.last_heard = ack.time;
        let window_opened = match (self.edge, edge_before) {
            (Some(edge), Some(before)) => edge.since(before),
            _ => Bytes(0),
        };
        let is_dup_ack = newly_acked == Bytes(0)
            && self.nxt > self.una
            && !ack.has_payload
            && (is_window_same || sacked_now > Bytes(0));
        sink(SenderEvent::Acknowledge(Acknowledge {
            frame: ack.frame,
            time: ack.time,
            newly_acked,
            newly_sacked: sacked_now,
            window_opened,
            is_dup_ack,
            has_dsack,
            has_ece: ack.has_ece,
            has_payload: ack.has_payload,
            slack: ack.slack,
            rtt,
            after: self.vars(),
        }));
    }

    fn advance(&mut self, now: Timestamp) {
        let vars = self.vars();
        self.totals.advance(now, &vars);
    }

    fn kind(&self, data: &Data) -> SendKind {
        let is_old = data.end() <= self.nxt && (data.end() > data.start || data.start < self.nxt);
        if !is_old {
            return SendKind::New;
        }
        if data.is_syn {
            return SendKind::Retransmit(RetransmitCause::Handshake);
        }
        let is_window_shut = self.wnd.is_some_and(|wnd| wnd < self.size.smss());
        if data.len <= Bytes(1) && !data.is_fin {
            return if is_window_shut { SendKind::WindowProbe } else { SendKind::KeepAlive };
        }
        let hole = self.unseen.range(..=data.start).next_back();
        if let Some((_, (end, since))) = hole {
            let is_soon =
                data.time.since(*since) < self.rtt.min_rtt().unwrap_or(RTO_INITIAL).mul_f64(0.5);
            if *end >= data.end() && is_soon {
                return SendKind::Reordered;
            }
        }
        SendKind::Retransmit(self.cause(data))
    }

    fn cause(&self, data: &Data) -> RetransmitCause {
        let quiet = data.time.since(self.last_send.max(self.last_heard));
        let rto = self.rtt.rto().unwrap_or(RTO_INITIAL);
        let srtt = self.rtt.srtt().unwrap_or(RTO_INITIAL);
        let is_head = data.start <= self.una;
        if self.recovery == Recovery::Timeout || (is_head && quiet >= rto.mul_f64(0.8)) {
            return RetransmitCause::Timeout;
        }
        let is_probe = self.recovery == Recovery::Open
            && data.end() >= self.nxt
            && quiet >= srtt
            && self.sacked.is_empty();
        if is_probe { RetransmitCause::LossProbe } else { RetransmitCause::Fast }
    }

    fn on_retransmission(&mut self, data: &Data, end: StreamOffset, cause: RetransmitCause) {
        let first = self.sent.partition_point(|sent| sent.end <= data.start);
        for sent in self.sent.range_mut(first..).take_while(|sent| sent.start < end) {
            sent.is_resent = true;
            let octets = end.min(sent.end).since(data.start.max(sent.start));
            self.resent = self.resent.saturating_sub(sent.resent).saturating_add(octets);
            sent.resent = octets;
        }
        let next = match cause {
            RetransmitCause::Timeout => Recovery::Timeout,
            RetransmitCause::Fast => Recovery::Fast,
            RetransmitCause::LossProbe | RetransmitCause::Handshake => return,
        };
        if self.recovery == Recovery::Open || (next == Recovery::Timeout && self.recovery != next) {
            if next == Recovery::Timeout {
                self.lost_edge = self.lost_edge.max(self.nxt);
            }
            self.recovery = next;
            self.recovery_point = self.nxt;
            let episodes = if next == Recovery::Timeout {
                &mut self.totals.timeouts
            } else {
                &mut self.totals.recoveries
            };
            *episodes = episodes.saturating_add(1);
        }
    }

    fn push_sent(&mut self, data: &Data) {
        if self.sent.len() >= Self::SENT_MAX {
            self.sent.pop_front();
            self.totals.is_scoreboard_limit_reached = true;
        }
        self.sent.push_back(Sent {
            start: data.start.max(self.una),
            end: data.end(),
            time: data.time,
            resent: Bytes(0),
            is_resent: false,
            is_sacked: false,
        });
    }

    /// Octets that `ack` covers and the capture never showed.
    fn missed(&mut self, ack: &Ack) -> Bytes {
        let mut missed = ack.ack.since(self.nxt);
        while let Some((&start, &(end, _))) = self.unseen.first_key_value() {
            if end > ack.ack {
                break;
            }
            self.unseen.remove(&start);
            missed = missed.saturating_add(end.since(start));
        }
        missed
    }

    fn take_sack(&mut self, ack: &Ack) -> (Bytes, bool) {
        let before = self.sacked_octets;
        let mut has_dsack = false;
        self.sacked_sent = None;
        for &(start, end) in ack.sack.as_slice() {
            if end <= ack.ack {
                has_dsack = true;
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
        if has_dsack {
            self.totals.dsack_segments = self.totals.dsack_segments.saturating_add(1);
            self.totals.spurious_segments = self.totals.spurious_segments.saturating_add(1);
        }
        let grown = self.sacked_octets.saturating_sub(before);
        (grown, has_dsack)
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

    /// RFC 3522: an ACK that covers a retransmission and echoes a timestamp from before it answers
    /// the original, so the retransmission was not needed.
    fn take_eifel(&mut self, ack: &Ack) {
        let Some((value, end)) = self.eifel.filter(|(_, end)| ack.ack >= *end) else { return };
        self.eifel = None;
        if ack.timestamps.is_some_and(|stamps| is_newer(value, stamps.echo)) {
            self.totals.spurious_segments = self.totals.spurious_segments.saturating_add(1);
        }
        debug_assert!(end <= self.una, "the ACK was taken in");
    }

    /// The sample that an ACK gives: by the segments that it covers, by those that it newly SACKs,
    /// or by the timestamp that it echoes, in this order (Linux `tcp_ack_update_rtt`).
    fn sample(&mut self, ack: &Ack, newly_acked: Bytes) -> Option<RttSample> {
        let covered = self.covered(ack);
        let echoed = || self.echoed(ack).filter(|_| newly_acked > Bytes(0));
        let (oldest, newest, matcher) = match (covered, self.sacked_sent) {
            (Some((oldest, newest)), _) => (oldest, newest, RttMatcher::SegmentEnd),
            (None, Some(sent)) => (sent, sent, RttMatcher::Sack),
            (None, None) => {
                let sent = echoed()?;
                (sent, sent, RttMatcher::Timestamp)
            }
        };
        let sample = RttSample { rtt: ack.time.since(newest), matcher };
        if matcher != RttMatcher::Timestamp {
            self.rtt.take_min(sample.rtt);
        }
        self.rtt.take(ack.time.since(oldest), self.una, self.nxt);
        self.totals.rtt.take(&sample);
        Some(sample)
    }

    /// When the oldest and the newest segment that the ACK covers went out. `None` if one of them
    /// went out twice (Karn's rule). The smoothed RTT takes the oldest, as Linux does
    /// (`tcp_clean_rtx_queue`, `first_ackt`); the sample told is of the newest, which the ACK
    /// answers. A part of a super-frame counts if it holds a whole segment (`tcp_tso_acked`).
    fn covered(&mut self, ack: &Ack) -> Option<(Timestamp, Timestamp)> {
        let mut times: Option<(Timestamp, Timestamp)> = None;
        let mut is_ambiguous = false;
        let smss = self.size.smss();
        while let Some(sent) = self.sent.front_mut() {
            let part = ack.ack.min(sent.end).since(sent.start);
            if sent.end > ack.ack && part < smss {
                break;
            }
            is_ambiguous |= sent.is_resent;
            self.resent = self.resent.saturating_sub(std::mem::take(&mut sent.resent));
            if !sent.is_sacked {
                times = Some((times.map_or(sent.time, |(oldest, _)| oldest), sent.time));
            }
            if sent.end > ack.ack {
                sent.start = ack.ack;
                break;
            }
            self.sent.pop_front();
        }
        times.filter(|_| !is_ambiguous)
    }

    /// When the echoed timestamp first went out.
    fn echoed(&self, ack: &Ack) -> Option<Timestamp> {
        let echo = ack.timestamps?.echo;
        let at = self.stamps.partition_point(|(value, _)| is_newer(echo, *value));
        self.stamps.get(at).filter(|(value, _)| *value == echo).map(|(_, time)| *time)
    }

    fn note_stamp(&mut self, data: &Data) {
        let Some(stamps) = data.timestamps else { return };
        if self.stamps.back().is_none_or(|(value, _)| is_newer(stamps.value, *value)) {
            if self.stamps.len() >= Self::STAMPS_MAX {
                self.stamps.pop_front();
            }
            self.stamps.push_back((stamps.value, data.time));
        }
    }

    /// `SetPipe` of RFC 6675 section 4: no SACKed and no lost octets, retransmissions counted.
    fn pipe(&self, flight_size: Bytes) -> Bytes {
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

    fn vars(&self) -> SenderVars {
        let flight_size = self.nxt.since(self.una);
        SenderVars {
            snd_una: self.una,
            snd_nxt: self.nxt,
            flight_size,
            pipe: self.pipe(flight_size),
            snd_wnd: self.wnd,
            spare_window: self.edge.map(|edge| edge.since(self.nxt)),
            recovery: self.recovery,
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min_rtt(),
            rto_est: self.rtt.rto(),
        }
    }
}

/// Order of timestamp values (RFC 7323 section 5.2).
fn is_newer(value: u32, than: u32) -> bool {
    value != than && value.wrapping_sub(than) < 1 << 31
}

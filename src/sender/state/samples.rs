//! When did what an ACK answers go out? RTT samples, at most one an ACK.

use std::num::NonZeroU32;

use super::Sender;
use super::sent::Sent;
use crate::flow::{Ack, Data};
use crate::sender::{RttMatcher, RttSample};
use crate::units::{Bytes, Duration, Timestamp};
use crate::wire::TcpTimestamps;

impl Sender {
    /// The sample that an ACK gives: by the segments that it covers, by those that it newly SACKs,
    /// or by the timestamp that it echoes, in this order (Linux `tcp_ack_update_rtt`).
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "each acknowledgment asks once; the call took a tenth"
    )]
    pub(super) fn sample(&mut self, ack: &Ack, newly_acked: Bytes) -> Option<RttSample> {
        let covered = self.covered(ack);
        let echoed = || self.echoed(ack).filter(|_| newly_acked > Bytes(0));
        let (oldest, newest, matcher) = match (covered, self.sacked_sent) {
            // What it tells of beyond a gap came last, and is what it answers: the end before the gap may
            // have waited for that, as a receiver delays the ACK of a single segment.
            (Some((oldest, newest)), Some((_, sacked))) if sacked > newest => {
                (oldest, sacked, RttMatcher::Sack)
            }
            (Some((oldest, newest)), _) => (oldest, newest, RttMatcher::SegmentEnd),
            (None, Some((oldest, newest))) => (oldest, newest, RttMatcher::Sack),
            (None, None) => {
                let sent = echoed()?;
                (sent, sent, RttMatcher::Timestamp)
            }
        };
        if oldest < self.stepped || ack.time < newest {
            return None; // The tap's clock was set, or is not one.
        }
        let stamp = ack.timestamps.filter(|_| !self.is_remote);
        let stamp = stamp.and_then(|stamps| NonZeroU32::new(stamps.value));
        let sample = RttSample { rtt: ack.time.since(newest), matcher, stamp };
        if matcher != RttMatcher::Timestamp {
            self.rtt.take_min(sample.rtt);
        }
        // What is recorded a little out of order may make the first the newest.
        let rtt = ack.time.since(oldest.min(newest));
        self.rtt.take(rtt, self.vars.snd_una, self.vars.snd_nxt);
        self.vars.srtt = self.rtt.srtt();
        self.totals.hold_srtt(self.vars.srtt.map(Duration::as_nanos));
        self.vars.min_rtt = self.rtt.min_rtt();
        self.vars.rto_est = self.rtt.rto();
        self.totals.rtt.take(&sample);
        Some(sample)
    }

    /// When the oldest and the newest segment that the ACK covers went out. `None` if one of them
    /// went out twice (Karn's rule). The smoothed RTT takes the oldest, as Linux does
    /// (`tcp_clean_rtx_queue`, `first_ackt`); the sample told is of the newest, which the ACK
    /// answers. A part of a super-frame counts if it holds a whole segment (`tcp_tso_acked`).
    #[inline]
    fn covered(&mut self, ack: &Ack) -> Option<(Timestamp, Timestamp)> {
        let mut times: Option<(Timestamp, Timestamp)> = None;
        let mut is_ambiguous = false;
        while let Some(sent) = self.sent.front_mut() {
            if sent.end > ack.ack {
                let part = self.covered_part(ack);
                is_ambiguous |= part.is_some_and(|sent| sent.is_resent);
                times = part.map_or(times, |sent| sent.added_to(times));
                break;
            }
            is_ambiguous |= sent.is_resent;
            if sent.resent > 0 {
                self.resent = self.resent.saturating_sub(sent.take_resent());
            }
            self.passage.pass(sent.size);
            times = sent.added_to(times);
            self.sent.pop_front();
        }
        times.filter(|_| !is_ambiguous)
    }

    /// The segment that the ACK covers the first part of, if it holds a whole one.
    #[inline]
    fn covered_part(&mut self, ack: &Ack) -> Option<Sent> {
        let smss = self.size.smss();
        let sent = self.sent.front_mut().filter(|sent| ack.ack.since(sent.start) >= smss)?;
        self.resent = self.resent.saturating_sub(sent.take_resent());
        sent.start = ack.ack;
        self.passage.pass(sent.size);
        Some(*sent)
    }

    /// When the echoed timestamp first went out.
    fn echoed(&self, ack: &Ack) -> Option<Timestamp> {
        let echo = ack.timestamps?.echo;
        let at = self.stamps.partition_point(|(value, _)| TcpTimestamps::is_newer(echo, *value));
        self.stamps.get(at).filter(|(value, _)| *value == echo).map(|(_, time)| *time)
    }

    #[inline]
    pub(super) fn note_stamp(&mut self, data: &Data) {
        let Some(stamps) = data.timestamps else { return };
        if self.newest_stamp.is_none_or(|newest| TcpTimestamps::is_newer(stamps.value, newest)) {
            self.push_stamp(stamps.value, data.time);
        }
    }

    #[inline(never)]
    fn push_stamp(&mut self, value: u32, time: Timestamp) {
        if self.stamps.len() == self.stamps.capacity() {
            self.forget_stamps();
        }
        if self.stamps.len() >= Self::STAMPS_MAX {
            self.stamps.pop_front();
        }
        self.stamps.push_back((value, time));
        self.newest_stamp = Some(value);
    }

    /// Those from before the last that was echoed: what a receiver echoes never goes back (`TS.Recent`,
    /// RFC 7323 section 4.3).
    fn forget_stamps(&mut self) {
        let Some(echo) = self.last_echo else { return };
        let old = self.stamps.partition_point(|(value, _)| TcpTimestamps::is_newer(echo, *value));
        self.stamps.drain(..old);
    }

    /// A round trip ends once everything in flight at its beginning is acknowledged.
    #[inline]
    pub(super) fn count_round(&mut self, is_sampled: bool) {
        let Some((end, was_sampled)) = &mut self.round else { return };
        *was_sampled |= is_sampled;
        if self.vars.snd_una >= *end {
            self.totals.rtt.count_round(*was_sampled);
            let is_in_flight = self.vars.snd_nxt > self.vars.snd_una;
            self.round = is_in_flight.then_some((self.vars.snd_nxt, false));
        }
    }
}

//! One sample of the window per round trip.

use crate::sender::{Acknowledge, Send};
use crate::units::heap::OnHeap;
use crate::units::{Bytes, Duration, StreamOffset, Timestamp, as_f64, halve};

/// The window at the end of a round trip, and what may have made it grow until then.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    /// Seconds from the epoch's start.
    pub(super) time: f64,
    /// Largest pipe of the round trip, segments.
    pub(super) window: f64,
    /// Segments acknowledged, and ACKs that did so, from the epoch's start.
    pub(super) acked: f64,
    pub(super) acks: f64,
    /// Round-trip times of this round trip, seconds; the flow's smallest where it gave none.
    pub(super) rtt_mean: f64,
    pub(super) rtt_min: f64,
    /// The flow's smallest and largest so far.
    pub(super) base_rtt: f64,
    pub(super) max_rtt: f64,
}

/// Makes the samples of one epoch.
#[derive(Debug, Default)]
pub(super) struct Samples {
    kept: Vec<Sample>,
    /// Every how many rounds one is kept.
    stride: u32,
    skipped: u32,
    pub(super) rounds: u64,
    /// Whole round trips. A sample's is over when the last of what was out at its beginning is acknowledged,
    /// which may have left long before; this is once something sent since is, as BBR counts
    /// (`next_rtt_delivered`).
    pub(super) trips: u64,
    trip_end: StreamOffset,
    start: Timestamp,
    /// The round trip is over once this is acknowledged.
    round_end: StreamOffset,
    peak: Bytes,
    acked: Bytes,
    acks: u64,
    rtt_sum: Duration,
    rtt_min: Option<Duration>,
    rtt_count: u32,
}

impl Samples {
    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.kept.on_heap()
    }

    /// Kept per epoch; when there are more, every second one gives way.
    const KEPT_MAX: usize = 128;

    /// Starts with the ACK after which the window may grow.
    pub(super) fn starting(ack: &Acknowledge) -> Self {
        let end = ack.after.snd_nxt;
        Self { start: ack.time, round_end: end, trip_end: end, stride: 1, ..Self::default() }
    }

    pub(super) fn kept(&self) -> &[Sample] {
        &self.kept
    }

    /// Largest pipe of the round trip so far.
    pub(super) fn peak(&self) -> Bytes {
        self.peak
    }

    pub(super) fn on_send(&mut self, send: &Send) {
        self.peak = self.peak.max(send.after.pipe);
    }

    /// The round trip's window in octets, where this ACK ends one.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "of most ACKs only a few sums are taken")]
    pub(super) fn on_ack(
        &mut self,
        ack: &Acknowledge,
        smss: Bytes,
        max: Duration,
    ) -> Option<Bytes> {
        self.acked = self.acked.saturating_add(ack.newly_acked);
        self.acks = self.acks.saturating_add(u64::from(ack.newly_acked > Bytes(0)));
        if let Some(sample) = ack.rtt {
            self.rtt_sum = self.rtt_sum.saturating_add(sample.rtt);
            self.rtt_count = self.rtt_count.saturating_add(1);
            self.rtt_min = Some(self.rtt_min.map_or(sample.rtt, |least| least.min(sample.rtt)));
        }
        if ack.after.snd_una > self.trip_end {
            self.trips = self.trips.saturating_add(1);
            self.trip_end = ack.after.snd_nxt;
        }
        if ack.after.snd_una < self.round_end || self.peak == Bytes(0) {
            return None;
        }
        Some(self.end_round(ack, smss, max))
    }

    #[inline(never)]
    fn end_round(&mut self, ack: &Acknowledge, smss: Bytes, max: Duration) -> Bytes {
        self.round_end = ack.after.snd_nxt;
        let peak = std::mem::take(&mut self.peak);
        self.rounds = self.rounds.saturating_add(1);
        self.push(ack, peak.as_f64() / smss.as_f64().max(1.0), smss, max);
        (self.rtt_sum, self.rtt_count, self.rtt_min) = (Duration::ZERO, 0, None);
        peak
    }

    fn push(&mut self, ack: &Acknowledge, window: f64, smss: Bytes, max: Duration) {
        self.skipped = self.skipped.saturating_add(1);
        if self.skipped < self.stride {
            return;
        }
        self.skipped = 0;
        let base = ack.after.min_rtt.unwrap_or_default();
        let mean = self.rtt_sum.checked_div(self.rtt_count).unwrap_or(base);
        self.kept.push(Sample {
            time: ack.time.since(self.start).as_secs_f64(),
            window,
            acked: self.acked.as_f64() / smss.as_f64().max(1.0),
            acks: as_f64(self.acks),
            rtt_mean: mean.as_secs_f64(),
            rtt_min: self.rtt_min.unwrap_or(base).as_secs_f64(),
            base_rtt: base.as_secs_f64(),
            max_rtt: max.as_secs_f64(),
        });
        if self.kept.len() >= Self::KEPT_MAX {
            self.stride = self.stride.saturating_mul(2);
            // The first one stays: it is where the window began to grow.
            halve(&mut self.kept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four segments are out, and each ACK, every 25 ms, brings one more.
    #[test]
    fn no_more_round_trips_are_counted_than_the_time_holds() {
        let ack = |nth: u64| {
            let time = Timestamp(nth * 25_000_000);
            let mut ack = Acknowledge::of(Bytes(1000), time);
            ack.after.snd_una = StreamOffset(nth * 1000);
            ack.after.snd_nxt = StreamOffset(nth * 1000 + 3000);
            ack
        };
        let mut samples = Samples::starting(&ack(4));
        for nth in 5..=44 {
            samples.peak = Bytes(4000);
            samples.on_ack(&ack(nth), Bytes(1000), Duration::from_millis(100));
        }
        assert_eq!(samples.trips, 10, "in a second");
    }
}

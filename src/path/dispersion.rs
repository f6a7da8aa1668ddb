//! How fast does the path let a burst through? Takes [`SenderEvent`]s, gives a [`Dispersion`]: the
//! rate of the bottleneck, also of a path that the flow never filled.
//!
//! Segments that leave close together come out of the bottleneck at its rate, and the spacing of
//! their ACKs tells it (packet trains: Dovrolis, Ramanathan and Moore, INFOCOM 2001). Every flow sends
//! trains: its initial window, each round trip of slow start, each super-frame. No assumption is made
//! about how they were spaced. The bottleneck has worked without a pause from one ACK at `a` to the
//! next at `b` if what the later one answers would have been acknowledged before `a`, had no queue
//! held it up: if its RTT exceeds the smallest one by `b - a` at least. Such gaps in a row make a
//! train.
//!
//! The first gap of each is left out: after a pause a token bucket lets the first segments pass at
//! the rate of the line. A train ends before an ACK of less than two segments that follows one of two:
//! a delayed ACK (RFC 9293 section 3.8.6.3) waits for a timer. Where a receiver answers as its application
//! reads, the spacing is the reader's; see [`Dispersion::high_bps`].

use std::collections::BTreeMap;

use super::busy::TICK_PART_MAX;
use crate::sender::{Acknowledge, RttMatcher, SenderEvent};
use crate::units::heap::OnHeap;
use crate::units::{Bytes, Duration, Timestamp, as_f64, at_share};

/// Follows one sender's bursts.
#[derive(Debug, Default)]
pub(super) struct Bursts {
    /// The last ACK with a sample.
    last: Option<Timestamp>,
    /// Smallest RTT of data so far. That of the handshake lacks a full segment's time on the line.
    base: Option<Duration>,
    train: Option<Train>,
    /// Most that one ACK of the train covered.
    acked_max: Bytes,
    smss: Bytes,
    /// One tick of the capture's clock; zero where it is fine.
    tick: Duration,
    /// Trains by the logarithm of their rate; at most [`Bursts::BINS_MAX`].
    bins: BTreeMap<u16, Train>,
    count: u64,
}

/// What passed without a pause.
#[derive(Debug, Default, Clone, Copy)]
struct Train {
    octets: u64,
    nanoseconds: u64,
}

/// Rate of the bottleneck as the trains show it, bits per second of payload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Dispersion {
    /// Median of the trains, by octets.
    pub(crate) bps: f64,
    /// Nine in ten octets came in faster trains, less [`Bursts::BLUR`].
    pub(crate) low_bps: f64,
    /// Nine in ten octets came in slower trains, with [`Bursts::BLUR`] added.
    pub(crate) high_bps: f64,
    /// How many trains.
    pub(crate) trains: u64,
}

impl Bursts {
    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.bins.on_heap()
    }

    /// Segments in a train, those of its first gap aside: two make one ACK (RFC 9293 section 3.8.6.3).
    const SEGMENTS_MIN: u64 = 2;
    /// Longer ones are cut here, so that a full path, one train without an end, gives many.
    const SEGMENTS_MAX: u64 = 32;
    /// Bins per doubling of the rate: one per cent each.
    const BINS_PER_OCTAVE: f64 = 64.0;
    /// A terabit per second.
    const BINS_MAX: u16 = 2560;
    /// What a train's two ends leave open: the rate configured lay within 3 % of nine in ten of the
    /// trains in 0.986 of 483 flows (open corpus, `tests/held-out`).
    const BLUR: f64 = 0.03;

    /// By the times of a clock of this tick, in place of those of `before`.
    pub(super) fn of_clock(tick: Duration, before: &Self) -> Self {
        Self { tick, smss: before.smss, ..Self::default() }
    }

    /// Takes the next event; times never decrease.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "where it is called the kind is known")]
    pub(super) fn on_event(&mut self, event: &SenderEvent) {
        match event {
            SenderEvent::Send(send) => self.smss = send.smss,
            SenderEvent::Acknowledge(ack) if ack.newly_acked > Bytes(0) => self.on_ack(ack),
            SenderEvent::Acknowledge(_) => {}
            SenderEvent::Gap(_) => self.break_off(),
        }
    }

    /// `None` without a train.
    pub(super) fn finish(mut self) -> Option<Dispersion> {
        self.end_train();
        Some(Dispersion {
            bps: self.quantile(0.5)?,
            low_bps: self.quantile(0.1)? * (1.0 - Self::BLUR),
            high_bps: self.quantile(0.9)? * (1.0 + Self::BLUR),
            trains: self.count,
        })
    }

    fn on_ack(&mut self, ack: &Acknowledge) {
        let sample = ack.rtt.filter(|sample| sample.matcher == RttMatcher::SegmentEnd);
        let Some(rtt) = sample.map(|sample| sample.rtt) else { return self.break_off() };
        let base = self.base.map_or(rtt, |base| base.min(rtt));
        self.base = Some(base);
        let Some(last) = self.last.replace(ack.time) else { return };
        let gap = ack.time.since(last);
        // The smallest sample of many is too small by up to a tick.
        if rtt.saturating_sub(base).saturating_sub(self.tick) < gap {
            return self.end_train();
        }
        let two = self.smss.saturating_add(self.smss);
        let is_maybe_delayed = ack.newly_acked < two && self.acked_max >= two;
        self.acked_max = self.acked_max.max(ack.newly_acked);
        if is_maybe_delayed {
            return self.end_train();
        }
        match &mut self.train {
            None => self.train = Some(Train::default()),
            Some(train) => {
                train.add(ack.newly_acked, gap);
                let is_long = train.octets >= self.smss.0.saturating_mul(Self::SEGMENTS_MAX);
                if is_long && train.is_told_by(self.tick) {
                    let whole = std::mem::take(train);
                    self.count(whole);
                }
            }
        }
    }

    /// What follows is no part of the train, and does not begin where it ended.
    fn break_off(&mut self) {
        self.end_train();
        self.last = None;
    }

    fn end_train(&mut self) {
        self.acked_max = Bytes(0);
        if let Some(train) = self.train.take() {
            self.count(train);
        }
    }

    fn count(&mut self, train: Train) {
        let is_short = train.octets < self.smss.0.saturating_mul(Self::SEGMENTS_MIN);
        if is_short || train.nanoseconds == 0 || !train.is_told_by(self.tick) {
            return;
        }
        self.count = self.count.saturating_add(1);
        let bin = self.bins.entry(train.bin()).or_default();
        bin.octets = bin.octets.saturating_add(train.octets);
        bin.nanoseconds = bin.nanoseconds.saturating_add(train.nanoseconds);
    }

    /// The rate below which `share` of the octets came.
    fn quantile(&self, share: f64) -> Option<f64> {
        let all: u64 = self.bins.values().map(|bin| bin.octets).sum();
        let bins = self.bins.values().map(|bin| (bin, bin.octets()));
        at_share(bins, as_f64(all), share).map(Train::rate)
    }
}

impl Train {
    fn add(&mut self, octets: Bytes, time: Duration) {
        let nanoseconds = time.as_nanos();
        self.octets = self.octets.saturating_add(octets.0);
        self.nanoseconds = self.nanoseconds.saturating_add(nanoseconds);
    }

    /// It takes so long that a tick is a small part.
    fn is_told_by(&self, tick: Duration) -> bool {
        tick.as_secs_f64() * 1e9 <= TICK_PART_MAX * as_f64(self.nanoseconds)
    }

    fn octets(&self) -> f64 {
        as_f64(self.octets)
    }

    /// Bits per second; `nanoseconds` is not 0 in any that was counted.
    fn rate(&self) -> f64 {
        self.octets() * 8e9 / as_f64(self.nanoseconds)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and BINS_MAX"
    )]
    fn bin(&self) -> u16 {
        let step = (self.rate().log2() * Bursts::BINS_PER_OCTAVE).floor();
        step.clamp(0.0, f64::from(Bursts::BINS_MAX)) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sender::RttSample;

    const SMSS: Bytes = Bytes(1000);

    /// ACKs of `(us, rtt in us, octets)`.
    fn trains(acks: &[(u64, u64, u64)]) -> Option<Dispersion> {
        let mut trains = Bursts { smss: SMSS, ..Bursts::default() };
        feed(&mut trains, acks);
        trains.finish()
    }

    fn feed(trains: &mut Bursts, acks: &[(u64, u64, u64)]) {
        for (time, rtt, octets) in acks {
            let sample = RttSample::of(Duration::from_micros(*rtt), RttMatcher::SegmentEnd);
            let time = Timestamp::default().after(Duration::from_micros(*time));
            let ack = Acknowledge { rtt: Some(sample), ..Acknowledge::of(Bytes(*octets), time) };
            trains.on_event(&SenderEvent::Acknowledge(ack));
        }
    }

    /// Ten segments sent at once through 8 Mbit/s, each acknowledged.
    #[expect(clippy::arithmetic_side_effects, reason = "test code")]
    fn burst(start: u64) -> Vec<(u64, u64, u64)> {
        (0..10).map(|k| (start + 20_000 + 1000 * k, 20_000 + 1000 * k, 1000)).collect()
    }

    #[test]
    fn a_burst_comes_out_at_the_rate_of_the_bottleneck() {
        let found = trains(&burst(0)).unwrap();
        assert!((found.bps - 8e6).abs() < 1.0, "{found:?}");
        assert_eq!(found.trains, 1);
        assert!(found.low_bps < found.bps && found.bps < found.high_bps);
    }

    /// The pause between two bursts is no part of either.
    #[test]
    fn a_pause_of_the_sender_ends_a_train() {
        let acks: Vec<_> = burst(0).into_iter().chain(burst(100_000)).collect();
        let found = trains(&acks).unwrap();
        assert_eq!(found.trains, 2);
        assert!((found.bps - 8e6).abs() < 1.0, "{found:?}");
    }

    /// A token bucket lets the second segment pass with the first.
    #[test]
    fn the_first_gap_does_not_count() {
        let mut acks = burst(0);
        for (k, (time, rtt, _)) in acks.iter_mut().enumerate().skip(1) {
            (*time, *rtt) = (20_010 + 1000 * (k as u64 - 1), 20_010 + 1000 * (k as u64 - 1));
        }
        let found = trains(&acks).unwrap();
        assert!((found.bps - 8e6).abs() < 1.0, "{found:?}");
    }

    /// One segment per round trip, or segments spaced by the sender, say nothing of the path.
    #[test]
    fn segments_that_do_not_queue_make_no_train() {
        let spaced: Vec<_> = (0..50).map(|k| (20_000 + 5000 * k, 20_000, 1000)).collect();
        assert_eq!(trains(&spaced), None);
    }

    /// Ten segments in 9 ms are one tick of 10 ms apart, or none.
    #[test]
    fn a_burst_of_a_tick_has_no_rate() {
        let mut bursts = Bursts::of_clock(Duration::from_millis(10), &Bursts::default());
        bursts.smss = SMSS;
        let told = |us: u64| us - us % 10_000;
        let acks: Vec<_> = (0..20)
            .flat_map(|nth| burst(101_000 * nth))
            .map(|(time, rtt, octets)| (told(time), told(time) - told(time - rtt), octets))
            .collect();
        feed(&mut bursts, &acks);
        assert_eq!(bursts.finish(), None);
    }

    /// Full all the time: a train of 32 segments at a time.
    #[test]
    fn a_full_path_gives_many_trains() {
        let full: Vec<_> =
            (0..330_u64).map(|k| (20_000 + 1000 * k, 20_000 + 1000 * k.min(100), 1000)).collect();
        let found = trains(&full).unwrap();
        assert_eq!(found.trains, 11);
        assert!((found.bps - 8e6).abs() < 1.0, "{found:?}");
    }
}

//! When did the bottleneck work without a pause, and how much did it let through?
//!
//! A bottleneck that serves in order works on from one departure to the next if the later segment
//! had come in before the earlier one left. Seen from the sender: segment k, acknowledged at `a_k`
//! with the round-trip time `r_k`, was sent at `a_k - r_k`; it was there before the segment
//! acknowledged at `a_j` left if it was sent a whole unloaded round trip before `a_j`:
//!
//! ```text
//! a_k - r_k <= a_j - base,   that is   r_k - (a_k - a_j) >= base
//! ```
//!
//! What was acknowledged in between, over `a_k - a_j`, is then the rate of the bottleneck, however
//! the segments were bunched (segmentation offload, GRO), the ACKs thinned or delayed in pairs: no
//! assumption is made about their spacing. The intervals of one run adjoin, so that what an ACK came
//! early or late cancels out but at both ends. A higher base only makes fewer intervals count.

use super::stretch::Stretch;
use super::together::Together;
use super::trains::{Mode, Trains};
use crate::units::heap::{self, OnHeap};
use crate::units::{Duration, Timestamp, len_as_f64};

/// What one ACK told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Delivery {
    pub(super) time: Timestamp,
    /// Octets of frames that it was the first to acknowledge.
    pub(super) octets: f64,
    /// Of the newest segment among them; `None` without one.
    pub(super) sample: Option<Sample>,
    /// The unloaded round trip so far, seconds.
    pub(super) base: f64,
    /// A full frame, octets.
    pub(super) segment: f64,
}

/// What an RTT sample told of a segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub(super) sent: Timestamp,
    /// Queueing delay.
    pub(super) queued: Duration,
}

/// Follows the deliveries, and keeps the busy stretches among them.
#[derive(Debug)]
pub(super) struct BusyPeriods {
    /// The last delivery with a sample, the start of the interval under test, and when the newest segment
    /// that it acknowledged had been sent.
    from: Option<(Timestamp, Timestamp)>,
    /// Delivered since then.
    open: f64,
    run: Run,
    /// All busy time, seconds, also of runs too short for a stretch.
    seconds: f64,
    stretches: Stretches,
    trains: Trains,
    together: Together,
    /// One tick of the capture's clock, seconds, where that is coarse.
    tick: f64,
    /// Seconds of a stretch at least.
    seconds_min: f64,
}

impl Default for BusyPeriods {
    fn default() -> Self {
        Self::of_clock(Duration::ZERO)
    }
}

/// The run of busy intervals that goes on.
#[derive(Debug, Default)]
struct Run {
    stretch: Stretch,
    intervals: u32,
    /// Part of it was handed on before.
    is_continued: bool,
}

impl BusyPeriods {
    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        heap::sum(&[self.stretches.list.on_heap(), self.trains.memory(), self.together.memory()])
    }

    /// ACKs in a stretch: fewer may be one burst of the receiver's. Moved as in the module `capacity`: 2
    /// changes 2 capacities, 8 changes 4, and neither a kind.
    const INTERVALS_MIN: u32 = 4;
    /// One tick of the clock that most captures have is a microsecond.
    const TICK_MIN: f64 = 1e-6;
    /// Segments in a train, about: receivers acknowledge pairs (RFC 5681 section 4.2).
    pub(super) const TRAIN_MIN: f64 = 1.5;

    /// By the times of a clock of this tick; zero of a fine one.
    pub(super) fn of_clock(tick: Duration) -> Self {
        let tick = tick.as_secs_f64();
        Self {
            from: None,
            open: 0.0,
            run: Run::default(),
            seconds: 0.0,
            stretches: Stretches::default(),
            trains: Trains::default(),
            together: Together::default(),
            tick,
            seconds_min: tick.max(Self::TICK_MIN) / TICK_PART_MAX,
        }
    }

    pub(super) fn on_delivery(&mut self, delivery: &Delivery) {
        self.open += delivery.octets;
        let Some(Sample { queued, sent }) = delivery.sample else { return };
        let from = self.from.replace((delivery.time, sent));
        let octets = std::mem::take(&mut self.open);
        let Some((from, sent_from)) = from else { return };
        let time = delivery.time.since(from);
        let interval = Stretch { octets, seconds: time.as_secs_f64() };
        let is_train = octets >= Self::TRAIN_MIN * delivery.segment;
        if is_train {
            self.together.add(interval, sent.since(sent_from).as_secs_f64());
        }
        if queued < time {
            return self.end_run();
        }
        self.seconds += interval.seconds;
        if is_train {
            self.trains.add(interval);
        }
        self.run.stretch.add(interval);
        self.run.intervals = self.run.intervals.saturating_add(1);
        if self.is_whole(delivery) {
            self.stretches.push(self.run.stretch);
            self.run = Run { is_continued: true, ..Run::default() };
        }
    }

    /// A queue that stands for a whole unloaded round trip is none that a burst leaves behind: more
    /// was in flight than the path holds without it.
    fn is_whole(&self, delivery: &Delivery) -> bool {
        let Run { stretch, intervals, .. } = self.run;
        intervals >= Self::INTERVALS_MIN
            && stretch.octets >= Stretch::SEGMENTS_MIN * delivery.segment
            && stretch.seconds >= self.seconds_min
            && stretch.seconds >= delivery.base
    }

    /// The rest of a run joins what came before.
    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        if run.is_continued {
            self.stretches.extend_last(run.stretch);
        }
    }

    /// `segment` is a full frame, octets.
    pub(super) fn finish(mut self, segment: f64) -> Found {
        self.end_run();
        Found {
            stretches: self.stretches.list,
            trains: self.trains,
            together: self.together,
            seconds: self.seconds,
            segment,
            tick: self.tick,
        }
    }
}

/// A tick takes no more of a time that tells a rate: as sure as a rate is meant to be. Moved as in the module
/// `capacity`: 0.02 changes none, 0.05 one, which it takes for full.
pub(super) const TICK_PART_MAX: f64 = 0.03;

/// What all busy periods showed.
#[derive(Debug)]
pub(super) struct Found {
    /// In order; each of at least one unloaded round trip.
    pub(super) stretches: Vec<Stretch>,
    pub(super) trains: Trains,
    together: Together,
    /// All busy time, also of runs too short for a stretch.
    pub(super) seconds: f64,
    /// A full frame, octets.
    pub(super) segment: f64,
    /// One tick of the capture's clock, seconds; 0 where it is fine.
    pub(super) tick: f64,
}

impl Found {
    /// What most trains passed at; `None` where they have no one rate, or the clock cannot tell it.
    pub(super) fn mode(&self) -> Option<Mode> {
        self.trains.mode(self.tick).filter(|mode| mode.is_sharp)
    }

    /// The part of these stretches' time that the clock leaves open at the ends of each.
    pub(super) fn left_open(&self, stretches: &[Stretch]) -> f64 {
        self.tick * len_as_f64(stretches.len()).sqrt() / Stretch::sum(stretches).seconds
    }

    /// What was sent together came out of the bottleneck at this rate.
    pub(super) fn passed_at(&self, bps: f64) -> bool {
        self.together.passed_at(bps, self.segment)
    }

    /// It came out even faster: this is what one flow had of it.
    pub(super) fn passed_above(&self, bps: f64) -> bool {
        self.together.passed_above(bps, self.segment)
    }
}

/// Stretches in order; when there are too many, neighbours are joined.
#[derive(Debug, Default)]
pub(super) struct Stretches {
    list: Vec<Stretch>,
    /// How many pushed ones make one of the list.
    joined: u32,
    in_last: u32,
}

impl Stretches {
    /// Stretches kept: enough for percentiles to 1 %.
    const MAX: usize = 256;

    #[inline(never)]
    fn push(&mut self, stretch: Stretch) {
        self.joined = self.joined.max(1);
        if self.in_last > 0 && self.in_last < self.joined {
            self.in_last = self.in_last.saturating_add(1);
            return self.extend_last(stretch);
        }
        if self.list.len() >= Self::MAX {
            self.halve();
        }
        self.list.push(stretch);
        self.in_last = 1;
    }

    fn extend_last(&mut self, stretch: Stretch) {
        if let Some(last) = self.list.last_mut() {
            last.add(stretch);
        }
    }

    fn halve(&mut self) {
        self.list = self.list.chunks(2).map(Stretch::sum).collect();
        self.joined = self.joined.saturating_mul(2);
    }
}

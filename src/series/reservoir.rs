//! Samples over time in bounded memory. While there is room every sample is kept. When it is full,
//! time is cut into buckets of one width, and of each bucket only what shows its extremes remains;
//! the width grows until half the room is free. So a full reservoir costs a constant for each
//! sample, and the width is within a few times of the span over the room.

use crate::units::{Duration, FrameNumber, StreamOffset, Timestamp};

/// What can be held.
pub(crate) trait Sample: Copy {
    /// Samples that stand for one bucket, at most.
    const MERGED_MAX: usize;

    /// When it was taken; samples come in this order.
    fn time(&self) -> Timestamp;

    /// Appends what stands for `run`: samples of one bucket, in order, at least one.
    fn merge(run: &[Self], into: &mut Vec<Self>);
}

/// Samples in order, at most [`Self::SAMPLES_MAX`].
#[derive(Debug, Clone)]
pub(crate) struct Reservoir<S> {
    samples: Vec<S>,
    /// Zero while every sample is kept.
    bucket: Duration,
    /// Where buckets begin; the first sample's time.
    origin: Timestamp,
    taken: u64,
}

impl<S> Default for Reservoir<S> {
    fn default() -> Self {
        let origin = Timestamp::default();
        Self { samples: Vec::new(), bucket: Duration::ZERO, origin, taken: 0 }
    }
}

impl<S: Sample> Reservoir<S> {
    /// A plot as wide as a screen shows no more.
    pub(crate) const SAMPLES_MAX: usize = 4096;

    /// Takes the next sample.
    pub(crate) fn push(&mut self, sample: S) {
        if self.taken == 0 {
            self.origin = sample.time();
        }
        self.taken = self.taken.saturating_add(1);
        self.samples.push(sample);
        if self.samples.len() >= Self::SAMPLES_MAX {
            self.thin_out(Self::SAMPLES_MAX / 2);
        }
    }

    /// Leaves at most `room` samples, or what stands for one bucket if that is more; once some
    /// were merged, the latest are as well.
    pub(crate) fn thin_out(&mut self, room: usize) {
        let room = room.max(S::MERGED_MAX);
        if !self.bucket.is_zero() {
            self.bucket = self.merged_with(self.bucket, room);
        }
        // The width grows by a factor each time and no time exceeds 2^64 ns, so this ends.
        while self.samples.len() > room {
            self.bucket = self.merged_with(self.bucket, room);
        }
    }

    /// Merges in buckets of `bucket`; gives the width for the next attempt.
    fn merged_with(&mut self, bucket: Duration, room: usize) -> Duration {
        let bucket = if bucket.is_zero() { BUCKET_MIN } else { bucket };
        let mut merged = Vec::with_capacity(self.samples.len());
        let same = |a: &S, b: &S| self.place(a, bucket) == self.place(b, bucket);
        for run in self.samples.chunk_by(same) {
            S::merge(run, &mut merged);
        }
        self.samples = merged;
        if self.samples.len() > room { wider(bucket) } else { bucket }
    }

    /// Number of the sample's bucket.
    fn place(&self, sample: &S, bucket: Duration) -> u64 {
        let since = sample.time().since(self.origin).as_nanos();
        since.checked_div(bucket.as_nanos()).unwrap_or_default()
    }

    pub(crate) fn samples(&self) -> &[S] {
        &self.samples
    }

    pub(crate) fn last(&self) -> Option<&S> {
        self.samples.last()
    }

    /// Where the buckets begin.
    pub(crate) fn origin(&self) -> Timestamp {
        self.origin
    }

    /// Width of the buckets; `None` while every sample is kept.
    pub(crate) fn bucket(&self) -> Option<Duration> {
        (!self.bucket.is_zero()).then_some(self.bucket)
    }

    /// Samples taken and not kept.
    pub(crate) fn left_out(&self) -> u64 {
        self.taken.saturating_sub(self.samples.len() as u64)
    }

    /// Octets held.
    pub(crate) fn memory(&self) -> usize {
        self.samples.capacity().saturating_mul(size_of::<S>())
    }
}

const BUCKET_MIN: Duration = Duration::from_micros(1);

/// The next width: 1, 2, 10, 20, 100, .. microseconds, so that each is a multiple of the one before
/// and none is an odd number to read.
fn wider(bucket: Duration) -> Duration {
    let us = bucket.as_micros();
    let is_power = us.checked_ilog10().is_some_and(|digits| 10_u64.checked_pow(digits) == Some(us));
    bucket.saturating_mul(if is_power { 2 } else { 5 })
}

/// A value that holds from one time on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) time: Timestamp,
    pub(crate) value: u64,
    pub(crate) frame: FrameNumber,
}

/// The first, the smallest, the largest and the last: a line through them looks like the line
/// through all (M4: Jugel, Jerzak, Hackenbroich, Markl, VLDB 2014).
impl Sample for Point {
    const MERGED_MAX: usize = 4;

    fn time(&self) -> Timestamp {
        self.time
    }

    fn merge(run: &[Self], into: &mut Vec<Self>) {
        let by_value = |(index, point): &(usize, &Self)| (point.value, *index);
        let least = run.iter().enumerate().min_by_key(by_value).map_or(0, |(index, _)| index);
        let most = run.iter().enumerate().max_by_key(by_value).map_or(0, |(index, _)| index);
        let mut kept = [0, least, most, run.len().saturating_sub(1)];
        kept.sort_unstable();
        let mut before = None;
        for index in kept {
            if before != Some(index) {
                into.extend(run.get(index));
            }
            before = Some(index);
        }
    }
}

/// A part of the stream that was sent or acknowledged; merged ones are one from the lowest octet to
/// the highest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) time: Timestamp,
    /// Of the last one merged.
    pub(crate) until: Timestamp,
    pub(crate) start: StreamOffset,
    pub(crate) end: StreamOffset,
    /// How many it stands for: wire segments, or blocks.
    pub(crate) count: u64,
    pub(crate) first_frame: FrameNumber,
    pub(crate) last_frame: FrameNumber,
}

impl Sample for Range {
    const MERGED_MAX: usize = 1;

    fn time(&self) -> Timestamp {
        self.time
    }

    fn merge(run: &[Self], into: &mut Vec<Self>) {
        into.extend(run.iter().copied().reduce(|sum, next| Self {
            until: next.until,
            start: sum.start.min(next.start),
            end: sum.end.max(next.end),
            count: sum.count.saturating_add(next.count),
            last_frame: next.last_frame,
            ..sum
        }));
    }
}

/// Octets that passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Passed {
    pub(crate) time: Timestamp,
    /// Cumulatively acknowledged for the first time.
    pub(crate) acked: u64,
    /// Put on the wire, headers included.
    pub(crate) wire: u64,
    pub(crate) first_frame: FrameNumber,
    pub(crate) last_frame: FrameNumber,
}

impl Sample for Passed {
    const MERGED_MAX: usize = 1;

    fn time(&self) -> Timestamp {
        self.time
    }

    fn merge(run: &[Self], into: &mut Vec<Self>) {
        into.extend(run.iter().copied().reduce(|sum, next| Self {
            acked: sum.acked.saturating_add(next.acked),
            wire: sum.wire.saturating_add(next.wire),
            last_frame: next.last_frame,
            ..sum
        }));
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::arithmetic_side_effects, reason = "test code")]

    use super::*;

    fn point(us: u64, value: u64) -> Point {
        Point { time: Timestamp(us * 1000), value, frame: FrameNumber::new(us) }
    }

    #[test]
    fn widths_are_round_and_each_divides_the_next() {
        let mut width = BUCKET_MIN;
        let widths: Vec<u64> = (0..6)
            .map(|_| {
                let us = width.as_micros();
                width = wider(width);
                us
            })
            .collect();
        assert_eq!(widths, [1, 2, 10, 20, 100, 200]);
    }

    #[test]
    fn what_fits_is_kept_as_it_is() {
        let mut track = Reservoir::default();
        for us in 0..100 {
            track.push(point(us, us % 7));
        }
        assert_eq!((track.samples().len(), track.left_out()), (100, 0));
        assert_eq!(track.bucket(), None);
    }

    /// One spike up and one down among a million samples.
    #[test]
    fn extremes_outlive_every_merging() {
        let mut track = Reservoir::default();
        for us in 0..1_000_000 {
            let value = match us {
                333_333 => 9_000,
                777_777 => 1,
                _ => 500 + us % 3,
            };
            track.push(point(us, value));
            assert!(track.samples().len() < Reservoir::<Point>::SAMPLES_MAX);
        }
        assert!(track.samples().contains(&point(333_333, 9_000)));
        assert!(track.samples().contains(&point(777_777, 1)));
        assert_eq!(track.samples().first(), Some(&point(0, 500)));
        assert_eq!(track.last(), Some(&point(999_999, 500)));
        assert!(track.samples().is_sorted_by_key(|point| point.time));
        assert_eq!(track.left_out() + track.samples().len() as u64, 1_000_000);
        track.thin_out(100);
        assert!(track.samples().len() <= 100, "{}", track.samples().len());
        assert!(track.samples().iter().any(|point| point.value == 9_000));
    }

    #[test]
    fn merged_octets_are_the_sum() {
        let mut passed = Reservoir::default();
        for us in 0..100_000_u64 {
            let (time, frame) = (Timestamp(us * 1000), FrameNumber::new(us));
            passed.push(Passed { time, acked: 2, wire: 3, first_frame: frame, last_frame: frame });
        }
        let sums = passed.samples().iter().fold((0, 0), |(a, w), p| (a + p.acked, w + p.wire));
        assert_eq!(sums, (200_000, 300_000));
    }

    /// All at one time, and the last at the end of all times.
    #[test]
    fn any_times_end() {
        let mut track = Reservoir::default();
        for value in 0..10_000 {
            track.push(point(0, value));
        }
        track.push(Point { time: Timestamp(u64::MAX), ..point(0, 0) });
        track.thin_out(0);
        assert!(track.samples().len() <= 4);
    }
}

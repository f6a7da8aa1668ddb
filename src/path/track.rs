//! What had passed by when, and how long it had been on its way: the curve of a flow's progress.

use std::num::NonZeroU32;

use crate::sender::RttSample;
use crate::units::heap::OnHeap;
use crate::units::{Duration, Timestamp};

/// How far the flow had come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    /// When the sender learned of it.
    pub(super) time: Timestamp,
    /// When the newest of it had been sent.
    pub(super) sent: Timestamp,
    /// Octets of frames known to have passed.
    pub(super) passed: f64,
}

/// What had passed of what was sent by some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mark {
    pub(super) sent: Timestamp,
    /// Octets of frames.
    pub(super) passed: f64,
}

impl Place {
    /// Without the time at which the sender learned of it.
    pub(super) fn mark(&self) -> Mark {
        Mark { sent: self.sent, passed: self.passed }
    }
}

/// A point of the curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) at: Place,
    /// Mean round-trip time since the point before, seconds.
    pub(super) rtt: f64,
    /// The last round-trip time by then.
    pub(super) rtt_last: f64,
    /// See [`RttSample`].
    pub(super) stamp: Option<NonZeroU32>,
    /// Octets of frames that were missing before it when they should have come, all in all.
    pub(super) missing: f64,
}

/// The curve in bounded memory.
#[derive(Debug, Default)]
pub(super) struct Track {
    points: Vec<Point>,
    /// Octets from point to point, at least.
    step: f64,
    /// Samples since the last point: their sum in seconds, and how many.
    open: (f64, f64),
    /// The largest sample of all.
    pub(super) rtt_max: Duration,
    /// A full frame, octets.
    segment: f64,
    /// What is to have passed by the next point, octets of frames.
    due: f64,
}

impl Track {
    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.points.on_heap()
    }

    /// Hardly anything will come any more: gives back the room that is held for more.
    pub(super) fn settle(&mut self) {
        self.points.shrink_to_fit();
    }

    /// Points kept: three to four for each of a hundred that are shown.
    pub(super) const MAX: usize = 512;
    /// Segments from point to point at first.
    const SEGMENTS: f64 = 4.0;

    /// Nothing had passed for a while before `time`: what comes now is no steady flow.
    pub(super) fn pause(&mut self, time: Timestamp, passed: f64) {
        let last = self.points.last().copied().filter(|_| self.points.len() < Self::MAX);
        if let Some(last) = last {
            self.push(Point { at: Place { time, passed, ..last.at }, stamp: None, ..last });
        }
    }

    /// `segment` is a full frame, octets; it never shrinks. `missing`: see [`Point`].
    pub(super) fn sample(&mut self, at: Place, sample: &RttSample, (segment, missing): (f64, f64)) {
        self.rtt_max = self.rtt_max.max(sample.rtt);
        let seconds = sample.rtt.as_secs_f64();
        self.open = (self.open.0 + seconds, self.open.1 + 1.0);
        if segment > self.segment {
            self.segment = segment;
            self.await_next();
        }
        if at.passed < self.due {
            return;
        }
        self.mark(at, seconds, sample.stamp, missing);
    }

    #[inline(never)]
    fn mark(&mut self, at: Place, rtt_last: f64, stamp: Option<NonZeroU32>, missing: f64) {
        if self.points.len() >= Self::MAX {
            self.halve();
        }
        let (sum, count) = std::mem::take(&mut self.open);
        self.push(Point { at, rtt: sum / count, rtt_last, stamp, missing });
    }

    fn push(&mut self, point: Point) {
        self.points.push(point);
        self.await_next();
    }

    fn await_next(&mut self) {
        let last = self.points.last().map_or(0.0, |point| point.at.passed);
        self.due = last + self.step.max(Self::SEGMENTS * self.segment);
    }

    /// The first point stays, and every second of the others with the mean of both; so does a last one that
    /// has no other.
    fn halve(&mut self) {
        self.step = 2.0 * self.step.max(Self::SEGMENTS * self.segment);
        let (mut nth, mut before) = (0_usize, None);
        let len = self.points.len();
        self.points.retain_mut(|point| {
            nth = nth.saturating_add(1);
            let is_second = nth % 2 == 1;
            if let Some(first) = before.replace(point.rtt).filter(|_| is_second) {
                point.rtt = f64::midpoint(first, point.rtt);
            }
            is_second || nth == len
        });
    }

    pub(super) fn into_points(self) -> Vec<Point> {
        self.points
    }
}

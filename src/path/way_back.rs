//! On which way did the queue stand? The receiver stamps each ACK by its clock as it leaves (RFC 7323
//! section 3), so what a round trip has in excess and the stamps have not was waited for on the way back: on
//! an uplink of few kbit/s that ACKs alone fill, or one that others do.
//!
//! When that clock was set is not known, nor its rate for sure: a straight line over time is fitted for both.
//! So nothing is told of a queue that is about as long all the time.

use super::track::Point;
use crate::units::{Timestamp, len_as_f64};

// Moved alone over 301 directions (`tests/held-out`: `w28a`, `w28b`, `nots3`, `back1`, `back2`, at the
// sender):

/// Points: fewer are soon fitted. 8 tells of 2 more, 32 changes none.
const POINTS_MIN: usize = 16;
/// Of the variance of the whole queue. Below this what one way adds varies less than half as much as the
/// whole: it is the other way's. 0.15 and 0.35 tell of 7 less and 5 more, and change the kind of path, or how
/// sure its rate is, of 5 and 4.
const OTHER: f64 = 0.25;
/// Most of it.
pub(super) const MOST: f64 = 0.5;

/// The part of the queue that ACKs met on the way back, 0 to 1; `base` is the unloaded round trip, seconds.
/// `None` where no timestamps tell it, both ways have a part that varies, or neither.
pub(super) fn share(points: &[Point], base: f64) -> Option<f64> {
    let legs = legs(points, base)?;
    let sums = Sums::of(&legs);
    let whole = sums.of_time(sums.queue, sums.time_queue, sums.time_queue)?;
    let back = sums.of_time(sums.back, sums.time_back, sums.time_back)?;
    let both = sums.of_time(sums.queue_back, sums.time_queue, sums.time_back)?;
    let there = whole - 2.0 * both + back;
    if whole <= 0.0 {
        return None;
    }
    // Where the queue on the way there is as long all the time, little that varies on the way back is all
    // that varies, and yet not most of it.
    let level = sums.level(&legs, whole, both)? / sums.mean_queue;
    let (other, told) = if level >= MOST { (there, level) } else { (back, both / whole) };
    (other <= OTHER * whole).then(|| told.clamp(0.0, 1.0))
}

/// What one point tells, seconds.
#[derive(Debug, Clone, Copy)]
struct Leg {
    time: f64,
    queue: f64,
    /// Of the way back, but for what is the same for all or grows as time does.
    back: f64,
}

/// `None` of too few, or of a clock that stands still.
fn legs(points: &[Point], base: f64) -> Option<Vec<Leg>> {
    let stamped = points.iter().filter_map(|point| Some((point, point.stamp?.get())));
    let (start, mut last) = stamped.clone().next().map(|(point, stamp)| (point.at.time, stamp))?;
    let mut ticks = 0.0;
    let mut timed: Vec<(f64, f64, f64)> = Vec::new();
    for (point, stamp) in stamped {
        ticks += since(stamp, std::mem::replace(&mut last, stamp));
        timed.push((seconds(point.at.time, start), point.rtt_last - base, ticks));
    }
    let (end, _, all) = *timed.last().filter(|_| timed.len() >= POINTS_MIN)?;
    let tick = (all > 0.0).then(|| end / all)?;
    let leg = |(time, queue, ticks)| Leg { time, queue, back: time - tick * ticks };
    Some(timed.into_iter().map(leg).collect())
}

/// Ticks from `before` to `stamp`, which wraps.
fn since(stamp: u32, before: u32) -> f64 {
    f64::from(i32::from_ne_bytes(stamp.wrapping_sub(before).to_ne_bytes()))
}

fn seconds(time: Timestamp, start: Timestamp) -> f64 {
    time.since(start).as_secs_f64()
}

/// Means, and sums of the products of what two are off them.
#[derive(Debug, Default)]
struct Sums {
    mean_time: f64,
    mean_queue: f64,
    mean_back: f64,
    time: f64,
    queue: f64,
    back: f64,
    time_queue: f64,
    time_back: f64,
    queue_back: f64,
}

impl Sums {
    fn of(legs: &[Leg]) -> Self {
        let mean =
            |part: fn(&Leg) -> f64| legs.iter().map(part).sum::<f64>() / len_as_f64(legs.len());
        let mut sums = Self {
            mean_time: mean(|leg| leg.time),
            mean_queue: mean(|leg| leg.queue),
            mean_back: mean(|leg| leg.back),
            ..Self::default()
        };
        for leg in legs {
            let time = leg.time - sums.mean_time;
            let queue = leg.queue - sums.mean_queue;
            let back = leg.back - sums.mean_back;
            sums.time += time * time;
            sums.queue += queue * queue;
            sums.back += back * back;
            sums.time_queue += time * queue;
            sums.time_back += time * back;
            sums.queue_back += queue * back;
        }
        sums
    }

    /// The part of the sum of `a` times `b` that no straight line over time makes; `None` where all is of one
    /// time.
    fn of_time(&self, a_b: f64, time_a: f64, time_b: f64) -> Option<f64> {
        (self.time > 0.0).then(|| a_b - time_a * time_b / self.time)
    }

    /// Mean delay on the way back beyond the shortest, seconds. `whole` and `both` are those of [`share`].
    fn level(&self, legs: &[Leg], whole: f64, both: f64) -> Option<f64> {
        // How fast the clocks part, by all that the queue does not explain.
        let drift = (self.time_back - both / whole * self.time_queue) / self.time;
        let left = |leg: &Leg| leg.back - drift * leg.time;
        let least = legs.iter().map(left).min_by(f64::total_cmp)?;
        Some(self.mean_back - drift * self.mean_time - least)
    }
}

#[cfg(test)]
#[expect(clippy::arithmetic_side_effects, reason = "test code")]
mod tests {
    use std::num::NonZeroU32;

    use super::super::track::Place;
    use super::*;
    use crate::units::Duration;

    /// Of a hundred ACKs, one each 10 ms, that waited so many milliseconds on the way there and back; the
    /// receiver's clock ticks once a millisecond, about, and wraps.
    fn told(queue: fn(u32) -> (u32, u32)) -> Option<f64> {
        let point = |nth: u32| {
            let (there, back) = queue(nth);
            let left_ms = nth * 10;
            let arrived = Duration::from_millis(u64::from(left_ms + 10 + back));
            let rtt = 0.02 + f64::from(there + back) / 1e3;
            let at = Place { time: Timestamp(0).after(arrived), sent: Timestamp(0), passed: 0.0 };
            // 200 ppm too fast.
            let stamp = NonZeroU32::new(u32::MAX.wrapping_add(left_ms + left_ms / 5000));
            Point { at, rtt, rtt_last: rtt, stamp, missing: 0.0 }
        };
        let points: Vec<Point> = (0..100).map(point).collect();
        share(&points, 0.02)
    }

    #[test]
    fn a_queue_is_on_the_way_that_takes_longer_with_it() {
        let near = |told: Option<f64>, share: f64| told.is_some_and(|it| (it - share).abs() < 0.1);
        assert!(near(told(|nth| (0, nth % 30)), 1.0));
        assert!(near(told(|nth| (nth % 30, 0)), 0.0));
        assert!(near(told(|nth| (nth % 4, nth % 30)), 0.9), "a little on the other");
    }

    #[test]
    fn nothing_is_told_of_two_queues_nor_of_one_that_stands() {
        assert_eq!(told(|nth| (nth % 30, nth * 7 % 30)), None);
        assert_eq!(told(|_| (0, 20)), None);
    }

    /// Jitter of 2 ms on the way back beside a queue of 20 ms.
    #[test]
    fn what_varies_is_not_all_where_a_queue_stands() {
        assert_eq!(told(|nth| (20, nth % 3)), None);
    }
}

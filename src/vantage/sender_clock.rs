//! When did the sender send, by its own clock? `TSval` (RFC 7323 section 3) is the clock reading at
//! which a segment was sent, so it shows the sender's schedule behind any queue of the path: what
//! the bottleneck stretched was sent at one reading.
//!
//! The smallest time from a reading to the segment passing the tap is the path without queues. A
//! segment was sent before the end of its reading's tick, and no later than it passed, both in the
//! time of a tap at that distance: that is the time told. What it cannot tell is the order within a
//! tick; a queue that never empties counts as part of the path, and a path that grows longer as a queue.

use crate::units::{Duration, Timestamp};

/// Follows one sender's timestamp clock.
#[derive(Debug, Default)]
pub(super) struct SenderClock {
    /// The reading from which ticks are counted, and when it passed.
    first: Option<(u32, Timestamp)>,
    tick: Tick,
    floor: Option<Floor>,
    last: Option<Last>,
}

/// The lag of a segment that found no queue.
#[derive(Debug, Clone, Copy)]
struct Floor {
    /// In ns against the first reading's.
    lag: i64,
    time: Timestamp,
}

impl Floor {
    fn at(self, now: Timestamp) -> i64 {
        let apart = now.since(self.time).checked_div(CLOCKS_PART_BY).unwrap_or_default();
        self.lag.saturating_add(nanos(apart.saturating_sub(APART_MIN)))
    }
}

/// The last reading.
#[derive(Debug, Clone, Copy)]
struct Last {
    value: u32,
    sent: Sent,
    /// From then on it may tell something else: so much has passed that the tick may be wrong.
    end: Timestamp,
}

impl Last {
    #[inline]
    fn is_again(&self, value: u32, now: Timestamp) -> bool {
        value == self.value && now >= self.sent.passed && now < self.end
    }
}

/// When a segment was sent, in the tap's time without the path's queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sent {
    passed: Timestamp,
    /// When the first reading passed, and when this one's tick began after it, in ns.
    first: Timestamp,
    tick_start: i64,
    tick: Duration,
}

impl Sent {
    /// Not after this: the end of its tick, or when it passed.
    pub(super) fn latest(&self) -> Timestamp {
        self.passed.min(self.after_start(self.tick))
    }

    /// The middle of its tick; when it passed, if it did before the tick's end.
    pub(super) fn likely(&self) -> Timestamp {
        if self.passed < self.after_start(self.tick) {
            return self.passed;
        }
        self.after_start(self.tick.checked_div(2).unwrap_or_default())
    }

    fn after_start(&self, part: Duration) -> Timestamp {
        let after_first = self.tick_start.saturating_add(nanos(part));
        self.first.after(Duration::from_nanos(u64::try_from(after_first).unwrap_or(0)))
    }
}

/// How long one tick lasts.
#[derive(Debug, Default, Clone, Copy)]
enum Tick {
    /// Too few of them have passed.
    #[default]
    Unknown,
    Known(Duration),
    /// It was known, and then did not fit any more: no clock, or one that was set.
    Refuted,
}

/// Ticks in use: RFC 7323 section 5.4 allows 1 ms to 1 s. Linux: 1 ms since 4.13, before that 4 or
/// 10 ms with HZ 250 or 100; 1 us since 6.7 where the route says so. A tick of a tenth of a second
/// and more is too coarse to tell anything here.
const TICKS: [Duration; 4] = [
    Duration::from_micros(1),
    Duration::from_millis(1),
    Duration::from_millis(4),
    Duration::from_millis(10),
];

/// So many ticks have to pass before their length is judged: one tick too many or too few is then a sixteenth
/// at most, and the ticks in use differ by a factor of 2.5 at least.
pub(crate) const TIMESTAMP_TICKS_MIN: u32 = 16;

/// Half of what can be told from readings that are older (RFC 7323 section 5.3).
const FAR_TICKS: u32 = 1 << 30;

/// The least lag rises by a part in so many of the time: 100 ppm, as two crystals of 50 ppm part. So a queue
/// that stands for a minute hides 5 ms of itself in the path, no more.
const CLOCKS_PART_BY: u32 = 10_000;

/// And not by the first of it, which most clocks' ticks do not tell anyway: a queue may stand for 10 s and
/// hide nothing, as that of a bottleneck with a deep buffer does between two losses.
const APART_MIN: Duration = Duration::from_millis(1);

/// A queue of the path holds this much at most: no bottleneck worth the name buffers more.
const QUEUE_MAX: Duration = Duration::from_secs(1);

impl SenderClock {
    /// Takes a segment with `TSval` `value` that passed the tap at `now`; tells when it was
    /// sent. `None` while the clock is not known.
    pub(super) fn on_data(&mut self, value: u32, now: Timestamp) -> Option<Sent> {
        if let Some(sent) = self.again(value, now) {
            return Some(sent);
        }
        self.last = None;
        let (first_value, first_time) = *self.first.get_or_insert((value, now));
        let ticks = value.wrapping_sub(first_value);
        if ticks > u32::MAX / 2 || now < first_time {
            return None; // Sent before the first, or the tap's clock went back.
        }
        if ticks > FAR_TICKS {
            self.count_anew();
        }
        let elapsed = now.since(first_time);
        if ticks >= TIMESTAMP_TICKS_MIN {
            self.judge_tick(elapsed, ticks);
        }
        let tick = self.tick()?;
        let expected = tick.saturating_mul(ticks);
        let lag = nanos(elapsed).saturating_sub(nanos(expected));
        let least = self.least_lag(lag, now);
        let tick_start = nanos(expected).saturating_add(least);
        let sent = Sent { passed: now, first: first_time, tick_start, tick };
        let explained = first_time.after(expected.saturating_add(QUEUE_MAX));
        self.last = Some(Last { value, sent, end: explained });
        Some(sent)
    }

    /// From the next reading on, ticks are counted from a later one: a number of 32 bits is soon round again
    /// at 1 us.
    #[cold]
    fn count_anew(&mut self) {
        let (Some(tick), Some((value, time))) = (self.tick(), &mut self.first) else { return };
        let ticks = FAR_TICKS / 2;
        *value = value.wrapping_add(ticks);
        *time = time.after(tick.saturating_mul(ticks));
    }

    /// The same reading again, later: its lag is no less, so that it tells nothing new.
    fn again(&self, value: u32, now: Timestamp) -> Option<Sent> {
        let Last { sent, .. } = self.last.filter(|last| last.is_again(value, now))?;
        Some(Sent { passed: now, ..sent })
    }

    /// Whether a segment with `TSval` `value` that passes at `now` tells nothing new.
    #[inline]
    pub(super) fn is_again(&self, value: u32, now: Timestamp) -> bool {
        self.last.as_ref().is_some_and(|last| last.is_again(value, now))
    }

    /// One tick; `None` while it is not known.
    pub(super) fn tick(&self) -> Option<Duration> {
        match self.tick {
            Tick::Known(tick) => Some(tick),
            Tick::Unknown | Tick::Refuted => None,
        }
    }

    /// A queue makes what has passed longer, up to [`QUEUE_MAX`], so what first looked like long ticks
    /// may turn out to be short ones that waited.
    fn judge_tick(&mut self, elapsed: Duration, ticks: u32) {
        match self.tick {
            Tick::Refuted => {}
            Tick::Known(tick) if is_too_long(elapsed, tick.saturating_mul(ticks)) => {
                self.tick = Tick::Refuted;
            }
            Tick::Known(tick) if !is_too_short(elapsed, tick.saturating_mul(ticks)) => {}
            Tick::Known(_) | Tick::Unknown => {
                self.tick = timestamp_tick(elapsed, ticks).map_or(Tick::Unknown, Tick::Known);
                self.floor = None;
            }
        }
    }

    /// The least so far, but for what the clocks may have parted since.
    fn least_lag(&mut self, lag: i64, now: Timestamp) -> i64 {
        match self.floor.map(|floor| floor.at(now)) {
            Some(least) if least < lag => least,
            _ => {
                self.floor = Some(Floor { lag, time: now });
                lag
            }
        }
    }
}

/// How long one of `ticks` is, of those in use; `None` if none fits.
pub(crate) fn timestamp_tick(elapsed: Duration, ticks: u32) -> Option<Duration> {
    TICKS.into_iter().find(|tick| is_near(elapsed, ticks, *tick))
}

/// Whether `ticks` of this length fill the time, give or take a quarter.
fn is_near(elapsed: Duration, ticks: u32, tick: Duration) -> bool {
    let expected = tick.saturating_mul(ticks);
    elapsed.abs_diff(expected) <= part(expected, 4)
}

/// Whether less has passed than the ticks last.
fn is_too_short(elapsed: Duration, expected: Duration) -> bool {
    elapsed.saturating_add(part(expected, 4)) < expected
}

/// Whether more has passed than the ticks and a queue explain, nor a clock that differs by a thousandth.
fn is_too_long(elapsed: Duration, expected: Duration) -> bool {
    let explained = expected.saturating_add(QUEUE_MAX);
    // The first answers nearly always.
    elapsed > explained && elapsed > explained.saturating_add(part(expected, 1000))
}

fn part(of: Duration, divisor: u32) -> Duration {
    of.checked_div(divisor).unwrap_or_default()
}

fn nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
#[expect(clippy::arithmetic_side_effects, reason = "test code")]
mod tests {
    use super::*;

    /// A segment of each tenth millisecond from 100 ms on, `path_us` behind the sender's clock.
    fn settled(path_us: u64) -> SenderClock {
        let mut clock = SenderClock::default();
        for ms in (100..400).step_by(10) {
            clock.on_data(ms, at_us(u64::from(ms), path_us));
        }
        clock
    }

    fn at_us(ms: u64, us: u64) -> Timestamp {
        Timestamp((ms * 1000 + us) * 1000)
    }

    #[test]
    fn a_queued_segment_was_sent_before_its_tick_ended() {
        let mut clock = settled(20_000);
        assert_eq!(clock.tick(), Some(Duration::from_millis(1)));
        let sent = clock.on_data(500, at_us(500, 27_300)).unwrap();
        assert_eq!((sent.likely(), sent.latest()), (at_us(500, 20_500), at_us(501, 20_000)));
    }

    #[test]
    fn a_segment_without_queue_was_sent_when_it_passed() {
        let mut clock = settled(20_000);
        let sent = clock.on_data(500, at_us(500, 20_400)).unwrap();
        assert_eq!((sent.likely(), sent.latest()), (at_us(500, 20_400), at_us(500, 20_400)));
    }

    /// 4 ms: HZ 250.
    #[test]
    fn a_coarser_clock_is_known_by_its_pace() {
        let mut clock = SenderClock::default();
        for tick in 0..50 {
            clock.on_data(tick, at_us(u64::from(tick) * 4, 0));
        }
        assert_eq!(clock.tick(), Some(Duration::from_millis(4)));
        assert_eq!(clock.on_data(50, at_us(209, 0)).unwrap().latest(), at_us(204, 0));
    }

    /// 3 ms of queue for each ms: the beginning of slow start on a slow link.
    #[test]
    fn a_queue_that_grows_is_no_coarser_clock() {
        let mut clock = SenderClock::default();
        for ms in 0..40 {
            clock.on_data(ms, at_us(u64::from(ms), u64::from(ms) * 3000));
        }
        for ms in (300..600).step_by(20) {
            clock.on_data(ms, at_us(u64::from(ms), 60_000));
        }
        assert_eq!(clock.tick(), Some(Duration::from_millis(1)));
    }

    #[test]
    fn a_count_of_segments_is_no_clock() {
        let mut clock = SenderClock::default();
        let spacings_us = [9000, 70, 1300, 45_000].iter().cycle();
        let mut now_us = 0;
        for (count, spacing_us) in (0..4000).zip(spacings_us) {
            now_us += spacing_us;
            clock.on_data(count, at_us(0, now_us));
        }
        assert_eq!(clock.tick(), None);
    }

    /// Reset to another value, as a middlebox or a restored virtual machine may.
    #[test]
    fn a_clock_that_was_set_is_given_up() {
        let mut clock = settled(20_000);
        clock.on_data(90_000, at_us(500, 20_000));
        assert_eq!(clock.on_data(90_010, at_us(510, 20_000)), None);
    }

    /// Of 5 ms from 6 s on: nobody's clock runs away like that.
    #[test]
    fn a_queue_that_stays_is_no_path() {
        let mut clock = SenderClock::default();
        let lag_us = |ms: u32| if ms < 6000 { 20_000 } else { 25_000 };
        let sent = (0..20_000)
            .step_by(10)
            .filter_map(|ms| clock.on_data(ms, at_us(u64::from(ms), lag_us(ms))));
        // 0.4 ms of it are, and half a tick.
        assert_eq!(sent.last().map(|sent| sent.likely()), Some(Timestamp(20_010_900_500)));
    }

    /// 1 us, since Linux 6.7: 2^32 of them pass in 72 minutes.
    #[test]
    fn a_fine_clock_goes_round() {
        let mut clock = SenderClock::default();
        let readings = (0_u64..200).map(|half_minute| half_minute * 30_000_000);
        for us in readings.clone() {
            let value = u32::try_from(us & u64::from(u32::MAX)).unwrap();
            clock.on_data(value, at_us(0, us + 20_000));
        }
        assert_eq!(clock.tick(), Some(Duration::from_micros(1)));
        let us = 6_000_000_000;
        let sent =
            clock.on_data(u32::try_from(us & u64::from(u32::MAX)).unwrap(), at_us(0, us + 20_000));
        assert_eq!(sent.map(|sent| sent.likely()), Some(at_us(0, us + 20_000)));
    }

    /// 50 ppm slow: without following it, a minute would add 3 ms to what counts as queue.
    #[test]
    fn a_clock_that_drifts_is_followed() {
        let mut clock = SenderClock::default();
        for tick in 0..60_000 {
            clock.on_data(tick, at_us(u64::from(tick), 20_000 + u64::from(tick) / 20));
        }
        let last = clock.on_data(60_000, at_us(60_000, 23_000)).unwrap().latest();
        assert!(last >= at_us(60_000, 22_500), "{last:?}");
    }
}

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
    /// How far back the tap's clock was set so far.
    back: Duration,
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
        if self.is_exact() {
            return self.passed;
        }
        self.after_start(self.tick.checked_div(2).unwrap_or_default())
    }

    /// Nothing held it up on its way, as far as a tick shows.
    pub(super) fn is_exact(&self) -> bool {
        self.passed < self.after_start(self.tick)
    }

    /// Tells its tick from others: when it began after the first reading, in ns.
    pub(super) fn tick_start(&self) -> i64 {
        self.tick_start
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

/// A queue of the path holds this much at most. Those of slow lines hold seconds: with 1 s two ends of one
/// connection were told two limits, and a capacity that was a tenth to a quarter off; from 3 s to 60 s
/// nothing changes any more (2482 directions of the open corpus, of `tests/held-out` and of captures of
/// others).
const QUEUE_MAX: Duration = Duration::from_secs(10);

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

    /// The tap's clock was set, if it is `back` by more than before: its times so far tell no more of later
    /// ones than how long a tick is.
    pub(super) fn on_clock_set(&mut self, back: Duration) {
        if back > self.back {
            *self = Self { tick: self.tick, back, ..Self::default() };
        }
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
mod tests;

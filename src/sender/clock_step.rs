//! Did the tap's clock jump ahead between two segments? The sender's timestamp clock (RFC 7323 section 3)
//! goes on evenly, so time that it does not know of passed on the tap's clock alone: that was set, or the
//! sender stood still (a suspended machine). What happened in that time is not known either way. Away from
//! the sender the path may have stood still as well, and kept what was sent.

use crate::flow::Data;
use crate::units::{Duration, Timestamp};
use crate::vantage::{TIMESTAMP_TICKS_MIN, timestamp_tick};

/// Follows one sender's timestamp clock beside the tap's.
#[derive(Debug, Default)]
pub(super) struct ClockStep {
    first: Option<Reading>,
    last: Reading,
}

#[derive(Debug, Default, Clone, Copy)]
struct Reading {
    value: u32,
    time: Timestamp,
}

/// A queue on the sending host may hold a segment back after its timestamp was written, but not as long as
/// this: 1 s was seen at a host that emulates a slow link.
const STEP_MIN: Duration = Duration::from_secs(2);

impl ClockStep {
    /// Takes the next segment at the sender's tap; tells whether the tap's clock jumped before it.
    #[inline]
    pub(super) fn on_data(&mut self, data: &Data) -> bool {
        let Some(value) = data.timestamps.map(|stamps| stamps.value) else { return false };
        let now = Reading { value, time: data.time };
        let last = std::mem::replace(&mut self.last, now);
        let is_soon = now.time.since(last.time) < STEP_MIN;
        if is_soon && self.first.is_some() {
            return false; // Nearly always.
        }
        self.is_step(last, now)
    }

    #[inline(never)]
    fn is_step(&mut self, last: Reading, now: Reading) -> bool {
        let Some(first) = self.first else {
            self.first = Some(now);
            return false;
        };
        let passed = now.time.since(last.time);
        let Some(ticks) = last.ticks_until(now) else {
            self.first = Some(now); // Another clock, or a reordered segment: learn it again.
            return false;
        };
        let is_longer = |tick: Duration| {
            let by_sender = tick.saturating_mul(ticks);
            passed >= by_sender.saturating_mul(2).saturating_add(STEP_MIN)
        };
        // If the time fits a clock of another tick, it was the tick that was taken wrong.
        let is_step = first.tick_until(last).is_some_and(is_longer)
            && timestamp_tick(passed, ticks).is_none();
        if is_step {
            // The tick as it was before, seen from here.
            self.first = Some(Reading { time: first.time.after(passed), ..first });
        }
        is_step
    }
}

impl Reading {
    /// `None` if the other was written before.
    fn ticks_until(self, later: Self) -> Option<u32> {
        let ticks = later.value.wrapping_sub(self.value);
        (ticks <= u32::MAX / 2).then_some(ticks)
    }

    /// The length of a tick; `None` if too few passed, or they are no clock's.
    fn tick_until(self, later: Self) -> Option<Duration> {
        let ticks = self.ticks_until(later).filter(|ticks| *ticks >= TIMESTAMP_TICKS_MIN)?;
        timestamp_tick(later.time.since(self.time), ticks)
    }
}

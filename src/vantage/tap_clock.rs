//! How fine is the clock that the capture's times were read from? Some tick only every few milliseconds
//! (Windows' timer every 1/64 s; files converted from whole milliseconds): then many packets have the
//! same time, and no two times are closer than a tick.

use crate::units::host::BACK_TO_BACK;
use crate::units::{Duration, Timestamp};

/// A silence may be a tick shorter than it reads, and an RTT a tick longer: against two RTTs it may seem too
/// long by so many.
pub(crate) const BLUR_TICKS: u32 = 3;

/// One flow's times, data and acknowledgments.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct TapClock {
    last: Timestamp,
    /// Shortest time between two packets that were not at the same; zero before there was one.
    least: Duration,
    /// Packets at the time of the one before.
    same_count: u32,
}

impl TapClock {
    /// As many at one time are no chance: bursts are 2 to 43 us apart where measured.
    const SAME_MIN: u32 = 16;

    /// The tick, where this packet changes what is known of it; zero of a clock that is fine after all.
    #[inline]
    pub(super) fn on_packet(&mut self, time: Timestamp) -> Option<Duration> {
        if !self.least.is_zero() && self.least <= BACK_TO_BACK {
            return None; // Nearly always, from the first packets on.
        }
        let before = self.tick();
        self.take(time);
        let tick = self.tick();
        (tick != before).then(|| tick.unwrap_or_default())
    }

    fn take(&mut self, time: Timestamp) {
        let apart = time.since(self.last);
        if apart.is_zero() {
            self.same_count = self.same_count.saturating_add(u32::from(time == self.last));
        } else if self.last > Timestamp::default() {
            self.least = if self.least.is_zero() { apart } else { self.least.min(apart) };
        }
        self.last = self.last.max(time);
    }

    /// One tick; `None` where the clock is fine, or too little was seen to tell.
    pub(super) fn tick(&self) -> Option<Duration> {
        (self.least > BACK_TO_BACK && self.same_count >= Self::SAME_MIN).then_some(self.least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tick that a clock of this tick shows, by packets so many microseconds apart.
    #[expect(clippy::arithmetic_side_effects, reason = "small numbers")]
    fn told(tick_us: u64, apart_us: u64) -> Option<Duration> {
        let mut clock = TapClock::default();
        for packet in 1..200 {
            let micros = packet * apart_us;
            clock.on_packet(
                Timestamp::default().after(Duration::from_micros(micros - micros % tick_us)),
            );
        }
        clock.tick()
    }

    #[test]
    fn a_tick_shows_where_packets_are_closer_together() {
        assert_eq!(told(1000, 130), Some(Duration::from_millis(1)));
        assert_eq!(told(15_625, 4000), Some(Duration::from_micros(15_625)));
        assert_eq!(told(1, 130), None, "a fine clock");
        assert_eq!(told(1, 20_000), None, "few packets, far apart");
        assert_eq!(told(1000, 20_000), None, "too far apart to tell");
    }
}

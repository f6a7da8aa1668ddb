//! For how long does a congestion window that grows stay what it has come to be?
//!
//! For a round trip at most, in avoidance after RFC 5681 (section 3.1). Linux' CUBIC and BIC work out their
//! growth at most once in 1/32 s while the window stays the same (`bictcp_update`): after a loss it stays for
//! that long, and then makes up for it, by more than a segment at once. So on a path of some milliseconds
//! long stays and short ones alternate, and which one comes next shows by what the last one was.

use crate::round::Wait;
use crate::units::{Bytes, Duration, Timestamp};

/// What is in flight as a congestion window grows.
#[derive(Debug, Default)]
pub(super) struct Stay {
    /// The most of it, since it grew from the start on, and since when.
    pub(super) flight: Bytes,
    since: Timestamp,
    /// The longest stay so far that may be such a time of 1/32 s; `None` before there was one.
    longest: Option<Duration>,
}

impl Stay {
    /// It grows from anew.
    pub(super) fn restart(&mut self) {
        self.flight = Bytes(0);
    }

    /// The next wait for it.
    pub(super) fn go_on(&mut self, wait: &Wait, srtt: Duration) {
        if wait.flight_before > self.flight {
            if self.flight > Bytes(0) {
                self.end(wait.start, srtt);
            }
            (self.flight, self.since) = (wait.flight_before, wait.start);
        }
    }

    /// It has grown once more by `now`; gives how long it will stay there.
    pub(super) fn next(&mut self, now: Timestamp, srtt: Duration) -> Duration {
        let last = self.end(now, srtt);
        self.longest.filter(|longest| last.saturating_mul(2) < *longest).unwrap_or(srtt)
    }

    /// How long it has stayed as it was until `now`.
    fn end(&mut self, now: Timestamp, srtt: Duration) -> Duration {
        let last = now.since(self.since);
        let is_long = last >= srtt.saturating_mul(LONG_ROUND_TRIPS);
        if is_long && last <= LONG_MAX.saturating_add(srtt) {
            self.longest = self.longest.max(Some(last));
        }
        last
    }
}

/// More round trips than a window stays that grows with each, whichever ACK let the first of its segments go.
const LONG_ROUND_TRIPS: u32 = 3;

/// 1/32 s and a tick of 1/100 s, the slowest that Linux is built with; a round trip may pass on top of it
/// until an ACK shows it. With 250 ticks a second, of 14 flows of CUBIC with random loss on paths of 1.5 to
/// 15 ms (`tests/held-out`, `lossy`) the medians of all stays of three round trips and more, by the kernel's
/// own cwnd, were 30 to 46 ms, but for one of 76; 7 of Reno had no such stay.
const LONG_MAX: Duration = Duration::from_micros(41_250);

#[cfg(test)]
mod tests {
    use super::super::tests::{CLOCKED, round};
    use super::*;

    /// How long the window stays at its last size, in ms, where it had these before for so many ms.
    fn next(before: &[(u64, u64)], rtt_ms: u64) -> u64 {
        let srtt = Duration::from_millis(rtt_ms);
        let mut stay = Stay::default();
        let mut at_ms = 0;
        for &(flight, ms) in before {
            let mut wait = round(&[CLOCKED]).waits[0];
            wait.start = Timestamp::default().after(Duration::from_millis(at_ms));
            wait.flight_before = Bytes(flight);
            stay.go_on(&wait, srtt);
            at_ms = ms.saturating_add(at_ms);
        }
        stay.next(Timestamp::default().after(Duration::from_millis(at_ms)), srtt).as_micros() / 1000
    }

    #[test]
    fn a_window_that_grew_at_once_stays_as_long_as_one_has_before() {
        assert_eq!(next(&[(3000, 2), (4000, 2)], 2), 2, "with each round trip");
        assert_eq!(next(&[(3000, 30), (4000, 2)], 2), 30);
        assert_eq!(next(&[(3000, 30), (4000, 15)], 2), 2, "it has stayed long");
    }

    #[test]
    fn what_grows_more_seldom_or_with_the_round_trips_is_not_held_for_a_time() {
        assert_eq!(next(&[(3000, 44), (4000, 2)], 2), 2, "longer than any tick");
        assert_eq!(next(&[(3000, 30), (4000, 2)], 11), 11, "fewer than three round trips");
    }
}

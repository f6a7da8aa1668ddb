//! How fast is a sender paced whose receive window is full? Each of its sends answers an ACK there, so no
//! wait shows the rate. BBR's is known all the same: it goes to 1.25 times what the window lets it measure,
//! and stays there until that much more is in flight (`bbr_is_next_cycle_phase`), which the window prevents.
//! It measures segments, and takes each for a whole one with its headers (`bbr_rate_bytes_per_sec`): what
//! is cut short to fit into the window, or was written so, counts for more than its octets.
//!
//! Any pacing timer, be its rate BBR's or a fixed one, holds a burst for half of what the one before takes at
//! least (`tcp_update_skb_after_send`). So each wait shows a rate that the timer's is not below.

use super::rate::Pace;
use crate::units::{Bytes, Duration, Timestamp};

/// What went out of late, in octets and in segments.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Fill {
    octets: Bytes,
    segments: u64,
}

impl Fill {
    /// Of what went out before, as much is kept as is in flight.
    pub(super) fn add(&mut self, octets: Bytes, segments: u32, flight: Bytes) {
        if self.octets > flight {
            (self.octets, self.segments) = (Bytes(self.octets.0 / 2), self.segments / 2);
        }
        self.octets = self.octets.saturating_add(octets);
        self.segments = self.segments.saturating_add(u64::from(segments));
    }

    /// What `flight` counts for when each of its segments is taken for a whole one.
    pub(super) fn in_whole(self, flight: Bytes, smss: Bytes) -> Bytes {
        let whole = smss.saturating_add(HEADERS).0.saturating_mul(self.segments);
        let counted = u128::from(flight.0).saturating_mul(u128::from(whole));
        let counted = counted.checked_div(u128::from(self.octets.0)).unwrap_or_default();
        flight.max(Bytes(u64::try_from(counted).unwrap_or(u64::MAX)))
    }
}

/// Of IPv4 and TCP without options (RFC 791, RFC 9293 section 3.1); IPv6 has 20 more, a hundredth of most
/// segments.
const HEADERS: Bytes = Bytes(40);

/// Follows one sender.
#[derive(Debug, Default)]
pub(super) struct WindowPace {
    /// The fastest that a wait has shown of late, and when.
    shown: Option<(Pace, Timestamp)>,
}

impl WindowPace {
    /// A burst of `octets` went out in a full window, and the next one `time` after it.
    pub(super) fn on_wait(
        &mut self,
        start: Timestamp,
        burst: Bytes,
        time: Duration,
        rtt: Duration,
    ) {
        let least = Pace(burst, time.saturating_mul(2));
        let is_slower = |shown: Pace| !(least.is_above(shown) || least.agrees_with(shown));
        if !self.shown(start, rtt).is_some_and(is_slower) {
            self.shown = Some((least, start));
        }
    }

    /// The pace at `now` with `window` going out in a round trip. `None` if BBR's were out of all proportion
    /// to `own`, the last one proved: then that is the network interface's.
    pub(super) fn pace(
        &self,
        now: Timestamp,
        (window, rtt): (Bytes, Duration),
        own: Pace,
    ) -> Option<Pace> {
        // 1.25 times 0.99 of the rate (`bbr_pacing_gain`, `bbr_pacing_margin_percent`).
        let raised = Pace(Bytes(window.0.saturating_mul(495)), rtt.saturating_mul(400));
        let shown = self.shown(now, rtt).filter(|shown| shown.is_above(raised));
        raised.is_within_gains_of(own).then(|| shown.unwrap_or(raised))
    }

    fn shown(&self, now: Timestamp, rtt: Duration) -> Option<Pace> {
        let (pace, at) = self.shown?;
        (now.since(at) <= rtt.saturating_mul(ROUNDS_SHOWN)).then_some(pace)
    }
}

/// ACKs that come close together do so again a round trip later, by what they let out. BBR keeps its pace for
/// longer (`bbr_is_next_cycle_phase`), but may have been at it for as long when the wait showed it.
const ROUNDS_SHOWN: u32 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(40);
    /// 1 MB/s is what the window lets through.
    const WINDOW: (Bytes, Duration) = (Bytes(40_000), RTT);

    fn at(ms: u64) -> Timestamp {
        Timestamp(1_000_000_000).after(Duration::from_millis(ms))
    }

    /// How long 1000 octets take, with `own` per octet proved before.
    fn us_per_1000(pace: &WindowPace, now: Timestamp, own_ns: u64) -> Option<u64> {
        let own = Pace(Bytes(1), Duration::from_nanos(own_ns));
        Some(pace.pace(now, WINDOW, own)?.time_of(Bytes(1000)).as_micros())
    }

    #[test]
    fn bbr_s_pace_is_known_unless_what_was_proved_is_out_of_proportion() {
        let pace = WindowPace::default();
        assert_eq!(us_per_1000(&pace, at(0), 1000), Some(808), "1.2375 MB/s");
        assert_eq!(us_per_1000(&pace, at(0), 102), Some(808));
        assert_eq!(us_per_1000(&pace, at(0), 100), None, "eight times as fast and more");
    }

    /// 2000 octets, and 600 us later the next: those have taken 1.2 ms at most.
    #[test]
    fn a_wait_below_half_of_bbr_s_shows_a_faster_pace_for_two_round_trips() {
        let mut pace = WindowPace::default();
        for (ms, us) in [(0, 600), (1, 1700), (2, 900)] {
            pace.on_wait(at(ms), Bytes(2000), Duration::from_micros(us), RTT);
        }
        assert_eq!(us_per_1000(&pace, at(3), 1000), Some(600));
        assert_eq!(us_per_1000(&pace, at(80), 1000), Some(600));
        assert_eq!(us_per_1000(&pace, at(81), 1000), Some(808));
        pace.on_wait(at(82), Bytes(2000), Duration::from_micros(1700), RTT);
        assert_eq!(us_per_1000(&pace, at(83), 1000), Some(808), "it shows no more than that");
    }

    /// 1000 and 500 octets in turn: 40 kB in 54 segments, each for 1040.
    #[test]
    fn short_segments_count_for_whole_ones() {
        let smss = Bytes(1000);
        let mut fill = Fill::default();
        assert_eq!(fill.in_whole(Bytes(40_000), smss), Bytes(40_000), "nothing is known");
        for _ in 0..100 {
            fill.add(Bytes(1500), 2, Bytes(40_000));
        }
        let counted = fill.in_whole(Bytes(40_000), smss);
        assert!(counted.0.abs_diff(55_466) < 1000, "{counted:?}");
    }
}

//! Is a sender paced by its congestion window? Where pacing is asked for, Linux paces each algorithm that
//! sets no rate of its own at 1.2 times the window a round trip once it is past slow start
//! (`tcp_update_pacing_rate`, `tcp_pacing_ca_ratio`). So the pace changes with the window, and the proofs of
//! the module `pace`, which compare one wait with the next, seldom hold. But it can be told ahead: the window
//! is what is in flight where it is full, in whole segments.
//!
//! No writer's timer makes such waits. At a steady pace as much is in flight after each burst as is written
//! in a round trip at least, so that its waits are a fifth longer, whatever its pace.

use crate::units::{Bytes, Duration, Timestamp};

/// What went out before a wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    pub(super) start: Timestamp,
    pub(super) octets: Bytes,
    /// In flight right after it.
    pub(super) flight: Bytes,
    pub(super) smss: Bytes,
    pub(super) srtt: Option<Duration>,
}

/// Follows one sender's timer at the pace of what is in flight.
#[derive(Debug, Default)]
pub(super) struct CwndPace {
    /// When it let the next buffer out, if that is the pace.
    lets_out: Timestamp,
    /// Waits that no ACK ended although data was queued; of these, the ones of just that length.
    unprompted: u32,
    steps: u32,
}

impl CwndPace {
    /// Whether the timer of such a sender made the wait after `sent` as long as it was; waits come in order.
    /// `is_unprompted`: no ACK ended it although data was queued.
    pub(super) fn is_step(&mut self, sent: &Sent, length: Duration, is_unprompted: bool) -> bool {
        if !is_unprompted && self.unprompted == 0 {
            return false; // Nearly always, of senders that no timer paces.
        }
        let held = self.held(sent);
        self.lets_out = sent.start.after(held);
        if !is_unprompted {
            return false;
        }
        self.unprompted = self.unprompted.saturating_add(1);
        let is_as_held =
            held.as_nanos().abs_diff(length.as_nanos()).saturating_mul(50) <= held.as_nanos();
        self.steps = self.steps.saturating_add(u32::from(is_as_held && !held.is_zero()));
        is_as_held && self.is_proved()
    }

    /// What the burst takes at that pace, but by up to half of that less where the sender was late for it
    /// (`tcp_update_skb_after_send`).
    fn held(&self, sent: &Sent) -> Duration {
        let Sent { start, octets, flight, smss, srtt } = *sent;
        let window = Bytes(flight.0.div_ceil(smss.0.max(1)).saturating_mul(smss.0));
        let in_fifths =
            octets.0.saturating_mul(srtt.unwrap_or_default().as_nanos()).saturating_mul(5);
        let full = in_fifths.checked_div(window.0.saturating_mul(6)).unwrap_or_default();
        let late = start.since(self.lets_out).as_nanos();
        Duration::from_nanos(full.saturating_sub(late.min(full / 2)))
    }

    /// Again and again, and in one of three waits that no ACK ended.
    fn is_proved(&self) -> bool {
        self.steps >= STEPS_MIN && self.steps.saturating_mul(3) >= self.unprompted
    }
}

/// By chance one wait in 25 comes within a fiftieth of half to all of what its burst takes; eight of 24 do in
/// less than one of a hundred thousand flows.
const STEPS_MIN: u32 = 8;

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1448;
    const RTT: Duration = Duration::from_millis(73);

    /// Sends of `segments` with `window` in flight, each `waits` after the one before, from 100 ms on. What
    /// is told of each wait, all of them ended without an ACK but the first.
    fn told(window: u64, segments: u64, waits: &[u64]) -> Vec<bool> {
        let (mut pace, mut micros) = (CwndPace::default(), 100_000_u64);
        let mut told = Vec::new();
        for (n, wait) in waits.iter().enumerate() {
            let sent = Sent {
                start: Timestamp(0).after(Duration::from_micros(micros)),
                octets: Bytes(MSS.saturating_mul(segments)),
                flight: Bytes(MSS.saturating_mul(window)),
                smss: Bytes(MSS),
                srtt: Some(RTT),
            };
            told.push(pace.is_step(&sent, Duration::from_micros(*wait), n > 0));
            micros = micros.saturating_add(*wait);
        }
        told
    }

    /// Five segments in 73 ms: at 1.2 times that one takes 12.167 ms.
    #[test]
    fn waits_at_a_fifth_above_the_window_s_rate_are_the_timer_s() {
        let told = told(
            5,
            1,
            &[20_000, 6083, 12_170, 12_180, 12_160, 12_170, 12_167, 12_150, 12_300, 13_000],
        );
        assert_eq!(told, [false, false, false, false, false, false, false, false, true, false]);
    }

    /// The sender was 4 ms late for a segment that takes 12.167 ms.
    #[test]
    fn the_timer_makes_up_for_what_came_late() {
        let mut waits = vec![20_000, 6083];
        for _ in 0..8 {
            waits.extend([16_167, 8167]);
        }
        let told = told(5, 1, &waits);
        assert_eq!(told.iter().filter(|is_step| **is_step).count(), 2, "{told:?}");
        assert_eq!(told.last(), Some(&true));
    }

    /// What a writer has in flight is what it wrote in the last round trip, be its writes small or large.
    #[test]
    fn no_even_writer_keeps_that_pace() {
        for (segments, micros) in
            [(1, 3000), (1, 12_167), (2, 12_167), (3, 30_000), (1, 73_000), (10, 60_833)]
        {
            let bursts = 73_000 / micros + 1;
            let told = told(bursts * segments, segments, &vec![micros; 60]);
            assert!(!told.contains(&true), "{segments} {micros}");
        }
    }
}

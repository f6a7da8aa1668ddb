//! What losses that stay allow: as many segments as lie between two of them, in the time that it takes to
//! get from one to the next.

use super::ceiling::{Ceiling, Ground};
use super::law::Law;
use super::{Now, limit_of};
use crate::episode::{Episode, StallCause};
use crate::limit::{Cause, Limit};
use crate::model::{Lifted, NextLimit};
use crate::path::Capacity;
use crate::units::{Duration, as_f64};
use crate::verdict::poisson::range_of_mean;
use crate::verdict::recovery::new_segments;

/// From one loss event to the next.
struct Cycle {
    /// Octets of a segment.
    smss: f64,
    /// What each makes the sender wait for a timer, seconds.
    timer_s: f64,
}

/// Round trips in which the window does not grow: that in which the loss shows (Padhye et al., SIGCOMM 1998,
/// section 2.1), and that of the repair (RFC 6675).
const ROUNDS_WITHOUT_GROWTH: f64 = 2.0;
/// What goes out in both of them, over the mean window: half of the largest, which is a third above the mean,
/// in each.
const WINDOWS_WITHOUT_GROWTH: f64 = 4.0 / 3.0;

impl Cycle {
    /// Bits per second; `window` is the mean window, in segments, of one that grows, at a loss rate, as the
    /// formulas have it. Of the open corpus' 20 flows with random loss that grow by one of them, theirs is
    /// 0.85 to 1.16 times the rate seen at windows of 19 segments and more, 1.11 to 1.38 times at 8 to 13,
    /// and 5.6 times where one segment in ten is lost; with the rounds that they leave out, and the timers,
    /// 0.8 to 1.07, 0.97 to 1.2, and 1.5 times. Of 24 flows whose window or buffer was lifted beside such
    /// losses (`whatif.py`, `lossy`), 14 in place of 10 got within a fifth of what they were told.
    fn bps(&self, loss_rate: f64, rtt: f64, window: impl Fn(f64) -> f64) -> f64 {
        let segments = 1.0 / loss_rate;
        let grown = (segments - WINDOWS_WITHOUT_GROWTH * window(loss_rate)).max(1.0);
        let round_trips = grown / window(1.0 / grown) + ROUNDS_WITHOUT_GROWTH;
        segments * self.smss * 8.0 / (round_trips * rtt + self.timer_s)
    }
}

impl Now<'_> {
    /// What the congestion control carries at the loss seen; where it is not known, at least Reno's rate,
    /// about CUBIC's. BBR does not go by it.
    pub(super) fn loss(&self, lifted: Lifted) -> Option<Ceiling> {
        let losses = self.losses_without_queue();
        if losses <= 0.0 || self.is_paced() {
            return None;
        }
        let min_rtt = self.min_rtt;
        let timer_s = self.timer_s();
        let cycle = Cycle { smss: as_f64(self.basis.facts.smss), timer_s };
        let segments = new_segments(self.basis.findings, losses);
        let [few, many] = range_of_mean(losses).map(|events| (events / segments).min(1.0));
        let law = Law::of(self.basis.facts.class);
        let window = |loss_rate: f64| law.window(loss_rate, min_rtt);
        let low = cycle.bps(many, self.srtt.max(min_rtt), |rate| law.low(rate, min_rtt));
        let best = cycle.bps(losses / segments, min_rtt, window);
        let ceiling = Ceiling {
            next: NextLimit::Loss,
            low,
            best,
            // As if no loss ever cost more than growth.
            high: Some(window(few) * cycle.smss * 8.0 / min_rtt),
            ground: Ground::Loss { segments: segments / losses, law, timer_s },
        };
        match self.held_already(lifted) {
            Some((share, most)) if most < best => {
                let low = low.min(self.goodput);
                Some(Ceiling { low, best: most, ground: Ground::Held { share }, ..ceiling })
            }
            _ => Some(ceiling),
        }
    }

    /// The share of the time in which losses hold the flow already, and what they allow at most beside
    /// `lifted`, bits per second; `None` where they do not.
    fn held_already(&self, lifted: Lifted) -> Option<(f64, f64)> {
        let shares = self.basis.shares;
        let cause = shares.main_cause(Limit::CongestionWindow);
        let is_held = matches!(cause, Some(Cause::Avoidance | Cause::Recovery | Cause::RtoWait));
        let (own, losses) = (shares.of(limit_of(lifted)), shares.of(Limit::CongestionWindow));
        (is_held && losses > 0.0).then(|| (losses, most_of(self.goodput, losses / (own + losses))))
    }

    /// What a loss event makes the sender wait for a timer, whatever the window is: the retransmission may be
    /// lost as well.
    fn timer_s(&self) -> f64 {
        let episodes = &self.basis.findings.episodes;
        let stalls = episodes.stalls.kept.iter();
        let waited = stalls.filter(|stall| stall.cause == StallCause::RetransmissionLost);
        let waited = waited.map(|stall| stall.extent().duration());
        let waited = waited.fold(Duration::ZERO, Duration::saturating_add);
        waited.as_secs_f64() / as_f64(episodes.losses.count.max(1))
    }

    /// Losses while less was out than the path holds without a queue: none that the flow's own
    /// queue can have caused by overflowing. Where that is not known, all of them.
    fn losses_without_queue(&self) -> f64 {
        let losses = &self.basis.findings.episodes.losses;
        let path = &self.basis.findings.path;
        let known =
            path.capacity.filter(Capacity::is_known).map(|found| found.bps * path.payload_share);
        let holds =
            path.dispersion.map(|found| found.bps).or(known).map(|bps| bps * self.min_rtt / 8.0);
        let is_no_overflow = |flight: u64| holds.is_none_or(|holds| as_f64(flight) <= holds);
        let kept = losses.kept.len();
        let found = losses.kept.iter().filter(|loss| is_no_overflow(loss.flight_before.0)).count();
        // The list may be cut: the rest is taken to be as those kept.
        as_f64(losses.count) * as_f64(found as u64) / as_f64(kept.max(1) as u64)
    }
}

/// What losses allow at most, bits per second, that hold a flow for such a `share` of the time, where another
/// limit does for the rest: only in that would the window have been larger. Of 21 flows beside random loss
/// (`whatif.py`, `lossy`) that got a larger window or buffer than held them for 0.07 to 0.93 of the time,
/// none came to more than their rate over the square of that share; the formulas had one at almost twice as
/// much as it got.
fn most_of(bps: f64, share: f64) -> f64 {
    bps / share.powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::reno_window;

    /// Megabits per second of segments of 1000 octets at 10 ms, and what the formula alone would have.
    fn mbps(loss_rate: f64, timer_s: f64) -> [f64; 2] {
        let cycle = Cycle { smss: 1000.0, timer_s };
        let formula = reno_window(loss_rate) * 8e3 / 0.01;
        [cycle.bps(loss_rate, 0.01, reno_window), formula].map(|bps| bps / 1e6)
    }

    #[test]
    fn repairs_cost_small_windows_more_than_large_ones() {
        let [many, formula] = mbps(0.02, 0.0);
        assert!((0.75..0.85).contains(&(many / formula)), "{many} of {formula}");
        let [few, formula] = mbps(1e-5, 0.0);
        assert!((0.98..1.0).contains(&(few / formula)), "{few} of {formula}");
    }

    /// Fifty segments in some seven round trips of 10 ms, and as long again for the timer.
    #[test]
    fn a_timer_for_each_loss_takes_its_time() {
        let [without, _] = mbps(0.02, 0.0);
        let round_trips = 50.0 * 8e-3 / without;
        let [with, _] = mbps(0.02, round_trips);
        assert!((without / with - 2.0).abs() < 1e-9, "{without} {with}");
    }

    /// A buffer that held a flow for a fifteenth of the time hides little.
    #[test]
    fn losses_that_hold_a_flow_nearly_always_allow_little_more() {
        let most = most_of(73.0, 14.0 / 15.0);
        assert!((83.0..84.0).contains(&most), "{most}");
        assert!((most_of(12.0, 0.5) - 48.0).abs() < 1e-9);
    }

    #[test]
    fn where_all_is_lost_a_rate_is_left() {
        let [bps, _] = mbps(1.0, 0.2);
        assert!(bps > 0.0 && bps.is_finite());
    }
}

//! When was something lost, how much had passed by then, and was there a queue?

use std::collections::VecDeque;

use crate::units::{Duration, Timestamp};

/// Octets that the receiver's answers were the first to pass over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Loss {
    /// When the last octets before the gap were acknowledged: the next ones were dropped right
    /// behind them.
    pub(super) time: Timestamp,
    /// Octets of frames known to have passed by then.
    pub(super) passed: f64,
    /// Octets of frames missing.
    pub(super) octets: f64,
    /// The last round-trip time by then, seconds.
    pub(super) rtt: f64,
}

/// Losses in bounded memory: all of them at first, then every second, fourth and so on.
#[derive(Debug, Default)]
pub(super) struct Losses {
    pub(super) list: Vec<Loss>,
    /// All gaps.
    pub(super) count: u64,
    /// All that was missing, octets of frames.
    pub(super) octets: f64,
    /// One of this many is kept, less one.
    skip: u64,
    /// What had passed at a few times in the round trip that goes on.
    recent: VecDeque<(Timestamp, f64)>,
    /// The same in the round trips before losses: a bucket may fill up and empty in one of them.
    pub(super) before: Vec<(Timestamp, f64)>,
}

impl Losses {
    /// Losses kept: enough to tell a share of them to a percent.
    const MAX: usize = 256;
    /// Times remembered, a bit more than a round trip of them.
    const RECENT_MAX: usize = 16;
    const PER_ROUND_TRIP: u32 = 12;
    /// Times kept in all, of 128 round trips.
    const BEFORE_MAX: usize = 2048;

    /// `passed` with this delivery; `base` is the unloaded round trip.
    pub(super) fn deliver(&mut self, time: Timestamp, passed: f64, base: Duration) {
        let spacing = base.checked_div(Self::PER_ROUND_TRIP).unwrap_or_default();
        if self.recent.back().is_some_and(|(last, _)| time.since(*last) < spacing) {
            return;
        }
        if self.recent.len() >= Self::RECENT_MAX {
            self.recent.pop_front();
        }
        self.recent.push_back((time, passed));
    }

    pub(super) fn push(&mut self, loss: Loss) {
        if self.before.len().saturating_add(self.recent.len()) <= Self::BEFORE_MAX {
            self.before.extend(self.recent.drain(..));
        }
        let nth = self.count;
        self.count = self.count.saturating_add(1);
        self.octets += loss.octets;
        if self.list.len() >= Self::MAX && nth & self.skip == 0 {
            self.halve();
        }
        if nth & self.skip == 0 {
            self.list.push(loss);
        }
    }

    /// Octets lost over octets sent, of which `passed` arrived.
    pub(super) fn rate(&self, passed: f64) -> f64 {
        let sent = passed + self.octets;
        if sent > 0.0 { self.octets / sent } else { 0.0 }
    }

    /// Queueing delay at half of the losses, seconds.
    pub(super) fn queued(&self, base: f64) -> f64 {
        let mut delays: Vec<f64> = self.list.iter().map(|loss| loss.rtt - base).collect();
        delays.sort_by(f64::total_cmp);
        delays.get(delays.len() / 2).copied().unwrap_or_default()
    }

    fn halve(&mut self) {
        let mut is_kept = false;
        self.list.retain(|_| {
            is_kept = !is_kept;
            is_kept
        });
        self.skip = self.skip.saturating_mul(2).saturating_add(1);
    }
}

//! What the rounds around a wait tell: tallies that separate causes which one wait cannot.

use std::collections::VecDeque;
use std::time::Duration;

use crate::round::{EndedBy, QueueSign, Round, Sign, Wait, WindowSign};
use crate::units::Bytes;

/// Tallies over the round under judgment and its neighbours.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context {
    pub(crate) smss: Bytes,
    pub(crate) min_rtt: Option<Duration>,
    pub(crate) srtt: Option<Duration>,
    /// Waits with the window open that ended without a prompt, by what the queue told.
    pub(crate) unprompted_dry: Tally,
    pub(crate) unprompted_held: Tally,
    pub(crate) unprompted_pushed: Tally,
    /// Batches (a third of the flight acknowledged without an answer), by what ended them.
    pub(crate) batches_prompted: Tally,
    pub(crate) batches_unprompted: Tally,
    /// Prompted batches after which less than a segment stayed queued.
    pub(crate) batches_held: Tally,
    /// Prompted, no batch: each ACK was answered.
    pub(crate) clocked: Tally,
    /// Some send in these rounds filled the window to the last segment.
    pub(crate) window_full: Tally,
    /// The round under judgment itself has such a send.
    pub(crate) is_window_full_here: bool,
    pub(crate) has_loss: bool,
    pub(crate) rounds: u32,
    pub(crate) flight_peak_min: Bytes,
    pub(crate) flight_peak_max: Bytes,
    /// Largest single send.
    pub(crate) send_max: Bytes,
    /// Largest pipe of this round over that of the round before; `None` in the first.
    pub(crate) growth: Option<f64>,
}

/// How often, and for how long in all.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) count: u32,
    pub(crate) time: Duration,
}

impl Tally {
    fn add(&mut self, wait: &Wait) {
        self.count = self.count.saturating_add(wait.count);
        self.time = self.time.saturating_add(wait.duration());
    }
}

impl Context {
    /// Sums up `rounds`; `here` is the one under judgment.
    pub(super) fn around(rounds: &VecDeque<Round>, here: usize) -> Self {
        let mut context = Self { flight_peak_min: Bytes(u64::MAX), ..Self::default() };
        for round in rounds {
            context.add(round);
        }
        if let Some(round) = rounds.get(here) {
            context.smss = round.smss;
            context.min_rtt = round.min_rtt;
            context.srtt = round.srtt;
            context.is_window_full_here =
                round.spare_window_min.is_some_and(|spare| spare < round.smss);
            let before = here.checked_sub(1).and_then(|index| rounds.get(index));
            context.growth = before.map(|before| growth(before.pipe_peak, round.pipe_peak));
        }
        context
    }

    fn add(&mut self, round: &Round) {
        self.rounds = self.rounds.saturating_add(1);
        self.has_loss |= round.has_loss;
        self.flight_peak_min = self.flight_peak_min.min(round.flight_peak);
        self.flight_peak_max = self.flight_peak_max.max(round.flight_peak);
        self.send_max = self.send_max.max(round.send_max);
        for wait in &round.waits {
            if let Some(tally) = self.tally_of(&wait.sign) {
                tally.add(wait);
            }
            if wait.sign.is_batch
                && wait.sign.ended_by == EndedBy::Ack
                && wait.sign.queue == QueueSign::Held
            {
                self.batches_held.add(wait);
            }
        }
    }

    fn tally_of(&mut self, sign: &Sign) -> Option<&mut Tally> {
        if matches!(sign.window, WindowSign::Zero | WindowSign::Full) {
            return Some(&mut self.window_full);
        }
        match (sign.ended_by, sign.is_batch, sign.queue) {
            (EndedBy::Ack, true, _) => Some(&mut self.batches_prompted),
            (EndedBy::Ack, false, _) => Some(&mut self.clocked),
            (EndedBy::Nothing, true, _) => Some(&mut self.batches_unprompted),
            (EndedBy::Nothing, false, QueueSign::Dry) => Some(&mut self.unprompted_dry),
            (EndedBy::Nothing, false, QueueSign::Held) => Some(&mut self.unprompted_held),
            (EndedBy::Nothing, false, QueueSign::Pushed) => Some(&mut self.unprompted_pushed),
            _ => None,
        }
    }

    /// The sender waits for a pacing timer: again and again it sends full segments without a
    /// prompt, and (almost) never does its queue run dry. A writer whose every write is a whole
    /// number of segments looks the same.
    pub(crate) fn is_paced(&self) -> bool {
        let dry = self.unprompted_dry.count.saturating_add(self.unprompted_held.count);
        self.unprompted_pushed.count >= PACED_WAITS_MIN && dry <= self.unprompted_pushed.count / 8
    }

    /// The flight came up to the same level, give or take one send, in every round, without loss.
    pub(crate) fn is_level(&self) -> bool {
        let slack = self.send_max.max(Bytes(self.smss.0.saturating_mul(2)));
        !self.has_loss
            && self.rounds >= LEVEL_ROUNDS_MIN
            && self.flight_peak_max.saturating_sub(self.flight_peak_min) <= slack
    }
}

/// One pacing gain cycle of BBR has eight rounds with at least one paced send each.
const PACED_WAITS_MIN: u32 = 8;

/// Two cycles of BBR's pacing gain: one of them at least raises the flight by a quarter unless
/// something else holds it down.
const LEVEL_ROUNDS_MIN: u32 = 16;

fn growth(before: Bytes, now: Bytes) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a ratio of windows")]
    let ratio = now.0 as f64 / before.0.max(1) as f64;
    ratio
}

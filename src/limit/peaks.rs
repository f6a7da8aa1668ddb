//! The most that was in the rounds so far, in flight or in the sending host's queue: beyond those that a
//! [`Context`] sums up.

use std::collections::VecDeque;

use super::Context;
use crate::round::{QueueSign, Round, Wait};
use crate::units::Bytes;

/// Of the rounds that were judged, and the one that is.
#[derive(Debug, Default)]
pub(super) struct Peaks {
    /// The largest of these, and of those that were looked ahead at.
    max: Bytes,
    /// For so many rounds in a row the peak has differed from this by less than a segment.
    level: Bytes,
    rounds: u32,
    queued: u32,
    /// The connection was opened in them.
    is_start_seen: bool,
}

impl Peaks {
    /// Takes the peak of the `round` that `context` is of, and enters what it knows. So many rounds `ahead`
    /// are in the context.
    pub(super) fn on_round(&mut self, context: &mut Context, round: &Round, ahead: usize) {
        self.is_start_seen |= round.waits.iter().any(is_opening);
        self.max = self.max.max(context.flight_peak_max);
        let peak = context.flight_peak_here;
        if peak.max(self.level).saturating_sub(peak.min(self.level)) >= context.smss {
            (self.level, self.rounds) = (peak, 0);
        }
        self.rounds = self.rounds.saturating_add(1);
        let ahead = u32::try_from(ahead).unwrap_or(u32::MAX);
        self.queued = self.queued.max(context.queued);
        (context.flight_max, context.queued_max) = (self.max, self.queued);
        context.is_start_seen = self.is_start_seen;
        context.level_rounds = self.rounds.saturating_add(ahead);
    }
}

/// How many rounds in a row, the one at `here` among them, have its peak, give or take less than a segment.
pub(super) fn level_around(rounds: &VecDeque<Round>, here: usize) -> u32 {
    let Some(Round { flight_peak, smss, .. }) = rounds.get(here) else { return 0 };
    let is_level = |round: &&Round| round.flight_peak.0.abs_diff(flight_peak.0) < smss.0;
    let before = rounds.range(..here).rev().take_while(is_level).count();
    let from_here = rounds.range(here..).take_while(is_level).count();
    u32::try_from(before.saturating_add(from_here)).unwrap_or(u32::MAX)
}

fn is_opening(wait: &Wait) -> bool {
    matches!(wait.sign.queue, QueueSign::Opening | QueueSign::Established)
}

//! How many waits does a round keep apart? Waits of one [`Sign`](super::Sign) in a row are one, and of too
//! many the shorter ones merge with their neighbours, so that a round is bounded however many segments it
//! has.

use super::{Round, Wait};
use crate::units::{Bytes, Duration};

impl Round {
    /// Waits kept apart in one round; when there are more, short ones are merged with their neighbours.
    /// So many steps of a round trip are finer than any timeline drawn from them.
    pub(super) const WAITS_MAX: usize = 64;

    pub(super) fn push(&mut self, wait: &Wait) {
        if self.waits.len() >= Self::WAITS_MAX {
            self.thin();
        }
        match self.waits.last_mut() {
            Some(last) if last.sign == wait.sign => last.absorb(wait),
            _ => {
                // Most rounds have one or two.
                if self.waits.len() == self.waits.capacity() {
                    self.waits.reserve_exact(self.waits.len().max(1));
                }
                self.waits.push(*wait);
            }
        }
    }

    /// Merges two and two waits, the shorter half of the pairs; the longer of the two tells what they
    /// were.
    #[inline(never)]
    fn thin(&mut self) {
        let length = |pair: &[Wait]| pair.iter().map(Wait::duration).sum::<Duration>();
        let mut lengths: Vec<Duration> = self.waits.chunks(2).map(length).collect();
        let middle = lengths.len() / 2;
        let (_, median, _) = lengths.select_nth_unstable(middle);
        let median = *median;
        let mut is_second = false;
        self.waits.dedup_by(|next, last| {
            is_second = !is_second;
            let is_merged = is_second && next.end.since(last.start) <= median;
            if is_merged {
                let sign = if next.duration() > last.duration() { next.sign } else { last.sign };
                last.absorb(next);
                last.sign = sign;
            }
            is_merged
        });
    }
}

impl Wait {
    fn absorb(&mut self, next: &Self) {
        self.end = next.end;
        self.last_frame = next.last_frame;
        self.count = self.count.saturating_add(next.count);
        self.longest = self.longest.max(next.longest);
        self.shortest = self.shortest.min(next.shortest);
        self.acks = self.acks.saturating_add(next.acks);
        self.acks_with_payload = self.acks_with_payload.saturating_add(next.acks_with_payload);
        self.prompted_after = self.prompted_after.max(next.prompted_after);
        if next.unanswered > Bytes(0) {
            self.unanswered = self.unanswered.saturating_add(next.unanswered);
        }
        if next.full > Duration::ZERO {
            self.full = self.full.saturating_add(next.full);
        }
        if next.held.is_zero() {
            return; // Nor is there any that is assumed.
        }
        self.held = self.held.saturating_add(next.held);
        self.held_assumed = self.held_assumed.saturating_add(next.held_assumed);
    }
}

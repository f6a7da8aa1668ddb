//! Was what the receiver passed over lost, or only late? Packets that overtake others on the way
//! (several links or queues side by side) look like losses at first.
//!
//! The sender learns of a gap no earlier than it is seen here, so what it sends again is acknowledged
//! one unloaded round trip later at the earliest. What fills the gap before that was on its way already
//! (RFC 3522 section 1 asks the same of a retransmission, RFC 8985 section 3.3 of a reordering window).

use std::collections::VecDeque;

use super::losses::Loss;
use crate::units::heap::OnHeap;
use crate::units::{Duration, StreamOffset, Timestamp};

/// Gaps of the round trip that goes on.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    open: VecDeque<Gap>,
    /// One past the highest octet sent again.
    resent: StreamOffset,
}

#[derive(Debug)]
struct Gap {
    loss: Loss,
    /// When it was noticed.
    seen: Timestamp,
    /// Its end.
    end: StreamOffset,
    /// Part of it may have been sent again before that: whatever fills it tells nothing.
    is_maybe_resent: bool,
}

impl Gaps {
    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.open.on_heap()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Gaps held; beyond that the oldest is a loss.
    const MAX: usize = 256;

    pub(super) fn on_resend(&mut self, end: StreamOffset) {
        self.resent = self.resent.max(end);
    }

    /// A gap, or several, between two places of the stream.
    pub(super) fn open(
        &mut self,
        loss: Loss,
        seen: Timestamp,
        (start, end): (StreamOffset, StreamOffset),
    ) {
        let is_maybe_resent = start < self.resent;
        self.open.push_back(Gap { loss, seen, end, is_maybe_resent });
    }

    /// What turns out to be lost, in order. `base` is the unloaded round trip, and all below `una` has
    /// come.
    pub(super) fn lost(
        &mut self,
        now: Timestamp,
        una: StreamOffset,
        base: Duration,
    ) -> Option<Loss> {
        loop {
            let gap = self.open.front()?;
            let is_old = now.since(gap.seen) >= base || self.open.len() > Self::MAX;
            let is_filled = gap.end <= una;
            if !is_old && !is_filled {
                return None;
            }
            let gap = self.open.pop_front()?;
            if is_old || gap.is_maybe_resent {
                return Some(gap.loss);
            }
        }
    }

    /// What the capture ended before: lost, for all that is known.
    pub(super) fn rest(self) -> impl Iterator<Item = Loss> {
        self.open.into_iter().map(|gap| gap.loss)
    }
}

//! Acknowledgments on their way to the sender. Of a fast flow there are a thousand and more at any time,
//! so each is kept in less than half of its room.

use std::collections::VecDeque;

use crate::flow::{Ack, SackRanges};
use crate::units::heap::{self, OnHeap};
use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp};
use crate::wire::TcpTimestamps;

/// In the order in which they passed the tap.
#[derive(Debug, Default)]
pub(super) struct Line {
    waiting: VecDeque<Waiting>,
    /// Of those that have any, in the same order.
    sacks: VecDeque<SackRanges>,
}

/// What an [`Ack`] says, but for its SACK blocks.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "what stood in one header")]
pub(super) struct Waiting {
    frame: FrameNumber,
    /// When it passed the tap.
    pub(super) time: Timestamp,
    ack: StreamOffset,
    /// Zero where it is not known.
    window: Bytes,
    pub(super) timestamps: Option<TcpTimestamps>,
    window_unscaled: u16,
    has_window: bool,
    has_sack: bool,
    has_payload: bool,
    is_syn: bool,
    is_fin: bool,
    has_ece: bool,
}

impl Line {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// The one that waits longest.
    pub(super) fn front(&self) -> Option<&Waiting> {
        self.waiting.front()
    }

    #[inline]
    pub(super) fn push(&mut self, ack: &Ack) {
        let has_sack = !ack.sack.as_slice().is_empty();
        if has_sack {
            self.sacks.push_back(ack.sack);
        }
        self.waiting.push_back(Waiting {
            frame: ack.frame,
            time: ack.time,
            ack: ack.ack,
            window: ack.window.unwrap_or_default(),
            timestamps: ack.timestamps,
            window_unscaled: ack.window_unscaled,
            has_window: ack.window.is_some(),
            has_sack,
            has_payload: ack.has_payload,
            is_syn: ack.is_syn,
            is_fin: ack.is_fin,
            has_ece: ack.has_ece,
        });
    }

    /// The one that waited longest, as it reached the sender at `time`, give or take `slack`, for `tell`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as where it is called")]
    pub(super) fn pop(&mut self, time: Timestamp, slack: Duration, mut tell: impl FnMut(&Ack)) {
        let Some(waited) = self.waiting.pop_front() else { return };
        // Apart, so that nothing is made first and copied then.
        if waited.has_sack {
            let blocks = self.sacks.pop_front().unwrap_or_default();
            tell(&waited.into_ack(blocks, time, slack));
        } else {
            tell(&waited.into_ack(SackRanges::default(), time, slack));
        }
    }

    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        heap::sum(&[self.waiting.on_heap(), self.sacks.on_heap()])
    }
}

impl Waiting {
    #[inline]
    fn into_ack(self, blocks: SackRanges, time: Timestamp, slack: Duration) -> Ack {
        Ack {
            frame: self.frame,
            time,
            ack: self.ack,
            window: self.has_window.then_some(self.window),
            window_unscaled: self.window_unscaled,
            sack: blocks,
            timestamps: self.timestamps,
            has_payload: self.has_payload,
            is_syn: self.is_syn,
            is_fin: self.is_fin,
            slack,
            has_ece: self.has_ece,
        }
    }
}

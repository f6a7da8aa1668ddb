//! What one run collects beside its connections.

use std::collections::BTreeMap;

use crate::capture::Frame;
use crate::series::Listener;
use crate::shards::Shards;
use crate::units::Timestamp;
use crate::wire::{Decoder, Segment, Skip};

/// What one run collects.
#[derive(Default)]
pub(super) struct Run {
    pub(super) decoder: Decoder,
    pub(super) start: Option<Timestamp>,
    pub(super) tcp_packets: u64,
    pub(super) skipped: BTreeMap<Skip, u64>,
    pub(super) has_cut_options: bool,
    pub(super) is_interrupted: bool,
    /// Of the last frame that had one.
    segment: Segment,
}

impl Run {
    /// Hands the frame's segment on, or counts why there is none.
    #[inline]
    pub(super) fn on_frame<S: Listener>(&mut self, frame: &Frame<'_>, shards: &mut Shards<S>) {
        if self.start.is_none() {
            self.start = Some(frame.time);
            shards.begin(frame.time);
        }
        match self.decoder.decode_into(frame, &mut self.segment) {
            Ok(()) => {
                self.tcp_packets = self.tcp_packets.saturating_add(1);
                self.has_cut_options |= self.segment.options.is_cut;
                shards.on_segment(&self.segment);
            }
            Err(reason) => self.skip(reason),
        }
    }

    fn skip(&mut self, reason: Skip) {
        let count = self.skipped.entry(reason).or_default();
        *count = count.saturating_add(1);
    }
}

//! What becomes of segments that were sent together?
//!
//! A bottleneck that serves in order lets nothing in between them but what comes in while they do. So those
//! sent faster than it passes them leave at its whole rate, whatever others have of it, and over many of them
//! the spacing of their ACKs tells it. ACKs that something on the way back holds and lets go at once (Wi-Fi,
//! DOCSIS, LTE, coalescing) follow each other faster, but then there is as much silence before them: what was
//! sent together, taken as one, is not acknowledged faster for it.

use std::collections::BTreeMap;

use super::stretch::Stretch;
use super::trains::{Mode, doublings};
use crate::units::heap::OnHeap;

/// ACK intervals by the rate at which what they acknowledge had been sent, in doublings; at most 64.
#[derive(Debug, Default)]
pub(super) struct Together {
    bins: BTreeMap<u16, Sent>,
}

/// What was sent at about one rate.
#[derive(Debug, Default, Clone, Copy)]
struct Sent {
    /// How it was acknowledged.
    acked: Stretch,
    /// How long it took to go out.
    seconds: f64,
}

impl Together {
    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.bins.on_heap()
    }

    /// `sent_s` is the time that the segments had taken to go out.
    pub(super) fn add(&mut self, acked: Stretch, sent_s: f64) {
        let sent = Stretch { seconds: sent_s, ..acked };
        self.bins.entry(doublings(sent.rate())).or_default().add(Sent { acked, seconds: sent_s });
    }

    /// What was sent faster than `bps` came out at that rate, but for what the bottleneck can have served of
    /// others' that came in between. `segment` is a full frame, octets.
    pub(super) fn passed_at(&self, bps: f64, segment: f64) -> bool {
        let Sent { acked, seconds } = self.faster(bps);
        let needed = acked.octets * 8.0 / bps;
        let is_enough = acked.octets >= Stretch::SEGMENTS_MIN * segment;
        let is_in_time = acked.seconds - seconds <= needed * Mode::BLUR;
        is_enough && is_in_time && acked.seconds * Mode::BLUR >= needed
    }

    /// It came out even faster.
    pub(super) fn passed_above(&self, bps: f64, segment: f64) -> bool {
        let Sent { acked, .. } = self.faster(bps);
        let needed = acked.octets * 8.0 / bps;
        acked.octets >= Stretch::SEGMENTS_MIN * segment && acked.seconds * Mode::BLUR < needed
    }

    /// All that was sent faster than `bps`.
    fn faster(&self, bps: f64) -> Sent {
        let first = doublings(bps).saturating_add(1);
        let mut all = Sent::default();
        for (_, sent) in self.bins.range(first..) {
            all.add(*sent);
        }
        all
    }
}

impl Sent {
    fn add(&mut self, other: Self) {
        self.acked.add(other.acked);
        self.seconds += other.seconds;
    }
}

//! How fast did segments follow each other that one burst had brought to the bottleneck?
//!
//! What the bottleneck serves for others between the segments of this flow makes its rate over a
//! round trip smaller, but not that of two segments that came in back to back. So the rate of single
//! ACK intervals, where it has one sharp mode, is the bottleneck's whole rate even where it is shared
//! (the mode of dispersion as in multiQ and `PPrate`, here of busy intervals only).

use std::collections::BTreeMap;

use super::busy::Stretch;
use crate::units::heap::OnHeap;

/// ACK intervals by rate.
#[derive(Debug, Default)]
pub(super) struct Trains {
    count: u32,
    /// By sixteenths of a doubling; at most 16 for each of the 64 that a rate may have.
    bins: BTreeMap<u16, Stretch>,
}

impl Trains {
    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.bins.on_heap()
    }

    const PER_DOUBLING: f64 = 16.0;
    /// A mode with this share of the octets is one rate.
    const SHARP: f64 = 0.5;
    /// Fewer trains may agree by chance.
    const COUNT_MIN: u32 = 16;

    pub(super) fn add(&mut self, train: Stretch) {
        let sixteenths = train.rate().max(1.0).log2() * Self::PER_DOUBLING;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and 1023 after the clamp; a rate without end is put last"
        )]
        let bin = sixteenths.clamp(0.0, 64.0 * Self::PER_DOUBLING - 1.0) as u16;
        self.count = self.count.saturating_add(1);
        self.bins.entry(bin).or_default().add(train);
    }

    /// The commonest rate; `None` without any. Trains that took no time, as ACKs that were released
    /// together do, show none, and still are no part of it.
    pub(super) fn mode(&self) -> Option<Mode> {
        let around = |bin: &u16| {
            let near = self.bins.range(bin.saturating_sub(1)..=bin.saturating_add(1));
            Stretch::sum(near.map(|(_, train)| train))
        };
        let timed = self.bins.iter().filter(|(_, train)| train.seconds > 0.0);
        let modes = timed.map(|(bin, _)| around(bin));
        let mode = modes.max_by(|a, b| a.octets.total_cmp(&b.octets))?;
        let all = Stretch::sum(self.bins.values());
        let is_sharp = self.count >= Self::COUNT_MIN && mode.octets >= Self::SHARP * all.octets;
        Some(Mode { bps: mode.rate(), is_sharp })
    }
}

/// The rate at which most trains passed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mode {
    pub(super) bps: f64,
    /// One rate, and the rest is what others put between.
    pub(super) is_sharp: bool,
}

impl Mode {
    /// Three bins wide: half of that to either side.
    pub(super) const BLUR: f64 = 1.07;
}

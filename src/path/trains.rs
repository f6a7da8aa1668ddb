//! How fast did segments follow each other that one burst had brought to the bottleneck?
//!
//! What the bottleneck serves for others between the segments of this flow makes its rate over a
//! round trip smaller, but not that of two segments that came in back to back. So the rate of single
//! ACK intervals, where it has one sharp mode, is the bottleneck's whole rate even where it is shared
//! (the mode of dispersion as in multiQ and `PPrate`, here of busy intervals only).

use std::collections::BTreeMap;

use super::stretch::Stretch;
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

    /// A mode with this share of the octets is one rate: most of them. Moved as in the module `capacity`:
    /// 0.4 changes 4 capacities, 0.6 changes one and one kind.
    const SHARP: f64 = 0.5;
    /// Fewer trains may agree by chance. 8 and 32 change none.
    const COUNT_MIN: u32 = 16;

    pub(super) fn add(&mut self, train: Stretch) {
        self.count = self.count.saturating_add(1);
        self.bins.entry(bin(train.rate())).or_default().add(train);
    }

    /// The commonest rate; `None` without any. Trains that took no time, as ACKs that were released
    /// together do, have no rate, but count against the mode's share. `tick` is that of the capture's clock,
    /// seconds.
    pub(super) fn mode(&self, tick: f64) -> Option<Mode> {
        let around = |bin: &u16| {
            let near = self.bins.range(bin.saturating_sub(1)..=bin.saturating_add(1));
            Stretch::sum(near.map(|(_, train)| train))
        };
        let timed = self.bins.iter().filter(|(_, train)| train.seconds > 0.0);
        let modes = timed.map(|(bin, _)| around(bin));
        let mode = modes.max_by(|a, b| a.octets.total_cmp(&b.octets))?;
        let all = Stretch::sum(self.bins.values());
        let is_sharp = self.count >= Self::COUNT_MIN && mode.octets >= Self::SHARP * all.octets;
        // A tick more or less of its time is no other rate: else the clock makes the modes.
        let train_s = all.octets * 8.0 / f64::from(self.count) / mode.rate();
        let is_told = tick <= (Mode::BLUR - 1.0) * train_s;
        Some(Mode { bps: mode.rate(), is_sharp: is_sharp && is_told })
    }
}

/// Sixteenths of doublings in a rate, whole ones: 16 times its logarithm, which every other packet would
/// take (`benches/connections.rs`). A rate without end is put last.
fn bin(rate: f64) -> u16 {
    let mantissa = rate.max(1.0).to_bits() & ((1 << MANTISSA_BITS) - 1);
    // Half a sixteenth of the mantissa's range has one bound in it, or none.
    let half = usize::try_from(mantissa >> (MANTISSA_BITS - 5)).unwrap_or_default();
    let below = usize::from(BOUNDS_BELOW.get(half).copied().unwrap_or_default());
    let next = BOUNDS.get(below).copied().unwrap_or(2.0);
    let is_beyond = f64::from_bits(mantissa | ONE.to_bits()) >= next;
    let all = exponent(rate)
        .saturating_mul(16)
        .saturating_add(below as u64)
        .saturating_add(u64::from(is_beyond));
    u16::try_from(all.min(BINS - 1)).unwrap_or_default()
}

/// Doublings in a rate, whole ones.
pub(super) fn doublings(rate: f64) -> u16 {
    u16::try_from(exponent(rate).min(BINS / 16 - 1)).unwrap_or_default()
}

fn exponent(rate: f64) -> u64 {
    let biased = rate.max(1.0).to_bits() >> MANTISSA_BITS;
    biased.saturating_sub(ONE.to_bits() >> MANTISSA_BITS)
}

const ONE: f64 = 1.0;
const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;
/// Sixteenths of the 64 doublings that a rate may have.
const BINS: u64 = 1024;
/// The sixteenths of a doubling: 2 to the power of 1/16, 2/16 and so on.
const BOUNDS: [f64; 16] = [
    1.044_273_782_427_413_8,
    1.090_507_732_665_257_7,
    1.138_788_634_756_691_6,
    1.189_207_115_002_721,
    1.241_857_812_073_484,
    1.296_839_554_651_009_6,
    1.354_255_546_936_892_7,
    std::f64::consts::SQRT_2,
    1.476_826_145_939_499_3,
    1.542_210_825_407_940_7,
    1.610_490_331_949_254_3,
    1.681_792_830_507_429,
    1.756_252_160_373_299_5,
    1.834_008_086_409_342_4,
    1.915_206_561_397_147_4,
    2.0,
];
/// How many of them lie below 1 + 1/32, 2/32 and so on, from 1 + 0/32.
const BOUNDS_BELOW: [u8; 32] = [
    0, 0, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 12, 13, 13, 14,
    14, 14, 15, 15,
];

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

    pub(super) fn is_above(self, bps: f64) -> bool {
        self.bps > bps * Self::BLUR
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_is_a_sixteenth_of_a_doubling() {
        for step in 0_u32..16 * 500 {
            // Between steps of which eight or so are a bin: no bound is hit.
            let sixteenths = (f64::from(step) + 0.5) / 500.0 * 64.0;
            let whole = (2 * step + 1) * 64 / 1000;
            assert_eq!(u32::from(bin((sixteenths / 16.0).exp2())), whole, "{step}");
        }
    }

    #[test]
    fn whole_doublings_begin_a_bin() {
        for doublings in 0_u16..64 {
            assert_eq!(bin(f64::from(doublings).exp2()), doublings * 16);
        }
    }

    #[test]
    fn what_is_no_rate_has_a_bin_all_the_same() {
        assert_eq!([bin(0.0), bin(-1.0), bin(f64::NAN)], [0; 3]);
        assert_eq!([bin(f64::INFINITY), bin(f64::MAX)], [1023; 2]);
    }
}

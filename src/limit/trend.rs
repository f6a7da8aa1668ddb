//! Does what is in flight at the peak grow from round trip to round trip? A congestion window does, unless
//! something is lost or queues on the path; what fills a send buffer does not, nor what a writer at an even
//! pace has in flight.

use std::collections::VecDeque;

use crate::round::Round;
use crate::units::heap::OnHeap;
use crate::units::{Bytes, as_f64, len_as_f64};

/// The rounds since something was lost, as far as they have come.
#[derive(Debug, Default)]
pub(super) struct Trend {
    /// Of the last of them, at most [`Trend::PEAKS_MAX`].
    peaks: VecDeque<Bytes>,
    /// How many there are in all.
    rounds: u32,
    /// How many there were between the last two losses.
    between: u32,
    /// The most that was in flight when something was lost last.
    lost_at: Bytes,
}

impl Trend {
    /// So many rounds are laid beside as many before them: as few as one cycle of BBR's pacing gain has, more
    /// where they differ much.
    const HALVES: [usize; 3] = [8, 16, 32];
    const PEAKS_MAX: usize = 64;

    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.peaks.on_heap()
    }

    /// Hardly anything will come any more: gives back the room that is held for more.
    pub(super) fn settle(&mut self) {
        self.peaks.shrink_to_fit();
    }

    /// Takes the next round. At the sender nobody asks.
    pub(super) fn on_round(&mut self, round: &Round) {
        if !round.is_remote {
            return;
        }
        if round.has_loss {
            self.lose_at(round.flight_peak);
            return;
        }
        if self.peaks.len() >= Self::PEAKS_MAX {
            self.peaks.pop_front();
        }
        self.peaks.push_back(round.flight_peak);
        self.rounds = self.rounds.saturating_add(1);
    }

    fn lose_at(&mut self, peak: Bytes) {
        if self.rounds > 0 {
            (self.between, self.lost_at) = (self.rounds, Bytes(0));
        }
        (self.rounds, self.lost_at) = (0, self.lost_at.max(peak));
        self.peaks.clear();
    }

    /// No congestion window would have grown as little as the peaks did. What stands in a queue in front of
    /// the capture is not seen in flight: until that overflows once more, the peaks tell nothing.
    pub(super) fn is_flat(&self, smss: Bytes) -> bool {
        self.rounds > self.between && self.halves().any(|halves| halves.are_flat(smss))
    }

    /// The same of peaks that hardly differ, and that no congestion control keeps for a while after a loss.
    pub(super) fn is_still(&self, smss: Bytes) -> bool {
        let is_still = |halves: Halves<'_>| {
            halves.are_even(smss) && halves.are_flat(smss) && !halves.are_near(self.lost_at)
        };
        let learned = if self.lost_at > Bytes(0) { LEARNED_ROUNDS } else { 0 };
        self.rounds >= learned && self.halves().any(is_still)
    }

    fn halves(&self) -> impl Iterator<Item = Halves<'_>> {
        Self::HALVES.iter().filter_map(|len| {
            let from = self.peaks.len().checked_sub(len.saturating_mul(2))?;
            Some(Halves { peaks: &self.peaks, from, middle: from.saturating_add(*len) })
        })
    }
}

/// The last peaks, from one on, as many on either side of another.
#[derive(Clone, Copy)]
struct Halves<'a> {
    peaks: &'a VecDeque<Bytes>,
    from: usize,
    middle: usize,
}

impl Halves<'_> {
    fn are_flat(self, smss: Bytes) -> bool {
        let segment = smss.as_f64();
        let (before, of_before) = mean(self.peaks.range(self.from..self.middle));
        let (after, of_after) = mean(self.peaks.range(self.middle..));
        let len = len_as_f64(self.middle.saturating_sub(self.from));
        let least = len / ROUNDS_OF_A_SEGMENT * segment;
        after - before + SURE * ((of_before + of_after) / len).sqrt() < least
    }

    fn are_even(self, smss: Bytes) -> bool {
        let (least, most) = self.extremes();
        let slack = Bytes(most.0 / EVEN_PARTS).max(smss.saturating_add(smss));
        most.saturating_sub(least) <= slack
    }

    /// CUBIC hardly grows near the window at which it lost something, or, where that was below the one
    /// before, near 0.85 of it (RFC 9438 sections 4.2 and 4.7): give or take a tenth. (Without, none moves.)
    fn are_near(self, lost_at: Bytes) -> bool {
        let (least, most) = self.extremes();
        most.as_f64() >= 0.75 * lost_at.as_f64() && least.as_f64() <= 1.1 * lost_at.as_f64()
    }

    fn extremes(self) -> (Bytes, Bytes) {
        let all = || self.peaks.range(self.from..).copied();
        (all().min().unwrap_or_default(), all().max().unwrap_or_default())
    }
}

/// And the mean square of what they are off it.
fn mean<'a>(peaks: impl ExactSizeIterator<Item = &'a Bytes>) -> (f64, f64) {
    let count = len_as_f64(peaks.len()).max(1.0);
    let sums = peaks.fold((0.0, 0.0), |(sum, squares), peak| {
        let peak = as_f64(peak.0);
        (sum + peak, peak.mul_add(peak, squares))
    });
    let mean = sums.0 / count;
    (mean, (sums.1 / count - mean * mean).max(0.0))
}

// Where it is said of directions, the figure was moved alone over 2688 (open corpus, `tests/held-out`), to
// see how many come closer to the kernel's shares, and how many go farther away.

/// The slowest to grow takes no more than three round trips for a segment (Illinois `ALPHA_MIN`), CUBIC two
/// (RFC 9438 section 4.3). (3 takes 9 closer and 10 farther away, 6 takes 4 and 12.)
const ROUNDS_OF_A_SEGMENT: f64 = 4.0;
/// So many standard errors more are grown by chance once in six times; that a writer is blocked speaks for
/// itself. (None takes 21 closer and 14 farther away, 2 take 5 and 20.)
const SURE: f64 = 1.0;
/// BBR adds twice as much to see whether there is room (`bbr_pacing_gain`). (4 and 16 move none.)
const EVEN_PARTS: u64 = 8;
/// BBR keeps to the rate of a policer for so many round trips (`bbr_lt_bw_max_rtts`). (0 takes 2 closer.)
const LEARNED_ROUNDS: u32 = 48;

#[cfg(test)]
mod tests {
    use super::super::tests::{CLOCKED, round};
    use super::*;

    const MSS: Bytes = Bytes(1000);

    fn take(trend: &mut Trend, peak: u64, has_loss: bool) {
        let flight_peak = Bytes(peak.saturating_mul(MSS.0));
        trend.on_round(&Round { flight_peak, has_loss, is_remote: true, ..round(&[CLOCKED]) });
    }

    /// After how many of these peaks, in segments, it is so first.
    fn first(peaks: &[u64], is_so: fn(&Trend, Bytes) -> bool) -> Option<usize> {
        let mut trend = Trend::default();
        peaks.iter().position(|peak| {
            take(&mut trend, *peak, false);
            is_so(&trend, MSS)
        })
    }

    fn peaks(peak: fn(u64) -> u64) -> Vec<u64> {
        (0..400).map(peak).collect()
    }

    #[test]
    fn what_grows_as_the_slowest_window_is_not_flat() {
        assert_eq!(first(&peaks(|_| 100), Trend::is_flat), Some(15));
        assert_eq!(first(&peaks(|nth| 100 + nth / 3), Trend::is_flat), None, "Illinois");
        assert_eq!(first(&peaks(|nth| 100 + nth / 2), Trend::is_flat), None, "CUBIC");
        assert_eq!(first(&peaks(|nth| 400 - nth / 2), Trend::is_flat), Some(15));
    }

    #[test]
    fn the_more_peaks_differ_the_more_of_them_it_takes() {
        assert_eq!(first(&peaks(|nth| 14 + nth % 2 * 12), Trend::is_flat), Some(31));
        assert_eq!(first(&peaks(|nth| 75 + nth % 2 * 50), Trend::is_flat), Some(63));
        assert_eq!(first(&peaks(|nth| 50 + nth % 2 * 100), Trend::is_flat), None);
    }

    #[test]
    fn a_cycle_of_probes_is_flat_but_not_still() {
        let probing = peaks(|nth| if nth % 8 == 0 { 125 } else { 100 });
        assert_eq!(first(&probing, Trend::is_still), None);
        assert_eq!(first(&peaks(|_| 100), Trend::is_still), Some(15));
        assert_eq!(first(&peaks(|nth| 100 + nth % 4), Trend::is_still), Some(15));
    }

    #[test]
    fn near_what_was_lost_cubic_stands_still() {
        let after_loss_at = |lost: u64| {
            let mut trend = Trend::default();
            take(&mut trend, lost, true);
            (1..100).find(|_| {
                take(&mut trend, 100, false);
                trend.is_still(MSS)
            })
        };
        assert_eq!(after_loss_at(100), None);
        assert_eq!(after_loss_at(130), None);
        assert_eq!(after_loss_at(140), Some(48), "as long as BBR keeps to a policer's rate");
        assert_eq!(after_loss_at(90), Some(48));
    }

    #[test]
    fn what_was_flat_until_a_loss_is_to_be_so_for_longer() {
        let mut trend = Trend::default();
        (0..20).for_each(|_| take(&mut trend, 100, false));
        assert!(trend.is_flat(MSS));
        take(&mut trend, 100, true);
        (0..20).for_each(|_| take(&mut trend, 100, false));
        assert!(!trend.is_flat(MSS), "it may come again");
        take(&mut trend, 100, false);
        assert!(trend.is_flat(MSS));
    }
}

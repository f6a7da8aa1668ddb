//! Smoothed round-trip time and retransmission timer: RFC 6298 as Linux computes it
//! (`tcp_rtt_estimator`, `tcp_set_rto`), and the summary of all samples.
//!
//! Linux differs from the RFC where it matters here: the variance term, not the sum, has the
//! floor of 200 ms, and it falls at most once per round trip. So RTO is at least SRTT + 200 ms.

use crate::units::heap::OnHeap;
use crate::units::{Duration, StreamOffset, least};

use super::{RttMatcher, RttSample};

/// Linux `TCP_RTO_MIN`; the floor of the variance term.
const RTO_MIN_NS: u64 = 200_000_000;
/// Linux `TCP_RTO_MAX`.
const RTO_MAX_NS: u64 = 120_000_000_000;
/// Linux's default floor, which routes and sysctls may lower; RFC 6298 section 2.4 asks for a second.
pub(crate) const RTO_MIN: Duration = Duration::from_nanos(RTO_MIN_NS);

/// SRTT, RTTVAR and RTO.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct RttEstimator {
    /// Nanoseconds; 0 before the first sample.
    srtt: u64,
    /// Four times the mean deviation, nanoseconds, as in Linux (`mdev_us`).
    mdev4: u64,
    mdev4_max: u64,
    rttvar4: u64,
    /// The variance may fall again once SND.UNA passes it.
    round_end: StreamOffset,
    min: Option<Duration>,
}

impl RttEstimator {
    /// `None` before the first sample.
    pub(super) fn srtt(&self) -> Option<Duration> {
        (self.srtt > 0).then_some(Duration::from_nanos(self.srtt))
    }

    pub(super) fn min_rtt(&self) -> Option<Duration> {
        self.min
    }

    /// `None` before the first sample.
    pub(super) fn rto(&self) -> Option<Duration> {
        let rto = self.srtt.saturating_add(self.rttvar4).min(RTO_MAX_NS);
        (self.srtt > 0).then_some(Duration::from_nanos(rto))
    }

    /// Notes a sample for the minimum only.
    pub(super) fn take_min(&mut self, rtt: Duration) {
        self.min = least(self.min, Some(rtt));
    }

    /// Takes a sample; `una` and `nxt` mark the round trip.
    pub(super) fn take(&mut self, rtt: Duration, una: StreamOffset, nxt: StreamOffset) {
        let sample = rtt.as_nanos().max(1);
        if self.srtt == 0 {
            self.srtt = sample;
            self.mdev4 = sample.saturating_mul(2);
            self.rttvar4 = self.mdev4.max(RTO_MIN_NS);
            self.mdev4_max = self.rttvar4;
            self.round_end = nxt;
            return;
        }
        let error = sample.abs_diff(self.srtt);
        let is_lower = sample < self.srtt;
        self.srtt = if is_lower {
            self.srtt.saturating_sub(error >> 3).max(1)
        } else {
            self.srtt.saturating_add(error >> 3)
        };
        self.take_deviation(error, is_lower);
        if una > self.round_end {
            let excess = self.rttvar4.saturating_sub(self.mdev4_max);
            self.rttvar4 = self.rttvar4.saturating_sub(excess >> 2);
            self.round_end = nxt;
            self.mdev4_max = RTO_MIN_NS;
        }
    }

    fn take_deviation(&mut self, error: u64, is_lower: bool) {
        let mean = self.mdev4 >> 2;
        if error >= mean {
            // A sudden fall of the RTT must not raise the timer as a rise does.
            let shift = if is_lower { 3 } else { 0 };
            self.mdev4 = self.mdev4.saturating_add(error.saturating_sub(mean) >> shift);
        } else {
            self.mdev4 = self.mdev4.saturating_sub(mean.saturating_sub(error));
        }
        if self.mdev4 > self.mdev4_max {
            self.mdev4_max = self.mdev4;
            self.rttvar4 = self.rttvar4.max(self.mdev4_max);
        }
    }
}

/// All samples of a flow in bounded memory.
#[derive(Debug, Default)]
pub(crate) struct RttSummary {
    pub(crate) segment_end_samples: u64,
    pub(crate) sack_samples: u64,
    pub(crate) timestamp_samples: u64,
    /// Round trips, and those that gave a sample.
    pub(crate) rounds: u64,
    pub(crate) rounds_sampled: u64,
    min: Option<Duration>,
    histogram: Histogram,
}

impl RttSummary {
    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.histogram.counts.on_heap()
    }

    pub(super) fn count_round(&mut self, is_sampled: bool) {
        self.rounds = self.rounds.saturating_add(1);
        self.rounds_sampled = self.rounds_sampled.saturating_add(u64::from(is_sampled));
    }

    pub(super) fn take(&mut self, sample: &RttSample) {
        let count = match sample.matcher {
            RttMatcher::SegmentEnd => &mut self.segment_end_samples,
            RttMatcher::Sack => &mut self.sack_samples,
            RttMatcher::Timestamp => &mut self.timestamp_samples,
        };
        *count = count.saturating_add(1);
        self.min = least(self.min, Some(sample.rtt));
        self.histogram.take(sample.rtt);
    }

    /// How many there are: no more than acknowledgments, as each gives one at most.
    pub(crate) fn samples(&self) -> u64 {
        let matched = self.segment_end_samples.saturating_add(self.sack_samples);
        matched.saturating_add(self.timestamp_samples)
    }

    /// The smallest sample; `None` without samples.
    pub(crate) fn min(&self) -> Option<Duration> {
        self.min
    }

    /// The sample that `share` (0..=1) of all samples do not exceed, to 1/32, and 0 for less than 1.1 us;
    /// `None` without samples.
    pub(crate) fn percentile(&self, share: f64) -> Option<Duration> {
        self.histogram.percentile(share)
    }
}

/// Counts in logarithmic bins, 16 per doubling from 1.024 us on: at most 864 counters, of which only those
/// between the smallest and the largest sample are kept.
#[derive(Debug, Default)]
struct Histogram {
    counts: Vec<u32>,
    /// Bin of `counts[0]`.
    first: usize,
}

impl Histogram {
    /// Of the longest time that there is.
    const BIN_MAX: usize = 863;

    #[inline]
    fn take(&mut self, rtt: Duration) {
        let bin = Self::bin(rtt);
        let index = bin.wrapping_sub(self.first);
        match self.counts.get_mut(index) {
            Some(count) => *count = count.saturating_add(1),
            None => self.take_beyond(bin),
        }
    }

    /// Takes a sample in a bin that has no counter yet.
    #[inline(never)]
    fn take_beyond(&mut self, bin: usize) {
        if self.counts.is_empty() {
            self.first = bin;
        }
        let missing = self.first.saturating_sub(bin);
        if missing > 0 {
            self.counts.splice(0..0, std::iter::repeat_n(0, missing));
            self.first = bin;
        }
        let index = bin.saturating_sub(self.first);
        if index >= self.counts.len() {
            self.counts.resize(index.saturating_add(1), 0);
        }
        if let Some(count) = self.counts.get_mut(index) {
            *count = count.saturating_add(1);
        }
    }

    fn bin(rtt: Duration) -> usize {
        let ns = rtt.as_nanos().max(1 << 10);
        let octave = ns.ilog2();
        let step = (ns >> octave.saturating_sub(4)) & 15;
        let bin = u64::from(octave.saturating_sub(10)).saturating_mul(16).saturating_add(step);
        usize::try_from(bin).unwrap_or(Self::BIN_MAX).min(Self::BIN_MAX)
    }

    /// Middle of the bin; the first one holds all that is shorter, too, so nothing longer is claimed of it.
    fn value(bin: usize) -> Duration {
        if bin == 0 {
            return Duration::ZERO;
        }
        let octave = u32::try_from(bin / 16).unwrap_or(0).saturating_add(10).min(63);
        let step = (bin % 16) as u64;
        // A 32nd of the octave's width is half a bin.
        let halves = step.saturating_mul(2).saturating_add(33);
        Duration::from_nanos((1_u64 << octave.saturating_sub(5)).saturating_mul(halves))
    }

    fn percentile(&self, share: f64) -> Option<Duration> {
        let total = self.counts.iter().fold(0_u64, |sum, n| sum.saturating_add(u64::from(*n)));
        if total == 0 {
            return None;
        }
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rank; 2^53 samples are out of reach"
        )]
        let rank = (share.clamp(0.0, 1.0) * total as f64).ceil().max(1.0) as u64;
        let mut seen = 0_u64;
        let bin = self.counts.iter().position(|count| {
            seen = seen.saturating_add(u64::from(*count));
            seen >= rank
        })?;
        Some(Self::value(self.first.saturating_add(bin)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As of a capture whose times are told in other units than they are.
    #[test]
    fn no_mean_is_below_the_least_however_long_it_takes() {
        let mut estimator = RttEstimator::default();
        let mut summary = RttSummary::default();
        for seconds in [150, 152, 151, 150] {
            let rtt = Duration::from_secs(seconds);
            estimator.take(rtt, StreamOffset(0), StreamOffset(1));
            summary.take(&RttSample::of(rtt, RttMatcher::SegmentEnd));
        }
        assert!(estimator.srtt() >= summary.min(), "{estimator:?}");
        let median = summary.percentile(0.5).unwrap();
        assert!(median.abs_diff(Duration::from_secs(150)) < Duration::from_secs(5), "{median:?}");
        assert_eq!(Histogram::bin(Duration::from_nanos(u64::MAX)), Histogram::BIN_MAX);
        assert!(Histogram::value(Histogram::BIN_MAX) > Histogram::value(Histogram::BIN_MAX - 1));
    }

    /// A clock that ticks every 10 ms shows most answers in no time at all.
    #[test]
    fn what_no_bin_is_short_enough_for_is_not_said_to_take_a_microsecond() {
        let mut histogram = Histogram::default();
        for ms in [0, 0, 0, 10] {
            histogram.take(Duration::from_millis(ms));
        }
        assert_eq!(histogram.percentile(0.5), Some(Duration::ZERO));
        let longest = histogram.percentile(1.0).unwrap();
        assert!(longest.abs_diff(Duration::from_millis(10)) < Duration::from_micros(313));
    }
}

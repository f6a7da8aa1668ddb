//! Was the tap's clock set back amid a connection? Its times go on from the last one then: what passed
//! meanwhile cannot be known, and without that a round trip, or the whole connection, would last for as long
//! as the clock was set back.

use crate::units::{Duration, Timestamp};

/// By how much it was set back since the connection began.
#[derive(Debug, Default)]
pub(super) struct ClockSet {
    back: Duration,
    /// The last segment was earlier than those before it.
    is_earlier: bool,
}

/// When a segment passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passed {
    /// By the capture's time.
    AsTold,
    /// By the clock as it was when the connection began.
    At(Timestamp),
    /// The clock was set back before it, or perhaps: how long something took until now is not known.
    Set(Timestamp),
}

impl ClockSet {
    /// One segment that is earlier came late; where the next is so, too, the clock was set. `last` is the
    /// latest time before it.
    #[inline]
    pub(super) fn on_segment(&mut self, told: Timestamp, last: Timestamp) -> Passed {
        let is_plain = self.back.is_zero() && !self.is_earlier;
        if is_plain && told.after(LATE_MAX) >= last {
            return Passed::AsTold;
        }
        self.follow(told, last)
    }

    #[cold]
    fn follow(&mut self, told: Timestamp, last: Timestamp) -> Passed {
        let time = told.after(self.back);
        let is_earlier = time.after(LATE_MAX) < last;
        let was_earlier = std::mem::replace(&mut self.is_earlier, is_earlier);
        if !is_earlier {
            return Passed::At(time);
        }
        if was_earlier {
            self.is_earlier = false;
            self.back = last.since(told);
        }
        Passed::Set(last)
    }

    /// So far it was set back in all.
    pub(super) fn back(&self) -> Duration {
        self.back
    }
}

/// What comes no later than this may have been on its way from the tap: dumpcap lets a packet wait for so
/// long (`CAP_READ_TIMEOUT`), and the latest of 1382 captures of others was so by 0.17 s.
const LATE_MAX: Duration = Duration::from_millis(250);

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Timestamp {
        Timestamp(millis.saturating_mul(1_000_000))
    }

    fn millis(nanos: u64) -> u64 {
        nanos.div_euclid(1_000_000)
    }

    /// Feeds times in milliseconds; gives what they were taken for, and by how much the clock was set back.
    fn passed(times: &[u64]) -> (Vec<u64>, u64) {
        let mut clock = ClockSet::default();
        let mut last = Timestamp(0);
        let mut taken = Vec::new();
        for told in times {
            let time = match clock.on_segment(at(*told), last) {
                Passed::AsTold => at(*told),
                Passed::At(time) | Passed::Set(time) => time,
            };
            last = last.max(time);
            taken.push(millis(time.0));
        }
        (taken, millis(clock.back().as_nanos()))
    }

    #[test]
    fn times_go_on_where_the_clock_was_set_back() {
        let (taken, back) = passed(&[60_000, 60_100, 100, 110, 120, 400]);
        assert_eq!(taken, [60_000, 60_100, 60_100, 60_100, 60_110, 60_390]);
        assert_eq!(back, 59_990);
    }

    #[test]
    fn it_may_be_set_back_twice() {
        let (taken, back) = passed(&[9_000, 5_000, 5_010, 5_020, 1_000, 1_010, 1_020]);
        assert_eq!(taken, [9_000, 9_000, 9_000, 9_010, 9_010, 9_010, 9_020]);
        assert_eq!(back, 8_000);
    }

    #[test]
    fn one_segment_that_comes_late_sets_no_clock() {
        assert_eq!(passed(&[9_000, 5_000, 9_010, 9_020]), (vec![9_000, 9_000, 9_010, 9_020], 0));
    }

    #[test]
    fn what_is_a_little_out_of_order_stays_so() {
        let times = [9_000, 8_760, 8_755, 9_001];
        assert_eq!(passed(&times), (times.to_vec(), 0));
    }

    /// Else a round trip would end as it began.
    #[test]
    fn nothing_is_timed_across_the_first_segment_that_is_earlier() {
        let mut clock = ClockSet::default();
        assert_eq!(clock.on_segment(at(100), at(60_000)), Passed::Set(at(60_000)));
    }
}

//! Was the tap's clock set back amid a connection? Its times go on from the last one then: what passed
//! meanwhile cannot be known, and without that a round trip, or the whole connection, would last for as long
//! as the clock was set back.
//!
//! A packet that is only recorded late, as another queue was slow to hand it over, is so against those of the
//! other end, or shows nothing that its own end had not shown. The clock was set where an end goes on (octets
//! that follow, a further acknowledgment) before it did last; or by more than any packet is late.

use crate::units::{Duration, Timestamp};

/// By how much it was set back since the connection began.
#[derive(Debug, Default)]
pub(super) struct ClockSet {
    back: Duration,
    doubted: Option<Doubted>,
    /// When it was last.
    set: Option<Timestamp>,
}

/// The last segment, where the clock was set before it, or it alone is earlier.
#[derive(Debug, Clone, Copy)]
struct Doubted {
    told: Timestamp,
    /// The next is earlier by more where the clock was set.
    late_max: Duration,
}

/// When a segment passed, by the clock as it was when the connection began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passed {
    At(Timestamp),
    /// The clock was set back before it, or before the last one, or perhaps: how long something took until
    /// now is not known.
    Set(Timestamp),
}

impl ClockSet {
    /// Times are as told so far, and the last segment was no earlier.
    pub(super) fn is_idle(&self) -> bool {
        self.back.is_zero() && self.doubted.is_none()
    }

    /// One segment that is earlier came late; where the next is so, too, the clock was set. `own` is when
    /// the same end last showed anything new, and `goes_on` whether the segment does.
    pub(super) fn on_segment(
        &mut self,
        told: Timestamp,
        last: Timestamp,
        (own, goes_on): (Timestamp, bool),
    ) -> Passed {
        let time = told.after(self.back);
        let doubted = self.doubted.take();
        if let Some(doubted) = doubted.filter(|doubted| time.after(doubted.late_max) < last) {
            self.back = last.since(doubted.told.min(told));
            self.set = Some(last);
            return Passed::Set(told.after(self.back));
        }
        let is_told = goes_on && is_early(time, own) && self.may_be_set(last);
        let late_max = if is_told { DISORDER_MAX } else { LATE_MAX };
        if time.after(late_max) >= last {
            return Passed::At(time);
        }
        self.doubted = Some(Doubted { told, late_max });
        Passed::Set(last)
    }

    /// Whether it has stood for long enough: times that go to and fro are no clock's that is set.
    fn may_be_set(&self, now: Timestamp) -> bool {
        self.set.is_none_or(|set| now.since(set) >= SET_EACH_MIN)
    }

    /// So far it was set back in all.
    pub(super) fn back(&self) -> Duration {
        self.back
    }
}

/// Whether a segment is told to have passed so long before the `last` that the clock may have been set.
#[inline]
pub(super) fn is_early(told: Timestamp, last: Timestamp) -> bool {
    told.after(DISORDER_MAX) < last
}

/// What comes no later than this may have been on its way from the tap: dumpcap lets a packet wait for so
/// long (`CAP_READ_TIMEOUT`), and the latest of 1382 captures of others was so by 0.17 s.
const LATE_MAX: Duration = Duration::from_millis(250);

/// Processors that share an end's packets put them out of order by less: of 3400 directions, those of these
/// captures and of the open corpus, one goes on 0.5 ms before it did last, and one that is damaged 1.8 ms.
const DISORDER_MAX: Duration = Duration::from_millis(2);

/// NTP asks no more often what the time is (RFC 5905 section 7.2, `MINPOLL`).
const SET_EACH_MIN: Duration = Duration::from_secs(16);

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
        passed_of(times, |_| Timestamp(0))
    }

    /// The same for segments of one end, each of which goes on.
    fn passed_of_one_end(times: &[u64]) -> (Vec<u64>, u64) {
        passed_of(times, |last| last)
    }

    fn passed_of(times: &[u64], own: impl Fn(Timestamp) -> Timestamp) -> (Vec<u64>, u64) {
        let mut clock = ClockSet::default();
        let mut last = Timestamp(0);
        let mut taken = Vec::new();
        for told in times {
            let passed = clock.on_segment(at(*told), last, (own(last), true));
            let (Passed::At(time) | Passed::Set(time)) = passed;
            last = last.max(time);
            taken.push(millis(time.0));
        }
        (taken, millis(clock.back().as_nanos()))
    }

    #[test]
    fn times_go_on_where_the_clock_was_set_back() {
        let (taken, back) = passed(&[60_000, 60_100, 100, 110, 120, 400]);
        assert_eq!(taken, [60_000, 60_100, 60_100, 60_110, 60_120, 60_400]);
        assert_eq!(back, 60_000);
    }

    #[test]
    fn it_may_be_set_back_twice() {
        let (taken, back) = passed(&[9_000, 5_000, 5_010, 5_020, 1_000, 1_010, 1_020]);
        assert_eq!(taken, [9_000, 9_000, 9_010, 9_020, 9_020, 9_030, 9_040]);
        assert_eq!(back, 8_020);
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

    #[test]
    fn a_little_is_enough_where_an_end_goes_on_before_what_it_showed_last() {
        let (taken, back) = passed_of_one_end(&[900, 910, 905, 906, 914]);
        assert_eq!((taken, back), (vec![900, 910, 910, 911, 919], 5));
        let one_alone = [900, 910, 905, 911, 912];
        assert_eq!(passed_of_one_end(&one_alone), (vec![900, 910, 910, 911, 912], 0));
        let by_less = [900, 910, 908, 909, 912];
        assert_eq!(passed_of_one_end(&by_less), (by_less.to_vec(), 0));
    }

    #[test]
    fn two_clocks_are_none_that_is_set_to_and_fro() {
        let (taken, back) = passed_of_one_end(&[900, 880, 881, 902, 882, 883, 904]);
        assert_eq!((taken, back), (vec![900, 900, 901, 922, 902, 903, 924], 20));
    }

    #[test]
    fn what_is_late_and_shows_nothing_new_sets_no_clock() {
        let mut clock = ClockSet::default();
        for told in [890, 891] {
            let passed = clock.on_segment(at(told), at(900), (at(900), false));
            assert_eq!(passed, Passed::At(at(told)));
        }
        assert!(clock.is_idle());
    }

    /// Else a round trip would end as it began.
    #[test]
    fn nothing_is_timed_across_the_first_segment_that_is_earlier() {
        let mut clock = ClockSet::default();
        let other_end = (at(0), true);
        assert_eq!(clock.on_segment(at(100), at(60_000), other_end), Passed::Set(at(60_000)));
    }
}

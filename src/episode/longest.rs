//! The longest of many episodes: where a flow has more than are listed, the first say nothing of the worst.

use std::cmp::Reverse;

use super::{Episode, List};
use crate::units::heap::OnHeap;
use crate::units::{Duration, FrameNumber};

/// In the order of their ends, which is that of their beginnings: episodes of a kind do not overlap.
#[derive(Debug)]
pub(super) struct Longest<T> {
    /// Up to twice as many as are listed in the end, so that the short ones among them go together.
    kept: Vec<T>,
    count: u64,
    time: Duration,
}

impl<T> Default for Longest<T> {
    fn default() -> Self {
        Self { kept: Vec::new(), count: 0, time: Duration::ZERO }
    }
}

impl<T: Episode> Longest<T> {
    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.kept.on_heap()
    }

    pub(super) fn push(&mut self, episode: T) {
        self.count = self.count.saturating_add(1);
        self.time = self.time.saturating_add(episode.extent().duration());
        self.kept.push(episode);
        if self.kept.len() >= List::<T>::KEPT_MAX.saturating_mul(2) {
            self.thin();
        }
    }

    /// The kept ones that ended at or after `frame`, by their frames.
    pub(super) fn ended_from(&mut self, frame: FrameNumber) -> &mut [T] {
        let before = self.kept.partition_point(|episode| episode.extent().last_frame < frame);
        self.kept.get_mut(before..).unwrap_or_default()
    }

    pub(super) fn finish(mut self) -> List<T> {
        self.thin();
        let Self { kept, count, time } = self;
        List { kept, count, time }
    }

    /// Drops all but the longest; of equal ones the first stay.
    fn thin(&mut self) {
        let listed = List::<T>::KEPT_MAX;
        if self.kept.len() <= listed {
            return;
        }
        let length = |(place, episode): (usize, &T)| (episode.extent().duration(), Reverse(place));
        let mut lengths: Vec<_> = self.kept.iter().enumerate().map(length).collect();
        let (_, shortest, _) = lengths.select_nth_unstable_by_key(listed, |it| Reverse(*it));
        let shortest = *shortest;
        let mut place = 0;
        self.kept.retain(|episode| {
            let own = length((place, episode));
            place = place.saturating_add(1);
            own > shortest
        });
    }
}

#[cfg(test)]
#[expect(clippy::arithmetic_side_effects, reason = "test code")]
mod tests {
    use super::*;
    use crate::episode::Extent;
    use crate::units::Timestamp;

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    struct Silence(Extent);

    impl Episode for Silence {
        fn extent(&self) -> Extent {
            self.0
        }

        fn extent_mut(&mut self) -> &mut Extent {
            &mut self.0
        }
    }

    /// One a second, of so many milliseconds.
    fn silence(number: u64, length_ms: u64) -> Silence {
        let start = Timestamp(number * 1_000_000_000);
        let end = start.after(Duration::from_millis(length_ms));
        let frame = FrameNumber::new(number);
        Silence(Extent { start, end, first_frame: frame, last_frame: frame })
    }

    #[test]
    fn the_longest_are_listed_in_their_order_and_all_are_counted() {
        let lengths =
            |number: u64| if number % 7 == 3 { 500 + number / 10 } else { 1 + number % 5 };
        let mut list = Longest::default();
        for number in 0..10_000 {
            list.push(silence(number, lengths(number)));
            assert!(list.kept.len() < 512);
        }
        let list = list.finish();
        let mut longest: Vec<u64> = (0..10_000).collect();
        longest.sort_by_key(|number| (Reverse(lengths(*number)), *number));
        longest.truncate(256);
        longest.sort_unstable();
        let wanted: Vec<_> = longest.iter().map(|n| silence(*n, lengths(*n))).collect();
        assert_eq!(list.kept, wanted);
        assert_eq!(list.count, 10_000);
        assert_eq!(list.time, Duration::from_millis((0..10_000).map(lengths).sum()));
    }
}

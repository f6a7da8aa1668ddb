//! Which flows are too small for a report? When there are too many, the largest get one. A flow's report
//! is the dearest thing about most flows, so it is known as early as can be that enough others are larger.

use std::cmp::Reverse;

use super::room::Room;
use crate::flow::{Growth, SizeClass};
use crate::units::FrameNumber;

/// The last flow that will be kept; nothing is below before there were too many.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Floor(Option<Place>);

/// A flow's place among all: the most payload first, then that of the connection with the earlier first
/// frame, which has the smaller number.
type Place = (Reverse<u64>, FrameNumber);

impl Floor {
    pub(super) fn at(payload_bytes: u64, first_frame: FrameNumber) -> Self {
        Self(Some((Reverse(payload_bytes), first_frame)))
    }

    /// Whether a flow with so much payload, of the connection with this first frame, is below.
    pub(crate) fn is_above(self, payload_bytes: u64, first_frame: FrameNumber) -> bool {
        self.0.is_some_and(|place| (Reverse(payload_bytes), first_frame) > place)
    }

    /// It only rises.
    pub(super) fn raise(&mut self, to: Self) {
        if self.0.is_none_or(|place| to.0.is_some_and(|to| to < place)) {
            *self = to;
        }
    }
}

/// How many flows there were of each size; of those that go on, up to now.
#[derive(Debug)]
pub(super) struct Sizes {
    counts: [u64; SizeClass::COUNT],
}

impl Default for Sizes {
    fn default() -> Self {
        Self { counts: [0; SizeClass::COUNT] }
    }
}

impl Sizes {
    pub(super) fn grow(&mut self, Growth { before, after }: Growth) {
        if let Some(count) =
            self.counts.get_mut(before.number()).filter(|_| before != SizeClass::EMPTY)
        {
            *count = count.saturating_sub(1);
        }
        if let Some(count) = self.counts.get_mut(after.number()) {
            *count = count.saturating_add(1);
        }
    }

    /// How many were counted.
    pub(super) fn all(&self) -> u64 {
        self.counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// What at least `count` flows are not below, if there are `all` or more.
    pub(super) fn floor(&self, count: u64, all: u64) -> Floor {
        if self.all() < all {
            return Floor::default();
        }
        let mut above = 0_u64;
        let class = self.counts.iter().rposition(|of_class| {
            above = above.saturating_add(*of_class);
            above >= count
        });
        let least = class.map(|class| SizeClass::numbered(class).least());
        // Of those that have as much, none is.
        least.map_or_else(Floor::default, |least| Floor::at(least, FrameNumber::AFTER_ALL))
    }
}

/// The largest of many flows, in linear time.
#[derive(Debug)]
pub(crate) struct Largest {
    /// At most twice [`Largest::count`].
    places: Vec<Place>,
    count: usize,
    /// How many were taken in.
    all: u64,
    /// The last one of the largest, as of when the others were left out.
    last: Floor,
}

impl Default for Largest {
    /// As many as there are reports, where memory is not short.
    fn default() -> Self {
        Self::new(Room::default().reports)
    }
}

impl Largest {
    /// Tells the `count` largest from others.
    pub(super) fn new(count: usize) -> Self {
        Self { places: Vec::new(), count, all: 0, last: Floor::default() }
    }

    /// Takes in a flow with so much payload, of the connection with this first frame.
    pub(crate) fn push(&mut self, payload_bytes: u64, first_frame: FrameNumber) {
        self.all = self.all.saturating_add(1);
        self.put((Reverse(payload_bytes), first_frame));
    }

    /// Takes in all that another one did.
    pub(crate) fn join(&mut self, other: Self) {
        self.all = self.all.saturating_add(other.all);
        other.places.into_iter().for_each(|place| self.put(place));
    }

    fn put(&mut self, place: Place) {
        self.places.push(place);
        if self.places.len() >= self.count.saturating_mul(2) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.count > 0 && self.places.len() > self.count {
            let (_, last, _) = self.places.select_nth_unstable(self.count.saturating_sub(1));
            self.last = Floor(Some(*last));
        }
        self.places.truncate(self.count);
    }

    /// What the largest are not below; it rises each time that as many more were taken in.
    pub(super) fn last(&self) -> Floor {
        self.last
    }

    /// How many were taken in.
    pub(super) fn all(&self) -> u64 {
        self.all
    }

    /// The last one of the largest; nothing while there are fewer.
    pub(super) fn floor(mut self) -> Floor {
        self.cut();
        let is_full = self.places.len() == self.count;
        Floor(self.places.into_iter().max().filter(|_| is_full))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(before: u64, after: u64) -> Growth {
        Growth { before: SizeClass::of(before), after: SizeClass::of(after) }
    }

    #[test]
    fn a_flow_is_below_once_enough_are_certainly_larger() {
        let mut sizes = Sizes::default();
        for octets in [100, 100, 1000, 5000] {
            sizes.grow(growth(0, octets));
        }
        let first = FrameNumber::new(1);
        assert!(!sizes.floor(2, 5).is_above(0, first), "there may be room for all");
        assert!(sizes.floor(2, 4).is_above(895, first));
        assert!(!sizes.floor(2, 4).is_above(896, first), "the class of 1000 begins here");
        sizes.grow(growth(100, 7000));
        assert!(sizes.floor(2, 4).is_above(4000, first));
        assert!(!sizes.floor(5, 4).is_above(0, first), "there are but four");
    }

    #[test]
    fn the_largest_are_those_of_the_sorted_list() {
        let sizes: Vec<u64> = (0..1000).map(|number| number * 7919 % 101).collect();
        let mut parts = [Largest::new(40), Largest::new(40)];
        for (number, octets) in sizes.iter().enumerate() {
            parts[number % 2].push(*octets, FrameNumber::new(number as u64));
        }
        let [mut largest, other] = parts;
        largest.join(other);
        assert_eq!(largest.all(), 1000);
        let last = largest.last();
        let floor = largest.floor();
        assert!(last != Floor::default() && !last.is_above(100, FrameNumber::new(0)));
        assert!((0..1000).all(|number| {
            let place = (number % 101, FrameNumber::new(number));
            floor.is_above(place.0, place.1) || !last.is_above(place.0, place.1)
        }));
        let is_kept = |(number, octets): &(usize, &u64)| {
            !floor.is_above(**octets, FrameNumber::new(*number as u64))
        };
        assert_eq!(sizes.iter().enumerate().filter(is_kept).count(), 40);
        assert!(
            sizes.iter().all(|octets| *octets <= 100 && floor.is_above(50, FrameNumber::new(0)))
        );
    }

    #[test]
    fn the_floor_only_rises() {
        let mut floor = Floor::default();
        floor.raise(Floor::at(100, FrameNumber::new(7)));
        floor.raise(Floor::at(100, FrameNumber::new(9)));
        floor.raise(Floor::at(99, FrameNumber::new(1)));
        floor.raise(Floor::default());
        assert!(
            floor.is_above(100, FrameNumber::new(8)) && !floor.is_above(100, FrameNumber::new(7))
        );
        floor.raise(Floor::at(100, FrameNumber::new(2)));
        assert!(floor.is_above(100, FrameNumber::new(7)));
    }
}

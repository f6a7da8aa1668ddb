//! Which octets beyond SND.UNA has the receiver? Ranges, their sum, and their sum above a mark that
//! follows the edge of loss, so that no question walks over all ranges: the mark passes each range
//! once, however many there are.

use std::collections::BTreeMap;

use crate::units::heap::OnHeap;
use crate::units::{Bytes, StreamOffset};

/// Ranges of octets, disjoint and not touching each other.
#[derive(Debug, Default)]
pub(super) struct Scoreboard {
    /// Start to end.
    ranges: BTreeMap<StreamOffset, StreamOffset>,
    octets: Bytes,
    mark: StreamOffset,
    /// Of `octets`, those above `mark`.
    above_mark: Bytes,
}

impl Scoreboard {
    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.ranges.on_heap()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many ranges it has.
    pub(super) fn count(&self) -> usize {
        self.ranges.len()
    }

    /// All octets in it.
    pub(super) fn octets(&self) -> Bytes {
        self.octets
    }

    /// Start of the lowest range.
    pub(super) fn first(&self) -> Option<StreamOffset> {
        self.ranges.first_key_value().map(|(start, _)| *start)
    }

    /// End of the highest range; 0 if there is none.
    pub(super) fn highest(&self) -> StreamOffset {
        self.ranges.last_key_value().map_or(StreamOffset(0), |(_, end)| *end)
    }

    /// The octets at and above `at`. Cheap where `at` moves little from call to call.
    pub(super) fn octets_above(&mut self, at: StreamOffset) -> Bytes {
        if at > self.mark {
            self.above_mark = self.above_mark.saturating_sub(self.between(self.mark, at));
        } else if at < self.mark {
            self.above_mark = self.above_mark.saturating_add(self.between(at, self.mark));
        }
        self.mark = at;
        self.above_mark
    }

    /// The first stretch of `from..end` that is not in it; `None` if all of it is.
    pub(super) fn missing(
        &self,
        from: StreamOffset,
        end: StreamOffset,
    ) -> Option<(StreamOffset, StreamOffset)> {
        let before = self.ranges.range(..=from).next_back();
        let start = before.map_or(from, |(_, to)| from.max(*to));
        if start >= end {
            return None;
        }
        // Ranges do not touch, so what lies before the next one is missing.
        let next = self.ranges.range(start..).next().map_or(end, |(next, _)| (*next).min(end));
        Some((start, next))
    }

    pub(super) fn add(&mut self, start: StreamOffset, end: StreamOffset) {
        let (mut start, mut end) = (start, end);
        while let Some((&from, &to)) = self.ranges.range(..=end).next_back() {
            if to < start {
                break;
            }
            self.take_out(from, to);
            (start, end) = (start.min(from), end.max(to));
        }
        self.put_in(start, end);
    }

    /// Takes everything below `una` out.
    pub(super) fn forget_below(&mut self, una: StreamOffset) {
        while let Some((&start, &end)) = self.ranges.first_key_value() {
            if start >= una {
                break;
            }
            self.take_out(start, end);
            if end > una {
                self.put_in(una, end);
            }
        }
    }

    fn put_in(&mut self, start: StreamOffset, end: StreamOffset) {
        self.ranges.insert(start, end);
        self.octets = self.octets.saturating_add(end.since(start));
        self.above_mark = self.above_mark.saturating_add(end.since(start.max(self.mark)));
    }

    fn take_out(&mut self, start: StreamOffset, end: StreamOffset) {
        self.ranges.remove(&start);
        self.octets = self.octets.saturating_sub(end.since(start));
        self.above_mark = self.above_mark.saturating_sub(end.since(start.max(self.mark)));
    }

    /// The octets in `from..to`; takes as long as there are ranges in it.
    pub(super) fn between(&self, from: StreamOffset, to: StreamOffset) -> Bytes {
        let before = self.ranges.range(..from).next_back();
        let inside = self.ranges.range(from..to);
        before.into_iter().chain(inside).fold(Bytes(0), |sum, (start, end)| {
            sum.saturating_add((*end).min(to).since((*start).max(from)))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a set of octets.
        #[test]
        fn counts_what_a_set_would(
            steps in prop::collection::vec((0..3_u8, 0..60_u64, 1..12_u64), 0..80),
        ) {
            let (mut board, mut model) = (Scoreboard::default(), BTreeSet::new());
            let mut una = 0_u64;
            for (what, at, len) in steps {
                match what {
                    0 => {
                        una = una.max(at.min(una.saturating_add(3)));
                        board.forget_below(StreamOffset(una));
                        model.retain(|octet| *octet >= una);
                    }
                    1 => {
                        let (start, end) = (at.max(una), at.saturating_add(len).max(una));
                        if start < end {
                            let missing = (start..end).find(|octet| !model.contains(octet));
                            let found = board.missing(StreamOffset(start), StreamOffset(end));
                            prop_assert_eq!(found.map(|(from, _)| from.0), missing);
                            board.add(StreamOffset(start), StreamOffset(end));
                            model.extend(start..end);
                        }
                    }
                    _ => {
                        let above = model.range(at..).count() as u64;
                        prop_assert_eq!(board.octets_above(StreamOffset(at)), Bytes(above));
                    }
                }
                prop_assert_eq!(board.octets(), Bytes(model.len() as u64));
                prop_assert_eq!(board.is_empty(), model.is_empty());
            }
        }
    }
}

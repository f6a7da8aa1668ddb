//! Which octets beyond SND.UNA has the receiver? Ranges, their sum, and their sum above a mark that
//! follows the edge of loss, so that no question walks over all ranges: the mark passes each range
//! once, however many there are.

use std::collections::BTreeMap;

use crate::units::heap::OnHeap;
use crate::units::{Bytes, StreamOffset};

/// Ranges of octets, disjoint and not touching each other.
#[derive(Debug, Default)]
pub(super) struct Scoreboard {
    /// Start to end of all ranges but the highest.
    below: BTreeMap<StreamOffset, StreamOffset>,
    /// The highest, which nearly all that is told is of or adds to; empty if there is none.
    highest: Range,
    octets: Bytes,
    mark: StreamOffset,
    /// Of `octets`, those above `mark`.
    above_mark: Bytes,
}

/// From its start to below its end.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Range {
    start: StreamOffset,
    end: StreamOffset,
}

impl Range {
    fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// How much of it lies in `from..to`.
    #[inline]
    fn between(self, from: StreamOffset, to: StreamOffset) -> Bytes {
        self.end.min(to).since(self.start.max(from))
    }
}

impl Scoreboard {
    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.below.on_heap()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.highest.is_empty()
    }

    /// How many ranges it has.
    pub(super) fn count(&self) -> usize {
        self.below.len().saturating_add(usize::from(!self.is_empty()))
    }

    /// All octets in it.
    pub(super) fn octets(&self) -> Bytes {
        self.octets
    }

    /// Start of the lowest range.
    pub(super) fn first(&self) -> Option<StreamOffset> {
        let highest = (!self.is_empty()).then_some(self.highest.start);
        self.below.first_key_value().map_or(highest, |(start, _)| Some(*start))
    }

    /// End of the highest range; 0 if there is none.
    pub(super) fn highest(&self) -> StreamOffset {
        self.highest.end
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
    #[inline]
    pub(super) fn missing(
        &self,
        from: StreamOffset,
        end: StreamOffset,
    ) -> Option<(StreamOffset, StreamOffset)> {
        if from < self.highest.start {
            return self.missing_below(from, end);
        }
        let start = from.max(self.highest.end);
        (start < end).then_some((start, end))
    }

    /// The same of what begins below the highest range.
    #[inline(never)]
    fn missing_below(
        &self,
        from: StreamOffset,
        end: StreamOffset,
    ) -> Option<(StreamOffset, StreamOffset)> {
        let before = self.below.range(..=from).next_back();
        let start = before.map_or(from, |(_, to)| from.max(*to));
        if start >= end {
            return None;
        }
        // Ranges do not touch, so what lies before the next one is missing.
        let next = self.below.range(start..).next().map_or(self.highest.start, |(next, _)| *next);
        Some((start, next.min(end)))
    }

    /// `start..end` is not empty.
    #[inline]
    pub(super) fn add(&mut self, start: StreamOffset, end: StreamOffset) {
        let Range { start: from, end: to } = self.highest;
        if start >= from && start <= to && end >= to && !self.is_empty() {
            self.count_in(to, end);
            self.highest.end = end;
            return;
        }
        self.add_anywhere(start, end);
    }

    #[inline(never)]
    fn add_anywhere(&mut self, start: StreamOffset, end: StreamOffset) {
        let mut all = Range { start, end };
        while let Some(range) = self.last_up_to(all.end).filter(|range| range.end >= all.start) {
            self.take_out(range);
            all = Range { start: all.start.min(range.start), end: all.end.max(range.end) };
        }
        self.put_in(all);
    }

    /// The last range that begins at `end` or before it.
    fn last_up_to(&self, end: StreamOffset) -> Option<Range> {
        if !self.is_empty() && self.highest.start <= end {
            return Some(self.highest);
        }
        let (start, end) = self.below.range(..=end).next_back()?;
        Some(Range { start: *start, end: *end })
    }

    /// Takes everything below `una` out.
    #[inline]
    pub(super) fn forget_below(&mut self, una: StreamOffset) {
        if self.first().is_some_and(|start| start < una) {
            self.forget_some_below(una);
        }
    }

    #[inline(never)]
    fn forget_some_below(&mut self, una: StreamOffset) {
        while let Some(start) = self.first().filter(|start| *start < una) {
            let end = self.below.get(&start).map_or(self.highest.end, |end| *end);
            self.take_out(Range { start, end });
            if end > una {
                self.put_in(Range { start: una, end });
            }
        }
    }

    fn put_in(&mut self, range: Range) {
        if range.start >= self.highest.end {
            let before = std::mem::replace(&mut self.highest, range);
            if !before.is_empty() {
                self.below.insert(before.start, before.end);
            }
        } else {
            self.below.insert(range.start, range.end);
        }
        self.count_in(range.start, range.end);
    }

    fn count_in(&mut self, start: StreamOffset, end: StreamOffset) {
        self.octets = self.octets.saturating_add(end.since(start));
        self.above_mark = self.above_mark.saturating_add(end.since(start.max(self.mark)));
    }

    fn take_out(&mut self, range: Range) {
        if range == self.highest {
            let next = self.below.pop_last();
            self.highest = next.map_or(Range::default(), |(start, end)| Range { start, end });
        } else {
            self.below.remove(&range.start);
        }
        let Range { start, end } = range;
        self.octets = self.octets.saturating_sub(end.since(start));
        self.above_mark = self.above_mark.saturating_sub(end.since(start.max(self.mark)));
    }

    /// The octets in `from..to`; takes as long as there are ranges in it.
    #[inline]
    pub(super) fn between(&self, from: StreamOffset, to: StreamOffset) -> Bytes {
        let highest = self.highest.between(from, to);
        if from >= self.highest.start || self.below.is_empty() {
            return highest;
        }
        highest.saturating_add(self.between_below(from, to))
    }

    #[inline(never)]
    fn between_below(&self, from: StreamOffset, to: StreamOffset) -> Bytes {
        let before = self.below.range(..from).next_back();
        let inside = self.below.range(from..to);
        before.into_iter().chain(inside).fold(Bytes(0), |sum, (start, end)| {
            sum.saturating_add(Range { start: *start, end: *end }.between(from, to))
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

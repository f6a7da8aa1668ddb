//! What SND.NXT passed over without the capture showing it. Seen late, it was on its way elsewhere:
//! out of order, or lost before the tap and sent again. Acknowledged and never seen, the capture
//! missed it.

use std::collections::BTreeMap;

use crate::units::heap::OnHeap;
use crate::units::{Bytes, StreamOffset, Timestamp};

/// Stretches of the stream that were not seen, apart from each other.
#[derive(Debug, Default)]
pub(super) struct Unseen {
    /// By start: the end, and when it was passed over.
    holes: BTreeMap<StreamOffset, (StreamOffset, Timestamp)>,
}

impl Unseen {
    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.holes.on_heap()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.holes.is_empty()
    }

    /// `start` to `end` was passed over at `time`; nothing behind `start` had been sent before.
    pub(super) fn note(&mut self, start: StreamOffset, end: StreamOffset, time: Timestamp) {
        self.holes.insert(start, (end, time));
    }

    /// Gives up the first stretches where there are more than `max`; how many octets that is.
    pub(super) fn keep_last(&mut self, max: usize) -> Bytes {
        let mut octets = Bytes(0);
        while self.holes.len() > max {
            let Some((start, (end, _))) = self.holes.pop_first() else { break };
            octets = octets.saturating_add(end.since(start));
        }
        octets
    }

    /// When the stretch that holds all of `start` to `end` was passed over.
    pub(super) fn since(&self, start: StreamOffset, end: StreamOffset) -> Option<Timestamp> {
        let (_, (hole_end, since)) = self.holes.range(..=start).next_back()?;
        (*hole_end >= end).then_some(*since)
    }

    /// `start` to `end` was seen after all.
    pub(super) fn fill(&mut self, start: StreamOffset, end: StreamOffset) {
        while let Some((&hole, &(hole_end, since))) = self.holes.range(..end).next_back() {
            if hole_end <= start {
                break;
            }
            self.holes.remove(&hole);
            if hole_end > end {
                self.holes.insert(end, (hole_end, since));
            }
            if hole < start {
                self.holes.insert(hole, (start, since));
                break;
            }
        }
    }

    /// Gives up what lies below `ack`, as it is acknowledged; how many octets that is.
    pub(super) fn take_below(&mut self, ack: StreamOffset) -> Bytes {
        let mut octets = Bytes(0);
        while let Some((&start, &(end, _))) = self.holes.first_key_value() {
            if end > ack {
                break;
            }
            self.holes.remove(&start);
            octets = octets.saturating_add(end.since(start));
        }
        octets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_after(fills: &[(u64, u64)]) -> u64 {
        let mut unseen = Unseen::default();
        unseen.note(StreamOffset(1000), StreamOffset(4000), Timestamp(1));
        unseen.note(StreamOffset(6000), StreamOffset(7000), Timestamp(2));
        for (start, end) in fills {
            unseen.fill(StreamOffset(*start), StreamOffset(*end));
        }
        unseen.take_below(StreamOffset(9000)).0
    }

    #[test]
    fn what_is_seen_late_is_no_longer_unseen() {
        assert_eq!(left_after(&[]), 4000);
        assert_eq!(left_after(&[(1000, 2000)]), 3000);
        assert_eq!(left_after(&[(2000, 3000)]), 3000);
        assert_eq!(left_after(&[(2000, 3000), (1000, 2000), (3000, 4000)]), 1000);
        assert_eq!(left_after(&[(0, 9000)]), 0);
        assert_eq!(left_after(&[(4000, 6000)]), 4000, "it touches both");
    }

    #[test]
    fn the_first_gives_way_to_one_too_many() {
        let mut unseen = Unseen::default();
        for (start, end) in [(1000, 4000), (6000, 7000), (8000, 8500)] {
            unseen.note(StreamOffset(start), StreamOffset(end), Timestamp(1));
        }
        assert_eq!(unseen.keep_last(3), Bytes(0));
        assert_eq!(unseen.keep_last(2), Bytes(3000));
        assert_eq!(unseen.take_below(StreamOffset(9000)), Bytes(1500));
    }

    #[test]
    fn a_part_of_what_is_unseen_is_as_old_as_the_whole() {
        let mut unseen = Unseen::default();
        unseen.note(StreamOffset(1000), StreamOffset(4000), Timestamp(7));
        unseen.fill(StreamOffset(2000), StreamOffset(3000));
        let since = |start, end| unseen.since(StreamOffset(start), StreamOffset(end));
        assert_eq!(since(3000, 4000), Some(Timestamp(7)));
        assert_eq!((since(1500, 2500), since(2000, 3000)), (None, None));
    }
}

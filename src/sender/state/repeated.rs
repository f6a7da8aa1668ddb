//! Octets sent again. A D-SACK (RFC 2883) tells that some of them came twice; one that tells of other
//! octets is about a copy which the network made, or a probe.

use std::collections::BTreeMap;

use crate::units::heap::OnHeap;
use crate::units::{Bytes, StreamOffset};

#[derive(Debug, Default)]
pub(super) struct Repeated {
    /// Start to end, disjoint.
    ranges: BTreeMap<StreamOffset, StreamOffset>,
}

impl Repeated {
    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.ranges.on_heap()
    }

    /// Ranges remembered; the lowest give way. Repairs of one recovery mostly touch each other.
    const RANGES_MAX: usize = 4096;

    pub(super) fn add(&mut self, start: StreamOffset, end: StreamOffset) {
        let (mut start, mut end) = (start, end);
        if start >= end {
            return;
        }
        while let Some((&from, &to)) = self.ranges.range(..=end).next_back() {
            if to < start {
                break;
            }
            self.ranges.remove(&from);
            (start, end) = (start.min(from), end.max(to));
        }
        self.ranges.insert(start, end);
        if self.ranges.len() > Self::RANGES_MAX {
            self.ranges.pop_first();
        }
    }

    /// Takes `start..end` out; tells how much of it was there.
    pub(super) fn remove(&mut self, start: StreamOffset, end: StreamOffset) -> Bytes {
        let mut found = Bytes(0);
        while let Some((&from, &to)) = self.ranges.range(..end).next_back() {
            if to <= start {
                break;
            }
            found = found.saturating_add(to.min(end).since(from.max(start)));
            self.ranges.remove(&from);
            if from < start {
                self.ranges.insert(from, start);
            }
            if to > end {
                self.ranges.insert(end, to);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_again_is_found_once() {
        let mut repeated = Repeated::default();
        let at = StreamOffset;
        repeated.add(at(1000), at(2000));
        repeated.add(at(2000), at(3000));
        repeated.add(at(9000), at(9000));

        assert_eq!(repeated.remove(at(0), at(1000)), Bytes(0));
        assert_eq!(repeated.remove(at(3000), at(20_000)), Bytes(0));
        assert_eq!(repeated.remove(at(1500), at(2500)), Bytes(1000));
        assert_eq!(repeated.remove(at(1500), at(2500)), Bytes(0));
        assert_eq!(repeated.remove(at(0), at(4000)), Bytes(1000), "both ends are left");
        assert!(repeated.ranges.is_empty());
    }

    #[test]
    fn the_lowest_ranges_give_way() {
        let mut repeated = Repeated::default();
        for number in 0..=Repeated::RANGES_MAX as u64 {
            repeated.add(StreamOffset(number * 10), StreamOffset(number * 10 + 5));
        }
        assert_eq!(repeated.ranges.len(), Repeated::RANGES_MAX);
        assert_eq!(repeated.remove(StreamOffset(0), StreamOffset(5)), Bytes(0));
    }
}

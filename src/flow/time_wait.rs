//! Connections that are over and were handed on before they had waited for what is late: that is still
//! theirs, and opens no other (RFC 9293 section 3.3.2). A million may wait, so of each there is only what
//! tells its segments from those of another one.

use super::index::{Index, tag};
use super::queues::Queues;
use super::slab::Slab;
use crate::units::{Duration, SeqNum, Timestamp};
use crate::wire::Segment;

/// How long a closed connection waits for late segments, in capture time: twice the maximum
/// segment lifetime (RFC 9293 section 3.4.2).
pub(super) const LINGER: Duration = Duration::from_secs(240);

/// What tells the late segments of one of them. Of its ends, the lower one of the key stands in front.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gone {
    /// Where the numbers of both ends begin.
    pub(super) begins: [SeqNum; 2],
    /// Which ends sent a RST.
    pub(super) resets: [bool; 2],
    pub(super) last_time: Timestamp,
}

/// One of them. The fields of [`Gone`] stand here by themselves: as one they would leave a gap, and each take
/// 40 octets for 32.
#[derive(Debug)]
struct Waiting {
    /// Of its key, which would take twice as much. Of a million that wait and a million that come, two have
    /// the same once in ten million captures.
    hash: u64,
    begins: [SeqNum; 2],
    last_time: Timestamp,
    resets: [bool; 2],
    /// Had a segment since it was queued.
    was_active: bool,
}

impl Waiting {
    /// Whether `segment` belongs to another connection: one that it `is_opening`, by Wireshark's rule
    /// (`dissect_tcp`) where its numbers begin elsewhere; or what is left of this one, if its sender does not
    /// stand by its RST.
    fn is_contradicted_by(&self, segment: &Segment, is_from_low: bool, is_opening: bool) -> bool {
        let ([low, high], [low_resets, high_resets]) = (self.begins, self.resets);
        let (begin, has_reset) = if is_from_low { (low, low_resets) } else { (high, high_resets) };
        (is_opening && segment.seq != begin) || (has_reset && segment.payload_len > 0)
    }
}

/// All that wait, found by the hashes of their keys.
#[derive(Debug)]
pub(super) struct TimeWait {
    index: Index,
    waiting: Slab<Waiting>,
    queues: Queues<1>,
}

impl TimeWait {
    /// Octets that each of them takes, with its entry in the index and its link in the queue.
    const COST: u64 =
        size_of::<Option<Waiting>>() as u64 + Index::ENTRY_COST + Queues::<0>::LINK_COST;

    pub(super) fn new() -> Self {
        Self { index: Index::default(), waiting: Slab::new(), queues: Queues::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Estimate of the octets held.
    pub(super) fn memory(&self) -> u64 {
        (self.len() as u64).saturating_mul(Self::COST)
    }

    /// Lets a connection wait that has this hash of its key.
    pub(super) fn insert(&mut self, hash: u64, gone: Gone) {
        let Gone { begins, resets, last_time } = gone;
        let waiting = Waiting { hash, begins, last_time, resets, was_active: false };
        let place = self.waiting.insert(waiting);
        self.index.insert(tag(hash), place);
        self.queues.push(place, 0);
    }

    /// Whether `segment`, with this hash of its key, belongs to a connection that waits. Where it is another
    /// one's, which it may be `is_opening`, the one before waits no longer.
    pub(super) fn takes(
        &mut self,
        hash: u64,
        segment: &Segment,
        is_from_low: bool,
        is_opening: bool,
    ) -> bool {
        let is_match = |place| self.waiting.get(place).is_some_and(|waiting| waiting.hash == hash);
        let Some(place) = self.index.find(tag(hash), is_match) else { return false };
        let Some(waiting) = self.waiting.get_mut(place) else { return false };
        if waiting.is_contradicted_by(segment, is_from_low, is_opening) {
            self.forget(place);
            return false;
        }
        waiting.last_time = waiting.last_time.max(segment.time);
        waiting.was_active = true;
        true
    }

    /// Looks at the two that are first in the queue: whether they have waited long enough by `now`.
    #[inline]
    pub(super) fn expire(&mut self, now: Timestamp) {
        if self.len() > 0 {
            self.expire_first(now);
            self.expire_first(now);
        }
    }

    fn expire_first(&mut self, now: Timestamp) {
        let Some(place) = self.queues.front(0) else { return };
        let Some(waiting) = self.waiting.get_mut(place) else { return };
        if std::mem::take(&mut waiting.was_active) {
            self.queues.requeue(place, 0);
        } else if now.since(waiting.last_time) > LINGER {
            self.forget(place);
        }
    }

    /// Forgets the one that is first in the queue; `false` if there is none.
    pub(super) fn forget_first(&mut self) -> bool {
        let first = self.queues.front(0);
        first.is_some_and(|place| {
            self.forget(place);
            true
        })
    }

    fn forget(&mut self, place: u32) {
        if let Some(waiting) = self.waiting.remove(place) {
            self.index.remove(tag(waiting.hash), place);
            self.queues.remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A million of them wait at a time.
    #[test]
    fn each_is_small() {
        assert!(size_of::<Option<Waiting>>() <= 32, "{}", size_of::<Option<Waiting>>());
    }
}

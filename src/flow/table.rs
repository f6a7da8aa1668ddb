//! All connections of a capture, in bounded memory and constant time a segment.
//!
//! When a bound is met, what is worth least goes first: half-open connections, then what is left of those
//! that were handed on, then closed ones, then open ones by how much they carried, and among equals the one
//! that has been quiet longest.
//! A kind that is rare is spared, so that newcomers have time to show what they are. A connection's
//! place in its queue is brought up to date only when it comes to the front; each such move is paid
//! for by a segment since the last one.
//!
//! The two directions of a connection may run through different virtual networks: tagged one way
//! and plain the other, or with a VNI for each. A segment that finds no connection in its own
//! network joins one that shows only the other direction, if the numbers fit.

mod closed;
mod retire;

use std::hash::BuildHasher;

use foldhash::quality::RandomState;

use super::Consumer;
use super::bounds::{TableBounds, TableCounts};
use super::connection::Connection;
use super::index::{Index, tag};
use super::key::FlowKey;
use super::queues::Queues;
use super::size_class::{Growth, SizeClass};
use super::slab::Slab;
use super::time_wait::TimeWait;
use super::tracked::{CLOSED, HALF_OPEN, QUEUE_COUNT, State, Tracked};
use crate::units::{Bytes, FrameNumber, Timestamp};
use crate::wire::{Scope, Segment, TcpFlags};
use closed::ClosedPlaces;

/// Connections with the same endpoints that may wait at a time for their other direction to show
/// up in another network. Each is looked at for a segment that finds none in its own.
const WAITING_MAX: usize = 4;

/// The connections of a capture. Connections that end are handed to `retired` in no promised
/// order; their stream numbers order them.
#[derive(Debug)]
pub(crate) struct FlowTable<C: Consumer> {
    bounds: TableBounds,
    settings: C::Settings,
    counts: TableCounts,
    hasher: RandomState,
    index: Index,
    tracked: Slab<Tracked<C>>,
    queues: Queues<QUEUE_COUNT>,
    memory: u64,
    grown: Vec<Growth>,
    closed: ClosedPlaces,
    time_wait: TimeWait,
    over: Vec<(u64, FrameNumber)>,
    /// When the last segment passed.
    now: Timestamp,
    /// Most segments belong to the connection of the one before.
    last_place: u32,
}

impl<C: Consumer> FlowTable<C> {
    pub(crate) fn new(bounds: TableBounds, settings: C::Settings) -> Self {
        Self {
            bounds,
            settings,
            counts: TableCounts::default(),
            hasher: RandomState::default(),
            index: Index::default(),
            tracked: Slab::new(),
            queues: Queues::new(),
            memory: 0,
            grown: Vec::new(),
            closed: ClosedPlaces::default(),
            time_wait: TimeWait::new(),
            over: Vec::new(),
            now: Timestamp::default(),
            last_place: u32::MAX,
        }
    }

    /// Takes the next segment in capture order; hands connections that ended to `retired`.
    #[inline]
    pub(crate) fn on_segment(
        &mut self,
        segment: &Segment,
        retired: &mut impl FnMut(Connection<C>),
    ) {
        self.now = segment.time;
        let (key, is_from_low) = FlowKey::of(segment);
        let is_same = |tracked: &&mut Tracked<C>| !is_opening(segment) && tracked.is_at(&key);
        let mut place = self.last_place;
        let same = self.tracked.get_mut(place).filter(is_same);
        let tracked = if let Some(tracked) = same {
            tracked
        } else {
            let found = self.place_of(key, is_from_low, segment, retired);
            place = found.unwrap_or(u32::MAX);
            let Some(tracked) = self.tracked.get_mut(place) else { return };
            tracked
        };
        self.last_place = place;
        tracked.on_segment(segment, is_from_low, &self.settings);
        let is_due = tracked.is_due();
        if is_due {
            self.memory = tracked.charged_anew(self.memory);
            tracked.count_sizes(&mut self.grown);
        }
        let queue = tracked.worth();
        if queue != tracked.queue || tracked.is_waiting {
            self.rank(place, queue);
        }
        self.retire_closed(segment.time, retired);
        if is_due {
            self.keep_bounds(retired); // Nothing grows in between.
        }
    }

    /// The place of a segment's connection, which may be new; `None` if that was handed on, and the segment
    /// is late.
    #[inline(never)]
    fn place_of(
        &mut self,
        key: FlowKey,
        is_from_low: bool,
        segment: &Segment,
        retired: &mut impl FnMut(Connection<C>),
    ) -> Option<u32> {
        let hash = self.hash(&key);
        let place = self.find(hash, &key);
        if let Some(old) = place.filter(|&place| self.starts_anew(place, segment, is_from_low)) {
            self.retire(old, retired);
        } else if place.is_some()
            || self.time_wait.takes(hash, segment, is_from_low, is_opening(segment))
        {
            return place;
        }
        Some(match self.find_half(&key, is_from_low, segment) {
            Some(place) => self.join(place, key),
            None => self.open(key, is_from_low, segment),
        })
    }

    /// Hands on all connections that are left.
    pub(crate) fn finish(self, retired: &mut impl FnMut(Connection<C>)) -> TableCounts {
        let counts = self.counts;
        self.into_connections().for_each(retired);
        counts
    }

    /// All connections that are left.
    pub(crate) fn into_connections(self) -> impl Iterator<Item = Connection<C>> {
        let Self { tracked, settings, .. } = self;
        tracked.into_values().map(move |tracked| tracked.into_connection(&settings))
    }

    /// How many connections were opened.
    pub(crate) fn connections(&self) -> u64 {
        self.counts.connections
    }

    /// What became of the connections so far.
    pub(crate) fn counts(&self) -> TableCounts {
        self.counts
    }

    /// Takes what flows grew since the last call.
    pub(crate) fn take_grown(&mut self, grown: &mut Vec<Growth>) {
        grown.append(&mut self.grown);
    }

    /// Takes what each flow carried, and the first frame of its connection, of those that were over and not
    /// handed on since the last call.
    pub(crate) fn take_over(&mut self, over: &mut Vec<(u64, FrameNumber)>) {
        over.append(&mut self.over);
    }

    /// All that is kept, in no order that means anything.
    pub(super) fn tracked(&self) -> impl Iterator<Item = &Tracked<C>> {
        self.tracked.values()
    }

    /// Estimate of the octets held.
    pub(crate) fn memory(&self) -> Bytes {
        Bytes(self.memory.saturating_add(self.time_wait.memory()))
    }

    /// Connections held.
    pub(super) fn len(&self) -> usize {
        self.tracked.len()
    }

    pub(super) fn tracked_at(&self, place: u32) -> Option<&Tracked<C>> {
        self.tracked.get(place)
    }

    pub(super) fn likely(&self, key: &FlowKey) -> u32 {
        self.index.likely(self.tag(key))
    }

    /// The next segment probably belongs to the connection that stands at `place`.
    pub(crate) fn expect_at(&mut self, place: u32) {
        self.last_place = place;
    }

    fn find(&self, hash: u64, key: &FlowKey) -> Option<u32> {
        let is_match =
            |place: u32| self.tracked.get(place).is_some_and(|tracked| tracked.is_at(key));
        self.index.find(tag(hash), is_match)
    }

    /// The connection that shows only the other direction of `segment`, in another network.
    fn find_half(&self, key: &FlowKey, is_from_low: bool, segment: &Segment) -> Option<u32> {
        let is_half = |place: u32| {
            self.tracked.get(place).is_some_and(|tracked| {
                tracked.key.plain() == key.plain() && tracked.lacks(segment, is_from_low)
            })
        };
        self.index.find(self.tag(&key.plain()), is_half)
    }

    /// Lets a connection be found in the network of its other direction as well.
    fn join(&mut self, place: u32, key: FlowKey) -> u32 {
        let tag = self.tag(&key);
        if let Some(tracked) = self.tracked.get_mut(place) {
            tracked.other_scope = Some(Box::new(key.scope()));
            self.index.insert(tag, place);
        }
        place
    }

    /// Lets a connection wait for its other direction to show up in any network. One in no
    /// virtual network can be found without that.
    fn wait(&mut self, place: u32, key: &FlowKey) {
        let tag = self.tag(&key.plain());
        let mut count = 0_usize;
        let is_full = |other: u32| {
            let is_same = |tracked: &Tracked<C>| tracked.key.plain() == key.plain();
            count = count.saturating_add(usize::from(self.tracked.get(other).is_some_and(is_same)));
            count >= WAITING_MAX
        };
        if key.scope() == Scope(0) || self.index.find(tag, is_full).is_some() {
            return;
        }
        self.index.insert(tag, place);
        if let Some(tracked) = self.tracked.get_mut(place) {
            tracked.is_waiting = true;
        }
    }

    #[inline]
    fn hash(&self, key: &FlowKey) -> u64 {
        self.hasher.hash_one(key)
    }

    fn tag(&self, key: &FlowKey) -> u32 {
        tag(self.hash(key))
    }

    fn starts_anew(&self, place: u32, segment: &Segment, is_from_low: bool) -> bool {
        let of_tracked = |tracked: &Tracked<C>| tracked.starts_anew(segment, is_from_low);
        is_opening(segment) && self.tracked.get(place).is_some_and(of_tracked)
    }

    fn open(&mut self, key: FlowKey, is_from_low: bool, segment: &Segment) -> u32 {
        let tag = self.tag(&key);
        let place = self.tracked.insert(Tracked {
            key,
            tag,
            stream: u32::try_from(self.counts.connections).unwrap_or(u32::MAX),
            first_frame: segment.frame,
            first_time: segment.time,
            last_time: segment.time,
            charged: 0,
            segments: 0,
            is_low_first: is_from_low,
            was_active: false,
            queue: HALF_OPEN,
            other_scope: None,
            is_waiting: false,
            sizes: [SizeClass::EMPTY; 2],
            is_told: false,
            is_last_from_first: true,
            state: State::new(segment),
        });
        self.index.insert(tag, place);
        self.wait(place, &key);
        self.queues.push(place, HALF_OPEN);
        self.counts.connections = self.counts.connections.saturating_add(1);
        place
    }

    /// Puts a connection where it belongs: among those of the same `queue`, and only where it is to be found.
    #[inline(never)]
    fn rank(&mut self, place: u32, queue: u8) {
        let Some(tracked) = self.tracked.get_mut(place) else { return };
        let is_found = tracked.is_waiting && tracked.has_both_sides();
        if std::mem::replace(&mut tracked.queue, queue) != queue {
            tracked.was_active = false;
            self.queues.requeue(place, queue);
            if queue == CLOSED {
                self.closed.note(place);
            }
        }
        if is_found {
            tracked.is_waiting = false;
            let plain = tracked.key.plain();
            self.index.remove(self.tag(&plain), place);
        }
    }
}

/// A SYN that is no answer.
fn is_opening(segment: &Segment) -> bool {
    segment.flags.has(TcpFlags::SYN) && !segment.flags.has(TcpFlags::ACK)
}

#[cfg(test)]
mod tests;

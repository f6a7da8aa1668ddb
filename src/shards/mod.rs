//! On which thread? Takes [`Segment`]s in capture order, deals them to a fixed number of shards by
//! their endpoints, and gives the reports of their connections.
//!
//! A shard is a [`FlowTable`] with everything behind it, and its part of the memory; what happens in
//! it depends on its own segments, and on the floor of the report as it was a fixed number of batches
//! before, not on which thread was faster. The thread that reads works on all of them until a capture
//! proves long, then a [`Crew`] of threads does; as the number of shards is always the same, the
//! output does not depend on how many threads there are. [`Merge`] numbers connections in the order
//! of their first frames, and chooses the reports that are kept.
//!
//! No other stage knows of this one. A new stage that follows one flow hooks in behind
//! [`FlowTable`], and then must be `Send`; see `listeners` for how it costs little.
//!
//! [`FlowTable`]: crate::flow::FlowTable

mod crew;
mod merge;
mod shard;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::{self, ScopedJoinHandle};

use crate::flow::{AHEAD, TableBounds, TableCounts, look_ahead};
use crate::glance::{self, Moment};
use crate::model::Glance;
use crate::series::Listener;
use crate::units::{Bytes, Timestamp};
use crate::verdict::{Kept, Largest, Remaining};
use crate::wire::{End, Segment};
use crew::Crew;
use merge::Merge;
use shard::{Settings, Shard};

/// Shards of every capture: twice the threads that one reader can feed (it takes a fifth of the time
/// that the analysis does), so that none is left without work for long.
pub(crate) const SHARDS: usize = 8;

/// Threads that are of use beside the one that reads.
const WORKERS_MAX: usize = 5;

/// Segments handed over at a time: 160 kB, which stay in a core's own cache.
const BATCH_LEN: usize = 1024;

/// Shorter captures are done before threads would pay off: a tenth of a millisecond for a thread is
/// a thousandth of the time that these segments take.
const HIRED_AFTER: u64 = 1 << 15;

/// All connections of a capture.
pub(crate) struct Shards<S: Listener> {
    hands: Hands<S>,
    workers: usize,
    merge: Arc<Merge>,
    /// When its first frame passed.
    start: Timestamp,
    segments: u64,
    /// Batches begun before the one at hand.
    batches: u64,
    /// Segments in it.
    filled: usize,
    /// Some table was so large at the last batch that it pays to look ahead.
    is_large: bool,
    /// Segments that wait until there are [`AHEAD`] to look ahead for.
    group: Vec<Segment>,
}

enum Hands<S: Listener> {
    /// Everything is done on the calling thread, segment by segment.
    Own(Vec<Shard<S>>),
    Hired(Box<Crew<S>>),
}

/// How many threads in all an analysis takes by itself: as many as there are cores, as far as they
/// are of use.
fn threads_by_default() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

impl<S: Listener> Shards<S> {
    /// On `threads` threads, or as many as are of use; the reports go to `kept`.
    pub(crate) fn new(
        bounds: TableBounds,
        settings: Settings,
        kept: Kept,
        threads: Option<NonZeroUsize>,
    ) -> Self {
        let threads = threads.map_or_else(threads_by_default, NonZeroUsize::get);
        let merge = Arc::new(Merge::new(kept));
        let bounds = bounds.part(SHARDS);
        let shards = (0..SHARDS).map(|_| Shard::new(bounds, settings)).collect();
        Self {
            hands: Hands::Own(shards),
            workers: threads.saturating_sub(1).min(WORKERS_MAX),
            merge,
            start: Timestamp::default(),
            segments: 0,
            batches: 0,
            filled: 0,
            is_large: false,
            group: Vec::new(),
        }
    }

    /// When the capture's first frame passed; to be told before the first segment.
    pub(crate) fn begin(&mut self, start: Timestamp) {
        self.start = start;
    }

    /// Takes the next segment in capture order.
    pub(crate) fn on_segment(&mut self, segment: &Segment) {
        match &mut self.hands {
            Hands::Own(shards) if !self.is_large => {
                if let Some(shard) = shards.get_mut(shard_of(segment)) {
                    shard.on_segment(segment, None, self.start);
                }
            }
            Hands::Own(_) => {
                self.group.push(*segment);
                if self.group.len() >= AHEAD {
                    self.end_group();
                }
            }
            Hands::Hired(crew) => crew.push(shard_of(segment), segment),
        }
        self.filled = self.filled.saturating_add(1);
        if self.filled == BATCH_LEN {
            self.end_batch();
        }
    }

    /// The largest flows at `now`, after `packets`; none where they stand on other threads.
    pub(crate) fn glance(&mut self, now: Timestamp, packets: u64) -> Glance {
        self.end_batch(); // Numbers the connections.
        let tables = match &self.hands {
            Hands::Own(shards) => shards.iter().map(Shard::table).collect(),
            Hands::Hired(_) => Vec::new(),
        };
        let moment = Moment { start: self.start, now, packets };
        glance::of_flows(&tables, &moment, &|first_frame| self.merge.number_of(first_frame))
    }

    /// Octets held, about, and those that the reports of open connections will take; as of the last
    /// batch that each shard is done with.
    pub(crate) fn memory(&self) -> Bytes {
        self.merge.memory()
    }

    /// Goes through the group, where that is done on the calling thread.
    fn end_group(&mut self) {
        let Hands::Own(shards) = &mut self.hands else { return };
        let Some(places) = places_of(shards, &self.group) else { return };
        for (segment, place) in self.group.iter().zip(places) {
            if let Some(shard) = shards.get_mut(shard_of(segment)) {
                shard.on_segment(segment, Some(place), self.start);
            }
        }
        self.group.clear();
    }

    fn end_batch(&mut self) {
        self.end_group();
        let number = self.batches;
        match &mut self.hands {
            Hands::Own(shards) => {
                self.merge.expect(number, shards.len());
                // All batches before have been settled.
                let floor = self.merge.floor_for(number).unwrap_or_default();
                for shard in &mut *shards {
                    shard.submit(number, floor, self.start, &self.merge);
                }
                self.is_large = shards.iter().any(|shard| shard.table().is_large());
            }
            Hands::Hired(crew) => crew.end_batch(number, self.start),
        }
        self.batches = number.saturating_add(1);
        self.segments = self.segments.saturating_add(self.filled as u64);
        self.filled = 0;
        if self.segments >= HIRED_AFTER && self.workers > 0 {
            self.hire();
        }
    }

    /// Moves the shards to threads of their own, if they have none yet.
    fn hire(&mut self) {
        if let Hands::Own(shards) = &mut self.hands {
            let shards = std::mem::take(shards);
            self.hands = Hands::Hired(Box::new(Crew::new(shards, self.workers, &self.merge)));
        }
    }

    /// Ends the connections that are left. Gives the reports, and what became of all
    /// connections.
    pub(crate) fn finish(mut self) -> (Remaining, TableCounts) {
        self.end_batch();
        let start = self.start;
        let (shards, threads) = match self.hands {
            Hands::Own(shards) => (shards, 1),
            Hands::Hired(crew) => (crew.dismiss(), self.workers.saturating_add(1)),
        };
        let parts = dealt(shards, threads);
        foresee(&parts, &self.merge);
        let counts = finish(parts, start, &self.merge);
        (self.merge.take_kept().finish(), counts)
    }
}

/// The shards, dealt to `count` threads in turn.
fn dealt<S: Listener>(shards: Vec<Shard<S>>, count: usize) -> Vec<Vec<Shard<S>>> {
    let mut parts: Vec<Vec<Shard<S>>> = (0..count.min(SHARDS)).map(|_| Vec::new()).collect();
    for (number, shard) in shards.into_iter().enumerate() {
        let part = number.checked_rem(parts.len());
        if let Some(part) = part.and_then(|part| parts.get_mut(part)) {
            part.push(shard);
        }
    }
    parts
}

/// Where the connections of a group stand, most likely; `None` without a shard.
fn places_of<S: Listener>(shards: &[Shard<S>], group: &[Segment]) -> Option<[u32; AHEAD]> {
    let first = shards.first()?.table();
    let mut tables = [first; AHEAD];
    for (table, segment) in tables.iter_mut().zip(group) {
        *table = shards.get(shard_of(segment)).map_or(first, Shard::table);
    }
    Some(look_ahead(&tables, group))
}

/// Tells of the flows that are left, so that only those are reported on that have room in the report.
fn foresee<S: Listener>(parts: &[Vec<Shard<S>>], merge: &Merge) {
    let Some((first, others)) = parts.split_first() else { return };
    let of_part = |part: &[Shard<S>]| {
        part.iter().fold(merge.foresight(), |largest, shard| shard.foretell(largest))
    };
    let left = thread::scope(|scope| {
        let threads: Vec<_> =
            others.iter().map(|part| scope.spawn(move || of_part(part))).collect();
        threads.into_iter().fold(of_part(first), |all, thread| {
            joined(all, thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    });
    merge.foresee(left);
}

fn joined(mut one: Largest, other: Largest) -> Largest {
    one.join(other);
    one
}

/// Ends the connections that are left, each of the `parts` on a thread of its own.
fn finish<S: Listener>(
    mut parts: Vec<Vec<Shard<S>>>,
    start: Timestamp,
    merge: &Merge,
) -> TableCounts {
    let count = parts.len();
    if count == 1 {
        let mut give = |chunk| merge.settle_late(chunk);
        let all = parts.pop().unwrap_or_default();
        return shard::finish(all, start, merge, &mut give);
    }
    thread::scope(|scope| {
        let (mut incoming, mut threads) = (Vec::new(), Vec::new());
        for part in parts {
            let (ended, chunks) = sync_channel(SHARDS);
            // Nobody listens any more only where another thread panicked.
            let mut give = move |chunk| drop(ended.send(chunk));
            let run = move || shard::finish(part, start, merge, &mut give);
            threads.push(scope.spawn(run));
            incoming.push(chunks);
        }
        let mut open: Vec<usize> = (0..SHARDS).collect();
        while !open.is_empty() {
            open.retain(|shard| {
                let part = shard.checked_rem(count).and_then(|part| incoming.get(part));
                let chunk = part.and_then(|part| part.recv().ok()).unwrap_or_default();
                let is_left = !chunk.is_empty();
                merge.settle_late(chunk);
                is_left
            });
        }
        let join = |thread: ScopedJoinHandle<'_, TableCounts>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).fold(TableCounts::default(), |mut all, counts| {
            all.add(counts);
            all
        })
    })
}

/// The same for both directions of a connection, in every run, and for the same endpoints in
/// another virtual network. Who chooses endpoints so that all fall into one shard gains that they
/// share its part of the memory.
fn shard_of(segment: &Segment) -> usize {
    let Segment { src: End { addr: src, port }, dst, .. } = segment;
    let ([src_high, src_low], [dst_high, dst_low]) = (src, dst.addr);
    let addrs = src_high.wrapping_add(dst_high) ^ src_low.wrapping_add(dst_low);
    let ends = addrs ^ port.wrapping_add(dst.port) << 40;
    let high = ends.wrapping_mul(MIX) >> u64::BITS.saturating_sub(SHARDS.ilog2());
    usize::try_from(high).unwrap_or(0) % SHARDS
}

/// 2^64 over the golden ratio, which spreads what lies side by side (Knuth, The Art of Computer Programming,
/// volume 3, section 6.4).
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

#[cfg(test)]
mod tests;

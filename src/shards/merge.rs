//! Puts together what the threads found, in the order of the capture.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;

use crate::flow::Growth;
use crate::units::{Bytes, FrameNumber};
use crate::verdict::{Ended, Floor, Kept, Largest};

/// An entry of a table that is half full: a frame's number, a connection's, and a tag.
const NUMBER_OCTETS: u64 = 34;

/// Batches after which the floor is known on all threads. A thread may be as far behind the others where it
/// has a shard with little and a shard with much to do; seldom more, and then the reader waits for it.
const FLOOR_AGE: u64 = if cfg!(test) { 4 } else { 256 };

/// Numbers connections and keeps their reports.
#[derive(Default)]
pub(super) struct Merge {
    state: Mutex<State>,
    /// Octets that the tables of all shards held after their last batches.
    live: AtomicU64,
}

#[derive(Default)]
struct State {
    /// The batch to be settled next.
    next: u64,
    /// Batches that are not settled: as many as may wait for a thread.
    pending: BTreeMap<u64, Pending>,
    /// Numbers of connections that have not ended, by their first frames. Only looked up.
    numbers: HashMap<FrameNumber, u32, RandomState>,
    connections: u64,
    kept: Kept,
    /// After each batch that is settled, from the one that [`Merge::floor_for`] is to be asked for next.
    floors: VecDeque<Floor>,
}

/// What came of one batch, or of a part of it.
#[derive(Default)]
pub(super) struct News {
    /// First frames of connections.
    pub(super) opened: Vec<FrameNumber>,
    pub(super) ended: Vec<Ended>,
    pub(super) grown: Vec<Growth>,
    /// What each flow carried, and the first frame of its connection, of those that are over.
    pub(super) over: Vec<(u64, FrameNumber)>,
}

impl News {
    fn append(&mut self, other: &mut Self) {
        self.opened.append(&mut other.opened);
        self.ended.append(&mut other.ended);
        self.grown.append(&mut other.grown);
        self.over.append(&mut other.over);
    }
}

/// A batch that is not settled.
#[derive(Default)]
struct Pending {
    /// Shards with segments of the batch; `None` until that is told.
    parts: Option<usize>,
    submitted: usize,
    news: News,
}

impl Merge {
    /// Puts the reports that are kept into `kept`.
    pub(super) fn new(kept: Kept) -> Self {
        let state = State { kept, ..State::default() };
        Self { state: Mutex::new(state), live: AtomicU64::default() }
    }

    /// The batch `batch` is over, and comes from so many shards.
    pub(super) fn expect(&self, batch: u64, parts: usize) {
        let mut state = self.lock();
        state.pending.entry(batch).or_default().parts = Some(parts);
        state.settle_whole();
    }

    /// Flows below need no report: as it was [`FLOOR_AGE`] batches before `batch`, so that it does not
    /// depend on which thread was faster. To be asked for each batch, in order; `None` while the older one
    /// is not settled.
    pub(super) fn floor_for(&self, batch: u64) -> Option<Floor> {
        match batch.checked_sub(FLOOR_AGE) {
            Some(_) => self.lock().floors.pop_front(),
            None => Some(Floor::default()),
        }
    }

    /// Flows below need no report. It only rises, so an older one will do: it only saves work.
    pub(super) fn floor(&self) -> Floor {
        self.lock().kept.floor()
    }

    /// Says that the table of one shard holds `now` octets, after `before`.
    pub(super) fn count_live(&self, before: u64, now: u64) {
        self.live.fetch_add(now.wrapping_sub(before), Ordering::Relaxed);
    }

    /// Octets held, about, and those that reports will take.
    pub(super) fn memory(&self) -> Bytes {
        let state = self.lock();
        let connections = u64::try_from(state.numbers.len()).unwrap_or(u64::MAX);
        let numbers = connections.saturating_mul(NUMBER_OCTETS);
        let reports = state.kept.memory(connections);
        let live = self.live.load(Ordering::Relaxed);
        // Tables that double their room, and what the allocator cannot give back: a million half-open
        // connections and their numbers take 310 MB where 235 are counted.
        let unused = live / 2;
        Bytes([live, unused, numbers, reports].into_iter().fold(0, u64::saturating_add))
    }

    /// Takes what one shard's part of a batch gave. Gives the floor.
    pub(super) fn submit(&self, batch: u64, news: &mut News) -> Floor {
        let mut state = self.lock();
        let pending = state.pending.entry(batch).or_default();
        pending.submitted = pending.submitted.saturating_add(1);
        pending.news.append(news);
        state.settle_whole();
        state.kept.floor()
    }

    /// To be told of the flows of connections that are left.
    pub(super) fn foresight(&self) -> Largest {
        self.lock().kept.foresight()
    }

    /// Takes the flows of all connections that are left, after all batches.
    pub(super) fn foresee(&self, left: Largest) {
        self.lock().kept.foresee(left);
    }

    /// Takes connections that the end of the capture ended, after all batches.
    pub(super) fn settle_late(&self, ended: Vec<Ended>) {
        let mut state = self.lock();
        for ended in ended {
            state.settle(ended);
        }
    }

    pub(super) fn take_kept(&self) -> Kept {
        std::mem::take(&mut self.lock().kept)
    }

    /// Of a connection that has not ended and was opened in a batch that is settled.
    pub(super) fn number_of(&self, first_frame: FrameNumber) -> u32 {
        self.lock().numbers.get(&first_frame).copied().unwrap_or(u32::MAX)
    }

    /// A thread that panicked ends the run when it is joined; until then its state is as good as any.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Settles the batches that all of their shards are done with, in order.
    fn settle_whole(&mut self) {
        while let Some(first) = self.pending.first_entry() {
            let Pending { parts, submitted, .. } = first.get();
            if *first.key() != self.next || *parts != Some(*submitted) {
                return;
            }
            let News { mut opened, mut ended, grown, over } = first.remove().news;
            // In an order that does not tell which thread was faster.
            ended.sort_unstable_by_key(|ended| ended.first_frame);
            self.next = self.next.saturating_add(1);
            opened.sort_unstable();
            for frame in opened {
                let number = u32::try_from(self.connections).unwrap_or(u32::MAX);
                self.numbers.insert(frame, number);
                self.connections = self.connections.saturating_add(1);
            }
            self.kept.on_growth(&grown);
            self.kept.on_over(&over);
            for ended in ended {
                self.settle(ended);
            }
            self.floors.push_back(self.kept.floor());
        }
    }

    fn settle(&mut self, ended: Ended) {
        // Batches are settled in order, so it was opened in this one or an earlier one.
        let number = self.numbers.remove(&ended.first_frame);
        debug_assert!(number.is_some(), "each connection was opened");
        self.kept.push(ended, number.unwrap_or(u32::MAX));
    }
}

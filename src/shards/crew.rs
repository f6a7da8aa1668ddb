//! Threads that share the work of all shards. A shard that has segments waiting is taken by
//! whichever thread is free, and by one thread at a time, so that its segments stay in order. Each
//! prefers those that it had last, which its cores' caches know. The thread that reads works as well
//! when too much is waiting, so that it is idle only while others have all there is to do; were there
//! no other threads to be had, it would do everything.

mod desk;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use self::desk::{Desk, Job, List, PIECE, Pieces, Place, READER, begun};
use super::merge::Merge;
use super::shard::Shard;
use super::{BATCH_LEN, SHARDS};
use crate::series::Listener;
use crate::units::Timestamp;
use crate::verdict::Floor;
use crate::wire::Segment;

/// Segments that wait at most before the reader stops reading: what a batch leaves idle threads to
/// start with, many times over.
const WAITING_MAX: usize = 16 * BATCH_LEN;

/// The threads, and the shards.
pub(super) struct Crew<S: Listener> {
    /// Still to be handed over, by shard.
    batch: [Pieces; SHARDS],
    /// Pieces that were done, to be filled again.
    spare: Vec<Vec<Segment>>,
    site: Arc<Site<S>>,
    threads: Vec<JoinHandle<()>>,
}

/// Where the threads meet.
struct Site<S: Listener> {
    desk: Mutex<Desk<S>>,
    /// There is work, or never again.
    work: Condvar,
    /// There is room for more, or the reader may help.
    room: Condvar,
    merge: Arc<Merge>,
}

impl<S: Listener> Crew<S> {
    /// Puts `workers` threads to work, or as many as the machine gives.
    pub(super) fn new(shards: Vec<Shard<S>>, workers: usize, merge: &Arc<Merge>) -> Self {
        let place =
            |shard| Place { shard: Some(Box::new(shard)), lists: Vec::new(), thread: READER };
        let desk = Desk {
            places: shards.into_iter().map(place).collect(),
            waiting: 0,
            idle_threads: 0,
            is_reader_waiting: false,
            spare: Vec::new(),
            is_over: false,
        };
        let site = Arc::new(Site {
            desk: Mutex::new(desk),
            work: Condvar::new(),
            room: Condvar::new(),
            merge: Arc::clone(merge),
        });
        let spawn = |number| {
            let site = Arc::clone(&site);
            thread::Builder::new().spawn(move || site.work(number)).ok()
        };
        let threads = (0..workers).filter_map(spawn).collect();
        Self { batch: Default::default(), spare: Vec::new(), site, threads }
    }

    /// Adds a segment to the batch.
    #[inline]
    pub(super) fn push(&mut self, shard: usize, segment: &Segment) {
        let Self { batch, spare, .. } = self;
        let Some(pieces) = batch.get_mut(shard) else { return };
        match pieces.last_mut().filter(|piece| piece.len() < PIECE) {
            Some(piece) => piece.push(*segment),
            None => pieces.push(begun(segment, spare)),
        }
    }

    /// Hands the batch over; works, or waits, while too much is waiting.
    pub(super) fn end_batch(&mut self, batch: u64, start: Timestamp) {
        let parts = self.batch.iter().filter(|list| !list.is_empty()).count();
        self.site.merge.expect(batch, parts);
        let (mut desk, floor) = self.site.await_floor(batch);
        for (number, list) in self.batch.iter_mut().enumerate().filter(|(_, it)| !it.is_empty()) {
            let pieces = std::mem::take(list);
            desk.add(number, List { batch, pieces, start, floor });
        }
        self.spare.append(&mut desk.spare);
        for _ in 0..desk.idle_threads.min(desk.open().count()) {
            self.site.work.notify_one();
        }
        while desk.waiting > WAITING_MAX && !desk.is_over {
            desk = match desk.take_one_list() {
                Some(job) => self.site.run(job, desk, READER),
                None => self.site.room.wait(desk).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Waits until everything handed over is done; gives the shards back.
    pub(super) fn dismiss(self) -> Vec<Shard<S>> {
        let mut desk = self.site.lock();
        desk.is_over = true;
        self.site.work.notify_all();
        while let Some(job) = desk.take_one_list() {
            desk = self.site.run(job, desk, READER);
        }
        drop(desk);
        for thread in self.threads {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        let places = std::mem::take(&mut self.site.lock().places);
        places.into_iter().filter_map(|place| place.shard.map(|shard| *shard)).collect()
    }
}

impl<S: Listener> Site<S> {
    /// What a thread does until there will be no more work.
    fn work(&self, thread: usize) {
        let _alarm = Alarm(self);
        let mut desk = self.lock();
        loop {
            desk = match desk.take_all_lists(thread) {
                Some(job) => self.run(job, desk, thread),
                // What waits for a shard that another thread has is done by that thread.
                None if desk.is_over => return,
                None => {
                    desk.idle_threads = desk.idle_threads.saturating_add(1);
                    let mut desk = self.work.wait(desk).unwrap_or_else(PoisonError::into_inner);
                    desk.idle_threads = desk.idle_threads.saturating_sub(1);
                    desk
                }
            };
        }
    }

    /// The floor for this batch; works, or waits, until the batch that it comes of is settled.
    fn await_floor(&self, batch: u64) -> (MutexGuard<'_, Desk<S>>, Floor) {
        let mut desk = self.lock();
        let floor = loop {
            if let Some(floor) = self.merge.floor_for(batch) {
                break floor;
            }
            if desk.is_over {
                break Floor::default(); // A thread panicked.
            }
            desk.is_reader_waiting = true;
            desk = match desk.take_one_list() {
                Some(job) => self.run(job, desk, READER),
                None => self.room.wait(desk).unwrap_or_else(PoisonError::into_inner),
            };
        };
        desk.is_reader_waiting = false;
        (desk, floor)
    }

    /// Does a job while the desk is free for others.
    fn run<'a>(
        &'a self,
        mut job: Job<S>,
        desk: MutexGuard<'a, Desk<S>>,
        thread: usize,
    ) -> MutexGuard<'a, Desk<S>> {
        drop(desk);
        self.room.notify_one();
        for list in &job.lists {
            for piece in &list.pieces {
                job.shard.on_segments(piece, list.start);
            }
            job.shard.submit(list.batch, list.floor, list.start, &self.merge);
        }
        let mut desk = self.lock();
        desk.put_back(job, thread);
        if desk.is_reader_waiting {
            self.room.notify_one();
        }
        if thread == READER && desk.idle_threads > 0 {
            // The reader goes back to reading; what came meanwhile for this shard is for others.
            self.work.notify_one();
        }
        desk
    }

    /// A thread that panicked ends the run when it is joined; until then the desk is as good as any.
    fn lock(&self) -> MutexGuard<'_, Desk<S>> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes all others when a thread panics: its shard will not come back.
struct Alarm<'a, S: Listener>(&'a Site<S>);

impl<S: Listener> Drop for Alarm<'_, S> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().is_over = true;
            self.0.work.notify_all();
            self.0.room.notify_all();
        }
    }
}

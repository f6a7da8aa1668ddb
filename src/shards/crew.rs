//! Threads that share the work of all shards. A shard that has segments waiting is taken by
//! whichever thread is free, and by one thread at a time, so that its segments stay in order. Each
//! prefers those that it had last, which its cores' caches know. The thread that reads works as well
//! when too much is waiting, so that it is idle only while others have all there is to do; were there
//! no other threads to be had, it would do everything.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

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

/// Segments in a piece of a list: 10 kB. What a shard gets of a batch differs widely, so that lists of one
/// piece would all have room for the longest one: 17 MB on four threads.
const PIECE: usize = 64;

/// The number of the thread that reads.
const READER: usize = usize::MAX;

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

/// What waits to be done, and what can be worked with.
struct Desk<S: Listener> {
    places: Vec<Place<S>>,
    /// Segments in all lists.
    waiting: usize,
    idle_threads: usize,
    /// For a batch to be settled.
    is_reader_waiting: bool,
    /// Pieces that were done, until the reader fetches them.
    spare: Vec<Vec<Segment>>,
    /// No more will come; or a thread panicked.
    is_over: bool,
}

struct Place<S: Listener> {
    /// `None` while a thread has it.
    shard: Option<Box<Shard<S>>>,
    lists: Vec<List>,
    /// The thread that had it last.
    thread: usize,
}

/// A shard's segments of one batch.
struct List {
    batch: u64,
    pieces: Pieces,
    start: Timestamp,
    /// That of [`Merge::floor_for`] the batch.
    floor: Floor,
}

/// Segments in order, [`PIECE`] in each but the last.
type Pieces = Vec<Vec<Segment>>;

/// What a thread takes away.
struct Job<S: Listener> {
    number: usize,
    shard: Box<Shard<S>>,
    lists: Vec<List>,
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

impl List {
    fn len(&self) -> usize {
        self.pieces.iter().map(Vec::len).sum()
    }
}

/// A piece that begins with this segment.
fn begun(segment: &Segment, spare: &mut Vec<Vec<Segment>>) -> Vec<Segment> {
    let mut piece = spare.pop().unwrap_or_else(|| Vec::with_capacity(PIECE));
    piece.push(*segment);
    piece
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

impl<S: Listener> Desk<S> {
    fn add(&mut self, number: usize, list: List) {
        if let Some(place) = self.places.get_mut(number) {
            self.waiting = self.waiting.saturating_add(list.len());
            place.lists.push(list);
        }
    }

    /// All lists of a shard that no thread has: of one that `thread` had last, if there is one,
    /// else the most.
    fn take_all_lists(&mut self, thread: usize) -> Option<Job<S>> {
        let number = self.best(thread)?;
        let place = self.places.get_mut(number)?;
        let shard = place.shard.take()?;
        let lists = std::mem::take(&mut place.lists);
        self.count_taken(&lists);
        Some(Job { number, shard, lists })
    }

    /// One list, so that the reader is soon back at reading.
    fn take_one_list(&mut self) -> Option<Job<S>> {
        let number = self.best(READER)?;
        let place = self.places.get_mut(number)?;
        let shard = place.shard.take()?;
        let lists: Vec<List> = place.lists.drain(..1).collect();
        self.count_taken(&lists);
        Some(Job { number, shard, lists })
    }

    fn count_taken(&mut self, lists: &[List]) {
        let taken: usize = lists.iter().map(List::len).sum();
        self.waiting = self.waiting.saturating_sub(taken);
    }

    /// Shards that have segments waiting and no thread.
    fn open(&self) -> impl Iterator<Item = (usize, &Place<S>)> {
        let places = self.places.iter().enumerate();
        places.filter(|(_, place)| place.shard.is_some() && !place.lists.is_empty())
    }

    fn best(&self, thread: usize) -> Option<usize> {
        let places = self.open();
        let most = places.max_by_key(|(_, place)| (place.thread == thread, place.lists.len()));
        most.map(|(number, _)| number)
    }

    fn put_back(&mut self, job: Job<S>, thread: usize) {
        for mut piece in job.lists.into_iter().flat_map(|list| list.pieces) {
            piece.clear();
            self.spare.push(piece);
        }
        if let Some(place) = self.places.get_mut(job.number) {
            place.shard = Some(job.shard);
            place.thread = thread;
        }
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

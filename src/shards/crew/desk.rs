//! What waits to be done, by shard, and who takes it.

use crate::series::Listener;
use crate::shards::shard::Shard;
use crate::units::Timestamp;
use crate::verdict::Floor;
use crate::wire::Segment;

/// Segments in a piece of a list: 10 kB. What a shard gets of a batch differs widely, so that lists of one
/// piece would all have room for the longest one: 17 MB on four threads.
pub(super) const PIECE: usize = 64;

/// The number of the thread that reads.
pub(super) const READER: usize = usize::MAX;

/// What waits to be done, and what can be worked with.
pub(super) struct Desk<S: Listener> {
    pub(super) places: Vec<Place<S>>,
    /// Segments in all lists.
    pub(super) waiting: usize,
    pub(super) idle_threads: usize,
    /// For a batch to be settled.
    pub(super) is_reader_waiting: bool,
    /// Pieces that were done, until the reader fetches them.
    pub(super) spare: Vec<Vec<Segment>>,
    /// No more will come; or a thread panicked.
    pub(super) is_over: bool,
}

pub(super) struct Place<S: Listener> {
    /// `None` while a thread has it.
    pub(super) shard: Option<Box<Shard<S>>>,
    pub(super) lists: Vec<List>,
    /// The thread that had it last.
    pub(super) thread: usize,
}

/// A shard's segments of one batch.
pub(super) struct List {
    pub(super) batch: u64,
    pub(super) pieces: Pieces,
    pub(super) start: Timestamp,
    /// That of [`Merge::floor_for`](crate::shards::merge::Merge::floor_for) the batch.
    pub(super) floor: Floor,
}

/// Segments in order, [`PIECE`] in each but the last.
pub(super) type Pieces = Vec<Vec<Segment>>;

/// What a thread takes away.
pub(super) struct Job<S: Listener> {
    pub(super) number: usize,
    pub(super) shard: Box<Shard<S>>,
    pub(super) lists: Vec<List>,
}

impl<S: Listener> Desk<S> {
    pub(super) fn add(&mut self, number: usize, list: List) {
        if let Some(place) = self.places.get_mut(number) {
            self.waiting = self.waiting.saturating_add(list.len());
            place.lists.push(list);
        }
    }

    /// All lists of a shard that no thread has: of one that `thread` had last, if there is one,
    /// else the most.
    pub(super) fn take_all_lists(&mut self, thread: usize) -> Option<Job<S>> {
        let number = self.best(thread)?;
        let place = self.places.get_mut(number)?;
        let shard = place.shard.take()?;
        let lists = std::mem::take(&mut place.lists);
        self.count_taken(&lists);
        Some(Job { number, shard, lists })
    }

    /// One list, so that the reader is soon back at reading.
    pub(super) fn take_one_list(&mut self) -> Option<Job<S>> {
        let number = self.best(READER)?;
        let place = self.places.get_mut(number)?;
        let shard = place.shard.take()?;
        let lists: Vec<List> = place.lists.drain(..1).collect();
        self.count_taken(&lists);
        Some(Job { number, shard, lists })
    }

    pub(super) fn count_taken(&mut self, lists: &[List]) {
        let taken: usize = lists.iter().map(List::len).sum();
        self.waiting = self.waiting.saturating_sub(taken);
    }

    /// Shards that have segments waiting and no thread.
    pub(super) fn open(&self) -> impl Iterator<Item = (usize, &Place<S>)> {
        let places = self.places.iter().enumerate();
        places.filter(|(_, place)| place.shard.is_some() && !place.lists.is_empty())
    }

    pub(super) fn best(&self, thread: usize) -> Option<usize> {
        let places = self.open();
        let most = places.max_by_key(|(_, place)| (place.thread == thread, place.lists.len()));
        most.map(|(number, _)| number)
    }

    pub(super) fn put_back(&mut self, job: Job<S>, thread: usize) {
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

impl List {
    pub(super) fn len(&self) -> usize {
        self.pieces.iter().map(Vec::len).sum()
    }
}

/// A piece that begins with this segment.
pub(super) fn begun(segment: &Segment, spare: &mut Vec<Vec<Segment>>) -> Vec<Segment> {
    let mut piece = spare.pop().unwrap_or_else(|| Vec::with_capacity(PIECE));
    piece.push(*segment);
    piece
}

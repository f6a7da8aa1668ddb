//! One thread's shards.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use super::merge::Merge;
use super::{BATCH_LEN, SHARDS};
use crate::flow::{Connection, FlowTable, TableBounds, TableCounts};
use crate::series::Listener;
use crate::units::{FrameNumber, Timestamp};
use crate::vantage::{AtSender, Position};
use crate::verdict::{self, Analysis, Ended, Floor, Wanted};
use crate::wire::Segment;

/// Batches that wait for a thread; the reader waits when there are more.
const WAITING_MAX: usize = 8;

/// Connections of a shard handed to [`Merge`] at a time when the capture is over.
const CHUNK: usize = 64;

/// What the user told of all flows.
pub(super) type Settings = (Option<Position>, Wanted);

/// One shard.
type Table<S> = FlowTable<AtSender<Analysis<S>>>;

/// Shards, and what they have not handed on yet.
pub(super) struct Worker<S: Listener> {
    /// By number; `None` for those of other threads.
    shards: Vec<Option<Table<S>>>,
    opened: Vec<FrameNumber>,
    ended: Vec<Ended>,
    merge: Arc<Merge>,
    wanted: Wanted,
    /// As of the last batch.
    floor: Floor,
    /// Octets that the shards held after the last batch.
    live: u64,
}

impl<S: Listener> Worker<S> {
    pub(super) fn with_all_shards(
        bounds: TableBounds,
        settings: Settings,
        merge: &Arc<Merge>,
    ) -> Self {
        let bounds = bounds.part(SHARDS);
        let shards = (0..SHARDS).map(|_| Some(FlowTable::new(bounds, settings))).collect();
        Self {
            shards,
            opened: Vec::new(),
            ended: Vec::new(),
            merge: Arc::clone(merge),
            wanted: settings.1,
            floor: Floor::default(),
            live: 0,
        }
    }

    /// Deals the shards to `count` others; `self` is left without any.
    pub(super) fn split(&mut self, count: usize) -> Vec<Self> {
        let mut shards = std::mem::take(&mut self.shards);
        self.count_live();
        let mut part = |number: usize| {
            let mine = shards.iter_mut().enumerate();
            let mine =
                mine.map(|(at, shard)| shard.take_if(|_| at.checked_rem(count) == Some(number)));
            mine.collect()
        };
        let merge = &self.merge;
        (0..count)
            .map(|number| Self {
                shards: part(number),
                opened: Vec::new(),
                ended: Vec::new(),
                merge: Arc::clone(merge),
                wanted: self.wanted,
                floor: self.floor,
                live: 0,
            })
            .collect()
    }

    #[inline]
    pub(super) fn on_segment(&mut self, shard: usize, segment: &Segment, start: Timestamp) {
        let Self { shards, opened, ended, wanted, floor, .. } = self;
        let capture = verdict::Capture { start, wanted: *wanted };
        let Some(Some(table)) = shards.get_mut(shard) else { return };
        let before = table.connections();
        table.on_segment(segment, &mut |connection: Connection<_>| {
            ended.push(verdict::of_connection(connection, capture, *floor));
        });
        if table.connections() != before {
            opened.push(segment.frame);
        }
    }

    /// The shards that stand here.
    pub(super) fn tables(&self) -> Vec<&Table<S>> {
        self.shards.iter().flatten().collect()
    }

    /// Hands on what the batch `number` gave.
    pub(super) fn submit(&mut self, number: u64) {
        self.count_live();
        self.floor = self.merge.submit(number, &mut self.opened, &mut self.ended);
    }

    fn count_live(&mut self) {
        let live = self.shards.iter().flatten().map(|table| table.memory().0).sum();
        self.merge.count_live(std::mem::replace(&mut self.live, live), live);
    }

    /// Ends the connections that are left; all batches of all threads have been submitted. Gives a
    /// chunk of each shard in turn, until one has no more and gives an empty chunk: the order of
    /// all does not depend on which shards stand here.
    pub(super) fn finish(self, start: Timestamp, give: &mut impl FnMut(Vec<Ended>)) -> TableCounts {
        let Self { shards, merge, wanted, .. } = self;
        let capture = verdict::Capture { start, wanted };
        let mut counts = TableCounts::default();
        let mut open = Vec::new();
        for table in shards.into_iter().flatten() {
            counts.add(table.counts());
            open.push(table.into_connections());
        }
        while !open.is_empty() {
            open.retain_mut(|left| {
                let floor = merge.floor();
                let of = |left| verdict::of_connection(left, capture, floor);
                let chunk: Vec<Ended> = left.by_ref().take(CHUNK).map(of).collect();
                let is_left = !chunk.is_empty();
                give(chunk);
                is_left
            });
        }
        counts
    }
}

/// Segments with the numbers of their shards.
pub(super) type Segments = Vec<(usize, Segment)>;

/// What one thread has to do of a stretch of the capture.
pub(super) struct Batch {
    pub(super) number: u64,
    pub(super) segments: Segments,
    pub(super) start: Timestamp,
}

/// A thread with shards of its own.
pub(super) struct Hired<S: Listener> {
    /// Still to be sent.
    pub(super) batch: Segments,
    batches: SyncSender<Batch>,
    /// Lists that the thread is done with.
    spare: Receiver<Segments>,
    thread: Thread<S>,
}

/// Where the machine gives no more threads, the work is done by the one that reads.
enum Thread<S: Listener> {
    Running(JoinHandle<Worker<S>>),
    Refused(Box<Worker<S>>),
}

impl<S: Listener> Hired<S> {
    pub(super) fn new(worker: Worker<S>) -> Self {
        let (batches, incoming) = sync_channel(WAITING_MAX);
        let (done, spare) = channel();
        // The worker must come back if no thread can be had.
        let (hand_over, taken) = sync_channel::<Worker<S>>(1);
        let run = move || {
            let mut worker = taken.recv().unwrap_or_else(|_| Worker::without_shards());
            worker.run(&incoming, &done);
            worker
        };
        let thread = match thread::Builder::new().spawn(run) {
            Ok(thread) => match hand_over.send(worker) {
                Ok(()) => Thread::Running(thread),
                Err(refused) => Thread::Refused(Box::new(refused.0)),
            },
            Err(_) => Thread::Refused(Box::new(worker)),
        };
        Self { batch: Vec::with_capacity(BATCH_LEN), batches, spare, thread }
    }

    /// Takes the segments to be sent, and leaves an empty list.
    pub(super) fn next_batch(&mut self) -> Segments {
        let empty = self.spare.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH_LEN));
        std::mem::replace(&mut self.batch, empty)
    }

    pub(super) fn send(&mut self, batch: Batch) {
        match &mut self.thread {
            // It fails only if the thread panicked, which dismissing it tells.
            Thread::Running(_) => drop(self.batches.send(batch)),
            Thread::Refused(worker) => worker.take(&batch),
        }
    }

    /// Waits until everything sent is done.
    pub(super) fn dismiss(self) -> Worker<S> {
        drop(self.batches);
        match self.thread {
            Thread::Running(thread) => {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            }
            Thread::Refused(worker) => *worker,
        }
    }
}

impl<S: Listener> Worker<S> {
    fn without_shards() -> Self {
        Self {
            shards: Vec::new(),
            opened: Vec::new(),
            ended: Vec::new(),
            merge: Arc::new(Merge::default()),
            wanted: Wanted::default(),
            floor: Floor::default(),
            live: 0,
        }
    }

    fn run(&mut self, incoming: &Receiver<Batch>, done: &Sender<Segments>) {
        while let Ok(batch) = incoming.recv() {
            self.take(&batch);
            let mut segments = batch.segments;
            segments.clear();
            // The reader may have gone already: then nobody needs the list.
            drop(done.send(segments));
        }
    }

    fn take(&mut self, batch: &Batch) {
        for (shard, segment) in &batch.segments {
            self.on_segment(*shard, segment, batch.start);
        }
        self.submit(batch.number);
    }
}

//! One shard: a table with everything behind it, and what it has not handed on yet.

use std::sync::Arc;

use super::merge::{Merge, News};
use crate::flow::{AHEAD, Connection, FlowTable, TableBounds, TableCounts, look_ahead};
use crate::listeners::{self, Followed};
use crate::series::Listener;
use crate::units::Timestamp;
use crate::vantage::Told;
use crate::verdict::{Capture, Ended, Floor, Largest, Wanted};
use crate::wire::Segment;

/// Connections of a shard handed to [`Merge`] at a time when the capture is over.
const CHUNK: usize = 64;

/// What the user told of all flows.
pub(super) type Settings = Told<Wanted>;

/// The connections of one shard.
pub(super) type Table<S> = FlowTable<Followed<S>>;

pub(super) struct Shard<S: Listener> {
    table: Table<S>,
    /// Since the last batch.
    news: News,
    settings: Settings,
    /// As of the last batch, or any later time.
    floor: Floor,
    /// That of [`Merge::floor_for`] the last batch.
    settled_floor: Floor,
    /// Had no segment of the batch.
    is_idle: bool,
    /// Octets that the table held after the last batch.
    live: u64,
}

impl<S: Listener> Shard<S> {
    pub(super) fn new(bounds: TableBounds, settings: Settings) -> Self {
        Self {
            table: FlowTable::new(bounds, Arc::new(settings)),
            news: News::default(),
            settings,
            floor: Floor::default(),
            settled_floor: Floor::default(),
            is_idle: true,
            live: 0,
        }
    }

    /// Takes the next segments of this shard in capture order.
    pub(super) fn on_segments(&mut self, segments: &[Segment], start: Timestamp) {
        for group in segments.chunks(AHEAD) {
            let is_large = self.table.is_large();
            let places = is_large.then(|| look_ahead(&[&self.table; AHEAD], group));
            for (nth, segment) in group.iter().enumerate() {
                let place = places.and_then(|places| places.get(nth).copied());
                self.on_segment(segment, place, start);
            }
        }
    }

    /// Takes the next one, whose connection stands at `place` most likely, where that is known.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a tenth of what the table takes are calls")]
    pub(super) fn on_segment(&mut self, segment: &Segment, place: Option<u32>, start: Timestamp) {
        let Self { table, news: News { opened, ended, .. }, settings, floor, is_idle, .. } = self;
        *is_idle = false;
        if let Some(place) = place {
            table.expect_at(place);
        }
        let before = table.connections();
        table.on_segment(segment, &mut |connection: Connection<_>| {
            let capture = of_capture(start, *settings);
            ended.push(listeners::of_connection(connection, capture, *floor));
        });
        if table.connections() != before {
            opened.push(segment.frame);
        }
    }

    pub(super) fn table(&self) -> &Table<S> {
        &self.table
    }

    /// Hands on what the batch `number` gave; `floor` is that of [`Merge::floor_for`] it.
    pub(super) fn submit(&mut self, number: u64, floor: Floor, start: Timestamp, merge: &Merge) {
        // A display shows what closed for a while. A shard that is idle is not even submitted where several
        // threads work, so it does the same on one.
        if !std::mem::replace(&mut self.is_idle, true) && !self.settings.consumer.is_watched {
            self.wind_up(floor, start);
        }
        let live = self.table.memory().0;
        merge.count_live(std::mem::replace(&mut self.live, live), live);
        self.table.take_grown(&mut self.news.grown);
        self.table.take_over(&mut self.news.over);
        self.floor = merge.submit(number, &mut self.news);
    }

    /// Hands on the connections that are over and below the floor.
    fn wind_up(&mut self, floor: Floor, start: Timestamp) {
        let is_raised = std::mem::replace(&mut self.settled_floor, floor) != floor;
        let capture = of_capture(start, self.settings);
        let ended = &mut self.news.ended;
        self.table.wind_up(
            is_raised,
            &|payload_bytes, first_frame| !floor.is_above(payload_bytes, first_frame),
            &mut |connection| ended.push(listeners::of_connection(connection, capture, floor)),
        );
    }

    /// Tells `largest` of the flows of the connections that are left.
    pub(super) fn foretell(&self, mut largest: Largest) -> Largest {
        self.table.visit_ongoing(&mut |flow| {
            if flow.consumer.is_some() {
                largest.push(flow.payload_bytes, flow.first_frame);
            }
        });
        largest
    }
}

fn of_capture(start: Timestamp, settings: Settings) -> Capture {
    Capture { start, told_position: settings.position, wanted: settings.consumer }
}

/// Ends the connections that are left in some shards; all batches of all shards have been
/// submitted. Gives a chunk of each shard in turn, until one has no more and gives an empty chunk:
/// the order of all does not depend on which shards are here.
pub(super) fn finish<S: Listener>(
    shards: Vec<Shard<S>>,
    start: Timestamp,
    merge: &Merge,
    give: &mut impl FnMut(Vec<Ended>),
) -> TableCounts {
    let mut counts = TableCounts::default();
    let mut open = Vec::new();
    for Shard { table, settings, .. } in shards {
        counts.add(table.counts());
        open.push((table.into_connections(), of_capture(start, settings)));
    }
    while !open.is_empty() {
        open.retain_mut(|(left, capture)| {
            let floor = merge.floor();
            let of = |left| listeners::of_connection(left, *capture, floor);
            let chunk: Vec<Ended> = left.by_ref().take(CHUNK).map(of).collect();
            let is_left = !chunk.is_empty();
            give(chunk);
            is_left
        });
    }
    counts
}

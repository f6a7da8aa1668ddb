//! Fetches what the next segments will need. With many connections, the records of each one have left the
//! caches by the time that its next segment comes, and each record is found through the one before: a
//! segment would wait for each of them in turn. Those of some segments are fetched side by side instead,
//! one step of the way at a time.

use std::hint::black_box;

use super::Consumer;
use super::key::FlowKey;
use super::live::Live;
use super::table::FlowTable;
use super::tracked::State;
use crate::wire::Segment;

/// Segments that are looked ahead for at a time: what they need takes half of a first cache.
pub(crate) const AHEAD: usize = 16;

/// Connections of a table from which on it pays to look ahead: the records of fewer mostly stay in the
/// caches. Of a million, some 30 000 of them in all tables at a time, it saves a tenth of the time; from an
/// eighth as many on, nothing more (CPU time, a generated capture of 20 M packets).
const LARGE: usize = 1 << 12;

impl<C: Consumer> FlowTable<C> {
    /// Whether it pays to look ahead.
    pub(crate) fn is_large(&self) -> bool {
        self.len() >= LARGE
    }
}

/// Where the connections of some segments stand, most likely; [`u32::MAX`] for those that are not known.
/// Each segment has its table at the same place of `tables`.
pub(crate) fn look_ahead<'a, C: Consumer + 'a>(
    tables: &[&'a FlowTable<C>],
    segments: &[Segment],
) -> [u32; AHEAD] {
    let mut places = [u32::MAX; AHEAD];
    for ((place, table), segment) in places.iter_mut().zip(tables).zip(segments) {
        *place = table.likely(&FlowKey::of(segment).0);
    }
    let mut lives: [Option<&'a Live<C>>; AHEAD] = [None; AHEAD];
    for ((live, table), place) in lives.iter_mut().zip(tables).zip(places) {
        *live = table.tracked_at(place).and_then(|tracked| match &tracked.state {
            State::Live(live) => Some(&**live),
            State::Opening(_) => None,
        });
    }
    // What is read is of no interest, but it is read before it is needed.
    let mut sum = 0;
    let mut consumers: [[Option<&'a C>; 2]; AHEAD] = [[None; 2]; AHEAD];
    for (consumers, live) in consumers.iter_mut().zip(lives) {
        let Some(live) = live else { continue };
        sum ^= live.first().packets ^ live.other().packets;
        *consumers = [live.first(), live.other()].map(|side| side.consumer.as_deref());
    }
    for consumer in consumers.iter().flatten().flatten() {
        sum ^= consumer.fetch(false);
    }
    for consumer in consumers.iter().flatten().flatten() {
        sum ^= consumer.fetch(true);
    }
    black_box(sum);
    places
}

//! Connections that are over are handed on before they have waited for what is late, where nobody has use
//! for more of them: of a capture with many flows most are too small for a report by the time that they
//! close. Whether nobody has is asked once for a batch of segments, not with each of them.

use std::hash::BuildHasher;

use super::FlowTable;
use crate::flow::Consumer;
use crate::flow::connection::{Connection, RetireCause};
use crate::flow::slab::Slab;
use crate::flow::tracked::Tracked;
use crate::units::FrameNumber;

/// Where the connections stand that closed and have not been handed on. A place may hold another one by
/// now, or stand here twice.
#[derive(Debug, Default)]
pub(super) struct ClosedPlaces {
    /// Since it was asked last.
    new: Vec<u32>,
    /// There was use for these.
    old: Vec<u32>,
}

impl ClosedPlaces {
    pub(super) fn note(&mut self, place: u32) {
        self.new.push(place);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.new.len().saturating_add(self.old.len())
    }

    /// Those to be asked about; the old ones only where it `is_changed` what there is use for.
    fn take(&mut self, is_changed: bool) -> Vec<u32> {
        if is_changed {
            self.new.append(&mut self.old);
        }
        std::mem::take(&mut self.new)
    }

    /// Remembers those of which there was use: not many more than are `tracked`.
    fn keep<C: Consumer>(&mut self, mut places: Vec<u32>, tracked: &Slab<Tracked<C>>) {
        self.old.append(&mut places);
        self.new = places; // Its room.
        if self.old.len() > tracked.len().saturating_mul(2) {
            self.old.retain(|&place| tracked.get(place).is_some_and(Tracked::is_over));
            self.old.sort_unstable();
            self.old.dedup();
        }
    }
}

impl<C: Consumer> FlowTable<C> {
    /// Hands on the connections that are over, unless `has_use` for a flow with as much payload as its larger
    /// one, of a connection with its first frame. To be told whether that `is_changed` since the last call.
    pub(crate) fn wind_up(
        &mut self,
        is_changed: bool,
        has_use: &impl Fn(u64, FrameNumber) -> bool,
        retired: &mut impl FnMut(Connection<C>),
    ) {
        let mut places = self.closed.take(is_changed);
        places.retain(|&place| {
            let Some(tracked) = self.tracked.get_mut(place) else { return false };
            if !tracked.is_over() {
                tracked.settle_closed();
                self.memory = tracked.charged_anew(self.memory);
                return false;
            }
            tracked.count_sizes(&mut self.grown); // For the last time.
            if let Some(begins) = tracked.begins_of_useless(has_use) {
                let (hash, last_time) = (self.hasher.hash_one(tracked.key), tracked.last_time);
                self.time_wait.insert(hash, begins, last_time);
                self.retire(place, RetireCause::Closed, retired);
                return false;
            }
            if tracked.tell_over(&mut self.over) {
                self.memory = tracked.charged_anew(self.memory);
            }
            true
        });
        self.closed.keep(places, &self.tracked);
    }
}

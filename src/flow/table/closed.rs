//! Connections that are over are handed on before they have waited for what is late, where nobody has use
//! for more of them: of a capture with many flows most are too small for a report by the time that they
//! close. Whether nobody has is asked once for a batch of segments, not with each of them. What both sides
//! closed by a FIN is over; what a RST closed is, once nothing has come for a while.

use std::collections::VecDeque;

use super::FlowTable;
use crate::flow::Consumer;
use crate::flow::connection::Connection;
use crate::flow::slab::Slab;
use crate::flow::tracked::Tracked;
use crate::units::{Duration, FrameNumber};

/// So long after a RST nothing is on its way any more that was sent before, on any path that a timer of TCP
/// is made for: its least value (RFC 6298 section 2).
const RESET_SETTLED: Duration = Duration::from_secs(1);

/// Where the connections stand that closed and have not been handed on. A place may hold another one by
/// now, or stand here twice.
#[derive(Debug, Default)]
pub(super) struct ClosedPlaces {
    /// Since it was asked last.
    new: Vec<u32>,
    /// There was use for these.
    old: Vec<u32>,
    /// Closed by a RST, in the order of that: to be asked about once it has settled.
    reset: VecDeque<u32>,
}

impl ClosedPlaces {
    pub(super) fn note(&mut self, place: u32) {
        self.new.push(place);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.new.len().saturating_add(self.old.len()).saturating_add(self.reset.len())
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
            let is_closed = |it: &Tracked<C>| it.is_over() || it.is_cut_off();
            self.old.retain(|&place| tracked.get(place).is_some_and(is_closed));
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
                self.note_reset(place);
                return false;
            }
            tracked.count_sizes(&mut self.grown); // For the last time.
            if self.hand_on(place, has_use, retired) {
                return false;
            }
            let Some(tracked) = self.tracked.get_mut(place) else { return false };
            if tracked.tell_over(&mut self.over) {
                self.memory = tracked.charged_anew(self.memory);
            }
            true
        });
        self.closed.keep(places, &self.tracked);
        self.wind_up_reset(has_use, retired);
    }

    /// A RST closed the connection at `place`, if that is still so.
    fn note_reset(&mut self, place: u32) {
        let Some(tracked) = self.tracked.get_mut(place) else { return };
        tracked.settle_closed();
        self.memory = tracked.charged_anew(self.memory);
        if tracked.is_cut_off() {
            self.closed.reset.push_back(place);
        }
    }

    /// Hands on those that a RST closed and that have been quiet since.
    fn wind_up_reset(
        &mut self,
        has_use: &impl Fn(u64, FrameNumber) -> bool,
        retired: &mut impl FnMut(Connection<C>),
    ) {
        while let Some(&place) = self.closed.reset.front() {
            let cut_off = self.tracked.get_mut(place).filter(|tracked| tracked.is_cut_off());
            if let Some(tracked) = cut_off {
                if self.now.since(tracked.last_time) < RESET_SETTLED {
                    return;
                }
                tracked.count_sizes(&mut self.grown);
                if !self.hand_on(place, has_use, retired) {
                    self.closed.old.push(place);
                }
            }
            self.closed.reset.pop_front();
        }
    }

    /// Hands the connection at `place` on and lets it wait for what is late, unless there is use for more of
    /// it; `false` if there is.
    fn hand_on(
        &mut self,
        place: u32,
        has_use: &impl Fn(u64, FrameNumber) -> bool,
        retired: &mut impl FnMut(Connection<C>),
    ) -> bool {
        let Some(tracked) = self.tracked.get(place) else { return false };
        let Some(gone) = tracked.gone(has_use) else { return false };
        self.time_wait.insert(self.hash(&tracked.key), gone);
        self.retire(place, retired);
        true
    }
}

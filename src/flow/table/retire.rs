//! Which connections a table hands on before the end, and when: what closed, and what there is no room for.

use super::FlowTable;
use crate::flow::Consumer;
use crate::flow::connection::Connection;
use crate::flow::live::Phase;
use crate::flow::time_wait::LINGER;
use crate::flow::tracked::{CLOSED, HALF_OPEN, QUEUE_COUNT, Tracked};
use crate::units::Timestamp;

/// A queue with less than this part of all connections is spared. Above [`QUEUE_COUNT`], so that
/// some queue has more.
const SPARED_PART: usize = 16;

impl<C: Consumer> FlowTable<C> {
    /// Looks at the two that closed first, and at the two that were handed on first: more than one can close
    /// with a segment never.
    pub(super) fn retire_closed(
        &mut self,
        now: Timestamp,
        retired: &mut impl FnMut(Connection<C>),
    ) {
        self.time_wait.expire(now);
        for _ in 0..2 {
            let Some(place) = self.queues.front(CLOSED) else { return };
            let Some(tracked) = self.tracked.get(place) else { return };
            if tracked.was_active {
                self.refresh(place);
                continue;
            }
            if now.since(tracked.last_time) <= LINGER {
                return;
            }
            self.retire(place, retired);
        }
    }

    /// Hands on what is worth least until the bounds are kept.
    pub(super) fn keep_bounds(&mut self, retired: &mut impl FnMut(Connection<C>)) {
        while self.memory() > self.bounds.memory_max || self.held() > self.bounds.connections_max {
            let total = self.held();
            let is_rare = |len: usize| len.saturating_mul(SPARED_PART) < total;
            let mut queues = (0_u8..).take(QUEUE_COUNT);
            let queue = queues.find(|&queue| !is_rare(self.queues.len(queue)));
            // What was handed on is worth less than what was not, and more than a flood.
            if queue != Some(HALF_OPEN) && self.time_wait.forget_first() {
                continue;
            }
            let front = queue.and_then(|queue| self.queues.front(queue));
            let Some(place) = front.filter(|_| total > 1) else { return };
            if !self.refresh(place) {
                self.evict(place, retired);
            }
        }
    }

    /// Connections of which there is something, be they handed on.
    fn held(&self) -> usize {
        self.tracked.len().saturating_add(self.time_wait.len())
    }

    /// Moves a connection to the end of its queue; `false` if it has been quiet since it was put
    /// where it is.
    fn refresh(&mut self, place: u32) -> bool {
        let Some(tracked) = self.tracked.get_mut(place) else { return false };
        let was_active = std::mem::take(&mut tracked.was_active);
        if was_active {
            let queue = tracked.queue;
            self.queues.requeue(place, queue);
        }
        was_active
    }

    fn evict(&mut self, place: u32, retired: &mut impl FnMut(Connection<C>)) {
        let counts = &mut self.counts;
        let count = match self.tracked.get(place).map(Tracked::phase) {
            Some(Phase::HalfOpen) => &mut counts.evicted_half_open,
            Some(Phase::Closed) => &mut counts.evicted_closed,
            _ => &mut counts.evicted_open,
        };
        *count = count.saturating_add(1);
        self.retire(place, retired);
    }

    pub(super) fn retire(&mut self, place: u32, retired: &mut impl FnMut(Connection<C>)) {
        let Some(tracked) = self.tracked.remove(place) else { return };
        self.index.remove(tracked.tag, place);
        if let Some(scope) = tracked.other_scope.as_deref() {
            self.index.remove(self.tag(&tracked.key.within(*scope)), place);
        }
        if tracked.is_waiting {
            self.index.remove(self.tag(&tracked.key.plain()), place);
        }
        self.queues.remove(place);
        self.memory = self.memory.saturating_sub(u64::from(tracked.charged));
        retired(tracked.into_connection(&self.settings));
    }
}

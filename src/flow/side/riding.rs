//! Which acknowledgments that ride on a side's data are held back?

use super::{Riders, Side};
use crate::flow::{Ack, Consumer};
use crate::units::Duration;
use crate::wire::Segment;

impl<C: Consumer> Side<C> {
    /// Whether the acknowledgment of `segment` need not be handed on, being one more of the same with
    /// nothing in flight.
    #[inline]
    pub(in crate::flow) fn holds_back(&mut self, segment: &Segment) -> bool {
        let is_idle = self.is_idle();
        let Some(riders) = &mut self.riders else { return false };
        if !is_idle || !self.placing.is_sure() || !riders.are_joined_by(segment) {
            return false;
        }
        if riders.are_due(segment.time) {
            self.listener();
        }
        if let Some(riders) = &mut self.riders {
            riders.hold(segment);
        }
        true
    }

    /// Takes note of `ack` for those that follow: that of `segment` has been handed on.
    #[inline]
    pub(in crate::flow) fn note_rider(&mut self, segment: &Segment, ack: &Ack) {
        let is_idle = self.is_idle();
        if let Some(riders) = &mut self.riders {
            riders.go_on(segment, ack, is_idle);
        }
    }

    /// Whether `ack` is a rider of which note would be taken, were others awaited.
    #[inline]
    pub(in crate::flow) fn may_await_riders(&self, ack: &Ack) -> bool {
        self.riders.is_none() && ack.has_payload && self.consumer.is_some()
    }

    /// From now on riders that say what that of `segment` said, handed on as `ack`, may be held back.
    #[inline(never)]
    pub(in crate::flow) fn await_riders(
        &mut self,
        segment: &Segment,
        ack: &Ack,
        rtt: Option<Duration>,
    ) {
        self.riders = Riders::of(segment, ack, rtt).map(Box::new);
    }
}

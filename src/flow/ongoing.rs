//! A look at the flows of connections that are not over.

use super::Consumer;
use super::table::FlowTable;
use super::tracked::{State, Tracked};
use crate::units::{FrameNumber, Timestamp};
use crate::wire::Endpoint;

/// One direction that has carried payload.
#[derive(Debug)]
pub(crate) struct Ongoing<'a, C> {
    /// Of the connection.
    pub(crate) first_frame: FrameNumber,
    pub(crate) src: Endpoint,
    pub(crate) dst: Endpoint,
    pub(crate) payload_bytes: u64,
    /// Of the connection.
    pub(crate) last_time: Timestamp,
    pub(crate) consumer: Option<&'a C>,
}

impl<C: Consumer> FlowTable<C> {
    /// Calls `visit` with each direction that has carried payload.
    pub(crate) fn visit_ongoing<'a>(&'a self, visit: &mut impl FnMut(Ongoing<'a, C>)) {
        for tracked in self.tracked() {
            tracked.visit_ongoing(visit);
        }
    }
}

impl<C: Consumer> Tracked<C> {
    fn visit_ongoing<'a>(&'a self, visit: &mut impl FnMut(Ongoing<'a, C>)) {
        let State::Live(live) = &self.state else { return };
        let (first, other) = self.key.endpoints(self.is_low_first);
        for (side, src, dst) in [(live.first(), first, other), (live.other(), other, first)] {
            if side.payload_bytes == 0 {
                continue;
            }
            visit(Ongoing {
                first_frame: self.first_frame,
                src,
                dst,
                payload_bytes: side.payload_bytes,
                last_time: self.last_time,
                consumer: side.consumer.as_deref(),
            });
        }
    }
}

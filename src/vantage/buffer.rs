//! Which segments left the sender as one? The network card, or the kernel just before it, cuts a
//! socket buffer into segments that have the timestamps of the whole; PSH stands on the last alone
//! (`tcp_gso_segment`). No acknowledgment came in between, whatever the path did to their spacing.

use crate::flow::Data;
use crate::units::{Bytes, StreamOffset};
use crate::wire::TcpTimestamps;

/// A socket buffer as far as it has passed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Buffer {
    timestamps: TcpTimestamps,
    start: StreamOffset,
    /// Where the next segment of it begins; `None` once its last one has passed.
    next: Option<StreamOffset>,
}

/// Linux `GSO_LEGACY_MAX_SIZE`: a socket buffer holds no more.
pub(crate) const GSO_MAX: Bytes = Bytes(65_536);

impl Buffer {
    /// `None` without timestamps.
    pub(super) fn begun_by(data: &Data) -> Option<Self> {
        let next = (!data.is_pushed).then(|| data.end());
        Some(Self { timestamps: data.timestamps?, start: data.start, next })
    }

    /// Whether `data` is the next part of it.
    pub(super) fn takes(&mut self, data: &Data) -> bool {
        let is_next = self.next == Some(data.start)
            && data.timestamps == Some(self.timestamps)
            && data.len > Bytes(0)
            && data.end().since(self.start) <= GSO_MAX;
        if is_next {
            self.next = (!data.is_pushed).then(|| data.end());
        }
        is_next
    }
}

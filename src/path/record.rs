//! What of one flow's path can be laid beside that of others.

use super::capacity::Capacity;
use super::losses::Losses;
use super::track::Point;
use crate::units::heap::{self, OnHeap};

/// The curve of a flow, its losses, and what bears on whose they are.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(super) points: Vec<Point>,
    pub(super) losses: Losses,
    /// The unloaded round trip, seconds.
    pub(super) base: f64,
    /// A full frame, octets.
    pub(super) segment: f64,
    /// Octets of frames per second at which the slowest trains passed.
    pub(super) trains: Option<f64>,
    /// The receiver told what it had beyond a gap, so that losses are exact.
    pub(super) has_sack: bool,
    /// Share of the time with data in flight in which a queue is known to have stood.
    pub(super) busy: f64,
    pub(super) capacity: Option<Capacity>,
    /// One tick of the capture's clock, seconds; 0 where it is fine.
    pub(super) tick: f64,
}

impl Record {
    /// Octets held beside its own size.
    pub(crate) fn memory(&self) -> usize {
        heap::sum(&[self.points.on_heap(), self.losses.memory()])
    }
}

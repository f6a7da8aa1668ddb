//! What is asked for.

use std::ops::RangeInclusive;

/// Which flows get [`FlowReport::series`](crate::report::FlowReport::series), and how fine.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SeriesWanted {
    /// Most points of one line.
    pub points: usize,
    /// Stream numbers; empty for all.
    pub streams: Vec<RangeInclusive<u32>>,
    /// Most flows: those with most payload.
    pub flows: usize,
    /// Most points of one line over all flows together: each time there are more, every line of
    /// every flow is thinned out to half, the shadow of cwnd with them; lines of positions in the
    /// stream, of which time-sequence graphs are drawn, are left out then.
    pub points_in_all: usize,
}

impl Default for SeriesWanted {
    /// A thousand points fill a page; with 200 flows that is some 100 MB of memory.
    fn default() -> Self {
        Self { points: 1000, streams: Vec::new(), flows: 200, points_in_all: usize::MAX }
    }
}

impl SeriesWanted {
    /// Whether the series of this stream are.
    pub(crate) fn has(&self, stream: u32) -> bool {
        self.streams.is_empty() || self.streams.iter().any(|range| range.contains(&stream))
    }
}

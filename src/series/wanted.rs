//! What is asked for.

use std::ops::RangeInclusive;

use crate::units::host::RTO_INITIAL;
use crate::units::{Duration, Timestamp};

/// Which flows get [`FlowReport::series`](crate::model::FlowReport::series), and how fine.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SeriesWanted {
    /// Most points of one line.
    pub points: usize,
    /// Stream numbers; empty for all.
    pub streams: Vec<RangeInclusive<u32>>,
    /// Most flows: those with most payload.
    pub flows: usize,
    /// Only this stretch of each flow, seconds from its first packet; lines begin and end up to a
    /// second outside. The room for points is then all its own.
    pub stretch_s: Option<(f64, f64)>,
    /// Most points of one line over all flows together: each time there are more, every line of
    /// every flow is thinned out to half, the shadow of cwnd with them; lines of positions in the
    /// stream, of which time-sequence graphs are drawn, are left out then.
    pub points_in_all: usize,
}

impl Default for SeriesWanted {
    /// A thousand points fill a page; with 200 flows that is some 100 MB of memory.
    fn default() -> Self {
        let (streams, points_in_all) = (Vec::new(), usize::MAX);
        Self { points: 1000, streams, flows: 200, stretch_s: None, points_in_all }
    }
}

impl SeriesWanted {
    /// Whether the series of this stream are.
    pub(crate) fn has(&self, stream: u32) -> bool {
        self.streams.is_empty() || self.streams.iter().any(|range| range.contains(&stream))
    }

    /// What each flow is told.
    pub(crate) fn stretch(&self) -> Stretch {
        let duration = |seconds: f64| Duration::try_from_secs_f64(seconds.max(0.0));
        match self.stretch_s {
            None => Stretch::default(),
            Some((from, to)) => {
                Stretch { from: duration(from).unwrap_or_default(), to: duration(to) }
            }
        }
    }
}

/// A part of a flow's time, from its first packet on.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stretch {
    from: Duration,
    /// `None` for all that follows.
    to: Option<Duration>,
}

impl Stretch {
    /// The answering side's first packet comes up to a round trip after the connection's: as long as
    /// a handshake waits for an answer.
    const MARGIN: Duration = RTO_INITIAL;

    /// Whether `time` lies in it, the flow having begun at `start`; a little more does.
    pub(super) fn holds(&self, start: Timestamp, time: Timestamp) -> bool {
        let passed = time.since(start);
        let is_begun = passed.saturating_add(Self::MARGIN) >= self.from;
        is_begun && self.to.is_none_or(|to| passed <= to.saturating_add(Self::MARGIN))
    }
}

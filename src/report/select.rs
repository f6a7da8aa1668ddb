//! Which flows a reader asked for, and in which order.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use crate::model::{FlowReport, Report};

/// What to show of a report with many flows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// Stream numbers; empty for all. Holds for every output.
    pub streams: Vec<RangeInclusive<u32>>,
    /// Rows of the table in the text report; flows in the page.
    pub top: usize,
    /// Their order.
    pub sort: Sort,
}

impl Default for Selection {
    fn default() -> Self {
        Self { streams: Vec::new(), top: 10, sort: Sort::default() }
    }
}

/// Orders of the table; all but `Stream` put the largest first.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sort {
    /// Payload octets.
    #[default]
    Bytes,
    /// Goodput.
    Rate,
    /// Share of the time in which the named limit held.
    Share,
    /// Octets sent again over octets sent.
    Loss,
    /// Mean RTT.
    Rtt,
    /// Stream number, smallest first.
    Stream,
}

impl Selection {
    /// Whether the reader asked for this stream.
    #[must_use]
    pub fn has(&self, stream: u32) -> bool {
        self.streams.is_empty() || self.streams.iter().any(|range| range.contains(&stream))
    }

    /// Leaves only the chosen flows in `report`; its sums stay those of the whole capture.
    pub fn apply(&self, report: &mut Report) {
        report.flows.retain(|flow| self.has(flow.stream));
    }

    /// Leaves only the first [`top`](Self::top) flows in the chosen order, and these in the order
    /// of streams; returns how many it dropped. Sums stay those of the whole capture.
    pub fn keep_top(&self, report: &mut Report) -> u64 {
        let all = report.flows.len();
        let mut ranked: Vec<(usize, FlowReport)> = report.flows.drain(..).enumerate().collect();
        ranked.sort_by(|(_, a), (_, b)| self.sort.compare(a, b));
        ranked.truncate(self.top);
        ranked.sort_by_key(|(place, _)| *place);
        report.flows.extend(ranked.into_iter().map(|(_, flow)| flow));
        u64::try_from(all.saturating_sub(report.flows.len())).unwrap_or(u64::MAX)
    }
}

impl Sort {
    /// Orders two flows; ties by stream, so that the order is the same each time.
    pub(super) fn compare(self, a: &FlowReport, b: &FlowReport) -> Ordering {
        let by_key = match self {
            Self::Bytes => b.payload_bytes.cmp(&a.payload_bytes),
            Self::Rate => descending(a.goodput_bps, b.goodput_bps),
            Self::Share => b.verdict.share.total_cmp(&a.verdict.share),
            Self::Loss => b.resent_share().total_cmp(&a.resent_share()),
            Self::Rtt => descending(a.rtt.map(|rtt| rtt.usual_us), b.rtt.map(|rtt| rtt.usual_us)),
            Self::Stream => Ordering::Equal,
        };
        by_key.then(a.stream.cmp(&b.stream)).then(b.payload_bytes.cmp(&a.payload_bytes))
    }
}

/// Largest first, the unknown last.
fn descending(a: Option<f64>, b: Option<f64>) -> Ordering {
    let key = |value: Option<f64>| value.unwrap_or(f64::NEG_INFINITY);
    key(b).total_cmp(&key(a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;

    #[test]
    fn a_selection_keeps_its_streams_and_the_sums_of_all() {
        let mut report = sample::busy_report(10);
        let total = report.summary.payload_bytes;
        Selection { streams: vec![2..=3, 7..=7], ..Selection::default() }.apply(&mut report);
        let streams: Vec<u32> = report.flows.iter().map(|flow| flow.stream).collect();
        assert_eq!(streams, [2, 3, 7]);
        assert_eq!(report.summary.payload_bytes, total);
    }

    #[test]
    fn the_top_flows_keep_the_order_of_streams() {
        let mut report = sample::busy_report(10);
        let total = report.summary.payload_bytes;
        let largest = report.flows.iter().map(|flow| flow.payload_bytes).max();
        let selection = Selection { top: 3, ..Selection::default() };
        assert_eq!(selection.keep_top(&mut report), 7);
        let streams: Vec<u32> = report.flows.iter().map(|flow| flow.stream).collect();
        assert!(streams.is_sorted() && streams.len() == 3, "{streams:?}");
        assert_eq!(report.flows.iter().map(|flow| flow.payload_bytes).max(), largest);
        assert_eq!(report.summary.payload_bytes, total);
        assert_eq!(selection.keep_top(&mut report), 0);
    }

    #[test]
    fn the_unknown_comes_last_and_ties_go_by_stream() {
        let mut flows = sample::busy_report(8).flows;
        flows.sort_by(|a, b| Sort::Rate.compare(a, b));
        let streams: Vec<u32> = flows.iter().map(|flow| flow.stream).collect();
        assert_eq!(streams, [0, 1, 2, 4, 5, 6, 3, 7]);
    }
}

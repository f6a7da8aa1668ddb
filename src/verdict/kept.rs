//! Which flows get a report when there are too many: those that carried most. Of the series, which
//! take more room, fewer are kept, by the same order.

use crate::report::FlowReport;
use crate::series::SeriesWanted;

use super::thin;

/// Reports of the flows with the most payload so far. Which ones are kept depends on the capture
/// alone, not on the order in which connections ended.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    reports: Vec<FlowReport>,
    /// The least that was kept when there were too many: what is less will be left out.
    least: Option<Rank>,
    dropped: u64,
    series: SeriesWanted,
    /// Reports with series, and those that lost theirs.
    with_series: usize,
    bared: u64,
    /// Points that a line may have now.
    points: usize,
}

/// What is left at the end.
#[derive(Debug)]
pub(crate) struct Remaining {
    /// By stream, of one connection the client's direction first.
    pub(crate) reports: Vec<FlowReport>,
    /// Flows whose report was left out.
    pub(crate) dropped: u64,
    /// Flows whose series were left out.
    pub(crate) bared: u64,
}

/// A flow's place among all: the most payload first, then the earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(std::cmp::Reverse<u64>, u32);

impl Kept {
    /// Reports kept at least. One takes about 2 kB.
    const REPORTS_MIN: usize = 10_000;
    /// More than these are not kept beside them, once there were twice as many.
    const SURPLUS_MAX: usize = Self::REPORTS_MIN / 4;

    /// Lines are not thinned out to fewer points.
    const POINTS_MIN: usize = 64;

    /// Keeps the series that are wanted, of those with series at all.
    pub(crate) fn new(series: Option<SeriesWanted>) -> Self {
        let series = series.unwrap_or_default();
        Self { points: series.points, series, ..Self::default() }
    }

    /// Takes the report of a flow; makes it only if it may be among those kept.
    pub(crate) fn push(
        &mut self,
        stream: u32,
        payload_bytes: u64,
        report: impl FnOnce() -> FlowReport,
    ) {
        let rank = Rank(std::cmp::Reverse(payload_bytes), stream);
        // The two flows of a connection may tie: either may be the one that is kept.
        if self.least.is_some_and(|least| rank > least) {
            self.dropped = self.dropped.saturating_add(1);
            return;
        }
        let mut report = report();
        if !self.series.has(stream) {
            report.series = None;
        }
        thin_out(&mut report, &self.series, self.points);
        self.with_series = self.with_series.saturating_add(usize::from(report.series.is_some()));
        self.reports.push(report);
        if self.with_series > self.series.flows.saturating_mul(2) {
            self.bare_smallest();
        }
        self.share_points();
        let surplus_max = if self.dropped > 0 { Self::SURPLUS_MAX } else { Self::REPORTS_MIN };
        if self.reports.len() >= Self::REPORTS_MIN.saturating_add(surplus_max) {
            self.drop_smallest();
        }
    }

    pub(crate) fn finish(mut self) -> Remaining {
        if self.with_series > self.series.flows {
            self.bare_smallest();
        }
        if self.dropped > 0 {
            self.drop_smallest();
        }
        self.reports.sort_by_key(|report| report.stream);
        Remaining { reports: self.reports, dropped: self.dropped, bared: self.bared }
    }

    /// Halves the points of all lines while there are too many. Of more flows than will keep their
    /// series, only as many as will are counted.
    fn share_points(&mut self) {
        let flows = self.with_series.min(self.series.flows);
        let before = self.points;
        let is_too_many = |points: usize| flows.saturating_mul(points) > self.series.points_in_all;
        while self.points > Self::POINTS_MIN && is_too_many(self.points) {
            self.points /= 2;
        }
        if self.points < before {
            for report in &mut self.reports {
                thin_out(report, &self.series, self.points);
            }
        }
    }

    fn drop_smallest(&mut self) {
        self.reports.sort_by_key(rank);
        let surplus = self.reports.len().saturating_sub(Self::REPORTS_MIN);
        self.reports.truncate(Self::REPORTS_MIN);
        self.least = self.reports.last().map(rank);
        self.dropped = self.dropped.saturating_add(u64::try_from(surplus).unwrap_or(u64::MAX));
        self.with_series = self.reports.iter().filter(|report| report.series.is_some()).count();
    }

    /// Takes the series from all but the largest flows that have some.
    fn bare_smallest(&mut self) {
        self.reports.sort_by_key(rank);
        let rich = self.reports.iter_mut().filter(|report| report.series.is_some());
        for report in rich.skip(self.series.flows) {
            report.series = None;
            self.bared = self.bared.saturating_add(1);
        }
        self.with_series = self.with_series.min(self.series.flows);
    }
}

/// Where points are shared, the lines of positions go at once; and the line of the congestion
/// window is thinned out as well, which is whole in all other reports.
fn thin_out(report: &mut FlowReport, wanted: &SeriesWanted, points: usize) {
    if let Some(series) = report.series.as_deref_mut() {
        // They take as much room as all others together.
        if points < wanted.points {
            thin::without_positions(series);
        }
        thin::thin(series, points);
    }
    if let (Some(cwnd), true) = (&mut report.cwnd, wanted.points_in_all < usize::MAX) {
        thin::thin_cwnd(&mut cwnd.series, points);
    }
}

fn rank(report: &FlowReport) -> Rank {
    Rank(std::cmp::Reverse(report.payload_bytes), report.stream)
}

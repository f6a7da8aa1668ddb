//! What is given up where there is no room for all: points first, then series, paths told beside others,
//! flows.

use super::{Entry, Kept};
use crate::model::FlowReport;
use crate::series::SeriesWanted;
use crate::verdict::floor::Floor;
use crate::verdict::thin;

impl Kept {
    /// Halves the points of all lines while there are too many. Of more flows than will keep their
    /// series, only as many as will are counted.
    pub(super) fn share_points(&mut self) {
        let flows = self.with_series.min(self.series.flows);
        let before = self.points;
        let is_too_many = |points: usize| flows.saturating_mul(points) > self.series.points_in_all;
        while self.points > Self::POINTS_MIN && is_too_many(self.points) {
            self.points /= 2;
        }
        if self.points < before {
            for entry in &mut self.entries {
                thin_out(&mut entry.report, &self.series, self.points);
                entry.count_octets();
            }
            self.count_octets();
        }
    }

    pub(super) fn count_octets(&mut self) {
        self.octets = self.entries.iter().map(|entry| entry.octets).sum();
    }

    pub(super) fn drop_smallest(&mut self) {
        let surplus = self.entries.len().saturating_sub(self.room.reports);
        if surplus > 0 {
            let places = self.room.reports.saturating_sub(1);
            // In linear time; the order comes at the end.
            let (_, least, _) = self.entries.select_nth_unstable_by_key(places, Entry::place);
            self.floor.raise(Floor::at(least.report.captured_payload(), least.first_frame));
        }
        self.entries.truncate(self.room.reports);
        self.dropped = self.dropped.saturating_add(u64::try_from(surplus).unwrap_or(u64::MAX));
        self.with_series = self.rich().count();
        self.open = self.entries.iter().filter(|entry| entry.open.is_some()).count();
        self.count_octets();
    }

    /// Tells the paths of all but the largest flows without those beside them.
    pub(super) fn close_smallest(&mut self) {
        if self.open <= self.room.open {
            return;
        }
        let mut open: Vec<&mut Entry> =
            self.entries.iter_mut().filter(|entry| entry.open.is_some()).collect();
        open.sort_unstable_by_key(|entry| entry.place());
        for entry in open.into_iter().skip(self.room.open) {
            entry.open = None;
            entry.count_octets();
        }
        self.open = self.room.open;
        self.count_octets();
    }

    /// Takes the series from all but the largest flows that have some.
    pub(super) fn bare_smallest(&mut self) {
        self.entries.sort_unstable_by_key(Entry::place);
        let room = self.series.flows;
        for entry in self.rich().skip(room) {
            entry.report.series = None;
            entry.count_octets();
            entry.is_bared = true;
        }
        self.with_series = self.with_series.min(room);
        self.count_octets();
    }

    /// Those with series.
    pub(super) fn rich(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.entries.iter_mut().filter(|entry| entry.report.series.is_some())
    }
}

/// Where points are shared, the lines of positions go at once; and the line of the congestion
/// window is thinned out as well, which is whole in all other reports.
pub(super) fn thin_out(report: &mut FlowReport, wanted: &SeriesWanted, points: usize) {
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

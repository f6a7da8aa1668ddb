//! Which flows get a report when there are too many: those that carried most. Of the series, which
//! take more room, fewer are kept, by the same order.

mod bounds;

use self::bounds::thin_out;
use super::beside::{self, Beside};
use super::floor::{Floor, Largest, Sizes};
use super::judged::Judged;
use super::room::Room;
use crate::flow::Growth;
use crate::model::FlowReport;
use crate::series::SeriesWanted;
use crate::units::FrameNumber;
use crate::wire::Scope;

/// What became of one connection.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Tells the connection from all others.
    pub(crate) first_frame: FrameNumber,
    pub(super) scope: Scope,
    /// Without their stream numbers and scopes.
    pub(super) reports: [Option<Told>; 2],
    /// Flows too small for a report.
    pub(super) left_out: u64,
}

/// What is told of one flow.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) report: Box<FlowReport>,
    /// To tell its path anew beside other flows, where that may change it.
    pub(super) open: Option<Box<Judged>>,
}

/// Reports of the flows with the most payload so far. Which ones are kept depends on the capture
/// alone, not on the order in which connections ended.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    entries: Vec<Entry>,
    room: Room,
    /// What is below will be left out.
    floor: Floor,
    sizes: Sizes,
    /// Of the flows that are over.
    over: Largest,
    dropped: u64,
    /// That the reports take.
    octets: u64,
    series: SeriesWanted,
    /// Reports with series.
    with_series: usize,
    /// Points that a line may have now.
    points: usize,
    /// Reports whose path may be told anew.
    open: usize,
}

#[derive(Debug)]
struct Entry {
    /// Of its connection.
    first_frame: FrameNumber,
    scope: Scope,
    /// Entries are sorted and moved; this is a kilobyte and more.
    report: Box<FlowReport>,
    open: Option<Box<Judged>>,
    /// 1 for the second flow of a connection.
    direction: usize,
    /// That the report takes.
    octets: u64,
    /// Lost its series for want of room.
    is_bared: bool,
}

impl Entry {
    /// Its place among all; never that of another.
    fn place(&self) -> (Rank, usize) {
        (rank(&self.report), self.direction)
    }

    fn count_octets(&mut self) {
        let open = self.open.as_ref().map_or(0, |open| open.memory());
        self.octets = self.report.octets().saturating_add(open);
    }
}

/// What is left at the end.
#[derive(Debug)]
pub(crate) struct Remaining {
    /// By stream, of one connection the client's direction first; with their connections' scopes.
    pub(crate) reports: Vec<(Scope, Box<FlowReport>)>,
    /// Flows whose report was left out.
    pub(crate) dropped: u64,
    /// Flows whose report has no series for want of room.
    pub(crate) bared: u64,
}

/// A flow's place among all: the most payload first, then the earlier one. All that was captured counts, as
/// for those below the floor, of which nobody knows what was recorded twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(std::cmp::Reverse<u64>, u32);

impl Kept {
    /// Of a report that is still to come; most flows are short.
    const COMING_REPORT_OCTETS: u64 = 2 << 10;

    /// Lines are not thinned out to fewer points.
    const POINTS_MIN: usize = 64;

    /// Keeps the series that are wanted, of those with series at all.
    pub(crate) fn new(series: Option<SeriesWanted>, room: Room) -> Self {
        let series = series.unwrap_or_default();
        let over = Largest::new(room.reports);
        Self { points: series.points, series, room, over, ..Self::default() }
    }

    /// Flows below need no report: they would not be kept.
    pub(crate) fn floor(&self) -> Floor {
        self.floor
    }

    /// Takes how flows grew, of all that have been opened.
    pub(crate) fn on_growth(&mut self, grown: &[Growth]) {
        for growth in grown {
            self.sizes.grow(*growth);
        }
        let [count, all] = [self.room.reports, self.room.reports_max()].map(|count| count as u64);
        self.floor.raise(self.sizes.floor(count, all));
    }

    /// Takes flows that will hardly grow any more: what they carried, and the first frames of their
    /// connections. Where many are alike, this tells which are too small when their size classes cannot.
    pub(crate) fn on_over(&mut self, flows: &[(u64, FrameNumber)]) {
        for (payload_bytes, first_frame) in flows {
            self.over.push(*payload_bytes, *first_frame);
        }
        if self.sizes.all() >= self.room.reports_max() as u64 {
            self.floor.raise(self.over.last());
        }
    }

    /// To be told of the flows that are still to come.
    pub(crate) fn foresight(&self) -> Largest {
        Largest::new(self.room.reports)
    }

    /// Takes the flows that are still to come: no others will.
    pub(crate) fn foresee(&mut self, mut coming: Largest) {
        for Entry { report, first_frame, .. } in &self.entries {
            coming.push(report.captured_payload(), *first_frame);
        }
        if self.dropped > 0 || coming.all() >= self.room.reports_max() as u64 {
            self.floor.raise(coming.floor());
        }
    }

    /// Octets held, and those that the reports of so many more connections would take.
    pub(crate) fn memory(&self, connections: u64) -> u64 {
        let room = self.room.reports_max().saturating_sub(self.entries.len());
        let more = connections.min(u64::try_from(room).unwrap_or(u64::MAX));
        self.octets.saturating_add(more.saturating_mul(Self::COMING_REPORT_OCTETS))
    }

    /// Takes the reports of the connection number `stream`.
    pub(crate) fn push(&mut self, ended: Ended, stream: u32) {
        self.dropped = self.dropped.saturating_add(ended.left_out);
        for (direction, report) in ended.reports.into_iter().enumerate() {
            let Some(Told { mut report, open }) = report else { continue };
            report.stream = stream;
            // The two flows of a connection may tie: either may be the one that is kept.
            if self.floor.is_above(report.captured_payload(), ended.first_frame) {
                self.dropped = self.dropped.saturating_add(1);
                continue;
            }
            if !self.series.has(stream) {
                report.series = None;
            }
            thin_out(&mut report, &self.series, self.points);
            let has_series = usize::from(report.series.is_some());
            self.with_series = self.with_series.saturating_add(has_series);
            self.open = self.open.saturating_add(usize::from(open.is_some()));
            let Ended { first_frame, scope, .. } = ended;
            let (octets, is_bared) = (0, false);
            let mut entry = Entry { first_frame, scope, report, open, direction, octets, is_bared };
            entry.count_octets();
            self.octets = self.octets.saturating_add(entry.octets);
            self.entries.push(entry);
        }
        if self.open > self.room.open.saturating_mul(2) {
            self.close_smallest();
        }
        if self.with_series > self.series.flows.saturating_mul(2) {
            self.bare_smallest();
        }
        self.share_points();
        let is_dropping = self.dropped > 0;
        let room = &self.room;
        let max = if is_dropping { room.reports_with_surplus() } else { room.reports_max() };
        if self.entries.len() >= max {
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
        self.close_smallest();
        self.entries.sort_unstable_by_key(|entry| (entry.report.stream, entry.direction));
        let open = self.entries.iter_mut().filter_map(|entry| {
            Some(Beside {
                scope: entry.scope,
                judged: entry.open.take()?,
                report: &mut entry.report,
            })
        });
        beside::tell(open.collect());
        let bared = self.entries.iter().filter(|entry| entry.is_bared).count();
        let reports = self.entries.into_iter().map(|entry| (entry.scope, entry.report)).collect();
        Remaining { reports, dropped: self.dropped, bared: bared as u64 }
    }
}

fn rank(report: &FlowReport) -> Rank {
    Rank(std::cmp::Reverse(report.captured_payload()), report.stream)
}

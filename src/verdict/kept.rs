//! Which flows get a report when there are too many: those that carried most.

use crate::report::FlowReport;

/// Reports of the flows with the most payload so far. Which ones are kept depends on the capture
/// alone, not on the order in which connections ended.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    reports: Vec<FlowReport>,
    /// The least that was kept when there were too many: what is less will be left out.
    least: Option<Rank>,
    dropped: u64,
}

/// A flow's place among all: the most payload first, then the earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(std::cmp::Reverse<u64>, u32);

impl Kept {
    /// Reports kept at least. One takes about 2 kB.
    const REPORTS_MIN: usize = 10_000;
    /// More than these are not kept beside them, once there were twice as many.
    const SURPLUS_MAX: usize = Self::REPORTS_MIN / 4;

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
        self.reports.push(report());
        let surplus_max = if self.dropped > 0 { Self::SURPLUS_MAX } else { Self::REPORTS_MIN };
        if self.reports.len() >= Self::REPORTS_MIN.saturating_add(surplus_max) {
            self.drop_smallest();
        }
    }

    /// All reports by stream, of one connection the client's direction first, and how many were
    /// left out.
    pub(crate) fn finish(mut self) -> (Vec<FlowReport>, u64) {
        if self.dropped > 0 {
            self.drop_smallest();
        }
        self.reports.sort_by_key(|report| report.stream);
        (self.reports, self.dropped)
    }

    fn drop_smallest(&mut self) {
        let rank =
            |report: &FlowReport| Rank(std::cmp::Reverse(report.payload_bytes), report.stream);
        self.reports.sort_by_key(rank);
        let surplus = self.reports.len().saturating_sub(Self::REPORTS_MIN);
        self.reports.truncate(Self::REPORTS_MIN);
        self.least = self.reports.last().map(rank);
        self.dropped = self.dropped.saturating_add(u64::try_from(surplus).unwrap_or(u64::MAX));
    }
}

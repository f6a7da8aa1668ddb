//! Which flows get a report when there are too many: those that carried most.

use crate::report::FlowReport;

/// Reports of the flows with the most payload so far. Which ones are kept depends on the capture
/// alone, not on the order in which connections ended.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    reports: Vec<FlowReport>,
    dropped: u64,
}

impl Kept {
    /// Reports kept at least; twice as many are held at times. One takes about 2 kB.
    const REPORTS_MIN: usize = 10_000;

    pub(crate) fn push(&mut self, report: FlowReport) {
        self.reports.push(report);
        if self.reports.len() >= Self::REPORTS_MIN.saturating_mul(2) {
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
        self.reports.sort_by_key(|report| (std::cmp::Reverse(report.payload_bytes), report.stream));
        let surplus = self.reports.len().saturating_sub(Self::REPORTS_MIN);
        self.reports.truncate(Self::REPORTS_MIN);
        self.dropped = self.dropped.saturating_add(u64::try_from(surplus).unwrap_or(u64::MAX));
    }
}

//! The whole capture in a few sums, made once when a report is put together.

use std::cmp::Reverse;

use serde::Serialize;

use super::{FlowReport, Input, Limit, Note, PathVerdict, Report};

/// Sums over all flows of a report.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Summary {
    /// Directions that carried payload.
    pub flows: u64,
    /// Payload octets, retransmissions included.
    pub payload_bytes: u64,
    /// The fewest flows that together carry nine tenths of the payload.
    pub flows_of_90_percent: u64,
    /// The same payload by the limit that the flows' verdicts name, most first; limits that no
    /// verdict names are left out.
    pub by_limit: Vec<LimitTotal>,
    /// The same payload by what the flows' paths were like, most first; kinds that no path is of are left
    /// out.
    pub by_path: Vec<PathTotal>,
}

/// What the flows with one verdict carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LimitTotal {
    /// The verdict.
    pub limit: Limit,
    /// Flows.
    pub flows: u64,
    /// Their payload octets.
    pub payload_bytes: u64,
}

/// What the flows with one kind of path carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PathTotal {
    /// The kind.
    pub path: PathVerdict,
    /// Flows.
    pub flows: u64,
    /// Their payload octets.
    pub payload_bytes: u64,
}

impl Report {
    /// Name of the layout.
    pub const SCHEMA: &str = "tcplimit/report";
    /// Its version: a minor one only adds fields.
    pub const SCHEMA_VERSION: &str = "1.0.0";
    /// Version of the program.
    pub const TOOL_VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Puts a report together: names its layout and adds up the flows.
    #[must_use]
    pub fn new(input: Input, flows: Vec<FlowReport>, notes: Vec<Note>) -> Self {
        Self {
            schema: Self::SCHEMA,
            schema_version: Self::SCHEMA_VERSION,
            tool_version: Self::TOOL_VERSION,
            input,
            summary: Summary::of(&flows),
            flows,
            notes,
        }
    }
}

impl Summary {
    fn of(flows: &[FlowReport]) -> Self {
        let mut sizes: Vec<u64> =
            flows.iter().map(|flow| flow.payload_bytes).filter(|size| *size > 0).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let payload_bytes = sum(&sizes);
        let mut by_limit: Vec<LimitTotal> =
            Limit::ALL.iter().filter_map(|limit| LimitTotal::of(*limit, flows)).collect();
        by_limit.sort_by_key(|total| Reverse(total.payload_bytes));
        let mut by_path: Vec<PathTotal> =
            PathVerdict::ALL.iter().filter_map(|path| PathTotal::of(*path, flows)).collect();
        by_path.sort_by_key(|total| Reverse(total.payload_bytes));
        Self {
            flows: count(&sizes),
            payload_bytes,
            flows_of_90_percent: flows_of_90_percent(&sizes, payload_bytes),
            by_limit,
            by_path,
        }
    }
}

impl LimitTotal {
    /// `None` if no flow with payload has that verdict.
    fn of(limit: Limit, flows: &[FlowReport]) -> Option<Self> {
        let (flows, payload_bytes) = carried(flows, |flow| flow.verdict.limit == limit)?;
        Some(Self { limit, flows, payload_bytes })
    }
}

impl PathTotal {
    /// `None` if no flow with payload has such a path.
    fn of(path: PathVerdict, flows: &[FlowReport]) -> Option<Self> {
        let (flows, payload_bytes) = carried(flows, |flow| flow.path.verdict == path)?;
        Some(Self { path, flows, payload_bytes })
    }
}

/// How many flows with payload are so, and what they carried; `None` if there is none.
fn carried(flows: &[FlowReport], is_so: impl Fn(&FlowReport) -> bool) -> Option<(u64, u64)> {
    let sizes: Vec<u64> = flows
        .iter()
        .filter(|flow| is_so(flow) && flow.payload_bytes > 0)
        .map(|flow| flow.payload_bytes)
        .collect();
    (!sizes.is_empty()).then(|| (count(&sizes), sum(&sizes)))
}

/// `sizes` from the largest.
fn flows_of_90_percent(sizes: &[u64], total: u64) -> u64 {
    let most = total.saturating_sub(total / 10);
    let mut carried: u64 = 0;
    let mut flows: u64 = 0;
    for size in sizes {
        if carried >= most {
            break;
        }
        carried = carried.saturating_add(*size);
        flows = flows.saturating_add(1);
    }
    flows
}

fn sum(sizes: &[u64]) -> u64 {
    sizes.iter().fold(0, |sum, size| sum.saturating_add(*size))
}

fn count(sizes: &[u64]) -> u64 {
    u64::try_from(sizes.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn bytes_are_summed_by_verdict_and_the_largest_comes_first() {
        let mut small = sample::flow();
        small.payload_bytes = 1000;
        small.verdict.limit = Limit::Application;
        let mut empty = sample::flow();
        empty.payload_bytes = 0;
        let mut large = sample::flow();
        large.payload_bytes = 9000;
        (small.path.verdict, large.path.verdict) = (PathVerdict::NotFull, PathVerdict::Policed);

        let summary = Summary::of(&[small, empty, large]);

        assert_eq!((summary.flows, summary.payload_bytes), (2, 10_000));
        let paths: Vec<_> =
            summary.by_path.iter().map(|t| (t.path, t.flows, t.payload_bytes)).collect();
        assert_eq!(paths, [(PathVerdict::Policed, 1, 9000), (PathVerdict::NotFull, 1, 1000)]);
        assert_eq!(summary.flows_of_90_percent, 1);
        let totals: Vec<_> =
            summary.by_limit.iter().map(|t| (t.limit, t.flows, t.payload_bytes)).collect();
        assert_eq!(totals, [(Limit::ReceiveWindow, 1, 9000), (Limit::Application, 1, 1000)]);
    }
}

//! The path that a flow ran over, beside what limited its sender.

use serde::Serialize;

use super::Confidence;

/// What the path was like. It says nothing of what the sender waited for: a full path and a small
/// window go together.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PathReport {
    /// Rate of the bottleneck; `null` where no queue stood there for a whole unloaded round trip:
    /// the flow never filled the path.
    pub capacity: Option<Capacity>,
    /// Share of the duration in which the bottleneck is known to have worked without a pause.
    pub busy_share: f64,
}

/// Rate of the bottleneck: whole frames with their link headers, without preamble and checksum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Capacity {
    /// The estimate.
    pub bps: f64,
    /// It is at least about this.
    pub low_bps: f64,
    /// And at most about this.
    pub high_bps: f64,
    /// What it rests on.
    pub method: CapacityMethod,
    /// How sure.
    pub confidence: Confidence,
}

/// What the rate of a bottleneck was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CapacityMethod {
    /// The rate of ACKs over round trips in which a queue stood.
    AckRatePlateau,
    /// The spacing of the ACKs of single trains of segments: others shared the queue.
    TrainDispersion,
}

//! The path that a flow ran over, beside what limited its sender.

use serde::Serialize;

use super::{CapacityMethod, Confidence, POINT, PathVerdict};

/// What the path was like. It says nothing of what the sender waited for: a full path and a small
/// window go together.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PathReport {
    /// The kind of path.
    pub verdict: PathVerdict,
    /// How sure.
    pub confidence: Confidence,
    /// What it means beside the limit; `null` where it changes nothing, or is in doubt.
    pub remark: Option<String>,
    /// Rate of the bottleneck; `null` where no queue stood there for a whole unloaded round trip and
    /// the flow carried far less than its bursts passed at: the flow never filled the path.
    pub capacity: Option<Capacity>,
    /// What the flow carried while it had data in flight, over the capacity; above 1 where a burst
    /// passed faster. `null` without a capacity, and where it may be what was not captured.
    pub utilization: Option<f64>,
    /// Share of the duration in which the bottleneck is known to have worked without a pause.
    pub busy_share: f64,
    /// Octets that the receiver's answers passed over, over all sent; without those that came late, before
    /// they could have been retransmitted.
    pub loss_share: f64,
    /// Gaps of them. Without SACK, repairs.
    pub loss_count: u64,
    /// The token bucket of a policer; `null` for other verdicts, and where the losses do not tell its rate.
    pub policer: Option<TokenBucket>,
    /// The token bucket of a shaper; `null` for other verdicts.
    pub shaper: Option<TokenBucket>,
    /// Waiting on the way; `null` where no ACK came promptly.
    pub queueing: Option<Queueing>,
}

impl PathReport {
    /// A queue stood at times, as far as a share can tell.
    pub(crate) fn has_queue(&self) -> bool {
        self.busy_share >= POINT
    }

    /// The queue, where most of it is that of ACKs.
    pub(crate) fn queue_of_acks(&self) -> Option<&Queueing> {
        self.queueing.as_ref().filter(|queueing| queueing.is_of_acks)
    }
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

/// Tokens that fill at a rate up to a burst (RFC 2697); whole frames.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TokenBucket {
    /// How fast it fills.
    pub rate_bps: f64,
    /// How much it holds, about.
    pub burst_bytes: f64,
    /// Flows of this capture that took its tokens at the same time, this one included; 1 where it is not
    /// known to be shared.
    pub flows: u64,
    /// This flow's part of what they passed while it ran, 0 to 1.
    pub share: f64,
}

/// Waiting on the way: round-trip times beyond the smallest.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Queueing {
    /// Half of the time it was at most this.
    pub p50_us: f64,
    /// 95 % of the time at most this.
    pub p95_us: f64,
    /// The largest.
    pub max_us: f64,
    /// Most octets of this flow in the queue at once, in the series below.
    pub max_bytes: f64,
    /// The part of it that ACKs met on the way back, 0 to 1, by the receiver's timestamps (RFC 7323), which
    /// tell when they left it. `null` without them, away from the sender, where both ways have a part that
    /// varies, and where the queue hardly varies or is below 5 ms for 95 % of the time.
    pub way_back_share: Option<f64>,
    /// Most of it is there, and it is long enough to be felt.
    #[serde(skip)]
    pub(crate) is_of_acks: bool,
    /// Over time, at most 100 points.
    pub series: Vec<QueueingPoint>,
}

/// The queue around one time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct QueueingPoint {
    /// From the flow's start.
    pub t_s: f64,
    /// Mean delay since the point before.
    pub delay_us: f64,
    /// This flow's octets in the queue: delay times rate. On the way back: those that the ACKs in it tell of.
    pub bytes: f64,
}

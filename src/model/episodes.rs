//! Stalls, losses and closed windows, one by one.

use serde::Serialize;

use super::{LossTrigger, OpenedBy, StallCause};

/// What stands out in a flow. The lists hold the longest 256 stalls and closed windows, in order of time, and
/// the first 256 losses; the sums count all.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Episodes {
    /// No ACK came and no data went for longer than two SRTT or the RTO, whichever is less.
    pub stalls: Vec<Stall>,
    /// How many stalls there were.
    pub stalls_count: u64,
    /// Their time together.
    pub stalls_time_s: f64,
    /// Losses with their repair.
    pub losses: Vec<LossEpisode>,
    /// How many losses there were.
    pub losses_count: u64,
    /// Their time together.
    pub losses_time_s: f64,
    /// Times at which the receiver's window was closed.
    pub zero_windows: Vec<ZeroWindow>,
    /// How many there were.
    pub zero_windows_count: u64,
    /// Their time together.
    pub zero_windows_time_s: f64,
}

/// One stall; times from the flow's start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Stall {
    /// Start: the last packet before it.
    pub start_s: f64,
    /// End: the first packet after it.
    pub end_s: f64,
    /// Why nothing moved.
    pub cause: StallCause,
    /// Frame of the last packet before it.
    pub first_frame: u64,
    /// Frame of the first packet after it.
    pub last_frame: u64,
}

/// One loss and its repair; times from the flow's start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LossEpisode {
    /// Start: the first retransmission.
    pub start_s: f64,
    /// End: the ACK of everything that was in flight then; where `is_open`, the capture's end.
    pub end_s: f64,
    /// How the sender learned of it.
    pub trigger: LossTrigger,
    /// Wire segments retransmitted.
    pub segments: u64,
    /// RFC 6675 pipe just before it: the congestion window, where that is the limit.
    pub pipe_before_bytes: u64,
    /// The same once the sender has answered the ACK that ended it.
    pub pipe_after_bytes: u64,
    /// The capture ended before the repair did.
    pub is_open: bool,
    /// Frame of the first retransmission.
    pub first_frame: u64,
    /// Frame of the ACK that ended it.
    pub last_frame: u64,
}

/// One time at which the window was closed; times from the flow's start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ZeroWindow {
    /// Start: the ACK that left less than one segment of room.
    pub start_s: f64,
    /// End: the ACK that gave it back.
    pub end_s: f64,
    /// What made the receiver open it.
    pub opened_by: OpenedBy,
    /// The smallest window advertised meanwhile: 0, or less than one segment, of which a sender sends none
    /// (RFC 9293 section 3.8.6.2.1).
    pub window_min_bytes: u64,
    /// Probes sent meanwhile.
    pub probes: u64,
    /// Frame of the ACK that closed it.
    pub first_frame: u64,
    /// Frame of the ACK that opened it.
    pub last_frame: u64,
}

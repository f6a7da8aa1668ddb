//! How a flow looked over time: what plots are drawn from.

use serde::Serialize;

use super::SentKind;

/// The lines of a flow's plots. All times are seconds from the flow's start, in the
/// sender's view: away from the sender an ACK stands where it is held to have arrived there.
///
/// Lines are columns: entry `i` of each column belongs to one point. With more points than were
/// asked for, time is cut into buckets of one width (`bucket_s`), and of each bucket the first, the
/// smallest, the largest and the last point remain; `left_out` counts the others. No extreme is
/// ever lost. What limited when stands in the flow's `intervals`, the shadow of cwnd in
/// `cwnd.series`, the size of the send buffer in `send_buffer`, and losses, stalls and closed windows
/// in `episodes`.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Series {
    /// How fast; `null` if nothing passed.
    pub rates: Option<Rates>,
    /// FlightSize: sent and not cumulatively acknowledged (RFC 5681 section 2). Each point holds
    /// until the next.
    pub flight: BytesLine,
    /// Octets held to be in the network (RFC 6675 pipe). Each point holds until the next.
    pub pipe: BytesLine,
    /// Advertised receive window, where it changed; empty while its scale is unknown.
    pub rwnd: BytesLine,
    /// Round-trip times.
    pub rtt: RttLines,
    /// What was sent, by kind; kinds that never occurred are left out.
    pub sent: Vec<SentRanges>,
    /// Cumulative acknowledgment, where it advanced: a position in the stream, the SYN at 0.
    pub acked: BytesLine,
    /// The same where a duplicate ACK came (RFC 5681 section 2).
    pub dup_acks: BytesLine,
    /// Acknowledgment plus advertised window: what may be sent up to. Where it changed.
    pub window_edge: BytesLine,
    /// Blocks that SACK reported newly (RFC 2018).
    pub sacked: Ranges,
    /// Blocks that the receiver reported as got twice (D-SACK, RFC 2883).
    pub dsacked: Ranges,
}

/// Rates in windows of one length, without holes.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Rates {
    /// Start of the first window.
    pub start_s: f64,
    /// Length of each: a round number, no shorter than a mean round trip; than two or four where that
    /// leaves 40 windows. The last window may reach beyond the flow's end.
    pub window_s: f64,
    /// Mean rate at which octets were cumulatively acknowledged, one entry a window; says nothing
    /// where the flow's `goodput_bps` is `null`, for want of ACKs.
    pub goodput_bps: Vec<f64>,
    /// Mean rate of the frames with data on the wire: retransmissions and all headers included, those
    /// of each segment of a super-frame too. Without preamble and checksum, as `path.capacity`.
    pub wire_bps: Vec<f64>,
    /// First frame that counts in the window; `null` where nothing passed.
    pub first_frame: Vec<Option<u64>>,
    /// The last one.
    pub last_frame: Vec<Option<u64>>,
}

/// A line of octet counts.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BytesLine {
    /// When.
    pub t_s: Vec<f64>,
    /// How many.
    pub bytes: Vec<u64>,
    /// The frame that made it so.
    pub frame: Vec<u64>,
    /// Width of the buckets; `null` where every point is here.
    pub bucket_s: Option<f64>,
    /// Points that are not here.
    pub left_out: u64,
}

/// A line of times, microseconds.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MicrosLine {
    /// When.
    pub t_s: Vec<f64>,
    /// How long.
    pub us: Vec<f64>,
    /// The frame that showed it.
    pub frame: Vec<u64>,
    /// Width of the buckets; `null` where every point is here.
    pub bucket_s: Option<f64>,
    /// Points that are not here.
    pub left_out: u64,
}

/// Round-trip times and what follows from them.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RttLines {
    /// Samples by an ACK of a segment's end (Karn's rule).
    pub segment_end: MicrosLine,
    /// Samples by SACK.
    pub sack: MicrosLine,
    /// Samples by timestamp echo.
    pub timestamp: MicrosLine,
    /// SRTT (RFC 6298) after each sample; as Linux's, of the oldest segment that an ACK covers, so with what
    /// the receiver delayed it.
    pub srtt: MicrosLine,
    /// Smallest sample so far, where it fell.
    pub min: MicrosLine,
    /// SRTT less the smallest sample of the whole flow: queueing, and delayed ACKs.
    pub queue: MicrosLine,
}

/// Parts of the stream that went out, all of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SentRanges {
    /// What they have in common.
    pub kind: SentKind,
    /// The parts; `count` is of wire segments.
    pub ranges: Ranges,
}

/// Parts of the stream. Those of one bucket are merged: from the lowest octet to the highest, with
/// gaps perhaps.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Ranges {
    /// When, of merged ones the first.
    pub t_s: Vec<f64>,
    /// The same of the last one merged.
    pub end_t_s: Vec<f64>,
    /// Position of the first octet, the SYN at 0 (as Wireshark's relative sequence number).
    pub start_bytes: Vec<u64>,
    /// Position after the last octet.
    pub end_bytes: Vec<u64>,
    /// How many it stands for.
    pub count: Vec<u64>,
    /// The frame, of merged ones the first.
    pub first_frame: Vec<u64>,
    /// The last one.
    pub last_frame: Vec<u64>,
    /// Width of the buckets; `null` where nothing was merged.
    pub bucket_s: Option<f64>,
    /// Parts that were merged into others.
    pub left_out: u64,
}

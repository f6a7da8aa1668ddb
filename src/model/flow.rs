//! One direction of one connection.

use std::net::IpAddr;

use serde::Serialize;

use super::series::Series;
use super::{
    CongestionControl, Episodes, Evidence, Interval, Limits, LossRecovery, Lu2007, Note,
    PaperShares, PathReport, ReceiveBuffer, SendBuffer, SlowStartExitCause, Vantage, Verdict,
    WhatIf,
};
use crate::units::as_f64;

/// One direction of one connection.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FlowReport {
    /// Number of the connection, as Wireshark's `tcp.stream`.
    pub stream: u32,
    /// The side that sent this data.
    pub src: Peer,
    /// The side that received it.
    pub dst: Peer,
    /// VLAN, VNI or tunnel, where there is one.
    pub scope: Option<String>,
    /// Start of the flow, from the capture's first packet: the first packet of the connection. Of data of the
    /// side to which it was opened, captured elsewhere: when that packet had reached it, in the sender's view
    /// as all times are.
    pub start_s: f64,
    /// From then to the last packet of the connection, in the sender's view as well.
    pub duration_s: f64,
    /// Where the capture was taken, as seen from this direction.
    pub vantage: Vantage,
    /// SYN and SYN-ACK were captured.
    pub has_handshake: bool,
    /// Where the window scale comes from.
    pub window_scale: WindowScale,
    /// Largest wire segment; `null` where nothing was sent.
    pub smss_bytes: Option<u64>,
    /// Packets of this direction as they were captured, with what was recorded twice.
    pub packets: u64,
    /// Payload octets of the packets, retransmissions included; what was recorded twice counts once.
    pub payload_bytes: u64,
    /// Packets of the other direction as they were captured.
    pub reverse_packets: u64,
    /// Payload octets of the other direction, counted like `payload_bytes`.
    pub reverse_payload_bytes: u64,
    /// Payload octets acknowledged, each once, captured or not; `null` where no ACK of payload was captured.
    pub acked_bytes: Option<u64>,
    /// The same in bits over the connection's duration; `null`, too, where that is nothing.
    pub goodput_bps: Option<f64>,
    /// Segments that the sender retransmitted, SYN and FIN included.
    pub retransmitted_segments: u64,
    /// Octets that it retransmitted.
    pub retransmitted_bytes: u64,
    /// The same by cause.
    pub retransmissions: Retransmissions,
    /// Packets that were copies or reordered, no act of the sender.
    pub artefacts: Artefacts,
    /// Round-trip times of the full loop; `null` when none could be measured.
    pub rtt: Option<Rtt>,
    /// Receive window as advertised, time-weighted mean; `null` while its scale is unknown.
    pub rwnd_mean_bytes: Option<f64>,
    /// FlightSize, time-weighted mean while data was in flight; `null` where none was for any time.
    pub flight_mean_bytes: Option<f64>,
    /// Largest FlightSize.
    pub flight_max_bytes: u64,
    /// The sender's buffer, where it limits.
    pub send_buffer: Option<SendBuffer>,
    /// The receiver's buffer, where it limits; `null`, too, where the window cannot be scaled and ends at
    /// 65 535 octets.
    pub receive_buffer: Option<ReceiveBuffer>,
    /// Shadow of the congestion window; `null` where it never was the limit.
    pub cwnd: Option<Cwnd>,
    /// Which congestion control the sender uses; `null` where its window never grew past slow
    /// start and its opening does not show it.
    pub congestion_control: Option<CongestionControl>,
    /// What a loss costs; `null` without a round-trip time.
    pub recovery: Option<LossRecovery>,
    /// Stalls, losses and closed windows.
    pub episodes: Episodes,
    /// The answer.
    pub verdict: Verdict,
    /// Shares of the duration; they sum to 1.
    pub limits: Limits,
    /// Rlimit, Slimit and Climit as in the 2007 paper: the three shares over their sum; `null`
    /// where none of the three ever held.
    pub paper: Option<PaperShares>,
    /// The rate if a limit were lifted, for each that holds for 5 % of the time or more, pacing that hides it
    /// included, and for each that may hold for another 20 % if there is something to gain. Of loss where
    /// there was any and the congestion window holds for 5 % of the time; of the application not in a short
    /// transfer that wrote all at once. Empty without a round-trip time.
    pub what_if: Vec<WhatIf>,
    /// What limited when, in order, without holes.
    pub intervals: Vec<Interval>,
    /// What the path was like, whatever limited the sender.
    pub path: PathReport,
    /// Numbers behind the verdict.
    pub evidence: Vec<Evidence>,
    /// The founding paper's method, where `--method lu2007` asked for it.
    pub lu2007: Option<Lu2007>,
    /// Doubts and remarks about this flow, by code.
    pub notes: Vec<Note>,
    /// What plots are drawn from, where `--series` asked for it; else absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<Box<Series>>,
}

impl FlowReport {
    /// Payload octets of all packets in the capture, those included that were recorded twice: known of a flow
    /// before its copies are.
    pub(crate) fn captured_payload(&self) -> u64 {
        self.payload_bytes.saturating_add(self.artefacts.capture_duplicate_bytes)
    }

    /// None of its packets is in the capture, so that nothing is known of what was sent.
    pub(crate) fn is_unseen(&self) -> bool {
        self.packets == 0
    }

    /// Octets retransmitted over octets sent; 0 where nothing was sent.
    pub(crate) fn resent_share(&self) -> f64 {
        if self.payload_bytes == 0 {
            return 0.0;
        }
        as_f64(self.retransmitted_bytes) / as_f64(self.payload_bytes)
    }
}

/// An address and a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Peer {
    /// The address.
    pub ip: IpAddr,
    /// The TCP port.
    pub port: u16,
}

/// Where the shift of the advertised window comes from.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WindowScale {
    /// From the handshake.
    Known,
    /// From the data that flowed: the smallest shift that keeps it inside the window.
    Inferred,
    /// Neither.
    #[default]
    Unknown,
}

/// Retransmitted segments by cause.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Retransmissions {
    /// By duplicate ACKs, SACK or RACK, and the repairs of the same recovery; where no ACK was captured, all
    /// that need not be the timer's.
    pub fast_segments: u64,
    /// By the retransmission timer, and the go-back-N after it.
    pub timeout_segments: u64,
    /// Tail loss probes.
    pub loss_probe_segments: u64,
    /// Tail loss probes that carried new data: no retransmissions, not among the segments above.
    pub loss_probes_of_new_data: u64,
    /// SYN or SYN-ACK again.
    pub handshake_segments: u64,
    /// How many of all these were not needed (D-SACK, Eifel).
    pub spurious_segments: u64,
    /// Segments that the receiver reported as got twice (D-SACK): needless repairs, and copies made
    /// on the way.
    pub dsack_segments: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Episodes of fast recovery.
    pub recoveries: u64,
}

/// What was seen twice or out of order without the sender having done so.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Artefacts {
    /// Reordered before the tap, or, where that stands at the sender, recorded out of order.
    pub reordered_packets: u64,
    /// Copied by the network.
    pub network_duplicates: u64,
    /// Recorded twice.
    pub capture_duplicates: u64,
    /// Payload octets of these, which are not among the flow's.
    pub capture_duplicate_bytes: u64,
    /// Keep-alives.
    pub keep_alives: u64,
    /// Probes of a zero window.
    pub window_probes: u64,
    /// Octets that the capture missed: acknowledged and never seen. What was lost before the tap and
    /// retransmitted is not among them.
    pub missed_bytes: u64,
}

/// Round-trip times of the full loop, microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Rtt {
    /// SRTT (RFC 6298), weighted by time: it stands still while nothing is in flight.
    pub mean_us: f64,
    /// What reports show: the mean, or where that exceeds nearly all samples (`p95_us`) by a quarter the
    /// median: SRTT stood still in a pause then, behind one late acknowledgment. Less than 1 is below the
    /// clock's tick.
    pub usual_us: f64,
    /// Smallest sample.
    pub min_us: f64,
    /// Median of the samples, each counted once.
    pub p50_us: f64,
    /// 95th percentile of the samples, each counted once.
    pub p95_us: f64,
    /// Samples by an ACK of a segment's end.
    pub samples_segment_end: u64,
    /// Samples by SACK.
    pub samples_sack: u64,
    /// Samples by timestamp echo.
    pub samples_timestamp: u64,
    /// Round trips of the flow: each ends once all that was in flight at its start is acknowledged.
    pub rounds: u64,
    /// Of these, how many gave a sample.
    pub rounds_sampled: u64,
}

/// Shadow of the congestion window; it never stands on the wire, so this is an estimate.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Cwnd {
    /// Mean over the time in which it was the limit; `null` if it never was.
    pub mean_bytes: Option<f64>,
    /// When slow start ended, from the flow's start; `null` if nothing shows that it
    /// did.
    pub slow_start_exit_s: Option<f64>,
    /// Why it did; `null` where `slow_start_exit_s` is.
    pub slow_start_exit_cause: Option<SlowStartExitCause>,
    /// The window while it was the limit. Each point holds until the next; one with `null`s stands
    /// where another limit took over.
    pub series: Vec<CwndPoint>,
}

/// The congestion window from one time on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CwndPoint {
    /// From the flow's start.
    pub t_s: f64,
    /// The estimate; this and the bounds are `null` where another limit took over.
    pub best_bytes: Option<u64>,
    /// It was at least this; `null` where `best_bytes` is.
    pub low_bytes: Option<u64>,
    /// And at most this; `null` where `best_bytes` is.
    pub high_bytes: Option<u64>,
}

impl CwndPoint {
    /// Something else is the limit from `t_s` on.
    pub(crate) fn unknown(t_s: f64) -> Self {
        Self { t_s, best_bytes: None, low_bytes: None, high_bytes: None }
    }
}

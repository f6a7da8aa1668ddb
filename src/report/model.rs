//! The facts of a report, once for all outputs. Its JSON is the tool's public schema
//! (`report-1.schema.json` beside this file): units in the names, shares 0 to 1, unknown is
//! `null`, enums in `snake_case`, keys in this order. A minor version only adds fields.

use std::net::IpAddr;

use serde::Serialize;

use super::figures::as_f64;
use super::summary::Summary;
pub use crate::limit::{Cause, Limit};

/// Everything that one run found out. Written by [`write`](super::write).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Report {
    /// Always `tcplimit/report`.
    pub schema: &'static str,
    /// Version of this layout.
    pub schema_version: &'static str,
    /// Version of the program.
    pub tool_version: &'static str,
    /// What was read.
    pub input: Input,
    /// Sums over all flows.
    pub summary: Summary,
    /// One entry per direction that carried data, by stream, client's direction first. A
    /// connection without any data has one entry, for the side that opened it.
    pub flows: Vec<FlowReport>,
    /// Doubts and remarks about the whole capture.
    pub notes: Vec<Note>,
}

/// What was read, and what could not be.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Input {
    /// Names of the files, or `standard input`.
    pub files: Vec<String>,
    /// `pcap` or `pcapng` of the first file.
    pub format: Option<String>,
    /// Names of the link types met, in order of appearance.
    pub link_types: Vec<String>,
    /// Frames read.
    pub packets: u64,
    /// Frames that held a TCP segment.
    pub tcp_packets: u64,
    /// Frames that held none, by reason.
    pub skipped: Vec<SkippedCount>,
    /// Connections seen.
    pub connections: u64,
    /// Connections that the memory bound dropped from the report.
    pub connections_dropped: u64,
    /// Packets that the capture says it lost; `null` if it does not say.
    pub capture_drops: Option<u64>,
    /// Frames cut by the snap length.
    pub snapped_packets: u64,
    /// Where the file ended early or was damaged.
    pub damage: Option<Damage>,
    /// Time of the first frame, RFC 3339 with nanoseconds, UTC.
    pub first_packet_utc: Option<String>,
    /// First to last frame.
    pub duration_s: f64,
}

/// Frames that gave no segment for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SkippedCount {
    /// The reason, `udp` or `truncated_ip` for example.
    pub reason: String,
    /// How many frames.
    pub packets: u64,
}

/// Where reading had to stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Damage {
    /// The file.
    pub file: String,
    /// Octet offset in the (decompressed) file.
    pub offset_bytes: u64,
    /// Frames read before it, over all files.
    pub packets_before: u64,
    /// What is wrong there.
    pub what: String,
}

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
    /// First packet of the connection, from the capture's first packet.
    pub start_s: f64,
    /// First to last packet of the connection.
    pub duration_s: f64,
    /// Where the capture was taken, as seen from this direction.
    pub vantage: Vantage,
    /// SYN and SYN-ACK were captured.
    pub has_handshake: bool,
    /// Where the window scale comes from.
    pub window_scale: WindowScale,
    /// Largest wire segment.
    pub smss_bytes: Option<u64>,
    /// Counts of this direction.
    pub packets: u64,
    /// Payload octets of all packets, retransmissions included.
    pub payload_bytes: u64,
    /// Packets of the other direction.
    pub reverse_packets: u64,
    /// Payload octets of the other direction.
    pub reverse_payload_bytes: u64,
    /// Payload octets acknowledged, over the connection's duration; `null` when no ACKs were seen.
    pub goodput_bps: Option<f64>,
    /// Segments that the sender sent again, SYN and FIN included.
    pub retransmitted_segments: u64,
    /// Octets that it sent again.
    pub retransmitted_bytes: u64,
    /// The same by cause.
    pub retransmissions: Retransmissions,
    /// Packets that were copies or reordered, no act of the sender.
    pub artefacts: Artefacts,
    /// Round-trip times of the full loop; `null` when none could be measured.
    pub rtt: Option<Rtt>,
    /// Receive window as advertised, time-weighted mean; `null` while its scale is unknown.
    pub rwnd_mean_bytes: Option<f64>,
    /// FlightSize, time-weighted mean while data was in flight.
    pub flight_mean_bytes: Option<f64>,
    /// Largest FlightSize.
    pub flight_max_bytes: u64,
    /// Shadow of the congestion window.
    pub cwnd: Option<Cwnd>,
    /// The answer.
    pub verdict: Verdict,
    /// Shares of the duration; they sum to 1.
    pub limits: Limits,
    /// Rlimit, Slimit and Climit as in the 2007 paper: the three shares over their sum; `null`
    /// where none of the three ever held.
    pub paper: Option<PaperShares>,
    /// What limited when, in order, without holes.
    pub intervals: Vec<Interval>,
    /// Numbers behind the verdict.
    pub evidence: Vec<Evidence>,
    /// The founding paper's method, where `--method lu2007` asked for it.
    pub lu2007: Option<Lu2007>,
    /// Doubts and remarks about this flow, by code.
    pub notes: Vec<Note>,
}

impl FlowReport {
    /// Octets sent again over octets sent; 0 where nothing was sent.
    pub(super) fn resent_share(&self) -> f64 {
        if self.payload_bytes == 0 {
            return 0.0;
        }
        as_f64(self.retransmitted_bytes) / as_f64(self.payload_bytes)
    }
}

impl Limits {
    /// The share of one limit.
    #[must_use]
    pub fn of(&self, limit: Limit) -> &LimitShare {
        match limit {
            Limit::ReceiveWindow => &self.receive_window,
            Limit::SendBuffer => &self.send_buffer,
            Limit::CongestionWindow => &self.congestion_window,
            Limit::Application => &self.application,
            Limit::HandshakeClose => &self.handshake_close,
            Limit::CaptureGap => &self.capture_gap,
            Limit::Unknown => &self.unknown,
        }
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

/// Where the capture was taken.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Vantage {
    /// At the sender of this direction's data.
    Sender,
    /// At its receiver.
    Receiver,
    /// On the way.
    Middle,
    /// The capture does not show it.
    #[default]
    Unknown,
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
    /// By duplicate ACKs, SACK or RACK, and the repairs of the same recovery.
    pub fast_segments: u64,
    /// By the retransmission timer, and the go-back-N after it.
    pub timeout_segments: u64,
    /// Tail loss probes.
    pub loss_probe_segments: u64,
    /// SYN or SYN-ACK again.
    pub handshake_segments: u64,
    /// How many of all these were not needed (D-SACK, Eifel).
    pub spurious_segments: u64,
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
    /// Reordered before the tap.
    pub reordered_packets: u64,
    /// Copied by the network.
    pub network_duplicates: u64,
    /// Recorded twice.
    pub capture_duplicates: u64,
    /// Keep-alives.
    pub keep_alives: u64,
    /// Probes of a zero window.
    pub window_probes: u64,
    /// Octets that the capture missed.
    pub missed_bytes: u64,
}

/// Round-trip times of the full loop, microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Rtt {
    /// SRTT (RFC 6298), weighted by time.
    pub mean_us: f64,
    /// Smallest sample.
    pub min_us: f64,
    /// Median of the samples.
    pub p50_us: f64,
    /// 95th percentile of the samples.
    pub p95_us: f64,
    /// Samples by an ACK of a segment's end.
    pub samples_segment_end: u64,
    /// Samples by SACK.
    pub samples_sack: u64,
    /// Samples by timestamp echo.
    pub samples_timestamp: u64,
}

/// Shadow of the congestion window; it never stands on the wire, so this is an estimate.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Cwnd {
    /// Mean over the time in which it was the limit; `null` if it never was.
    pub mean_bytes: Option<f64>,
    /// (seconds from the connection's first packet, octets) while it was the limit.
    pub series: Vec<(f64, f64)>,
}

/// The answer for one flow.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Verdict {
    /// What held the transfer back.
    pub limit: Limit,
    /// The runner-up, where it comes near.
    pub runner_up: Option<Limit>,
    /// Share of the duration in which `limit` held.
    pub share: f64,
    /// How sure.
    pub confidence: Confidence,
    /// One sentence.
    pub text: String,
    /// The numbers behind it, one sentence each.
    pub why: Vec<String>,
    /// What to try, one sentence each.
    pub advice: Vec<Advice>,
}

/// A remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Advice {
    /// `A...`; `tcplimit explain` tells more.
    pub code: Code,
    /// What to do.
    pub text: String,
}

/// How sure a verdict is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Confidence {
    /// A guess with reasons.
    #[default]
    Low,
    /// More likely than not.
    Medium,
    /// The tests agree and leave the runner-up far behind.
    High,
}

/// Shares of a flow's duration, each with its range; the seven shares sum to 1.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Limits {
    /// Rlimit.
    pub receive_window: LimitShare,
    /// Slimit.
    pub send_buffer: LimitShare,
    /// Climit.
    pub congestion_window: LimitShare,
    /// Nothing to send.
    pub application: LimitShare,
    /// Opening and closing.
    pub handshake_close: LimitShare,
    /// Not captured.
    pub capture_gap: LimitShare,
    /// Not decidable.
    pub unknown: LimitShare,
}

/// One limit's part of the duration.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LimitShare {
    /// 0 to 1.
    pub share: f64,
    /// With everything doubtful counted against it.
    pub share_low: f64,
    /// With everything doubtful counted for it.
    pub share_high: f64,
    /// The same in seconds.
    pub time_s: f64,
    /// Its parts by finer cause, largest first.
    pub causes: Vec<CauseShare>,
}

/// A finer cause's part of the duration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CauseShare {
    /// The cause.
    pub cause: Cause,
    /// 0 to 1, of the flow's duration.
    pub share: f64,
    /// The same in seconds.
    pub time_s: f64,
}

/// The three shares of the 2007 paper, over their sum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PaperShares {
    /// Receive window.
    pub rlimit: f64,
    /// Send buffer.
    pub slimit: f64,
    /// Congestion window.
    pub climit: f64,
}

/// A stretch of time with one limit; times from the connection's first packet.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Interval {
    /// Start.
    pub start_s: f64,
    /// End.
    pub end_s: f64,
    /// What limited.
    pub limit: Limit,
    /// The finer cause, where one is known.
    pub cause: Option<Cause>,
    /// First frame in it.
    pub first_frame: u64,
    /// Last frame in it.
    pub last_frame: u64,
}

/// One measured number behind a claim.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Evidence {
    /// `E...`; `tcplimit explain` tells more.
    pub code: Code,
    /// What was measured, unit last.
    pub metric: &'static str,
    /// Its value.
    pub value: f64,
    /// What it was compared with, where that is one number.
    pub threshold: Option<f64>,
}

/// The result of the 2007 paper's method, taken literally.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Lu2007 {
    /// Share of the connection's time under `RCV_LIMIT`.
    pub rlimit: f64,
    /// Under `SND_LIMIT`.
    pub slimit: f64,
    /// Under `CWND_LIMIT`.
    pub climit: f64,
    /// Time-weighted mean of wnd, octets.
    pub wnd_mean_bytes: f64,
    /// Mean RTT; `null` without samples.
    pub rtt_mean_us: Option<f64>,
    /// The shadow cwnd of Fig. 1 at the end, octets.
    pub cwnd_end_bytes: f64,
}

/// A code of `tcplimit explain`: `W...` warning, `N...` note, `E...` evidence, `A...` advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Code(pub &'static str);

/// A doubt or a remark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Note {
    /// Its code.
    pub code: Code,
    /// What, where, and what to do.
    pub text: String,
}

//! What can a report say? Plain data, which `verdict` fills and `report` shows, with the codes, the names
//! and the way of writing figures that their texts share.
//!
//! The JSON of a [`Report`] has a public schema (`tcplimit schema`): units in the names, shares 0 to 1,
//! unknown is `null`, enums in `snake_case`, keys in this order. A minor version only adds fields.

mod buffers;
pub mod codes;
mod congestion_control;
mod episodes;
mod explanation;
pub(crate) mod figures;
mod flow;
mod footprint;
mod glance;
mod limits;
mod path;
#[cfg(test)]
pub(crate) mod sample;
mod series;
mod summary;
mod verdict;
mod what_if;
pub(crate) mod words;

use serde::Serialize;

pub use buffers::*;
pub use congestion_control::*;
pub use episodes::*;
pub use explanation::*;
pub use figures::counted;
pub use flow::*;
pub use glance::*;
pub use limits::*;
pub use path::*;
pub use series::*;
pub use summary::*;
pub use verdict::*;
pub use what_if::*;

pub use crate::congestion::{BackOff, ClassBasis, UnknownReason};
pub use crate::cwnd::SlowStartExitCause;
pub use crate::episode::{LossTrigger, OpenedBy, StallCause};
pub use crate::limit::{Cause, Limit};
pub use crate::path::{CapacityMethod, PathVerdict};
pub use crate::series::SentKind;
pub use crate::vantage::Vantage;

use crate::error::Error;

/// Everything that one run found out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Report {
    /// Always `tcplimit/report`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "tcplimit/report")))]
    pub schema: &'static str,
    /// Version of this layout.
    pub schema_version: &'static str,
    /// Version of the program.
    pub tool_version: &'static str,
    /// What was read.
    pub input: Input,
    /// Sums over all flows.
    pub summary: Summary,
    /// One entry per direction that carried data or sent its SYN or FIN again, by stream, client's
    /// direction first. A connection without any has one entry, for the side that opened it.
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
    /// `pcap` or `pcapng` of the first file; `null` where none was read.
    pub format: Option<String>,
    /// Names of the link types met, in order of appearance.
    pub link_types: Vec<String>,
    /// Frames read.
    pub packets: u64,
    /// What the filter let pass; `null` without one.
    pub filter: Option<InputFilter>,
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
    /// Where the file ended early or was damaged; `null` where all of it was read.
    pub damage: Option<Damage>,
    /// Time of the first frame, RFC 3339 with nanoseconds, UTC; `null` without frames.
    pub first_packet_utc: Option<String>,
    /// First to last frame.
    pub duration_s: f64,
}

impl Input {
    /// Why it has no connection `stream`.
    #[must_use]
    pub fn no_connection(&self, stream: u32) -> Error {
        match self.connections {
            0 => Error::NoConnection { is_filtered: self.filter.is_some() },
            connections => Error::NoFlow { stream, connections },
        }
    }
}

/// A filter in tcpdump's language, and what it did. What follows from frames is said of those that
/// passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct InputFilter {
    /// As it was given.
    pub expression: String,
    /// Frames that passed.
    pub packets_passed: u64,
    /// Frames that did not, and were not looked at.
    pub packets_left_out: u64,
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

//! A running analysis at one moment.

use super::{Cause, Limit, Peer};

/// A moment of an analysis.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Glance {
    /// Seconds from the first packet to the last one seen.
    pub time_s: f64,
    /// Packets seen.
    pub packets: u64,
    /// Connections that are followed.
    pub connections: u64,
    /// The flows with the most payload, largest first; at most [`Glance::FLOWS_MAX`].
    pub flows: Vec<GlanceFlow>,
}

/// One flow at that moment.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GlanceFlow {
    /// Number of the connection.
    pub stream: u32,
    /// Who sends.
    pub src: Peer,
    /// Who receives.
    pub dst: Peer,
    /// Payload octets so far.
    pub payload_bytes: u64,
    /// Seconds since the connection's last packet.
    pub quiet_s: f64,
    /// What limited it over the last second that was judged; `None` while nothing was.
    pub limit: Option<(Limit, Option<Cause>)>,
}

impl Glance {
    /// No screen shows more.
    pub const FLOWS_MAX: usize = 64;
}

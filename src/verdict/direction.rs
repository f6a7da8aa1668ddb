//! One direction of a connection as it is judged: its flow, beside the other one.

use super::Findings;
use crate::flow::{Connection, Flow};
use crate::units::{Bytes, Duration, Timestamp};
use crate::vantage::{self, Vantage};

/// A direction of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Direction<'a> {
    pub(super) connection: &'a Connection<()>,
    pub(super) flow: &'a Flow<()>,
    /// The other one.
    pub(super) reverse: &'a Flow<()>,
    /// The connection's first packet and its last; away from the sender, when those of its peer had reached
    /// it, by the same clock as all else that the peer sends. Where the capture ends before the connection
    /// does, so does the flow.
    pub(super) span: (Timestamp, Timestamp),
}

impl<'a> Direction<'a> {
    pub(super) fn new(
        connection: &'a Connection<()>,
        (flow, reverse): (&'a Flow<()>, &'a Flow<()>),
        place: &vantage::Place,
    ) -> Self {
        let is_away = connection.has_handshake && place.position != Vantage::Sender;
        let half = place.sender_half.filter(|_| is_away).unwrap_or_default();
        let reached = |time: Timestamp, is_by_client: bool| {
            if is_by_client == flow.is_client { time } else { time.after(half) }
        };
        let closed = reached(connection.last_time, connection.is_last_from_first);
        let end = if connection.is_closed { closed } else { connection.last_time };
        let start = reached(connection.first_time, true).min(end);
        Self { connection, flow, reverse, span: (start, end) }
    }

    pub(super) fn duration(&self) -> Duration {
        let (start, end) = self.span;
        end.since(start)
    }

    /// Payload octets acknowledged, each once; `None` without any.
    pub(super) fn acked(&self, findings: &Findings) -> Option<Bytes> {
        // Of what no packet was captured nothing but the acknowledgments tells.
        let acked = if self.flow.packets == 0 { self.flow.covered } else { findings.totals.acked };
        (acked > Bytes(0)).then_some(acked)
    }

    /// Bits per second of payload.
    pub(super) fn goodput(&self, findings: &Findings) -> Option<f64> {
        let time = self.duration().as_secs_f64();
        let bits = self.acked(findings)?.as_f64() * 8.0;
        (time > 0.0).then(|| bits / time)
    }
}

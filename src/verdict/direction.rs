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
    /// The connection's first packet. Away from a sender to whom the connection was opened, when that had
    /// reached it, by the same clock as all else that its peer sends: it was no part of it before.
    pub(super) start: Timestamp,
}

impl<'a> Direction<'a> {
    pub(super) fn new(
        connection: &'a Connection<()>,
        (flow, reverse): (&'a Flow<()>, &'a Flow<()>),
        place: &vantage::Place,
    ) -> Self {
        let is_opened_to = connection.has_handshake && !flow.is_client;
        let is_away = is_opened_to && place.position != Vantage::Sender;
        let half = place.sender_half.filter(|_| is_away).unwrap_or_default();
        let start = connection.first_time.after(half).min(connection.last_time);
        Self { connection, flow, reverse, start }
    }

    /// To the connection's last packet.
    pub(super) fn span(&self) -> (Timestamp, Timestamp) {
        (self.start, self.connection.last_time)
    }

    pub(super) fn duration(&self) -> Duration {
        self.connection.last_time.since(self.start)
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

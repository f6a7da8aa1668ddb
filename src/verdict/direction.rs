//! One direction of a connection as it is judged: its flow, beside the other one.

use super::Findings;
use crate::flow::{Connection, Flow};
use crate::units::{Bytes, Duration};

/// A direction of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Direction<'a> {
    pub(super) connection: &'a Connection<()>,
    pub(super) flow: &'a Flow<()>,
    /// The other one.
    pub(super) reverse: &'a Flow<()>,
}

impl Direction<'_> {
    pub(super) fn duration(&self) -> Duration {
        self.connection.last_time.since(self.connection.first_time)
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

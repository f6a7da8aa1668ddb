//! What is the path like that the flow ran over? Takes [`SenderEvent`]s, gives the rate of the
//! bottleneck. Knows nothing of the limits of the sender: whether the path was full, and what the
//! sender waited for, are answers to different questions.

mod busy;
mod capacity;
mod carried;
mod dispersion;
#[cfg(test)]
mod tests;
mod trains;
mod wire_octets;

pub(crate) use capacity::{Capacity, CapacityMethod, Trust};
pub(crate) use dispersion::Dispersion;

use crate::sender::{Acknowledge, SenderEvent};
use busy::{BusyPeriods, Delivery};
use carried::Carried;
use dispersion::Bursts;
use wire_octets::WireOctets;

/// Follows one direction's path.
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    wire: WireOctets,
    busy: BusyPeriods,
    carried: Carried,
    bursts: Bursts,
}

impl Gauge {
    pub(crate) fn on_event(&mut self, event: &SenderEvent) {
        self.bursts.on_event(event);
        match event {
            SenderEvent::Send(send) => {
                self.carried.step(send.time, send.after.flight_size);
                self.wire.on_send(send);
            }
            SenderEvent::Acknowledge(ack) => self.on_ack(ack),
            SenderEvent::Gap(_) => {}
        }
    }

    fn on_ack(&mut self, ack: &Acknowledge) {
        let octets = self.wire.of(ack.newly_delivered);
        self.carried.step(ack.time, ack.after.flight_size);
        self.carried.deliver(octets);
        let Some(base) = ack.after.min_rtt else { return };
        self.busy.on_delivery(&Delivery {
            time: ack.time,
            octets,
            queued: ack.rtt.map(|sample| sample.rtt.saturating_sub(base).as_secs_f64()),
            base: base.as_secs_f64(),
            segment: self.wire.segment,
        });
    }

    pub(crate) fn finish(self) -> Findings {
        let busy = self.busy.finish(self.wire.segment);
        let carried = self.carried.finish();
        Findings {
            capacity: capacity::estimate(&busy, carried),
            dispersion: self.bursts.finish(),
            busy_s: busy.seconds,
        }
    }
}

/// What was found out about the path.
#[derive(Debug)]
pub(crate) struct Findings {
    /// `None` where no queue stood for a whole unloaded round trip, and what the flow carried is far
    /// below what its bursts passed at.
    pub(crate) capacity: Option<Capacity>,
    /// `None` where no burst shows it.
    pub(crate) dispersion: Option<Dispersion>,
    /// Time in which the bottleneck is known to have worked without a pause, seconds.
    pub(crate) busy_s: f64,
}

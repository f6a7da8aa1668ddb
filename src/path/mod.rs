//! What is the path like that the flow ran over? Takes [`SenderEvent`]s, gives the rate of the
//! bottleneck, its queue over time, and what kind of path it is. Knows nothing of the limits of the
//! sender: whether the path was full, and what the sender waited for, are answers to different
//! questions.

mod bucket;
mod busy;
mod capacity;
mod carried;
mod dispersion;
mod judge;
mod losses;
mod queueing;
mod shaper;
#[cfg(test)]
mod tests;
mod track;
mod trains;
mod wire_octets;

pub(crate) use capacity::{Capacity, CapacityMethod, Trust};
pub(crate) use dispersion::Dispersion;
pub(crate) use judge::Kind;
pub(crate) use queueing::{Queued, Queueing};

use crate::sender::{Acknowledge, RetransmitCause, Send, SendKind, SenderEvent};
use crate::units::{Bytes, Duration, Timestamp};
use busy::{BusyPeriods, Delivery, Stretch};
use carried::Carried;
use dispersion::Bursts;
use judge::Facts;
use losses::{Loss, Losses};
use track::Track;
use wire_octets::WireOctets;

/// Follows one direction's path.
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    wire: WireOctets,
    busy: BusyPeriods,
    carried: Carried,
    bursts: Bursts,
    track: Track,
    losses: Losses,
    /// Octets of frames known to have passed.
    passed: f64,
    last_delivery: Option<Timestamp>,
    /// The last prompt sample, seconds.
    last_rtt: f64,
    /// The receiver has told of what it has beyond a gap.
    has_sack: bool,
    /// ACKs that echoed a congestion mark.
    echoes: u64,
    /// The smallest sample.
    base: Duration,
}

impl Gauge {
    pub(crate) fn on_event(&mut self, event: &SenderEvent) {
        self.bursts.on_event(event);
        match event {
            SenderEvent::Send(send) => {
                self.carried.step(send.time, send.after.flight_size);
                self.wire.on_send(send);
                self.on_resend(send);
            }
            SenderEvent::Acknowledge(ack) => self.on_ack(ack),
            SenderEvent::Gap(_) => {}
        }
    }

    fn on_ack(&mut self, ack: &Acknowledge) {
        let octets = self.wire.of(ack.newly_delivered);
        self.carried.step(ack.time, ack.after.flight_size);
        self.carried.deliver(octets);
        self.echoes = self.echoes.saturating_add(u64::from(ack.has_ece));
        if ack.passed_over > Bytes(0) {
            self.lose(ack.time, ack.passed_over);
        }
        self.has_sack |= ack.newly_sacked > Bytes(0);
        let Some(base) = ack.after.min_rtt else { return };
        self.base = base;
        if octets > 0.0 {
            self.deliver(ack.time, octets);
        }
        if let Some(sample) = ack.rtt.filter(|_| is_prompt(ack)) {
            self.last_rtt = sample.rtt.as_secs_f64();
            self.track.sample(ack.time, self.passed, self.last_rtt, self.wire.segment);
        }
        self.busy.on_delivery(&Delivery {
            time: ack.time,
            octets,
            queued: ack.rtt.map(|sample| sample.rtt.saturating_sub(base).as_secs_f64()),
            base: base.as_secs_f64(),
            segment: self.wire.segment,
        });
    }

    /// Where the receiver does not tell what it has beyond a gap (no SACK), the repair shows the loss.
    fn on_resend(&mut self, send: &Send) {
        let is_repair = matches!(
            send.kind,
            SendKind::Retransmit(RetransmitCause::Fast | RetransmitCause::Timeout)
        );
        if is_repair && !self.has_sack && send.len > Bytes(0) {
            self.lose(send.time, send.len);
        }
    }

    fn lose(&mut self, now: Timestamp, payload: Bytes) {
        self.losses.push(Loss {
            time: self.last_delivery.unwrap_or(now),
            passed: self.passed,
            octets: self.wire.of(payload),
            rtt: self.last_rtt,
        });
    }

    fn deliver(&mut self, now: Timestamp, octets: f64) {
        let pause = self.base.saturating_mul(2).max(PAUSE_MIN);
        if self.last_delivery.is_some_and(|last| now.since(last) > pause) {
            self.track.pause(now, self.passed);
        }
        self.last_delivery = Some(now);
        self.passed += octets;
        self.losses.deliver(now, self.passed, self.base);
    }

    pub(crate) fn finish(self) -> Findings {
        let base = self.base.as_secs_f64();
        let segment = self.wire.segment;
        let rtt_max = self.track.rtt_max;
        let points = self.track.into_points();
        let busy = self.busy.finish(segment);
        let carried = self.carried.finish();
        let capacity = capacity::estimate(&busy, carried);
        let over = |rate: f64| capacity.as_ref().map(|capacity| rate / capacity.bps);
        let policer = bucket::fit(&points, &self.losses, base, segment);
        let burst = capacity
            .as_ref()
            .and_then(|capacity| shaper::burst(&points, capacity.bps / 8.0, base, segment))
            .unwrap_or_default();
        let facts = Facts {
            capacity: capacity.as_ref(),
            used: carried.and_then(|carried| over(carried.rate())).unwrap_or_default(),
            busy: carried.map_or(0.0, |carried| busy.seconds / carried.seconds),
            own: over(Stretch::sum(&busy.stretches).rate()).filter(|own| own.is_finite()),
            policer: policer.as_ref(),
            burst,
            segment,
            base,
            queued_max: rtt_max - base,
            losses: &self.losses.list,
            loss_rate: self.losses.rate(self.passed),
            loss_rank: queueing::rank(&points, base, self.losses.queued(base)),
            has_sack: self.has_sack,
            echoes: self.echoes,
            passed: self.passed,
        };
        let (kind, trust) = judge::judge(&facts);
        let (used, loss_rate) = (capacity.map(|_| facts.used), facts.loss_rate);
        let shaper = capacity.map(|capacity| TokenBucket::new(capacity.bps / 8.0, burst));
        Findings {
            kind,
            trust,
            capacity,
            used,
            dispersion: self.bursts.finish(),
            busy_s: busy.seconds,
            bucket: match kind {
                Kind::Policed => policer.map(|found| TokenBucket::new(found.rate, found.burst)),
                Kind::Shaped => shaper,
                _ => None,
            },
            loss_rate,
            losses: self.losses.count,
            queueing: queueing::summarize(&points, base, rtt_max),
        }
    }
}

/// The bucket of a policer or a shaper.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenBucket {
    pub(crate) rate_bps: f64,
    pub(crate) burst_bytes: f64,
}

impl TokenBucket {
    fn new(octets_per_s: f64, burst_bytes: f64) -> Self {
        Self { rate_bps: octets_per_s * 8.0, burst_bytes }
    }
}

/// A shorter one may be the pause between two bursts of a round trip.
const PAUSE_MIN: Duration = Duration::from_millis(20);

/// A receiver delays the ACK of a lone segment.
fn is_prompt(ack: &Acknowledge) -> bool {
    ack.after.flight_size > Bytes(0) || ack.newly_sacked > Bytes(0)
}

/// What was found out about the path.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) kind: Kind,
    /// How well that is founded.
    pub(crate) trust: Trust,
    /// `None` where no queue stood for a whole unloaded round trip, and what the flow carried is far
    /// below what its bursts passed at.
    pub(crate) capacity: Option<Capacity>,
    /// `None` where no burst shows it.
    pub(crate) dispersion: Option<Dispersion>,
    /// What was carried while data was in flight, over the capacity.
    pub(crate) used: Option<f64>,
    /// Time in which the bottleneck is known to have worked without a pause, seconds.
    pub(crate) busy_s: f64,
    /// Where the path is policed or shaped.
    pub(crate) bucket: Option<TokenBucket>,
    /// Octets that the receiver's answers passed over, lost or late, over all sent.
    pub(crate) loss_rate: f64,
    /// Gaps of them.
    pub(crate) losses: u64,
    /// `None` where nothing was acknowledged promptly.
    pub(crate) queueing: Option<Queueing>,
}

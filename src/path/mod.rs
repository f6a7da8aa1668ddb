//! What is the path like that the flow ran over? Takes [`SenderEvent`]s, gives the rate of the
//! bottleneck, its queue over time, and what kind of path it is. Knows nothing of the limits of the
//! sender: whether the path was full, and what the sender waited for, are answers to different
//! questions.

mod bucket;
mod busy;
mod capacity;
mod carried;
mod deficit;
mod dispersion;
mod gaps;
mod joint;
mod judge;
mod legs;
mod losses;
mod queueing;
mod record;
#[cfg(test)]
mod tests;
mod tokens;
mod track;
mod trains;
mod wire_octets;

pub(crate) use capacity::{Capacity, CapacityMethod, Trust};
pub(crate) use dispersion::Dispersion;
pub(crate) use joint::{Joint, join};
pub(crate) use judge::Kind;
pub(crate) use queueing::{Queued, Queueing};
pub(crate) use record::Record;

use crate::sender::{Acknowledge, RetransmitCause, Send, SendKind, SenderEvent};
use crate::units::heap;
use crate::units::{Bytes, Duration, StreamOffset, Timestamp};
use bucket::{Bucket, Owner};
use busy::{BusyPeriods, Delivery, Stretch};
use carried::Carried;
use deficit::Curve;
use dispersion::Bursts;
use gaps::Gaps;
use judge::Facts;
use losses::{Loss, Losses};
use track::{Place, Track};
use wire_octets::WireOctets;

/// Follows one direction's path.
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    wire: WireOctets,
    busy: BusyPeriods,
    carried: Carried,
    bursts: Bursts,
    track: Track,
    gaps: Gaps,
    losses: Losses,
    /// Octets of frames known to have passed.
    passed: f64,
    last_delivery: Option<Timestamp>,
    /// The last prompt sample, seconds.
    last_rtt: f64,
    /// One past the highest octet that the receiver has told to have.
    highest: StreamOffset,
    /// When the newest of what was delivered had been sent.
    last_sent: Timestamp,
    /// The receiver has told of what it has beyond a gap.
    has_sack: bool,
    /// ACKs that echoed a congestion mark.
    echoes: u64,
    /// The smallest sample.
    base: Duration,
}

impl Gauge {
    /// Octets held beside its own size.
    pub(crate) fn memory(&self) -> usize {
        let Self { busy, bursts, track, gaps, losses, .. } = self;
        let parts = [busy.memory(), bursts.memory(), track.memory(), gaps.memory()];
        heap::sum(&parts).saturating_add(losses.memory())
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "where it is called the kind is known")]
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
            let start = self.highest.max(ack.after.snd_una);
            let loss = Loss { at: self.before_gap(ack), ..self.loss(ack.time, ack.passed_over) };
            self.losses.note();
            self.gaps.open(loss, ack.time, (start, ack.highest));
        }
        self.highest = self.highest.max(ack.highest);
        while let Some(loss) = self.gaps.lost(ack.time, ack.after.snd_una, self.base) {
            self.losses.push(loss);
        }
        self.has_sack |= ack.newly_sacked > Bytes(0);
        let Some(base) = ack.after.min_rtt else { return };
        self.base = base;
        if octets > 0.0 {
            self.deliver(ack, octets);
        }
        if let Some(sample) = ack.rtt.filter(|_| is_prompt(ack)) {
            self.last_rtt = sample.rtt.as_secs_f64();
            let at = Place { time: ack.time, sent: self.last_sent, passed: self.passed };
            self.track.sample(at, self.last_rtt, self.wire.segment);
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
        if is_repair {
            self.gaps.on_resend(send.end());
        }
        if is_repair && !self.has_sack && send.len > Bytes(0) {
            self.losses.note();
            let loss = self.loss(send.time, send.len);
            self.losses.push(loss);
        }
    }

    /// What was lost behind all that was delivered so far.
    fn loss(&self, now: Timestamp, payload: Bytes) -> Loss {
        Loss {
            at: Place {
                time: self.last_delivery.unwrap_or(now),
                sent: self.last_sent,
                passed: self.passed,
            },
            octets: self.wire.of(payload),
            rtt: self.last_rtt,
        }
    }

    /// How far the flow had come when what `ack` tells to be missing went out. The same ACK may be the
    /// first to cover what lies before the gap; and the end of a burst is only missed once something of
    /// the next has come.
    fn before_gap(&self, ack: &Acknowledge) -> Place {
        let below = ack.newly_delivered.saturating_sub(ack.newly_sacked);
        let sent = ack.passed_over_sent.unwrap_or(self.last_sent);
        if let Some(earlier) = self.losses.before(sent) {
            return Place { sent, ..earlier };
        }
        let time = self.last_delivery.unwrap_or(ack.time);
        Place { time, sent, passed: self.passed + self.wire.of(below) }
    }

    /// When the newest of what was delivered had been sent.
    fn sent(&self, ack: &Acknowledge) -> Timestamp {
        let rtt = ack.rtt.map_or(self.base, |sample| sample.rtt);
        self.last_sent.max(ack.time.before(rtt))
    }

    fn deliver(&mut self, ack: &Acknowledge, octets: f64) {
        let now = ack.time;
        let pause = self.base.saturating_mul(2).max(PAUSE_MIN);
        if self.last_delivery.is_some_and(|last| now.since(last) > pause) {
            self.track.pause(now, self.passed);
        }
        self.last_delivery = Some(now);
        self.last_sent = self.sent(ack);
        self.passed += octets;
        let at = Place { time: now, sent: self.last_sent, passed: self.passed };
        self.losses.deliver(at, self.base, self.wire.segment);
    }

    pub(crate) fn finish(mut self) -> Findings {
        for loss in std::mem::take(&mut self.gaps).rest() {
            self.losses.push(loss);
        }
        let base = self.base.as_secs_f64();
        let segment = self.wire.segment;
        let rtt_max = self.track.rtt_max;
        let points = self.track.into_points();
        let busy = self.busy.finish(segment);
        let carried = self.carried.finish();
        let capacity = capacity::estimate(&busy, carried);
        let over = |rate: f64| capacity.as_ref().map(|capacity| rate / capacity.bps);
        let queued = self.losses.queued(base);
        let dispersion = self.bursts.finish();
        let trains = dispersion.map(|found| self.wire.of_rate(found.low_bps) / 8.0);
        let is_enough = bucket::is_enough(self.losses.list.len(), self.losses.octets, segment);
        let curve = is_enough.then(|| Curve::new(&points, &self.losses, base, segment));
        let fitted = curve.and_then(|curve| bucket::fit(&curve, &self.losses.list, base));
        let bucket = fitted.and_then(|found| Some((found, found.owner(queued, trains)?)));
        let is_policer = bucket.is_some_and(|(_, owner)| owner == Owner::Policer);
        let is_served = |bucket: &Bucket| capacity.is_none_or(|found| bucket.is_served(&found));
        let shaper = fitted
            .filter(|found| !is_policer && is_served(found))
            .and_then(|found| Some(TokenBucket::new(found.rate, found.tokens(queued, segment)?)))
            .or_else(|| {
                let rate = capacity.as_ref()?.bps / 8.0;
                let found = tokens::of_one(&points, rate, base, segment)?;
                Some(TokenBucket::new(found.rate, found.octets))
            });
        let facts = Facts {
            capacity: capacity.as_ref(),
            used: carried.and_then(|carried| over(carried.rate())).unwrap_or_default(),
            busy: carried.map_or(0.0, |carried| busy.seconds / carried.seconds),
            own: over(Stretch::sum(&busy.stretches).rate()).filter(|own| own.is_finite()),
            bucket,
            tokens: shaper.map(|found| found.burst_bytes),
            segment,
            base,
            queued_max: rtt_max - base,
            losses: &self.losses.list,
            loss_rate: self.losses.rate(self.passed),
            loss_rank: queueing::rank(&points, base, queued),
            clustering: carried.map_or(1.0, |all| self.losses.clustering(all, base, segment)),
            episode_rank: queueing::rank(&points, base, self.losses.queued_first(base)),
            has_sack: self.has_sack,
            echoes: self.echoes,
            passed: self.passed,
        };
        let (kind, trust) = judge::judge(&facts);
        let (used, loss_rate, standing) =
            (capacity.map(|_| facts.used), facts.loss_rate, facts.busy);
        let policer = facts.policer().filter(Bucket::is_rate_told);
        let policer = policer.map(|found| TokenBucket::new(found.rate, found.burst));
        let mut findings = Findings {
            kind,
            trust,
            capacity,
            used,
            dispersion,
            busy_s: busy.seconds,
            bucket: match kind {
                Kind::Policed => policer,
                Kind::Shaped => shaper,
                _ => None,
            },
            payload_share: 1.0 / self.wire.of_rate(1.0),
            loss_rate,
            losses: self.losses.count,
            queueing: queueing::summarize(&points, base, rtt_max),
            record: (self.passed >= judge::PASSED_MIN * segment).then_some(Record {
                losses: self.losses,
                points,
                base,
                segment,
                trains,
                has_sack: self.has_sack,
                busy: standing,
                capacity,
            }),
        };
        findings.drop_explained();
        findings
    }
}

/// The bucket of a policer or a shaper.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenBucket {
    pub(crate) rate_bps: f64,
    pub(crate) burst_bytes: f64,
    /// Flows of the capture that are known to take its tokens.
    pub(crate) flows: usize,
    /// This flow's part of what they passed while it ran.
    pub(crate) share: f64,
}

impl TokenBucket {
    /// Of one flow.
    fn new(octets_per_s: f64, burst_bytes: f64) -> Self {
        Self { rate_bps: octets_per_s * 8.0, burst_bytes, flows: 1, share: 1.0 }
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
    /// Payload of what passed, over whole frames.
    pub(crate) payload_share: f64,
    /// Octets that the receiver's answers passed over and that did not just come late, over all sent.
    pub(crate) loss_rate: f64,
    /// Gaps of them.
    pub(crate) losses: u64,
    /// `None` where nothing was acknowledged promptly.
    pub(crate) queueing: Option<Queueing>,
    /// To be laid beside those of other flows; `None` of a flow too short for that.
    pub(crate) record: Option<Record>,
}

impl Findings {
    /// Takes a policer or a shaper that is shared with others for the reason of the losses, unless
    /// something is better founded. `share` is this flow's part. Says whether it did.
    pub(crate) fn share(&mut self, joint: &Joint, share: f64) -> bool {
        let is_better = match self.kind {
            Kind::Lossy | Kind::NotFull | Kind::Shared | Kind::Unknown => true,
            Kind::Policed | Kind::Shaped => self.kind == joint.kind && joint.trust <= self.trust,
            Kind::BottleneckFull => joint.kind == Kind::Shaped,
            Kind::AqmOrEcn => false,
        };
        if is_better {
            self.kind = joint.kind;
            self.trust = joint.trust;
            self.bucket = Some(TokenBucket { share, ..joint.bucket });
            self.drop_explained();
        }
        is_better
    }

    /// What passes a policer comes at its rate in the long run: a capacity of no more is that, and no link.
    fn drop_explained(&mut self) {
        let policer = self.bucket.filter(|_| self.kind == Kind::Policed);
        let is_policer_s = |capacity: &Capacity| {
            policer.is_some_and(|bucket| bucket.rate_bps >= judge::LINE * capacity.bps)
        };
        if self.capacity.as_ref().is_some_and(is_policer_s) {
            (self.capacity, self.used) = (None, None);
        }
    }
}

//! What is the path like that the flow ran over? Takes [`SenderEvent`]s, gives the rate of the
//! bottleneck, its queue over time, and what kind of path it is. Knows nothing of the limits of the
//! sender: whether the path was full, and what the sender waited for, are answers to different
//! questions.

mod bucket;
mod busy;
mod capacity;
mod carried;
mod controls;
mod deficit;
mod dispersion;
mod excess;
mod findings;
mod gaps;
mod joint;
mod judge;
mod legs;
mod losses;
mod prompt;
mod queueing;
mod record;
mod stretch;
#[cfg(test)]
mod tests;
mod together;
mod tokens;
mod track;
mod trains;
mod way_back;
mod whole;
mod wire_octets;

pub use capacity::CapacityMethod;
pub(crate) use capacity::{Capacity, Trust};
pub(crate) use dispersion::Dispersion;
pub(crate) use findings::{Findings, TokenBucket};
pub(crate) use joint::join;
pub(crate) use judge::FULL;
pub use judge::PathVerdict;
pub(crate) use queueing::{FELT_S, Queued, Queueing};
pub(crate) use record::Record;

use crate::sender::{Acknowledge, RetransmitCause, Send, SendKind, SenderEvent};
use crate::units::heap;
use crate::units::{Bytes, Duration, StreamOffset, Timestamp};
use busy::{BusyPeriods, Delivery, Sample};
use carried::Carried;
use dispersion::Bursts;
use gaps::Gaps;
use losses::{Loss, Losses};
use track::{Place, Track};
use whole::Whole;
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
    /// What the receiver's answers were the first to pass over, octets of frames.
    missing: f64,
    losses: Losses,
    /// Octets of frames known to have passed.
    passed: f64,
    last_delivery: Option<Timestamp>,
    /// The last prompt sample.
    last_rtt: Duration,
    /// When that came.
    last_rtt_at: Timestamp,
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
    base_seconds: f64,
    /// One tick of the capture's clock; zero where it is fine. Delay below one tick does not count as a
    /// queue.
    tick: Duration,
    /// Round trips up to this may have met none.
    unqueued: Duration,
    /// Twice the smallest sample: what follows a longer silence is no steady flow.
    twice_base: Duration,
    /// See [`Losses::deliver`].
    spacing: Duration,
}

impl Gauge {
    /// Octets held beside its own size.
    pub(crate) fn memory(&self) -> usize {
        let Self { busy, bursts, track, gaps, losses, .. } = self;
        let parts = [busy.memory(), bursts.memory(), track.memory(), gaps.memory()];
        heap::sum(&parts).saturating_add(losses.memory())
    }

    /// Hardly anything will come any more: gives back the room that is held for more.
    pub(crate) fn settle(&mut self) {
        self.track.settle();
        self.losses.settle();
    }

    /// The times are read from a clock of this tick. What was made of them before is dropped: it took them
    /// for exact.
    pub(crate) fn on_tap_tick(&mut self, tick: Duration) {
        self.tick = tick;
        self.busy = BusyPeriods::of_clock(tick);
        self.bursts = Bursts::of_clock(tick, &self.bursts);
        self.rebase(self.base);
    }

    /// The round trips so far were too short: what was made of them is dropped.
    pub(crate) fn on_way_found(&mut self) {
        *self = Self {
            wire: std::mem::take(&mut self.wire),
            // For the segment's size; what it measured goes with the rest.
            bursts: std::mem::take(&mut self.bursts),
            highest: self.highest,
            has_sack: self.has_sack,
            echoes: self.echoes,
            tick: self.tick,
            ..Self::default()
        };
        self.on_tap_tick(self.tick);
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "where it is called the kind is known")]
    pub(crate) fn on_event(&mut self, event: &SenderEvent) {
        self.bursts.on_event(event);
        match event {
            SenderEvent::Send(send) => {
                self.carried.step(send.time, send.after.flight_size);
                self.wire.on_send(send);
                if is_repair(send.kind) {
                    self.on_repair(send);
                }
            }
            SenderEvent::Acknowledge(ack) => self.on_ack(ack),
            SenderEvent::Gap(_) => {}
        }
    }

    fn on_ack(&mut self, ack: &Acknowledge) {
        let octets = self.wire.of(ack.newly_delivered);
        self.carried.step(ack.time, ack.after.flight_size);
        self.carried.deliver(octets);
        if ack.has_ece {
            self.echoes = self.echoes.saturating_add(1);
        }
        let highest = self.highest;
        if ack.passed_over > Bytes(0) {
            self.open_gap(ack);
        }
        self.highest = highest.max(ack.highest);
        if !self.gaps.is_empty() {
            self.settle_gaps(ack);
        }
        self.has_sack |= ack.newly_sacked > Bytes(0);
        let Some(base) = ack.after.min_rtt else { return };
        if base != self.base {
            self.rebase(base);
        }
        if octets > 0.0 {
            self.deliver(ack, octets);
        }
        let has_second = octets >= BusyPeriods::TRAIN_MIN * self.wire.segment;
        let sample = prompt::fresh(ack, highest);
        let is_prompt =
            sample.is_some_and(|sample| prompt::is_prompt(ack, sample, base, has_second));
        if let Some(sample) = sample.filter(|_| is_prompt) {
            (self.last_rtt, self.last_rtt_at) = (sample.rtt, ack.time);
            let at = Place { time: ack.time, sent: self.last_sent, passed: self.passed };
            self.track.sample(at, sample, (self.wire.segment, self.missing));
        }
        // The last two of a burst wait for nobody, and the bottleneck had both.
        let told = sample.filter(|_| is_prompt || has_second);
        self.busy.on_delivery(&Delivery {
            time: ack.time,
            octets,
            sample: told.map(|sample| Sample {
                sent: ack.time.before(sample.rtt),
                queued: sample.rtt.saturating_sub(self.unqueued),
            }),
            base: self.base_seconds,
            segment: self.wire.segment,
        });
    }

    #[inline(never)]
    fn open_gap(&mut self, ack: &Acknowledge) {
        let start = self.highest.max(ack.after.snd_una);
        let at = self.before_gap(ack);
        let mut loss = Loss { at, ..self.loss(ack.time, ack.passed_over) };
        // Whichever was sent nearer to it met more nearly what it met.
        if let Some(beyond) = prompt::fresh(ack, self.highest) {
            let ago = |sent: Timestamp| at.sent.since(sent).max(sent.since(at.sent));
            if ago(ack.time.before(beyond.rtt)) < ago(self.last_rtt_at.before(self.last_rtt)) {
                loss.rtt = beyond.rtt.as_secs_f64();
            }
        }
        self.losses.note();
        self.missing += loss.octets;
        self.gaps.open(loss, ack.time, (start, ack.highest));
    }

    #[inline(never)]
    fn settle_gaps(&mut self, ack: &Acknowledge) {
        while let Some(loss) = self.gaps.lost(ack.time, ack.after.snd_una, self.base) {
            self.losses.push(loss, self.base_seconds);
        }
    }

    fn rebase(&mut self, base: Duration) {
        self.base = base;
        // The smallest sample of many is too small by up to a tick, the others are not.
        self.unqueued = base.saturating_add(self.tick);
        self.base_seconds = base.as_secs_f64();
        self.twice_base = base.saturating_mul(2);
        self.spacing = base.checked_div(Losses::PER_ROUND_TRIP).unwrap_or_default();
    }

    /// Where the receiver does not tell what it has beyond a gap (no SACK), the repair shows the loss.
    #[inline(never)]
    fn on_repair(&mut self, send: &Send) {
        self.gaps.on_resend(send.end());
        if !self.has_sack && send.len > Bytes(0) {
            self.losses.note();
            let loss = self.loss(send.time, send.len);
            self.losses.push(loss, self.base_seconds);
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
            rtt: self.last_rtt.as_secs_f64(),
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
        let pause = self.twice_base.max(PAUSE_MIN);
        if self.last_delivery.is_some_and(|last| now.since(last) > pause) {
            self.track.pause(now, self.passed);
        }
        self.last_delivery = Some(now);
        self.last_sent = self.sent(ack);
        self.passed += octets;
        let at = Place { time: now, sent: self.last_sent, passed: self.passed };
        self.losses.deliver(at, self.spacing, self.wire.segment);
    }

    pub(crate) fn finish(mut self) -> Findings {
        for loss in std::mem::take(&mut self.gaps).rest() {
            self.losses.push(loss, self.base_seconds);
        }
        let rtt_max = self.track.rtt_max.as_secs_f64();
        let busy = self.busy.finish(self.wire.segment);
        let carried = self.carried.finish();
        let dispersion = self.bursts.finish();
        let record = Record {
            points: self.track.into_points(),
            losses: self.losses,
            base: self.base.as_secs_f64(),
            segment: self.wire.segment,
            trains: dispersion.map(|found| self.wire.of_rate(found.low_bps) / 8.0),
            has_sack: self.has_sack,
            busy: carried.map_or(0.0, |carried| busy.seconds / carried.seconds),
            capacity: capacity::estimate(&busy, carried),
            tick: self.tick.as_secs_f64(),
        };
        let payload_share = 1.0 / self.wire.of_rate(1.0);
        let (passed, echoes) = (self.passed, self.echoes);
        let tick = self.tick.as_secs_f64();
        Whole { record, busy, carried, dispersion, rtt_max, payload_share, passed, echoes, tick }
            .findings()
    }
}

/// A shorter one may be the pause between two bursts of a round trip.
const PAUSE_MIN: Duration = Duration::from_millis(20);

fn is_repair(kind: SendKind) -> bool {
    matches!(kind, SendKind::Retransmit(RetransmitCause::Fast | RetransmitCause::Timeout))
}

//! All that was seen of a flow's path, when the flow is over, and what follows from it.

use super::bucket::{self, Bucket, Owner};
use super::busy::Found;
use super::capacity::Capacity;
use super::deficit::Curve;
use super::excess;
use super::judge::{self, Facts, PathVerdict};
use super::losses::Loss;
use super::stretch::Stretch;
use super::track::Mark;
use super::{Dispersion, Findings, Queueing, Record, TokenBucket, Trust, queueing, tokens};

/// What `Gauge` hands over at a flow's end.
pub(super) struct Whole {
    pub(super) record: Record,
    pub(super) busy: Found,
    /// What was delivered over the time with data in flight.
    pub(super) carried: Option<Stretch>,
    pub(super) dispersion: Option<Dispersion>,
    /// Seconds.
    pub(super) rtt_max: f64,
    /// Payload of what passed, over whole frames.
    pub(super) payload_share: f64,
    /// Octets of frames known to have passed.
    pub(super) passed: f64,
    /// ACKs that echoed a congestion mark.
    pub(super) echoes: u64,
    /// One tick of the capture's clock, seconds; 0 where it is fine.
    pub(super) tick: f64,
}

impl Whole {
    pub(super) fn findings(mut self) -> Findings {
        let queueing = queueing::summarize(&self.record.points, self.record.base, self.rtt_max);
        let is_way_back = queueing.as_ref().is_some_and(Queueing::is_mostly_on_way_back);
        if is_way_back {
            self.leave_way_back(queueing.as_ref().is_some_and(Queueing::is_on_way_back_alone));
        }
        let fitted = self.fitted();
        let bucket = fitted.and_then(|found| Some((found, self.owner(&found)?)));
        let is_policer = bucket.is_some_and(|(_, owner)| owner == Owner::Policer);
        let shaper = self.shaper(fitted.filter(|_| !is_policer).as_ref());
        if shaper.is_none() {
            self.drop_exceeded();
        }
        let episodes = self.record.losses.episodes(self.record.base);
        let facts = self.facts(bucket, shaper, &episodes, is_way_back);
        let (kind, trust) = judge::judge(&facts);
        let policer = facts.policer().filter(Bucket::is_rate_told);
        let policer = policer.map(|found| TokenBucket::new(found.rate, found.burst));
        let Facts { used, loss_rate, segment, .. } = facts;
        let Self { record, passed, .. } = self;
        let mut findings = Findings {
            kind,
            trust,
            capacity: record.capacity,
            used,
            dispersion: self.dispersion,
            busy_s: self.busy.seconds,
            bucket: match kind {
                PathVerdict::Policed => policer,
                PathVerdict::Shaped => shaper,
                _ => None,
            },
            payload_share: self.payload_share,
            loss_rate,
            losses: record.losses.count,
            queueing,
            record: Some(record).filter(|_| passed >= judge::PASSED_MIN * segment && !is_way_back),
        };
        findings.drop_explained();
        findings
    }

    /// ACKs queue on the way back: their rate is that of the way back, unless a queue stands on the way
    /// there too, beside which it `is_alone`.
    fn leave_way_back(&mut self, is_alone: bool) {
        self.dispersion = None;
        self.busy.stretches.clear();
        if is_alone {
            self.record.capacity = None;
            (self.record.busy, self.busy.seconds) = (0.0, 0.0);
        } else if let Some(capacity) = &mut self.record.capacity {
            capacity.trust = Trust::Doubtful;
        }
    }

    /// A capacity below what was carried is none, but where a burst passed before it held.
    fn drop_exceeded(&mut self) {
        let is_possible = |found: &Capacity| self.carried.is_none_or(|all| found.lets_pass(all));
        self.record.capacity = self.record.capacity.filter(is_possible);
    }

    /// Median queueing delay at the losses, seconds.
    fn queued(&self) -> f64 {
        self.record.losses.queued(self.record.base)
    }

    /// The token bucket that fits the losses best; `None` of too few.
    fn fitted(&self) -> Option<Bucket> {
        let Record { points, losses, base, segment, .. } = &self.record;
        let is_enough = bucket::is_enough(losses.list.len(), losses.octets, *segment);
        let curve = is_enough.then(|| Curve::new(points, losses, *base, self.blur()))?;
        let lost: Vec<Mark> = losses.list.iter().map(|loss| loss.at.mark()).collect();
        let excess = excess::of(points, losses, *base);
        bucket::fit(&curve, &lost, *base, excess.as_ref())
    }

    /// Octets of frames: what is known to a segment at the best is known to what passed in a tick.
    fn blur(&self) -> f64 {
        let a_tick = self.carried.map_or(0.0, |carried| carried.rate() / 8.0 * self.tick);
        self.record.segment.max(a_tick)
    }

    /// `None` also where the clock may hide a queue, or make one: half of the samples are told to a tick.
    fn owner(&self, fitted: &Bucket) -> Option<Owner> {
        let owner = |error: f64| fitted.owner(self.queued() + error, self.record.trains);
        owner(-self.tick).filter(|found| owner(self.tick) == Some(*found))
    }

    /// `fitted` is the bucket of the losses where it is no policer's.
    fn shaper(&self, fitted: Option<&Bucket>) -> Option<TokenBucket> {
        let Record { points, base, capacity, .. } = &self.record;
        let is_served = |bucket: &&Bucket| capacity.is_none_or(|found| bucket.is_served(&found));
        let by_losses = fitted.filter(is_served).and_then(|found| {
            Some(TokenBucket::new(found.rate, found.tokens(self.queued(), self.blur())?))
        });
        by_losses.or_else(|| {
            let rate = capacity.as_ref()?.bps / 8.0;
            let found = tokens::of_one(points, rate, *base, self.blur())?;
            Some(TokenBucket::new(found.rate, found.octets))
        })
    }

    fn facts<'a>(
        &'a self,
        bucket: Option<(Bucket, Owner)>,
        shaper: Option<TokenBucket>,
        episodes: &'a [Loss],
        is_way_back: bool,
    ) -> Facts<'a> {
        let Self { record, busy, carried, passed, .. } = self;
        let Record { points, losses, base, segment, .. } = record;
        let capacity = record.capacity.as_ref();
        let known = capacity.filter(|found| found.is_known());
        let stood = Stretch::sum(&busy.stretches);
        let over = |stretch: Stretch| known.map(|found| stretch.rate() / found.bps);
        Facts {
            capacity,
            used: carried.and_then(over),
            busy: record.busy,
            stood: carried.map_or(0.0, |all| stood.seconds / all.seconds),
            own: over(stood).filter(|own| own.is_finite()),
            bucket,
            trains: record.trains,
            tokens: shaper.map(|found| found.burst_bytes),
            segment: *segment,
            base: *base,
            short: queueing::rank(points, *base, base.max(queueing::FELT_S).max(2.0 * self.tick)),
            tick: self.tick,
            blur: self.blur(),
            queued_max: self.rtt_max - base,
            episodes,
            loss_rate: losses.rate(*passed),
            loss_rank: queueing::rank(points, *base, self.queued()),
            clustering: carried.map_or(1.0, |all| losses.clustering(all, *base, *segment)),
            episode_rank: queueing::rank(points, *base, losses.queued_first(*base)),
            has_sack: record.has_sack,
            echoes: self.echoes,
            is_way_back,
            passed: *passed,
        }
    }
}

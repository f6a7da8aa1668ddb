//! Do several flows take the tokens of one bucket, or fill one link together? Seen from one of them, the
//! bucket is empty at any time, and the link has room. So the curves of all are added up on the capture's
//! clock, and a policer's bucket is fitted to the sum and to all their losses as to one flow's (see the
//! module `bucket`), a shaper's to how long all of them waited (see the module `tokens`). Without a bucket
//! the sum is held against the rate of the link, where one of them knows it.
//!
//! Between two known places of a flow its curve is taken for straight.

mod added;

use added::added;

use super::TokenBucket;
use super::bucket::{self, Bucket, Owner};
use super::capacity::{Capacity, Trust};
use super::deficit::{self, Curve, Step};
use super::judge::{self, FULL, HARDLY_STANDING, PathVerdict, STANDING};
use super::record::Record;
use super::stretch::Stretch;
use super::tokens::{self, Waited};
use super::track::{Mark, Point};
use crate::units::{Timestamp, len_as_f64, median};

/// A policer, a shaper or a full link that several flows share.
#[derive(Debug, Clone)]
pub(crate) struct Joint {
    /// Policed, shaped or shared.
    pub(crate) kind: PathVerdict,
    /// `None` of a link.
    pub(crate) bucket: Option<TokenBucket>,
    /// The rate that a link let pass while each of these flows ran, at the least; 0 of a bucket.
    pub(super) filled_bps: f64,
    pub(crate) trust: Trust,
    /// For each flow, in order, whether that is what it met: then its part of what all of them passed while
    /// it ran.
    pub(crate) shares: Vec<Option<f64>>,
}

/// What these flows share; `None` where they do not show it. A shaper is told by the queue that is missing,
/// and a link by its rate, so only where the flows run between the same two hosts (`is_one_way`): a flow
/// that always meets others' queue knows no unloaded round trip, and others may take another way.
pub(crate) fn join(records: &[&Record], is_one_way: bool) -> Option<Joint> {
    let may_be_policed = records.iter().filter(|record| lost_without_queue(record)).count() > 1;
    if !may_be_policed && !is_one_way {
        return None; // Whatever fits: the sum of many flows takes time.
    }
    let sum = Sum::of(records)?;
    let blur = sum.segment * len_as_f64(records.len()).sqrt();
    let curve = Curve::of(&sum.steps, blur);
    let bucket = sum.bucket(records, &curve);
    let shaped = is_one_way.then(|| sum.shaped(records, &curve, bucket.as_ref())).flatten();
    let bucket = shaped.or_else(|| sum.policed(records, &curve, &bucket?));
    bucket.or_else(|| is_one_way.then(|| sum.filled(records)).flatten())
}

/// Most of a flow's losses. Moved as in the module `capacity`, 0.4 and 0.6 change none.
const HITS_MIN: f64 = 0.5;

/// It lost something, and no queue stood that could have dropped it.
fn lost_without_queue(record: &Record) -> bool {
    record.has_sack && !record.losses.list.is_empty() && record.busy < HARDLY_STANDING
}

/// Nothing about it says that a queue dropped what it lost.
fn may_be_policed(record: &Record, bucket: &Bucket) -> bool {
    let is_link = record.capacity.is_some_and(|capacity| bucket.is_at(&capacity, record.trains));
    lost_without_queue(record) && !is_link
}

/// All flows' curves in one.
struct Sum {
    /// With what all flows had passed.
    steps: Vec<Step>,
    /// Whose each of them is.
    owners: Vec<usize>,
    losses: Vec<Mark>,
    /// What each flow passed from its first step to its last, octets.
    passed: Vec<f64>,
    /// The first and the last step of each flow, with what all had passed.
    ends: Vec<Option<(Mark, Mark)>>,
    /// The shortest unloaded round trip, seconds.
    base: f64,
    /// The largest frame, octets.
    segment: f64,
    /// One tick of the capture's clock, seconds; 0 where it is fine.
    tick: f64,
    /// Octets of frames per second at which the slowest trains passed.
    trains: Option<f64>,
}

impl Sum {
    /// The bucket that fits what all of them lost; `None` where too little was.
    fn bucket(&self, records: &[&Record], curve: &Curve) -> Option<Bucket> {
        let octets = records.iter().map(|record| record.losses.octets).sum();
        let is_enough = bucket::is_enough(self.losses.len(), octets, self.segment);
        is_enough.then(|| bucket::fit(curve, &self.losses, self.base, None)).flatten()
    }

    fn policed(&self, records: &[&Record], curve: &Curve, bucket: &Bucket) -> Option<Joint> {
        let mut queued: Vec<f64> = records
            .iter()
            .flat_map(|record| record.losses.list.iter().map(|loss| loss.rtt - record.base))
            .collect();
        let owner = bucket.owner(median(&mut queued)?, self.trains);
        if owner != Some(Owner::Policer) || !bucket.is_rate_told() {
            return None;
        }
        let lacked: Vec<f64> = curve.lacked(bucket.rate).collect();
        let share = |(flow, record): (usize, &&Record)| {
            let hits = self.hits(flow, &lacked, bucket, curve.segment);
            (may_be_policed(record, bucket) && hits >= HITS_MIN).then(|| self.share(flow))
        };
        let shares: Vec<Option<f64>> = records.iter().enumerate().map(share).collect();
        (shares.iter().flatten().count() > 1).then(|| Joint {
            kind: PathVerdict::Policed,
            bucket: Some(TokenBucket {
                flows: records.len(),
                ..TokenBucket::new(bucket.rate, bucket.burst)
            }),
            filled_bps: 0.0,
            trust: judge::trust(bucket),
            shares,
        })
    }

    /// The rate is that of the bucket which the losses fit, or about what the ACKs of one of them show.
    fn shaped(&self, records: &[&Record], curve: &Curve, bucket: Option<&Bucket>) -> Option<Joint> {
        let capacities = records.iter().filter_map(|record| record.capacity);
        let known = capacities.min_by_key(|capacity| capacity.trust);
        let rates: Vec<f64> = bucket
            .map(|bucket| bucket.rate)
            .into_iter()
            .chain(known.map(|capacity| capacity.bps / 8.0))
            .collect();
        let waits: Vec<Vec<Waited>> = records.iter().map(|record| self.waits(record)).collect();
        let tokens = tokens::fit(curve, &waits.concat(), &rates, self.segment)?;
        let has_queue =
            |waits: &[Waited]| waits.iter().any(|waited| tokens.is_queue(waited, self.segment));
        let share =
            |(flow, waits): (usize, &Vec<Waited>)| has_queue(waits).then(|| self.share(flow));
        let shares: Vec<Option<f64>> = waits.iter().enumerate().map(share).collect();
        (shares.iter().flatten().count() > 1).then(|| Joint {
            kind: PathVerdict::Shaped,
            bucket: Some(TokenBucket {
                flows: records.len(),
                ..TokenBucket::new(tokens.rate, tokens.octets)
            }),
            filled_bps: 0.0,
            trust: Trust::Agreed,
            shares,
        })
    }

    /// The link that they filled together, of a rate that one of them knows: those beside which it was full,
    /// and in whose way a queue stood.
    fn filled(&self, records: &[&Record]) -> Option<Joint> {
        let known = records.iter().filter_map(|record| record.capacity).filter(Capacity::is_known);
        // What another one knows may be what others left to it.
        let rate = known.map(|capacity| capacity.bps / 8.0).max_by(f64::total_cmp);
        let (rate, trust) = match rate {
            Some(rate) => (rate, Trust::Agreed),
            None => (self.guessed(records)?, Trust::Doubtful),
        };
        let share = |(flow, record): (usize, &&Record)| {
            let together = self.together(flow)?;
            let is_full = together.octets >= FULL * rate * together.seconds;
            let is_met = is_full && self.is_behind_others(record, rate);
            is_met.then(|| (self.share(flow), together.rate()))
        };
        let met: Vec<Option<(f64, f64)>> = records.iter().enumerate().map(share).collect();
        // More than the rate that is known: that was a part, which a fair queue gave one of them.
        let least = met.iter().flatten().map(|(_, bps)| *bps).min_by(f64::total_cmp)?;
        Some(Joint {
            kind: PathVerdict::Shared,
            bucket: None,
            filled_bps: FULL * least.max(rate * 8.0),
            trust,
            shares: met.iter().map(|met| met.map(|(share, _)| share)).collect(),
        })
    }

    /// The rate of the link that a coarse clock shows one of them, but not for sure: that there is room on
    /// the path is no surer.
    fn guessed(&self, records: &[&Record]) -> Option<f64> {
        let rates = records.iter().filter_map(|record| record.capacity).map(|it| it.bps / 8.0);
        rates.max_by(f64::total_cmp).filter(|_| self.tick > 0.0)
    }

    /// What the flow sent waited for a full frame, at the least, half of the time.
    fn is_behind_others(&self, record: &Record, rate: f64) -> bool {
        let frame = self.segment / rate;
        // The smallest round trip of many is too small by up to a tick.
        let unqueued = self.base + self.tick;
        let waits: Vec<f64> = record.points.iter().map(|at| at.rtt_last - unqueued).collect();
        bucket::share(&waits, |seconds| *seconds >= frame) >= STANDING
    }

    /// How long what one flow sent waited, at the points of its curve.
    fn waits(&self, record: &Record) -> Vec<Waited> {
        let at = |point: &Point| {
            let after = self.steps.partition_point(|step| step.at.sent <= point.at.sent);
            Some(Waited { step: after.checked_sub(1)?, seconds: point.rtt_last - self.base })
        };
        record.points.iter().filter_map(at).collect()
    }

    /// `None` of nothing.
    fn of(records: &[&Record]) -> Option<Self> {
        let lost = || records.iter().flat_map(|record| &record.losses.list);
        let first = lost().map(|loss| loss.at.sent).min().unwrap_or_default();
        let end = lost().map(|loss| loss.at.sent).max().unwrap_or_default();
        let least = |all: &mut dyn Iterator<Item = f64>| all.reduce(f64::min);
        let base = least(&mut records.iter().map(|record| record.base))?;
        let segment = records.iter().map(|record| record.segment).fold(0.0, f64::max);
        let tick = records.iter().map(|record| record.tick).fold(0.0, f64::max);
        let trains = least(&mut records.iter().filter_map(|record| record.trains));
        let (mut parts, mut passed) = (Vec::new(), Vec::new());
        for (owner, record) in records.iter().enumerate() {
            let steps = deficit::steps(&record.points, &record.losses, record.base, (first, end));
            let [from, to] = [steps.first(), steps.last()];
            passed.push(from.zip(to).map_or(0.0, |(from, to)| to.at.passed - from.at.passed));
            parts.extend(steps.into_iter().flat_map(Step::each).map(|step| (owner, step)));
        }
        let (owners, steps) = added(parts, records.len());
        let ends = ends(&owners, &steps, records.len());
        let losses = Vec::new();
        let mut sum = Self { steps, owners, losses, passed, ends, base, segment, tick, trains };
        sum.number_losses();
        Some(sum)
    }

    /// The share of a flow's losses that found the bucket empty; `lacked` is what it lacked at each step.
    fn hits(&self, flow: usize, lacked: &[f64], bucket: &Bucket, segment: f64) -> f64 {
        let all = self.steps.iter().zip(&self.owners).zip(lacked);
        let its: Vec<f64> = all
            .filter(|((step, owner), _)| {
                **owner == flow && matches!(step.kind, deficit::Kind::Loss { .. })
            })
            .map(|(_, lacked)| *lacked)
            .collect();
        bucket::share(&its, |lacked| bucket.is_empty(*lacked, segment))
    }

    /// A flow's part of what all of them passed while it ran.
    fn share(&self, flow: usize) -> f64 {
        let own = self.passed.get(flow).copied().unwrap_or_default();
        let all = self.together(flow).map_or(own, |together| together.octets);
        (own / all.max(own)).clamp(0.0, 1.0)
    }

    /// What all of them passed from the flow's first step to its last; `None` where it has no two.
    fn together(&self, flow: usize) -> Option<Stretch> {
        let (first, last) = (*self.ends.get(flow)?)?;
        let seconds = last.sent.since(first.sent).as_secs_f64();
        (seconds > 0.0).then_some(Stretch { octets: last.passed - first.passed, seconds })
    }

    /// Those less than a round trip after one that counts go by that, whosever they are.
    fn number_losses(&mut self) {
        let mut last: Option<Timestamp> = None;
        for Step { at, kind } in &mut self.steps {
            let deficit::Kind::Loss { is_more } = kind else { continue };
            *is_more = last.is_some_and(|last| at.sent.since(last).as_secs_f64() < self.base);
            if !*is_more {
                last = Some(at.sent);
            }
            self.losses.push(*at);
        }
    }
}

/// The first and the last step of each of `count` flows.
fn ends(owners: &[usize], steps: &[Step], count: usize) -> Vec<Option<(Mark, Mark)>> {
    let mut ends: Vec<Option<(Mark, Mark)>> = vec![None; count];
    for (owner, step) in owners.iter().zip(steps) {
        if let Some(ends) = ends.get_mut(*owner) {
            *ends = Some((ends.map_or(step.at, |(first, _)| first), step.at));
        }
    }
    ends
}

#[cfg(test)]
mod tests;

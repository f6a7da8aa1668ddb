//! Do several flows take the tokens of one bucket? Seen from one of them, it is empty at any time. So the
//! curves of all are added up on the capture's clock, and a policer's bucket is fitted to the sum and to
//! all their losses as to one flow's (see the module `bucket`), a shaper's to how long all of them waited
//! (see the module `tokens`).
//!
//! Between two known places of a flow its curve is taken for straight.

use super::TokenBucket;
use super::bucket::{self, Bucket, Owner};
use super::capacity::Trust;
use super::deficit::{self, Curve, Step};
use super::judge::{self, Kind, STANDING};
use super::record::Record;
use super::tokens::{self, Waited};
use super::track::{Mark, Point};
use crate::units::{Timestamp, median};

/// A policer or a shaper that several flows share.
#[derive(Debug, Clone)]
pub(crate) struct Joint {
    /// Policed or shaped.
    pub(crate) kind: Kind,
    pub(crate) bucket: TokenBucket,
    pub(crate) trust: Trust,
    /// For each flow, in order, whether its losses are the bucket's: then its part of what all of them
    /// passed while it ran.
    pub(crate) shares: Vec<Option<f64>>,
}

/// The policer or the shaper that these flows share; `None` where they do not show one. A shaper is told by
/// the queue that is missing, so only where the flows run between the same two hosts (`is_one_way`): a
/// flow that always meets others' queue knows no unloaded round trip.
pub(crate) fn join(records: &[&Record], is_one_way: bool) -> Option<Joint> {
    let may_be_policed = records.iter().filter(|record| lost_without_queue(record)).count() > 1;
    if !may_be_policed && !is_one_way {
        return None; // Whatever fits: the sum of many flows takes time.
    }
    let sum = Sum::of(records)?;
    #[expect(clippy::cast_precision_loss, reason = "a few hundred flows at most")]
    let blur = sum.segment * (records.len() as f64).sqrt();
    let curve = Curve::of(&sum.steps, blur);
    let bucket = sum.bucket(records, &curve);
    let shaped = is_one_way.then(|| sum.shaped(records, &curve, bucket.as_ref())).flatten();
    shaped.or_else(|| sum.policed(records, &curve, &bucket?))
}

/// Most of a flow's losses.
const HITS_MIN: f64 = 0.5;

/// It lost something, and no queue stood that could have dropped it.
fn lost_without_queue(record: &Record) -> bool {
    record.has_sack && !record.losses.list.is_empty() && record.busy < STANDING / 2.0
}

/// Nothing about it says that a queue dropped what it lost.
fn may_be_policed(record: &Record, bucket: &Bucket) -> bool {
    let is_link = record.capacity.is_some_and(|capacity| bucket.is_at(&capacity));
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
    /// The shortest unloaded round trip, seconds.
    base: f64,
    /// The largest frame, octets.
    segment: f64,
    /// Octets of frames per second at which the slowest trains passed.
    trains: Option<f64>,
}

impl Sum {
    /// The bucket that fits what all of them lost; `None` where too little was.
    fn bucket(&self, records: &[&Record], curve: &Curve) -> Option<Bucket> {
        let octets = records.iter().map(|record| record.losses.octets).sum();
        let is_enough = bucket::is_enough(self.losses.len(), octets, self.segment);
        is_enough.then(|| bucket::fit(curve, &self.losses, self.base)).flatten()
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
            kind: Kind::Policed,
            bucket: TokenBucket {
                flows: records.len(),
                ..TokenBucket::new(bucket.rate, bucket.burst)
            },
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
            kind: Kind::Shaped,
            bucket: TokenBucket {
                flows: records.len(),
                ..TokenBucket::new(tokens.rate, tokens.octets)
            },
            trust: Trust::Agreed,
            shares,
        })
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
        let trains = least(&mut records.iter().filter_map(|record| record.trains));
        let (mut parts, mut passed) = (Vec::new(), Vec::new());
        for (owner, record) in records.iter().enumerate() {
            let steps = deficit::steps(&record.points, &record.losses, record.base, (first, end));
            let [from, to] = [steps.first(), steps.last()];
            passed.push(from.zip(to).map_or(0.0, |(from, to)| to.at.passed - from.at.passed));
            parts.extend(steps.into_iter().flat_map(Step::each).map(|step| (owner, step)));
        }
        let (owners, steps) = added(parts, records.len());
        let losses = Vec::new();
        let mut sum = Self { steps, owners, losses, passed, base, segment, trains };
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

    /// A flow's part of what all of them passed from its first step to its last.
    fn share(&self, flow: usize) -> f64 {
        let mut its = self.owners.iter().zip(&self.steps).filter(|(owner, _)| **owner == flow);
        let first = its.next().map_or(0.0, |(_, step)| step.at.passed);
        let last = its.next_back().map_or(first, |(_, step)| step.at.passed);
        let own = self.passed.get(flow).copied().unwrap_or_default();
        (own / (last - first).max(own)).clamp(0.0, 1.0)
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

/// Adds the curves of `count` flows up: the steps of all in order, with what all had passed by then.
fn added(mut parts: Vec<(usize, Step)>, count: usize) -> (Vec<usize>, Vec<Step>) {
    let order = |place: &Mark| (place.sent, place.passed);
    parts.sort_by(|(a, from), (b, to)| {
        let (from, to) = (order(&from.at), order(&to.at));
        from.0.cmp(&to.0).then(a.cmp(b)).then(from.1.total_cmp(&to.1))
    });
    // Octets per second from each step to the next of the same flow.
    let mut slopes = vec![0.0; parts.len()];
    let mut nexts: Vec<Option<Mark>> = vec![None; count];
    for ((owner, step), slope) in parts.iter().zip(&mut slopes).rev() {
        let Some(next) = nexts.get_mut(*owner) else { continue };
        if let Some(next) = next.replace(step.at) {
            let seconds = next.sent.since(step.at.sent).as_secs_f64();
            if seconds > 0.0 {
                *slope = (next.passed - step.at.passed) / seconds;
            }
        }
    }
    let mut runs = vec![Run::default(); count];
    let (mut total, mut slope_sum) = (0.0, 0.0);
    let mut now = parts.first().map(|(_, step)| step.at.sent).unwrap_or_default();
    for ((owner, step), slope) in parts.iter_mut().zip(slopes) {
        let Some(run) = runs.get_mut(*owner) else { continue };
        total += slope_sum * step.at.sent.since(now).as_secs_f64();
        now = step.at.sent;
        total += step.at.passed - run.by(now);
        slope_sum += slope - run.slope;
        *run = Run { at: now, passed: step.at.passed, slope };
        step.at.passed = total;
    }
    parts.into_iter().unzip()
}

/// How one flow goes on from its last step.
#[derive(Debug, Default, Clone, Copy)]
struct Run {
    at: Timestamp,
    passed: f64,
    slope: f64,
}

impl Run {
    fn by(&self, now: Timestamp) -> f64 {
        self.passed + self.slope * now.since(self.at).as_secs_f64()
    }
}

#[cfg(test)]
mod tests;

//! Do the losses of several flows fit one token bucket? What passes a policer takes the tokens of all
//! whose packets it polices: seen from one of the flows, the bucket is empty at any time. So the
//! curves of all are added up on the capture's clock, and the bucket is fitted to the sum and to all
//! their losses as to one flow's (see the module `bucket`).
//!
//! Between two known places of a flow its curve is taken for straight.

use super::TokenBucket;
use super::bucket::{self, Bucket, Owner};
use super::capacity::Trust;
use super::deficit::{self, Curve, Step};
use super::judge::{self, Kind, STANDING};
use super::losses::Loss;
use super::record::Record;
use super::track::Place;
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

/// The policer or the shaper that dropped what these flows lost; `None` where their losses do not show
/// one. A shaper's tokens are told by the queue that is missing, so only where the flows run between the
/// same two hosts (`is_one_way`): a flow that always meets others' queue knows no unloaded round trip.
pub(crate) fn join(records: &[&Record], is_one_way: bool) -> Option<Joint> {
    let is_lossy = |record: &&&Record| record.has_sack && !record.losses.list.is_empty();
    if records.iter().filter(is_lossy).count() < 2 {
        return None;
    }
    let sum = Sum::of(records, is_one_way)?;
    let octets = records.iter().map(|record| record.losses.octets).sum();
    if !bucket::is_enough(sum.losses.len(), octets, sum.segment) {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "a few hundred flows at most")]
    let blur = sum.segment * (records.len() as f64).sqrt();
    let curve = Curve::of(&sum.steps, blur);
    let bucket = bucket::fit(&curve, &sum.losses, sum.base)?;
    let (kind, burst) = match bucket.owner(sum.queued, sum.trains)? {
        Owner::Policer => (Kind::Policed, bucket.burst),
        Owner::Queue if is_one_way => (Kind::Shaped, bucket.tokens(sum.queued, blur)?),
        Owner::Queue => return None,
    };
    let is_served = |record: &&Record| record.capacity.is_none_or(|found| bucket.is_served(&found));
    if !bucket.is_rate_told() || (kind == Kind::Shaped && !records.iter().all(is_served)) {
        return None;
    }
    let lacked: Vec<f64> = curve.lacked(bucket.rate).collect();
    let share = |(flow, record): (usize, &&Record)| {
        let may_be = match kind {
            Kind::Policed => may_be_policed(record, &bucket),
            _ => true,
        };
        let is_its = may_be && record.has_sack && !record.losses.list.is_empty();
        (is_its && sum.hits(flow, &lacked, &bucket, blur) >= HITS_MIN).then(|| sum.share(flow))
    };
    let shares: Vec<Option<f64>> = records.iter().enumerate().map(share).collect();
    (shares.iter().flatten().count() >= 2).then(|| Joint {
        kind,
        bucket: TokenBucket { flows: records.len(), ..TokenBucket::new(bucket.rate, burst) },
        trust: match kind {
            Kind::Policed => judge::trust(&bucket),
            _ => Trust::Agreed,
        },
        shares,
    })
}

/// Most of a flow's losses.
const HITS_MIN: f64 = 0.5;

/// Nothing about the flow says that a queue dropped its losses.
fn may_be_policed(record: &Record, bucket: &Bucket) -> bool {
    let is_link = record.capacity.is_some_and(|capacity| bucket.is_at(&capacity));
    record.busy < STANDING / 2.0 && !is_link
}

/// All flows' curves in one.
struct Sum {
    /// With what all flows had passed.
    steps: Vec<Step>,
    /// Whose each of them is.
    owners: Vec<usize>,
    losses: Vec<Loss>,
    /// What each flow passed from its first step to its last, octets.
    passed: Vec<f64>,
    /// Median queueing delay at a loss, seconds.
    queued: f64,
    /// The shortest unloaded round trip, seconds.
    base: f64,
    /// The largest frame, octets.
    segment: f64,
    /// Octets of frames per second at which the slowest trains passed.
    trains: Option<f64>,
}

impl Sum {
    /// `None` without any loss.
    fn of(records: &[&Record], is_one_way: bool) -> Option<Self> {
        let lost = || records.iter().flat_map(|record| &record.losses.list);
        let first = lost().map(|loss| loss.at.sent).min()?;
        let end = lost().map(|loss| loss.at.sent).max()?;
        let least = |all: &mut dyn Iterator<Item = f64>| all.reduce(f64::min);
        let base = least(&mut records.iter().map(|record| record.base))?;
        let segment = records.iter().map(|record| record.segment).fold(0.0, f64::max);
        let trains = least(&mut records.iter().filter_map(|record| record.trains));
        let waits = |record: &&Record| {
            let base = if is_one_way { base } else { record.base };
            record.losses.list.iter().map(|loss| loss.rtt - base).collect::<Vec<f64>>()
        };
        let mut queued: Vec<f64> = records.iter().flat_map(waits).collect();
        let queued = median(&mut queued)?;
        let (mut parts, mut passed) = (Vec::new(), Vec::new());
        for (owner, record) in records.iter().enumerate() {
            let steps = deficit::steps(&record.points, &record.losses, record.base, (first, end));
            let [from, to] = [steps.first(), steps.last()];
            passed.push(from.zip(to).map_or(0.0, |(from, to)| to.at.passed - from.at.passed));
            parts.extend(steps.into_iter().map(|step| (owner, step)));
        }
        let (owners, steps) = added(parts, records.len());
        let losses = Vec::new();
        let mut sum = Self { steps, owners, losses, passed, queued, base, segment, trains };
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
            self.losses.push(Loss { at: *at, octets: 0.0, rtt: 0.0 });
        }
    }
}

/// Adds the curves of `count` flows up: the steps of all in order, with what all had passed by then.
fn added(mut parts: Vec<(usize, Step)>, count: usize) -> (Vec<usize>, Vec<Step>) {
    let order = |place: &Place| (place.sent, place.passed);
    parts.sort_by(|(a, from), (b, to)| {
        let (from, to) = (order(&from.at), order(&to.at));
        from.0.cmp(&to.0).then(a.cmp(b)).then(from.1.total_cmp(&to.1))
    });
    // Octets per second from each step to the next of the same flow.
    let mut slopes = vec![0.0; parts.len()];
    let mut nexts: Vec<Option<Place>> = vec![None; count];
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

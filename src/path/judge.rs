//! What kind of path is it? From the facts of a flow's whole life.

use serde::Serialize;

use super::bucket::{Bucket, Owner};
use super::capacity::{Capacity, Trust};
use super::losses::Loss;

/// The kind of a path.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PathVerdict {
    /// The flow's own queue stood at the bottleneck, or overflowed again and again.
    BottleneckFull,
    /// A queue stood at the bottleneck, and others had part of what passed it.
    Shared,
    /// A policer dropped what went beyond its rate, without a queue.
    Policed,
    /// A shaper: a burst passes before its queue stands.
    Shaped,
    /// Packets were lost without a queue: at random, not for congestion; with low confidence in bursts, as
    /// a policer does that others share.
    Lossy,
    /// The path was full, and marked packets or dropped them early.
    AqmOrEcn,
    /// The path would have carried more.
    NotFull,
    /// Too little was seen.
    #[default]
    Unknown,
}

impl PathVerdict {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::BottleneckFull,
        Self::Shared,
        Self::Policed,
        Self::Shaped,
        Self::Lossy,
        Self::AqmOrEcn,
        Self::NotFull,
        Self::Unknown,
    ];
}

/// The facts that a judgement rests on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts<'a> {
    pub(super) capacity: Option<&'a Capacity>,
    /// What was carried while data was in flight, over the capacity; `None` where that is not known.
    pub(super) used: Option<f64>,
    /// Share of that time in which a queue is known to have stood.
    pub(super) busy: f64,
    /// The flow's part of what passed the bottleneck while it was busy; `None` where its capacity is not
    /// known.
    pub(super) own: Option<f64>,
    /// The token bucket that fits the losses best, if they know of it, and what it belongs to.
    pub(super) bucket: Option<(Bucket, Owner)>,
    /// Octets per second at which the slowest trains passed; `None` of too few.
    pub(super) trains: Option<f64>,
    /// Octets that a shaper lets pass before a queue stands; `None` where none is known to.
    pub(super) tokens: Option<f64>,
    pub(super) segment: f64,
    pub(super) base: f64,
    /// Share of the time with data in flight in runs of at least an unloaded round trip in which it stood.
    pub(super) stood: f64,
    /// Share of the time in which the queue was shorter than jitter may make it seem.
    pub(super) short: f64,
    /// Largest queueing delay, seconds.
    pub(super) queued_max: f64,
    /// See [`Losses::episodes`](super::losses::Losses::episodes).
    pub(super) episodes: &'a [Loss],
    /// Share of what was sent.
    pub(super) loss_rate: f64,
    /// Share of the time in which the queue was shorter than at half of the losses.
    pub(super) loss_rank: f64,
    /// The same for the first loss of each round trip.
    pub(super) episode_rank: f64,
    /// How much losses come together: 1 if each is on its own.
    pub(super) clustering: f64,
    /// The receiver tells what it has beyond a gap, so that losses are exact.
    pub(super) has_sack: bool,
    /// ACKs that echoed a mark.
    pub(super) echoes: u64,
    /// Most of the queue was that of ACKs: a short one on the way there would not show beside it.
    pub(super) is_way_back: bool,
    /// Octets of frames known to have passed.
    pub(super) passed: f64,
    /// One tick of the capture's clock, seconds; 0 where it is fine.
    pub(super) tick: f64,
    /// Octets of frames that what passed by some time may be off.
    pub(super) blur: f64,
}

/// A path is full from here on; a sender that halves its window at a queue of no depth uses three
/// quarters. CUBIC, which falls to 0.7 of it, uses 85 % where it grows by a straight line as Reno does
/// (RFC 9438 section 4.3), and 92.5 % along its own curve (section 4.4). Of 151 flows that took 90 % of the
/// configured rate (open corpus and `tests/held-out`), 149 used so much by the estimated one.
pub(crate) const FULL: f64 = 0.85;
/// Below this a sender that halves its window at the queue's end would use more: three quarters, less what
/// its start and its repairs take. Of the flows above, all are above it; all of 109 that took less than
/// 70 % of the configured rate are below it.
const SPARE: f64 = 0.7;
/// A queue that stands for half of the time is more than bursts leave behind: of 344 flows that did not
/// fill the path it does for 7 %, of 153 that did for 93 %.
pub(super) const STANDING: f64 = 0.5;
/// Below half of that no queue stood to speak of: what was lost met none, and what was not carried had room.
pub(super) const HARDLY_STANDING: f64 = STANDING / 2.0;
/// Losses that come together are not of a link that errs at random: the open corpus' flows with nothing else
/// have 0.9 to 1.3, bursts of errors 2.7 and more, a policer that several flows share 1.2 to 9.
const CLUSTERED: f64 = 2.0;
/// Half of the losses met a queue longer than it is for nine tenths of the time: losses that know nothing
/// of it do so about once in a hundred flows with five of them (binomial).
const PEAK: f64 = 0.9;
// What follows was moved one at a time over 889 judged directions (open corpus, `tests/held-out`, captures
// of others); said is how many changed their kind.

/// Below this share of what passed, others had the rest, and their queue may stand where this flow's does
/// not. 0.67 changes 2, 0.8 changes 2.
const OUTWEIGHED: f64 = 0.75;
/// Below this share of what passed, others had the rest: a capacity within 3 % does not make up so much,
/// nor its blur of a tenth. 0.85 changes 8, 0.95 changes 5.
const OWN: f64 = 0.9;
/// Episodes of loss: fewer may come by chance. 2 changes 21, 4 changes 8.
const EVENTS_MIN: usize = 3;
/// ACKs that echo a mark: one may be a bit gone wrong. 2 to 10 change none, 1 changes one.
const ECHOES_MIN: u64 = 3;
/// Segments: fewer are over before anything can stand. 16 judges 21 more, 64 judges 7 less.
pub(super) const PASSED_MIN: f64 = 32.0;
/// A loss that met a queue longer than it is for so much of the time is no queue's surprise. 0.7 to 0.9
/// change none.
const LONG: f64 = 0.8;
/// A loss at so much of the longest queue is an overflow: 0.6 and 0.7 change none, 0.4 changes 2, as a queue
/// which drops early then counts as one that overflows.
const OVERFLOWING: f64 = 0.5;
/// Segments that Vegas keeps in the queue (Linux `tcp_vegas.c`: `beta`); a queue shows from two ticks on.
const SHORT: f64 = 4.0;
/// Part of the base RTT that is jitter, not a queue. 0.005 to 0.05 change none.
const JITTER: f64 = 0.01;

pub(super) fn judge(facts: &Facts) -> (PathVerdict, Trust) {
    let has_marks = facts.echoes >= ECHOES_MIN;
    if facts.passed < PASSED_MIN * facts.segment || facts.passed <= 0.0 {
        (PathVerdict::Unknown, Trust::Doubtful)
    } else if let Some(bucket) = facts.policer() {
        (PathVerdict::Policed, trust(&bucket))
    } else if facts.is_shared() {
        (PathVerdict::Shared, Trust::Agreed)
    } else if has_marks {
        (PathVerdict::AqmOrEcn, Trust::Steady)
    } else if facts.used.is_some_and(|used| used >= FULL) {
        facts.full()
    } else {
        facts.spare()
    }
}

/// How well a policer with this bucket is founded.
pub(super) fn trust(bucket: &Bucket) -> Trust {
    match (bucket.is_rate_told(), bucket.is_clear()) {
        (false, _) => Trust::Doubtful,
        (true, true) => Trust::Steady,
        (true, false) => Trust::Agreed,
    }
}

impl Facts<'_> {
    pub(super) fn policer(&self) -> Option<Bucket> {
        let (bucket, _) = self.bucket.filter(|(_, owner)| *owner == Owner::Policer)?;
        let is_link = self.capacity.is_some_and(|capacity| bucket.is_at(capacity, self.trains));
        (self.has_sack && self.busy < HARDLY_STANDING && !is_link).then_some(bucket)
    }

    /// A queue stood, but what the flow got of the bottleneck's rate is not all. Queues that bursts leave
    /// behind may seem so, too, on a short path; then what is lost knows nothing of them.
    fn is_shared(&self) -> bool {
        let has_less = |part: f64| self.own.is_some_and(|own| own < part);
        let is_at_random = self.episodes.len() >= EVENTS_MIN && self.episode_rank < PEAK;
        (has_less(OUTWEIGHED) && self.busy >= HARDLY_STANDING && !is_at_random)
            || (has_less(OWN) && self.busy >= STANDING)
    }

    /// A queue stood most of the time, and not as bursts leave one behind, but had not one rate: that of the
    /// bottleneck varies, or others' part does.
    fn is_varying(&self) -> bool {
        self.stood >= STANDING && self.used.is_none()
    }

    /// Jitter that keeps the order holds up what follows as a queue does, but not for as long as all the way
    /// takes.
    fn varying(&self) -> (PathVerdict, Trust) {
        let is_queue = self.short < STANDING;
        (PathVerdict::BottleneckFull, if is_queue { Trust::Agreed } else { Trust::Doubtful })
    }

    fn full(&self) -> (PathVerdict, Trust) {
        let is_steady = self.capacity.is_some_and(|capacity| capacity.trust == Trust::Steady);
        let overflowed = self.episodes.iter().filter(|loss| self.is_overflow(loss)).count();
        // A queue that drops early does so when it is long, yet far from full; but for the first time,
        // when it is taken by surprise.
        let is_early = overflowed <= 1 && self.loss_rank >= LONG;
        if self.tokens.is_some() {
            (PathVerdict::Shaped, Trust::Agreed)
        } else if self.episodes.len() >= EVENTS_MIN && is_early {
            (PathVerdict::AqmOrEcn, Trust::Doubtful)
        } else {
            (PathVerdict::BottleneckFull, if is_steady { Trust::Steady } else { Trust::Agreed })
        }
    }

    fn spare(&self) -> (PathVerdict, Trust) {
        let overflowed = self.episodes.iter().filter(|loss| self.is_overflow(loss)).count();
        let random = self.episodes.len().saturating_sub(overflowed);
        let is_queue_s = self.bucket.is_some_and(|(_, owner)| owner == Owner::Queue);
        let is_at_peaks = self.episodes.len() >= EVENTS_MIN && self.episode_rank >= PEAK;
        if is_queue_s && self.tokens.is_some() {
            (PathVerdict::Shaped, Trust::Agreed)
        } else if is_at_peaks && self.own.is_some_and(|own| own < OUTWEIGHED) {
            (PathVerdict::Shared, Trust::Agreed)
        } else if self.is_varying() {
            self.varying()
        } else if !is_queue_s && random >= EVENTS_MIN && random >= overflowed {
            let trust = match overflowed {
                _ if self.clustering >= CLUSTERED || self.may_hide_bucket() => Trust::Doubtful,
                // Repairs alone show what was lost, when the queue that dropped it may have drained.
                _ if !self.has_sack => Trust::Doubtful,
                0 => Trust::Steady,
                _ => Trust::Agreed,
            };
            (PathVerdict::Lossy, trust)
        } else if overflowed >= EVENTS_MIN && self.used.is_some_and(|used| used >= SPARE) {
            (PathVerdict::BottleneckFull, Trust::Agreed)
        } else {
            (PathVerdict::NotFull, self.room(random))
        }
    }

    /// How sure it is that the path has room; `random` is how many episodes of loss met no full queue.
    fn room(&self, random: usize) -> Trust {
        let is_low = self.used.is_none_or(|used| used < SPARE);
        let is_dropped = random >= EVENTS_MIN || (random > 0 && self.clustering >= CLUSTERED);
        let is_queued = self.busy >= STANDING && self.used.is_none();
        // What dropped again and again, or much at once, may stand in the way of more; so may what queued.
        if is_dropped || is_queued || self.may_hide_queue() {
            Trust::Doubtful
        } else if self.busy < HARDLY_STANDING && is_low && !self.is_way_back {
            Trust::Steady
        } else {
            Trust::Agreed
        }
    }

    /// The queue was at least half as long as it ever was, and no jitter.
    fn is_overflow(&self, loss: &Loss) -> bool {
        let queued = loss.rtt - self.base;
        queued >= OVERFLOWING * self.queued_max && queued > self.tick.max(JITTER * self.base)
    }

    /// All losses of a policer happen at one deficit, which a coarse clock blurs.
    fn may_hide_bucket(&self) -> bool {
        self.blur > self.segment
    }

    /// A queue of a few segments is all that some senders leave where they fill the path, which then has the
    /// rate that they carry: a coarse clock hides it.
    fn may_hide_queue(&self) -> bool {
        2.0 * self.blur > SHORT * self.segment
    }
}

//! What the stage tells of a path.

use super::joint::Joint;
use super::judge::PathVerdict;
use super::{Capacity, Dispersion, Queueing, Record, Trust};

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
    pub(super) fn new(octets_per_s: f64, burst_bytes: f64) -> Self {
        Self { rate_bps: octets_per_s * 8.0, burst_bytes, flows: 1, share: 1.0 }
    }
}

/// What was found out about the path.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) kind: PathVerdict,
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
    /// Takes what it shares with others for what it met, unless something is better founded. `share` is this
    /// flow's part. Says whether it did.
    pub(crate) fn share(&mut self, joint: &Joint, share: f64) -> bool {
        let is_better = match self.kind {
            PathVerdict::Lossy | PathVerdict::NotFull | PathVerdict::Unknown => true,
            PathVerdict::Shared => joint.kind != PathVerdict::Shared,
            PathVerdict::Policed | PathVerdict::Shaped => {
                self.kind == joint.kind && joint.trust <= self.trust
            }
            PathVerdict::BottleneckFull => {
                joint.kind == PathVerdict::Shaped || self.trust == Trust::Doubtful
            }
            PathVerdict::AqmOrEcn => false,
        };
        if is_better {
            self.kind = joint.kind;
            self.trust = joint.trust;
            self.bucket = joint.bucket.map(|bucket| TokenBucket { share, ..bucket });
            self.drop_explained();
        }
        self.doubt_part(joint.filled_bps) || is_better
    }

    /// A fair queue leaves each flow a rate of its own as steady as a link's: less than passed beside it, it
    /// is a part. Says whether it was taken for the link's.
    fn doubt_part(&mut self, filled_bps: f64) -> bool {
        let is_part =
            |capacity: &&mut Capacity| capacity.is_known() && capacity.high_bps < filled_bps;
        let part = self.capacity.as_mut().filter(is_part);
        part.map(|capacity| capacity.trust = Trust::Doubtful).is_some()
    }

    /// What passes a policer comes at its rate in the long run: a capacity of no more is that, and no link.
    pub(super) fn drop_explained(&mut self) {
        let policer = self.bucket.filter(|_| self.kind == PathVerdict::Policed);
        let is_policer_s =
            |capacity: &Capacity| policer.is_some_and(|bucket| capacity.is_within(bucket.rate_bps));
        if self.capacity.as_ref().is_some_and(is_policer_s) {
            (self.capacity, self.used) = (None, None);
        }
    }
}

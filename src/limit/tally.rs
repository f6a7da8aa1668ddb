//! Waits of one kind, counted.

use crate::round::{EndedBy, Wait};
use crate::units::{Duration, least};

/// What happens by chance less often than this has a reason: there are hundreds of flows in a capture. (Of
/// 2482 directions of the open corpus, of `tests/held-out` and of captures of others, one in ten thousand
/// changes the limit of one, one in a hundred how sure three are.)
pub(super) const BY_CHANCE: f64 = 1e-3;

/// How often, for how long in all, and how many ACKs came meanwhile.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) count: u32,
    pub(crate) time: Duration,
    pub(crate) acks: u32,
    /// The longest and the shortest; `None` before the first.
    pub(crate) longest: Option<Duration>,
    pub(crate) shortest: Option<Duration>,
}

impl Tally {
    pub(super) fn add(&mut self, wait: &Wait) {
        self.count = self.count.saturating_add(wait.count);
        self.time = self.time.saturating_add(wait.duration());
        self.acks = self.acks.saturating_add(wait.acks);
        self.longest = self.longest.max(Some(wait.longest));
        self.shortest = least(self.shortest, Some(wait.shortest));
    }

    pub(super) fn join(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.time = self.time.saturating_add(other.time);
        self.acks = self.acks.saturating_add(other.acks);
        self.longest = self.longest.max(other.longest);
        self.shortest = least(self.shortest, other.shortest);
    }
}

/// Waits with nothing queued that came to an end with an ACK, by whether it carried payload.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Answers {
    with_payload: u32,
    without: u32,
    /// ACKs during the former, and how many of these carried payload.
    acks: u32,
    acks_with_payload: u32,
}

impl Answers {
    pub(super) fn add(&mut self, wait: &Wait) {
        match wait.sign.ended_by {
            EndedBy::Payload => {
                self.with_payload = self.with_payload.saturating_add(wait.count);
                self.acks = self.acks.saturating_add(wait.acks);
                self.acks_with_payload =
                    self.acks_with_payload.saturating_add(wait.acks_with_payload);
            }
            by if by.is_prompted() => self.without = self.without.saturating_add(wait.count),
            _ => {}
        }
    }

    /// The payload was what the sender waited for: that what an ACK frees lets it go, which is as likely to
    /// happen at one as at another, would meet those with payload so often by chance in less than one of a
    /// thousand cases. Each one that met none takes away from that what four did (for up to one in
    /// five, and where half of the ACKs carry payload or fewer, more than the ways in which they may lie).
    pub(super) fn are_to_payload(&self) -> bool {
        if self.acks_with_payload.saturating_mul(2) > self.acks {
            return false; // At once: each wait asks, and most answers of a dialogue carry payload.
        }
        let share = f64::from(self.acks_with_payload) / f64::from(self.acks.max(1));
        let count = self.with_payload.saturating_sub(self.without.saturating_mul(4));
        share.powi(i32::try_from(count).unwrap_or(i32::MAX)) < BY_CHANCE
    }
}

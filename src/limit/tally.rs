//! Waits of one kind, counted.

use crate::round::Wait;
use crate::units::Duration;
use crate::units::host::WAKE_UP;

/// How often, and for how long in all.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) count: u32,
    pub(crate) time: Duration,
    /// The longest and the shortest; `None` before the first.
    pub(crate) longest: Option<Duration>,
    pub(crate) shortest: Option<Duration>,
}

impl Tally {
    pub(super) fn add(&mut self, wait: &Wait) {
        self.count = self.count.saturating_add(wait.count);
        self.time = self.time.saturating_add(wait.duration());
        self.longest = self.longest.max(Some(wait.longest));
        self.shortest = Some(self.shortest.map_or(wait.shortest, |s| s.min(wait.shortest)));
    }
}

/// Waits that an ACK ended, and the ACKs during them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Prompted {
    tally: Tally,
    acks: u32,
    /// The longest time from an ACK to the end that it brought.
    after: Duration,
}

impl Prompted {
    pub(super) fn add(&mut self, wait: &Wait) {
        self.tally.add(wait);
        self.acks = self.acks.saturating_add(wait.acks);
        self.after = self.after.max(wait.prompted_after);
    }

    /// That so many of them all met an ACK by chance is less likely than one in a thousand. What ends
    /// at its own time comes as soon after an ACK as they do with the part of the time that lies so soon
    /// behind any.
    pub(super) fn is_beyond_chance(&self) -> bool {
        let count = i32::try_from(self.tally.count).unwrap_or(i32::MAX);
        self.chance().powi(count) < 1e-3
    }

    /// The part of the time that lies as soon behind an ACK as they all ended: how likely one of them does so
    /// by chance.
    pub(super) fn chance(&self) -> f64 {
        let near = self.after.min(WAKE_UP).as_secs_f64() * f64::from(self.acks);
        (near / self.tally.time.as_secs_f64().max(1e-9)).min(1.0)
    }
}

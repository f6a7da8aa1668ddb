//! Which ACKs did the sender answer? The last few of a wait are kept apart, so that those just before
//! the next send can be told from those that got no answer.

use super::reaction::Reaction;
use crate::sender::{Acknowledge, Unchanged};
use crate::units::host::{IMMEDIATE, WAKE_UP};
use crate::units::{Bytes, Duration, Timestamp};

/// The ACKs of a wait.
#[derive(Debug, Default)]
pub(super) struct RecentAcks {
    /// The last ones; those from `count` on are of waits before.
    recent: [RecentAck; RecentAcks::KEPT],
    count: usize,
    /// Octets freed by those just before, which had to give way, and when the first of these came.
    crowded: (Timestamp, Bytes),
    /// When the last one came, be it in a wait before.
    latest: Option<Timestamp>,
    /// ACKs that those kept stand for.
    repeats: u32,
    /// How many of all carried payload.
    with_payload: u32,
    /// Octets freed by all ACKs of the wait, and when the first of these came.
    freed: Bytes,
    first_freed: Timestamp,
    /// Octets freed by those that came while the pacing timer held the sender, and by those that came so long
    /// after that that nothing queued would have waited.
    freed_held: Bytes,
    freed_late: Bytes,
}

#[derive(Debug, Default, Clone, Copy)]
struct RecentAck {
    time: Timestamp,
    slack: Duration,
    freed: Bytes,
    has_payload: bool,
}

impl RecentAck {
    /// What it says of a send `delay` later if it was the only one, as most are.
    fn prompt(&self, delay: Duration, reaction: &Reaction) -> Prompt {
        let surely_ago = delay.saturating_sub(self.slack);
        let is_wake_up = surely_ago <= WAKE_UP;
        let is_immediate = surely_ago <= IMMEDIATE || surely_ago <= reaction.immediate();
        if !is_wake_up && !is_immediate {
            return Prompt::default();
        }
        let has_payload = self.has_payload && is_wake_up;
        Prompt { has_payload, is_immediate, is_wake_up: true, answered: self.freed }
    }
}

/// When an ACK came, by a pacing timer that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comes {
    /// While the timer held the sender.
    Held,
    /// Within [`DEFERRED`] after that, or no timer is known.
    Soon,
    /// Later.
    Late,
}

/// For so long after its last send a sender may wait for more to send at once (Linux
/// `tcp_tso_should_defer`, since 4.20 by `tcp_wstamp_ns`).
pub(super) const DEFERRED: Duration = Duration::from_millis(1);

/// What the ACKs before a send say of it.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Prompt {
    /// One came within [`WAKE_UP`] that carried payload of the other direction.
    pub(super) has_payload: bool,
    /// One came as short before as an answer of the kernel's takes.
    pub(super) is_immediate: bool,
    /// One came within [`WAKE_UP`].
    pub(super) is_wake_up: bool,
    /// Octets freed by the ACKs that the send answers: those just before it, or the last.
    pub(super) answered: Bytes,
}

impl RecentAcks {
    /// More than [`IMMEDIATE`] holds at 1 Gbit/s with one ACK per two full-sized segments (24 us
    /// apart). Where they come bunched (aggregation on radio links, interrupts held back), of those before
    /// only the octets count.
    const KEPT: usize = 8;

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Another wait begins.
    pub(super) fn clear(&mut self) {
        (self.count, self.repeats, self.freed) = (0, 0, Bytes(0));
        self.with_payload = 0;
        self.crowded.1 = Bytes(0);
        (self.freed_held, self.freed_late) = (Bytes(0), Bytes(0));
    }

    /// How many there were.
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.count).unwrap_or(u32::MAX).saturating_add(self.repeats)
    }

    /// How many of them carried payload of the other direction.
    pub(super) fn with_payload(&self) -> u32 {
        self.with_payload
    }

    /// Octets freed by all ACKs of the wait.
    pub(super) fn freed(&self) -> Bytes {
        self.freed
    }

    /// When the first one that freed anything came.
    pub(super) fn first_freed(&self) -> Option<Timestamp> {
        (self.freed > Bytes(0)).then_some(self.first_freed)
    }

    /// Octets freed by the ACKs that the pacing timer did not keep the sender from answering.
    pub(super) fn freed_unheld(&self) -> Bytes {
        self.freed.saturating_sub(self.freed_held)
    }

    /// Octets freed by the ACKs that found neither the timer running nor a reason to defer.
    pub(super) fn freed_late(&self) -> Bytes {
        self.freed_late
    }

    pub(super) fn push(&mut self, ack: &Acknowledge, freed: Bytes, comes: Comes) {
        match comes {
            Comes::Held => self.freed_held = self.freed_held.saturating_add(freed),
            Comes::Late => self.freed_late = self.freed_late.saturating_add(freed),
            Comes::Soon => {}
        }
        let &Acknowledge { time, slack, has_payload, repeats, .. } = ack;
        self.repeats = self.repeats.saturating_add(repeats);
        if has_payload {
            self.with_payload = self.with_payload.saturating_add(repeats).saturating_add(1);
        }
        if self.freed == Bytes(0) {
            self.first_freed = time;
        }
        self.freed = self.freed.saturating_add(freed);
        self.keep(RecentAck { time, slack, freed, has_payload });
    }

    pub(super) fn push_unchanged(&mut self, ack: &Unchanged) {
        let &Unchanged { time, slack, repeats, .. } = ack;
        self.repeats = self.repeats.saturating_add(repeats);
        self.with_payload = self.with_payload.saturating_add(repeats).saturating_add(1);
        self.keep(RecentAck { time, slack, freed: Bytes(0), has_payload: true });
    }

    fn keep(&mut self, ack: RecentAck) {
        self.latest = Some(ack.time);
        if self.count >= Self::KEPT {
            self.crowd_out(ack.time);
        }
        if let Some(slot) = self.recent.get_mut(self.count % Self::KEPT) {
            *slot = ack;
        }
        self.count = self.count.saturating_add(1);
    }

    /// The oldest one gives way to one that comes `now`. At one time, by a clock that ticks coarsely or
    /// stands still, they may as well lie far apart.
    #[cold]
    fn crowd_out(&mut self, now: Timestamp) {
        let oldest = self.recent.get(self.count % Self::KEPT).filter(|ack| ack.time < now);
        let Some(oldest) = oldest else { return };
        let (since, octets) = &mut self.crowded;
        if *octets == Bytes(0) || now.since(*since) > IMMEDIATE {
            (*since, *octets) = (oldest.time, Bytes(0));
        }
        *octets = octets.saturating_add(oldest.freed);
    }

    /// When the last one came.
    pub(super) fn last_time(&self) -> Option<Timestamp> {
        self.last().map(|last| last.time)
    }

    /// When the last one before came, if none came in this wait.
    pub(super) fn latest_before(&self) -> Option<Timestamp> {
        self.latest.filter(|_| self.is_empty())
    }

    /// Whether the last one came with payload of the other direction.
    pub(super) fn is_last_with_payload(&self) -> bool {
        self.last().is_some_and(|last| last.has_payload)
    }

    /// What they say of a send at `now`, `delay` after the last of them. Among each other, ACKs are known to
    /// within half of what `now` may be off from them.
    pub(super) fn prompt(&self, now: Timestamp, delay: Duration, reaction: &Reaction) -> Prompt {
        match self.last() {
            Some(ack) if self.count == 1 => ack.prompt(delay, reaction),
            last => self.prompt_of_several(now, last, reaction.immediate()),
        }
    }

    #[inline(never)]
    fn prompt_of_several(
        &self,
        now: Timestamp,
        last: Option<&RecentAck>,
        immediate: Duration,
    ) -> Prompt {
        let mut prompt = Prompt::default();
        for ack in self.recent.iter().take(self.count) {
            let ago = now.since(ack.time);
            let surely_ago = ago.saturating_sub(ack.slack);
            let is_wake_up = surely_ago <= WAKE_UP;
            prompt.has_payload |= is_wake_up && ack.has_payload;
            prompt.is_immediate |= surely_ago <= immediate;
            prompt.is_wake_up |= is_wake_up;
            let blur = ack.slack.checked_div(2).unwrap_or_default();
            if ago.saturating_sub(blur) <= immediate {
                prompt.answered = prompt.answered.saturating_add(ack.freed);
            }
        }
        if now.since(self.crowded.0) <= immediate {
            prompt.answered = prompt.answered.saturating_add(self.crowded.1);
        }
        let wake_up = immediate.max(WAKE_UP);
        let is_within = |ack: &&RecentAck| now.since(ack.time).saturating_sub(ack.slack) <= wake_up;
        let last = last.filter(is_within);
        prompt.answered = prompt.answered.max(last.map_or(Bytes(0), |ack| ack.freed));
        prompt
    }

    fn last(&self) -> Option<&RecentAck> {
        self.recent.get(self.count.checked_sub(1)? % Self::KEPT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many octets a send answers after ACKs of 1000 each, so many us apart.
    fn answered(acks: u64, apart: u64) -> u64 {
        let mut recent = RecentAcks::default();
        let at = |us: u64| Timestamp(1_000_000_000).after(Duration::from_micros(us));
        let times: Vec<u64> = (0..acks).map(|nth| nth.saturating_mul(apart)).collect();
        for &us in &times {
            recent.push(&Acknowledge::of(Bytes(1000), at(us)), Bytes(1000), Comes::Soon);
        }
        let delay = Duration::from_micros(10);
        let now = recent.last_time().unwrap_or_default().after(delay);
        recent.prompt(now, delay, &Reaction::default()).answered.0
    }

    #[test]
    fn all_acks_of_a_bunch_are_answered() {
        assert_eq!(answered(3, 2), 3000);
        assert_eq!(answered(20, 2), 20_000);
        assert_eq!(answered(20, 0), 8000, "the clock does not tell");
        assert_eq!(answered(20, 200), 1000, "only the last one");
        assert_eq!(answered(60, 24), 4000, "those within 100 us");
    }
}

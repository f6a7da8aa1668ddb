//! Waits of one kind, counted.

use crate::round::{EndedBy, Wait};
use crate::units::host::WAKE_UP;
use crate::units::{Bytes, Duration};

/// What happens by chance less often than this has a reason: there are hundreds of flows in a capture. (Of
/// 2482 directions of the open corpus, of `tests/held-out` and of captures of others, one in ten thousand
/// changes the limit of one, one in a hundred how sure three are.)
pub(super) const BY_CHANCE: f64 = 1e-3;

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

/// What was in flight when an ACK prompted a batch, however large, and at the start of the wait for it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WakeUps {
    /// Which flights there had been, in segments: a bit for each, modulo 64. As often as one of them comes
    /// again, as those of a writer at an even pace do, it tells no more.
    flights: u64,
    left: Range,
    before: Range,
}

/// The least and the most of what was counted.
#[derive(Debug, Clone, Copy, Default)]
struct Range(Option<(Bytes, Bytes)>);

impl Range {
    fn add(&mut self, octets: Bytes) {
        let (least, most) = self.0.unwrap_or((octets, octets));
        self.0 = Some((least.min(octets), most.max(octets)));
    }

    fn width(self) -> Bytes {
        self.0.map_or(Bytes(0), |(least, most)| most.saturating_sub(least))
    }
}

impl WakeUps {
    /// Of several waits in one it is not known how much was left of each.
    pub(super) fn add(&mut self, wait: &Wait, smss: Bytes) {
        if wait.count == 1 {
            let segments = wait.flight_before.0.checked_div(smss.0).unwrap_or_default();
            self.flights |= 1_u64.rotate_left(u32::try_from(segments).unwrap_or(u32::MAX));
            self.left.add(wait.flight_before.saturating_sub(wait.unanswered));
            self.before.add(wait.flight_before);
        }
    }

    /// How likely what was left would lie as close together by chance, spread as far as what had been in
    /// flight before: all of it from the least on in that part of the range.
    pub(super) fn chance(&self, smss: Bytes) -> f64 {
        let width = self.left.width().max(smss).as_f64();
        let part = width / self.before.width().as_f64().max(width);
        let count = self.flights.count_ones().max(1);
        f64::from(count) * part.powi(i32::try_from(count).unwrap_or(i32::MAX).saturating_sub(1))
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
        self.chance().powi(count) < BY_CHANCE
    }

    /// The part of the time that lies as soon behind an ACK as they all ended: how likely one of them does so
    /// by chance.
    pub(super) fn chance(&self) -> f64 {
        let near = self.after.min(WAKE_UP).as_secs_f64() * f64::from(self.acks);
        (near / self.tally.time.as_secs_f64().max(1e-9)).min(1.0)
    }
}

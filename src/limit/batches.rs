//! Waits in which ACKs for much of the flight let nothing out, and what ended them (see [`BatchSign`]).
//!
//! [`BatchSign`]: crate::round::BatchSign

use super::tally::{BY_CHANCE, Tally};
use crate::round::{EndedBy, QueueSign, Wait};
use crate::sender::Recovery;
use crate::units::host::WAKE_UP;
use crate::units::{Bytes, Duration};

/// Batches of one size or more.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Batches {
    /// Ended by an ACK.
    pub(crate) prompted: Tally,
    /// Of these, the ones out of recovery.
    pub(crate) open: Prompted,
    /// Of these, the ones before which the queue had run dry.
    pub(crate) drained: u32,
    /// Ended without an ACK; the pacing timer's left out.
    pub(crate) unprompted: Tally,
}

impl Batches {
    pub(super) fn add(&mut self, wait: &Wait) {
        let sign = wait.sign;
        if sign.ended_by.is_prompted() {
            self.prompted.add(wait);
            if sign.recovery == Recovery::Open {
                self.open.add(wait);
            }
            if sign.queue == QueueSign::Dry {
                self.drained = self.drained.saturating_add(wait.count);
            }
        } else if sign.ended_by == EndedBy::Nothing && !sign.is_pacing_step() {
            self.unprompted.add(wait);
        }
    }

    /// These and those.
    pub(crate) fn with(mut self, other: &Self) -> Self {
        self.prompted.join(&other.prompted);
        self.open.join(&other.open);
        self.drained = self.drained.saturating_add(other.drained);
        self.unprompted.join(&other.unprompted);
        self
    }
}

/// What was in flight when an ACK prompted a batch, however large, and at the start of the wait for it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WakeUps {
    /// Which flights there had been, in segments: a bit for each, modulo 64. As often as one of them comes
    /// again, as those of a writer at an even pace do, it tells no more.
    flights: u64,
    count: u32,
    /// Octets, in all.
    unanswered: Bytes,
    left: Range,
    before: Range,
}

/// The least and the most of what was counted, octets.
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
            self.count = self.count.saturating_add(1);
            self.unanswered = self.unanswered.saturating_add(wait.unanswered);
            self.left.add(wait.flight_before.saturating_sub(wait.unanswered));
            self.before.add(wait.flight_before);
        }
    }

    /// As much was left each time: it differs by less than what was waited for, which is no mere hitch of
    /// the host.
    pub(super) fn are_level(&self) -> bool {
        let Some(unanswered) = self.unanswered.0.checked_div(u64::from(self.count)) else {
            return false;
        };
        let least = self.before.0.map_or(0, |(least, _)| least.0);
        self.left.width().0 <= unanswered && least / HITCH_PARTS <= unanswered
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

/// What a host takes in late, while it does something else, is less of the flight than this part. (The
/// hitches that showed it left one in 69 unanswered. Of 2226 directions of the open corpus and
/// `tests/held-out`, one in 12 takes six farther from the kernel's shares, one in 24 or 32 one, one in 48
/// none.)
const HITCH_PARTS: u64 = 32;

/// Waits that an ACK ended, and the ACKs during them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Prompted {
    tally: Tally,
    /// The longest time from an ACK to the end that it brought.
    after: Duration,
}

impl Prompted {
    pub(super) fn add(&mut self, wait: &Wait) {
        self.tally.add(wait);
        self.after = self.after.max(wait.prompted_after);
    }

    fn join(&mut self, other: &Self) {
        self.tally.join(&other.tally);
        self.after = self.after.max(other.after);
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
        let near = self.after.min(WAKE_UP).as_secs_f64() * f64::from(self.tally.acks);
        (near / self.tally.time.as_secs_f64().max(1e-9)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{CLOCKED, round};
    use super::*;

    /// How likely by chance so much was left of so much in flight, again and again.
    fn chance(flights: &[(u64, u64)]) -> f64 {
        let mut wake_ups = WakeUps::default();
        for (flight, left) in flights.iter().cycle().take(20) {
            let mut round = round(&[CLOCKED]);
            round.waits[0].flight_before = Bytes(*flight);
            round.waits[0].unanswered = Bytes(*flight).saturating_sub(Bytes(*left));
            wake_ups.add(&round.waits[0], Bytes(1000));
        }
        wake_ups.chance(Bytes(1000))
    }

    #[test]
    fn flights_that_come_again_tell_no_more() {
        let writes = [(60_000, 50_000), (66_000, 52_000)];
        assert!(chance(&writes) > 0.5, "two sizes of writes at one pace: {}", chance(&writes));
        let window = [(60_000, 50_000), (66_000, 52_000), (63_000, 51_000), (69_000, 50_000)];
        assert!(chance(&window) < 0.05, "{}", chance(&window));
        let grown = [(60_000, 50_000), (66_000, 56_000), (63_000, 53_000), (69_000, 59_000)];
        assert!(chance(&grown) >= 1.0, "{}", chance(&grown));
    }
}

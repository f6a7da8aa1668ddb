//! Was it the pacing timer that the sender waited for? Linux sends one socket buffer, then waits for
//! as long as that takes at its pacing rate (`tcp_update_skb_after_send`), whatever is
//! acknowledged meanwhile. Two facts betray that:
//!
//! - The buffer has the size which the rate asks for (`tcp_tso_autosize`): what goes out in 1/1024 s,
//!   but two segments at least (of BBR below 1.2 Mbit/s one, `bbr_min_tso_segs`).
//! - After a pause the first wait is half as long as the rate asks for, those after it are as long
//!   (the credit of `tcp_update_skb_after_send`). A pause is a wait that was longer than the rate asks for,
//!   or several that were a little longer: an ACK alone makes none, for it lets nothing out before the timer
//!   does.
//!
//! A writer's timer does neither, however even its pace, unless its writes happen to be the whole
//! segments of just under a millisecond. A paced sender that never pauses and sends two segments at a
//! time shows neither fact; `limit` tells it by the absence of short segments.

use super::rate::{Pace, product};
use super::{EndedBy, PacingSign, QueueSign};
use crate::units::{Bytes, Duration};
use crate::vantage::GSO_MAX;

/// What was sent, and the wait after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// Octets of the burst before the wait.
    pub(super) octets: Bytes,
    pub(super) smss: Bytes,
    pub(super) time: Duration,
    pub(super) min_rtt: Option<Duration>,
    /// Everything was acknowledged before the wait ended.
    pub(super) is_emptied: bool,
}

/// Follows the time per octet from wait to wait.
#[derive(Debug, Default)]
pub(super) struct Pacer {
    /// The last wait, if nothing on the wire explains its length.
    last: Option<Unprompted>,
    /// The last wait that was surely the pacing timer's.
    known: Option<Pace>,
    /// The last wait was as long as that: the pace still holds.
    is_in_train: bool,
    /// The wait before, however it ended.
    before: Option<Before>,
    /// Nothing but the timer can have let the burst before this wait out, if there is one.
    is_on_time: bool,
}

/// A wait that came before another.
#[derive(Debug, Clone, Copy)]
struct Before {
    octets: Bytes,
    time: Duration,
    /// Its burst may have had credit itself: an ACK or a writer let it out, maybe later than the timer had,
    /// or it is the first, and the first ten segments are not paced at all (`data_segs_out` in
    /// `tcp_update_skb_after_send`).
    may_have_credit: bool,
}

#[derive(Debug, Clone, Copy)]
struct Unprompted {
    octets: Bytes,
    time: Duration,
    before: Option<Before>,
}

impl Unprompted {
    /// At twice its time per octet, the wait before lasted so much too long that there was credit for half
    /// of this one.
    fn is_after_long_wait(&self) -> bool {
        let Self { octets, time, before } = *self;
        before.is_some_and(|before| {
            let by_half = product(time, before.octets);
            let paced = if before.may_have_credit { by_half } else { by_half.saturating_mul(2) };
            product(before.time, octets) >= paced.saturating_add(product(time, octets))
        })
    }
}

impl Pacer {
    /// No wait was surely the pacing timer's.
    pub(super) fn is_unknown(&self) -> bool {
        self.known.is_none()
    }

    /// What [`Pacer::sign`] does with a wait that an ACK ended at once, after two segments at most, while
    /// nothing is known of a timer; it tells nothing.
    pub(super) fn pass(&mut self, octets: Bytes, time: Duration) {
        (self.last, self.is_in_train) = (None, false);
        if !time.is_zero() {
            self.note(octets, time, self.is_on_time);
        }
        self.is_on_time = false;
    }

    fn note(&mut self, octets: Bytes, time: Duration, was_on_time: bool) {
        self.before = Some(Before { octets, time, may_have_credit: !was_on_time });
    }

    /// What the wait after `step` tells; waits come in order.
    pub(super) fn sign(&mut self, step: &Step, ended_by: EndedBy, queue: QueueSign) -> PacingSign {
        let is_in_train = std::mem::take(&mut self.is_in_train);
        // Also after a wait that is none of the timer's and none of an ACK's: what ended it may have come
        // late.
        let is_on_time = ended_by == EndedBy::Nothing && !step.is_emptied;
        let was_on_time = std::mem::replace(&mut self.is_on_time, is_on_time);
        let is_prompted = ended_by.is_prompted();
        let is_unprompted = ended_by.is_perhaps_unprompted();
        if step.time.is_zero() || !(is_unprompted || is_prompted) {
            self.last = None;
            return PacingSign::Unknown;
        }
        let Step { octets, time, .. } = *step;
        let last = if is_unprompted {
            self.last.replace(Unprompted { octets, time, before: self.before })
        } else {
            self.last = None;
            None
        };
        self.note(octets, time, was_on_time);
        if step.is_oversized() {
            return PacingSign::Oversized;
        }
        let is_overlong =
            |known| is_in_train && is_unprompted && step.pace().is_slower_by_gains_than(known);
        if self.known.is_some_and(is_overlong) {
            return PacingSign::Overlong;
        }
        if !matches!(queue, QueueSign::Held | QueueSign::Pushed) {
            return PacingSign::Unknown;
        }
        let is_full_after_half = last.is_some_and(|last| step.is_full_after_half(last));
        if is_unprompted && (step.is_autosized() || is_full_after_half) {
            self.known = Some(step.pace());
        }
        let is_as_known = self.known.is_some_and(|known| step.pace().agrees_with(known));
        self.is_in_train = is_as_known;
        if is_as_known { PacingSign::Step } else { PacingSign::Unknown }
    }
}

impl Step {
    fn pace(&self) -> Pace {
        Pace(self.octets, self.time)
    }

    /// A whole buffer at least, and twice the time per octet of the wait before, the first after a pause.
    /// Writes that an even timer makes and Nagle's rule divides come to that by chance, but for the pause.
    fn is_full_after_half(&self, half: Unprompted) -> bool {
        half.is_after_long_wait()
            && self.octets >= self.buffer_min()
            && self.pace().agrees_with(Pace(half.octets, half.time.saturating_mul(2)))
    }

    /// `tcp_tso_autosize` gives three segments or more, and gives just these: one more would not go
    /// out within its period. (Two go out at any lower rate, so they prove nothing.) Whether the kernel adds
    /// its [`Step::extra`] is not known, nor is its RTT to the microsecond: the next 512 halve that.
    fn is_autosized(&self) -> bool {
        let one_more = self.octets.saturating_add(self.smss);
        let most = self.extra();
        let is_just_so = |extra: Bytes| {
            let is_no_less = one_more > GSO_MAX || self.exceeds(one_more, extra, PERIOD);
            is_no_less && !self.exceeds(self.octets, extra, PERIOD.saturating_add(LATE))
        };
        self.octets > self.two_segments()
            && [Bytes(0), Bytes(most.0 / 2), most].into_iter().any(is_just_so)
    }

    /// More than two segments, and more than go out within the period of `tcp_tso_autosize`.
    fn is_oversized(&self) -> bool {
        self.octets > self.two_segments()
            && self.exceeds(self.octets, self.extra(), PERIOD.saturating_add(LATE))
    }

    /// By how much Linux allows larger buffers since 5.18, on paths below 5 ms: by 64 kB, halved for each
    /// 512 us of RTT.
    fn extra(&self) -> Bytes {
        let rtt_units = self.min_rtt.unwrap_or_default().as_micros() / 512;
        let shift = u32::try_from(rtt_units).unwrap_or(u32::MAX);
        Bytes(GSO_MAX.0.checked_shr(shift).unwrap_or(0))
    }

    /// Whether `octets` but for the `extra` ones take longer than `period` at this step's pace.
    fn exceeds(&self, octets: Bytes, extra: Bytes, period: Duration) -> bool {
        self.time_of(octets.saturating_sub(extra)) > self.periods(period)
    }

    /// What goes out at once at the least: two segments (`tcp_min_tso_segs`), but one of BBR's where it paces
    /// below 1.2 Mbit/s (`bbr_min_tso_segs`).
    fn buffer_min(&self) -> Bytes {
        if BBR_TWO_SEGMENTS.is_above(self.pace()) { self.smss } else { self.two_segments() }
    }

    fn two_segments(&self) -> Bytes {
        self.smss.saturating_add(self.smss)
    }

    /// How long `octets` take at this step's pace, in units of 1 ns over the step's octets.
    fn time_of(&self, octets: Bytes) -> u128 {
        product(self.time, octets)
    }

    /// `period` in the same units.
    fn periods(&self, period: Duration) -> u128 {
        product(period, self.octets)
    }
}

/// Linux `sk_pacing_shift`: what goes out in 1/1024 s stands in one buffer.
const PERIOD: Duration = Duration::from_nanos(976_563);

/// `bbr_min_tso_rate`: 1.2 Mbit/s.
const BBR_TWO_SEGMENTS: Pace = Pace(Bytes(150_000), Duration::from_secs(1));

/// The kernel's timers were up to this late (see [`IMMEDIATE`](crate::units::host::IMMEDIATE)).
const LATE: Duration = Duration::from_micros(20);

#[cfg(test)]
mod tests;

//! Did data stand in a queue of the sending host, its qdisc or its driver, before they passed a tap there?
//! Two things tell when TCP made them. A segment carries the newest `TSval` of the peer that TCP had seen by
//! then (`TSecr`, RFC 7323 section 4.3): where one that is newer had come long before the segment passed,
//! that had been made before. And where two segments carry one `TSval`, a tick lies between them at most.

use super::{AtSender, Vantage};
use crate::flow::{Consumer, Departure};
use crate::units::host::HOST_BY_ECHO;
use crate::units::{Duration, Timestamp};
use crate::wire::TcpTimestamps;

/// Data that stood in a queue of the sending host.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HeldByHost {
    pub(crate) sends: u32,
    /// So long at least did the one that stood longest; zero where acknowledgments did not tell.
    pub(crate) longest: Duration,
}

impl HeldByHost {
    /// So often that it is no host that was slow to take an acknowledgment in.
    pub(crate) fn is_shown(self) -> bool {
        self.sends >= SENDS_MIN
    }
}

/// Fewer may be a slow host's. (Of 1839 directions of the open corpus, of `tests/held-out` and of captures of
/// others, all but ten have 6 at most; of 24 in `host-1`, 14 have more than 400.)
const SENDS_MIN: u32 = 8;

/// What is known of the sender and its peer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    /// One tick of the sender's clock; `None` while it is not known.
    pub(super) tick: Option<Duration>,
    /// So long an acknowledgment takes from the tap to the sender, and its answer back.
    pub(super) half: Duration,
    /// The peer sends data as well, and while some is missing all echo the same.
    pub(super) may_stand_still: bool,
}

/// The newest `TSval` of the peer, and what the last data carried.
#[derive(Debug, Default)]
pub(super) struct HostQueue {
    /// With the time at which it came first.
    newest: Option<(u32, Timestamp)>,
    made: Option<TcpTimestamps>,
    /// What carries both and passes later had been made before.
    one_tick: Timestamp,
    /// How often `TSecr` was another.
    moves: u8,
    held: HeldByHost,
}

impl HostQueue {
    /// An acknowledgment carried `value`; gives whether it is newer than all before.
    #[inline]
    pub(super) fn on_ack(&mut self, value: u32, now: Timestamp) -> bool {
        let is_newer = self.newest.is_none_or(|(newest, _)| TcpTimestamps::is_newer(value, newest));
        if is_newer {
            self.newest = Some((value, now));
        }
        is_newer
    }

    /// Data with these `stamps` passed; gives whether they had stood in a queue, and how.
    pub(super) fn on_data(
        &mut self,
        stamps: TcpTimestamps,
        now: Timestamp,
        known: &Known,
    ) -> Departure {
        let Known { tick, half, may_stand_still } = *known;
        let before = self.made.replace(stamps);
        let is_moved = before.is_none_or(|made| made.echo != stamps.echo);
        self.moves = self.moves.saturating_add(u8::from(is_moved));
        let may_tell = self.moves >= MOVES_MIN && (is_moved || !may_stand_still);
        let newer = self.newest.filter(|(newest, _)| TcpTimestamps::is_newer(*newest, stamps.echo));
        let held = newer.filter(|_| may_tell).map_or(Duration::ZERO, |(_, came)| now.since(came));
        let is_echo_older = held > half.saturating_add(HOST_BY_ECHO);
        let queued = if before == Some(stamps) {
            let is_together = is_echo_older || self.is_proved() && !self.is_one_tick(now);
            if is_together { Departure::QueuedTogether } else { Departure::Unknown }
        } else {
            let one_tick = |tick: Duration| now.after(tick.saturating_add(HOST_BY_ECHO));
            self.one_tick = tick.map_or(Timestamp(u64::MAX), one_tick);
            if is_echo_older { Departure::QueuedApart } else { Departure::Unknown }
        };
        if queued != Departure::Unknown {
            self.held.sends = self.held.sends.saturating_add(1);
            self.held.longest = self.held.longest.max(held.saturating_sub(half));
        }
        queued
    }

    /// What passes at `now` may have been made in the tick of those before it, if it carries the same stamps.
    #[inline]
    pub(super) fn is_one_tick(&self, now: Timestamp) -> bool {
        now <= self.one_tick
    }

    /// An echo told of it. That two segments of one tick pass further apart does not alone: with `fq` behind
    /// the tap, Linux writes the time at which it is to let a segment go (`tcp_wstamp_ns`, since 4.20).
    fn is_proved(&self) -> bool {
        self.held.longest > Duration::ZERO
    }

    pub(super) fn held(&self) -> HeldByHost {
        self.held
    }
}

impl<C: Consumer> AtSender<C> {
    /// Nothing but at the sender.
    pub(super) fn held_by_host(&self) -> HeldByHost {
        let is_at_sender = self.halves.position == Vantage::Sender;
        if is_at_sender { self.host_queue.held() } else { HeldByHost::default() }
    }

    /// Told at the sender alone.
    pub(super) fn departure(&mut self, stamps: TcpTimestamps, now: Timestamp) -> Departure {
        let half = self.halves.sender.unwrap_or_default();
        let (tick, may_stand_still) = (self.clock.tick(), self.riding_acks > 0);
        let queued = self.host_queue.on_data(stamps, now, &Known { tick, half, may_stand_still });
        if self.halves.position == Vantage::Sender { queued } else { Departure::Unknown }
    }
}

/// A stack that echoes acknowledgments at all: the first echo is of the handshake, the next may be of the
/// peer's own data.
const MOVES_MIN: u8 = 3;

#[cfg(test)]
mod tests {
    #![expect(clippy::arithmetic_side_effects, reason = "test code")]

    use super::*;

    const TICK: Option<Duration> = Some(Duration::from_millis(1));
    const NEAR: Known =
        Known { tick: TICK, half: Duration::from_micros(20), may_stand_still: false };
    const BOTH_WAYS: Known = Known { may_stand_still: true, ..NEAR };

    fn ms(ms: u64) -> Timestamp {
        Timestamp(1_000_000_000).after(Duration::from_millis(ms))
    }

    fn stamps(value: u32, echo: u32) -> TcpTimestamps {
        TcpTimestamps { value, echo }
    }

    /// A queue behind which each of 20 acknowledgments, 10 ms apart, is echoed by what passes 5 ms after it.
    fn used() -> HostQueue {
        let mut queue = HostQueue::default();
        for nth in 0..20_u32 {
            let at = u64::from(nth) * 10;
            queue.on_ack(100 + nth, ms(at));
            let queued = queue.on_data(stamps(10 * nth + 5, 100 + nth), ms(at + 5), &NEAR);
            assert_eq!(queued, Departure::Unknown);
        }
        queue
    }

    #[test]
    fn what_echoes_an_older_acknowledgment_was_made_before_the_newer_came() {
        let mut queue = used();
        queue.on_ack(120, ms(200));
        queue.on_ack(121, ms(210));
        assert_eq!(queue.on_data(stamps(205, 120), ms(215), &BOTH_WAYS), Departure::QueuedApart);
        let mut soon = used();
        soon.on_ack(120, ms(200));
        let now = ms(200).after(Duration::from_micros(300));
        assert_eq!(
            soon.on_data(stamps(200, 119), now, &NEAR),
            Departure::Unknown,
            "it was on its way to TCP"
        );
    }

    /// Of a tap a little ahead of the sender, no more than a twentieth of the RTT away.
    #[test]
    fn what_was_on_its_way_to_the_sender_had_not_come() {
        let half = Duration::from_millis(3);
        for (after, queued) in [(3, Departure::Unknown), (4, Departure::QueuedApart)] {
            let mut queue = used();
            queue.on_ack(120, ms(200));
            queue.on_ack(121, ms(210));
            assert_eq!(
                queue.on_data(stamps(205, 120), ms(210 + after), &Known { half, ..NEAR }),
                queued
            );
        }
    }

    #[test]
    fn an_echo_that_stands_still_tells_nothing() {
        let mut queue = used();
        queue.on_ack(120, ms(200));
        assert_eq!(
            queue.on_data(stamps(205, 119), ms(205), &BOTH_WAYS),
            Departure::Unknown,
            "as of a hole"
        );
        let mut deaf = HostQueue::default();
        for nth in 0..20_u32 {
            let at = u64::from(nth) * 10;
            deaf.on_ack(100 + nth, ms(at));
            let queued = deaf.on_data(stamps(10 * nth + 5, 100), ms(at + 5), &NEAR);
            assert_eq!(queued, Departure::Unknown, "a stack that never echoes");
        }
    }

    /// A tap before the queue sees it as it is made.
    #[test]
    fn a_time_to_come_is_no_queue() {
        let mut queue = used();
        assert_eq!(queue.on_data(stamps(210, 119), ms(205), &NEAR), Departure::Unknown);
        assert_eq!(queue.on_data(stamps(210, 119), ms(208), &NEAR), Departure::Unknown);
        assert_eq!(queue.held(), HeldByHost::default());
    }

    #[test]
    fn a_tick_lies_between_what_carries_one_time_at_most() {
        let mut queue = used();
        queue.on_ack(120, ms(200));
        queue.on_ack(121, ms(201));
        assert_eq!(
            queue.on_data(stamps(205, 120), ms(205), &NEAR),
            Departure::QueuedApart,
            "by the echo"
        );
        assert_eq!(queue.on_data(stamps(210, 121), ms(210), &NEAR), Departure::Unknown);
        assert_eq!(queue.on_data(stamps(210, 121), ms(211), &NEAR), Departure::Unknown);
        assert_eq!(queue.on_data(stamps(210, 121), ms(212), &NEAR), Departure::QueuedTogether);
        assert_eq!(
            queue.on_data(stamps(240, 121), ms(240), &Known { tick: None, ..NEAR }),
            Departure::Unknown
        );
        assert_eq!(
            queue.on_data(stamps(240, 121), ms(270), &Known { tick: None, ..NEAR }),
            Departure::Unknown,
            "of any length"
        );
    }
}

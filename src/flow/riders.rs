//! Acknowledgments that ride on data and say what the last one said: while one side of a connection sends
//! and the other is silent, each of its segments carries one. Of the other side's flow they tell nothing
//! but that time passes, and yet they are half of all steps of a download. So those that pass within a
//! short time are handed on as one, the last of them, with how many it repeats ([`Ack::repeats`]).

use super::Ack;
use super::bare_ack::BareAck;
use crate::units::host::BACK_TO_BACK;
use crate::units::{Bytes, Duration, SeqNum, Timestamp};
use crate::wire::{Segment, TcpFlags, TcpTimestamps};

/// What the riders of one side said last, and those that are held back.
#[derive(Debug)]
pub(super) struct Riders {
    last: BareAck,
    number: SeqNum,
    /// Those of [`Riders::SAYING`].
    flags: u16,
    /// Handed on in a row with nothing in flight, up to [`Riders::ALIKE_MIN`].
    alike: u8,
    /// Some were close together: the capture's clock is fine.
    is_close: bool,
    /// How many are held back, and since when.
    held: u32,
    since: Timestamp,
    held_max: Duration,
}

impl Riders {
    /// Segments that a sender may send at once (RFC 6928): who sends no more has few riders.
    pub(super) const SEGMENTS_MIN: u64 = 10;
    /// So many are handed on one by one before others are held back: what follows the flow knows by then that
    /// nothing changes.
    const ALIKE_MIN: u8 = 4;
    /// All but PSH, which says nothing of what is acknowledged.
    const SAYING: u16 = !TcpFlags::PSH;

    /// For so long they are held back where the round trip takes `rtt` by the handshake: a tick of most
    /// timestamp clocks. Away from the sender no arrival is known as closely (`vantage::resolution`), and no
    /// silence as short as a round trip means anything (`episode::Stalls`).
    fn held_max(rtt: Option<Duration>) -> Duration {
        let tick = Duration::from_millis(1);
        rtt.map_or(tick, |rtt| rtt.min(tick))
    }

    /// Of the rider `segment`, handed on as `ack`. `None` if it says more than a number and an open window.
    pub(super) fn of(segment: &Segment, ack: &Ack, rtt: Option<Duration>) -> Option<Self> {
        is_plain(ack).then_some(Self {
            last: BareAck::of(ack),
            number: segment.ack?,
            flags: segment.flags.0 & Self::SAYING,
            alike: 0,
            is_close: false,
            held: 0,
            since: ack.time,
            held_max: Self::held_max(rtt),
        })
    }

    /// Goes on with the rider `segment`, handed on as `ack`; none is held back. `is_idle`: nothing is in
    /// flight.
    pub(super) fn go_on(&mut self, segment: &Segment, ack: &Ack, is_idle: bool) {
        let Some(number) = segment.ack.filter(|_| is_plain(ack)) else { return self.begin_anew() };
        let flags = segment.flags.0 & Self::SAYING;
        let before = std::mem::replace(&mut self.last, BareAck::of(ack));
        // The scale of a window may be found out only now.
        let is_alike = (number, flags) == (self.number, self.flags)
            && ack.window_unscaled == before.window_unscaled
            && ack.window == before.window;
        (self.number, self.flags) = (number, flags);
        self.alike = if is_alike && is_idle { self.alike.saturating_add(1) } else { 0 };
        self.alike = self.alike.min(Self::ALIKE_MIN);
        let apart = ack.time.since(before.time);
        // Where none are as close together, a clock that ticks more coarsely shows by how many come at a time
        // (`vantage::TapClock`): there each is handed on.
        self.is_close |= !apart.is_zero() && apart <= BACK_TO_BACK;
    }

    /// Those to come are handed on one by one: something happened.
    pub(super) fn begin_anew(&mut self) {
        self.alike = 0;
    }

    /// Whether `segment` brings one more of the same, not long after the last.
    #[inline]
    pub(super) fn are_joined_by(&self, segment: &Segment) -> bool {
        segment.ack == Some(self.number)
            && segment.window_unscaled == self.last.window_unscaled
            && segment.flags.0 & Self::SAYING == self.flags
            && segment.payload_len > 0
            && segment.options.sack.is_empty()
            && self.alike >= Self::ALIKE_MIN
            && self.is_close
            && segment.time >= self.last.time
            && segment.time.since(self.last.time) <= self.held_max
            && are_in_order(self.last.timestamps, segment.options.timestamps)
    }

    /// Whether those that are held back are to be handed on by `now`.
    #[inline]
    pub(super) fn are_due(&self, now: Timestamp) -> bool {
        self.held > 0 && now.since(self.since) > self.held_max
    }

    /// Holds back the one of `segment`, which [joins](Self::are_joined_by) them.
    #[inline]
    pub(super) fn hold(&mut self, segment: &Segment) {
        if self.held == 0 {
            self.since = segment.time;
        }
        (self.last.time, self.last.frame) = (segment.time, segment.frame);
        self.last.timestamps = segment.options.timestamps;
        self.held = self.held.saturating_add(1);
    }

    /// The last of those that are held back, which stands for all of them, if there are any.
    #[inline]
    pub(super) fn take_held(&mut self) -> Option<Ack> {
        let others = self.held.checked_sub(1)?;
        self.held = 0;
        Some(Ack { repeats: others, ..self.last.ack() })
    }
}

/// It says no more than a number and an open window.
fn is_plain(ack: &Ack) -> bool {
    ack.has_payload
        && !(ack.is_syn || ack.is_fin || ack.has_ece)
        && ack.sack.as_slice().is_empty()
        && ack.window.is_some_and(|window| window > Bytes(0))
}

/// Neither value of the `next` timestamps is older (RFC 7323 section 5.2).
#[inline]
fn are_in_order(last: Option<TcpTimestamps>, next: Option<TcpTimestamps>) -> bool {
    match (last, next) {
        (Some(last), Some(next)) => {
            !TcpTimestamps::is_newer(last.value, next.value)
                && !TcpTimestamps::is_newer(last.echo, next.echo)
        }
        (last, next) => last.is_none() && next.is_none(),
    }
}

//! When is a flow's work done? Not packet by packet. Of many flows at once, each one's state has left the
//! cache by the time that its next packet comes; and most flows are short. So what passes is noted in
//! little room first and gone through later, in the same order: most flows have no state until their report
//! is made, if one is made at all, and that of a long one is fetched once for many steps. A long flow that
//! has the wire to itself waits for nothing.

mod group;
mod long;
mod shorthand;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::flow::{Ack, Consumer, Data, Handshake};
use crate::units::{Bytes, Duration, Timestamp};
use long::Long;
use shorthand::Shorthand;

/// Hands its consumer what came to it, later.
#[derive(Debug, Default)]
pub(crate) struct Backlog<C: Consumer> {
    state: State<C>,
    /// The same for all: each flow pays for what it holds of its own, be it ever so short.
    settings: Arc<C::Settings>,
    /// As the settings say: each step asks, and they are elsewhere.
    is_watched: bool,
}

#[derive(Debug)]
enum State<C> {
    /// There is no consumer yet.
    Short(Shorthand),
    Long(Box<Long<C>>),
}

impl<C> Default for State<C> {
    fn default() -> Self {
        Self::Short(Shorthand::default())
    }
}

impl<C: Consumer> Backlog<C> {
    /// Octets in which a flow without a consumer is noted: a consumer takes as many and more.
    const SHORT: usize = 2 << 10;
    /// The same of one that is no more than one among many: some four thousand steps. Its consumer is told
    /// all at once, in room that another one has just left and that is in the cache still. Of 1600 flows,
    /// 2 kB take 16 % more time of the processor and 14 % more memory, 32 kB 4 and 11 %; 128 kB take 2 % more
    /// memory and 256 kB 19 %, and no less time (a generated capture of 10 M packets).
    const SHORT_AMONG_MANY: usize = 64 << 10;
    /// From so many frames of the capture for each octet of notes on it is one among many: 24 to 32 a step,
    /// as of as many flows at once, whose consumers stay in a cache of 2 MB. A flow alone takes 13 % more
    /// instructions where it is noted to the end (`.ci/instructions.py`); of 32 to 1600 flows, nothing to
    /// four times as many take as much time.
    const MANY: usize = 2;

    /// The consumer, with all that has come.
    #[expect(clippy::unnecessary_box_returns, reason = "it is some thousand octets large")]
    pub(crate) fn into_consumer(self) -> Box<C> {
        match self.state {
            State::Short(short) => {
                Long::of(&short, C::Settings::clone(&self.settings)).into_consumer()
            }
            State::Long(long) => long.into_consumer(),
        }
    }

    /// The consumer as it is by now; up to date where somebody looks on.
    pub(crate) fn consumer(&self) -> Option<&C> {
        match &self.state {
            State::Short(_) => None,
            State::Long(long) => Some(long.consumer()),
        }
    }

    #[inline(never)]
    fn note_data(&mut self, data: &Data) {
        let State::Short(short) = &mut self.state else { return };
        let has_room = short.push_data(data);
        self.end_step(has_room, |long| long.on_data(data, true));
    }

    #[inline(never)]
    fn note_ack(&mut self, ack: &Ack) {
        let State::Short(short) = &mut self.state else { return };
        let has_room = short.push_ack(ack);
        self.end_step(has_room, |long| long.on_ack(ack, true));
    }

    /// Whether it pays to note more.
    #[inline]
    fn is_short(short: &Shorthand) -> bool {
        let len = short.len();
        let is_among_many = || short.frames() as usize >= len.saturating_mul(Self::MANY);
        len <= Self::SHORT || (len <= Self::SHORT_AMONG_MANY && is_among_many())
    }

    /// Goes on after a step of a flow without a consumer, which tells that one of it where it `has_room`
    /// for no more.
    fn end_step(&mut self, has_room: bool, tell: impl FnOnce(&mut Long<C>)) {
        let State::Short(short) = &self.state else { return };
        if has_room && Self::is_short(short) && !self.is_watched {
            return;
        }
        let mut long = Box::new(Long::of(short, C::Settings::clone(&self.settings)));
        if !has_room {
            tell(&mut long);
        }
        self.state = State::Long(long);
    }
}

impl<C: Consumer> Consumer for Backlog<C> {
    type Settings = Arc<C::Settings>;

    fn with(settings: Self::Settings) -> Self {
        Self { is_watched: C::is_watched(&settings), state: State::default(), settings }
    }

    fn hears_each(settings: &Self::Settings) -> bool {
        C::is_watched(settings) || C::hears_each(settings)
    }

    fn on_handshake(&mut self, handshake: &Handshake) {
        match &mut self.state {
            State::Short(short) => short.push_handshake(handshake),
            State::Long(long) => long.on_handshake(handshake),
        }
    }

    fn on_data(&mut self, data: &Data) {
        match &mut self.state {
            State::Long(long) => long.on_data(data, self.is_watched),
            State::Short(_) => self.note_data(data),
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        match &mut self.state {
            State::Long(long) => long.on_ack(ack, self.is_watched),
            State::Short(_) => self.note_ack(ack),
        }
    }

    fn on_clock_set(&mut self, now: Timestamp, back: Duration) {
        if let State::Short(short) = &self.state {
            let long = Long::of(short, C::Settings::clone(&self.settings));
            self.state = State::Long(Box::new(long));
        }
        if let State::Long(long) = &mut self.state {
            long.on_clock_set(now, back);
        }
    }

    fn fetch(&self, is_far: bool) -> u64 {
        match &self.state {
            State::Short(short) => short.fetch(is_far),
            State::Long(long) => long.fetch(is_far),
        }
    }

    fn settle(&mut self) {
        match &mut self.state {
            State::Short(short) => short.settle(),
            State::Long(long) => long.settle(),
        }
    }

    fn memory(&self) -> Bytes {
        let held = match &self.state {
            State::Short(short) => short.memory(),
            State::Long(long) => long.memory(),
        };
        held.saturating_add(Bytes(u64::try_from(size_of::<Self>()).unwrap_or(u64::MAX)))
    }
}

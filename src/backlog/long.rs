//! A flow that is long enough for a consumer of its own.

use super::shorthand::Shorthand;
use crate::flow::{Ack, Consumer, Data, Handshake};
use crate::units::{Bytes, Duration, FrameNumber, Timestamp};

/// The consumer, and what it has not been told yet.
#[derive(Debug)]
pub(super) struct Long<C> {
    consumer: Box<C>,
    /// At most [`Long::NOTES_MAX`] octets.
    notes: Shorthand,
    /// The last one that was gone through.
    last_frame: FrameNumber,
    /// What the consumer held after the steps that were gone through together, if it has been told nothing
    /// since; else zero. To ask later is to fetch its parts once more.
    counted: Bytes,
}

impl<C: Consumer> Long<C> {
    /// Octets of notes: some 600 steps. Fetching a state takes as long as some tens of steps in it. Of 32,
    /// 128, 300 and 1600 flows, 4 kB take 2 to 6 % less time of the processor than 2 kB, and 8 kB as much
    /// less again or nothing; 16 kB take no less (generated captures of 1 and 3 M packets).
    pub(super) const NOTES_MAX: usize = 8 << 10;
    /// Frames in which other flows do not take its state out of the cache: no more than a burst.
    pub(super) const AT_HAND: u64 = 8;

    /// Goes on from what was noted.
    pub(super) fn of(short: &Shorthand, settings: C::Settings) -> Self {
        let mut consumer = Box::new(C::with(settings));
        short.tell(&mut *consumer);
        let last_frame = short.last_frame();
        Self { consumer, notes: Shorthand::default(), last_frame, counted: Bytes(0) }
    }

    #[expect(clippy::unnecessary_box_returns, reason = "it is some thousand octets large")]
    pub(super) fn into_consumer(mut self) -> Box<C> {
        self.catch_up();
        self.consumer
    }

    /// As it is by now.
    pub(super) fn consumer(&self) -> &C {
        &self.consumer
    }

    pub(super) fn on_handshake(&mut self, handshake: &Handshake) {
        self.catch_up().on_handshake(handshake);
    }

    pub(super) fn on_clock_set(&mut self, now: Timestamp, back: Duration) {
        self.catch_up().on_clock_set(now, back);
    }

    /// Tells the consumer later, unless that `is_urgent`.
    #[inline]
    pub(super) fn on_data(&mut self, data: &Data, is_urgent: bool) {
        match self.at_hand(data.frame, is_urgent) {
            Some(consumer) => consumer.on_data(data),
            None => self.put_data_off(data),
        }
    }

    /// Tells the consumer later, unless that `is_urgent`.
    #[inline]
    pub(super) fn on_ack(&mut self, ack: &Ack, is_urgent: bool) {
        match self.at_hand(ack.frame, is_urgent) {
            Some(consumer) => consumer.on_ack(ack),
            None => self.put_ack_off(ack),
        }
    }

    /// See [`Consumer::fetch`].
    pub(super) fn fetch(&self, is_far: bool) -> u64 {
        self.notes.fetch(is_far)
    }

    /// Goes through all that came, and holds no room for more; nor does the consumer.
    pub(super) fn settle(&mut self) {
        self.catch_up().settle();
        self.notes = Shorthand::default();
    }

    /// Octets held beside the value itself.
    pub(super) fn memory(&self) -> Bytes {
        let is_counted = self.counted > Bytes(0);
        let consumer = if is_counted { self.counted } else { self.consumer.memory() };
        consumer.saturating_add(self.notes.memory())
    }

    /// The consumer, if it may take `frame` right away: nothing came before that it does not know of, and
    /// it is still at hand from a few frames before, or is to know at once.
    #[inline]
    fn at_hand(&mut self, frame: FrameNumber, is_urgent: bool) -> Option<&mut C> {
        let is_soon = frame.is_within(Self::AT_HAND, self.last_frame);
        if self.notes.len() > 0 || !(is_soon || is_urgent) {
            return None;
        }
        (self.last_frame, self.counted) = (frame, Bytes(0));
        Some(&mut self.consumer)
    }

    #[inline(never)]
    fn put_data_off(&mut self, data: &Data) {
        if self.notes.push_data(data) {
            self.end_step();
        } else {
            self.catch_up().on_data(data);
        }
    }

    #[inline(never)]
    fn put_ack_off(&mut self, ack: &Ack) {
        if self.notes.push_ack(ack) {
            self.end_step();
        } else {
            self.catch_up().on_ack(ack);
        }
    }

    fn end_step(&mut self) {
        if self.notes.len() >= Self::NOTES_MAX {
            self.counted = self.catch_up().memory();
        }
    }

    /// Goes through all that was put off.
    #[inline(never)]
    fn catch_up(&mut self) -> &mut C {
        let Self { consumer, notes, last_frame, counted } = self;
        *counted = Bytes(0);
        if notes.len() > 0 {
            *last_frame = notes.last_frame();
            notes.tell(&mut **consumer);
            notes.clear();
        }
        consumer
    }
}

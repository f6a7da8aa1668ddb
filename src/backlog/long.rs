//! A flow that is long enough for a consumer of its own.

use super::shorthand::Shorthand;
use super::step::Step;
use crate::flow::{Ack, Consumer, Data, Handshake, SackRanges};
use crate::units::heap::{self, OnHeap};
use crate::units::{Bytes, Duration, FrameNumber, Timestamp};

/// The consumer, and what it has not been told yet.
#[derive(Debug)]
pub(super) struct Long<C> {
    consumer: Box<C>,
    /// In capture order; at most [`Long::STEPS_MAX`].
    steps: Vec<Step>,
    /// Of those that have any, in the same order.
    sacks: Vec<SackRanges>,
    /// The last one that was gone through.
    last_frame: FrameNumber,
    /// What the consumer held after the steps that were gone through together, if it has been told nothing
    /// since; else zero. To ask later is to fetch its parts once more.
    counted: Bytes,
}

impl<C: Consumer> Long<C> {
    /// Fetching a state takes as long as some tens of steps in it. Of a thousand flows at once, 128 take 6 %
    /// less time in all than 64, and 256 one per cent less again (a generated capture of 10 M packets), at 40
    /// octets a step.
    pub(super) const STEPS_MAX: usize = 128;
    /// Frames in which other flows do not take its state out of the cache: no more than a burst.
    pub(super) const AT_HAND: u64 = 8;
    /// Made room for at a time.
    const STEPS_EACH: usize = 8;

    /// Goes on from what was noted.
    pub(super) fn of(short: &Shorthand, settings: C::Settings) -> Self {
        let mut consumer = Box::new(C::with(settings));
        short.tell(&mut *consumer);
        let last_frame = short.last_frame();
        Self { consumer, steps: Vec::new(), sacks: Vec::new(), last_frame, counted: Bytes(0) }
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
        if is_far {
            self.steps.last().map_or(0, |step| step.frame().to_bits())
        } else {
            self.steps.len() as u64
        }
    }

    /// Goes through all that came, and holds no room for more; nor does the consumer.
    pub(super) fn settle(&mut self) {
        self.catch_up().settle();
        (self.steps, self.sacks) = (Vec::new(), Vec::new());
    }

    /// Octets held beside the value itself.
    pub(super) fn memory(&self) -> Bytes {
        let own = heap::sum(&[self.steps.on_heap(), self.sacks.on_heap()]);
        let is_counted = self.counted > Bytes(0);
        let consumer = if is_counted { self.counted } else { self.consumer.memory() };
        consumer.saturating_add(Bytes(u64::try_from(own).unwrap_or(u64::MAX)))
    }

    /// The consumer, if it may take `frame` right away: nothing came before that it does not know of, and
    /// it is still at hand from a few frames before, or is to know at once.
    #[inline]
    fn at_hand(&mut self, frame: FrameNumber, is_urgent: bool) -> Option<&mut C> {
        let is_soon = frame.is_within(Self::AT_HAND, self.last_frame);
        if !self.steps.is_empty() || !(is_soon || is_urgent) {
            return None;
        }
        (self.last_frame, self.counted) = (frame, Bytes(0));
        Some(&mut self.consumer)
    }

    #[inline(never)]
    fn put_data_off(&mut self, data: &Data) {
        match Step::of_data(data) {
            Some(step) => self.put_off(step),
            None => self.catch_up().on_data(data),
        }
    }

    #[inline(never)]
    fn put_ack_off(&mut self, ack: &Ack) {
        let Some(step) = Step::of_ack(ack) else { return self.catch_up().on_ack(ack) };
        if step.has_sack() {
            self.sacks.push(ack.sack);
        }
        self.put_off(step);
    }

    fn put_off(&mut self, step: Step) {
        if self.steps.len() == self.steps.capacity() {
            self.steps.reserve_exact(Self::STEPS_EACH);
        }
        self.steps.push(step);
        if self.steps.len() >= Self::STEPS_MAX {
            self.counted = self.catch_up().memory();
        }
    }

    /// Goes through all that was put off.
    #[inline(never)]
    fn catch_up(&mut self) -> &mut C {
        let Self { consumer, steps, sacks, last_frame, counted } = self;
        *counted = Bytes(0);
        *last_frame = steps.last().map_or(*last_frame, Step::frame);
        let mut sacks = sacks.drain(..);
        for step in steps.drain(..) {
            if step.is_data() {
                consumer.on_data(&step.data());
            } else {
                consumer.on_ack(&step.ack(&mut sacks));
            }
        }
        consumer
    }
}

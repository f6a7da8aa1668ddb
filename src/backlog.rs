//! When is a flow's work done? Not packet by packet. Of many flows at once, each one's state has left the
//! cache by the time that its next packet comes; and most flows are short. So what passes is noted in
//! little room first and gone through later, in the same order: the state is fetched once for many
//! steps, and a flow that never shows as many has none until its report is made, if one is made at
//! all. A flow that has the wire to itself waits for nothing.

mod step;
#[cfg(test)]
mod tests;

use crate::flow::{Ack, Consumer, Data, Handshake, SackRanges};
use crate::units::heap::{self, OnHeap};
use crate::units::{Bytes, FrameNumber};
use step::{Step, What};

/// Hands its consumer what came to it, later.
#[derive(Debug, Default)]
pub(crate) struct Backlog<C: Consumer> {
    /// In capture order; at most [`Backlog::STEPS_MAX`].
    steps: Vec<Step>,
    /// Of those that have any, in the same order.
    sacks: Vec<SackRanges>,
    /// Where there is no consumer yet.
    handshake: Option<Box<Handshake>>,
    consumer: Option<Box<C>>,
    /// The last one that was gone through.
    last_frame: FrameNumber,
    settings: C::Settings,
    is_watched: bool,
}

impl<C: Consumer> Backlog<C> {
    /// Fetching a state takes as long as some tens of steps in it; a request and its answer take about
    /// as many.
    const STEPS_MAX: usize = 32;
    /// Made room for at a time.
    const STEPS_EACH: usize = 8;

    /// The consumer, with all that has come.
    #[expect(clippy::unnecessary_box_returns, reason = "it is some thousand octets large")]
    pub(crate) fn into_consumer(mut self) -> Box<C> {
        self.catch_up();
        self.consumer.unwrap_or_default()
    }

    /// The consumer as it is by now; up to date where somebody looks on.
    pub(crate) fn consumer(&self) -> Option<&C> {
        self.consumer.as_deref()
    }

    /// The consumer, if it may take `frame` right away: nothing came before that it does not know of, and
    /// it is still at hand from the frame before, or somebody looks on.
    fn at_hand(&mut self, frame: FrameNumber) -> Option<&mut C> {
        let is_next = frame.0 == self.last_frame.0.saturating_add(1);
        if !self.steps.is_empty() || !(is_next || self.is_watched) {
            return None;
        }
        self.last_frame = frame;
        self.consumer.as_deref_mut()
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
        if self.steps.len() >= Self::STEPS_MAX || self.is_watched {
            self.catch_up();
        }
    }

    /// Goes through all that was put off.
    #[inline(never)]
    fn catch_up(&mut self) -> &mut C {
        let Self { steps, sacks, handshake, consumer, last_frame, settings, .. } = self;
        let consumer = consumer.get_or_insert_with(|| {
            let mut consumer = Box::new(C::with(*settings));
            if let Some(handshake) = handshake.take() {
                consumer.on_handshake(&handshake);
            }
            consumer
        });
        *last_frame = steps.last().map_or(*last_frame, |step| step.frame);
        let mut sacks = sacks.drain(..);
        for step in steps.drain(..) {
            match step.what {
                What::Data(part) => consumer.on_data(&step.data(part)),
                What::Ack(part) => consumer.on_ack(&step.ack(part, &mut sacks)),
            }
        }
        consumer
    }
}

impl<C: Consumer> Consumer for Backlog<C> {
    /// Whether somebody looks on, and what the consumer is told.
    type Settings = (bool, C::Settings);

    fn with((is_watched, settings): Self::Settings) -> Self {
        Self { settings, is_watched, ..Self::default() }
    }

    fn on_handshake(&mut self, handshake: &Handshake) {
        if self.consumer.is_none() && self.steps.is_empty() && self.handshake.is_none() {
            self.handshake = Some(Box::new(*handshake));
        } else {
            self.catch_up().on_handshake(handshake);
        }
    }

    fn on_data(&mut self, data: &Data) {
        match self.at_hand(data.frame) {
            Some(consumer) => consumer.on_data(data),
            None => self.put_data_off(data),
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        match self.at_hand(ack.frame) {
            Some(consumer) => consumer.on_ack(ack),
            None => self.put_ack_off(ack),
        }
    }

    fn memory(&self) -> Bytes {
        let handshake = self.handshake.as_ref().map_or(0, |_| size_of::<Handshake>());
        let own =
            heap::sum(&[size_of::<Self>(), self.steps.on_heap(), self.sacks.on_heap(), handshake]);
        let consumer = self.consumer.as_ref().map_or(Bytes(0), |consumer| consumer.memory());
        consumer.saturating_add(Bytes(u64::try_from(own).unwrap_or(u64::MAX)))
    }
}

//! What a side tells its flow's consumer, and when there is one.

use super::{EarlyAcks, Riders, Side};
use crate::flow::{Ack, Consumer, Data, Handshake};
use crate::units::{Duration, FrameNumber, Timestamp};
use crate::wire::{Segment, TcpFlags};

impl<C: Consumer> Side<C> {
    pub(in crate::flow) fn hand_ack(&mut self, ack: &Ack) {
        if let Some(consumer) = self.listener() {
            return consumer.on_ack(ack);
        }
        match &mut self.early_acks {
            Some(early) => early.push(ack),
            slot => *slot = Some(Box::new(EarlyAcks::new(ack))),
        }
    }

    pub(in crate::flow) fn hand_data(&mut self, data: &Data) {
        if let Some(riders) = &mut self.riders {
            riders.begin_anew();
        }
        match self.listener() {
            Some(consumer) => consumer.on_data(data),
            None if data.is_fin => self.silent_fin = Some(Box::new(*data)),
            None => {}
        }
    }

    /// The consumer, after it was told of what was held back.
    pub(in crate::flow) fn listener(&mut self) -> Option<&mut C> {
        let consumer = self.consumer.as_deref_mut()?;
        if let Some(last) = self.riders.as_deref_mut().and_then(Riders::take_held) {
            consumer.on_ack(&last);
        }
        Some(consumer)
    }

    pub(in crate::flow) fn on_clock_set(&mut self, now: Timestamp, back: Duration) {
        self.answer = None;
        if let Some(consumer) = self.listener() {
            consumer.on_clock_set(now, back);
        }
    }

    /// Hardly anything will come any more.
    pub(in crate::flow) fn settle_consumer(&mut self) {
        if let Some(consumer) = self.listener() {
            consumer.settle();
        }
        self.riders = None;
    }

    /// A consumer hears of payload, and of a FIN sent again.
    pub(in crate::flow) fn wants_consumer(&self, segment: &Segment) -> bool {
        let is_fin_again = segment.flags.has(TcpFlags::FIN) && self.silent_fin.is_some();
        self.consumer.is_none() && (segment.payload_len > 0 || is_fin_again)
    }

    /// Takes in its new consumer, after telling it what came before the frame `now`, in capture
    /// order.
    pub(in crate::flow) fn take_consumer(
        &mut self,
        consumer: C,
        handshake: Option<&Handshake>,
        now: FrameNumber,
    ) {
        let mut consumer = Box::new(consumer);
        if let Some(handshake) = handshake {
            consumer.on_handshake(handshake);
        }
        let early = self.early_acks.take();
        let mut acks = early.iter().flat_map(|early| early.acks()).peekable();
        for data in self.sent_silently().filter(|data| data.frame < now) {
            while let Some(ack) = acks.next_if(|ack| ack.frame < data.frame) {
                consumer.on_ack(&ack);
            }
            consumer.on_data(&data);
        }
        acks.for_each(|ack| consumer.on_ack(&ack));
        self.silent_fin = None;
        self.consumer = Some(consumer);
    }

    /// The SYNs and the FIN of a side that has sent no payload, in capture order: a SYN may be recorded
    /// behind a FIN, and one frame may be both.
    fn sent_silently(&self) -> impl Iterator<Item = Data> {
        let fin = self.silent_fin.as_deref().copied();
        let syns = || self.syn.iter().flat_map(|syn| syn.copies());
        let is_before = move |syn: &Data| fin.is_none_or(|fin| syn.frame < fin.frame);
        let is_behind = move |syn: &Data| fin.is_some_and(|fin| syn.frame > fin.frame);
        syns().filter(is_before).chain(fin).chain(syns().filter(is_behind))
    }
}

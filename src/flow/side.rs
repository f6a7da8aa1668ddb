//! One end of a connection: the stream of octets that it sends, and its flow's consumer.

mod riding;
mod telling;

use std::num::NonZeroU8;

use super::Departure;
use super::answer::Answer;
use super::connection::{Flow, ScaleFacts};
use super::ecn::Echo;
use super::handshake::{EarlyAcks, Syn};
use super::placing::{Placing, clamped};
use super::riders::Riders;
use super::window_scale::{Offered, Scale};
use super::{Ack, Consumer, Data, SackRanges};
use crate::units::heap;
use crate::units::{Bytes, Duration, FrameNumber, SeqNum, StreamOffset, Timestamp, WindowShift};
use crate::wire::{Endpoint, Segment, TcpFlags};

/// One end: what it sends, and what is known of its octet stream. What each segment needs stands first,
/// and the compiler keeps to that: with the two ends and [`Tracked`](super::tracked::Tracked) that is
/// four cache lines less for each segment of a thousand flows (`benches/pipeline.rs`).
#[derive(Debug)]
#[repr(C)]
pub(super) struct Side<C> {
    pub(super) placing: Placing,
    pub(super) packets: u64,
    pub(super) payload_bytes: u64,
    pub(super) snd_una: StreamOffset,
    pub(super) snd_nxt: StreamOffset,
    /// When it last showed octets, or acknowledged some, behind all before.
    pub(super) went_on: Timestamp,
    pub(super) consumer: Option<Box<C>>,
    /// Those that acknowledge what this side sent; none before the other side sent some.
    pub(super) riders: Option<Box<Riders>>,
    /// Shift of the windows that it advertises.
    pub(super) scale: Scale,
    pub(super) has_timestamps: bool,
    /// Of the first packet that was counted.
    ttl: Option<NonZeroU8>,
    pub(super) echo: Echo,
    pub(super) unplaced_count: u32,
    /// Of a side without timestamps that has sent payload.
    answer: Option<Box<Answer>>,
    ending: Option<Box<Ending>>,
    pub(super) syn: Option<Box<Syn>>,
    /// The first FIN of a side that has sent no payload.
    pub(super) silent_fin: Option<Box<Data>>,
    pub(super) early_acks: Option<Box<EarlyAcks>>,
}

/// How a side ended what it sends.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// Of the last FIN.
    pub(super) fin_end: Option<StreamOffset>,
    pub(super) reset_time: Option<Timestamp>,
}

impl<C: Consumer> Side<C> {
    pub(super) fn new() -> Self {
        Self {
            placing: Placing::default(),
            snd_nxt: StreamOffset(0),
            snd_una: StreamOffset(0),
            went_on: Timestamp::default(),
            packets: 0,
            payload_bytes: 0,
            unplaced_count: 0,
            scale: Scale::default(),
            has_timestamps: false,
            ttl: None,
            echo: Echo::default(),
            ending: None,
            syn: None,
            silent_fin: None,
            early_acks: None,
            answer: None,
            consumer: None,
            riders: None,
        }
    }

    /// What it has shown was of another connection: forgets all but how much that was.
    pub(super) fn forget(&mut self) {
        let Self { packets, payload_bytes, unplaced_count, .. } = *self;
        *self = Self { packets, payload_bytes, unplaced_count, ..Self::new() };
    }

    pub(super) fn count(&mut self, segment: &Segment) {
        self.packets = self.packets.saturating_add(1);
        self.payload_bytes = self.payload_bytes.saturating_add(u64::from(segment.payload_len));
        if self.ttl.is_none() {
            self.ttl = NonZeroU8::new(segment.ttl);
        }
        if !self.has_timestamps && segment.options.timestamps.is_some() {
            self.has_timestamps = !segment.flags.has(TcpFlags::SYN);
        }
    }

    pub(super) fn offered(&self) -> Offered {
        self.syn.as_ref().map_or(Offered::Unseen, |syn| syn.window_scale)
    }

    pub(super) fn settle(&mut self, shift: Option<WindowShift>) {
        if let Some(shift) = shift {
            self.scale = Scale::Negotiated(shift);
        }
    }

    /// Adds the SACK blocks of `segment` to `ranges`.
    pub(super) fn place_sack(&self, segment: &Segment, ranges: &mut SackRanges) {
        if segment.options.sack.is_empty() {
            return;
        }
        for &(left, right) in segment.options.sack.as_slice() {
            let place = |number: SeqNum| self.placing.place_near(number);
            if let (Some(left), Some(right)) = (place(left), place(right)) {
                ranges.push(left, right);
            }
        }
    }

    /// All that it sent has been acknowledged.
    pub(super) fn is_idle(&self) -> bool {
        self.snd_una >= self.snd_nxt
    }

    /// The segment in this side's stream; `None` for plain acknowledgments and for what cannot be
    /// placed.
    pub(super) fn place_data(&mut self, segment: &Segment) -> Option<Data> {
        let is_syn = segment.flags.has(TcpFlags::SYN);
        let is_fin = segment.flags.has(TcpFlags::FIN);
        let Some(offset) = self.placing.place(segment.seq) else {
            self.unplaced_count = self.unplaced_count.saturating_add(1);
            return None;
        };
        let has_space = segment.payload_len > 0 || is_syn || is_fin;
        if !has_space && !self.is_probe(offset) {
            return None;
        }
        // Octets before the first one seen, at 1, have no place. At 0 stands a SYN or a probe.
        let first = if offset < 0 { 1 } else { offset };
        let before_first = first.abs_diff(offset);
        let len = u64::from(segment.payload_len).saturating_sub(before_first);
        if before_first > 0 && len == 0 {
            self.unplaced_count = self.unplaced_count.saturating_add(1);
            return None;
        }
        Some(Data {
            frame: segment.frame,
            time: segment.time,
            start: clamped(first),
            len: Bytes(len),
            is_syn,
            is_fin,
            is_pushed: segment.flags.has(TcpFlags::PSH),
            ip_id: segment.ip_id,
            timestamps: segment.options.timestamps,
            headers_len: segment.headers_len,
            sender_tick: None,
            departure: Departure::Unknown,
        })
    }

    /// A segment without sequence space is a probe one below SND.NXT (keep-alive, RFC 9293 section
    /// 3.8.4) or one below SND.UNA (Linux `tcp_xmit_probe_skb`); any other only acknowledges.
    fn is_probe(&self, offset: i64) -> bool {
        let next = clamped(offset).after(Bytes(1));
        offset >= 0 && (next == self.snd_una || next == self.snd_nxt)
    }

    /// Awaits the answer to `data`, which are the next to be sent; where timestamps tell, there is no need.
    pub(super) fn await_answer(&mut self, data: &Data) {
        if self.has_timestamps || data.len == Bytes(0) {
            return;
        }
        let is_new = data.start >= self.snd_nxt;
        self.answer.get_or_insert_default().on_data(data, is_new);
    }

    /// How long what this side awaits took to be acknowledged, if `ack` does that.
    pub(super) fn answered(&mut self, ack: &Ack) -> Option<Duration> {
        self.answer.as_mut()?.on_ack(ack.ack, ack.time)
    }

    /// Takes note of an acknowledgment of what the `peer` sent; gives whether none covered as much before.
    #[inline]
    pub(super) fn acknowledges(
        &mut self,
        peer: &mut Self,
        ack: StreamOffset,
        now: Timestamp,
    ) -> bool {
        let is_news = ack > peer.snd_una;
        if is_news {
            peer.snd_una = ack;
            self.went_on = self.went_on.max(now);
        }
        is_news
    }

    /// Whether `segment` shows octets of this side behind all that any did before it, or acknowledges some of
    /// the `peer`'s that none did.
    pub(super) fn goes_on(&self, peer: &Self, segment: &Segment) -> bool {
        let start = self.placing.place_near(segment.seq).filter(|_| segment.payload_len > 0);
        let ack = segment.ack.and_then(|ack| peer.placing.place_near(ack));
        start.is_some_and(|start| start >= self.snd_nxt)
            || ack.is_some_and(|ack| ack > peer.snd_una)
    }

    /// How it ends, of which something has passed now.
    pub(super) fn ending(&mut self) -> &mut Ending {
        self.ending.get_or_insert_default()
    }

    /// Whether `seq` is a number that this side may send a RST with, so that the other believes it: not
    /// acknowledged, and not beyond the next.
    pub(super) fn may_send(&self, seq: SeqNum) -> bool {
        let place = self.placing.place_near(seq);
        place.is_some_and(|place| (self.snd_una..=self.snd_nxt).contains(&place))
    }

    /// The window that `segment` of this side offers; the largest possible where its scale is not known.
    pub(super) fn window_of(&self, segment: &Segment) -> Bytes {
        self.scale.shift().unwrap_or(WindowShift::MAX).scale(segment.window_unscaled)
    }

    /// Whether what this side sent may be acknowledged as far as `ack`, beyond all that was seen of it: the
    /// capture may have missed some, but a receiver ignores what it has not let out (RFC 9293 section
    /// 3.10.7.4, RFC 5961 section 5). Beyond `window` a second acknowledgment has to agree with the one that
    /// was set `aside`.
    #[cold]
    pub(super) fn believes_ack(
        &mut self,
        ack: StreamOffset,
        (number, aside): (SeqNum, Option<SeqNum>),
        window: Bytes,
    ) -> bool {
        let sent = self.snd_nxt.max(self.snd_una);
        let missed_max = window.max(Bytes(u64::from(u16::MAX))).0;
        let agrees =
            |aside: SeqNum| u64::from(number.distance_from(aside).unsigned_abs()) <= missed_max;
        let is_believed = ack.since(sent).0 <= missed_max || aside.is_some_and(agrees);
        if !is_believed {
            self.placing.take_back(number, sent);
        }
        is_believed
    }

    /// Whether this side, not seen before, answers all that the `peer` sent with a RST that has this `ack`.
    pub(super) fn refuses(&self, peer: &Self, ack: Option<SeqNum>) -> bool {
        let place = ack.and_then(|ack| peer.placing.place_near(ack));
        self.placing.base().is_none() && place == Some(peer.snd_nxt)
    }

    pub(super) fn has_reset(&self) -> bool {
        self.ending.as_ref().is_some_and(|ending| ending.reset_time.is_some())
    }

    pub(super) fn is_fin_acked(&self) -> bool {
        let fin_end = self.ending.as_ref().and_then(|ending| ending.fin_end);
        fin_end.is_some_and(|end| self.snd_una >= end)
    }

    /// The first octet stands at 1; the last one may be a FIN's that was not captured.
    fn covered(&self) -> Bytes {
        let fin_len = u64::from(self.is_fin_acked());
        let octets = self.snd_una.since(StreamOffset(1).after(Bytes(fin_len)));
        if octets > Bytes(1) { octets } else { Bytes(0) }
    }

    pub(super) fn memory(&self) -> u64 {
        let syn = self.syn.as_ref().map_or(0, |syn| size_of::<Syn>().saturating_add(syn.memory()));
        let early = self.early_acks.as_ref().map_or(0, |_| size_of::<EarlyAcks>());
        let fin = self.silent_fin.as_ref().map_or(0, |_| size_of::<Data>());
        let answer = self.answer.as_ref().map_or(0, |_| size_of::<Answer>());
        let riders = self.riders.as_ref().map_or(0, |_| size_of::<Riders>());
        let ending = self.ending.as_ref().map_or(0, |_| size_of::<Ending>());
        let boxes = heap::sum(&[syn, early, fin, answer, riders, ending, self.scale.memory()]);
        let consumer = self.consumer.as_ref().map_or(0, |consumer| consumer.memory().0);
        consumer.saturating_add(u64::try_from(boxes).unwrap_or(u64::MAX))
    }

    /// `settings` are for the consumer of SYNs that were sent again in vain.
    pub(super) fn into_flow(
        mut self,
        src: Endpoint,
        is_client: bool,
        settings: &C::Settings,
    ) -> Flow<C> {
        let is_syn_repeated = self.syn.as_ref().is_some_and(|syn| syn.is_repeated());
        if self.consumer.is_none() && is_syn_repeated {
            let consumer = C::with(settings.clone());
            self.take_consumer(consumer, None, FrameNumber::AFTER_ALL);
        }
        self.listener();
        let ending = self.ending.as_deref();
        let is_inferred = !matches!(self.scale, Scale::Negotiated(_));
        let is_certain = self.scale.is_certain();
        Flow {
            src,
            is_client,
            packets: self.packets,
            payload_bytes: self.payload_bytes,
            ttl: self.ttl,
            covered: self.covered(),
            syn: self.syn.map(|syn| syn.window_scale),
            window_scale: self.scale.shift().map(|shift| ScaleFacts {
                shift,
                is_inferred,
                is_certain,
            }),
            reset_time: ending.and_then(|ending| ending.reset_time),
            unplaced_count: u64::from(self.unplaced_count),
            consumer: self.consumer,
        }
    }
}

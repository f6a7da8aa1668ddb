//! A connection that has more to show than its first SYN: places every segment in both streams and
//! hands it to the consumers.

mod opening;
mod phase;

pub(super) use self::phase::Phase;
use super::clock_set::{ClockSet, Passed, is_early};
use super::connection::Flow;
use super::handshake::{Halves, Syn};
use super::placing::{Placing, clamped};
use super::riders::Riders;
use super::side::Side;
use super::window_scale::scaled;
use super::{Ack, Consumer, SackRanges};
use crate::units::{Bytes, Duration, StreamOffset, Timestamp};
use crate::wire::{Endpoint, Segment, TcpFlags};

/// Which end of the connection sent a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The end whose segment was seen first.
    First,
    Other,
}

impl Origin {
    pub(super) fn reverse(self) -> Self {
        match self {
            Self::First => Self::Other,
            Self::Other => Self::First,
        }
    }
}

/// In the order of need, as [`Side`] is.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Live<C> {
    /// Sender of the SYN, or receiver of the SYN-ACK.
    client: Option<Origin>,
    /// The client answered the SYN-ACK.
    is_answered: bool,
    /// A RST passed, and its sender sent no payload since.
    is_reset: bool,
    /// Its receiver believes it: its number is one that is still to be acknowledged, or the next, or it
    /// refuses the receiver's SYN (RFC 9293 sections 3.10.7.3 and 3.10.7.4).
    is_reset_believed: bool,
    first: Side<C>,
    other: Side<C>,
    halves: Halves,
    /// `None` before anything came late.
    clock: Option<Box<ClockSet>>,
}

impl<C: Consumer> Live<C> {
    pub(super) fn new() -> Self {
        Self {
            first: Side::new(),
            other: Side::new(),
            client: None,
            halves: Halves::default(),
            clock: None,
            is_answered: false,
            is_reset: false,
            is_reset_believed: false,
        }
    }

    /// Goes on from the first side's SYN, `packets` times seen.
    pub(super) fn after_syn(syn: Syn, packets: u64) -> Self {
        let mut live = Self::new();
        live.client = Some(Origin::First);
        live.first.placing.rebase(syn.seq);
        live.first.snd_nxt = StreamOffset(1);
        live.first.packets = packets;
        live.first.syn = Some(Box::new(syn));
        live
    }

    /// Whether a SYN without ACK opens a new connection: by Wireshark's rule (`dissect_tcp`) if
    /// this side's numbering began elsewhere.
    pub(super) fn starts_anew(&self, segment: &Segment, from: Origin) -> bool {
        let side = self.side(from);
        match side.placing.base() {
            Some(base) => base != segment.seq,
            None => side.packets > 0,
        }
    }

    /// Whether the other side has not been seen, and the numbers of `segment` fit for it.
    pub(super) fn lacks(&self, segment: &Segment) -> bool {
        let is_near = |placing: &Placing, number| placing.place_near(number).is_some();
        let fits = |ack| is_near(&self.first.placing, ack);
        !self.has_both_sides()
            && is_near(&self.other.placing, segment.seq)
            && segment.ack.is_some_and(fits)
    }

    pub(super) fn has_both_sides(&self) -> bool {
        self.other.packets > 0
    }

    /// The end whose segment was seen first.
    pub(super) fn first(&self) -> &Side<C> {
        &self.first
    }

    pub(super) fn other(&self) -> &Side<C> {
        &self.other
    }

    /// When `segment` passed, by the clock as it was when the connection began; `last` is the latest time
    /// before it.
    #[inline]
    pub(super) fn time_of(
        &mut self,
        segment: &Segment,
        from: Origin,
        last: Timestamp,
    ) -> Timestamp {
        let is_idle = self.clock.as_ref().is_none_or(|clock| clock.is_idle());
        let is_as_told = is_idle && !is_early(segment.time, last);
        if is_as_told { segment.time } else { self.mended_time(segment, from, last) }
    }

    #[cold]
    fn mended_time(&mut self, segment: &Segment, from: Origin, last: Timestamp) -> Timestamp {
        let (own, peer) = self.pair(from);
        let own = (own.went_on, own.goes_on(peer, segment));
        let clock = self.clock.get_or_insert_default();
        match clock.on_segment(segment.time, last, own) {
            Passed::At(time) => time,
            Passed::Set(time) => {
                let back = clock.back();
                self.first.on_clock_set(last, back);
                self.other.on_clock_set(last, back);
                time
            }
        }
    }

    pub(super) fn on_segment(&mut self, segment: &Segment, from: Origin, settings: &C::Settings) {
        let (own, _) = self.pair(from);
        own.count(segment);
        let is_marked = segment.flags.has(TcpFlags::SYN | TcpFlags::RST);
        if is_marked && !self.on_marked(segment, from) {
            return;
        }
        if self.is_reset && segment.payload_len > 0 && self.side(from).has_reset() {
            // A forged RST, or none that its sender stood by.
            (self.is_reset, self.is_reset_believed) = (false, false);
        }
        if !self.is_answered && self.client == Some(from) {
            self.on_handshake_answer(segment, from);
        }
        self.on_ack(segment, from, settings);
        self.on_data(segment, from, settings);
    }

    /// Takes a RST or a SYN; `false` if that is all that the segment says.
    #[cold]
    fn on_marked(&mut self, segment: &Segment, from: Origin) -> bool {
        if segment.flags.has(TcpFlags::RST) {
            // Its number may be any, so nothing is placed by it, and it acknowledges nothing (RFC 9293
            // section 3.10.7).
            let (own, peer) = self.pair(from);
            own.ending().reset_time.get_or_insert(segment.time);
            let is_believed = own.may_send(segment.seq) || own.refuses(peer, segment.ack);
            self.is_reset = true;
            self.is_reset_believed |= is_believed;
            return false;
        }
        self.on_syn(segment, from)
    }

    fn on_ack(&mut self, segment: &Segment, from: Origin, settings: &C::Settings) {
        let (own, peer) = self.pair(from);
        if peer.holds_back(segment) {
            return;
        }
        let Some(number) = segment.ack else { return };
        let aside = peer.placing.aside();
        let Some(offset) = peer.placing.place_acked(number) else {
            own.unplaced_count = own.unplaced_count.saturating_add(1);
            return;
        };
        let ack = clamped(offset);
        if ack > peer.snd_nxt && ack > peer.snd_una {
            let window = own.window_of(segment);
            if !peer.believes_ack(ack, (number, aside), window) {
                own.unplaced_count = own.unplaced_count.saturating_add(1);
                return;
            }
        }
        let flags = segment.flags;
        let is_syn = flags.has(TcpFlags::SYN);
        let window_unscaled = segment.window_unscaled;
        let window = if is_syn {
            Some(Bytes(u64::from(window_unscaled)))
        } else {
            own.scale.on_window(ack, window_unscaled);
            scaled(own.scale.shift(), window_unscaled)
        };
        let has_ece = !is_syn && own.echo.tells_congestion(flags, ack);
        let is_news = own.acknowledges(peer, ack, segment.time);
        let mut ack = Ack {
            frame: segment.frame,
            time: segment.time,
            ack,
            window,
            window_unscaled,
            sack: SackRanges::default(),
            timestamps: segment.options.timestamps,
            has_payload: segment.payload_len > 0,
            is_syn,
            is_fin: flags.has(TcpFlags::FIN),
            slack: Duration::ZERO,
            has_ece,
            repeats: 0,
        };
        // In place: they are half of what an acknowledgment is, and seldom there.
        peer.place_sack(segment, &mut ack.sack);
        peer.hand_ack(&ack);
        peer.note_rider(segment, &ack);
        let may_begin = !is_news && own.packets > Riders::SEGMENTS_MIN;
        let is_first_rider = may_begin && peer.may_await_riders(&ack);
        if let Some(within) = peer.answered(&ack) {
            self.shorten_half(from, within);
        }
        if is_first_rider && !C::hears_each(settings) {
            let rtt = self.halves.rtt();
            self.pair(from).1.await_riders(segment, &ack, rtt);
        }
    }

    fn on_data(&mut self, segment: &Segment, from: Origin, settings: &C::Settings) {
        let (own, peer) = self.pair(from);
        let Some(data) = own.place_data(segment) else { return };
        // One octet may be a probe of a closed window, beyond its edge.
        if data.len > Bytes(1) {
            peer.scale.on_data(data.end());
        }
        own.await_answer(&data);
        if data.end() > own.snd_nxt {
            own.snd_nxt = data.end();
            own.went_on = own.went_on.max(segment.time);
        }
        if data.is_fin {
            let ending = own.ending();
            ending.fin_end = Some(data.end());
        }
        if own.consumer.is_none() {
            self.begin(segment, from, settings);
        }
        let (own, _) = self.pair(from);
        own.hand_data(&data);
    }

    /// Gives the flow of a side its consumer, if `segment` is one to begin with.
    #[inline(never)]
    fn begin(&mut self, segment: &Segment, from: Origin, settings: &C::Settings) {
        if self.side(from).wants_consumer(segment) {
            let handshake = self.handshake(from);
            let (own, _) = self.pair(from);
            own.take_consumer(C::with(settings.clone()), handshake.as_ref(), segment.frame);
        }
    }

    /// Tells the consumers that it is over.
    pub(super) fn settle(&mut self) {
        self.first.settle_consumer();
        self.other.settle_consumer();
    }

    /// Octets held, the consumers' included.
    pub(super) fn memory(&self) -> u64 {
        let clock = self.clock.as_ref().map_or(0, |_| size_of::<ClockSet>());
        let own = u64::try_from(size_of::<Self>().saturating_add(clock)).unwrap_or(0);
        own.saturating_add(self.first.memory()).saturating_add(self.other.memory())
    }

    pub(super) fn has_handshake(&self) -> bool {
        self.first.syn.is_some() && self.other.syn.is_some()
    }

    /// The two flows, between `first` and `other`.
    pub(super) fn into_flows(
        self,
        (first, other): (Endpoint, Endpoint),
        settings: &C::Settings,
    ) -> [Flow<C>; 2] {
        let is_first_client = self.client != Some(Origin::Other);
        [
            self.first.into_flow(first, is_first_client, settings),
            self.other.into_flow(other, !is_first_client, settings),
        ]
    }

    fn side(&self, from: Origin) -> &Side<C> {
        match from {
            Origin::First => &self.first,
            Origin::Other => &self.other,
        }
    }

    /// The side that sent, and the other.
    fn pair(&mut self, from: Origin) -> (&mut Side<C>, &mut Side<C>) {
        match from {
            Origin::First => (&mut self.first, &mut self.other),
            Origin::Other => (&mut self.other, &mut self.first),
        }
    }
}

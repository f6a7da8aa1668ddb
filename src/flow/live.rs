//! A connection that has more to show than its first SYN: places every segment in both streams and
//! hands it to the consumers.

use super::connection::Flow;
use super::ecn::Echo;
use super::handshake::{Halves, Syn};
use super::placing::{Placing, clamped};
use super::riders::Riders;
use super::side::Side;
use super::window_scale::{negotiated, scaled};
use super::{Ack, Consumer, Handshake, SackRanges};
use crate::units::{Bytes, Duration, SeqNum, StreamOffset};
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
}

/// What decides how long a connection is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    HalfOpen,
    Closed,
    /// Both sides are there and carried this many payload octets.
    Open(u64),
}

impl<C: Consumer> Live<C> {
    pub(super) fn new() -> Self {
        Self {
            first: Side::new(),
            other: Side::new(),
            client: None,
            halves: Halves::default(),
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
            // Its number may be any, so nothing is placed by it, and it acknowledges nothing (RFC 9293 section
            // 3.10.7).
            let (own, peer) = self.pair(from);
            own.ending().reset_time.get_or_insert(segment.time);
            let is_believed = own.may_send(segment.seq) || own.refuses(peer, segment.ack);
            self.is_reset = true;
            self.is_reset_believed |= is_believed;
            return false;
        }
        self.on_syn(segment, from)
    }

    /// `false` if the SYN contradicts data that was handed on already.
    fn on_syn(&mut self, segment: &Segment, from: Origin) -> bool {
        let is_answer = segment.flags.has(TcpFlags::ACK);
        let client = if is_answer { from.reverse() } else { from };
        self.client = self.client.or(Some(client));
        let (own, _) = self.pair(from);
        match &mut own.syn {
            Some(syn) if syn.seq == segment.seq => syn.repeat(segment),
            _ if own.consumer.is_some() && own.placing.base() != Some(segment.seq) => {
                own.unplaced_count = own.unplaced_count.saturating_add(1);
                return false;
            }
            slot => {
                *slot = Some(Box::new(Syn::of(segment)));
                own.placing.rebase(segment.seq);
            }
        }
        self.settle_scales(from);
        self.settle_ecn(from);
        if !is_answer {
            return true;
        }
        let client = match from {
            Origin::First => &self.other,
            Origin::Other => &self.first,
        };
        if let Some(syn) = &client.syn {
            self.halves.on_syn_ack(syn, segment);
        }
        true
    }

    /// Takes over what the SYNs captured so far say of window scaling.
    fn settle_scales(&mut self, from: Origin) {
        let (own, peer) = self.pair(from);
        let (own_offer, peer_offer) = (own.offered(), peer.offered());
        own.settle(negotiated(own_offer, peer_offer));
        peer.settle(negotiated(peer_offer, own_offer));
    }

    fn settle_ecn(&mut self, from: Origin) {
        let (own, peer) = self.pair(from);
        let [Some(one), Some(other)] =
            [&own.syn, &peer.syn].map(|syn| syn.as_ref().map(|syn| syn.ecn))
        else {
            return;
        };
        own.echo = Echo::negotiated(one, other);
        peer.echo = own.echo;
    }

    /// The client's first segment that answers the SYN-ACK completes the handshake.
    #[cold]
    fn on_handshake_answer(&mut self, segment: &Segment, from: Origin) {
        if segment.flags.has(TcpFlags::SYN) {
            return;
        }
        let server = match from {
            Origin::First => &self.other,
            Origin::Other => &self.first,
        };
        let (Some(syn), Some(ack)) = (&server.syn, segment.ack) else { return };
        if ack.distance_from(syn.seq) < 1 {
            return;
        }
        self.halves.on_answer(syn, segment);
        self.is_answered = true;
        // Data that came with the SYN (RFC 7413) was handed on before the handshake was complete.
        for from in [Origin::First, Origin::Other] {
            let handshake = self.handshake(from);
            self.tell_handshake(from, handshake);
        }
    }

    fn on_ack(&mut self, segment: &Segment, from: Origin, settings: &C::Settings) {
        let (own, peer) = self.pair(from);
        if peer.holds_back(segment) {
            return;
        }
        let Some(number) = segment.ack else { return };
        let Some(offset) = peer.placing.place(number) else {
            own.unplaced_count = own.unplaced_count.saturating_add(1);
            return;
        };
        let ack = clamped(offset);
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
        let is_news = ack > peer.snd_una;
        peer.snd_una = peer.snd_una.max(ack);
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

    /// `from` answered within this time: its half of the RTT is no longer.
    #[cold]
    fn shorten_half(&mut self, from: Origin, within: Duration) {
        if !self.halves.shorten(self.client == Some(from), within) {
            return;
        }
        let handshake = self.handshake(from);
        self.tell_handshake(from, handshake);
    }

    fn tell_handshake(&mut self, from: Origin, handshake: Option<Handshake>) {
        if let (Some(consumer), Some(handshake)) = (self.pair(from).0.listener(), handshake) {
            consumer.on_handshake(&handshake);
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
        own.snd_nxt = own.snd_nxt.max(data.end());
        if data.is_fin {
            let ending = own.ending();
            ending.fin_end = Some(data.end());
            ending.fin_time.get_or_insert(segment.time);
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

    /// What the handshake told the flow sent by `from`; `None` if no SYN was captured.
    fn handshake(&self, from: Origin) -> Option<Handshake> {
        let (own, peer) = (self.side(from), self.side(from.reverse()));
        if own.syn.is_none() && peer.syn.is_none() {
            return None;
        }
        let is_client = self.client == Some(from);
        let Halves { server, client } = self.halves;
        let (sender_half, receiver_half) =
            if is_client { (client, server) } else { (server, client) };
        let both = |offers: fn(&Syn) -> bool| {
            [own, peer].into_iter().all(|side| side.syn.as_deref().is_some_and(offers))
        };
        let own_and_peer = [own, peer].into_iter().map(|side| side.syn.as_ref()?.mss);
        Some(Handshake {
            mss: own_and_peer.flatten().min(),
            sender_half,
            receiver_half,
            is_client,
            is_sack_permitted: both(|syn| syn.is_sack_permitted),
            is_multipath: both(|syn| syn.is_multipath),
        })
    }

    pub(super) fn phase(&self) -> Phase {
        if self.is_reset || self.is_over() {
            return Phase::Closed;
        }
        let payload_bytes = self.first.payload_bytes.saturating_add(self.other.payload_bytes);
        if payload_bytes == 0 && !self.is_established() {
            return Phase::HalfOpen;
        }
        Phase::Open(payload_bytes)
    }

    /// Both sides' FINs have been acknowledged. A RST is less: it may be forged.
    pub(super) fn is_over(&self) -> bool {
        self.first.is_fin_acked() && self.other.is_fin_acked()
    }

    /// A RST closed it that its receiver believes.
    pub(super) fn is_cut_off(&self) -> bool {
        self.is_reset && self.is_reset_believed
    }

    /// Where the numbers of both sides begin; `None` while one has not been seen. One that refused has number
    /// 0 (RFC 9293 section 3.10.7.1).
    pub(super) fn begins(&self) -> Option<[SeqNum; 2]> {
        let begin =
            |side: &Side<C>| side.placing.base().or_else(|| side.has_reset().then_some(SeqNum(0)));
        Some([begin(&self.first)?, begin(&self.other)?])
    }

    /// Which sides sent a RST.
    pub(super) fn resets(&self) -> [bool; 2] {
        [self.first.has_reset(), self.other.has_reset()]
    }

    /// Tells the consumers that it is over.
    pub(super) fn settle(&mut self) {
        self.first.settle_consumer();
        self.other.settle_consumer();
    }

    fn is_established(&self) -> bool {
        let has_syn = self.first.syn.is_some() || self.other.syn.is_some();
        if has_syn { self.is_answered } else { self.has_both_sides() }
    }

    /// Octets held, the consumers' included.
    pub(super) fn memory(&self) -> u64 {
        let own = u64::try_from(size_of::<Self>()).unwrap_or(0);
        own.saturating_add(self.first.memory()).saturating_add(self.other.memory())
    }

    pub(super) fn has_handshake(&self) -> bool {
        self.first.syn.is_some() && self.other.syn.is_some()
    }

    /// The two flows, between `first` and `other`.
    pub(super) fn into_flows(self, first: Endpoint, other: Endpoint) -> [Flow<C>; 2] {
        let is_first_client = self.client != Some(Origin::Other);
        [
            self.first.into_flow(first, is_first_client),
            self.other.into_flow(other, !is_first_client),
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

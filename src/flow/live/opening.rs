//! How a connection opens: what its SYNs and their answers settle for both sides.

use super::super::ecn::Echo;
use super::super::handshake::Syn;
use super::super::window_scale::negotiated;
use super::super::{Consumer, Handshake};
use super::{Live, Origin};
use crate::units::{Duration, SeqNum, StreamOffset};
use crate::wire::{Segment, TcpFlags};

impl<C: Consumer> Live<C> {
    /// `false` if the SYN contradicts data that was handed on already.
    pub(super) fn on_syn(&mut self, segment: &Segment, from: Origin) -> bool {
        let is_answer = segment.flags.has(TcpFlags::ACK);
        let client = if is_answer { from.reverse() } else { from };
        self.client = self.client.or(Some(client));
        if is_answer && self.is_first_proof(segment, from) {
            self.start_over(from);
        }
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
        match &client.syn {
            // Both opened (RFC 9293 section 3.5): the client answers the other side's SYN.
            Some(syn) if self.client == Some(from) => {
                self.halves.on_answer(syn, segment);
                self.is_answered = true;
            }
            Some(syn) => self.halves.on_syn_ack(syn, segment),
            None => {}
        }
        true
    }

    /// Whether a SYN-ACK answers the SYN of a side that has sent nothing else, while what had come from
    /// `from` before has other numbers: it was of a connection before, to which a SYN is answered by an ACK
    /// (RFC 9293 section 3.10.7.4), and perhaps by data that are sent again.
    fn is_first_proof(&mut self, segment: &Segment, from: Origin) -> bool {
        let (own, peer) = self.pair(from);
        let is_other = own.placing.base().is_some_and(|base| base != segment.seq);
        let answered = segment.ack.map(|ack| SeqNum(ack.0.wrapping_sub(1)));
        let is_answer = peer.syn.as_ref().is_some_and(|syn| Some(syn.seq) == answered);
        is_other && is_answer && peer.consumer.is_none() && peer.snd_nxt <= StreamOffset(1)
    }

    /// Forgets all but the SYN that `from` is about to answer.
    #[cold]
    fn start_over(&mut self, from: Origin) {
        let (own, peer) = self.pair(from);
        own.forget();
        let syn = peer.syn.take();
        peer.forget();
        if let Some(syn) = &syn {
            peer.placing.rebase(syn.seq);
            peer.snd_nxt = StreamOffset(1);
        }
        peer.syn = syn;
        (self.is_reset, self.is_reset_believed) = (false, false);
    }

    /// Takes over what the SYNs captured so far say of window scaling.
    fn settle_scales(&mut self, from: Origin) {
        let is_answer = self.client == Some(from.reverse());
        let (own, peer) = self.pair(from);
        let (own_offer, peer_offer) = (own.offered(), peer.offered());
        own.settle(negotiated(own_offer, is_answer, peer_offer));
        peer.settle(negotiated(peer_offer, !is_answer, own_offer));
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
    pub(super) fn on_handshake_answer(&mut self, segment: &Segment, from: Origin) {
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

    /// `from` answered within this time: its half of the RTT is no longer.
    #[cold]
    pub(super) fn shorten_half(&mut self, from: Origin, within: Duration) {
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

    /// What the handshake told the flow sent by `from`; `None` if no SYN was captured.
    pub(super) fn handshake(&self, from: Origin) -> Option<Handshake> {
        let (own, peer) = (self.side(from), self.side(from.reverse()));
        if own.syn.is_none() && peer.syn.is_none() {
            return None;
        }
        let is_client = self.client == Some(from);
        let (server, client) = (self.halves.server(), self.halves.client());
        let (sender_half, receiver_half) =
            if is_client { (client, server) } else { (server, client) };
        let both = |offers: fn(&Syn) -> bool| {
            [own, peer].into_iter().all(|side| side.syn.as_deref().is_some_and(offers))
        };
        let [own_mss, receiver_mss] = [own, peer].map(|side| side.syn.as_ref()?.mss);
        Some(Handshake {
            mss: own_mss.into_iter().chain(receiver_mss).min(),
            receiver_mss,
            sender_half,
            receiver_half,
            is_client,
            is_sack_permitted: both(|syn| syn.is_sack_permitted),
            is_multipath: both(|syn| syn.is_multipath),
        })
    }
}

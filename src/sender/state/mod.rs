//! The sender's variables (RFC 9293 section 3.3.1), rebuilt from the wire.

mod acknowledged;
mod arrived;
mod loss_probe;
mod repeated;
mod retransmission;
mod sacked;
mod samples;
mod scoreboard;
mod sent;
mod unchanged;
mod unheard;
mod unprompted;
mod unseen;

use std::collections::VecDeque;

use repeated::Repeated;
use scoreboard::Scoreboard;
use sent::Sent;
use unprompted::Again;
use unseen::Unseen;

use super::clock_step::ClockStep;
use super::copies::Copies;
use super::passage::Passage;
use super::rtt::RttEstimator;
use super::segment_size::SegmentSize;
use super::totals::SenderTotals;
use super::{Gap, Recovery, RetransmitCause, Send, SendKind, SenderEvent, SenderVars};
use crate::flow::{Data, Handshake};
use crate::units::heap::{self, OnHeap};
use crate::units::{Bytes, Duration, StreamOffset, Timestamp};

/// One direction's sender, as far as a passive observer can know it.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts of one connection")]
pub(crate) struct Sender {
    vars: Known,
    is_started: bool,
    has_sent: bool,
    edge: Option<StreamOffset>,
    /// As the last acknowledgment says, which tells two apart where the scale is not known.
    window_unscaled: u16,
    size: SegmentSize,
    passage: Passage,
    sent: VecDeque<Sent>,
    copies: Copies,
    sacked: Scoreboard,
    /// Below it, what is not SACKed is lost: three segments below the highest one SACKed, everything sent
    /// before a retransmission timeout (RFC 6298 section 5).
    lost_edge: StreamOffset,
    /// Octets sent again and neither acknowledged nor SACKed since.
    resent: Bytes,
    /// Octets that duplicate ACKs tell to have arrived where there is no SACK.
    arrived: Bytes,
    /// What a D-SACK may tell to have been sent again needlessly.
    repeated: Repeated,
    /// The receiver tells copies by D-SACK (RFC 2883), so timestamps need not.
    has_sack: bool,
    /// TSval, start and end of the first retransmission that no ACK has covered yet.
    eifel: Option<(u32, StreamOffset, StreamOffset)>,
    /// When the oldest and the newest segment that the current ACK newly SACKs went out, of those sent once.
    sacked_sent: Option<(Timestamp, Timestamp)>,
    /// TSval and when it first went out, oldest first; from the last that was echoed on, and some before.
    stamps: VecDeque<(u32, Timestamp)>,
    newest_stamp: Option<u32>,
    /// TSecr of the last acknowledgment of new data.
    last_echo: Option<u32>,
    unseen: Unseen,
    /// What follows the SYN and the FIN in the stream.
    syn_end: Option<StreamOffset>,
    fin_end: Option<StreamOffset>,
    /// The highest that either ever was.
    flag_end: StreamOffset,
    recovery_point: StreamOffset,
    rtt: RttEstimator,
    last_send: Timestamp,
    /// Start and end of what went out last.
    last_sent: (StreamOffset, StreamOffset),
    /// The last retransmission.
    again: Option<Again>,
    /// When an acknowledgment came last; `None` before the first.
    last_heard: Option<Timestamp>,
    /// No PSH stood on the last send of new data: the queue held more.
    has_more_waiting: bool,
    clock_step: ClockStep,
    /// The tap does not stand at the sender.
    is_remote: bool,
    /// The tap's clock last jumped just before this: times across it tell nothing.
    stepped: Timestamp,
    /// One tick of the tap's clock; zero of a fine one.
    tap_tick: Duration,
    /// When the retransmission timer was last set: as data went out with nothing in flight, as
    /// SND.UNA advanced, as the head or a probe was sent again (Linux `tcp_rearm_rto`).
    timer_set: Timestamp,
    /// When it last expired.
    expired: Timestamp,
    /// End of the data in flight when this round trip began, and whether it gave an RTT sample;
    /// `None` while nothing is in flight.
    round: Option<(StreamOffset, bool)>,
    /// Acknowledgments in a row that changed nothing.
    unchanged: u8,
    /// Octets acknowledged that were not sent while the capture ran.
    left_out: Bytes,
    totals: SenderTotals,
}

/// Those of [`SenderVars`] that do not follow from the others.
#[derive(Debug, Default)]
struct Known {
    snd_una: StreamOffset,
    snd_nxt: StreamOffset,
    snd_wnd: Option<Bytes>,
    recovery: Recovery,
    srtt: Option<Duration>,
    min_rtt: Option<Duration>,
    rto_est: Option<Duration>,
}

impl Sender {
    /// Ticks of the timestamp clock remembered: four seconds at Linux's 1 ms.
    const STAMPS_MAX: usize = 4096;
    /// Transmissions remembered at once: a window of 1 GB in full-sized segments has fewer.
    const SENT_MAX: usize = 1 << 20;
    /// Stretches that the capture has not shown, or that the receiver has beyond a gap: such a window has
    /// fewer with every second segment missing.
    const HOLES_MAX: usize = Self::SENT_MAX / 2;

    pub(crate) fn on_handshake(&mut self, handshake: &Handshake) {
        self.size.set_announced(handshake.mss, handshake.receiver_mss);
        self.has_sack = handshake.is_sack_permitted;
        self.totals.is_without_sack = !handshake.is_sack_permitted;
        self.totals.is_multipath = handshake.is_multipath;
    }

    /// Octets held beside its own size.
    pub(crate) fn memory(&self) -> usize {
        let Self { sent, stamps, unseen, copies, sacked, repeated, totals, .. } = self;
        let queues = heap::sum(&[sent.on_heap(), stamps.on_heap(), unseen.memory()]);
        let parts = [copies.memory(), sacked.memory(), repeated.memory(), totals.rtt.memory()];
        queues.saturating_add(heap::sum(&parts))
    }

    /// Hardly anything will come any more: gives back the room that is held for more.
    pub(crate) fn settle(&mut self) {
        self.sent.shrink_to_fit();
        self.stamps.shrink_to_fit();
        self.copies.settle();
    }

    /// Payload octets of what the capture holds twice, so far.
    pub(crate) fn recorded_twice(&self) -> Bytes {
        self.totals.recorded_twice
    }

    pub(crate) fn into_totals(mut self) -> SenderTotals {
        self.totals.settle();
        self.totals.acked = self.totals.acked.saturating_sub(self.left_out);
        self.totals.unheard_since = self.unheard_since();
        self.totals.too_large = self.too_large();
        self.totals
    }

    /// The times are read from a clock of this tick.
    pub(crate) fn on_tap_tick(&mut self, tick: Duration) {
        self.tap_tick = tick;
    }

    /// The RTT samples so far were too short.
    pub(crate) fn on_way_found(&mut self) {
        self.rtt = RttEstimator::default();
        (self.vars.srtt, self.vars.min_rtt, self.vars.rto_est) = (None, None, None);
        self.totals.forget_rtt();
    }

    /// The tap's clock was set back, and times go on from `now`.
    pub(crate) fn on_clock_set(&mut self, now: Timestamp, back: Duration) {
        self.stepped = now.after(Duration::from_nanos(1));
        self.totals.clock_set_back = back;
    }

    /// Takes what the sender put on the wire.
    pub(crate) fn on_data(&mut self, data: &Data, sink: &mut impl FnMut(SenderEvent)) {
        self.unchanged = 0;
        self.note_step(data, sink);
        self.totals.advance(data.time);
        self.size.learn(data);
        self.note_stamp(data);
        self.start_at(data.start);
        let is_idle = self.vars.snd_nxt == self.vars.snd_una;
        // Nearly always: no more than the next octets of the stream.
        let is_next =
            data.start == self.vars.snd_nxt && data.len > Bytes(0) && !(data.is_syn || data.is_fin);
        let kind = if is_next {
            self.copies.note(data);
            SendKind::New
        } else {
            self.take_in(data)
        };
        self.has_sent = true;
        let is_loss_probe = self.is_probe_of_new_data(data, kind)
            || kind == SendKind::Retransmit(RetransmitCause::LossProbe);
        let nxt_before = self.vars.snd_nxt;
        if is_next || data.end() > self.vars.snd_nxt {
            self.send_beyond(data);
        }
        if is_loss_probe || self.sets_timer(data, kind, is_idle) {
            self.timer_set = data.time;
        }
        let resent_segments = if kind != SendKind::New || is_loss_probe {
            self.count_again(data, kind, nxt_before)
        } else {
            0
        };
        self.last_send = data.time;
        if kind != SendKind::Reordered {
            self.last_sent = (data.start, data.end());
        }
        sink(SenderEvent::Send(Send {
            frame: data.frame,
            time: data.time,
            sender_tick: data.sender_tick,
            departure: data.departure,
            start: data.start,
            len: data.len,
            headers_len: data.headers_len,
            segments: self.size.segments(data.len),
            resent_segments,
            smss: self.size.smss(),
            kind,
            is_syn: data.is_syn,
            is_fin: data.is_fin,
            is_pushed: data.is_pushed,
            is_loss_probe,
            after: self.vars(),
        }));
    }

    /// Counts `data` that are no plain new ones; tells how many segments of them the sender sent again.
    #[inline(never)]
    fn count_again(&mut self, data: &Data, kind: SendKind, nxt_before: StreamOffset) -> u32 {
        // New octets behind a repair are not sent again.
        let again = data.len.min(nxt_before.since(data.start));
        let segments = self.size.segments(again);
        self.totals.count(kind, segments, again);
        if matches!(kind, SendKind::Retransmit(_)) { segments } else { 0 }
    }

    /// The numbering begins with the first thing seen.
    #[inline]
    fn start_at(&mut self, offset: StreamOffset) {
        if !self.is_started {
            (self.is_started, self.vars.snd_una, self.vars.snd_nxt) = (true, offset, offset);
        }
    }

    /// Whether the retransmission timer counts from here (RFC 6298 section 5); a loss probe sets it anew,
    /// too (RFC 8985 section 7.3).
    #[inline]
    fn sets_timer(&self, data: &Data, kind: SendKind, is_idle: bool) -> bool {
        match kind {
            SendKind::New => is_idle,
            SendKind::Retransmit(_) => data.start <= self.vars.snd_una,
            _ => false,
        }
    }

    #[inline]
    fn note_step(&mut self, data: &Data, sink: &mut impl FnMut(SenderEvent)) {
        if !self.is_remote && self.clock_step.on_data(data) {
            self.stepped = data.time;
            self.totals.clock_steps = self.totals.clock_steps.saturating_add(1);
            let (time, frame) = (data.time, data.frame);
            sink(SenderEvent::Gap(Gap { time, frame, missed: Bytes(0) }));
        }
    }

    /// Whether the capture may have begun in the midst of what is acknowledged now: that was in flight then,
    /// and is no gap. It lasts until something that was seen was acknowledged.
    fn may_have_begun_later(&self) -> bool {
        self.syn_end.is_none() && self.vars.srtt.is_none()
    }

    /// All of them, with what follows from the rest.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a copy of what was just written waits for it")]
    fn vars(&mut self) -> SenderVars {
        let Known { snd_una, snd_nxt, snd_wnd, recovery, srtt, min_rtt, rto_est } = self.vars;
        let flight_size = snd_nxt.since(snd_una);
        self.totals.hold_flight(flight_size);
        SenderVars {
            snd_una,
            snd_nxt,
            flight_size,
            pipe: self.pipe(flight_size),
            snd_wnd,
            spare_window: self.edge.map(|edge| edge.since(snd_nxt)),
            recovery,
            srtt,
            min_rtt,
            rto_est,
        }
    }
}

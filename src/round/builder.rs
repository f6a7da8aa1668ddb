//! Cuts the stream of sender events into waits and rounds.

use super::acks::RecentAcks;
use super::manner::Manner;
use super::nagle::is_short;
use super::open_wait::OpenWait;
use super::stop::{Stop, StopBy, is_probe_of_old_data};
use super::{EndedBy, QueueSign, Round};
use crate::flow::Departure;
use crate::sender::{Acknowledge, Recovery, Send, SendKind, SenderEvent, Unchanged};
use crate::units::heap::OnHeap;
use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp, least};

/// Builds rounds; call [`RoundBuilder::on_event`] in order, then [`RoundBuilder::finish`] once.
#[derive(Debug, Default)]
pub(crate) struct RoundBuilder {
    current: Option<Round>,
    open: Option<OpenWait>,
    /// Of the open wait.
    acks: RecentAcks,
    /// The round is over once this is acknowledged.
    passes_at: StreamOffset,
    is_passed: bool,
    /// The SYN was seen, so that nothing went out before what is known to have.
    is_from_start: bool,
    /// Largest single send of the round before.
    send_max_before: Bytes,
    /// What is known of the queue behind the last new data: that the FIN was the last of it, or that it
    /// went out before any repair and ended in a segment below SMSS. (While repairs are on, a writer
    /// may have filled its buffer.)
    left: Option<QueueSign>,
    /// An ACK prompted the burst that goes on. Away from the sender bursts are not told apart.
    is_answer: bool,
    last_send: LastSend,
    manner: Manner,
}

/// The last send, and the octets of the socket buffer it was part of.
#[derive(Debug, Default)]
struct LastSend {
    time: Timestamp,
    run: Bytes,
    is_pushed: bool,
}

impl LastSend {
    /// What left the sender as one was cut up before it passed.
    fn is_cut(&self, send: &Send) -> bool {
        send.sender_tick.is_some() && self.run > send.smss
    }

    /// Where only the tick is known, PSH tells one buffer's end: Linux sets it on each since 5.4.
    fn followed_by(&self, send: &Send) -> Self {
        let gap = send.time.since(self.time);
        let is_same_buffer = match send.sender_tick {
            Some(_) => gap.is_zero() && !self.is_pushed,
            None => gap <= SAME_BUFFER,
        };
        let run = if is_same_buffer { self.run } else { Bytes(0) };
        let run = run.saturating_add(send.len);
        Self { time: send.time, run, is_pushed: send.is_pushed }
    }
}

impl RoundBuilder {
    /// Octets held beside its own size.
    pub(crate) fn memory(&self) -> usize {
        self.current.as_ref().map_or(0, |round| round.waits.on_heap())
    }

    /// Hardly anything will come any more: gives back the room that is held for more.
    pub(crate) fn settle(&mut self) {
        if let Some(round) = &mut self.current {
            round.waits.shrink_to_fit();
        }
    }

    /// Takes one event; gives the round that it completed, if it did.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "where it is called the kind is known")]
    pub(crate) fn on_event(&mut self, event: &SenderEvent) -> Option<Round> {
        match event {
            SenderEvent::Send(send) => self.on_send(send),
            SenderEvent::Acknowledge(ack) => {
                self.on_ack(ack);
                None
            }
            SenderEvent::Gap(_) => {
                if let Some(open) = &mut self.open {
                    open.has_gap = true;
                }
                None
            }
        }
    }

    pub(crate) fn on_unchanged(&mut self, ack: &Unchanged) {
        if self.open.is_some() {
            self.acks.push_unchanged(ack);
        }
    }

    /// Whether the sender's answers to ACKs come late, one as late as the other.
    pub(crate) fn answers_late(&self) -> bool {
        self.manner.answers_late()
    }

    /// Whether the sender opened at the pace that is BBR's before it has measured a rate.
    pub(crate) fn opens_as_bbr(&self) -> bool {
        self.manner.timer.opens_as_bbr()
    }

    /// Closes the last wait at `end`, the last packet's time, and gives the last round.
    pub(crate) fn finish(mut self, end: Timestamp, frame: FrameNumber) -> Option<Round> {
        let stop = Stop { time: end, frame, by: StopBy::End };
        self.close_wait(&stop);
        self.current
    }

    fn on_send(&mut self, send: &Send) -> Option<Round> {
        if matches!(send.kind, SendKind::KeepAlive | SendKind::Duplicate(_) | SendKind::Reordered) {
            return None; // No step of the sender, or none that ends its waiting.
        }
        self.manner.has_segmentation_offload |= send.segments > 1;
        let is_short = is_short(send.len, send.smss);
        if send.kind == SendKind::New {
            let is_open = send.after.recovery == Recovery::Open;
            let is_dry = is_open && is_short;
            self.left = match () {
                () if send.is_fin => Some(QueueSign::Closing),
                () => is_dry.then_some(QueueSign::Dry),
            };
        } else if is_probe_of_old_data(send) {
            self.left = self.left.or(Some(QueueSign::Dry));
        }
        let left = self.left;
        let is_remote = self.manner.is_remote;
        let nagle = self.open.is_some().then_some(&mut self.manner.nagle);
        let release = nagle.map(|nagle| nagle.on_send(send, is_short, is_remote));
        let is_together = send.departure == Departure::QueuedTogether;
        let burst = self.open.as_mut().filter(|_| self.acks.is_empty() || is_together);
        if let Some(open) = burst.filter(|open| open.is_followed_by(send, is_remote)) {
            let is_behind_end = self.is_answer && open.is_behind_write(send);
            open.go_on(send, is_short, left);
            open.hold(&self.manner);
            if is_together {
                self.acks.clear();
            }
            self.note(send, is_short);
            if is_behind_end {
                self.note_write_end();
            }
            return None;
        }
        let by = StopBy::Send(send, release.unwrap_or_default());
        self.close_wait(&Stop { time: send.time, frame: send.frame, by });
        if !self.is_passed {
            // Apart, so that no round is moved where none is done.
            self.go_out(send, is_short, left);
            return None;
        }
        let done = self.current.take();
        self.send_max_before = done.as_ref().map_or(self.send_max_before, |round| round.send_max);
        self.go_out(send, is_short, left);
        done
    }

    fn on_ack(&mut self, ack: &Acknowledge) {
        self.manner.stand(!ack.slack.is_zero());
        self.manner.nagle.on_ack(ack);
        self.is_passed |= self.current.is_some() && ack.after.snd_una >= self.passes_at;
        let Some(open) = &mut self.open else { return };
        if let Some(queue) = open.state_after(ack) {
            return self.change_state(ack, queue);
        }
        let freed = ack.newly_acked.saturating_add(ack.newly_sacked);
        let opened = ack.window_opened.saturating_sub(ack.newly_acked);
        if freed > Bytes(0) || opened > Bytes(0) || ack.has_payload || lets_go(ack) {
            self.acks.push(ack, freed, open.comes(ack.time));
        }
        open.on_ack(ack);
    }

    /// What the queue is known to be changes with `ack`.
    #[inline(never)]
    fn change_state(&mut self, ack: &Acknowledge, queue: QueueSign) {
        let stop = Stop { time: ack.time, frame: ack.frame, by: StopBy::StateChange };
        self.close_wait(&stop);
        self.begin_wait(OpenWait::since(ack, queue));
    }

    /// A burst begins with `send`.
    #[inline(never)]
    fn go_out(&mut self, send: &Send, is_short: bool, left: Option<QueueSign>) {
        self.note(send, is_short);
        self.begin_wait(OpenWait::after(send, is_short, left));
    }

    fn begin_wait(&mut self, wait: OpenWait) {
        self.open.insert(wait).hold(&self.manner);
        self.acks.clear();
    }

    /// Enters a send into the current round, or opens one with it. `is_short`: it ends in a segment below
    /// SMSS.
    fn note(&mut self, send: &Send, is_short: bool) {
        let vars = &send.after;
        self.is_from_start |= send.is_syn;
        let is_before_answer = self.is_from_start && vars.snd_una <= StreamOffset(1);
        let round = self.current.get_or_insert_with(|| {
            self.passes_at = vars.snd_nxt;
            self.is_passed = false;
            self.manner.send_max = self.send_max_before;
            Round { is_remote: self.manner.is_remote, ..Round::starting_with(send) }
        });
        round.smss = send.smss;
        round.sender_tick = send.sender_tick;
        round.srtt = vars.srtt;
        round.min_rtt = vars.min_rtt;
        if vars.flight_size > round.flight_peak {
            round.flight_peak = vars.flight_size;
        }
        if vars.pipe > round.pipe_peak {
            round.pipe_peak = vars.pipe;
        }
        if !self.manner.timer.is_unknown() {
            self.manner.fill.add(send.len, send.segments, vars.flight_size);
        }
        self.last_send = self.last_send.followed_by(send);
        self.manner.has_segmentation_offload |= self.last_send.is_cut(send);
        if self.last_send.run > round.send_max {
            round.send_max = self.last_send.run;
            self.manner.send_max = round.send_max.max(self.send_max_before);
        }
        round.has_loss |=
            matches!(send.kind, SendKind::Retransmit(_)) || vars.recovery != Recovery::Open;
        if send.kind == SendKind::New {
            round.short_sends = round.short_sends.saturating_add(u32::from(is_short));
            if is_before_answer {
                let segments = u16::try_from(send.segments).unwrap_or(u16::MAX);
                round.first_segments = round.first_segments.saturating_add(segments);
            }
        }
        round.spare_window_min = least(round.spare_window_min, vars.spare_window);
    }

    /// A write ended inside a burst.
    #[inline(never)]
    fn note_write_end(&mut self) {
        if let Some(round) = &mut self.current {
            round.write_ends_inside = round.write_ends_inside.saturating_add(1);
        }
    }

    fn close_wait(&mut self, stop: &Stop<'_>) {
        let Some(open) = &self.open else { return };
        let wait = open.ended(stop, &self.acks, &mut self.manner);
        self.is_answer = wait.sign.ended_by == EndedBy::Ack && !self.manner.is_remote;
        if let Some(round) = &mut self.current {
            round.push(&wait);
        }
    }
}

/// Without SACK each duplicate tells that a segment more has left the network, and lets one go in its place
/// (RFC 3042, RFC 5681 section 3.2 step 4, Linux `tcp_add_reno_sack`).
fn lets_go(ack: &Acknowledge) -> bool {
    ack.is_dup_ack && ack.newly_sacked == Bytes(0) && ack.dsack.is_none()
}

impl Round {
    fn starting_with(send: &Send) -> Self {
        Self {
            waits: Vec::new(),
            smss: send.smss,
            srtt: None,
            min_rtt: None,
            flight_peak: Bytes(0),
            pipe_peak: Bytes(0),
            spare_window_min: None,
            send_max: Bytes(0),
            short_sends: 0,
            write_ends_inside: 0,
            first_segments: 0,
            sender_tick: None,
            is_remote: false,
            has_loss: false,
        }
    }
}

/// Segments this close together were one socket buffer that the kernel cut up in software (1 to
/// 2 us apart where measured, Linux 6.12; separate buffers follow each other after 7 us and more).
const SAME_BUFFER: Duration = Duration::from_micros(3);

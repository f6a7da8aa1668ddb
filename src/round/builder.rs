//! Cuts the stream of sender events into waits and rounds.

use super::pace::{Pacer, Step};
use super::reaction::Reaction;
use super::{BatchSign, EndedBy, PacingSign, QueueSign, Round, Sign, WAKE_UP, Wait, WindowSign};
use crate::sender::{Acknowledge, Recovery, Send, SendKind, SenderEvent, SenderVars};
use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp};

/// Builds rounds; call [`RoundBuilder::on_event`] in order, then [`RoundBuilder::finish`] once.
#[derive(Debug, Default)]
pub(crate) struct RoundBuilder {
    current: Option<Round>,
    open: Option<OpenWait>,
    /// The round is over once this is acknowledged.
    passes_at: StreamOffset,
    is_passed: bool,
    has_segmentation_offload: bool,
    /// The tap does not stand at the sender: the path has stretched its bursts.
    is_remote: bool,
    /// Largest single send of the round before.
    send_max_before: Bytes,
    last_send: LastSend,
    pacer: Pacer,
    reaction: Reaction,
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

/// The wait since the last send.
#[derive(Debug)]
struct OpenWait {
    /// First send of the burst.
    start: Timestamp,
    /// Last send of the burst.
    last_send: Timestamp,
    /// Octets of the burst.
    burst: Bytes,
    frame: FrameNumber,
    queue: QueueSign,
    smss: Bytes,
    before: SenderVars,
    recovery: Recovery,
    acks: RecentAcks,
    has_gap: bool,
    /// An ACK of the wait left less than one SMSS of window.
    is_window_shut: bool,
}

/// The ACKs of a wait: the last few apart, so that those just before the next send can be told from
/// those that got no answer.
#[derive(Debug, Default)]
struct RecentAcks {
    recent: [Option<RecentAck>; RecentAcks::KEPT],
    next: usize,
    /// Octets freed by all ACKs of the wait.
    freed: Bytes,
}

#[derive(Debug, Clone, Copy)]
struct RecentAck {
    time: Timestamp,
    freed: Bytes,
    has_payload: bool,
    slack: Duration,
}

impl RecentAck {
    fn is_within(&self, span: Duration, now: Timestamp) -> bool {
        now.since(self.time) <= span.saturating_add(self.slack)
    }
}

impl RecentAcks {
    /// More than [`IMMEDIATE`](super::IMMEDIATE) holds at 1 Gbit/s with one ACK per two full-sized segments (24 us
    /// apart).
    const KEPT: usize = 8;

    fn is_empty(&self) -> bool {
        self.recent.iter().all(Option::is_none)
    }

    fn push(&mut self, ack: RecentAck) {
        self.freed = self.freed.saturating_add(ack.freed);
        if let Some(slot) = self.recent.get_mut(self.next) {
            *slot = Some(ack);
        }
        self.next = self.next.wrapping_add(1) % Self::KEPT;
    }

    /// The ACKs taken in within `span` before `now`.
    fn within(&self, span: Duration, now: Timestamp) -> impl Iterator<Item = &RecentAck> {
        self.recent.iter().flatten().filter(move |ack| ack.is_within(span, now))
    }

    fn last(&self) -> Option<&RecentAck> {
        let last = self.next.checked_add(Self::KEPT).and_then(|n| n.checked_sub(1))?;
        self.recent.get(last % Self::KEPT)?.as_ref()
    }

    /// Octets freed by the ACKs that a send at `now` answers: those just before it, or the last.
    /// Among each other, ACKs are known to within half of what `now` may be off from them.
    fn answered(&self, now: Timestamp, immediate: Duration) -> Bytes {
        let sum = |span: Duration| {
            let is_just_before = |ack: &&RecentAck| {
                let slack = ack.slack.checked_div(2).unwrap_or_default();
                now.since(ack.time) <= span.saturating_add(slack)
            };
            let answered = self.recent.iter().flatten().filter(is_just_before);
            answered.fold(Bytes(0), |sum: Bytes, ack| sum.saturating_add(ack.freed))
        };
        let last = self.last().filter(|ack| ack.is_within(WAKE_UP, now));
        sum(immediate).max(last.map_or(Bytes(0), |ack| ack.freed))
    }
}

impl RoundBuilder {
    /// Waits kept apart in one round; further ones are merged into the last. 64 steps of a round
    /// trip are finer than any timeline drawn from them.
    pub(crate) const WAITS_MAX: usize = 64;

    /// Takes one event; gives the round that it completed, if it did.
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
        self.has_segmentation_offload |= send.segments > 1;
        let burst = self
            .open
            .as_ref()
            .filter(|open| open.is_followed_by(send, self.is_remote))
            .map(|open| (open.start, open.burst));
        if let Some((start, burst)) = burst {
            self.note(send);
            let burst = burst.saturating_add(send.len);
            self.open = Some(OpenWait { start, burst, ..OpenWait::after(send) });
            return None;
        }
        self.close_wait(&Stop { time: send.time, frame: send.frame, by: StopBy::Send(send) });
        let done = if self.is_passed { self.current.take() } else { None };
        self.send_max_before = done.as_ref().map_or(self.send_max_before, |round| round.send_max);
        self.note(send);
        self.open = Some(OpenWait::after(send));
        done
    }

    fn on_ack(&mut self, ack: &Acknowledge) {
        self.is_remote = !ack.slack.is_zero();
        self.is_passed |= self.current.is_some() && ack.after.snd_una >= self.passes_at;
        let Some(open) = &mut self.open else { return };
        let next = match open.queue {
            QueueSign::Opening if ack.after.snd_una > StreamOffset(0) => QueueSign::Established,
            QueueSign::Closing if is_all_data_acked(&ack.after) => QueueSign::Closed,
            _ => open.queue,
        };
        if next != open.queue {
            let stop = Stop { time: ack.time, frame: ack.frame, by: StopBy::StateChange };
            self.close_wait(&stop);
            self.open = Some(OpenWait::since(ack, next));
            return;
        }
        let freed = ack.newly_acked.saturating_add(ack.newly_sacked);
        let opened = ack.window_opened.saturating_sub(ack.newly_acked);
        if freed > Bytes(0) || opened > Bytes(0) || ack.has_payload {
            let has_payload = ack.has_payload;
            let (time, slack) = (ack.time, ack.slack);
            open.acks.push(RecentAck { time, freed, has_payload, slack });
        }
        open.is_window_shut |= ack.after.snd_wnd.is_some_and(|wnd| wnd < open.smss);
        if ack.after.recovery != Recovery::Open {
            open.recovery = ack.after.recovery;
        }
    }

    /// Largest single send of this round and the one before: Linux sizes its sends by the pacing
    /// rate (`tcp_tso_autosize`), which changes from round to round.
    fn send_max(&self) -> Bytes {
        self.current.as_ref().map_or(Bytes(0), |round| round.send_max).max(self.send_max_before)
    }

    /// Away from the sender the path has stretched and squeezed its pace.
    fn pacing_sign(&mut self, step: &Step, ended_by: EndedBy, queue: QueueSign) -> PacingSign {
        if self.is_remote { PacingSign::Unknown } else { self.pacer.sign(step, ended_by, queue) }
    }

    /// Enters a send into the current round, or opens one with it.
    fn note(&mut self, send: &Send) {
        let vars = &send.after;
        let round = self.current.get_or_insert_with(|| {
            self.passes_at = vars.snd_nxt;
            self.is_passed = false;
            Round::starting_with(send)
        });
        round.smss = send.smss;
        round.sender_tick = send.sender_tick;
        round.srtt = vars.srtt;
        round.min_rtt = vars.min_rtt;
        round.flight_peak = round.flight_peak.max(vars.flight_size);
        round.pipe_peak = round.pipe_peak.max(vars.pipe);
        self.last_send = self.last_send.followed_by(send);
        self.has_segmentation_offload |= self.last_send.is_cut(send);
        round.send_max = round.send_max.max(self.last_send.run);
        round.has_loss |=
            matches!(send.kind, SendKind::Retransmit(_)) || vars.recovery != Recovery::Open;
        if send.kind == SendKind::New {
            round.new_bytes = round.new_bytes.saturating_add(send.len);
            let is_short = is_short(send.len, send.smss);
            round.short_sends = round.short_sends.saturating_add(u32::from(is_short));
        }
        round.spare_window_min = match (round.spare_window_min, vars.spare_window) {
            (Some(least), Some(spare)) => Some(least.min(spare)),
            (least, spare) => spare.or(least),
        };
    }

    fn close_wait(&mut self, stop: &Stop<'_>) {
        let Some(open) = self.open.take() else { return };
        let wait = open.into_wait(stop, self);
        let Some(round) = &mut self.current else { return };
        let is_full = round.waits.len() >= Self::WAITS_MAX;
        match round.waits.last_mut() {
            Some(last) if last.sign == wait.sign || is_full => last.absorb(&wait),
            _ => round.waits.push(wait),
        }
    }
}

/// Where a wait ends.
struct Stop<'a> {
    time: Timestamp,
    frame: FrameNumber,
    by: StopBy<'a>,
}

enum StopBy<'a> {
    Send(&'a Send),
    StateChange,
    End,
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
            new_bytes: Bytes(0),
            short_sends: 0,
            sender_tick: None,
            has_loss: false,
        }
    }
}

impl Wait {
    fn absorb(&mut self, next: &Self) {
        self.end = next.end;
        self.last_frame = next.last_frame;
        self.count = self.count.saturating_add(next.count);
        self.longest = self.longest.max(next.longest);
        self.shortest = self.shortest.min(next.shortest);
        self.unanswered = self.unanswered.saturating_add(next.unanswered);
    }
}

impl OpenWait {
    fn after(send: &Send) -> Self {
        let queue = match send.len {
            _ if send.is_fin && is_all_data_acked(&send.after) => QueueSign::Closed,
            _ if send.is_fin => QueueSign::Closing,
            _ if send.is_syn => QueueSign::Opening,
            Bytes(0) => QueueSign::Probe,
            len if is_short(len, send.smss) => QueueSign::Dry,
            _ if send.is_pushed => QueueSign::Pushed,
            _ => QueueSign::Held,
        };
        Self {
            start: send.time,
            last_send: send.time,
            burst: send.len,
            frame: send.frame,
            queue,
            smss: send.smss,
            before: send.after,
            recovery: send.after.recovery,
            acks: RecentAcks::default(),
            has_gap: false,
            is_window_shut: false,
        }
    }

    fn since(ack: &Acknowledge, queue: QueueSign) -> Self {
        Self {
            start: ack.time,
            last_send: ack.time,
            burst: Bytes(0),
            frame: ack.frame,
            queue,
            smss: Bytes(0),
            before: ack.after,
            recovery: Recovery::Open,
            acks: RecentAcks::default(),
            has_gap: false,
            is_window_shut: false,
        }
    }

    /// Whether `send` goes out in one burst with the send before it. Away from the sender the path
    /// has stretched bursts: what no ACK separates is one, unless the queue had run dry.
    fn is_followed_by(&self, send: &Send, is_remote: bool) -> bool {
        let gap = send.time.since(self.last_send);
        let is_one_tick = send.sender_tick.is_some_and(|tick| gap <= tick);
        let is_stretched = is_remote
            && send.sender_tick.is_none()
            && matches!(self.queue, QueueSign::Held | QueueSign::Pushed)
            && send.after.srtt.is_some_and(|srtt| gap < srtt);
        self.acks.is_empty()
            && self.before.recovery == send.after.recovery
            && !matches!(self.queue, QueueSign::Opening | QueueSign::Established)
            && (gap <= BACK_TO_BACK || is_one_tick || is_stretched)
    }

    fn into_wait(self, stop: &Stop<'_>, flow: &mut RoundBuilder) -> Wait {
        if let (Some(ack), StopBy::Send(_)) = (self.acks.last(), &stop.by) {
            flow.reaction.on_burst(stop.time.since(ack.time));
        }
        let immediate = flow.reaction.immediate();
        let unanswered = self.acks.freed.saturating_sub(self.acks.answered(stop.time, immediate));
        let ended_by = self.ended_by(stop, immediate);
        let queue = self.queue_sign(flow.is_remote);
        let sign = Sign {
            ended_by,
            queue,
            pacing: flow.pacing_sign(&self.step(stop), ended_by, queue),
            window: self.window_sign(flow.has_segmentation_offload || flow.is_remote),
            batch: self.batch_sign(unanswered, flow.send_max()),
            is_next_short: matches!(stop.by, StopBy::Send(send)
                if send.len < send.smss && send.len > Bytes(0)),
            is_emptied: self.is_emptied(),
            recovery: self.recovery,
            has_gap: self.has_gap,
        };
        Wait {
            start: self.start,
            end: stop.time.max(self.start),
            first_frame: self.frame,
            last_frame: stop.frame,
            sign,
            count: 1,
            longest: stop.time.since(self.start),
            shortest: stop.time.since(self.start),
            flight_before: self.before.flight_size,
            snd_wnd: self.before.snd_wnd,
            unanswered,
        }
    }

    fn ended_by(&self, stop: &Stop<'_>, immediate: Duration) -> EndedBy {
        let send = match stop.by {
            StopBy::Send(send) => send,
            StopBy::StateChange => return EndedBy::StateChange,
            StopBy::End => return EndedBy::End,
        };
        match send.kind {
            SendKind::Retransmit(cause) => EndedBy::Retransmission(cause),
            SendKind::WindowProbe => EndedBy::WindowProbe,
            _ if send.is_fin && send.len == Bytes(0) => EndedBy::Fin,
            _ if self.acks.within(WAKE_UP, stop.time).any(|ack| ack.has_payload) => {
                EndedBy::Payload
            }
            _ if self.acks.within(immediate, stop.time).next().is_some() => EndedBy::Ack,
            _ if self.acks.within(WAKE_UP, stop.time).next().is_some() => EndedBy::LateAck,
            _ => EndedBy::Nothing,
        }
    }

    fn step(&self, stop: &Stop<'_>) -> Step {
        Step {
            octets: self.burst,
            smss: self.smss,
            time: stop.time.since(self.start),
            min_rtt: self.before.min_rtt,
            is_emptied: self.is_emptied(),
        }
    }

    fn is_emptied(&self) -> bool {
        self.acks.freed >= self.before.flight_size
    }

    /// Away from the sender the path has stretched super-frames into single segments.
    fn queue_sign(&self, is_remote: bool) -> QueueSign {
        let is_alone = self.burst <= self.smss && !is_remote;
        if is_alone && self.queue == QueueSign::Pushed { QueueSign::Written } else { self.queue }
    }

    /// See [`BatchSign`].
    fn batch_sign(&self, unanswered: Bytes, send_max: Bytes) -> BatchSign {
        let third = Bytes(self.before.flight_size.0 / 3);
        let deferred = send_max.max(Bytes(self.smss.0.saturating_mul(2)));
        match () {
            () if unanswered <= deferred.min(third.max(self.smss)) => BatchSign::No,
            () if self.acks.freed >= third => BatchSign::Third,
            () if unanswered <= deferred => BatchSign::No,
            () => BatchSign::PutOff,
        }
    }

    fn window_sign(&self, has_segmentation_offload: bool) -> WindowSign {
        let (Some(wnd), Some(spare)) = (self.before.snd_wnd, self.before.spare_window) else {
            return WindowSign::Unknown;
        };
        let deferred = if has_segmentation_offload { Bytes(wnd.0 / 3) } else { Bytes(0) };
        match () {
            () if wnd < self.smss || self.is_window_shut => WindowSign::Zero,
            () if spare < self.smss => WindowSign::Full,
            () if spare < deferred => WindowSign::Near,
            () => WindowSign::Open,
        }
    }
}

/// Whether nothing but the FIN is in flight.
fn is_all_data_acked(vars: &SenderVars) -> bool {
    vars.flight_size <= Bytes(1)
}

/// Whether a send of `len` octets ends in a segment below SMSS.
fn is_short(len: Bytes, smss: Bytes) -> bool {
    // The first answers nearly always: a division takes longer.
    len != smss && len.0.checked_rem(smss.0).is_some_and(|rest| rest != 0)
}

/// Segments this close together were one socket buffer that the kernel cut up in software (1 to
/// 2 us apart where measured, Linux 6.12; separate buffers follow each other after 7 us and more).
const SAME_BUFFER: Duration = Duration::from_micros(3);

/// Sends this close together, without an ACK between them, are one burst and no waiting. Inside
/// bursts 2 to 43 us were measured (Linux 6.12, segmentation offload on and off, 1 Gbit/s).
const BACK_TO_BACK: Duration = Duration::from_micros(100);

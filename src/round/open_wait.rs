//! The wait since the last send, and what it tells once it is over.

mod pacing;

use self::pacing::Ending;
use super::acks::RecentAcks;
use super::manner::Manner;
use super::stop::Stop;
use super::{BatchSign, EndedBy, QueueSign, Sign, Wait, WindowSign};
use crate::flow::Departure;
use crate::sender::{Acknowledge, Recovery, Send, SendKind, SenderVars};
use crate::units::host::{BACK_TO_BACK, RTO_INITIAL};
use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp};

/// The wait since the last send. Its ACKs stand apart ([`RecentAcks`]).
#[derive(Debug)]
pub(super) struct OpenWait {
    /// First send of the burst.
    pub(super) start: Timestamp,
    /// Last send of the burst.
    last_send: Timestamp,
    /// Octets of the burst.
    pub(super) burst: Bytes,
    frame: FrameNumber,
    queue: QueueSign,
    pub(super) smss: Bytes,
    /// Right after the last send.
    flight: Bytes,
    snd_wnd: Option<Bytes>,
    spare_window: Option<Bytes>,
    pub(super) min_rtt: Option<Duration>,
    srtt: Option<Duration>,
    /// The pacing timer holds the sender until then, as far as its pace is known.
    held_until: Timestamp,
    recovery_before: Recovery,
    /// Recovery at any time in it.
    pub(super) recovery: Recovery,
    pub(super) has_gap: bool,
    /// Since when less than one SMSS of the window was open, first in the wait.
    shut: Option<Timestamp>,
    /// When it was open again, if it stayed so.
    opened: Option<Timestamp>,
    /// Less than one SMSS of it has been left since the last send; until then if no more.
    is_full: bool,
    full_until: Timestamp,
}

/// What the ACKs of a wait freed, but for what a pacing timer explains.
struct Freed {
    /// Before the one that prompted its end.
    unanswered: Bytes,
    /// By that one.
    answered: Bytes,
}

impl OpenWait {
    /// `is_short`: it ends in a segment below SMSS. `left`: what is known of the queue behind what was sent
    /// for the first time last.
    pub(super) fn after(send: &Send, is_short: bool, left: Option<QueueSign>) -> Self {
        let queue = match send.kind {
            _ if send.is_fin && is_all_data_acked(&send.after) => QueueSign::Closed,
            _ if send.is_fin => QueueSign::Closing,
            _ if send.is_syn => QueueSign::Opening,
            _ if send.len == Bytes(0) => QueueSign::Probe,
            SendKind::Retransmit(_) => left.unwrap_or_else(|| queue_behind(send, is_short)),
            _ => queue_behind(send, is_short),
        };
        Self {
            burst: send.len,
            smss: send.smss,
            recovery: send.after.recovery,
            shut: send.after.snd_wnd.filter(|wnd| *wnd < send.smss).map(|_| send.time),
            is_full: send.after.spare_window.is_some_and(|spare| spare < send.smss),
            ..Self::beginning(send.time, send.frame, queue, &send.after)
        }
    }

    pub(super) fn since(ack: &Acknowledge, queue: QueueSign) -> Self {
        Self::beginning(ack.time, ack.frame, queue, &ack.after)
    }

    fn beginning(
        time: Timestamp,
        frame: FrameNumber,
        queue: QueueSign,
        before: &SenderVars,
    ) -> Self {
        Self {
            start: time,
            last_send: time,
            burst: Bytes(0),
            frame,
            queue,
            smss: Bytes(0),
            flight: before.flight_size,
            snd_wnd: before.snd_wnd,
            spare_window: before.spare_window,
            min_rtt: before.min_rtt,
            srtt: before.srtt,
            held_until: time,
            recovery_before: before.recovery,
            recovery: Recovery::Open,
            has_gap: false,
            shut: None,
            opened: None,
            is_full: false,
            full_until: time,
        }
    }

    /// The same burst goes on with `send`.
    pub(super) fn go_on(&mut self, send: &Send, is_short: bool, left: Option<QueueSign>) {
        let (start, burst) = (self.start, self.burst.saturating_add(send.len));
        *self = Self { start, burst, ..Self::after(send, is_short, left) };
    }

    /// Whether `send` goes out in one burst with the send before it, no ACK having come in between.
    /// Away from the sender the path has stretched bursts: what no ACK separates is one, unless the
    /// queue had run dry. So has the sender's own queue those that TCP made together.
    pub(super) fn is_followed_by(&self, send: &Send, is_remote: bool) -> bool {
        let gap = send.time.since(self.last_send);
        let is_one_tick = send.sender_tick.is_some_and(|tick| gap <= tick);
        let is_stretched = is_remote
            && send.sender_tick.is_none()
            && matches!(self.queue, QueueSign::Held | QueueSign::Pushed)
            && send.after.srtt.is_some_and(|srtt| gap < srtt);
        self.recovery_before == send.after.recovery
            && !matches!(self.queue, QueueSign::Opening | QueueSign::Established)
            && (gap <= BACK_TO_BACK
                || is_one_tick
                || is_stretched
                || send.departure == Departure::QueuedTogether)
    }

    /// Whether what went before `send` ended below SMSS, and yet more was queued. At one time, by a clock
    /// that ticks coarsely, the two may as well lie far apart.
    pub(super) fn is_behind_write(&self, send: &Send) -> bool {
        self.queue == QueueSign::Dry && send.kind == SendKind::New && send.time > self.last_send
    }

    /// What the queue is known to be from `ack` on, if that is another wait.
    pub(super) fn state_after(&self, ack: &Acknowledge) -> Option<QueueSign> {
        match self.queue {
            QueueSign::Opening if ack.after.snd_una > StreamOffset(0) => {
                Some(QueueSign::Established)
            }
            QueueSign::Closing if is_all_data_acked(&ack.after) => Some(QueueSign::Closed),
            _ => None,
        }
    }

    pub(super) fn on_ack(&mut self, ack: &Acknowledge) {
        // Where the scale was not known at first, only nothing at all is known to be too little.
        let is_shut = |wnd| wnd < self.smss && (wnd == Bytes(0) || self.snd_wnd.is_some());
        if ack.after.snd_wnd.is_some_and(is_shut) {
            (self.shut, self.opened) = (self.shut.or(Some(ack.time)), None);
        } else if self.shut.is_some() {
            self.opened = self.opened.or(Some(ack.time));
        }
        if self.is_full && ack.after.spare_window.is_none_or(|spare| spare >= self.smss) {
            (self.is_full, self.full_until) = (false, ack.time);
        }
        if ack.after.recovery != Recovery::Open {
            self.recovery = ack.after.recovery;
        }
    }

    /// Its facts once it has ended with `stop`; `acks` came in it.
    pub(super) fn ended(&self, stop: &Stop<'_>, acks: &RecentAcks, manner: &mut Manner) -> Wait {
        let (prompt, prompted_after) = manner.prompt(stop, acks);
        let length = stop.time.since(self.start);
        let is_emptied = acks.freed() >= self.flight;
        let ended_by = stop.ended_by(prompt);
        let queue = self.queue_sign(stop, ended_by, manner.is_remote);
        let is_held_shut = self.is_held_shut(stop, ended_by);
        let (was_proved, window) =
            (manner.timer.is_proved(), self.window_sign(manner, is_held_shut));
        let was_queued = ended_by == EndedBy::Nothing && stop.was_queued();
        let is_unprompted = ended_by == EndedBy::Nothing && stop.is_unprompted();
        let ending =
            Ending { length, by: ended_by, queue, window, is_emptied, was_queued, is_unprompted };
        let (pacing, held) = self.pacing(manner, ending);
        let is_as_before = manner.timer.is_proved() == was_proved;
        let window = if is_as_before { window } else { self.window_sign(manner, is_held_shut) };
        let unanswered = if held.is_step { Bytes(0) } else { acks.freed_unheld() };
        let unanswered = unanswered.saturating_sub(prompt.answered);
        let sign = Sign {
            ended_by,
            queue,
            pacing,
            window,
            batch: self.batch_sign(
                Freed { unanswered, answered: prompt.answered },
                acks,
                manner.send_max,
            ),
            next: stop.next(is_emptied),
            is_emptied,
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
            longest: length,
            shortest: length,
            flight_before: self.flight,
            snd_wnd: self.snd_wnd,
            unanswered,
            silent: acks.first_freed().map_or(length, |first| first.since(self.start)),
            acks: acks.count(),
            acks_with_payload: acks.with_payload(),
            prompted_after,
            held: held.time,
            held_assumed: if held.is_assumed { held.time } else { Duration::ZERO },
            full: if self.is_full { length } else { self.full_until.since(self.start) },
        }
    }

    /// What the queue is known to have been, once it is known what came next.
    fn queue_sign(&self, stop: &Stop<'_>, ended_by: EndedBy, is_remote: bool) -> QueueSign {
        // Away from the sender the path has stretched super-frames into single segments.
        let is_alone = self.burst <= self.smss && !is_remote;
        // In recovery the pipe, not the queue, decides what an ACK lets out.
        let is_answer = ended_by == EndedBy::Ack && self.recovery == Recovery::Open;
        match self.queue {
            QueueSign::Held | QueueSign::Pushed | QueueSign::Written if stop.is_by_old_data() => {
                QueueSign::Dry
            }
            QueueSign::Pushed if is_alone => QueueSign::Written,
            QueueSign::Pushed if is_answer && stop.is_by_held_back_data() => QueueSign::Held,
            queue => queue,
        }
    }

    /// See [`BatchSign`].
    fn batch_sign(
        &self,
        Freed { unanswered, answered }: Freed,
        acks: &RecentAcks,
        send_max: Bytes,
    ) -> BatchSign {
        if unanswered <= self.smss {
            return BatchSign::No; // The least that deferral is allowed; so are nearly all.
        }
        let two = Bytes(self.smss.0.saturating_mul(2));
        let is_silent = acks.freed_late().saturating_sub(answered) >= two;
        let deferred = if is_silent { two } else { send_max.max(two) };
        let third = Bytes(self.flight.0 / 3);
        // What is not queued cannot be put off.
        let is_deferrable = self.queue != QueueSign::Dry || acks.freed() < third;
        match () {
            () if is_deferrable && unanswered <= deferred.min(third.max(self.smss)) => {
                BatchSign::No
            }
            () if acks.freed() >= third => BatchSign::Third,
            () if unanswered <= deferred => BatchSign::No,
            () => BatchSign::PutOff,
        }
    }

    /// Whether the closed window held the sender until `stop`: what waits for it goes out within a round trip
    /// after it has opened. Where nothing does, or nothing goes out at all, it did if it was closed most of
    /// the time.
    fn is_held_shut(&self, stop: &Stop<'_>, ended_by: EndedBy) -> bool {
        let Some(shut) = self.shut else { return false };
        let open_for = self.opened.map(|opened| stop.time.since(opened));
        let is_over = matches!(ended_by, EndedBy::End | EndedBy::Fin | EndedBy::StateChange);
        let is_answered = open_for.is_none_or(|time| time <= self.srtt.unwrap_or(RTO_INITIAL));
        let shut_for = self.opened.unwrap_or(stop.time).since(shut);
        let is_most = shut_for.saturating_mul(2) >= stop.time.since(self.start);
        is_most || is_answered && !is_over
    }

    /// A paced sender sends one buffer at a time, and waits for the window to hold a whole one
    /// (`tcp_tso_should_defer`).
    fn window_sign(&self, manner: &Manner, is_held_shut: bool) -> WindowSign {
        if is_held_shut {
            return WindowSign::Zero;
        }
        let (Some(wnd), Some(spare)) = (self.snd_wnd, self.spare_window) else {
            return WindowSign::Unknown;
        };
        let is_cut_later = manner.has_segmentation_offload || manner.is_remote;
        let deferred = if is_cut_later { Bytes(wnd.0 / 3) } else { Bytes(0) };
        let least = if manner.timer.is_proved() { self.burst.max(self.smss) } else { self.smss };
        match () {
            () if spare < least => WindowSign::Full,
            () if spare < deferred => WindowSign::Near,
            () => WindowSign::Open,
        }
    }
}

/// What data that ends in a segment below SMSS, or does not, tells of the queue behind it.
fn queue_behind(send: &Send, is_short: bool) -> QueueSign {
    match () {
        () if is_short => QueueSign::Dry,
        () if send.is_pushed => QueueSign::Pushed,
        () => QueueSign::Held,
    }
}

/// Whether nothing but the FIN is in flight.
fn is_all_data_acked(vars: &SenderVars) -> bool {
    vars.flight_size <= Bytes(1)
}

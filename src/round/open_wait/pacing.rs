//! What does a wait tell of the pacing timer, and the timer of the wait?

use super::OpenWait;
use crate::round::acks::{Comes, DEFERRED};
use crate::round::cwnd_pace::Sent;
use crate::round::first_pace::Passed;
use crate::round::manner::Manner;
use crate::round::pace::Step;
use crate::round::pacing_timer::{Burst, Held, Seen};
use crate::round::window_pace::Fill;
use crate::round::{EndedBy, PacingSign, QueueSign, WindowSign};
use crate::units::{Duration, Timestamp};

impl OpenWait {
    /// Asks until when the pacing timer holds the sender.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a step for senders that no timer paces")]
    pub(in crate::round) fn hold(&mut self, manner: &Manner) {
        let is_paced = manner.timer.is_proved();
        self.held_until = if is_paced { self.paced_until(manner) } else { self.start };
    }

    #[inline(never)]
    fn paced_until(&self, manner: &Manner) -> Timestamp {
        let burst = self.paced_burst(self.window_sign(manner, false), &manner.fill);
        self.start.after(manner.timer.holds(&burst))
    }

    fn paced_burst(&self, sign: WindowSign, fill: &Fill) -> Burst {
        let is_near = matches!(sign, WindowSign::Full | WindowSign::Near);
        let in_whole = |srtt| (fill.in_whole(self.flight, self.smss), srtt);
        let window = self.srtt.filter(|_| is_near).map(in_whole);
        let is_window_full = sign == WindowSign::Full;
        Burst { start: self.start, octets: self.burst, window, is_window_full }
    }

    fn sent(&self) -> Sent {
        let Self { start, burst: octets, flight, smss, srtt, .. } = *self;
        Sent { start, octets, flight, smss, srtt }
    }

    /// How an ACK at `time` lies to the pacing timer.
    pub(in crate::round) fn comes(&self, time: Timestamp) -> Comes {
        match () {
            () if time < self.held_until => Comes::Held,
            () if self.held_until > self.start && time > self.held_until.after(DEFERRED) => {
                Comes::Late
            }
            () => Comes::Soon,
        }
    }

    /// What a wait tells of the pacing timer.
    pub(super) fn pacing(&self, manner: &mut Manner, ending: Ending) -> (PacingSign, Held) {
        if manner.is_remote {
            return self.pacing_from_afar(manner, ending);
        }
        let is_usual = ending.by == EndedBy::Ack
            && self.burst <= self.smss.saturating_add(self.smss)
            && manner.pacer.is_unknown()
            && manner.timer.is_unknown();
        if !is_usual {
            return self.pacing_of(manner, ending);
        }
        manner.cwnd_pace.is_step(&self.sent(), ending.length, false);
        manner.pacer.pass(self.burst, ending.length);
        (PacingSign::Unknown, manner.timer.pass(self.passed(), ending.window == WindowSign::Full))
    }

    /// Away from the sender the path stretches and squeezes what it carries, but for sends which surely were
    /// not: their times tell of the timer, how much goes out at once does not.
    fn pacing_from_afar(&self, manner: &mut Manner, ending: Ending) -> (PacingSign, Held) {
        let Ending { length: time, by, queue, window, is_emptied, is_unprompted, .. } = ending;
        let is_queued = matches!(queue, QueueSign::Held | QueueSign::Pushed) && !is_emptied;
        let seen = if is_unprompted && is_queued { Seen::Afar } else { Seen::Prompted };
        if seen == Seen::Prompted && manner.timer.is_unknown() {
            let held = manner.timer.pass(self.passed(), window == WindowSign::Full);
            return (PacingSign::Unknown, held);
        }
        let OpenWait { burst: octets, smss, min_rtt, .. } = *self;
        let sent = Step { octets, smss, time, min_rtt, is_emptied };
        let held = self.held(manner, (&sent, by), window, seen);
        let pacing = if held.is_step { PacingSign::Step } else { PacingSign::Unknown };
        (pacing, held)
    }

    /// The burst before it, as one that tells the timer nothing.
    fn passed(&self) -> Passed {
        Passed { start: self.start, octets: self.burst, min_rtt: self.min_rtt }
    }

    /// Shows the timer the wait.
    fn held(
        &self,
        manner: &mut Manner,
        (sent, by): (&Step, EndedBy),
        window: WindowSign,
        seen: Seen,
    ) -> Held {
        let burst = self.paced_burst(window, &manner.fill);
        if matches!(by, EndedBy::Nothing | EndedBy::LateAck | EndedBy::Ack) {
            manner.timer.on_new_data(&burst, sent);
        }
        manner.timer.on_wait(&burst, sent, seen)
    }

    /// The same of a wait that a timer may have had to do with.
    #[inline(never)]
    fn pacing_of(&self, manner: &mut Manner, ending: Ending) -> (PacingSign, Held) {
        let Ending { length: time, by, queue, window, is_emptied, was_queued, .. } = ending;
        let OpenWait { burst: octets, smss, min_rtt, .. } = *self;
        let sent = Step { octets, smss, time, min_rtt, is_emptied };
        let pacing = manner.pacer.sign(&sent, by, queue);
        let is_unprompted = by.is_perhaps_unprompted()
            && matches!(queue, QueueSign::Held | QueueSign::Pushed)
            && !is_emptied
            && !matches!(pacing, PacingSign::Oversized | PacingSign::Overlong);
        let seen = match pacing {
            _ if !is_unprompted => Seen::Prompted,
            PacingSign::Step => Seen::Step,
            _ => Seen::Unprompted,
        };
        let is_by_cwnd = manner.cwnd_pace.is_step(&self.sent(), time, is_unprompted);
        let held = if !is_unprompted && manner.timer.is_unknown() {
            manner.timer.pass(self.passed(), window == WindowSign::Full)
        } else {
            self.held(manner, (&sent, by), window, seen)
        };
        if was_queued {
            return (PacingSign::Queued, Held { time, ..Held::default() });
        }
        let pacing = match held {
            Held { is_step: true, .. } => PacingSign::Step,
            _ if is_by_cwnd => PacingSign::Step,
            Held { is_overlong: true, .. } => PacingSign::Overlong,
            _ => pacing,
        };
        (pacing, held)
    }
}

/// How a wait ended, as far as it bears on the pacing timer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ending {
    pub(super) length: Duration,
    pub(super) by: EndedBy,
    pub(super) queue: QueueSign,
    pub(super) window: WindowSign,
    /// Everything was acknowledged before it.
    pub(super) is_emptied: bool,
    /// What ended it had been made before.
    pub(super) was_queued: bool,
    /// By nothing, surely, though the tap stands away from the sender.
    pub(super) is_unprompted: bool,
}

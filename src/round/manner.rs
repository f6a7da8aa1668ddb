//! What has the flow shown so far that bears on how its waits are judged?

use super::acks::{Prompt, RecentAcks};
use super::nagle::Nagle;
use super::open_wait::{OpenWait, is_short};
use super::pace::{Pacer, Step};
use super::pacing_timer::{Held, PacingTimer};
use super::reaction::{Answering, Reaction};
use super::stop::{Stop, StopBy};
use super::window_pace::Fill;
use super::{EndedBy, PacingSign, QueueSign, WindowSign};
use crate::units::{Bytes, Duration};

/// Of one flow.
#[derive(Debug, Default)]
pub(super) struct Manner {
    pub(super) has_segmentation_offload: bool,
    /// The tap does not stand at the sender: the path has stretched its bursts.
    pub(super) is_remote: bool,
    /// Largest single send of this round and the one before: Linux sizes its sends by the pacing
    /// rate (`tcp_tso_autosize`), which changes from round to round.
    pub(super) send_max: Bytes,
    pub(super) nagle: Nagle,
    pub(super) timer: PacingTimer,
    pub(super) fill: Fill,
    pacer: Pacer,
    reaction: Reaction,
}

impl Manner {
    /// What the ACKs of a wait say of its end, and how long after the last of them that came; zero without
    /// any.
    pub(super) fn prompt(&mut self, stop: &Stop<'_>, acks: &RecentAcks) -> (Prompt, Duration) {
        self.reaction.is_paced = self.timer.is_proved();
        let Some(last) = acks.last_time() else {
            return (self.prompt_by_earlier(stop, acks), Duration::ZERO);
        };
        let delay = stop.time.since(last);
        if let StopBy::Send(send, _) = stop.by {
            // A request was answered, or all that was written went out: nothing had waited for the ACK.
            let has_payload = acks.is_last_with_payload();
            let is_written = has_payload || is_short(send.len, send.smss);
            let (time, min_rtt) = (stop.time, send.after.min_rtt);
            self.reaction.on_burst(&Answering { time, delay, is_written, has_payload, min_rtt });
        }
        (acks.prompt(stop.time, delay, &self.reaction), delay)
    }

    /// A host that lags may answer two ACKs apart that came before the first of its answers.
    fn prompt_by_earlier(&mut self, stop: &Stop<'_>, acks: &RecentAcks) -> Prompt {
        if matches!(stop.by, StopBy::Send(..)) {
            self.reaction.on_unprompted();
        }
        let is_within = |ack| stop.time.since(ack) <= self.reaction.lag();
        let is_immediate = acks.latest_before().is_some_and(is_within);
        Prompt { is_immediate, is_wake_up: is_immediate, ..Prompt::default() }
    }

    /// See [`Reaction::is_late`].
    pub(super) fn answers_late(&self) -> bool {
        self.reaction.is_late()
    }

    /// What a wait tells of the pacing timer. Away from the sender the path has stretched and squeezed
    /// its pace.
    pub(super) fn pacing(&mut self, open: &OpenWait, ending: Ending) -> (PacingSign, Held) {
        if self.is_remote {
            return (PacingSign::Unknown, Held::default());
        }
        let is_usual = ending.by == EndedBy::Ack
            && open.burst <= open.smss.saturating_add(open.smss)
            && self.pacer.is_unknown()
            && self.timer.is_unknown();
        if !is_usual {
            return self.pacing_of(open, ending);
        }
        self.pacer.pass(open.burst, ending.length);
        (PacingSign::Unknown, self.timer.pass(open.start, ending.window == WindowSign::Full))
    }

    /// The same of a wait that a timer may have had to do with.
    #[inline(never)]
    fn pacing_of(&mut self, open: &OpenWait, ending: Ending) -> (PacingSign, Held) {
        let Ending { length: time, by, queue, window, is_emptied } = ending;
        let OpenWait { burst: octets, smss, min_rtt, .. } = *open;
        let sent = Step { octets, smss, time, min_rtt, is_emptied };
        let pacing = self.pacer.sign(&sent, by, queue);
        let is_unprompted = by.is_perhaps_unprompted()
            && matches!(queue, QueueSign::Held | QueueSign::Pushed)
            && !is_emptied
            && !matches!(pacing, PacingSign::Oversized | PacingSign::Overlong);
        let is_known = pacing == PacingSign::Step;
        let held = if !is_unprompted && self.timer.is_unknown() {
            self.timer.pass(open.start, window == WindowSign::Full)
        } else {
            let burst = open.paced_burst(window, &self.fill);
            if matches!(by, EndedBy::Nothing | EndedBy::LateAck | EndedBy::Ack) {
                self.timer.on_new_data(&burst, &sent);
            }
            self.timer.on_wait(&burst, &sent, is_unprompted, is_known)
        };
        let pacing = match held {
            Held { is_step: true, .. } => PacingSign::Step,
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
}

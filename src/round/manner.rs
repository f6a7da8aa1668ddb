//! What has the flow shown so far that bears on how its waits are judged?

use super::acks::{Prompt, RecentAcks};
use super::cwnd_pace::CwndPace;
use super::nagle::{Nagle, is_short};
use super::pace::Pacer;
use super::pacing_timer::PacingTimer;
use super::reaction::{Answering, Reaction};
use super::stop::{Stop, StopBy};
use super::window_pace::Fill;
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
    pub(super) cwnd_pace: CwndPace,
    pub(super) pacer: Pacer,
    reaction: Reaction,
}

impl Manner {
    /// Where the tap seems to stand by now. What was taken for a pacing timer's elsewhere is not.
    #[inline]
    pub(super) fn stand(&mut self, is_remote: bool) {
        if is_remote != self.is_remote {
            (self.is_remote, self.timer) = (is_remote, PacingTimer::default());
        }
    }

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
}

//! Stalls: no ACK came and no data went for longer than two SRTT or the RTO, whichever is less
//! (TAPO, `CoNEXT` 2015). The cause is read from what was out before and from what ended it; where a
//! repair ended it and turns out to have been needless, nothing was lost and the ACK was late.
//!
//! By a clock that ticks coarsely the silence may be a tick shorter than it reads, and SRTT a tick longer:
//! what is a stall for all that lasts three ticks more.

mod cause;

pub use cause::StallCause;

use cause::Before;

use super::hindsight::{Hindsight, Repair};
use super::longest::Longest;
use super::{Episode, Extent, List};
use crate::sender::{Acknowledge, RTO_MIN, Send, SendKind, SenderEvent, SenderVars, Unchanged};
use crate::units::host::RTO_INITIAL;
use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp};
use crate::vantage::BLUR_TICKS;

/// One stall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stall {
    pub(crate) extent: Extent,
    pub(crate) cause: StallCause,
}

impl Episode for Stall {
    fn extent(&self) -> Extent {
        self.extent
    }

    fn extent_mut(&mut self) -> &mut Extent {
        &mut self.extent
    }
}

/// Follows one sender.
#[derive(Debug, Default)]
pub(super) struct Stalls {
    list: Longest<Stall>,
    last: Option<Last>,
    has_gap: bool,
    /// Something was sent again since SND.UNA last advanced.
    is_resent: bool,
    suspects: Option<Suspects>,
    /// Frame of the segment that ended a silence alone, with more waiting behind it.
    alone: Option<FrameNumber>,
    /// The tap does not stand at the sender.
    is_remote: bool,
    /// By how much a silence may seem too long against SRTT.
    blur: Duration,
}

/// Stalls in a row, each ended by a repair, until it is known whether the last one was needed.
#[derive(Debug, Clone, Copy)]
struct Suspects {
    /// Frames that ended the first and the last of them.
    first: FrameNumber,
    last: FrameNumber,
    repair: Repair,
}

/// The state right after the last step.
#[derive(Debug, Clone, Copy)]
struct Last {
    time: Timestamp,
    frame: FrameNumber,
    /// Silence beyond this is a stall.
    silence_max: Duration,
    snd_nxt: StreamOffset,
    flight_size: Bytes,
    snd_wnd: Option<Bytes>,
    smss: Bytes,
}

impl Last {
    fn is_shut(&self) -> bool {
        self.snd_wnd.is_some_and(|wnd| wnd < self.smss)
    }
}

impl Stalls {
    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.list.memory()
    }

    pub(super) fn on_tap_tick(&mut self, tick: Duration) {
        self.blur = tick.saturating_mul(BLUR_TICKS);
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "where it is called the kind is known")]
    pub(super) fn on_event(&mut self, event: &SenderEvent) {
        if let (SenderEvent::Acknowledge(ack), Some(suspects)) = (event, self.suspects) {
            self.reconsider(suspects, ack);
        }
        if is_silence(event) {
            return;
        }
        let (time, frame, vars, smss) = match event {
            SenderEvent::Send(send) => (send.time, send.frame, &send.after, Some(send.smss)),
            SenderEvent::Acknowledge(ack) => (ack.time, ack.frame, &ack.after, None),
            SenderEvent::Gap(_) => {
                self.has_gap = true;
                return;
            }
        };
        if let SenderEvent::Acknowledge(ack) = event {
            self.is_remote = !ack.slack.is_zero();
        } else if let (SenderEvent::Send(send), Some(silence)) = (event, self.alone.take()) {
            self.blame_loss(silence, send);
        }
        let is_silent = |last: &Last| time.since(last.time) > last.silence_max;
        if self.last.as_ref().is_some_and(is_silent) && !repeats(event) {
            self.end_stall((time, frame), event);
        }
        self.note_resent(event);
        self.has_gap = false;
        let smss = smss.or(self.last.map(|last| last.smss)).unwrap_or_default();
        self.last = Some(Last {
            time,
            frame,
            silence_max: silence_max(vars),
            snd_nxt: vars.snd_nxt,
            flight_size: vars.flight_size,
            snd_wnd: vars.snd_wnd,
            smss,
        });
    }

    #[inline(never)]
    fn end_stall(&mut self, (end, last_frame): (Timestamp, FrameNumber), event: &SenderEvent) {
        let Some(last) = self.last else { return };
        let (start, first_frame) = (last.time, last.frame);
        let extent = Extent { start, end, first_frame, last_frame };
        if extent.duration() <= last.silence_max.saturating_add(self.blur) {
            return;
        }
        let before = Before { has_gap: self.has_gap, is_resent: self.is_resent };
        let cause = cause::of(before, &last, event);
        self.suspect(&extent, cause, event);
        self.alone = self.is_begun_anew(&extent, cause, event).then_some(last_frame);
        self.list.push(Stall { extent, cause });
    }

    /// Silence that data of the other side ends.
    pub(super) fn on_unchanged(&mut self, ack: &Unchanged) {
        let Some(last) = &mut self.last else { return };
        let before = (last.time, last.frame);
        (last.time, last.frame) = (ack.time, ack.frame);
        // Others came before, and stand for it alike.
        if ack.repeats == 0 && ack.time.since(before.0) > last.silence_max {
            self.end_silence(before, ack);
        }
    }

    #[inline(never)]
    fn end_silence(&mut self, (start, first_frame): (Timestamp, FrameNumber), ack: &Unchanged) {
        let is_shut = self.last.is_some_and(|last| last.is_shut());
        let extent = Extent { start, end: ack.time, first_frame, last_frame: ack.frame };
        let most = self.last.map(|last| last.silence_max.saturating_add(self.blur));
        if most.is_some_and(|most| extent.duration() <= most) {
            return;
        }
        let cause = if is_shut { StallCause::ZeroWindow } else { StallCause::PeerIdle };
        self.list.push(Stall { extent, cause });
    }

    pub(super) fn finish(self) -> List<Stall> {
        self.list.finish()
    }

    /// Notes a stall that a repair ended, before it is put on the list; one that began with the
    /// repair which ended the stall before it shares the fate of that.
    fn suspect(&mut self, extent: &Extent, cause: StallCause, event: &SenderEvent) {
        let SenderEvent::Send(send) = event else { return };
        let Some(repair) = Repair::of(send).filter(|_| cause.is_loss()) else { return };
        let last = extent.last_frame;
        let before = self.suspects.filter(|suspects| suspects.last == extent.first_frame);
        let first = before.map_or(last, |suspects| suspects.first);
        self.suspects = Some(Suspects { first, last, repair });
    }

    /// Whether a silence at a tap away from the sender may have been a timeout for what was lost before that:
    /// all that goes out then is one segment (RFC 5681 section 3.1), where a sender that was idle has a
    /// window of several (section 4.1).
    fn is_begun_anew(&self, extent: &Extent, cause: StallCause, event: &SenderEvent) -> bool {
        let is_one = |send: &Send| {
            let is_whole = send.len == send.smss && send.after.flight_size == send.len;
            is_whole && !send.is_pushed && send.kind == SendKind::New
        };
        self.is_remote
            && cause == StallCause::SenderIdle
            && extent.duration() >= RTO_MIN
            && matches!(event, SenderEvent::Send(send) if is_one(send))
    }

    /// The segment that ended it came alone: `send`, after its acknowledgment, goes on.
    fn blame_loss(&mut self, silence: FrameNumber, send: &Send) {
        let is_answered = self.last.is_some_and(|last| last.flight_size == Bytes(0));
        if !is_answered || send.len < send.smss {
            return;
        }
        let kept = self.list.ended_from(silence).first_mut();
        if let Some(stall) = kept.filter(|stall| stall.extent.last_frame == silence) {
            stall.cause = StallCause::TailLoss;
        }
    }

    /// Changes the cause of the last stalls once an ACK shows that nothing was lost.
    #[inline(never)]
    fn reconsider(&mut self, Suspects { first, last, repair }: Suspects, ack: &Acknowledge) {
        let hindsight = repair.judge(ack);
        if hindsight == Hindsight::Open {
            return;
        }
        self.suspects = None;
        if hindsight == Hindsight::Needless {
            let stalls = self.list.ended_from(first).iter_mut();
            for stall in stalls.take_while(|stall| stall.extent.last_frame <= last) {
                stall.cause = StallCause::LateAck;
            }
        }
    }

    fn note_resent(&mut self, event: &SenderEvent) {
        match event {
            SenderEvent::Send(send) if matches!(send.kind, SendKind::Retransmit(_)) => {
                self.is_resent = true;
            }
            SenderEvent::Acknowledge(ack) if ack.newly_acked > Bytes(0) => self.is_resent = false,
            _ => {}
        }
    }
}

/// Neither data nor news: a keep-alive, a copy, an ACK that tells nothing while nothing is out.
fn is_silence(event: &SenderEvent) -> bool {
    match event {
        SenderEvent::Send(send) => {
            matches!(send.kind, SendKind::KeepAlive | SendKind::Duplicate(_))
        }
        SenderEvent::Acknowledge(ack) => {
            let has_news = ack.newly_acked.saturating_add(ack.window_opened) > Bytes(0);
            !has_news && !ack.has_payload && ack.after.flight_size == Bytes(0)
        }
        SenderEvent::Gap(_) => false,
    }
}

/// An ACK that repeats others, which came after what was before (see [`Ack`](crate::flow::Ack)).
fn repeats(event: &SenderEvent) -> bool {
    matches!(event, SenderEvent::Acknowledge(ack) if ack.repeats > 0)
}

/// Silence beyond this is a stall.
fn silence_max(vars: &SenderVars) -> Duration {
    let rto = vars.rto_est.unwrap_or(RTO_INITIAL);
    vars.srtt.map_or(rto, |srtt| srtt.saturating_mul(2).min(rto))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::round::tests::answer;

    /// How many of these silences of so many ms are stalls, by a clock of that tick, with an SRTT of 5 ms.
    fn stalls(silences_ms: &[u64], tick_ms: u64) -> u64 {
        let mut stalls = Stalls::default();
        stalls.on_tap_tick(Duration::from_millis(tick_ms));
        let mut time = Timestamp(1);
        for &silence_ms in silences_ms {
            time = time.after(Duration::from_millis(silence_ms));
            let mut ack = answer(time, 0, 1000);
            ack.after.srtt = Some(Duration::from_millis(5));
            stalls.on_event(&SenderEvent::Acknowledge(ack));
        }
        stalls.finish().count
    }

    #[test]
    fn a_few_ticks_of_a_coarse_clock_are_no_stall() {
        assert_eq!(stalls(&[0, 10, 11, 40, 41], 0), 3);
        assert_eq!(stalls(&[0, 10, 11, 40, 41], 10), 1);
    }
}

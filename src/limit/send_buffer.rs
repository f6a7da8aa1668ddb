//! Send-buffer limit: "Sender Limited" in RFC 4898 (`SndLimTimeSnd`). The writer sits in `send`,
//! nothing is left to send, the window is open.
//!
//! Linux wakes the writer once a third of the buffer is free (`sk_stream_is_writeable`). So ACKs
//! for a third of the flight go unanswered, then one ACK prompts a large batch that fills the
//! buffer again. A congestion- or receive-window-limited sender answers nearly each ACK; an
//! application sends such batches too, but does not wait for an ACK to do so. The writer pushes
//! what it queued before it blocks, so the batch before ends with PSH; a queue that ends without
//! PSH is one that Nagle's algorithm holds, and then the writer was not blocked.
//!
//! While the congestion window is between two thirds of the buffer and all of it, either holds in turn:
//! the smaller the window, the fewer ACKs go unanswered until as much is left as wakes the writer.

use super::tally::BY_CHANCE;
use super::{Cause, Context, Limit, Ruling, refilled};
use crate::round::{BatchSign, EndedBy, PacingSign, QueueSign, Sign, Wait, WindowSign};
use crate::sender::{Recovery, RetransmitCause};

pub(super) fn examine(wait: &Wait, context: &Context) -> Option<Ruling> {
    let sign = &wait.sign;
    if sign.recovery != Recovery::Open {
        return None;
    }
    let has_third = sign.batch == BatchSign::Third && sign.pacing != PacingSign::Queued;
    match sign.ended_by {
        _ if context.is_wake_up_at_level(sign) && !context.is_writer_blocked() => {
            Some(in_turn(context))
        }
        EndedBy::Ack | EndedBy::LateAck | EndedBy::Nothing if has_third => Some(batch(context)),
        EndedBy::Ack | EndedBy::LateAck
            if sign.batch == BatchSign::PutOff && context.is_writer_blocked() =>
        {
            Some(Ruling::sure(Limit::SendBuffer, Cause::WriterBlocked))
        }
        EndedBy::Ack | EndedBy::LateAck
            if matches!(sign.queue, QueueSign::Written | QueueSign::Dry)
                && context.is_paced_at_buffer() =>
        {
            Some(drained(context))
        }
        // The timer had let it out long before, and nothing stood behind the last segment.
        EndedBy::Ack | EndedBy::LateAck
            if sign.queue == QueueSign::Written
                && sign.pacing == PacingSign::Overlong
                && context.is_timer_paced()
                && !context.is_paced_by_writer() =>
        {
            let than = Limit::CongestionWindow;
            Some(Ruling::rather(Limit::SendBuffer, Cause::PacedAtBuffer, than))
        }
        // Nothing was queued, and the writer stays blocked until what is lost has gone out again.
        EndedBy::Retransmission(RetransmitCause::LossProbe | RetransmitCause::Timeout)
            if sign.queue == QueueSign::Dry && context.is_writer_blocked() =>
        {
            Some(batch(context))
        }
        // Nor was anything when ACKs for a third of the flight went unanswered, before the loss showed.
        EndedBy::Retransmission(_) if has_third && context.is_writer_blocked() => {
            Some(batch(context))
        }
        EndedBy::Ack
            if sign.queue == QueueSign::Dry
                && (context.is_written_apart() || refilled::is_in_bunches(context)) =>
        {
            None
        }
        // What lay on the acknowledging segment may have asked for it, but nothing waited for that.
        EndedBy::Ack | EndedBy::Payload if sign.queue == QueueSign::Dry => Some(dry(wait, context)),
        EndedBy::Nothing | EndedBy::LateAck if context.is_writer_blocked() => {
            Some(paced(wait, context))
        }
        EndedBy::Nothing | EndedBy::LateAck | EndedBy::Ack if context.is_paced_at_buffer() => {
            Some(paced(wait, context))
        }
        EndedBy::Ack | EndedBy::Payload => spread(sign, context),
        _ => None,
    }
}

/// What a woken writer sends at once.
fn spread(sign: &Sign, context: &Context) -> Option<Ruling> {
    let may_be = sign.window == WindowSign::Open && context.may_be_spread(sign);
    (may_be && context.is_writer_blocked())
        .then(|| Ruling::spread(Limit::SendBuffer, Cause::WriterBlocked))
}

/// A paced sender has drained its buffer.
fn drained(context: &Context) -> Ruling {
    if context.is_paced_by_writer() {
        return Ruling::rather(Limit::SendBuffer, Cause::PacedAtBuffer, Limit::Application);
    }
    Ruling::sure(Limit::SendBuffer, Cause::PacedAtBuffer)
}

/// The pacing timer set the wait, at the rate which the buffer lets the sender measure.
fn paced(wait: &Wait, context: &Context) -> Ruling {
    if context.is_paced_by_writer() {
        return Ruling::sure(Limit::CongestionWindow, Cause::Pacing);
    }
    if wait.sign.is_pacing_step() && context.is_timer_paced() {
        return Ruling::paced_by(Limit::SendBuffer);
    }
    Ruling::rather_paced_by(Limit::SendBuffer)
}

/// A writer that is blocked in turn with what else holds the sender.
fn in_turn(context: &Context) -> Ruling {
    if context.level_chance() < BY_CHANCE {
        return Ruling::sure(Limit::SendBuffer, Cause::WriterBlocked);
    }
    Ruling::rather(Limit::SendBuffer, Cause::WriterBlocked, Limit::CongestionWindow)
}

/// A batch as large as a blocked writer waits for: the woken writer's, or an application's that
/// met an ACK by chance.
fn batch(context: &Context) -> Ruling {
    if !context.is_writer_blocked() {
        return Ruling::rather(Limit::Application, Cause::Trickle, Limit::SendBuffer);
    }
    if context.is_perhaps_timed() {
        return Ruling::rather(Limit::SendBuffer, Cause::WriterBlocked, Limit::Application);
    }
    Ruling::sure(Limit::SendBuffer, Cause::WriterBlocked)
}

/// The queue ran dry and the next send answered an ACK, but not after a batch.
fn dry(wait: &Wait, context: &Context) -> Ruling {
    // With TCP_NODELAY each write goes out for itself, until the window is used up. What waits then
    // makes whole segments.
    if context.has_used_initial_window && !wait.sign.next.is_short() {
        return Ruling::rather(Limit::CongestionWindow, Cause::SlowStart, Limit::Application);
    }
    if wait.sign.ended_by == EndedBy::Payload && context.answers.are_to_payload() {
        return Ruling::sure(Limit::Application, Cause::Trickle);
    }
    if context.is_writer_blocked() {
        return Ruling::rather(Limit::SendBuffer, Cause::WriterBlocked, Limit::Application);
    }
    Ruling::rather(Limit::Application, Cause::Trickle, Limit::SendBuffer)
}

#[cfg(test)]
mod tests {
    use super::super::Judge;
    use super::super::tests::{CLOCKED, round};
    use super::*;
    use crate::round::{NextSign, Round};
    use crate::units::Bytes;

    /// With nothing queued, as a loss probe shows, more room in the buffer were more to send; what was queued
    /// waits for the repair.
    #[test]
    fn a_blocked_writer_waits_for_the_timer() {
        let batch = Sign { batch: BatchSign::Third, ended_by: EndedBy::LateAck, ..CLOCKED };
        for cause in [RetransmitCause::LossProbe, RetransmitCause::Timeout] {
            let lost = Sign { ended_by: EndedBy::Retransmission(cause), ..CLOCKED };
            for (queue, limit) in
                [(QueueSign::Dry, Limit::SendBuffer), (QueueSign::Pushed, Limit::CongestionWindow)]
            {
                let mut judge = Judge::default();
                for _ in 0..20 {
                    judge.on_next_round(round(&[
                        Sign { queue, ..lost },
                        Sign { queue, ..lost },
                        batch,
                    ]));
                }
                let time = judge.finish().time;
                let main =
                    time.iter().max_by_key(|(_, time)| **time).map(|((limit, ..), _)| *limit);
                assert_eq!(main, Some(limit), "{time:?}");
            }
        }
    }

    /// ACKs for a third of the flight would have let out what was queued; fewer may wait for a repair.
    #[test]
    fn a_writer_that_was_blocked_when_the_loss_showed_stays_so() {
        let batch = Sign { batch: BatchSign::Third, ended_by: EndedBy::LateAck, ..CLOCKED };
        let ended_by = EndedBy::Retransmission(RetransmitCause::Fast);
        for (unanswered, limit) in
            [(BatchSign::Third, Limit::SendBuffer), (BatchSign::PutOff, Limit::CongestionWindow)]
        {
            let lost = Sign { batch: unanswered, ended_by, ..CLOCKED };
            let mut judge = Judge::default();
            for _ in 0..20 {
                judge.on_next_round(round(&[lost, lost, batch]));
            }
            let time = judge.finish().time;
            let main = time.iter().max_by_key(|(_, time)| **time).map(|((limit, ..), _)| *limit);
            assert_eq!(main, Some(limit), "{time:?}");
        }
    }

    /// Be they whole or short; whole ones after them show that more was queued.
    #[test]
    fn ten_segments_use_up_the_initial_window() {
        let dry = Sign { queue: QueueSign::Dry, ..CLOCKED };
        for (first_segments, next, limit) in [
            (10, NextSign::Whole, Limit::CongestionWindow),
            (9, NextSign::Whole, Limit::Application),
            (10, NextSign::Short, Limit::Application),
        ] {
            let mut judge = Judge::default();
            judge.on_next_round(Round { first_segments, ..round(&[Sign { next, ..dry }]) });
            let time = judge.finish().time;
            assert!(
                time.keys().all(|(of, ..)| *of == limit),
                "{first_segments} {next:?}: {time:?}"
            );
        }
    }

    /// What an ACK frees lets a blocked writer go, be there payload on it or not: that it meets some each
    /// time, where few have any, is no chance.
    #[test]
    fn who_answers_payload_alone_is_not_blocked() {
        let dry = Sign { queue: QueueSign::Dry, ..CLOCKED };
        let answer = Sign { ended_by: EndedBy::Payload, ..dry };
        let rivals = |signs: &[Sign], acks_with_payload: u32| {
            let mut judge = Judge::default();
            for _ in 0..20 {
                let mut round = round(signs);
                for wait in &mut round.waits {
                    (wait.acks, wait.acks_with_payload) = (6, acks_with_payload);
                }
                judge.on_next_round(round);
            }
            let time = judge.finish().time;
            assert!(time.keys().all(|(limit, ..)| *limit == Limit::Application), "{time:?}");
            let answered = time.into_keys().filter(|(_, cause, _)| *cause == Some(Cause::Trickle));
            answered.map(|(.., rival)| rival).collect::<Vec<_>>()
        };
        assert_eq!(rivals(&[answer], 1), [None]);
        assert_eq!(rivals(&[answer], 6), [Some(Limit::SendBuffer)], "all carry payload");
        let without = rivals(&[answer, answer, answer, dry], 1);
        assert_eq!(without, [Some(Limit::SendBuffer)], "one in four met none");
    }

    /// Of each third that a woken writer sends at once, most comes spread; away from the sender, without its
    /// clock.
    #[test]
    fn what_comes_spread_is_the_writer_s_unless_the_flight_grows() {
        let batch = Sign { batch: BatchSign::Third, ended_by: EndedBy::Ack, ..CLOCKED };
        let blocked = |is_remote: bool, growth: u64| {
            let mut judge = Judge::default();
            for nth in 0..60 {
                let flight_peak = Bytes(30_000 + growth * nth);
                let spread = round(&[CLOCKED, CLOCKED, CLOCKED, batch]);
                judge.on_next_round(Round { flight_peak, is_remote, ..spread });
            }
            let judged = judge.finish();
            let time = &judged.time;
            let of_spread =
                (Limit::SendBuffer, Some(Cause::WriterBlocked), Some(Limit::CongestionWindow));
            // The numbers behind the limit are those of the batches alone.
            assert_eq!(judged.measures[&Limit::SendBuffer].waits, 60);
            time.get(&of_spread).map_or(0, |time| time.as_micros() / 30_000)
        };
        assert_eq!(blocked(true, 0), 60 - 7, "rounds");
        assert_eq!(blocked(true, 350), 0, "the flight grows by a segment in three");
        assert_eq!(blocked(false, 0), 0, "at the sender");
    }
}

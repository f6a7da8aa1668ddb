//! Application limit: the send queue is empty and the writer is not waiting for room in it.
//!
//! No counter of the kernel shows it. From outside it shows in three ways: the queue ran dry (a
//! segment below SMSS went out last) and the next send came without any ACK to prompt it; it
//! answered a segment with payload (a request); or less than a segment was held back by Nagle's
//! algorithm until everything before it was acknowledged. What a paced sender sends also comes
//! unprompted, but its queue does not run dry. Nor does anything wait for a repair once all that was
//! written has gone out, unless a blocked writer does.

use super::{Cause, Context, Limit, Ruling, refilled};
use crate::round::{BatchSign, EndedBy, NextSign, PacingSign, QueueSign, Sign, Wait};
use crate::sender::Recovery;

pub(super) fn examine(wait: &Wait, context: &Context) -> Option<Ruling> {
    let sign = &wait.sign;
    let idle_or_trickle = idle_or_trickle(sign);
    let sure = Some(Ruling::sure(Limit::Application, idle_or_trickle));
    let rather = |than| Some(Ruling::rather(Limit::Application, idle_or_trickle, than));
    if sign.pacing == PacingSign::Queued {
        return rather(Limit::CongestionWindow).filter(|_| is_perhaps_last(sign, context));
    }
    match (sign.ended_by, sign.queue) {
        (EndedBy::Nothing, _) if is_perhaps_on_its_way(wait, context) => {
            rather(Limit::CongestionWindow)
        }
        (EndedBy::Payload | EndedBy::Nothing | EndedBy::End, _) if sign.is_emptied => sure,
        (EndedBy::Ack | EndedBy::LateAck | EndedBy::Payload, QueueSign::Held)
            if sign.next == NextSign::Released =>
        {
            Some(Ruling::sure(Limit::Application, Cause::Nagle))
        }
        // What the writer gave meanwhile goes out once all before it is acknowledged.
        (EndedBy::Ack, QueueSign::Dry)
            if sign.is_emptied && sign.next.is_short() && !context.is_writer_blocked() =>
        {
            Some(Ruling::rather(Limit::Application, Cause::Nagle, Limit::SendBuffer))
        }
        (EndedBy::Fin, _) | (EndedBy::Nothing | EndedBy::NewProbe, QueueSign::Dry) => sure,
        // What a loss probe takes along was queued, and the window had no room for it.
        (EndedBy::NewProbe, _) => None,
        _ if context.is_paced_at_buffer() || context.is_wake_up_at_level(sign) => None,
        (EndedBy::LateAck, QueueSign::Dry) if sign.batch != BatchSign::Third => {
            rather(Limit::SendBuffer)
        }
        // Repairs take time, but nothing else waits for them.
        (EndedBy::Retransmission(_), QueueSign::Dry) if !context.is_writer_blocked() => {
            rather(Limit::CongestionWindow)
        }
        // In recovery the pipe, not the queue, decides what an ACK lets out.
        _ if sign.recovery != Recovery::Open => None,
        // More waited, but less than a segment, or what the writer gave meanwhile.
        (EndedBy::Nothing, _) if sign.pacing == PacingSign::Overlong => sure,
        _ if sign.is_pacing_step() && context.has_pacing_train() => None,
        _ if sign.batch == BatchSign::Third || context.is_writer_blocked() => None,
        (EndedBy::Nothing, _) if is_too_large_for_timer(sign, context) => sure,
        (
            EndedBy::Nothing | EndedBy::LateAck,
            QueueSign::Held | QueueSign::Pushed | QueueSign::Written,
        ) if !context.is_timer_paced() => rather(Limit::CongestionWindow),
        (EndedBy::Ack | EndedBy::LateAck, _)
            if sign.batch == BatchSign::PutOff && context.is_put_off() =>
        {
            rather(Limit::CongestionWindow)
        }
        (EndedBy::Ack, QueueSign::Held | QueueSign::Pushed | QueueSign::Written)
            if are_met_by_chance(context) =>
        {
            Some(met_by_chance(idle_or_trickle, context))
        }
        _ => None,
    }
}

/// Why nothing was queued.
pub(super) fn idle_or_trickle(sign: &Sign) -> Cause {
    if sign.is_emptied { Cause::Idle } else { Cause::Trickle }
}

/// What stood in the host's queue was written before, but TCP may have had no more when it gave it to that.
fn is_perhaps_last(sign: &Sign, context: &Context) -> bool {
    sign.next.is_short() && !context.is_writer_blocked()
}

/// Whether what came after all had been acknowledged may be the answer to that, which took longer than
/// others: no longer than a round trip is taken to vary before its variation is known (RFC 6298 section 2.2).
fn is_perhaps_on_its_way(wait: &Wait, context: &Context) -> bool {
    let late_max = context.min_rtt.and_then(|rtt| rtt.checked_div(2)).unwrap_or_default();
    let was_more_queued = matches!(wait.sign.queue, QueueSign::Held | QueueSign::Pushed);
    let is_late = context.is_way_guessed && wait.prompted_after < late_max;
    wait.sign.is_emptied && was_more_queued && is_late
}

/// Whether neither a pacing timer nor an ACK can have let out what came after it. Where it was whole segments
/// without PSH, more was queued, but less than a segment that Nagle's algorithm held back; if the queue never
/// runs dry, a host that answers late looks the same.
fn is_too_large_for_timer(sign: &Sign, context: &Context) -> bool {
    sign.pacing == PacingSign::Oversized
        && match sign.queue {
            QueueSign::Pushed | QueueSign::Written => !context.is_paced(),
            QueueSign::Held => context.is_drained() && !context.is_timer_paced(),
            _ => false,
        }
}

/// Whether it tells nothing that sends come at once after ACKs.
fn are_met_by_chance(context: &Context) -> bool {
    (context.is_always_drained() && !refilled::is_in_bunches(context))
        || context.is_prompted_by_chance()
        || context.is_prompted_within_tick()
}

/// Sends at once after ACKs which the others met by chance, unless what is in flight grows by what each ACK
/// freed: a writer knows nothing of that.
fn met_by_chance(cause: Cause, context: &Context) -> Ruling {
    if context.has_grown() {
        return Ruling::rather(Limit::CongestionWindow, Cause::SlowStart, Limit::Application);
    }
    Ruling::rather(Limit::Application, cause, Limit::CongestionWindow)
}

#[cfg(test)]
mod tests {
    use super::super::Judge;
    use super::super::tests::{CLOCKED, round};
    use super::*;
    use crate::round::Round;
    use crate::units::{Bytes, Duration};

    /// A writer goes on at its own pace once the window has grown beyond that.
    #[test]
    fn what_grows_with_each_ack_before_a_writer_s_pace_is_slow_start() {
        let step = Sign { queue: QueueSign::Held, ..CLOCKED };
        let alone = Sign { ended_by: EndedBy::Nothing, ..step };
        let mut judge = Judge::default();
        for pipe in [10_000, 20_000, 40_000, 80_000] {
            judge.on_next_round(Round { pipe_peak: Bytes(pipe), ..round(&[step]) });
        }
        for _ in 0..20 {
            let paced = round(&[step, alone, step, alone]);
            judge.on_next_round(Round { pipe_peak: Bytes(90_000), ..paced });
        }
        let time = judge.finish().time;
        let slow_start =
            (Limit::CongestionWindow, Some(Cause::SlowStart), Some(Limit::Application));
        assert_eq!(time.get(&slow_start), Some(&Duration::from_millis(30)), "{time:?}");
    }

    /// Away from the sender, and without its clock; 10 ms of round trip.
    #[test]
    fn a_short_pause_may_be_an_answer_on_its_way() {
        let mut context = Context::of_none();
        (context.is_way_guessed, context.min_rtt) = (true, Some(Duration::from_millis(10)));
        let ruled = |queue, after_ms, context: &Context| {
            let sign = Sign { ended_by: EndedBy::Nothing, queue, is_emptied: true, ..CLOCKED };
            let wait =
                Wait { prompted_after: Duration::from_millis(after_ms), ..round(&[sign]).waits[0] };
            examine(&wait, context)
        };
        let idle = Some(Ruling::sure(Limit::Application, Cause::Idle));
        let rather = Some(Ruling::rather(Limit::Application, Cause::Idle, Limit::CongestionWindow));
        assert_eq!(ruled(QueueSign::Held, 4, &context), rather);
        assert_eq!(ruled(QueueSign::Held, 6, &context), idle, "too late");
        assert_eq!(ruled(QueueSign::Dry, 4, &context), idle, "nothing was queued");
        context.is_way_guessed = false;
        assert_eq!(ruled(QueueSign::Held, 4, &context), idle);
    }
}

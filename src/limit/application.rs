//! Application limit: the send queue is empty and the writer is not waiting for room in it.
//!
//! No counter of the kernel shows it. From outside it shows in three ways: the queue ran dry (a
//! segment below SMSS went out last) and the next send came without any ACK to prompt it; it
//! answered a segment with payload (a request); or less than a segment was held back by Nagle's
//! algorithm until everything before it was acknowledged. What a paced sender sends also comes
//! unprompted, but its queue does not run dry.

use super::{Cause, Context, Limit, Ruling};
use crate::round::{EndedBy, QueueSign, Wait};
use crate::sender::RetransmitCause;

pub(super) fn examine(wait: &Wait, context: &Context) -> Option<Ruling> {
    let sign = &wait.sign;
    let idle_or_trickle = if sign.is_emptied { Cause::Idle } else { Cause::Trickle };
    let sure = Some(Ruling::sure(Limit::Application, idle_or_trickle));
    match (sign.ended_by, sign.queue) {
        (EndedBy::Payload, _) if sign.is_emptied => sure,
        (EndedBy::Ack | EndedBy::Payload, QueueSign::Held) if sign.is_next_short => {
            Some(Ruling::sure(Limit::Application, Cause::Nagle))
        }
        (EndedBy::Nothing, _) if sign.is_emptied => sure,
        (EndedBy::Nothing, QueueSign::Dry) => sure,
        (EndedBy::Nothing, QueueSign::Held | QueueSign::Pushed) if !context.is_paced() => {
            let than = Limit::CongestionWindow;
            Some(Ruling::rather(Limit::Application, idle_or_trickle, than))
        }
        (EndedBy::Retransmission(RetransmitCause::LossProbe), QueueSign::Dry) => {
            Some(Ruling::rather(Limit::Application, Cause::Trickle, Limit::CongestionWindow))
        }
        (EndedBy::Fin, _) => sure,
        _ => None,
    }
}

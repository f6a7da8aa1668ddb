//! Send-buffer limit: "Sender Limited" in RFC 4898 (`SndLimTimeSnd`). The writer sits in `send`,
//! nothing is left to send, the window is open.
//!
//! Linux wakes the writer once a third of the buffer is free (`sk_stream_is_writeable`). So ACKs
//! for a third of the flight go unanswered, then one ACK prompts a large batch that fills the
//! buffer again. A congestion- or receive-window-limited sender answers nearly each ACK; an
//! application sends such batches too, but does not wait for an ACK to do so. The writer pushes
//! what it queued before it blocks, so the batch before ends with PSH; a queue that ends without
//! PSH is one that Nagle's algorithm holds, and then the writer was not blocked.

use super::{Cause, Context, Limit, Ruling};
use crate::round::{EndedBy, QueueSign, Wait};
use crate::sender::Recovery;

pub(super) fn examine(wait: &Wait, context: &Context) -> Option<Ruling> {
    let sign = &wait.sign;
    if sign.recovery != Recovery::Open {
        return None;
    }
    match sign.ended_by {
        EndedBy::Ack if sign.is_batch => Some(batch(context)),
        EndedBy::Ack if sign.queue == QueueSign::Dry => Some(dry(context)),
        EndedBy::Nothing if context.is_paced() && context.is_level() => {
            let than = Limit::CongestionWindow;
            Some(Ruling::rather(Limit::SendBuffer, Cause::PacedAtBuffer, than))
        }
        _ => None,
    }
}

/// A prompted batch: the woken writer's, or an application's that met an ACK by chance. Chance
/// does not strike four times in five.
fn batch(context: &Context) -> Ruling {
    let prompted = context.batches_prompted.count;
    let all = prompted.saturating_add(context.batches_unprompted.count);
    let is_prompted = prompted.saturating_mul(5) >= all.saturating_mul(4);
    let is_held = context.batches_held.count.saturating_mul(4) > prompted;
    if is_prompted && !is_held {
        return Ruling::sure(Limit::SendBuffer, Cause::WriterBlocked);
    }
    Ruling::rather(Limit::Application, Cause::Trickle, Limit::SendBuffer)
}

/// The queue ran dry and the next send answered an ACK, but not after a batch.
fn dry(context: &Context) -> Ruling {
    if context.batches_prompted.time > context.unprompted_dry.time {
        return Ruling::rather(Limit::SendBuffer, Cause::WriterBlocked, Limit::Application);
    }
    Ruling::rather(Limit::Application, Cause::Trickle, Limit::SendBuffer)
}

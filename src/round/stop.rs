//! What ended a wait?

use super::acks::Prompt;
use super::nagle::{Release, is_end};
use super::{EndedBy, NextSign};
use crate::flow::Departure;
use crate::sender::{RetransmitCause, Send, SendKind};
use crate::units::{Bytes, FrameNumber, Timestamp};

/// Where a wait ends.
pub(super) struct Stop<'a> {
    pub(super) time: Timestamp,
    pub(super) frame: FrameNumber,
    pub(super) by: StopBy<'a>,
}

pub(super) enum StopBy<'a> {
    /// Whether it may have waited for an acknowledgment stands beside it.
    Send(&'a Send, Release),
    StateChange,
    End,
}

impl Stop<'_> {
    pub(super) fn ended_by(&self, prompt: Prompt) -> EndedBy {
        let send = match self.by {
            StopBy::Send(send, _) => send,
            StopBy::StateChange => return EndedBy::StateChange,
            StopBy::End => return EndedBy::End,
        };
        match send.kind {
            SendKind::Retransmit(cause) => EndedBy::Retransmission(cause),
            SendKind::WindowProbe => EndedBy::WindowProbe,
            _ if send.is_fin && send.len == Bytes(0) => EndedBy::Fin,
            _ if send.is_loss_probe => EndedBy::NewProbe,
            _ if prompt.has_payload => EndedBy::Payload,
            _ if prompt.is_immediate => EndedBy::Ack,
            _ if prompt.is_wake_up => EndedBy::LateAck,
            _ => EndedBy::Nothing,
        }
    }

    /// What the first send after it tells.
    pub(super) fn next(&self, is_emptied: bool) -> NextSign {
        let StopBy::Send(send, release) = self.by else {
            return NextSign::Whole;
        };
        match () {
            () if send.len >= send.smss || send.len == Bytes(0) => NextSign::Whole,
            () if release.is_free || is_emptied && is_end(send) => NextSign::Released,
            () => NextSign::Short,
        }
    }

    /// What ended it had been made before.
    pub(super) fn was_queued(&self) -> bool {
        matches!(self.by, StopBy::Send(send, _)
            if matches!(send.departure, Departure::QueuedApart | Departure::QueuedTogether))
    }

    /// Away from the sender: surely no acknowledgment had come since the send before.
    pub(super) fn is_unprompted(&self) -> bool {
        matches!(self.by, StopBy::Send(send, _) if send.departure == Departure::Unprompted)
    }

    /// A probe took nothing new along, so that nothing was queued.
    pub(super) fn is_by_old_data(&self) -> bool {
        matches!(self.by, StopBy::Send(send, _) if is_probe_of_old_data(send))
    }

    /// An acknowledgment may have let out what Nagle's algorithm held back.
    pub(super) fn is_by_held_back_data(&self) -> bool {
        matches!(self.by, StopBy::Send(_, release) if release.is_answer)
    }
}

/// A loss probe that takes nothing new along though the receive window has room: nothing was queued (RFC 8985
/// section 7.3).
pub(super) fn is_probe_of_old_data(send: &Send) -> bool {
    send.kind == SendKind::Retransmit(RetransmitCause::LossProbe)
        && send.after.spare_window.is_some_and(|spare| spare >= send.smss)
}

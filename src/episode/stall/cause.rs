//! Why nothing moved: read from what was out before, and from what ended it.

use serde::Serialize;

use super::Last;
use crate::sender::{Send, SendKind, SenderEvent};
use crate::units::Bytes;

/// Why nothing moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StallCause {
    /// The sending application had nothing (more) to send.
    SenderIdle,
    /// Everything was acknowledged; then the other side sent data (a request, say).
    PeerIdle,
    /// The receiver's window was closed.
    ZeroWindow,
    /// A retransmission was lost as well.
    RetransmissionLost,
    /// The SYN or the SYN-ACK was retransmitted for want of an answer.
    HandshakeUnanswered,
    /// The last segments were lost: nothing followed that could show it.
    TailLoss,
    /// Too little was in flight for three duplicate ACKs.
    SmallWindow,
    /// So much was lost that no duplicate ACKs came.
    ManyLost,
    /// The ACK came late.
    LateAck,
    /// The capture misses what happened.
    CaptureGap,
}

impl StallCause {
    pub(crate) fn is_loss(self) -> bool {
        matches!(
            self,
            Self::RetransmissionLost
                | Self::HandshakeUnanswered
                | Self::TailLoss
                | Self::SmallWindow
                | Self::ManyLost
        )
    }
}

/// What is known of the time before, beside the state in which it ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before {
    pub(super) has_gap: bool,
    /// What was out had been sent again.
    pub(super) is_resent: bool,
}

/// The cause of a silence that began in the state `last` and that `event` ended.
pub(super) fn of(before: Before, last: &Last, event: &SenderEvent) -> StallCause {
    match event {
        _ if before.has_gap => StallCause::CaptureGap,
        _ if last.is_shut() => StallCause::ZeroWindow,
        SenderEvent::Acknowledge(ack) if last.flight_size == Bytes(0) => {
            if ack.has_payload {
                StallCause::PeerIdle
            } else {
                StallCause::SenderIdle
            }
        }
        // All of it was acknowledged past the tap, so the ACK did not reach the sender, or came late.
        SenderEvent::Send(send) if is_answered(send, last) => StallCause::LateAck,
        _ if last.flight_size == Bytes(0) => StallCause::SenderIdle,
        SenderEvent::Send(send) => match send.kind {
            SendKind::Retransmit(_) if send.is_syn => StallCause::HandshakeUnanswered,
            _ if send.is_loss_probe => StallCause::TailLoss,
            SendKind::Retransmit(_) if before.is_resent => StallCause::RetransmissionLost,
            SendKind::Retransmit(_) => lost(last, send.end() >= last.snd_nxt),
            _ => StallCause::SenderIdle,
        },
        _ => StallCause::LateAck,
    }
}

/// The timer sends again what no longer is in flight.
fn is_answered(send: &Send, last: &Last) -> bool {
    let is_repair = matches!(send.kind, SendKind::Retransmit(_)) && !send.is_syn;
    is_repair && last.flight_size == Bytes(0)
}

/// RFC 5681: three duplicate ACKs need four segments out.
const SEGMENTS_MIN: u64 = 4;

/// Why no duplicate ACKs brought the first repair before the timer did.
fn lost(last: &Last, is_tail: bool) -> StallCause {
    match () {
        () if is_tail => StallCause::TailLoss,
        () if last.flight_size.0 < last.smss.0.saturating_mul(SEGMENTS_MIN) => {
            StallCause::SmallWindow
        }
        () => StallCause::ManyLost,
    }
}

//! Congestion limit: "Congestion Limited" in RFC 4898 (`SndLimTimeCwnd`). Data is queued, the
//! receive window is open, and still the sender waits: for its congestion window, for a loss to
//! be repaired, or for its pacing timer.

use super::{Cause, Context, Limit, Ruling, held};
use crate::round::{EndedBy, PacingSign, Wait, WindowSign};
use crate::sender::{Recovery, RetransmitCause};

pub(super) fn examine(wait: &Wait, context: &Context) -> Option<Ruling> {
    let cause = match (wait.sign.ended_by, wait.sign.recovery) {
        (EndedBy::Retransmission(RetransmitCause::Timeout), _) | (_, Recovery::Timeout) => {
            Cause::RtoWait
        }
        (EndedBy::Retransmission(_) | EndedBy::NewProbe, _) | (_, Recovery::Fast) => {
            Cause::Recovery
        }
        (EndedBy::Nothing, _) => Cause::Pacing,
        _ if wait.sign.is_pacing_step() => Cause::Pacing,
        (EndedBy::Ack | EndedBy::LateAck | EndedBy::Payload, _) if context.is_slow_start() => {
            Cause::SlowStart
        }
        (EndedBy::Ack | EndedBy::LateAck | EndedBy::Payload, _) => Cause::Avoidance,
        _ => return None,
    };
    if cause == Cause::Pacing && context.is_window_filled() {
        // A paced sender measures what the window lets through, and paces at that rate.
        let is_known = wait.sign.is_pacing_step() && context.is_timer_paced();
        return Some(if context.has_loss && !is_known {
            // Duplicate ACKs free nothing, and let data go without a timer.
            Ruling::rather(Limit::CongestionWindow, cause, Limit::ReceiveWindow)
        } else {
            held::by_window(wait, is_known, context)
        });
    }
    let is_queued = wait.sign.pacing == PacingSign::Queued;
    let is_shown = is_queued || wait.sign.is_pacing_step() && context.has_pacing_train();
    let is_scale_unknown = wait.sign.window == WindowSign::Unknown && cause != Cause::Pacing;
    if is_scale_unknown && !context.has_loss && !context.is_slow_start() {
        // The receive window may be full: an ACK that is answered at once looks the same.
        return Some(Ruling::rather(Limit::CongestionWindow, cause, Limit::ReceiveWindow));
    }
    if cause == Cause::Pacing && context.is_pacing_even() && !is_shown {
        return Some(Ruling::rather(Limit::CongestionWindow, cause, Limit::Application));
    }
    Some(Ruling::sure(Limit::CongestionWindow, cause))
}

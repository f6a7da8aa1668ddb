//! Receive-window limit: "Receiver Limited" in RFC 4898 (`SndLimTimeRwin`). Linux counts it from
//! the moment when the next segment does not fit into the window (`tcp_snd_wnd_test`) until one
//! does.

use super::{Cause, Context, Limit, Ruling};
use crate::round::{EndedBy, Wait, WindowSign};

/// A window is full once less than one SMSS of it is left: a sender never cuts a segment short for
/// its sake (RFC 9293 section 3.8.6.2.1). While segmentation is deferred up to a third of the
/// window may stay open (Linux `tcp_tso_should_defer`); such a wait counts if another send of the
/// same round did fill it, or if no more stayed open than a segment for which another was waited for.
pub(super) fn examine(wait: &Wait, context: &Context) -> Option<Ruling> {
    let sign = &wait.sign;
    let is_reopened = sign.is_emptied && sign.ended_by == EndedBy::Nothing;
    match sign.window {
        WindowSign::Zero => Some(Ruling::sure(Limit::ReceiveWindow, Cause::ZeroWindow)),
        // Everything was acknowledged, so the window was open again long before the next send.
        WindowSign::Full if is_reopened => None,
        WindowSign::Full => Some(Ruling::sure(Limit::ReceiveWindow, Cause::WindowFull)),
        WindowSign::Near
            if (context.is_window_full_here || is_one_put_off(wait, context))
                && matches!(sign.ended_by, EndedBy::Ack | EndedBy::LateAck) =>
        {
            let than = Limit::CongestionWindow;
            Some(Ruling::rather(Limit::ReceiveWindow, Cause::WindowFull, than))
        }
        _ if sign.ended_by == EndedBy::WindowProbe => {
            Some(Ruling::sure(Limit::ReceiveWindow, Cause::ZeroWindow))
        }
        _ => None,
    }
}

/// One segment would have fitted: Linux sends two at a time at least (`tcp_min_tso_segs`). Slow start still
/// fills the congestion window.
fn is_one_put_off(wait: &Wait, context: &Context) -> bool {
    let two = context.smss.saturating_add(context.smss);
    let full = wait.flight_before.saturating_add(two);
    wait.snd_wnd.is_some_and(|wnd| wnd < full) && context.is_at_window() && !context.is_slow_start()
}

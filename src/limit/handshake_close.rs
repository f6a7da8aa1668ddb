//! Opening and closing the connection (RFC 9293 sections 3.5 and 3.6).

use super::{Cause, Context, Limit, Ruling};
use crate::round::{QueueSign, Wait};

/// From the SYN until it is acknowledged, and two round trips after the FIN's acknowledgment, which
/// the other side's FIN needs. Between establishment and the first octet, while the last octets are
/// in flight with the FIN behind them (or are sent again: nothing else waits for that), and for as
/// long as the other side keeps its half open after those two round trips, the application has
/// nothing (more) to send.
pub(super) fn examine(wait: &Wait, context: &Context) -> Option<Ruling> {
    let limit = Limit::HandshakeClose;
    let is_half_closed = context.srtt.is_some_and(|srtt| wait.duration() > srtt.saturating_mul(2));
    match wait.sign.queue {
        QueueSign::Closed if is_half_closed => Some(Ruling::sure(Limit::Application, Cause::Idle)),
        QueueSign::Opening | QueueSign::Closed => Some(Ruling::uncaused(limit)),
        QueueSign::Established | QueueSign::Closing => {
            Some(Ruling::sure(Limit::Application, Cause::Idle))
        }
        _ => None,
    }
}

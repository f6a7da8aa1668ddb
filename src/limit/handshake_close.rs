//! Opening and closing the connection (RFC 9293 sections 3.5 and 3.6).

use super::{Cause, Context, Limit, Ruling};
use crate::round::{QueueSign, Wait};

/// From the SYN until it is acknowledged, and from the FIN's acknowledgment on. Between
/// establishment and the first octet, and while the last octets are in flight with the FIN behind
/// them, the application has nothing (more) to send.
pub(super) fn examine(wait: &Wait, _: &Context) -> Option<Ruling> {
    let limit = Limit::HandshakeClose;
    match wait.sign.queue {
        QueueSign::Opening | QueueSign::Closed => Some(Ruling { limit, cause: None, rival: None }),
        QueueSign::Established | QueueSign::Closing => {
            Some(Ruling::sure(Limit::Application, Cause::Idle))
        }
        _ => None,
    }
}

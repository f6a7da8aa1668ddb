//! What makes a window or a buffer larger? The handshake's option, where that is missing; the program,
//! where the size looks like one that it set; else the system, which tunes it up to a bound.

use super::Findings;
use super::buffers;
use super::direction::Direction;
use crate::flow::{Flow, Offered};

/// What there is to turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lever {
    /// This side's SYN lacks the option: the window ends at 65 535 octets, whatever the buffer (RFC 7323
    /// section 2.2).
    Scaling(Side),
    /// `SO_RCVBUF` or `SO_SNDBUF`, which turn the kernel's own tuning off.
    Program,
    /// That, or the bound of the kernel's tuning (`tcp_rmem`, `tcp_wmem`): on Linux a window grows past what
    /// a SYN can offer with a buffer that was set, too.
    System,
}

/// One end of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Sender,
    Receiver,
}

impl Side {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Sender => "sender",
            Self::Receiver => "receiver",
        }
    }
}

impl Lever {
    /// Of the receive window.
    pub(super) fn of_window(direction: Direction<'_>, findings: &Findings) -> Self {
        let window = &findings.window;
        let largest = window.max().unwrap_or_default();
        // Some stacks round down to whole segments.
        let is_at_end = largest.saturating_add(findings.smss).0 > u64::from(u16::MAX);
        match without_option(direction).filter(|_| is_at_end) {
            Some(side) => Self::Scaling(side),
            None if window.is_fixed() => Self::Program,
            None => Self::System,
        }
    }

    /// Of the send buffer. It grows with the congestion window (Linux `tcp_sndbuf_expand`), so that one
    /// that limits has come to a bound: the system's, or a smaller one that the program has set.
    pub(super) fn of_send_buffer(findings: &Findings) -> Self {
        let buffer = buffers::send(&findings.ledger, findings.smss);
        let is_below = buffer.is_some_and(|buffer| buffer.size_high_bytes < WMEM_MAX);
        if is_below { Self::Program } else { Self::System }
    }
}

/// Linux `tcp_wmem`, third value, unless it is set or there is hardly any memory (`tcp_init`).
const WMEM_MAX: f64 = 4_194_304.0;

/// Whose SYN lacks the option. The client's counts first: without it there, an answer may not carry it
/// (RFC 7323 section 1.3).
fn without_option(Direction { flow, reverse, .. }: Direction<'_>) -> Option<Side> {
    let is_without = |flow: &Flow<()>| flow.syn == Some(Offered::Nothing);
    let mut sides = [(flow, Side::Sender), (reverse, Side::Receiver)];
    sides.sort_by_key(|(flow, _)| !flow.is_client);
    sides.into_iter().find(|(flow, _)| is_without(flow)).map(|(_, side)| side)
}

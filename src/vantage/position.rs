//! Where did the tap stand?

use std::num::NonZeroU8;

use serde::Serialize;

use super::HeldByHost;
use crate::units::Duration;
use crate::units::host::{HOST, HOST_BY_ECHO};

/// The tap stands at an end that takes at most one part in so many of the RTT: 20 is 5 %. (Of 2482 directions
/// of the open corpus, of `tests/held-out` and of captures of others, 10 changes the place of 50, 40 of 11,
/// and neither a limit.)
pub(crate) const END_PARTS: u32 = 20;

/// What the user told of all flows.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Told<S> {
    /// Where the tap stood; `None` where that is to be found out.
    pub(crate) position: Option<Vantage>,
    /// For the one that hears what the sender saw.
    pub(crate) consumer: S,
}

/// Where the tap stood, seen from one direction of a connection.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) position: Vantage,
    /// What the times of the packets say; `position` is another where the user told it.
    pub(crate) found_position: Vantage,
    /// Smallest time from an acknowledgment passing the tap to data that answers it; `None` if
    /// nothing proved one.
    pub(crate) sender_half: Option<Duration>,
    /// Smallest time from data passing the tap to its acknowledgment; `None` without any.
    pub(crate) receiver_half: Option<Duration>,
    /// Acknowledgments released early because too many were on their way.
    pub(crate) released_early_count: u64,
    /// One tick of the sender's clock, if it told when the sender sent; `None` at the sender, and
    /// where nothing but the tap's time told it.
    pub(crate) sender_tick: Option<Duration>,
    /// One tick of the capture's clock, where it is coarse.
    pub(crate) tap_tick: Option<Duration>,
    pub(crate) held_by_host: HeldByHost,
}

/// What hosts send with: the recommended default (RFC 1700; Linux `IPDEFTTL`, macOS), Windows', and the most
/// there is (RFC 1812 section 4.2.2.9 allows it to routers, Solaris has it).
const TTLS: [u8; 3] = [64, 128, 255];

/// One router may be of the capturing host's own, as containers and virtual machines have one.
const ROUTERS_MIN: u8 = 2;

impl Place {
    /// With the position that the TTLs tell, where the times leave it open: no router stands between the tap
    /// and a host whose packets pass it as they were sent, and the other one is beyond those that its packets
    /// met. (Of 854 directions of captures from elsewhere whose times tell an end, and whose TTLs do, one
    /// differs.)
    pub(crate) fn told_by_ttl(
        self,
        sender: Option<NonZeroU8>,
        receiver: Option<NonZeroU8>,
    ) -> Self {
        let position = match (sender.map(routers), receiver.map(routers)) {
            _ if self.position != Vantage::Unknown => return self,
            (Some(0), Some(ROUTERS_MIN..)) => Vantage::Sender,
            (Some(ROUTERS_MIN..), Some(0)) => Vantage::Receiver,
            _ => return self,
        };
        Self { position, found_position: position, ..self }
    }

    /// Both halves of the RTT are known and do not tell: a host's own time, or a part of the way.
    pub(crate) fn is_end_open(&self) -> bool {
        let has_halves = self.sender_half.is_some() && self.receiver_half.is_some();
        self.position == Vantage::Unknown && has_halves
    }
}

/// How many routers took one off.
fn routers(ttl: NonZeroU8) -> u8 {
    let sent = TTLS.into_iter().find(|sent| *sent >= ttl.get()).unwrap_or(u8::MAX);
    sent.saturating_sub(ttl.get())
}

/// Where the capture was taken.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Vantage {
    /// At the sender of this direction's data.
    Sender,
    /// At its receiver.
    Receiver,
    /// Between sender and receiver.
    Middle,
    /// The capture does not show it.
    #[default]
    Unknown,
}

impl Vantage {
    /// By the smallest times between a tap and each end; the handshake told the sender's, or echoes alone.
    /// Unknown where the path is so short that the half of the end where the tap may have stood is no more
    /// than a host takes.
    pub(super) fn of_halves(sender: Duration, receiver: Duration, is_by_handshake: bool) -> Self {
        let host = if is_by_handshake { HOST } else { HOST_BY_ECHO };
        let end = sender.saturating_add(receiver).checked_div(END_PARTS).unwrap_or_default();
        match (sender <= end.min(host), receiver <= end) {
            (true, _) => Self::Sender,
            (_, true) => Self::Receiver,
            _ if sender <= host || receiver <= HOST => Self::Unknown,
            _ => Self::Middle,
        }
    }
}

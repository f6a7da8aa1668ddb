//! A SYN from which no connection came.

use crate::flow::Flow;
use crate::model::figures::{counted, seconds};
use crate::sender::SenderTotals;
use crate::units::Duration;

/// What became of the SYN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unopened {
    /// Nothing answered.
    Unanswered {
        /// The SYN and its copies.
        syns: u64,
        /// From the first to the last packet.
        time: Duration,
    },
    /// A reset did.
    Refused,
}

impl Unopened {
    /// `None` of a connection that was opened, or may have been.
    pub(super) fn of(
        (flow, reverse): (&Flow<()>, &Flow<()>),
        totals: &SenderTotals,
        time: Duration,
    ) -> Option<Self> {
        if !sent_only_syns(flow, totals) || reverse.syn.is_some() {
            return None;
        }
        let is_refused = reverse.reset_time.is_some() && reverse.payload_bytes == 0;
        match reverse.packets {
            0 => Some(Self::Unanswered { syns: flow.packets, time }),
            _ => is_refused.then_some(Self::Refused),
        }
    }

    pub(super) fn sentence(self) -> String {
        match self {
            Self::Unanswered { syns: ..2, .. } => "its SYN was not answered".to_owned(),
            Self::Unanswered { syns, time } => {
                let (sent, time) = (counted(syns, "time"), seconds(time.as_secs_f64()));
                format!("its SYN was not answered, though sent {sent} in {time}")
            }
            Self::Refused => "its SYN was refused with a reset".to_owned(),
        }
    }

    pub(super) fn note(self) -> &'static str {
        match self {
            Self::Unanswered { .. } => {
                "no connection: the SYN or its answer was dropped (a firewall, a host that is down), or the \
                 capture misses the answer"
            }
            Self::Refused => {
                "no connection: nothing listens at that port, or a firewall refuses it"
            }
        }
    }
}

/// Whoever sends more was answered, though the answer may not be in the capture.
pub(super) fn sent_only_syns(flow: &Flow<()>, totals: &SenderTotals) -> bool {
    let syns = totals.handshake_segments.saturating_add(totals.capture_duplicates);
    flow.syn.is_some() && flow.payload_bytes == 0 && flow.packets <= syns.saturating_add(1)
}

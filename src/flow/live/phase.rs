//! How far has a connection come: half open, open, over?

use super::Live;
use crate::flow::Consumer;
use crate::flow::side::Side;
use crate::units::SeqNum;

/// What decides how long a connection is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::flow) enum Phase {
    HalfOpen,
    Closed,
    /// Both sides are there and carried this many payload octets.
    Open(u64),
}

impl<C: Consumer> Live<C> {
    pub(in crate::flow) fn phase(&self) -> Phase {
        if self.is_reset || self.is_over() {
            return Phase::Closed;
        }
        let payload_bytes = self.first.payload_bytes.saturating_add(self.other.payload_bytes);
        if payload_bytes == 0 && !self.is_established() {
            return Phase::HalfOpen;
        }
        Phase::Open(payload_bytes)
    }

    /// Both sides' FINs have been acknowledged. A RST is less: it may be forged.
    pub(in crate::flow) fn is_over(&self) -> bool {
        self.first.is_fin_acked() && self.other.is_fin_acked()
    }

    /// A RST closed it that its receiver believes.
    pub(in crate::flow) fn is_cut_off(&self) -> bool {
        self.is_reset && self.is_reset_believed
    }

    /// Where the numbers of both sides begin; `None` while one has not been seen. One that refused has number
    /// 0 (RFC 9293 section 3.10.7.1).
    pub(in crate::flow) fn begins(&self) -> Option<[SeqNum; 2]> {
        let begin =
            |side: &Side<C>| side.placing.base().or_else(|| side.has_reset().then_some(SeqNum(0)));
        Some([begin(&self.first)?, begin(&self.other)?])
    }

    /// Which sides sent a RST.
    pub(in crate::flow) fn resets(&self) -> [bool; 2] {
        [self.first.has_reset(), self.other.has_reset()]
    }

    fn is_established(&self) -> bool {
        let has_syn = self.first.syn.is_some() || self.other.syn.is_some();
        if has_syn { self.is_answered } else { self.has_both_sides() }
    }
}

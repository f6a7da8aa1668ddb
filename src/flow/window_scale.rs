//! How many octets is an advertised window? By the shift of the handshake (RFC 7323 section 2.2);
//! where that was not captured, by what flowed.
//!
//! Inferred is the smallest shift that keeps the peer's data inside the window. It is too small
//! for a window that was never filled. The right edge tells from the other side: a receiver does
//! not take back what it offered (RFC 9293 section 3.8.6), so when the ACK advances by less than
//! the window shrinks after scaling, the shift is too large. Both need two observations, for one
//! may be a damaged segment. And data that fills the window to the last segment, for several windows
//! in a row and never beyond, shows that the shift is no larger: a congestion window that happened to
//! be of that size would have grown past it. So the shift is certain where it is the only one left; seen
//! away from the sender, data in flight is less than the sender counts, and no shift is.

use crate::units::{Bytes, StreamOffset, WindowShift};

/// One side's shift and where it comes from.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) enum Scale {
    /// Not captured; an estimate builds up from the first window on.
    #[default]
    Unknown,
    Estimated(Box<Estimate>),
    Negotiated(WindowShift),
}

impl Scale {
    /// The shift in use; `None` while there is no evidence for any.
    pub(super) fn shift(&self) -> Option<WindowShift> {
        match self {
            Self::Unknown => None,
            Self::Estimated(estimate) => estimate.shift(),
            Self::Negotiated(shift) => Some(*shift),
        }
    }

    /// Whether what flowed leaves no other, for a tap at the peer; always, where the handshake told it.
    pub(super) fn is_certain(&self) -> bool {
        match self {
            Self::Unknown => false,
            Self::Estimated(estimate) => estimate.is_certain(),
            Self::Negotiated(_) => true,
        }
    }

    /// Takes a window that this side advertised with a cumulative acknowledgment.
    #[inline]
    pub(super) fn on_window(&mut self, ack: StreamOffset, window_unscaled: u16) {
        let seen = Offer { ack, window_unscaled };
        match self {
            Self::Unknown => *self = Self::Estimated(Box::new(Estimate::new(seen))),
            Self::Estimated(estimate) => estimate.on_offer(seen),
            Self::Negotiated(_) => {}
        }
    }

    /// Takes the end of data that the peer sent into the window.
    #[inline]
    pub(super) fn on_data(&mut self, end: StreamOffset) {
        if let Self::Estimated(estimate) = self {
            estimate.on_data(end);
        }
    }

    /// Octets held beside the value itself.
    pub(super) fn memory(&self) -> usize {
        if let Self::Estimated(_) = self { size_of::<Estimate>() } else { 0 }
    }
}

/// A window as it stood in an acknowledgment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Offer {
    ack: StreamOffset,
    window_unscaled: u16,
}

impl Offer {
    fn right_edge(self, shift: u8) -> StreamOffset {
        self.ack.after(WindowShift::new(shift).scale(self.window_unscaled))
    }
}

/// What is known of a shift that was not captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Estimate {
    last: Offer,
    /// The offer with the furthest right edge: the peer may still go by an older one.
    widest: Offer,
    floor: Twice,
    /// Counted from 14 downwards.
    ceiling_drop: Twice,
    filled: Filled,
}

/// How much data has filled the window at the smallest shift that fits.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Filled {
    /// End of the last data that did.
    end: StreamOffset,
    /// Octets by which that end went on, from one to the next that did.
    octets: Bytes,
}

/// In congestion avoidance the window grows by a segment per round trip (RFC 5681 section 3.1): it
/// stays within one segment of the same size for two windows of data at most.
const FILLED_WINDOWS_MIN: u64 = 4;

/// Payload of a full Ethernet frame without TCP options (IPv4). With less room in the window no such segment
/// fits any more (RFC 9293 section 3.8.6.2.1); larger segments leave it short of this less often.
pub(crate) const ETHERNET_MSS: Bytes = Bytes(1460);

impl Estimate {
    fn new(offer: Offer) -> Self {
        Self {
            last: offer,
            widest: offer,
            floor: Twice::default(),
            ceiling_drop: Twice::default(),
            filled: Filled::default(),
        }
    }

    fn shift(&self) -> Option<WindowShift> {
        let is_settled = self.floor.proven > 0 || self.is_certain();
        is_settled.then(|| WindowShift::new(self.floor.proven))
    }

    /// No larger one than the smallest that fits is possible.
    fn is_certain(&self) -> bool {
        let ceiling = WindowShift::MAX.get().saturating_sub(self.ceiling_drop.proven);
        ceiling <= self.floor.proven || self.is_filled()
    }

    fn is_filled(&self) -> bool {
        let window = WindowShift::new(self.floor.proven).scale(self.last.window_unscaled).0;
        window > 0 && self.filled.octets.0 >= window.saturating_mul(FILLED_WINDOWS_MIN)
    }

    #[inline(never)]
    fn on_offer(&mut self, offer: Offer) {
        if offer.ack < self.last.ack {
            return; // Reordered: its window is stale as well (SND.WL2, RFC 9293 section 3.10.7.4).
        }
        let taken = self.last.window_unscaled.saturating_sub(offer.window_unscaled);
        let advanced = offer.ack.since(self.last.ack);
        // One unit may be lost to rounding: the window is rounded to multiples of 2^shift.
        let ceiling = (0..=WindowShift::MAX.get())
            .rev()
            .find(|&shift| WindowShift::new(shift).scale(taken.saturating_sub(1)) <= advanced);
        let drop = WindowShift::MAX.get().saturating_sub(ceiling.unwrap_or(0));
        if drop > self.ceiling_drop.proven {
            self.ceiling_drop.observe(drop);
        }
        self.last = offer;
        let shift = self.floor.proven;
        if offer.right_edge(shift) >= self.widest.right_edge(shift) {
            self.widest = offer;
        }
    }

    #[inline(never)]
    fn on_data(&mut self, end: StreamOffset) {
        self.note_filled(end);
        let is_inside =
            |shift: u8| end <= self.last.right_edge(shift) || end <= self.widest.right_edge(shift);
        if self.last.window_unscaled == 0 || is_inside(self.floor.proven) {
            return; // A closed window is probed beyond its edge (RFC 9293 section 3.8.6.1).
        }
        if let Some(shift) = (0..=WindowShift::MAX.get()).find(|&shift| is_inside(shift)) {
            self.floor.observe(shift);
        }
    }
}

impl Estimate {
    /// Whether nothing goes out any more with so much `room` left. Where that is less than a segment, more
    /// than half of the window has to be in flight: of a small window each request leaves as little.
    fn is_full(&self, room: Bytes, shift: u8) -> bool {
        let window = WindowShift::new(shift).scale(self.last.window_unscaled);
        room == Bytes(0)
            || (room < ETHERNET_MSS && window >= ETHERNET_MSS.saturating_add(ETHERNET_MSS))
    }

    fn note_filled(&mut self, end: StreamOffset) {
        let shift = self.floor.proven;
        let edge = self.last.right_edge(shift).max(self.widest.right_edge(shift));
        if end > edge {
            self.filled = Filled::default();
        } else if self.is_full(edge.since(end), shift) && end > self.filled.end {
            let is_first = self.filled.end == StreamOffset::default();
            let advanced = if is_first { Bytes(0) } else { end.since(self.filled.end) };
            let octets = self.filled.octets.saturating_add(advanced);
            self.filled = Filled { end, octets };
        }
    }
}

/// A bound that takes two observations in a row to move.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Twice {
    proven: u8,
    pending: u8,
}

impl Twice {
    fn observe(&mut self, bound: u8) {
        self.proven = self.proven.max(bound.min(self.pending));
        self.pending = bound;
    }
}

/// What one side's SYN said of scaling.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offered {
    /// It was not captured, or its options were cut.
    #[default]
    Unseen,
    /// It carried no such option.
    Nothing,
    Shift(WindowShift),
}

/// The shift of the side that offered `own`, in a SYN-ACK (`is_answer`) or a SYN; `None` while the SYNs seen
/// do not tell. Scaling holds only if both carried the option, and a SYN-ACK may only if the SYN did (RFC
/// 7323 section 2.2).
pub(super) fn negotiated(own: Offered, is_answer: bool, peer: Offered) -> Option<WindowShift> {
    match (own, peer) {
        (Offered::Nothing, _) | (_, Offered::Nothing) => Some(WindowShift::default()),
        (Offered::Shift(shift), Offered::Shift(_)) => Some(shift),
        (Offered::Shift(shift), Offered::Unseen) if is_answer => Some(shift),
        _ => None,
    }
}

/// What the peer may have in flight beyond `ack` at most; `None` while the shift is not known, unless
/// it is nothing: that is nothing at any shift.
pub(super) fn scaled(shift: Option<WindowShift>, window_unscaled: u16) -> Option<Bytes> {
    match shift {
        Some(shift) => Some(shift.scale(window_unscaled)),
        None => (window_unscaled == 0).then_some(Bytes(0)),
    }
}

#[cfg(test)]
mod tests;

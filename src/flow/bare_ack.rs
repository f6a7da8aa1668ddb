//! An acknowledgment in the room that it takes without SACK blocks.

use super::{Ack, SackRanges};
use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp};
use crate::wire::TcpTimestamps;

/// An [`Ack`] without its SACK blocks, as it passed the tap.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "what stood in one header")]
pub(super) struct BareAck {
    pub(super) frame: FrameNumber,
    pub(super) time: Timestamp,
    pub(super) ack: StreamOffset,
    pub(super) window: Option<Bytes>,
    pub(super) timestamps: Option<TcpTimestamps>,
    pub(super) window_unscaled: u16,
    has_payload: bool,
    is_syn: bool,
    is_fin: bool,
    has_ece: bool,
}

impl BareAck {
    pub(super) fn of(ack: &Ack) -> Self {
        Self {
            frame: ack.frame,
            time: ack.time,
            ack: ack.ack,
            window: ack.window,
            timestamps: ack.timestamps,
            window_unscaled: ack.window_unscaled,
            has_payload: ack.has_payload,
            is_syn: ack.is_syn,
            is_fin: ack.is_fin,
            has_ece: ack.has_ece,
        }
    }

    /// The whole, which repeats none before it.
    pub(super) fn ack(&self) -> Ack {
        Ack {
            frame: self.frame,
            time: self.time,
            ack: self.ack,
            window: self.window,
            window_unscaled: self.window_unscaled,
            sack: SackRanges::default(),
            timestamps: self.timestamps,
            has_payload: self.has_payload,
            is_syn: self.is_syn,
            is_fin: self.is_fin,
            slack: Duration::ZERO,
            has_ece: self.has_ece,
            repeats: 0,
        }
    }
}

//! One step of a flow in little room.

use crate::flow::{Ack, Data, SackRanges};
use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp};
use crate::wire::TcpTimestamps;

/// What [`Data`] or [`Ack`] say, of which this is a third and more smaller.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) frame: FrameNumber,
    time: Timestamp,
    /// The first octet, or what is acknowledged.
    offset: StreamOffset,
    timestamps: Option<TcpTimestamps>,
    pub(super) what: What,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum What {
    Data(DataPart),
    Ack(AckPart),
}

/// What only [`Data`] have.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "what stood in one header")]
pub(super) struct DataPart {
    len: u32,
    headers_len: u32,
    ip_id: Option<u16>,
    is_syn: bool,
    is_fin: bool,
    is_pushed: bool,
    has_cwr: bool,
}

/// What only an [`Ack`] has.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "what stood in one header")]
pub(super) struct AckPart {
    window: Option<u32>,
    window_unscaled: u16,
    has_sack: bool,
    has_payload: bool,
    is_syn: bool,
    is_fin: bool,
    has_ece: bool,
}

impl Step {
    /// `None` for what has no room here.
    pub(super) fn of_data(data: &Data) -> Option<Self> {
        let part = DataPart {
            len: u32::try_from(data.len.0).ok()?,
            headers_len: data.headers_len,
            ip_id: data.ip_id,
            is_syn: data.is_syn,
            is_fin: data.is_fin,
            is_pushed: data.is_pushed,
            has_cwr: data.has_cwr,
        };
        data.sender_tick.is_none().then_some(Self {
            frame: data.frame,
            time: data.time,
            offset: data.start,
            timestamps: data.timestamps,
            what: What::Data(part),
        })
    }

    /// `None` for what has no room here. SACK blocks are to be kept elsewhere.
    pub(super) fn of_ack(ack: &Ack) -> Option<Self> {
        let window = match ack.window {
            Some(window) => Some(u32::try_from(window.0).ok()?),
            None => None,
        };
        let part = AckPart {
            window,
            window_unscaled: ack.window_unscaled,
            has_sack: !ack.sack.as_slice().is_empty(),
            has_payload: ack.has_payload,
            is_syn: ack.is_syn,
            is_fin: ack.is_fin,
            has_ece: ack.has_ece,
        };
        ack.slack.is_zero().then_some(Self {
            frame: ack.frame,
            time: ack.time,
            offset: ack.ack,
            timestamps: ack.timestamps,
            what: What::Ack(part),
        })
    }

    /// An acknowledgment with SACK blocks.
    pub(super) fn has_sack(&self) -> bool {
        matches!(self.what, What::Ack(AckPart { has_sack: true, .. }))
    }

    /// As it was; `part` is this one's.
    pub(super) fn data(&self, part: DataPart) -> Data {
        Data {
            frame: self.frame,
            time: self.time,
            start: self.offset,
            len: Bytes(u64::from(part.len)),
            is_syn: part.is_syn,
            is_fin: part.is_fin,
            is_pushed: part.is_pushed,
            has_cwr: part.has_cwr,
            ip_id: part.ip_id,
            timestamps: self.timestamps,
            headers_len: part.headers_len,
            sender_tick: None,
        }
    }

    /// As it was; `part` is this one's, and `sacks` begin with its blocks if it has any.
    pub(super) fn ack(&self, part: AckPart, sacks: &mut impl Iterator<Item = SackRanges>) -> Ack {
        let sack = if part.has_sack { sacks.next() } else { None };
        Ack {
            frame: self.frame,
            time: self.time,
            ack: self.offset,
            window: part.window.map(|window| Bytes(u64::from(window))),
            window_unscaled: part.window_unscaled,
            sack: sack.unwrap_or_default(),
            timestamps: self.timestamps,
            has_payload: part.has_payload,
            is_syn: part.is_syn,
            is_fin: part.is_fin,
            slack: Duration::ZERO,
            has_ece: part.has_ece,
        }
    }
}

//! One step of a flow in little room.

use crate::flow::{Ack, Data, HostQueued, SackRanges};
use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp};
use crate::wire::TcpTimestamps;

/// What [`Data`] or [`Ack`] say, in 40 octets of 72 or 144. In this order, so that no two of theirs that
/// adjoin do so here: taken over at once, they would be waited for until each of them was written.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Step {
    /// The first octet, or what is acknowledged.
    offset: StreamOffset,
    frame: u32,
    timestamp_value: u32,
    time: Timestamp,
    timestamp_echo: u32,
    /// Octets of payload, or the window; zero where that is not known.
    octets: u32,
    /// Octets of headers, or the window unscaled.
    short: u16,
    /// The IP header's identification, or how many the acknowledgment repeats.
    also: u16,
    flags: u16,
}

/// The bits of [`Step::flags`].
mod flag {
    pub(super) const DATA: u16 = 1;
    pub(super) const TIMESTAMPS: u16 = 1 << 1;
    pub(super) const SYN: u16 = 1 << 2;
    pub(super) const FIN: u16 = 1 << 3;
    /// Only of data.
    pub(super) const PUSHED: u16 = 1 << 4;
    pub(super) const IP_ID: u16 = 1 << 5;
    /// Only of acknowledgments.
    pub(super) const WINDOW: u16 = 1 << 6;
    pub(super) const SACK: u16 = 1 << 7;
    pub(super) const PAYLOAD: u16 = 1 << 8;
    pub(super) const ECE: u16 = 1 << 9;
}

impl Step {
    /// `None` for what has no room here.
    pub(super) fn of_data(data: &Data) -> Option<Self> {
        let stamps = data.timestamps.unwrap_or_default();
        let flags = flag::DATA
            | only(data.timestamps.is_some(), flag::TIMESTAMPS)
            | only(data.ip_id.is_some(), flag::IP_ID)
            | only(data.is_syn, flag::SYN)
            | only(data.is_fin, flag::FIN)
            | only(data.is_pushed, flag::PUSHED);
        data.sender_tick.is_none().then_some(Self {
            offset: data.start,
            frame: u32::try_from(data.frame.to_bits()).ok()?,
            timestamp_value: stamps.value,
            time: data.time,
            timestamp_echo: stamps.echo,
            octets: u32::try_from(data.len.0).ok()?,
            short: u16::try_from(data.headers_len).ok()?,
            also: data.ip_id.unwrap_or_default(),
            flags,
        })
    }

    /// `None` for what has no room here. SACK blocks are to be kept elsewhere.
    pub(super) fn of_ack(ack: &Ack) -> Option<Self> {
        let stamps = ack.timestamps.unwrap_or_default();
        let flags = only(ack.timestamps.is_some(), flag::TIMESTAMPS)
            | only(ack.window.is_some(), flag::WINDOW)
            | only(!ack.sack.as_slice().is_empty(), flag::SACK)
            | only(ack.has_payload, flag::PAYLOAD)
            | only(ack.is_syn, flag::SYN)
            | only(ack.is_fin, flag::FIN)
            | only(ack.has_ece, flag::ECE);
        ack.slack.is_zero().then_some(Self {
            offset: ack.ack,
            frame: u32::try_from(ack.frame.to_bits()).ok()?,
            timestamp_value: stamps.value,
            time: ack.time,
            timestamp_echo: stamps.echo,
            octets: u32::try_from(ack.window.unwrap_or_default().0).ok()?,
            short: ack.window_unscaled,
            also: u16::try_from(ack.repeats).ok()?,
            flags,
        })
    }

    pub(super) fn frame(&self) -> FrameNumber {
        FrameNumber::from_bits(u64::from(self.frame))
    }

    /// Made of data, and not of an acknowledgment.
    pub(super) fn is_data(&self) -> bool {
        self.has(flag::DATA)
    }

    /// An acknowledgment with SACK blocks.
    pub(super) fn has_sack(&self) -> bool {
        self.has(flag::SACK)
    }

    /// The data that it was made of.
    #[inline]
    pub(super) fn data(&self) -> Data {
        Data {
            frame: self.frame(),
            time: self.time,
            start: self.offset,
            len: Bytes(u64::from(self.octets)),
            is_syn: self.has(flag::SYN),
            is_fin: self.has(flag::FIN),
            is_pushed: self.has(flag::PUSHED),
            ip_id: self.has(flag::IP_ID).then_some(self.also),
            timestamps: self.timestamps(),
            headers_len: u32::from(self.short),
            sender_tick: None,
            queued: HostQueued::No,
        }
    }

    /// The acknowledgment that it was made of; `sacks` begin with its blocks if it has any.
    #[inline]
    pub(super) fn ack(&self, sacks: &mut impl Iterator<Item = SackRanges>) -> Ack {
        let sack = if self.has_sack() { sacks.next() } else { None };
        Ack {
            frame: self.frame(),
            time: self.time,
            ack: self.offset,
            window: self.has(flag::WINDOW).then_some(Bytes(u64::from(self.octets))),
            window_unscaled: self.short,
            sack: sack.unwrap_or_default(),
            timestamps: self.timestamps(),
            has_payload: self.has(flag::PAYLOAD),
            is_syn: self.has(flag::SYN),
            is_fin: self.has(flag::FIN),
            slack: Duration::ZERO,
            has_ece: self.has(flag::ECE),
            repeats: self.also.into(),
        }
    }

    fn timestamps(&self) -> Option<TcpTimestamps> {
        let stamps = TcpTimestamps { value: self.timestamp_value, echo: self.timestamp_echo };
        self.has(flag::TIMESTAMPS).then_some(stamps)
    }

    fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }
}

/// The flag if it `is_set`.
fn only(is_set: bool, flag: u16) -> u16 {
    if is_set { flag } else { 0 }
}

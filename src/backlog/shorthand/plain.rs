//! Steps as most of them are: in order, soon after the one before, and with headers like its. A word of
//! eight octets and one of four tell each, or two of eight, and nothing has to be found out to read them.

use super::{Last, after, differences};
use crate::flow::{Ack, Data, HostQueued, SackRanges};
use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp};
use crate::wire::TcpTimestamps;

/// The lowest bit of the first octet, which no other step has set.
pub(super) const PLAIN: u8 = 1;
/// The next one, of acknowledgments.
const ACK: u64 = 1 << 1;
/// Where five flags begin of data, and six of an acknowledgment.
const FLAGS: u32 = 2;
/// Where an acknowledgment says how many SACK blocks stand behind it.
const BLOCKS: u32 = 8;
/// The second word is one of four octets.
const IS_NARROW: u32 = 11;
/// Where the frame begins, and the time.
const FRAME: u32 = 12;
const TIME: u32 = 32;

/// The words of one. Of a narrow one only the lower half of the second is told.
#[derive(Clone, Copy)]
pub(super) struct Words([u64; 2]);

impl Words {
    /// Octets that the longest takes.
    pub(super) const LEN_MAX: usize = 2 * size_of::<u64>();

    /// Octets that this one takes.
    #[inline]
    pub(super) fn len(self) -> usize {
        Self::LEN_MAX.wrapping_sub(if self.is_narrow() { size_of::<u32>() } else { 0 })
    }

    #[inline]
    pub(super) fn to_octets(self) -> [[u8; 8]; 2] {
        self.0.map(u64::to_le_bytes)
    }

    /// Those that stand in front, with room behind them as they were written.
    #[inline]
    pub(super) fn first_of(octets: &[u8]) -> Option<Self> {
        let (first, rest) = octets.split_first_chunk()?;
        Some(Self([u64::from_le_bytes(*first), u64::from_le_bytes(*rest.first_chunk()?)]))
    }

    #[inline]
    pub(super) fn is_ack(self) -> bool {
        self.0[0] & ACK != 0
    }

    #[inline]
    fn is_narrow(self) -> bool {
        self.0[0] >> IS_NARROW & 1 != 0
    }
}

/// How a step differs from the last one of its kind.
#[derive(Clone, Copy)]
struct Differences {
    frame: u64,
    time: u64,
    /// Of a segment, or acknowledged.
    octets: u64,
    /// The IP header's identification, or the window.
    short: u16,
    stamps: [u64; 2],
}

impl Differences {
    /// `None` where one has no room.
    #[inline]
    fn with_flags(self, flags: u64) -> Option<Words> {
        let Self { frame, time, octets, short, stamps: [value, echo] } = self;
        let short = u64::from(short);
        let is_wide = octets >> 16 | short | (value | echo) >> 8 != 0;
        let beyond = frame >> 20 | time >> 32 | octets >> 24 | (value | echo) >> 12;
        let first = flags | u64::from(!is_wide) << IS_NARROW | frame << FRAME | time << TIME;
        let narrow = octets | value << 16 | echo << 24;
        let wide = octets | short << 24 | value << 40 | echo << 52;
        (beyond == 0).then_some(Words([first, if is_wide { wide } else { narrow }]))
    }

    #[inline]
    fn of(words: Words) -> Self {
        let Words([first, second]) = words;
        let narrow = (second & 0xffff, 0, [second >> 16 & 0xff, second >> 24 & 0xff]);
        let stamps = [second >> 40 & 0xfff, second >> 52];
        let wide = (second & 0xff_ffff, second >> 24 & 0xffff, stamps);
        let (octets, short, stamps) = if words.is_narrow() { narrow } else { wide };
        let short = u16::try_from(short).unwrap_or_default();
        Self { frame: first >> FRAME & 0xf_ffff, time: first >> TIME, octets, short, stamps }
    }
}

/// `None` where it is none of these, or from another clock.
#[inline]
pub(super) fn of_data(data: &Data, last: &Last) -> Option<Words> {
    let is_next = data.start.0 == last.end && data.headers_len == u32::from(last.headers_len);
    if !is_next || data.sender_tick.is_some() {
        return None;
    }
    let flags = [data.is_syn, data.is_fin, data.is_pushed];
    let has = [data.ip_id.is_some(), data.timestamps.is_some()];
    let flags = bits(flags) << FLAGS | bits(has) << (FLAGS + 3);
    let differences = Differences {
        frame: data.frame.to_bits().wrapping_sub(last.frame),
        time: data.time.0.wrapping_sub(last.time),
        octets: data.len.0,
        short: data.ip_id.map_or(0, |ip_id| ip_id.wrapping_sub(last.ip_id)),
        stamps: differences(data.timestamps, last.sent),
    };
    differences.with_flags(flags | u64::from(PLAIN))
}

/// `None` where it is none of these, or from another clock. SACK blocks are to be told behind it.
#[inline]
pub(super) fn of_ack(ack: &Ack, last: &Last) -> Option<Words> {
    let is_usual = |window: Bytes| window.0 == last.scaled(ack.window_unscaled);
    if ack.repeats > 0 || !ack.window.is_none_or(is_usual) || !ack.slack.is_zero() {
        return None;
    }
    let flags = [ack.has_payload, ack.is_syn, ack.is_fin, ack.has_ece];
    let has = [ack.window.is_some(), ack.timestamps.is_some()];
    let flags = bits(flags) << FLAGS | bits(has) << (FLAGS + 4);
    let blocks = ack.sack.as_slice().len() as u64;
    let differences = Differences {
        frame: ack.frame.to_bits().wrapping_sub(last.frame),
        time: ack.time.0.wrapping_sub(last.time),
        octets: ack.ack.0.wrapping_sub(last.ack),
        short: ack.window_unscaled.wrapping_sub(last.window_unscaled),
        stamps: differences(ack.timestamps, last.acked),
    };
    differences.with_flags(flags | blocks << BLOCKS | u64::from(PLAIN) | ACK)
}

/// The data of which [`of_data`] made `words`.
#[inline]
pub(super) fn data(words: Words, last: &Last) -> Data {
    let step = Differences::of(words);
    let flags = words.0[0] >> FLAGS;
    let is = |nth: u32| flags >> nth & 1 != 0;
    Data {
        frame: FrameNumber::from_bits(last.frame.wrapping_add(step.frame)),
        time: Timestamp(last.time.wrapping_add(step.time)),
        start: StreamOffset(last.end),
        len: Bytes(step.octets),
        is_syn: is(0),
        is_fin: is(1),
        is_pushed: is(2),
        ip_id: is(3).then_some(last.ip_id.wrapping_add(step.short)),
        timestamps: stamps(is(4), step, last.sent),
        headers_len: u32::from(last.headers_len),
        sender_tick: None,
        queued: HostQueued::No,
    }
}

/// The acknowledgment of which [`of_ack`] made `words`, without its SACK blocks, and how many it has.
#[inline]
pub(super) fn ack(words: Words, last: &Last) -> (Ack, u64) {
    let step = Differences::of(words);
    let flags = words.0[0] >> FLAGS;
    let is = |nth: u32| flags >> nth & 1 != 0;
    let window_unscaled = last.window_unscaled.wrapping_add(step.short);
    let ack = Ack {
        frame: FrameNumber::from_bits(last.frame.wrapping_add(step.frame)),
        time: Timestamp(last.time.wrapping_add(step.time)),
        ack: StreamOffset(last.ack.wrapping_add(step.octets)),
        window: is(4).then_some(Bytes(last.scaled(window_unscaled))),
        window_unscaled,
        sack: SackRanges::default(),
        timestamps: stamps(is(5), step, last.acked),
        has_payload: is(0),
        is_syn: is(1),
        is_fin: is(2),
        slack: Duration::ZERO,
        has_ece: is(3),
        repeats: 0,
    };
    (ack, words.0[0] >> BLOCKS & 0b111)
}

#[inline]
fn stamps(has_some: bool, step: Differences, last: TcpTimestamps) -> Option<TcpTimestamps> {
    has_some.then_some(after(step.stamps, last))
}

/// The first in the lowest bit.
#[inline]
fn bits<const COUNT: usize>(flags: [bool; COUNT]) -> u64 {
    flags.iter().rev().fold(0, |bits, flag| bits << 1 | u64::from(*flag))
}

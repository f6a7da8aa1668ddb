//! Steps as most of them are: in order, soon after the one before, and with headers like its. A word of
//! eight octets and one of four tell each, or two of eight, and nothing has to be found out to read them.

use super::{Last, after, bits, differences, has};
use crate::flow::{Ack, Data, Departure, SackRanges};
use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp};
use crate::wire::TcpTimestamps;

/// The lowest bit of the first octet, which no other step has set.
pub(super) const PLAIN: u8 = 1;
/// The next one, of acknowledgments.
const ACK: u8 = 1 << 1;
/// Where five flags begin of data, and six of an acknowledgment, with which the first octet ends.
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
    pub(super) fn to_octets(self) -> [u8; Self::LEN_MAX] {
        let [first, second] = self.0.map(u128::from);
        (first | second << u64::BITS).to_le_bytes()
    }

    /// Those that stand in front, with room behind them as they were written.
    #[inline]
    pub(super) fn first_of(octets: &[u8]) -> Option<Self> {
        let (first, rest) = octets.split_first_chunk()?;
        Some(Self([u64::from_le_bytes(*first), u64::from_le_bytes(*rest.first_chunk()?)]))
    }

    #[inline]
    pub(super) fn is_ack(self) -> bool {
        self.head() & ACK != 0
    }

    /// The first octet.
    #[inline]
    fn head(self) -> u8 {
        self.0[0].to_le_bytes()[0]
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
    /// `flags` are what stands below the frame; `None` where a number has no room.
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
    let (has_ip_id, has_stamps) = (data.ip_id.is_some(), data.timestamps.is_some());
    let flags = bits(&[data.is_syn, data.is_fin, data.is_pushed, has_ip_id, has_stamps]);
    let differences = Differences {
        frame: data.frame.to_bits().wrapping_sub(last.frame),
        time: data.time.0.wrapping_sub(last.time),
        octets: data.len.0,
        short: data.ip_id.map_or(0, |ip_id| ip_id.wrapping_sub(last.ip_id)),
        stamps: differences(data.timestamps, last.sent),
    };
    differences.with_flags(u64::from(PLAIN | flags << FLAGS))
}

/// `None` where it is none of these, or from another clock. SACK blocks are to be told behind it.
#[inline]
pub(super) fn of_ack(ack: &Ack, last: &Last) -> Option<Words> {
    let is_usual = |window: Bytes| window.0 == last.scaled(ack.window_unscaled);
    if ack.repeats > 0 || !ack.window.is_none_or(is_usual) || !ack.slack.is_zero() {
        return None;
    }
    let (has_window, has_stamps) = (ack.window.is_some(), ack.timestamps.is_some());
    let Ack { has_payload, is_syn, is_fin, has_ece, .. } = *ack;
    let flags = bits(&[has_payload, is_syn, is_fin, has_ece, has_window, has_stamps]);
    let blocks = ack.sack.as_slice().len() as u64;
    let differences = Differences {
        frame: ack.frame.to_bits().wrapping_sub(last.frame),
        time: ack.time.0.wrapping_sub(last.time),
        octets: ack.ack.0.wrapping_sub(last.ack),
        short: ack.window_unscaled.wrapping_sub(last.window_unscaled),
        stamps: differences(ack.timestamps, last.acked),
    };
    differences.with_flags(u64::from(PLAIN | ACK | flags << FLAGS) | blocks << BLOCKS)
}

/// The data of which [`of_data`] made `words`.
#[inline]
pub(super) fn data(words: Words, last: &Last) -> Data {
    let step = Differences::of(words);
    let flags = words.head() >> FLAGS;
    Data {
        frame: FrameNumber::from_bits(last.frame.wrapping_add(step.frame)),
        time: Timestamp(last.time.wrapping_add(step.time)),
        start: StreamOffset(last.end),
        len: Bytes(step.octets),
        is_syn: has(flags, 0),
        is_fin: has(flags, 1),
        is_pushed: has(flags, 2),
        ip_id: has(flags, 3).then_some(last.ip_id.wrapping_add(step.short)),
        timestamps: stamps(has(flags, 4), step, last.sent),
        headers_len: u32::from(last.headers_len),
        sender_tick: None,
        departure: Departure::Unknown,
    }
}

/// The acknowledgment of which [`of_ack`] made `words`, without its SACK blocks, and how many it has.
#[inline]
pub(super) fn ack(words: Words, last: &Last) -> (Ack, u64) {
    let step = Differences::of(words);
    let flags = words.head() >> FLAGS;
    let window_unscaled = last.window_unscaled.wrapping_add(step.short);
    let ack = Ack {
        frame: FrameNumber::from_bits(last.frame.wrapping_add(step.frame)),
        time: Timestamp(last.time.wrapping_add(step.time)),
        ack: StreamOffset(last.ack.wrapping_add(step.octets)),
        window: has(flags, 4).then_some(Bytes(last.scaled(window_unscaled))),
        window_unscaled,
        sack: SackRanges::default(),
        timestamps: stamps(has(flags, 5), step, last.acked),
        has_payload: has(flags, 0),
        is_syn: has(flags, 1),
        is_fin: has(flags, 2),
        slack: Duration::ZERO,
        has_ece: has(flags, 3),
        repeats: 0,
    };
    (ack, words.0[0] >> BLOCKS & 0b111)
}

#[inline]
fn stamps(has_some: bool, step: Differences, last: TcpTimestamps) -> Option<TcpTimestamps> {
    has_some.then_some(after(step.stamps, last))
}

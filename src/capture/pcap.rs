//! pcap files (draft-ietf-opsawg-pcap). pcap-parser 0.17 reads headers and records; its gaps are
//! filled here: the big-endian form of the modified format, FCS bits in the link type, and length
//! claims, which it would wait for whatever they are.

use pcap_parser::nom::{self, IResult, Needed};
use pcap_parser::{
    LegacyPcapBlock, PcapError, parse_pcap_frame, parse_pcap_frame_be, parse_pcap_frame_modified,
    parse_pcap_header,
};

use super::LinkType;
use super::clock::Stamp;
use super::outlier::Ahead;
use super::record::Record;
use super::refusal::Refusal;
use super::summary::{DamageKind, Format};
use super::window::{Span, Window};
use crate::units::Duration;

pub(super) const FILE_HEADER_LEN: usize = 24;

/// The longest packet that libpcap accepts whatever the snap length says (`MAXIMUM_SNAPLEN`).
const PACKET_LEN_MAX: u32 = 262_144;

type ParsedRecord<'a> = IResult<&'a [u8], LegacyPcapBlock<'a>, PcapError<&'a [u8]>>;

/// What the file header says of the records.
#[derive(Debug)]
pub(super) struct Records {
    pub(super) format: Format,
    pub(super) snap_len: u32,
    link_type: LinkType,
    layout: Layout,
    header_len: usize,
    nanos_per_tick: u32,
    packet_len_max: u32,
    /// How the file header would look where a record is expected: its first two words.
    file_header_start: (u32, u32),
    /// The first packet is of no time and no length, so that others may be.
    begins_empty: bool,
}

/// A record that lies in the window, as its header tells of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Whole {
    /// Octets behind the header.
    pub(super) captured: u32,
    pub(super) original_len: u32,
    pub(super) stamp: Stamp,
    pub(super) link_type: LinkType,
}

/// Octets before them.
pub(super) const WHOLE_HEADER_LEN: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Little,
    Big,
    LittleModified,
    BigModified,
}

/// The layout and format that a file's first four octets name, if it is pcap.
fn recognise(magic: [u8; 4]) -> Option<(Layout, Format)> {
    match magic {
        [0xd4, 0xc3, 0xb2, 0xa1] => Some((Layout::Little, Format::Pcap)),
        [0xa1, 0xb2, 0xc3, 0xd4] => Some((Layout::Big, Format::Pcap)),
        [0x4d, 0x3c, 0xb2, 0xa1] => Some((Layout::Little, Format::PcapNanos)),
        [0xa1, 0xb2, 0x3c, 0x4d] => Some((Layout::Big, Format::PcapNanos)),
        [0x34, 0xcd, 0xb2, 0xa1] => Some((Layout::LittleModified, Format::PcapModified)),
        [0xa1, 0xb2, 0xcd, 0x34] => Some((Layout::BigModified, Format::PcapModified)),
        _ => None,
    }
}

impl Layout {
    /// The word `from` on; zero if that is not there.
    fn word(self, octets: &[u8], from: usize) -> u32 {
        let octets = octets.get(from..).and_then(|rest| rest.first_chunk::<4>());
        let octets = octets.copied().unwrap_or_default();
        match self {
            Self::Little | Self::LittleModified => u32::from_le_bytes(octets),
            Self::Big | Self::BigModified => u32::from_be_bytes(octets),
        }
    }
}

impl Records {
    /// Takes the file header off `window`; `None` if this is no pcap file.
    pub(super) fn open(window: &mut Window) -> Result<Option<Self>, Refusal> {
        let magic = window.unread().first_chunk::<4>().copied();
        let Some((layout, format)) = magic.and_then(recognise) else {
            return Ok(None);
        };
        let Some(octets) = window.unread().first_chunk::<FILE_HEADER_LEN>() else {
            return Err(Refusal::HeaderCut);
        };
        let records = Self::from_header(layout, format, *octets)?;
        window.consume(FILE_HEADER_LEN, 0, 0);
        window.fill(WHOLE_HEADER_LEN);
        let begins_empty = window.unread().first_chunk() == Some(&[0; WHOLE_HEADER_LEN]);
        Ok(Some(Self { begins_empty, ..records }))
    }

    fn from_header(
        layout: Layout,
        format: Format,
        mut octets: [u8; FILE_HEADER_LEN],
    ) -> Result<Self, Refusal> {
        if layout == Layout::BigModified {
            // pcap-parser does not know this magic number; the rest is as in any big-endian file.
            octets[..4].copy_from_slice(&[0xa1, 0xb2, 0xc3, 0xd4]);
        }
        let Ok((_, header)) = parse_pcap_header(&octets) else {
            return Err(Refusal::HeaderCut);
        };
        let (major, minor) = (header.version_major, header.version_minor);
        // Before 2.3 the two lengths of a record stood the other way round.
        if major != 2 || minor < 3 {
            return Err(Refusal::Version { major, minor });
        }
        let is_modified = matches!(layout, Layout::LittleModified | Layout::BigModified);
        let word = |from: usize| layout.word(&octets, from);
        Ok(Self {
            format,
            snap_len: header.snaplen,
            link_type: LinkType::from_pcap_header(u32::from_ne_bytes(
                header.network.0.to_ne_bytes(),
            )),
            layout,
            header_len: if is_modified { 24 } else { 16 },
            nanos_per_tick: if format == Format::PcapNanos { 1 } else { 1_000 },
            packet_len_max: header.snaplen.clamp(PACKET_LEN_MAX, RECORD_DATA_MAX),
            file_header_start: (word(0), word(4)),
            begins_empty: false,
        })
    }

    /// What the header at the start of `unread` says, if its record lies there as a whole, in the layout
    /// of nearly all files (`benches/decode.rs` times it: `read/pcap`). `None` for all else, which is left
    /// to [`Self::next`].
    #[inline]
    pub(super) fn whole(&self, unread: &[u8]) -> Option<Whole> {
        let (header, rest) = unread.split_first_chunk::<16>()?;
        let [s0, s1, s2, s3, f0, f1, f2, f3, c0, c1, c2, c3, o0, o1, o2, o3] = *header;
        let captured = u32::from_le_bytes([c0, c1, c2, c3]);
        // What captured nothing may be the header of a file that was joined on.
        let is_usual = captured.wrapping_sub(1) < self.packet_len_max
            && captured as usize <= rest.len()
            && self.layout == Layout::Little;
        let seconds = u32::from_le_bytes([s0, s1, s2, s3]);
        let fraction = u32::from_le_bytes([f0, f1, f2, f3]);
        is_usual.then(|| Whole {
            captured,
            original_len: u32::from_le_bytes([o0, o1, o2, o3]),
            stamp: Stamp::from_pcap(seconds, fraction, self.nanos_per_tick),
            link_type: self.link_type,
        })
    }

    /// Takes the next record off `window` if [`Self::whole`] can read it.
    #[inline]
    pub(super) fn next_whole(&self, window: &mut Window) -> Option<Record> {
        let Whole { captured, original_len, stamp, link_type } = self.whole(window.unread())?;
        let len = captured as usize;
        let span = window.consume(len.saturating_add(WHOLE_HEADER_LEN), WHOLE_HEADER_LEN, len);
        Some(Record { span, stamp: Some(stamp), link_type, interface: 0, original_len })
    }

    /// Takes the next record off `window`; `None` at a clean end.
    #[cold]
    pub(super) fn next(&self, window: &mut Window) -> Result<Option<Record>, DamageKind> {
        loop {
            let missing = match self.parse(window.unread()) {
                Ok((_, record)) => {
                    let LegacyPcapBlock { ts_sec, ts_usec, caplen, origlen, .. } = record;
                    return self.accept([ts_sec, ts_usec, caplen, origlen], window).map(Some);
                }
                Err(nom::Err::Incomplete(Needed::Size(missing))) => missing.get(),
                Err(_) => self.header_len,
            };
            let needed = window.unread().len().saturating_add(missing);
            let claimed = needed.saturating_sub(self.header_len);
            if claimed > self.packet_len_max as usize {
                return Err(self.too_long(claimed as u64));
            }
            if !window.fill(needed) {
                return if window.unread().is_empty() {
                    Ok(None)
                } else {
                    Err(DamageKind::Truncated)
                };
            }
        }
    }

    #[inline]
    fn parse<'a>(&self, octets: &'a [u8]) -> ParsedRecord<'a> {
        match self.layout {
            Layout::Little => parse_pcap_frame(octets),
            Layout::Big => parse_pcap_frame_be(octets),
            Layout::LittleModified => parse_pcap_frame_modified(octets),
            Layout::BigModified => parse_pcap_frame_modified_be(octets),
        }
    }

    #[inline]
    fn accept(&self, header: [u32; 4], window: &mut Window) -> Result<Record, DamageKind> {
        let [seconds, fraction, captured, original] = header;
        if captured > self.packet_len_max {
            return Err(self.too_long(u64::from(captured)));
        }
        // A time in 2055 and, as captured length, the time zone of a header, which is always 0.
        if (seconds, fraction) == self.file_header_start && captured == 0 {
            return Err(DamageKind::Joined);
        }
        // No packet is without a length on the wire.
        if header == [0; 4] && !self.begins_empty {
            return Err(DamageKind::Zeros);
        }
        let len = captured as usize;
        let record_len = self.header_len.saturating_add(len);
        Ok(Record {
            span: window.consume(record_len, self.header_len, len),
            stamp: Some(Stamp::from_pcap(seconds, fraction, self.nanos_per_tick)),
            link_type: self.link_type,
            interface: 0,
            original_len: original,
        })
    }

    /// The times of the records behind the one at `kept`, which was consumed last.
    #[cold]
    pub(super) fn ahead(&self, window: &mut Window, kept: &mut Span) -> Ahead {
        let mut ahead = Ahead::repeating_every(Duration::from_secs(1));
        let mut at: usize = 0;
        while !ahead.is_enough() && window.fill_behind(kept, at.saturating_add(self.header_len)) {
            let header = window.unread().get(at..).unwrap_or_default();
            let [seconds, fraction, captured] =
                [0, 4, 8].map(|from| self.layout.word(header, from));
            if captured > self.packet_len_max {
                break; // Where the next one is, is not known.
            }
            ahead.add(Stamp::from_pcap(seconds, fraction, self.nanos_per_tick));
            at = at.saturating_add(self.header_len).saturating_add(captured as usize);
        }
        ahead
    }

    fn too_long(&self, claimed: u64) -> DamageKind {
        DamageKind::RecordTooLong { claimed, max: u64::from(self.packet_len_max) }
    }
}

/// Largest packet that fits a record with the longest header.
const RECORD_DATA_MAX: u32 = (16 << 20) - 24;

/// A record of the modified format in big-endian order, which pcap-parser lacks.
fn parse_pcap_frame_modified_be(octets: &[u8]) -> ParsedRecord<'_> {
    let missing = |len| nom::Err::Incomplete(Needed::new(len));
    let Some((header, rest)) = octets.split_first_chunk::<24>() else {
        return Err(missing(24_usize.saturating_sub(octets.len())));
    };
    let word = |at: usize| {
        let octets = header.get(at..).and_then(|rest| rest.first_chunk::<4>());
        u32::from_be_bytes(octets.copied().unwrap_or_default())
    };
    let caplen = word(8);
    let Some((data, rest)) = rest.split_at_checked(caplen as usize) else {
        return Err(missing((caplen as usize).saturating_sub(rest.len())));
    };
    let ts_sec = word(0);
    let origlen = word(12);
    Ok((rest, LegacyPcapBlock { ts_sec, ts_usec: word(4), caplen, origlen, data }))
}

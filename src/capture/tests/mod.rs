//! Files made here octet by octet, so that each test shows what it is about.
#![expect(clippy::arithmetic_side_effects, reason = "test code")]

mod containers;
mod damage;
mod files;
mod formats;
mod interfaces;
mod outliers;
mod robustness;
mod traps;

use std::io::{self, Read};

use super::summary::FileSummary;
use super::{LinkType, Reader};
use crate::error::Error;

/// What a frame was, kept beyond the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    number: u64,
    nanos: u64,
    link_type: LinkType,
    bytes: Vec<u8>,
    wire_len: u32,
}

fn read(input: impl Read + Send + 'static) -> Result<(Vec<Seen>, FileSummary), Error> {
    let mut reader = Reader::open("test".to_owned(), input)?;
    let mut frames = Vec::new();
    while let Some(frame) = reader.next_frame() {
        frames.push(Seen {
            number: frame.number.shown(),
            nanos: frame.time.0,
            link_type: frame.link_type,
            bytes: frame.bytes.to_vec(),
            wire_len: frame.wire_len,
        });
    }
    Ok((frames, reader.summary()))
}

fn read_octets(octets: &[u8]) -> Result<(Vec<Seen>, FileSummary), Error> {
    read(io::Cursor::new(octets.to_vec()))
}

/// Reads what must be whole.
fn read_whole(octets: &[u8]) -> (Vec<Seen>, FileSummary) {
    let (frames, summary) = read_octets(octets).unwrap();
    assert_eq!(summary.damage, []);
    (frames, summary)
}

/// The byte order to write in.
#[derive(Debug, Clone, Copy)]
enum To {
    Little,
    Big,
}

impl To {
    fn u16(self, value: u16) -> [u8; 2] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }

    fn u32(self, value: u32) -> [u8; 4] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }

    fn u64(self, value: u64) -> [u8; 8] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }
}

const MICROS: u32 = 0xa1b2_c3d4;
const NANOS: u32 = 0xa1b2_3c4d;
const MODIFIED: u32 = 0xa1b2_cd34;

fn pcap_header(to: To, magic: u32, snap_len: u32, link_type: u32) -> Vec<u8> {
    let words = [[0; 4], [0; 4], to.u32(snap_len), to.u32(link_type)].concat();
    [&to.u32(magic)[..], &to.u16(2), &to.u16(4), &words].concat()
}

fn pcap_record(to: To, seconds: u32, fraction: u32, data: &[u8], wire_len: u32) -> Vec<u8> {
    let words =
        [seconds, fraction, u32::try_from(data.len()).unwrap(), wire_len].map(|word| to.u32(word));
    [&words.concat()[..], data].concat()
}

/// A pcap file of three packets of 3, 0 and 60 octets, a second apart.
fn small_pcap() -> Vec<u8> {
    let to = To::Little;
    [
        pcap_header(to, MICROS, 65_535, 1),
        pcap_record(to, 1, 1, &[1, 2, 3], 3),
        pcap_record(to, 2, 2, &[], 40),
        pcap_record(to, 3, 3, &[9; 60], 1_514),
    ]
    .concat()
}

fn block(to: To, kind: u32, body: &[u8]) -> Vec<u8> {
    let mut body = body.to_vec();
    body.resize(body.len().next_multiple_of(4), 0);
    let len = to.u32(u32::try_from(body.len()).unwrap() + 12);
    [&to.u32(kind)[..], &len, &body, &len].concat()
}

fn option(to: To, code: u16, value: &[u8]) -> Vec<u8> {
    let mut option =
        [&to.u16(code)[..], &to.u16(u16::try_from(value.len()).unwrap()), value].concat();
    option.resize(option.len().next_multiple_of(4), 0);
    option
}

fn section(to: To) -> Vec<u8> {
    let body = [&to.u32(0x1a2b_3c4d)[..], &to.u16(1), &to.u16(0), &[0xff; 8]].concat();
    block(to, 0x0a0d_0d0a, &body)
}

fn interface(to: To, link_type: u16, snap_len: u32, options: &[u8]) -> Vec<u8> {
    block(to, 1, &[&to.u16(link_type)[..], &[0; 2], &to.u32(snap_len), options].concat())
}

fn enhanced(to: To, interface: u32, ticks: u64, data: &[u8], options: &[u8]) -> Vec<u8> {
    let len = u32::try_from(data.len()).unwrap();
    let words =
        [interface, (ticks >> 32) as u32, u32::try_from(ticks & 0xffff_ffff).unwrap(), len, len]
            .map(|word| to.u32(word));
    let mut body = [&words.concat()[..], data].concat();
    body.resize(body.len().next_multiple_of(4), 0);
    body.extend(options);
    block(to, 6, &body)
}

/// A section with an interface, its statistics, an unknown block and three packets.
fn small_pcapng(to: To) -> Vec<u8> {
    [
        section(to),
        interface(to, 1, 0, &[]),
        enhanced(to, 0, 1_000_001, &[1, 2, 3], &[]),
        block(to, 0x0bad, &[5; 7]),
        enhanced(to, 0, 2_000_002, &[], &option(to, 2, &[0; 4])),
        block(to, 5, &[&to.u32(0)[..], &[0; 8], &option(to, 5, &to.u64(7))].concat()),
        enhanced(to, 0, 3_000_003, &[9; 60], &[]),
    ]
    .concat()
}

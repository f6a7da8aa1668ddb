//! Small captures made by hand, whole, cut anywhere, and dripping.

#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use std::io::{self, Read};

use super::summary::FileSummary;
use super::*;
use crate::error::Error;

/// Three frames of 5, 0 and 9 octets at 1.5 s, 2.5 s and 3.5 s, snapped at 9 of 20 octets.
fn pcap(is_big: bool, is_nanos: bool) -> Vec<u8> {
    let u32s = |words: &[u32]| -> Vec<u8> {
        let octets = |word: &u32| if is_big { word.to_be_bytes() } else { word.to_le_bytes() };
        words.iter().flat_map(octets).collect()
    };
    let u16s = |half: u16| if is_big { half.to_be_bytes() } else { half.to_le_bytes() };
    let magic = if is_nanos { 0xa1b2_3c4d } else { 0xa1b2_c3d4 };
    let half = if is_nanos { 500_000_000 } else { 500_000 };
    let mut file = u32s(&[magic]);
    file.extend([u16s(2), u16s(4)].concat());
    file.extend(u32s(&[0, 0, 65_535, 1]));
    for (second, kept, len) in [(1, 5, 5), (2, 0, 0), (3, 9, 20)] {
        file.extend(u32s(&[second, half, kept, len]));
        file.extend(vec![7; kept as usize]);
    }
    file
}

/// One section with a microsecond interface, an unknown block, and two packets.
fn pcapng() -> Vec<u8> {
    let block = |kind: u32, body: &[u8]| {
        let len = u32::try_from(body.len() + 12).unwrap().to_le_bytes();
        [&kind.to_le_bytes(), &len, body, &len].concat()
    };
    let mut header = 0x1a2b_3c4d_u32.to_le_bytes().to_vec();
    header.extend([1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]);
    let packet = |micros: u32| {
        let words = [0, 0, micros, 4, 60].map(u32::to_le_bytes).concat();
        block(6, &[&words[..], &[1, 2, 3, 4]].concat())
    };
    let interface = block(1, &[1, 0, 0, 0, 0, 0, 1, 0]);
    let unknown = block(0x0bad, &[0; 8]);
    [block(0x0a0d_0d0a, &header), interface, unknown, packet(1_000_000), packet(2_000_000)].concat()
}

fn open(octets: &[u8]) -> Result<Reader, Error> {
    Reader::open("test".to_owned(), io::Cursor::new(octets.to_vec()))
}

fn times(mut reader: Reader) -> (Vec<u64>, FileSummary) {
    let mut times = Vec::new();
    while let Some(frame) = reader.next_frame() {
        times.push(frame.time.0);
    }
    (times, reader.summary())
}

#[test]
fn both_byte_orders_and_resolutions_give_the_same_times() {
    for (is_big, is_nanos) in [(false, false), (true, false), (false, true), (true, true)] {
        let (times, summary) = times(open(&pcap(is_big, is_nanos)).unwrap());
        assert_eq!(times, [1_500_000_000, 2_500_000_000, 3_500_000_000]);
        assert_eq!(summary.tally.packets_snapped, 1);
        assert!(summary.damage.is_empty());
    }
}

#[test]
fn unknown_blocks_are_passed_over() {
    let (times, summary) = times(open(&pcapng()).unwrap());
    assert_eq!(times, [1_000_000_000, 2_000_000_000]);
    assert!(summary.damage.is_empty());
}

/// Whatever precedes the cut is read, and the damage is told unless the cut is between packets.
#[test]
fn every_prefix_keeps_the_whole_packets_before_the_cut() {
    for whole in [pcap(false, false), pcapng()] {
        let all = times(open(&whole).unwrap()).0;
        for len in 0..whole.len() {
            let Ok(reader) = open(&whole[..len]) else { continue };
            let (read, summary) = times(reader);
            assert_eq!(read, all[..read.len()], "cut at {len}");
            let is_short = read.len() < all.len();
            assert!(is_short, "cut at {len}");
            assert!(summary.damage.len() <= 1);
        }
    }
}

/// Gives one octet a call, as a slow pipe may.
struct Dripping(io::Cursor<Vec<u8>>);

impl Read for Dripping {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = buffer.len().min(1);
        self.0.read(&mut buffer[..len])
    }
}

#[test]
fn a_slow_pipe_gives_the_same_frames() {
    for whole in [pcap(true, true), pcapng()] {
        let all = times(open(&whole).unwrap()).0;
        let slow = Dripping(io::Cursor::new(whole));
        assert_eq!(times(Reader::open("pipe".to_owned(), slow).unwrap()).0, all);
    }
}

#[test]
fn a_length_claim_beyond_reason_is_damage_where_it_stands() {
    let mut file = pcap(false, false);
    let second_record = 24 + 16 + 5;
    file[second_record + 8..second_record + 12].copy_from_slice(&u32::MAX.to_le_bytes());
    let (times, summary) = times(open(&file).unwrap());
    assert_eq!(times, [1_500_000_000]);
    let damage = &summary.damage[0];
    assert_eq!((damage.offset, damage.packets_before), (second_record as u64, 1));
}

#[test]
fn what_is_no_capture_is_refused() {
    assert!(matches!(open(b""), Err(Error::Empty { .. })));
    assert!(matches!(open(b"hello, world"), Err(Error::NotACapture { .. })));
    assert!(matches!(open(&[0xfd, b'7', b'z', b'X', b'Z', 0]), Err(Error::OtherFormat { .. })));
}

#[cfg(feature = "gzip")]
#[test]
fn gzip_is_recognised_by_content() {
    use std::io::Write as _;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&pcap(false, false)).unwrap();
    assert_eq!(times(open(&gzip.finish().unwrap()).unwrap()).0.len(), 3);
}

proptest::proptest! {
    #[test]
    fn one_changed_octet_never_panics(at in 0usize..100, value: u8) {
        for mut file in [pcap(false, false), pcapng()] {
            let at = at % file.len();
            file[at] = value;
            if let Ok(reader) = open(&file) {
                times(reader);
            }
        }
    }

    #[test]
    fn arbitrary_octets_never_panic(octets: Vec<u8>) {
        for head in [pcap(false, false)[..24].to_vec(), pcapng()] {
            if let Ok(reader) = open(&[head, octets.clone()].concat()) {
                times(reader);
            }
        }
    }
}

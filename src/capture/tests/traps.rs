//! What is known to be wrong or missing in pcap-parser 0.17, one test each; resolutions and picoseconds are
//! tested in `clock.rs`.

use std::io::{self, Read};

use pcap_parser::traits::PcapReaderIterator as _;
use pcap_parser::{LegacyPcapReader, PcapBlockOwned, PcapError};

use super::*;
use crate::capture::window::RECORD_LEN_MAX;

/// A pipe whose writer gives `step` octets at a time.
struct Drip(io::Cursor<Vec<u8>>, usize);

impl Read for Drip {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let len = buf.len().min(self.1);
        self.0.read(&mut buf[..len])
    }
}

/// Trap: `create_reader` looks at what the first `read` gave and no further.
#[test]
fn a_pipe_that_gives_one_octet_at_a_time_reads_the_same() {
    for file in [small_pcap(), small_pcapng(To::Little), small_pcapng(To::Big)] {
        for step in [1, 10] {
            let dripped = read(Drip(io::Cursor::new(file.clone()), step)).unwrap();
            assert_eq!(dripped.0, read_whole(&file).0);
            assert_eq!(dripped.1.damage, []);
        }
    }
}

/// Trap: `if_tsresol` with its top bit set is refused.
#[test]
fn power_of_two_resolution() {
    let to = To::Little;
    let file = [
        section(to),
        interface(to, 1, 0, &option(to, 9, &[0x80 | 32])),
        enhanced(to, 0, (1_700_000_000 << 32) | 0x4000_0000, &[], &[]),
    ]
    .concat();
    assert_eq!(read_whole(&file).0[0].nanos, 1_700_000_000_250_000_000);
}

/// Trap: `if_tsoffset` is read in little-endian order always.
#[test]
fn time_offset_in_the_sections_byte_order() {
    for to in [To::Little, To::Big] {
        for (offset, expected) in [(1_700_000_000, 1_700_000_002_000_000_000), (-1, 1_000_000_000)]
        {
            let option = option(to, 14, &to.u64(u64::from_ne_bytes(i64::to_ne_bytes(offset))));
            let interface = interface(to, 1, 0, &option);
            let file = [section(to), interface, enhanced(to, 0, 2_000_000, &[], &[])].concat();
            assert_eq!(read_whole(&file).0[0].nanos, expected, "{to:?} {offset}");
        }
    }
}

/// Trap: a record longer than the buffer is an error until the buffer is made larger.
#[test]
fn packets_longer_than_the_first_buffer() {
    let to = To::Big;
    let len = (2 << 20) + 1;
    let record = pcap_record(to, 1, 0, &vec![3; len], 3 << 20);
    let file = [pcap_header(to, MICROS, 4 << 20, 1), record.clone(), record].concat();
    let (frames, _) = read_whole(&file);
    assert_eq!((frames.len(), frames[1].bytes.len()), (2, len));
    let block = enhanced(to, 0, 0, &vec![3; len], &[]);
    let file = [section(to), interface(to, 1, 0, &[]), block].concat();
    assert_eq!(read_whole(&file).0[0].bytes.len(), len);
}

/// Trap: and it is made larger for any claim. Here memory follows what is there, not claims.
#[test]
fn a_huge_claim_is_damage_and_not_memory() {
    for claim in [262_145, 16 << 20, 0x7fff_ffff, u32::MAX] {
        let mut file = small_pcap();
        let record_at = file.len();
        file.extend(pcap_record(To::Little, 4, 4, &[0; 9], 9));
        file[record_at + 8..record_at + 12].copy_from_slice(&claim.to_le_bytes());
        let (frames, summary) = read_octets(&file).unwrap();
        assert_eq!(frames.len(), 3);
        assert_eq!(summary.damage[0].offset, record_at as u64);
        assert_eq!(summary.damage[0].packets_before, 3);
        let text = summary.damage[0].to_string();
        assert!(text.contains("claims"), "{text}");
    }
    let mut window = crate::capture::window::Window::new(Box::new(io::repeat(0).take(1 << 21)));
    assert!(!window.fill(RECORD_LEN_MAX));
    assert!(window.memory() <= 4 << 20, "{} octets held", window.memory());
}

/// Trap: the obsolete packet block is not known.
#[test]
fn obsolete_packet_blocks_are_packets() {
    for to in [To::Little, To::Big] {
        let words = [0, 9_000_000, 5, 50].map(|word| to.u32(word)).concat();
        let body = |drops: u16| {
            [&to.u16(1)[..], &to.u16(drops), &words, &[1, 2, 3, 4, 5, 0, 0, 0]].concat()
        };
        let file = [
            section(to),
            interface(to, 1, 0, &[]),
            interface(to, 113, 0, &[]),
            block(to, 2, &body(4)),
            block(to, 2, &body(u16::MAX)),
        ]
        .concat();
        let (frames, summary) = read_whole(&file);
        let seen = Seen {
            number: 2,
            nanos: 9_000_000_000,
            link_type: LinkType(113),
            bytes: vec![1, 2, 3, 4, 5],
            wire_len: 50,
        };
        assert_eq!(frames[1], seen);
        assert_eq!(summary.tally.capture_drops, Some(4), "65535 stands for unknown");
    }
}

/// Trap: the modified format is known in little-endian order only.
#[test]
fn modified_pcap_in_both_byte_orders() {
    for to in [To::Little, To::Big] {
        let mut file = pcap_header(to, MODIFIED, 1_500, 1);
        for octet in 1..=2 {
            let record = pcap_record(to, 6, 7, &[octet; 11], 11);
            file.extend([&record[..16], &[0xee; 8], &record[16..]].concat());
        }
        let (frames, summary) = read_whole(&file);
        assert_eq!(frames[1].bytes, [2; 11]);
        assert_eq!(frames[1].nanos, 6_000_007_000);
        assert_eq!(summary.format.name(), "pcap-modified");
    }
}

/// Trap: bits that tell of the FCS stay in the link type.
#[test]
fn fcs_bits_are_masked() {
    let to = To::Little;
    let file = [pcap_header(to, MICROS, 0, 0x2400_0001), pcap_record(to, 0, 0, &[0], 1)].concat();
    assert_eq!(read_whole(&file).0[0].link_type, LinkType(1));
}

/// Trap: the data of an enhanced packet block comes with its padding.
#[test]
fn padding_is_not_packet_data() {
    let (frames, _) = read_whole(&small_pcapng(To::Big));
    assert_eq!(frames[0].bytes, [1, 2, 3]);
}

/// Trap: interfaces belong to their section, and who numbers them is the reader.
#[test]
fn interfaces_end_with_their_section() {
    let to = To::Little;
    let file = [small_pcapng(to), section(to), enhanced(to, 0, 0, &[], &[])].concat();
    let (frames, summary) = read_octets(&file).unwrap();
    assert_eq!(frames.len(), 3);
    assert!(summary.damage[0].to_string().contains("interface 0 of 0"));
}

/// Trap: a packet longer than its block is taken for one that has not arrived yet.
#[test]
fn a_packet_longer_than_its_block_is_damage() {
    for claim in [61_u32, 65_536, u32::MAX - 2, u32::MAX] {
        let mut file = small_pcapng(To::Little);
        let block_at = file.len() - (32 + 60);
        file[block_at + 20..block_at + 24].copy_from_slice(&claim.to_le_bytes());
        file.extend(small_pcapng(To::Little));
        let (frames, summary) = read_octets(&file).unwrap();
        assert_eq!(frames.len(), 2);
        assert_eq!(summary.damage[0].offset, block_at as u64);
    }
}

/// Trap: the cause of a failed read is lost.
#[test]
fn a_failed_read_is_told_in_the_systems_words() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk\u{1b} is on fire"))
        }
    }
    let file = small_pcap();
    for len in [file.len(), file.len() - 1] {
        let input = io::Cursor::new(file[..len].to_vec()).chain(Failing);
        let (_, summary) = read(input).unwrap();
        let text = summary.damage[0].to_string();
        assert!(text.contains("reading failed (the disk\\u{1b} is on fire)"), "{text}");
    }
    let error = read(Failing).unwrap_err().to_string();
    assert!(error.contains("on fire"), "{error}");
}

/// Where pcap-parser is right, ours gives the same.
#[test]
fn frames_equal_those_of_the_oracle() {
    let file = small_pcap();
    let mut oracle = LegacyPcapReader::new(1 << 16, io::Cursor::new(file.clone())).unwrap();
    let mut expected = Vec::new();
    loop {
        match oracle.next() {
            Ok((len, block)) => {
                if let PcapBlockOwned::Legacy(record) = block {
                    expected.push((record.ts_sec, record.origlen, record.data.to_vec()));
                }
                oracle.consume(len);
            }
            Err(PcapError::Incomplete(_)) => oracle.refill().unwrap(),
            Err(_) => break,
        }
    }
    let ours = read_whole(&file).0.into_iter();
    let ours: Vec<_> = ours
        .map(|f| (u32::try_from(f.nanos / 1_000_000_000).unwrap(), f.wire_len, f.bytes))
        .collect();
    assert_eq!(ours, expected);
}

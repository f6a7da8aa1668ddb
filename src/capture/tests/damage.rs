//! Damage ends the file, is told, and costs nothing that came before.

use super::*;
use crate::capture::DamageKind;

/// The only damage of `octets`, and how many frames there were.
fn damage(octets: &[u8]) -> (usize, DamageKind) {
    let (frames, summary) = read_octets(octets).unwrap();
    assert_eq!(summary.damage.len(), 1, "{:?}", summary.damage);
    (frames.len(), summary.damage[0].kind.clone())
}

/// A prefix gives a prefix of the frames; whether it was cut is told, but for cuts between records.
fn check_every_prefix(file: &[u8], header_len: usize, records_end: &[usize]) {
    let (all, _) = read_whole(file);
    for len in 0..=file.len() {
        let Ok((frames, summary)) = read_octets(&file[..len]) else {
            assert!(len < header_len, "no report on {len} octets");
            continue;
        };
        assert!(len >= header_len);
        assert_eq!(frames, all[..frames.len()], "first {len} octets");
        let is_between_records = len == header_len || records_end.contains(&len);
        assert_eq!(summary.damage.is_empty(), is_between_records, "first {len} octets");
    }
}

#[test]
fn every_prefix_of_pcap() {
    check_every_prefix(&small_pcap(), 24, &[43, 59, 135]);
}

#[test]
fn every_prefix_of_pcapng() {
    for to in [To::Little, To::Big] {
        let file = [small_pcapng(to), small_pcapng(To::Big)].concat();
        let mut ends = Vec::new();
        let mut end = 0;
        while end < file.len() {
            let is_big = matches!(to, To::Big) || end >= file.len() / 2;
            let len = <[u8; 4]>::try_from(&file[end + 4..end + 8]).unwrap();
            let len = if is_big { u32::from_be_bytes(len) } else { u32::from_le_bytes(len) };
            end += len as usize;
            ends.push(end);
        }
        check_every_prefix(&file, 28, &ends);
    }
}

#[test]
fn a_cut_is_told_with_packet_and_octet() {
    let file = small_pcap();
    let told = |len: usize| {
        let (_, summary) = read_octets(&file[..len]).unwrap();
        summary.damage[0].to_string()
    };
    assert_eq!(
        told(file.len() - 1),
        "test ends inside packet 3 (byte 59): analysed the 2 whole packets before it"
    );
    assert!(told(58).ends_with("packet 2 (byte 43): analysed the whole packet before it"));
    assert!(told(42).ends_with("packet 1 (byte 24): no whole packet is before it"));
}

#[test]
fn joined_files_are_recognised() {
    let file = [small_pcap(), small_pcap()].concat();
    assert_eq!(damage(&file), (3, DamageKind::Joined));
}

/// What a file system leaves of a file when the power fails: its length, and zeros for what was not written.
#[test]
fn zeros_are_no_packets() {
    for len in [16, 17, 4096] {
        let file = [small_pcap(), vec![0; len]].concat();
        assert_eq!(damage(&file), (3, DamageKind::Zeros), "{len} zeros");
    }
    assert_eq!(damage(&[small_pcap(), vec![0; 15]].concat()), (3, DamageKind::Truncated));
}

/// They are legal, so where the first is one the others may be.
#[test]
fn a_file_may_begin_with_empty_records() {
    let file = [pcap_header(To::Little, MICROS, 65_535, 1), vec![0; 160]].concat();
    let (frames, summary) = read_octets(&file).unwrap();
    assert_eq!((frames.len(), summary.damage.len()), (10, 0));
}

#[test]
fn block_lengths_that_cannot_be() {
    let file = small_pcapng(To::Little);
    let block_at = file.len() - (32 + 60);
    for claimed in [0, 8, 11, 13, 94, (16 << 20) + 4, u32::MAX] {
        let mut file = file.clone();
        file[block_at + 4..block_at + 8].copy_from_slice(&claimed.to_le_bytes());
        assert_eq!(damage(&file), (2, DamageKind::BlockLength { claimed }));
    }
}

#[test]
fn the_two_lengths_of_a_block_must_agree() {
    let mut file = small_pcapng(To::Little);
    let last = file.len() - 4;
    file[last] += 4;
    let kind = DamageKind::BlockLengthsDiffer { leading: 92, trailing: 96 };
    assert_eq!(damage(&file), (2, kind));
}

#[test]
fn blocks_too_short_for_their_kind() {
    let to = To::Big;
    for (kind, len) in [(1, 4), (2, 16), (3, 0), (5, 8), (6, 16), (0x0a0d_0d0a, 12)] {
        let mut body = to.u32(0x1a2b_3c4d).to_vec();
        body.resize(len, 0);
        let file = [small_pcapng(to), block(to, kind, &body)].concat();
        let expected = if len == 0 || kind != 0x0a0d_0d0a || len >= 4 {
            DamageKind::BlockTooShort
        } else {
            DamageKind::ByteOrder
        };
        assert_eq!(damage(&file), (3, expected), "block type {kind}");
    }
}

#[test]
fn a_packet_needs_its_interface() {
    let to = To::Little;
    let simple = block(to, 3, &to.u32(0));
    for packet in [simple, enhanced(to, 0, 0, &[], &[])] {
        let (count, kind) = damage(&[section(to), packet].concat());
        assert_eq!((count, kind), (0, DamageKind::UnknownInterface { interface: 0, known: 0 }));
    }
}

#[test]
fn a_later_section_of_unknown_version_or_order_ends_reading() {
    let to = To::Little;
    let mut version = section(to);
    version[12] = 9;
    let kind = DamageKind::SectionVersion { major: 9, minor: 0 };
    assert_eq!(damage(&[small_pcapng(to), version].concat()), (3, kind));
    let mut order = section(to);
    order[8] = 0;
    assert_eq!(damage(&[small_pcapng(to), order].concat()), (3, DamageKind::ByteOrder));
}

#[test]
fn bad_options_are_told_and_lose_no_packet() {
    let to = To::Big;
    let file = [
        section(to),
        interface(to, 1, 0, &[0, 9, 0xff, 0xff]),
        enhanced(to, 0, 1, &[1], &[0, 4, 0, 40]),
        enhanced(to, 0, 2, &[2], &[]),
    ]
    .concat();
    assert_eq!(damage(&file), (2, DamageKind::BadOptions));
}

#[test]
fn headers_that_leave_no_report() {
    let message = |octets: &[u8]| read_octets(octets).unwrap_err().to_string();
    assert!(message(b"").contains("test is empty"));
    assert!(message(b"hello, world").contains("first bytes 68 65 6c 6c; expected pcap"));
    assert!(message(b"h").contains("first bytes 68;"));
    assert!(message(&small_pcap()[..20]).contains("inside its pcap file header, after 20 bytes"));
    assert!(message(&section(To::Big)[..20]).contains("inside its pcapng file header"));
    let mut old = small_pcap();
    old[4] = 1;
    assert!(message(&old).contains("version 1.4"));
    let mut order = section(To::Big);
    order[8] = 0;
    assert!(message(&order).contains("no valid byte order mark"));
    assert!(message(b"snoop\0\0\0\0\0\0\x02").contains("editcap -F pcap test -"));
}

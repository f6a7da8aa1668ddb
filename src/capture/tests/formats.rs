//! Every form of pcap and pcapng that is legal.

use super::*;
use crate::units::Duration;

#[test]
fn pcap_in_every_byte_order_and_precision() {
    for to in [To::Little, To::Big] {
        for (magic, nanos, name) in [(MICROS, 5_000, "pcap"), (NANOS, 5, "pcap-ns")] {
            let record = pcap_record(to, 1_700_000_000, 5, &[7; 20], 99);
            let file = [pcap_header(to, magic, 96, 113), record].concat();
            let (frames, summary) = read_whole(&file);
            let seen = Seen {
                number: 1,
                nanos: 1_700_000_000_000_000_000 + nanos,
                link_type: LinkType(113),
                bytes: vec![7; 20],
                wire_len: 99,
            };
            assert_eq!(frames, [seen], "{to:?} {name}");
            assert_eq!(summary.format.name(), name);
            assert_eq!(summary.tally.snap_len, Some(96));
        }
    }
}

#[test]
fn both_formats_give_the_same_frames() {
    let (frames, pcap) = read_whole(&small_pcap());
    for to in [To::Little, To::Big] {
        let (frames_ng, pcapng) = read_whole(&small_pcapng(to));
        let times = |frames: &[Seen]| frames.iter().map(|f| f.nanos).collect::<Vec<_>>();
        let data = |frames: &[Seen]| frames.iter().map(|f| f.bytes.clone()).collect::<Vec<_>>();
        assert_eq!(times(&frames_ng), times(&frames));
        assert_eq!(data(&frames_ng), data(&frames));
        assert_eq!(pcapng.tally.capture_drops, Some(7), "{to:?}");
        assert_eq!(pcapng.tally.first_time, pcap.tally.first_time);
        assert_eq!(pcapng.tally.last_time, pcap.tally.last_time);
    }
    assert_eq!(pcap.tally.packets, 3);
    assert_eq!(pcap.tally.packets_snapped, 2);
    assert_eq!(pcap.tally.link_types, [LinkType(1)]);
    assert_eq!(pcap.tally.capture_drops, None);
}

#[test]
fn each_section_has_its_byte_order_and_interfaces() {
    let file = [
        small_pcapng(To::Little),
        section(To::Big),
        interface(To::Big, 276, 96, &[]),
        interface(To::Big, 101, 128, &option(To::Big, 9, &[9])),
        enhanced(To::Big, 1, 5_000_000_001, &[0x45; 20], &[]),
        enhanced(To::Big, 0, 6_000_000, &[1; 20], &[]),
    ]
    .concat();
    let (frames, summary) = read_whole(&file);
    assert_eq!(frames[3].link_type, LinkType(101));
    assert_eq!(frames[3].nanos, 5_000_000_001);
    assert_eq!(frames[4].nanos, 6_000_000_000);
    assert_eq!(summary.tally.link_types, [1, 101, 276].map(LinkType));
    assert_eq!(summary.tally.snap_len, Some(128));
    // The first section's drops outlive it.
    assert_eq!(summary.tally.capture_drops, Some(7));
}

#[test]
fn simple_packets_carry_the_time_before_and_the_interfaces_snap_length() {
    let to = To::Big;
    let simple = |len: u32, data: &[u8]| block(to, 3, &[&to.u32(len)[..], data].concat());
    let file = [
        section(to),
        interface(to, 1, 6, &[]),
        simple(4, &[1; 4]),
        enhanced(to, 0, 8_000_000, &[0; 4], &[]),
        simple(1_500, &[2; 6]),
    ]
    .concat();
    let (frames, summary) = read_whole(&file);
    assert_eq!((frames[0].nanos, frames[0].bytes.len()), (0, 4));
    assert_eq!((frames[2].nanos, frames[2].bytes.len()), (8_000_000_000, 6));
    assert_eq!(frames[2].wire_len, 1_500);
    assert_eq!(summary.tally.packets_untimed, 2);
    assert_eq!(summary.tally.packets_snapped, 1);
}

#[test]
fn statistics_of_one_interface_replace_each_other_and_those_of_two_add_up() {
    let to = To::Little;
    let statistics = |interface: u32, options: &[u8]| {
        block(to, 5, &[&to.u32(interface)[..], &[0; 8], options].concat())
    };
    let file = [
        section(to),
        interface(to, 1, 0, &[]),
        interface(to, 1, 0, &[]),
        statistics(0, &option(to, 5, &to.u64(10))),
        statistics(0, &[option(to, 5, &to.u64(20)), option(to, 7, &to.u64(3))].concat()),
        statistics(1, &option(to, 7, &to.u64(100))),
        statistics(9, &option(to, 7, &to.u64(5_000))),
        statistics(1, &[]),
    ]
    .concat();
    assert_eq!(read_whole(&file).1.tally.capture_drops, Some(123));
}

#[test]
fn a_wire_length_below_what_was_captured_is_not_believed() {
    let to = To::Little;
    let file = [pcap_header(to, MICROS, 0, 1), pcap_record(to, 0, 0, &[1; 30], 0)].concat();
    let (frames, summary) = read_whole(&file);
    assert_eq!(frames[0].wire_len, 30);
    assert_eq!(summary.tally.packets_snapped, 0);
    assert_eq!(summary.tally.snap_len, None);
}

#[test]
fn packets_beyond_the_snap_length_are_read() {
    let to = To::Big;
    let record = pcap_record(to, 0, 0, &vec![1; 100_000], 100_000);
    let (frames, _) = read_whole(&[pcap_header(to, MICROS, 96, 1), record].concat());
    assert_eq!(frames[0].bytes.len(), 100_000);
}

#[test]
fn a_fraction_above_one_second_is_counted() {
    let to = To::Little;
    let record = pcap_record(to, 1, 1_999_999, &[], 0);
    let (frames, summary) = read_whole(&[pcap_header(to, MICROS, 0, 1), record].concat());
    assert_eq!(frames[0].nanos, 2_999_999_000);
    assert_eq!(summary.tally.times_irregular, 1);
}

/// Each against the one before it, not against the latest: the clock was set once.
#[test]
fn times_that_run_backwards_are_counted() {
    let to = To::Little;
    let records = [5, 7, 4, 5, 5, 6].map(|seconds| pcap_record(to, seconds, 0, &[], 0)).concat();
    let (_, summary) = read_whole(&[pcap_header(to, MICROS, 0, 1), records].concat());
    assert_eq!(summary.tally.times_backwards, 1);
    assert_eq!(summary.tally.backwards_max, Duration::from_secs(3));
    assert_eq!(summary.tally.times_irregular, 0);
}

#[test]
fn a_header_alone_is_a_whole_capture_without_packets() {
    let (frames, summary) = read_whole(&small_pcap()[..24]);
    assert_eq!(frames, []);
    assert_eq!(summary.tally.link_types, []);
    assert_eq!(read_whole(&section(To::Big)).0, []);
}

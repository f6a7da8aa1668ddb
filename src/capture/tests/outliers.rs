//! Times that those of the packets around them contradict.

use std::fs;

use super::*;
use crate::capture::outlier::{Outlier, Outliers};
use crate::capture::{Capture, Summary};
use crate::units::Timestamp;

/// Seconds and microseconds.
type Time = (u32, u32);

const GOOD: [Time; 6] = [(50, 900), (50, 901), (51, 2), (51, 400_000), (51, 400_001), (52, 7)];

fn pcap(to: To, times: &[Time]) -> Vec<u8> {
    let record = |(seconds, micros): &Time| pcap_record(to, *seconds, *micros, &[1; 9], 9);
    std::iter::once(pcap_header(to, MICROS, 65_535, 1))
        .chain(times.iter().map(record))
        .flatten()
        .collect()
}

fn nanos((seconds, micros): Time) -> u64 {
    (u64::from(seconds) * 1_000_000 + u64::from(micros)) * 1000
}

/// The times given, and what was found out on the way.
fn given(file: &[u8]) -> (Vec<u64>, FileSummary) {
    let (frames, summary) = read_whole(file);
    (frames.iter().map(|frame| frame.nanos).collect(), summary)
}

/// With packets of `GOOD` damaged, in either byte order.
fn damaged(changes: &[(usize, Time)]) -> (Vec<u64>, Outliers) {
    let mut times = GOOD;
    for (nth, time) in changes {
        times[*nth] = *time;
    }
    let [(given, summary), other] = [To::Little, To::Big].map(|to| given(&pcap(to, &times)));
    assert_eq!(given, other.0);
    assert_eq!(summary.tally.packets, 6);
    assert_eq!(summary.tally.times_backwards, 0);
    assert_eq!(summary.tally.times_irregular, 0);
    (given, summary.outliers)
}

fn good() -> Vec<u64> {
    GOOD.map(nanos).to_vec()
}

#[test]
fn a_time_is_mended_whichever_octet_was_hit() {
    for (nth, (seconds, micros)) in GOOD.into_iter().enumerate().skip(1).take(4) {
        for bit in 1..32 {
            let said = (seconds ^ (1 << bit), micros);
            let (given, outliers) = damaged(&[(nth, said)]);
            assert_eq!(given, good(), "packet {nth}, bit {bit} of the seconds");
            let (packet, said) = (nth as u64 + 1, Timestamp(nanos(said)));
            let first = Some(Outlier { packet, said, taken: Timestamp(good()[nth]) });
            assert_eq!(outliers, Outliers { count: 1, first });
        }
    }
}

#[test]
fn where_nothing_of_it_is_right_it_is_in_the_middle() {
    for said in [(u32::MAX, u32::MAX), (0, 0), (51, 1 << 31)] {
        let (given, outliers) = damaged(&[(2, said)]);
        let middle = u64::midpoint(good()[1], good()[3]);
        assert_eq!((given[2], outliers.count), (middle, 1), "{said:?}");
    }
}

#[test]
fn two_in_a_row_are_mended() {
    for [one, other] in [[(u32::MAX, 2); 2], [(0, 2), (u32::MAX, 3)], [(1 << 20, 2), (1 << 16, 9)]]
    {
        let (given, outliers) = damaged(&[(2, one), (3, other)]);
        assert!(given.is_sorted() && given[5] == good()[5]);
        assert_eq!(outliers.count, 2);
    }
}

#[test]
fn the_first_takes_the_time_of_the_second() {
    for (said, taken) in [((4050, 900), 0), (((1 << 30) + 50, 900), 0), ((u32::MAX, u32::MAX), 1)] {
        let (given, outliers) = damaged(&[(0, said)]);
        assert_eq!((given[0], outliers.count), (good()[taken], 1), "{said:?}");
    }
    // Decades before the others, as zeros are.
    let late = GOOD.map(|(seconds, micros)| (seconds + (1 << 30), micros));
    let mut times = late;
    times[0].0 = 50;
    assert_eq!(given(&pcap(To::Little, &times)).0, late.map(nanos));
}

#[test]
fn the_last_takes_the_time_of_the_one_before() {
    for said in [(0, 0), (u32::MAX, 7), (52, u32::MAX)] {
        let (given, outliers) = damaged(&[(5, said)]);
        assert_eq!((given[5], outliers.count), (good()[4], 1), "{said:?}");
    }
}

/// Nothing says that these times are wrong.
#[test]
fn pauses_and_clocks_that_were_set_are_believed() {
    let untouched = |times: &[Time]| {
        let (given, summary) = given(&pcap(To::Little, times));
        assert_eq!(given, times.iter().copied().map(nanos).collect::<Vec<_>>());
        assert_eq!(summary.outliers, Outliers::default());
    };
    // If it went back between the first two packets, or the last two, nobody can tell.
    let set = [-9_000, -3600, -2].into_iter().flat_map(|by| [2, 3, 4].map(|at| (at, by)));
    let put = [1, 3600, 9_000].into_iter().flat_map(|by| [1, 2, 3, 4, 5].map(|at| (at, by)));
    for (at, by) in set.chain(put) {
        let mut times = GOOD.map(|(seconds, micros)| (seconds + 9_000, micros));
        for (seconds, _) in &mut times[at..] {
            *seconds = seconds.saturating_add_signed(by);
        }
        untouched(&times);
    }
    untouched(&[(50, 0), (50, 1)]);
    untouched(&[(50, 0), (4_000, 1)]);
    untouched(&[(50, 0)]);
}

/// Each of whose time the higher half is damaged.
#[test]
fn pcapng_too() {
    let start = 1_700_000_000_000_000;
    let packet = |of: u32, ticks: u64| enhanced(To::Little, of, ticks, &[7; 50], &[]);
    for interfaces in 1..=2 {
        let mut file = section(To::Little);
        for _ in 0..interfaces {
            file.extend(interface(To::Little, 1, 0, &[]));
        }
        let mut expected = Vec::new();
        for nth in 0..40_u32 {
            let ticks = start + u64::from(nth) * 1000;
            let is_damaged = nth % 8 == 3;
            let damaged = if nth == 11 { 1_u64 << 63 } else { 1 << (32 + nth / 2) };
            file.extend(packet(nth % interfaces, ticks ^ (damaged * u64::from(is_damaged))));
            expected.push(ticks * 1000);
        }
        let (given, summary) = given(&file);
        assert_eq!(given, expected, "{interfaces} interfaces");
        assert_eq!(summary.outliers.count, 5);
        assert_eq!(summary.outliers.first.map(|first| first.packet), Some(4));
    }
}

/// What stands behind it may be in the next block that is read, or behind a packet of that size.
#[test]
fn the_packets_around_it_may_be_far_apart_in_the_file() {
    let to = To::Little;
    for len in [40_000, 65_536, 65_537, 200_000] {
        let mut file = pcap_header(to, MICROS, 262_144, 1);
        for nth in 0..9_u8 {
            let seconds = if nth == 4 { 7 } else { 1_000 + u32::from(nth) };
            let data = vec![nth; len + usize::from(nth)];
            file.extend(pcap_record(to, seconds, u32::from(nth), &data, 1));
        }
        let (frames, summary) = read_whole(&file);
        assert_eq!(summary.outliers.count, 1);
        for (frame, nth) in frames.iter().zip(0..9_u8) {
            assert_eq!(
                frame.nanos,
                nanos((1_000 + u32::from(nth - u8::from(nth == 4)), u32::from(nth)))
            );
            assert_eq!(frame.bytes, vec![nth; len + usize::from(nth)]);
        }
    }
}

/// A file whose first time is damaged comes in its place all the same.
#[test]
fn files_come_in_the_order_of_what_is_believed() {
    let directory = tempfile::tempdir().unwrap();
    let mut later = GOOD.map(|(seconds, micros)| (seconds + 100, micros));
    let mut first = GOOD;
    first[3].0 = u32::MAX;
    later[0].0 = 1 << 31;
    let files = [("a", later), ("b", first)];
    let paths = files.map(|(name, times)| {
        let path = directory.path().join(name);
        fs::write(&path, pcap(To::Little, &times)).unwrap();
        path
    });
    let mut capture = Capture::open(&paths).unwrap();
    let mut times = Vec::new();
    while let Some(frame) = capture.next_frame() {
        times.push(frame.time.0);
    }
    assert!(times.is_sorted() && times.len() == 12);
    let Summary { files, .. } = capture.summary();
    assert!(files.iter().all(|file| file.outliers.count == 1));
}

//! Packets of several interfaces in one file.

use std::fs;

use proptest::prelude::*;

use super::*;
use crate::capture::Capture;
use crate::capture::summary::Tally;
use crate::units::Duration;

/// A packet: its interface and its time in milliseconds.
type Packet = (u32, u64);

/// A section of so many interfaces.
fn section_of(interfaces: usize, packets: &[Packet]) -> Vec<u8> {
    let to = To::Little;
    let interfaces = (0..interfaces).map(|_| interface(to, 1, 0, &[]));
    let packets =
        packets.iter().map(|(of, ms)| enhanced(to, *of, ms * 1000, &ms.to_le_bytes(), &[]));
    std::iter::once(section(to)).chain(interfaces).chain(packets).flatten().collect()
}

/// Numbers and milliseconds; each packet holds its own time.
fn given(frames: &[Seen]) -> Vec<(u64, u64)> {
    let given = |frame: &Seen| {
        let ms = frame.nanos / 1_000_000;
        assert_eq!(frame.bytes, ms.to_le_bytes());
        (frame.number, ms)
    };
    frames.iter().map(given).collect()
}

#[test]
fn the_earliest_comes_first_under_its_number_in_the_file() {
    let packets = [(0, 10), (0, 12), (0, 14), (1, 9), (1, 11), (0, 16), (1, 13), (1, 17)];
    let (frames, summary) = read_whole(&section_of(2, &packets));
    let expected = [(4, 9), (1, 10), (5, 11), (2, 12), (7, 13), (3, 14), (6, 16), (8, 17)];
    assert_eq!(given(&frames), expected);
    assert_eq!((summary.tally.packets, summary.tally.times_backwards), (8, 0));
}

/// A third interface that nothing passes, and one that is told of late.
#[test]
fn an_interface_that_is_silent_keeps_none_back() {
    let packets = [(0, 10), (1, 9), (0, 12), (1, 11)];
    let expected = [(2, 9), (1, 10), (4, 11), (3, 12)];
    assert_eq!(given(&read_whole(&section_of(3, &packets)).0), expected);
    let late = [
        section_of(1, &[(0, 1), (0, 2)]),
        interface(To::Little, 1, 0, &[]),
        enhanced(To::Little, 0, 9_000, &9_u64.to_le_bytes(), &[]),
        enhanced(To::Little, 1, 8_000, &8_u64.to_le_bytes(), &[]),
    ];
    let (frames, _) = read_whole(&late.concat());
    assert_eq!(given(&frames), [(1, 1), (2, 2), (4, 8), (3, 9)]);
}

/// As long as the room does, and much longer: one interface is late by as much as fits.
#[test]
fn no_more_is_held_than_is_needed() {
    let late = |ms: u64| [(0, ms + 50), (1, ms)];
    let packets: Vec<Packet> = (0..5_000).flat_map(late).collect();
    for interfaces in [2, 3] {
        let (frames, summary) = read_whole(&section_of(interfaces, &packets));
        assert!(given(&frames).is_sorted_by_key(|(_, ms)| *ms));
        assert_eq!((summary.tally.packets, summary.tally.times_backwards), (10_000, 0));
    }
}

/// `mergecap -a`: more than there is room for comes as it stands, and is told; the next section is another.
#[test]
fn beyond_the_room_packets_come_as_they_stand() {
    let once = (0..2_000).map(|ms| (0, 10 + ms));
    let packets: Vec<Packet> = once.clone().chain(once.map(|(_, ms)| (1, ms))).collect();
    let next = section_of(2, &[(0, 50), (1, 49)]);
    let (frames, summary) = read_whole(&[section_of(2, &packets), next].concat());
    let mut expected: Vec<_> = (1..).zip(packets.iter().map(|(_, ms)| *ms)).collect();
    expected.extend([(4_002, 49), (4_001, 50)]);
    assert_eq!(given(&frames), expected);
    let Tally { times_backwards, backwards_max, .. } = summary.tally;
    assert_eq!((times_backwards, backwards_max), (2, Duration::from_millis(1_999)));
}

/// Both were before it was set, and both are after.
#[test]
fn a_clock_that_is_set_back_is_followed() {
    let packets =
        [(0, 5_000), (1, 4_999), (0, 5_002), (1, 5_001), (0, 10), (1, 9), (0, 12), (1, 11)];
    let (frames, summary) = read_whole(&section_of(2, &packets));
    let times: Vec<_> = given(&frames).into_iter().map(|(_, ms)| ms).collect();
    assert_eq!(times[..4], [4_999, 5_000, 5_001, 5_002]);
    assert_eq!(summary.tally.packets, 8);
    assert!(summary.tally.times_backwards > 0);
}

#[test]
fn sections_follow_one_another() {
    let first = section_of(2, &[(0, 110), (0, 112), (1, 109)]);
    let second = section_of(1, &[(0, 20), (0, 22)]);
    let third = section_of(2, &[(1, 7), (0, 6)]);
    let (frames, _) = read_whole(&[first, second, third].concat());
    let expected = [(3, 109), (1, 110), (2, 112), (4, 20), (5, 22), (7, 6), (6, 7)];
    assert_eq!(given(&frames), expected);
}

/// Packets without a time follow the one before them of the same interface.
#[test]
fn packets_without_a_time_stay_behind_the_one_before() {
    let simple = block(To::Little, 3, &[&To::Little.u32(4)[..], &[7; 4]].concat());
    let file = [
        section_of(2, &[(0, 10)]),
        simple,
        enhanced(To::Little, 1, 9_000, &[], &[]),
        enhanced(To::Little, 0, 11_000, &[], &[]),
    ];
    let (frames, summary) = read_whole(&file.concat());
    let times: Vec<_> = frames.iter().map(|seen| (seen.number, seen.nanos / 1_000_000)).collect();
    assert_eq!(times, [(3, 9), (1, 10), (2, 10), (4, 11)]);
    assert_eq!(summary.tally.packets_untimed, 1);
}

/// What was read before comes all of it, and is counted where the damage is told.
#[test]
fn damage_loses_nothing_that_was_read() {
    let packets = [(0, 10), (0, 12), (1, 9), (0, 14), (1, 11)];
    let file = section_of(2, &packets);
    let (all, _) = read_whole(&file);
    for len in 28..file.len() {
        let (frames, summary) = read_octets(&file[..len]).unwrap();
        let whole = frames.len();
        let mut expected = all.clone();
        expected.retain(|seen| seen.number <= whole as u64);
        assert_eq!(frames, expected, "first {len} octets");
        for damage in summary.damage {
            assert_eq!(damage.packets_before, whole as u64, "first {len} octets");
        }
    }
}

#[test]
fn what_waits_when_reading_is_stopped_is_given() {
    let file = section_of(3, &[(0, 10), (1, 9), (0, 12), (1, 11)]);
    let mut capture = Capture::of_stream("test", io::Cursor::new(file)).unwrap();
    assert_eq!(capture.next_frame().unwrap().number.shown(), 2);
    let mut numbers = Vec::new();
    while let Some(frame) = capture.next_waiting() {
        numbers.push(frame.number.shown());
    }
    assert_eq!(numbers, [1, 4, 3]);
    assert_eq!(capture.summary().tally().packets, 4);
    assert!(capture.next_frame().is_none());
}

/// A file of two interfaces beside one that overlaps it.
#[test]
fn files_that_overlap_are_read_by_time_too() {
    let directory = tempfile::tempdir().unwrap();
    let files =
        [section_of(2, &[(0, 10), (0, 14), (1, 9), (1, 13)]), section_of(1, &[(0, 11), (0, 12)])];
    let paths = [0, 1].map(|nth| directory.path().join(nth.to_string()));
    for (path, file) in paths.iter().zip(files) {
        fs::write(path, file).unwrap();
    }
    let mut capture = Capture::open(&paths).unwrap();
    let mut times = Vec::new();
    let mut ordinals = Vec::new();
    while let Some(frame) = capture.next_frame() {
        times.push(frame.time.0 / 1_000_000);
        ordinals.push(frame.number.ordinal());
    }
    assert_eq!(times, [9, 10, 11, 12, 13, 14]);
    assert_eq!(ordinals, [1, 2, 3, 4, 5, 6]);
}

proptest! {
    /// Each interface in its order, and what fits into the room in the order of time.
    #[test]
    fn all_come_and_by_time(lanes in proptest::collection::vec((0..4_u32, 0..40_u64), 0..300)) {
        let mut clocks = [0; 4];
        let packets: Vec<Packet> = lanes
            .iter()
            .map(|(of, passed)| {
                clocks[*of as usize] += passed;
                (*of, clocks[*of as usize])
            })
            .collect();
        let (frames, summary) = read_whole(&section_of(4, &packets));
        let mut expected: Vec<_> = (1..).zip(packets.iter().map(|(_, ms)| *ms)).collect();
        expected.sort_by_key(|(number, ms)| (*ms, *number));
        prop_assert_eq!(given(&frames), expected);
        prop_assert_eq!(summary.tally.times_backwards, 0);
    }
}

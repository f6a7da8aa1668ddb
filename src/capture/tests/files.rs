//! Several files as one capture.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::capture::Capture;
use crate::units::Duration;

/// A capture with one packet a second from `first`, each holding its own time.
fn rotated(first: u32, count: u32) -> Vec<u8> {
    at_seconds(first..first + count)
}

fn at_seconds(seconds: impl IntoIterator<Item = u32>) -> Vec<u8> {
    let to = To::Little;
    let records = seconds.into_iter().map(|s| pcap_record(to, s, 0, &s.to_le_bytes(), 4));
    std::iter::once(pcap_header(to, MICROS, 0, 1)).chain(records).flatten().collect()
}

fn write(directory: &Path, name: &str, octets: &[u8]) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, octets).unwrap();
    path
}

/// Frame numbers and seconds.
fn drain(capture: &mut Capture) -> Vec<(u64, u64)> {
    let mut frames = Vec::new();
    while let Some(frame) = capture.next_frame() {
        frames.push((frame.number.shown(), frame.time.0 / 1_000_000_000));
    }
    frames
}

#[test]
fn a_rotation_is_read_in_time_order_and_numbered_through() {
    let directory = tempfile::tempdir().unwrap();
    // tcpdump -C names the third file so that a shell lists it before the second.
    let paths = [
        write(directory.path(), "trace.pcap", &rotated(10, 3)),
        write(directory.path(), "trace.pcap10", &rotated(16, 2)),
        write(directory.path(), "trace.pcap2", &rotated(13, 3)),
    ];
    let mut capture = Capture::open(&paths).unwrap();
    let expected: Vec<_> = (1..=8).map(|number| (number, number + 9)).collect();
    assert_eq!(drain(&mut capture), expected);
    let summary = capture.summary();
    let names: Vec<_> = summary.files.iter().map(|f| f.name.rsplit('/').next().unwrap()).collect();
    assert_eq!(names, ["trace.pcap", "trace.pcap2", "trace.pcap10"]);
    assert_eq!(summary.tally().packets, 8);
    assert_eq!(summary.tally().link_types, [LinkType(1)]);
    assert!(!summary.is_damaged());
    // The same through their directory.
    let mut capture = Capture::open(&[directory.path().to_owned()]).unwrap();
    assert_eq!(drain(&mut capture), expected);
}

/// A tap's two interfaces, and a file that begins where the first of them ends.
#[test]
fn files_that_overlap_are_read_by_time() {
    let directory = tempfile::tempdir().unwrap();
    let up = write(directory.path(), "up.pcap", &at_seconds([10, 13, 14, 17]));
    let down = write(directory.path(), "down.pcap", &at_seconds([11, 12, 15, 16, 19]));
    let later = write(directory.path(), "up2.pcap", &at_seconds([18, 20]));
    let mut capture = Capture::open(&[later, down, up]).unwrap();
    let expected: Vec<_> = (1..=11).map(|number| (number, number + 9)).collect();
    assert_eq!(drain(&mut capture), expected);
    assert!(capture.next_frame().is_none());
    let summary = capture.summary();
    let names: Vec<_> = summary.files.iter().map(|f| f.name.rsplit('/').next().unwrap()).collect();
    assert_eq!(names, ["up.pcap", "down.pcap", "up2.pcap"]);
    assert_eq!((summary.tally().packets, summary.tally().times_backwards), (11, 0));
}

/// What was read ahead in a file whose turn has not come again counts as not read.
#[test]
fn frames_are_counted_when_they_are_given() {
    let directory = tempfile::tempdir().unwrap();
    let paths = [
        write(directory.path(), "a.pcap", &at_seconds([10, 13])),
        write(directory.path(), "b.pcap", &at_seconds([11, 12, 14])),
    ];
    let mut capture = Capture::open(&paths).unwrap();
    for given in 1..=5 {
        assert_eq!(capture.next_frame().unwrap().number.shown(), given);
        assert_eq!(capture.summary().tally().packets, given);
    }
}

/// The file beyond the bound comes when another has ended, and is late.
#[test]
fn more_files_at_a_time_than_are_held_open_run_backwards() {
    let directory = tempfile::tempdir().unwrap();
    let paths: Vec<_> = (0..17)
        .map(|n| write(directory.path(), &n.to_string(), &at_seconds([10 + n, 100 + n])))
        .collect();
    let read = |paths: &[PathBuf]| {
        let mut capture = Capture::open(paths).unwrap();
        let seconds: Vec<_> = drain(&mut capture).into_iter().map(|(_, second)| second).collect();
        (seconds, capture.summary().tally())
    };
    let (seconds, tally) = read(&paths[..16]);
    assert!(seconds.is_sorted());
    assert_eq!(tally.times_backwards, 0);
    let (seconds, tally) = read(&paths);
    assert_eq!(seconds[16..19], [100, 26, 101]);
    assert_eq!((tally.times_backwards, tally.backwards_max), (1, Duration::from_secs(74)));
}

#[test]
fn damage_in_one_file_does_not_keep_the_next_from_being_read() {
    let directory = tempfile::tempdir().unwrap();
    let cut = rotated(10, 3);
    let paths = [
        write(directory.path(), "b.pcap", &rotated(20, 2)),
        write(directory.path(), "a.pcap", &cut[..cut.len() - 1]),
    ];
    let mut capture = Capture::open(&paths).unwrap();
    assert_eq!(drain(&mut capture), [(1, 10), (2, 11), (3, 20), (4, 21)]);
    let summary = capture.summary();
    assert!(summary.is_damaged());
    assert_eq!(summary.files[0].damage[0].packets_before, 2);
    assert_eq!(summary.files[1].damage, []);
}

#[test]
fn what_else_is_in_a_directory_is_noted() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "README", b"no capture");
    write(directory.path(), "empty.pcap", b"");
    write(directory.path(), "a.pcap", &rotated(1, 1));
    fs::create_dir(directory.path().join("sub.pcap")).unwrap();
    let mut capture = Capture::open(&[directory.path().to_owned()]).unwrap();
    assert_eq!(drain(&mut capture), [(1, 1)]);
    let summary = capture.summary();
    assert_eq!(summary.passed_over_count, 2);
    assert!(summary.passed_over[0].contains("README is not a packet capture"));
    assert!(!summary.is_damaged());
}

/// Twice by its name, by a hard link, by a symbolic link and in its directory: its packets were sent once.
#[cfg(unix)]
#[test]
fn a_file_that_comes_again_is_read_once() {
    let directory = tempfile::tempdir().unwrap();
    let [first, linked, latest] =
        ["a.pcap", "b.pcap", "latest.pcap"].map(|name| directory.path().join(name));
    fs::write(&first, rotated(10, 3)).unwrap();
    fs::hard_link(&first, &linked).unwrap();
    std::os::unix::fs::symlink(&first, &latest).unwrap();
    let told = |paths: &[PathBuf]| {
        let mut capture = Capture::open(paths).unwrap();
        assert_eq!(drain(&mut capture), [(1, 10), (2, 11), (3, 12)]);
        assert!(!capture.summary().is_damaged());
        capture.summary().passed_over.join("; ")
    };
    assert_eq!(told(std::slice::from_ref(&first)), "");
    assert!(
        told(&[first.clone(), first.clone()]).ends_with("a.pcap was named twice, and is read once")
    );
    for link in [&linked, &latest] {
        let both = told(&[first.clone(), link.clone()]);
        let name = link.display().to_string();
        assert!(both.starts_with(&format!("{name} is the same file as ")), "{both}");
    }
    let whole = directory.path().to_owned();
    assert_eq!(told(std::slice::from_ref(&whole)).matches("the same file as").count(), 2);
    assert_eq!(told(&[first, whole]).matches("read once").count(), 3);
}

/// The newest file of a rotation, before its first packets are written.
#[test]
fn an_empty_file_among_others_is_noted() {
    let directory = tempfile::tempdir().unwrap();
    let good = write(directory.path(), "a.pcap", &rotated(1, 1));
    let empty = write(directory.path(), "b.pcap", b"");
    let mut capture = Capture::open(&[empty.clone(), good]).unwrap();
    assert_eq!(drain(&mut capture), [(1, 1)]);
    let summary = capture.summary();
    assert!(summary.passed_over[0].contains("b.pcap is empty (0 bytes)"));
    assert!(!summary.is_damaged());
    let none = Capture::open(&[empty.clone(), directory.path().join("b.pcap"), empty]);
    assert!(matches!(none, Err(Error::Empty { .. })));
}

#[test]
fn what_is_named_must_be_a_capture() {
    let directory = tempfile::tempdir().unwrap();
    let good = write(directory.path(), "a.pcap", &rotated(1, 1));
    let bad = write(directory.path(), "notes.txt", b"hello");
    let message = |paths: &[PathBuf]| Capture::open(paths).err().expect("an error").to_string();
    assert!(message(&[good.clone(), bad]).contains("notes.txt is not a packet capture"));
    assert!(message(&[directory.path().join("none")]).contains("cannot open"));
    assert!(message(&[]).contains("no input"));
    fs::remove_file(good).unwrap();
    let text = message(&[directory.path().to_owned()]);
    assert!(text.contains("holds no packet capture (1 other file)"), "{text}");
    let empty = tempfile::tempdir().unwrap();
    let text = message(&[empty.path().to_owned()]);
    assert!(text.ends_with("holds no files"), "{text}");
}

#[test]
fn a_file_that_went_away_before_its_turn_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let paths = [
        write(directory.path(), "a.pcap", &rotated(1, 1)),
        write(directory.path(), "b.pcap", &rotated(2, 1)),
    ];
    let mut capture = Capture::open(&paths).unwrap();
    fs::remove_file(&paths[1]).unwrap();
    assert_eq!(drain(&mut capture), [(1, 1)]);
    assert!(capture.summary().is_damaged());
    assert!(capture.summary().lost_files[0].contains("cannot open"));
}

//! Every fixture's report, as text and as JSON, against its snapshot; every verdict against the
//! fixture's name.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

use std::path::PathBuf;

use serde_json::Value;
use tcplimit::model::Report;
use tcplimit::report::{Format, Outcome, Selection, TextOptions, write};
use tcplimit::{Config, analyze};

/// Fixtures whose verdict is not the limit in their name, and why.
const KNOWN_MISSES: &[(&str, &str)] = &[
    // A gap is a doubt, no cause: held to the kernel's.
    ("capture-gap--lost-frames", "congestion_window"),
];

/// Longer lists are cut in the snapshots, with their length told.
const LIST_MAX: usize = 3;

#[test]
fn reports_are_as_reviewed() {
    for path in fixtures() {
        let name = name_of(&path);
        let report = analyze(std::slice::from_ref(&path), &Config::default()).unwrap();
        insta::assert_snapshot!(format!("{name}.txt"), text(&report));
        insta::assert_snapshot!(format!("{name}.json"), json(&report));
    }
}

#[test]
fn verdicts_are_the_limits_in_the_names() {
    for path in fixtures() {
        let name = name_of(&path);
        let report = analyze(std::slice::from_ref(&path), &Config::default()).unwrap();
        let flow = report.flows.iter().max_by_key(|flow| flow.payload_bytes).unwrap();
        let verdict = serde_json::to_value(flow.verdict.limit).unwrap();
        let missed = KNOWN_MISSES.iter().find(|(file, _)| *file == name);
        let in_name = name.split("--").next().unwrap().replace('-', "_");
        let expected = missed.map_or(in_name.replace("receiver", "receive"), |miss| miss.1.into());
        assert_eq!(verdict, expected, "{name}: {:?}", flow.verdict.why);
    }
}

/// The window's scale is in no packet; that the data fill it to the last segment, and never more, tells it.
#[test]
fn a_window_scale_that_the_data_show_is_sure() {
    let path = directory().join("receiver-window--no-handshake.pcap.zst");
    let report = analyze(&[path], &Config::default()).unwrap();
    let flow = serde_json::to_value(&report.flows[0]).unwrap();
    assert_eq!(flow["window_scale"], "inferred");
    assert_eq!(flow["verdict"]["confidence"], "high");
}

/// Exclusive shares of the same duration: they have to sum to 1, and intervals to leave no hole.
#[test]
fn shares_sum_to_one_and_intervals_leave_no_hole() {
    for path in fixtures() {
        let report = analyze(std::slice::from_ref(&path), &Config::default()).unwrap();
        for flow in &report.flows {
            let limits = serde_json::to_value(&flow.limits).unwrap();
            let sum: f64 =
                limits.as_object().unwrap().values().map(|limit| number(limit, "share")).sum();
            assert!((sum - 1.0).abs() < 1e-6, "{}: shares sum to {sum}", path.display());
            let ends = flow.intervals.first().zip(flow.intervals.last());
            let (first, last) =
                ends.unwrap_or_else(|| panic!("{}: nothing at all", path.display()));
            assert!(first.start_s <= 0.0, "{}: nothing before {}", path.display(), first.start_s);
            let off = (last.end_s - flow.duration_s).abs();
            assert!(off < 1e-6, "{}: {off} s off the end", path.display());
            for pair in flow.intervals.windows(2) {
                let hole = (pair[1].start_s - pair[0].end_s).abs();
                assert!(hole < 1e-6, "{}: hole at {} s", path.display(), pair[0].end_s);
            }
        }
    }
}

/// The kernel counted what it sent again (fixtures/README.md); so does the sender stage.
#[test]
fn retransmitted_segments_are_the_kernels_count() {
    let counts = [
        ("congestion-window--random-loss", 29),
        ("congestion-window--bottleneck", 42),
        ("congestion-window--bbr", 36),
        ("congestion-window--policer", 58),
        ("congestion-window--no-sack-no-timestamps", 21),
        ("send-buffer--64-kb", 0),
        ("application--request-response", 0),
    ];
    for (name, expected) in counts {
        let path = fixtures().into_iter().find(|path| name_of(path) == name).unwrap();
        let report = analyze(&[path], &Config::default()).unwrap();
        let sum: u64 = report.flows.iter().map(|flow| flow.retransmitted_segments).sum();
        assert_eq!(sum, expected, "{name}");
    }
}

/// A fixture without a row in the README says nothing to a sceptic.
#[test]
fn every_fixture_has_its_row() {
    let readme = std::fs::read_to_string(directory().join("README.md")).unwrap();
    for path in fixtures() {
        let file = path.file_name().unwrap().to_str().unwrap();
        assert!(readme.contains(&format!("| `{file}` |")), "{file} is not in fixtures/README.md");
        let size = std::fs::metadata(&path).unwrap().len();
        assert!(size < 100_000, "{file} has {size} octets");
    }
}

/// Twenty are named, the rest is counted.
#[test]
fn what_is_passed_over_in_a_directory_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("a.pcap");
    std::fs::copy(directory().join("receiver-window.pcap"), to).unwrap();
    for number in 0..25 {
        std::fs::write(folder.path().join(format!("{number}.txt")), "no capture").unwrap();
    }
    let report = analyze(&[folder.path().to_owned()], &Config::default()).unwrap();
    let skipped: Vec<&str> =
        report.notes.iter().filter(|note| note.code.0 == "W003").map(|note| &*note.text).collect();
    assert_eq!((skipped.len(), skipped.last()), (21, Some(&"5 more files passed over")));
}

fn directory() -> PathBuf {
    PathBuf::from("fixtures")
}

fn fixtures() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_str().unwrap().contains(".pcap"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 15, "only {} fixtures", paths.len());
    paths
}

fn name_of(path: &std::path::Path) -> String {
    path.file_name().unwrap().to_str().unwrap().split('.').next().unwrap().to_owned()
}

fn text(report: &Report) -> String {
    let format = Format::Text(TextOptions::default());
    let mut out = Vec::new();
    let outcome = Outcome::Report(Box::new(report.clone()));
    write(&outcome, &Selection::default(), &format, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The JSON document with its long lists cut, and without what each release changes.
fn json(report: &Report) -> String {
    let mut out = Vec::new();
    let outcome = Outcome::Report(Box::new(report.clone()));
    write(&outcome, &Selection::default(), &Format::Json, &mut out).unwrap();
    let mut document: Value = serde_json::from_slice(&out).unwrap();
    document["tool_version"] = Value::from("masked");
    cut_lists(&mut document);
    serde_json::to_string_pretty(&document).unwrap()
}

fn cut_lists(value: &mut Value) {
    match value {
        Value::Array(items) => {
            let rest = items.len().saturating_sub(LIST_MAX);
            if items.iter().all(|item| !item.is_string()) && rest > 0 {
                items.truncate(LIST_MAX);
                items.push(Value::from(format!("and {rest} more")));
            }
            items.iter_mut().for_each(cut_lists);
        }
        Value::Object(members) => members.values_mut().for_each(cut_lists),
        _ => {}
    }
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap()
}

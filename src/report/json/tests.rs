use serde_json::Value;

use super::*;
use crate::model::{Damage, sample};

const ONE: NonZeroUsize = NonZeroUsize::MIN;

fn text(write: impl Fn(&mut dyn Write) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn outcome(report: Report) -> Outcome {
    Outcome::Report(Box::new(report))
}

fn document() -> String {
    text(|out| super::write(&outcome(sample::report()), ONE, out))
}

#[test]
fn the_document_is_the_model_and_the_same_each_time() {
    insta::assert_snapshot!("document", document());
    assert_eq!(document(), document());
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let long = outcome(sample::busy_report(1003));
    let alone = text(|out| super::write(&long, ONE, out));
    let lines = text(|out| write_lines(&long, ONE, out));
    for threads in [2, 3, 7].map(|threads| NonZeroUsize::new(threads).unwrap()) {
        assert!(text(|out| super::write(&long, threads, out)) == alone, "{threads} threads");
        assert!(text(|out| write_lines(&long, threads, out)) == lines, "{threads} threads");
    }
}

/// Whatever stands behind may fail, in the middle of what the threads have written.
#[test]
fn a_reader_that_leaves_ends_the_threads() {
    let long = outcome(sample::busy_report(1003));
    let mut room = vec![0; 300_000];
    let threads = NonZeroUsize::new(3).unwrap();
    let failed = super::write(&long, threads, &mut room.as_mut_slice()).unwrap_err();
    assert_eq!(failed.kind(), io::ErrorKind::WriteZero);
}

#[test]
fn a_line_stands_alone() {
    let lines = text(|out| write_lines(&outcome(sample::report()), ONE, out));
    assert_eq!(lines.lines().count(), 2);
    for line in lines.lines() {
        let flow: Value = serde_json::from_str(line).unwrap();
        assert_eq!(flow["schema"], "tcplimit/flow");
        assert_eq!(flow["files"][0], "download.pcap");
        assert_eq!(flow["stream"], 0);
    }
    insta::assert_snapshot!("lines", lines);
}

#[test]
fn damage_and_failure_are_lines_too() {
    let mut report = sample::report();
    report.flows.clear();
    report.input.damage = Some(Damage {
        file: "download.pcap".to_owned(),
        offset_bytes: 1204,
        packets_before: 4,
        what: "ends inside packet 5".to_owned(),
    });
    let line: Value =
        serde_json::from_str(&text(|out| write_lines(&outcome(report.clone()), ONE, out))).unwrap();
    assert_eq!(line["schema"], "tcplimit/failure");
    assert_eq!(line["damage"]["offset_bytes"], 1204);

    let failure = Outcome::Failure(Failure::new(vec!["x".to_owned()], "x is empty".to_owned()));
    let line = text(|out| write_lines(&failure, ONE, out));
    let line: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        (&line["schema"], &line["error"]),
        (&"tcplimit/failure".into(), &"x is empty".into())
    );
}

#[test]
fn several_reports_are_one_document() {
    let outcomes = [
        outcome(sample::report()),
        Outcome::Failure(Failure::new(vec!["x".to_owned()], "x is empty".to_owned())),
    ];
    let mut list = Vec::new();
    write_list(&mut outcomes.into_iter(), &mut list).unwrap();
    let list: Value = serde_json::from_slice(&list).unwrap();
    assert_eq!(list["reports"][0]["schema"], "tcplimit/report");
    assert_eq!(list["reports"][1]["error"], "x is empty");
}

#[test]
fn floats_have_six_digits_and_times_their_microseconds() {
    let number = |key: &str, value: f64| {
        let map = std::collections::BTreeMap::from([(key, value)]);
        text(|out| write_compact(&map, out)).trim_end().to_owned()
    };
    assert_eq!(number("goodput_bps", 109_600_123.456), r#"{"goodput_bps":109600000}"#);
    assert_eq!(number("share", 0.1 + 0.2), r#"{"share":0.3}"#);
    assert_eq!(number("share", -0.0), r#"{"share":0}"#);
    assert_eq!(number("start_s", 86_400.123_456_7), r#"{"start_s":86400.123457}"#);
    assert_eq!(number("share", f64::NAN), r#"{"share":null}"#);
    assert_eq!(number("share", 1e-9), r#"{"share":0.000000001}"#);
}

#[test]
fn nothing_that_a_terminal_obeys_stays_raw() {
    let hostile = "a\u{1b}[2J\u{9b}31m\u{7f}\u{202e}b\u{e0041}";
    let line = text(|out| write_compact(&hostile, out));
    assert!(line.trim_end().bytes().all(|b| (0x20..0x7f).contains(&b)), "{line}");
    assert_eq!(serde_json::from_str::<String>(&line).unwrap(), hostile);
}

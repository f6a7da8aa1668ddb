//! `tcplimit check` as a build runs it: status, lines, JUnit, annotations.
#![expect(clippy::unwrap_used, reason = "test code")]

mod program;

use std::fs;
use std::path::Path;
use std::process::Stdio;

use tempfile::TempDir;

use program::{run, tcplimit};

fn receiver_window() -> String {
    format!("{}/fixtures/receiver-window.pcap", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn check_passes_fails_and_abstains_by_its_status() {
    let file = receiver_window();
    for (assertion, expected, line) in
        [("goodput >= 5Mbit/s", 0, "PASS"), ("rlimit < 20%", 1, "FAIL"), ("scope == x", 6, "NONE")]
    {
        let (stdout, stderr, status) = run(&["check", &file, "--assert", assertion]);
        assert_eq!((status, stderr.as_str()), (expected, ""), "{stdout}");
        assert!(stdout.contains(&format!("\n  {line}  {assertion}")), "{stdout}");
    }
    let open = ["check", &file, "--assert", "scope == x", "--allow-inconclusive"];
    assert_eq!(run(&open).2, 0);
    // A flow that is not there passes nothing, whatever is allowed.
    let absent = ["check", &file, "--assert", "rtt < 1s", "--flow", "7", "--allow-inconclusive"];
    let (stdout, stderr, status) = run(&absent);
    assert_eq!((stdout.as_str(), status), ("", 3), "{stderr}");
    assert!(stderr.contains("no connection 7 in the capture"), "{stderr}");
}

#[test]
fn check_tells_what_is_wrong_with_a_rule() {
    let file = receiver_window();
    let folder = TempDir::new().unwrap();
    let rules = folder.path().join("rules.toml");
    fs::write(&rules, "[[rule]]\nname = 'x'\nassert = 'godput > 1'\n").unwrap();
    let rules = rules.to_str().unwrap();
    for (arguments, hint) in [
        (vec!["check", &file], "--assert <EXPR>|--rules <FILE>"),
        (vec!["check", &file, "--assert", "goodput >= 0.9 * baseline"], "add --baseline"),
        (
            vec!["check", &file, "--assert", "goodput >= 0.9 * baseline", "--allow-inconclusive"],
            "add",
        ),
        (vec!["check", &file, "--assert", "godput > 1"], "did you mean goodput?"),
        (vec!["check", &file, "--rules", rules], "did you mean goodput?"),
        (vec!["check", &file, "--rules", "nowhere.toml"], "cannot read nowhere.toml"),
        (vec!["check", &file, "--assert", "rtt < 1s", "--baseline", &file], "no report"),
        (vec!["check", &file, "--assert", "rtt < 1s", "--baseline", rules], "no report"),
    ] {
        let (stdout, stderr, status) = run(&arguments);
        assert_eq!((stdout.as_str(), status), ("", 2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(hint), "{arguments:?}: {stderr}");
    }
}

#[test]
fn check_writes_nothing_but_junit_where_that_goes_to_standard_output() {
    let arguments = ["check", &receiver_window(), "--assert", "rlimit < 20%", "--junit", "-"];
    let (stdout, _, status) = run(&arguments);
    assert_eq!(status, 1);
    assert!(
        stdout.starts_with("<?xml") && stdout.trim_end().ends_with("</testsuites>"),
        "{stdout}"
    );
    assert!(!Path::new("-").exists());
}

/// The result of an earlier run does not stay for one of this run.
#[test]
fn what_cannot_be_read_is_an_error_in_the_junit_file() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("empty.pcap"), "").unwrap();
    for capture in ["empty.pcap", "none.pcap"] {
        let (capture, junit) = (path(capture), path("result.xml"));
        fs::write(&junit, "old").unwrap();
        let arguments = ["check", &capture, "--assert", "rlimit < 20%", "--junit", &junit];
        let (stdout, stderr, status) = run(&arguments);
        assert_eq!((stdout.as_str(), status), ("", 3), "{stderr}");
        let xml = fs::read_to_string(&junit).unwrap();
        assert!(xml.contains("errors=\"1\"") && xml.contains("<error message="), "{xml}");
        assert!(xml.contains(&format!("classname=\"{capture}\"")), "{xml}");
    }
    let arguments = ["check", &path("empty.pcap"), "--assert", "rlimit < 20%", "--junit", "-"];
    assert!(run(&arguments).0.contains("is empty (0 bytes)"));
}

#[test]
fn check_speaks_to_github() {
    let folder = TempDir::new().unwrap();
    let summary = folder.path().join("summary.md");
    let output = tcplimit()
        .args(["check", &receiver_window(), "--assert", "rlimit < 20%"])
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", &summary)
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains("::error title=tcplimit::rlimit < 20%25: 96.6 %25"), "{stdout}");
    let summary = fs::read_to_string(summary).unwrap();
    assert!(summary.contains("| FAIL | rlimit &lt; 20% | 96.6 % | stream 0"), "{summary}");
}

#[test]
fn an_annotation_points_to_the_rule_in_its_file() {
    let folder = TempDir::new().unwrap();
    let rules = folder.path().join("rules.toml");
    fs::write(&rules, "# ours\n[[rule]]\nname = 'window'\nassert = 'rlimit < 20%'\n").unwrap();
    let rules = rules.to_str().unwrap();
    let output = tcplimit()
        .args(["check", &receiver_window(), "--rules", rules])
        .env("GITHUB_ACTIONS", "true")
        .env_remove("GITHUB_STEP_SUMMARY")
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let place = format!("::error file={rules},line=4,title=tcplimit::window: rlimit < 20%25: ");
    assert!(stdout.contains(&place), "{stdout}");
}

#[test]
fn a_named_rule_says_what_it_wants_and_what_it_is_called_is_only_text() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (rules, junit, summary) = (path("rules.toml"), path("junit.xml"), path("summary.md"));
    let rule = "[[rule]]\nname = \"a\\nb\\u001b[2J<b>\"\nassert = 'rlimit < 20%'\n";
    fs::write(&rules, rule).unwrap();
    let output = tcplimit()
        .args(["check", &receiver_window(), "--rules", &rules, "--junit", &junit])
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", &summary)
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let line = "\n  FAIL  a\\nb\\u{1b}[2J<b>: rlimit < 20%  96.6 %\n";
    assert!(stdout.contains(line), "{stdout}");
    let row = "| FAIL | a\\\\nb\\\\u{1b}\\[2J&lt;b&gt;: rlimit &lt; 20% | 96.6 % |";
    let summary = fs::read_to_string(summary).unwrap();
    assert!(summary.contains(row), "{summary}");
    let xml = fs::read_to_string(junit).unwrap();
    assert!(xml.contains("failure message=\"rlimit &lt; 20%: 96.6 %\""), "{xml}");
}

#[test]
fn what_holds_in_a_cut_capture_ends_with_the_status_of_cut_input() {
    let folder = TempDir::new().unwrap();
    let cut = folder.path().join("cut.pcap");
    let whole = fs::read(receiver_window()).unwrap();
    fs::write(&cut, &whole[..20_000]).unwrap();
    let cut = cut.to_str().unwrap();
    for (assertion, expected) in [("goodput >= 5Mbit/s", 4), ("rlimit < 20%", 1)] {
        let (stdout, stderr, status) = run(&["check", cut, "--assert", assertion]);
        assert_eq!(status, expected, "{stdout}");
        assert!(stderr.contains("checked what precedes it"), "{stderr}");
    }
}

/// As `| head -1` does it, or a `grep -q`: what failed has failed all the same.
#[test]
fn a_reader_that_goes_away_takes_no_verdict_along() {
    let folder = TempDir::new().unwrap();
    let cut = folder.path().join("cut.pcap");
    let file = receiver_window();
    fs::write(&cut, &fs::read(&file).unwrap()[..20_000]).unwrap();
    let cut = cut.to_str().unwrap();
    for (arguments, expected) in [
        (vec!["check", &file, "--assert", "rlimit < 20%"], 1),
        (vec!["check", &file, "--assert", "scope == x"], 6),
        (vec!["check", cut, "--assert", "goodput >= 5Mbit/s"], 4),
        (vec!["analyze", cut], 4),
        (vec!["check", &file, "--assert", "goodput >= 5Mbit/s"], 0),
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tcplimit"));
        command.args(&arguments).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(expected), "{arguments:?}");
    }
}

/// Of a file without a packet nothing is lost; that there is none may be a capture that failed.
#[test]
fn an_empty_file_beside_a_capture_is_warned_of() {
    let folder = TempDir::new().unwrap();
    let empty = folder.path().join("ring-2.pcap");
    fs::write(&empty, "").unwrap();
    let (file, empty) = (receiver_window(), empty.to_str().unwrap());
    let asserted = ["check", &file, empty, "--assert", "goodput >= 5Mbit/s"];
    for arguments in [&asserted[..], &["analyze", empty, &file]] {
        let (stdout, stderr, status) = run(arguments);
        assert_eq!(status, 0, "{stderr}");
        let warning = format!("warning W003: {empty} is empty (0 bytes)");
        assert!(stderr.starts_with(&warning) && stdout.contains("stream 0"), "{stderr}");
    }
}

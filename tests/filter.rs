//! `--filter`: tcpdump's language, through the system's libpcap. Without libpcap these tests say so
//! and hold the program to what it says then; `.ci/filters.py` compares with tcpdump itself.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

mod program;

use serde_json::Value;
use tcplimit::{Config, Filter, FilterError, analyze, libpcap};

use program::run;

const CAPTURE: &str = "fixtures/receiver-window.pcap";

/// Whether there is a libpcap; says so if not.
fn has_libpcap() -> bool {
    let version = libpcap::version();
    if let Err(absent) = &version {
        eprintln!("SKIPPED: {absent}");
    }
    version.is_ok()
}

fn input(expression: &str) -> Value {
    let (out, _, status) = run(&["analyze", CAPTURE, "--json", "--filter", expression]);
    assert_eq!(status, 0);
    serde_json::from_str::<Value>(&out).unwrap()["input"].clone()
}

#[test]
fn packets_that_do_not_pass_are_counted_and_not_looked_at() {
    if !has_libpcap() {
        return;
    }
    let to_receiver = input("dst port 5001");
    let to_sender = input("src port 5001");
    let passed = |input: &Value| input["filter"]["packets_passed"].as_u64().unwrap();
    assert_eq!(to_receiver["packets"], 700);
    assert_eq!(passed(&to_receiver), to_receiver["tcp_packets"].as_u64().unwrap());
    assert_eq!(passed(&to_receiver), to_sender["filter"]["packets_left_out"].as_u64().unwrap());
    assert_eq!(passed(&to_receiver).checked_add(passed(&to_sender)), Some(700));
}

/// The capture kept 128 octets of each frame, the data frames had 1514 and more.
#[test]
fn lengths_are_those_on_the_wire() {
    if !has_libpcap() {
        return;
    }
    assert_eq!(input("greater 1514")["filter"]["packets_passed"], 350);
    assert_eq!(input("len > 0")["filter"]["packets_passed"], 700);
}

#[test]
fn all_packets_pass_and_the_report_is_the_same() {
    if !has_libpcap() {
        return;
    }
    let mut config = Config::default();
    let plain = analyze(&[CAPTURE.into()], &config).unwrap();
    config.filter = Some(Filter::new("tcp port 5001").unwrap());
    let filtered = analyze(&[CAPTURE.into()], &config).unwrap();
    assert_eq!(plain.flows, filtered.flows);
    assert_eq!(filtered.input.filter.unwrap().packets_left_out, 0);
}

#[test]
fn check_and_explain_filter_too() {
    if !has_libpcap() {
        return;
    }
    let holds = ["check", CAPTURE, "--assert", "limit == receive_window", "--filter", "tcp"];
    assert_eq!(run(&holds).2, 0);
    let (out, _, status) = run(&["explain", CAPTURE, "--filter", "tcp"]);
    assert_eq!(status, 0);
    assert!(out.contains("receive window"), "{out}");
    for command in [&["explain", CAPTURE][..], &["plot", CAPTURE, "-o", "-", "--format", "svg"]] {
        let (_, error, status) = run(&[command, &["--filter", "udp"]].concat());
        assert_eq!((error.as_str(), status), ("error: no TCP connection passes the filter\n", 3));
    }
}

#[test]
fn a_bad_filter_is_shown_with_its_place() {
    if !has_libpcap() {
        return;
    }
    let cases = [
        ("tcp prot 443", "  tcp prot 443\n      ^^^^ at character 5: did you mean \"port\"?"),
        ("(tcp and port 80", "                  ^ something is missing at character 17"),
        ("tcp port 99999", "           ^^^^^ at character 10"),
        ("tcp[13 & 2 != 0", "             ^^ at character 12"),
    ];
    for (expression, place) in cases {
        let (out, error, status) = run(&["analyze", CAPTURE, "--filter", expression]);
        assert_eq!((out.as_str(), status), ("", 2));
        assert!(error.contains("libpcap says: ") && error.contains(place), "{error}");
    }
}

#[test]
fn a_filter_for_other_link_types_leaves_no_report() {
    if !has_libpcap() {
        return;
    }
    for (expression, why) in [("wlan type mgt", "802.11"), ("inbound", "live capture")] {
        let (_, error, status) = run(&["analyze", CAPTURE, "--filter", expression]);
        assert_eq!(status, 3);
        assert!(error.contains("ethernet") && error.contains(why), "{error}");
    }
}

/// In a mount namespace where the library's files are empty.
#[test]
fn without_libpcap_all_else_works() {
    let hide = "for f in $(/sbin/ldconfig -p | sed -n 's/.*=> \\(.*libpcap[.]so.*\\)/\\1/p'); do \
                mount --bind /dev/null $(readlink -f $f) || exit 99; done; exec \"$0\" \"$@\"";
    let run = |arguments: &[&str]| {
        std::process::Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", hide])
            .arg(env!("CARGO_BIN_EXE_tcplimit"))
            .args(arguments)
            .output()
    };
    match run(&["schema"]) {
        Ok(output) if output.status.success() => {}
        refused => return eprintln!("SKIPPED: cannot hide libpcap: {refused:?}"),
    }
    assert!(run(&["analyze", CAPTURE]).unwrap().status.success());
    let version = String::from_utf8(run(&["--version"]).unwrap().stdout).unwrap();
    assert!(version.contains("libpcap: not found"), "{version}");
    let output = run(&["analyze", CAPTURE, "--filter", "tcp"]).unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3));
    for package in ["libpcap0.8t64", "libpcap (Fedora, Alpine, Arch)"] {
        assert!(error.contains(package), "{error}");
    }
}

#[test]
fn a_filter_may_hold_anything() {
    for expression in ["", "\0", "tcp\0udp", "größe", &"(".repeat(500), &"tcp or ".repeat(500)] {
        match Filter::new(expression) {
            Ok(filter) => assert_eq!(filter.expression(), expression),
            Err(FilterError::Absent(absent)) => return eprintln!("SKIPPED: {absent}"),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

//! `tcplimit capture`: what can be tried on any machine's loopback. Without libpcap or the right to
//! capture these tests say so; `.ci/live.py` captures transfers whose limit is known.
#![expect(clippy::unwrap_used, reason = "test code")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]
#![cfg(target_os = "linux")]

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::UdpSocket;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

fn tcplimit(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tcplimit"));
    command.arg("capture").args(arguments);
    command
}

/// Standard output, standard error and status of a run.
fn run(arguments: &[&str]) -> (String, String, i32) {
    let output = tcplimit(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

/// A capture that has begun; `None` where it may not, after saying so.
fn begun(arguments: &[&str]) -> Option<Child> {
    let mut command = tcplimit(arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut first).unwrap();
    if first.contains("capturing on lo") {
        return Some(child);
    }
    eprintln!("SKIPPED: {first}");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    None
}

/// Sends four datagrams to itself, and gives the port.
fn datagrams(socket: &UdpSocket) -> u16 {
    let to = socket.local_addr().unwrap();
    for _ in 0..4 {
        socket.send_to(b"count me", to).unwrap();
    }
    to.port()
}

#[test]
fn a_count_ends_the_capture_and_the_saved_file_holds_it() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port().to_string();
    let directory = tempfile::tempdir().unwrap();
    let saved = directory.path().join("saved.pcapng");
    let saved = saved.to_str().unwrap();
    let filter = ["udp", "port", &port];
    let mut arguments = vec!["-i", "lo", "--count", "3", "--json", "-w", saved];
    arguments.extend(filter);
    let Some(mut capture) = begun(&arguments) else { return };
    datagrams(&socket);
    let mut document = String::new();
    capture.stdout.take().unwrap().read_to_string(&mut document).unwrap();
    assert_eq!(capture.wait().unwrap().code(), Some(0));
    let report: Value = serde_json::from_str(&document).unwrap();
    let input = report.get("input").unwrap();
    assert_eq!(input.get("packets").unwrap(), 3);
    assert_eq!(input.get("capture_drops").unwrap(), 0);
    let offline = Command::new(env!("CARGO_BIN_EXE_tcplimit"))
        .args(["analyze", "--json", saved])
        .output()
        .unwrap();
    let offline: Value = serde_json::from_slice(&offline.stdout).unwrap();
    for fact in ["packets", "format", "link_types", "first_packet_utc", "skipped"] {
        assert_eq!(offline.get("input").unwrap().get(fact), input.get(fact), "{fact}");
    }
}

#[test]
fn a_time_ends_the_capture() {
    let Some(mut capture) = begun(&["-i", "lo", "--for", "200ms", "tcp port 1 and udp port 1"])
    else {
        return;
    };
    let mut text = String::new();
    capture.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(capture.wait().unwrap().code(), Some(0));
    assert!(text.contains("lo: no packets"), "{text}");
}

#[test]
fn what_cannot_be_saved_is_analysed_and_said() {
    let Some(capture) = begun(&["-i", "lo", "--for", "2s", "-w", "/dev/full"]) else { return };
    let output = capture.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("cannot write /dev/full"), "{error}");
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("lo: "));
    assert_eq!(output.status.code(), Some(5));
}

#[test]
fn interfaces_have_names() {
    let (out, error, status) = run(&["--list"]);
    match status {
        0 => assert!(out.lines().any(|line| line.starts_with("lo ")), "{out}"),
        _ => eprintln!("SKIPPED: {error}"),
    }
}

#[test]
fn what_is_missing_is_said() {
    let (_, error, status) = run(&[]);
    assert_eq!(status, 2);
    assert!(error.contains("--interface"), "{error}");
    let (_, error, status) = run(&["-i", "no such one"]);
    assert_eq!(status, 3);
    let has_hint = ["--list", "CAP_NET_RAW", "libpcap0.8"].iter().any(|hint| error.contains(hint));
    assert!(has_hint, "{error}");
    let (_, error, status) = run(&["-i", "lo", "tcp", "prot", "443"]);
    assert!((status == 2 && error.contains("did you mean \"port\"")) || status == 3, "{error}");
}

/// No file of that name appears, and no right to capture is needed to be told so.
#[test]
fn packets_are_not_saved_to_standard_output() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = tcplimit(&["-i", "lo", "--count", "1", "-w", "-"]);
    let output = command.current_dir(&directory).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("name a file"), "{errors}");
    assert!(!directory.path().join("-").exists());
}

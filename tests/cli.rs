//! The program as its users meet it: a process with arguments, pipes, signals and a status.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "test code"
)]

mod program;

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use program::{run, tcplimit};

fn spawn(arguments: &[&str]) -> Child {
    std::process::Command::new(env!("CARGO_BIN_EXE_tcplimit"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// A directory with `whole.pcap`, and `cut.pcap`, which ends inside its last packet.
struct Captures {
    directory: TempDir,
}

impl Captures {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let whole = transfer();
        fs::write(directory.path().join("whole.pcap"), &whole).unwrap();
        fs::write(directory.path().join("cut.pcap"), &whole[..whole.len() - 3]).unwrap();
        Self { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }
}

/// A handshake, forty segments of 1000 octets with an ACK each, and the close, 10 ms apart.
fn transfer() -> Vec<u8> {
    const SYN: u8 = 2;
    const ACK: u8 = 16;
    const FIN: u8 = 1;
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 262_144, 1] {
        file.extend(word.to_le_bytes());
    }
    let mut packets = vec![(true, 0, 0, SYN, 0), (false, 0, 1, SYN | ACK, 0), (true, 1, 1, ACK, 0)];
    for segment in 0..40 {
        packets.push((true, 1 + segment * 1000, 1, ACK, 1000));
        packets.push((false, 1, 1001 + segment * 1000, ACK, 0));
    }
    packets.push((true, 40_001, 1, FIN | ACK, 0));
    packets.push((false, 1, 40_002, FIN | ACK, 0));
    packets.push((true, 40_002, 2, ACK, 0));
    for (number, packet) in (0..).zip(packets) {
        push_packet(&mut file, number, packet);
    }
    file
}

/// From the client or not, SEQ, ACK, flags, payload octets.
type Packet = (bool, u32, u32, u8, u16);

fn push_packet(file: &mut Vec<u8>, number: u32, packet: Packet) {
    let (is_client, seq, ack, flags, len) = packet;
    let (client, server) = (([192, 0, 2, 1], 40_000_u16), ([192, 0, 2, 2], 5001_u16));
    let (src, dst) = if is_client { (client, server) } else { (server, client) };
    let mut frame = vec![0; 12];
    frame.extend([8, 0, 0x45, 0]);
    frame.extend((40 + len).to_be_bytes());
    frame.extend([0, 1, 0x40, 0, 64, 6, 0, 0]);
    frame.extend(src.0);
    frame.extend(dst.0);
    frame.extend(src.1.to_be_bytes());
    frame.extend(dst.1.to_be_bytes());
    frame.extend(seq.to_be_bytes());
    frame.extend(ack.to_be_bytes());
    frame.extend([0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
    frame.resize(frame.len() + usize::from(len), 0);
    let frame_len = u32::try_from(frame.len()).unwrap();
    for word in [1_700_000_000, number * 10_000, frame_len, frame_len] {
        file.extend(word.to_le_bytes());
    }
    file.extend(frame);
}

#[test]
fn wrong_usage_is_status_2_and_says_what_is_right() {
    for (arguments, hint) in [
        (vec![], "Usage"),
        (vec!["analyse"], "analyze"),
        (vec!["Cargo.toml"], "tip: to analyse a capture file: tcplimit analyze FILE"),
        (vec!["analyze"], "<FILE>"),
        (vec!["analyze", "x", "--json", "--ndjson"], "cannot be used with"),
        (vec!["analyze", "x", "--sort", "size"], "bytes, rate, share, loss, rtt, stream"),
        (vec!["analyze", "x", "--flow", "9-3"], "the smaller number goes first"),
        (vec!["analyze", "x", "--top", "x"], "expected a whole number, as 10"),
        (vec!["analyze", "x", "--threads", "0"], "expected a whole number from 1 on"),
        (vec!["analyze", "x", "--json", "--series", "--points", "3"], "from 4 on"),
        (vec!["plot", "x", "-o", "x.svg", "--flow", "0-3"], "give one as the report shows it"),
        (vec!["explain", "W999"], "lists them all"),
        (vec!["explain", "-", "--flow", "0"], "save standard input to a file"),
        (vec!["explain", "trace.pcap", "--at", "soon"], "expected seconds"),
        (vec!["explain", "trace.pcap", "--at", "-1"], "from 0 on"),
        (vec!["explain", "fixtures/receiver-window.pcap", "--at", "9"], "behind the flow's end"),
        (vec!["plot", "trace.pcap", "-o", "x.svg", "--from", "-1"], "from 0 on"),
        (vec!["man", "nothing"], "no subcommand"),
    ] {
        let (stdout, stderr, status) = run(&arguments);
        assert_eq!((stdout.as_str(), status), ("", 2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(hint), "{arguments:?}: {stderr}");
    }
}

#[test]
fn help_and_version_are_no_errors() {
    let (stdout, _, status) = run(&["--help"]);
    assert!(status == 0 && stdout.contains("Exit status:"), "{stdout}");
    let (stdout, _, status) = run(&["analyze", "--help"]);
    assert!(status == 0 && stdout.contains("Examples:"), "{stdout}");
    let (stdout, _, status) = run(&["--version"]);
    assert!(status == 0 && stdout.contains("features:"), "{stdout}");
}

#[test]
fn a_whole_capture_is_status_0_and_says_nothing_on_standard_error() {
    let captures = Captures::new();
    let (stdout, stderr, status) = run(&["analyze", &captures.name("whole.pcap")]);
    assert_eq!((stderr.as_str(), status), ("", 0));
    assert!(stdout.contains("192.0.2.1:40000 → 192.0.2.2:5001"), "{stdout}");
    assert!(stdout.contains("40 kB") || stdout.contains("40.0 kB"), "{stdout}");
    assert!(!stdout.contains('\u{1b}'), "colour without a terminal: {stdout}");
}

#[test]
fn colour_is_there_when_asked_for_and_in_no_file() {
    let captures = Captures::new();
    let file = captures.name("whole.pcap");
    assert!(run(&["analyze", &file, "--color", "always"]).0.contains("\u{1b}["));
    run(&["analyze", &file, "-o", &captures.name("report.txt")]);
    assert!(!fs::read_to_string(captures.path("report.txt")).unwrap().contains('\u{1b}'));
}

#[test]
fn a_cut_capture_is_status_4_with_the_place_in_one_line() {
    let captures = Captures::new();
    let file = captures.name("cut.pcap");
    let (stdout, stderr, status) = run(&["analyze", &file]);
    assert_eq!((status, stderr.lines().count()), (4, 1), "{stderr}");
    assert!(stderr.starts_with("warning W001: ") && stderr.contains(&file), "{stderr}");
    assert!(stderr.contains("packet 86") && stderr.contains("byte"), "{stderr}");
    assert!(stdout.contains("192.0.2.1:40000"), "{stdout}");
    let (_, stderr, status) = run(&["analyze", "-q", &file]);
    assert_eq!((stderr.as_str(), status), ("", 4));
}

#[test]
fn what_is_no_capture_is_status_3() {
    let captures = Captures::new();
    fs::write(captures.path("notes.txt"), "hello\u{1b}[31m, world").unwrap();
    for name in ["notes.txt", "missing.pcap"] {
        let (stdout, stderr, status) = run(&["analyze", &captures.name(name)]);
        assert_eq!((stdout.as_str(), status), ("", 3), "{stderr}");
        assert!(stderr.starts_with("error: ") && stderr.contains(name), "{stderr}");
    }
    // Link type 147 is for private use.
    let mut private = transfer();
    private[20] = 147;
    fs::write(captures.path("private.pcap"), private).unwrap();
    let (stdout, stderr, status) = run(&["analyze", &captures.name("private.pcap")]);
    assert_eq!((stdout.as_str(), status), ("", 3), "{stderr}");
    assert!(stderr.contains("no link type") && stderr.contains("147"), "{stderr}");
    let (stdout, _, status) = run(&["analyze", "--ndjson", &captures.name("notes.txt")]);
    let record: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&record["schema"], status), (&"tcplimit/failure".into(), 3));
}

/// One packet has no duration to take shares of: all of it is unknown.
#[test]
fn shares_of_a_single_packet_sum_to_1() {
    let captures = Captures::new();
    // The file header, one record header, and the SYN: Ethernet, IPv4 and TCP.
    let whole = transfer();
    let len = u32::from_le_bytes(whole[32..36].try_into().unwrap());
    fs::write(captures.path("one.pcap"), &whole[..40 + usize::try_from(len).unwrap()]).unwrap();
    let (stdout, _, status) = run(&["analyze", "--json", &captures.name("one.pcap")]);
    let limits = &serde_json::from_str::<Value>(&stdout).unwrap()["flows"][0]["limits"];
    let limits = limits.as_object().unwrap();
    let sum: f64 = limits.values().map(|limit| limit["share"].as_f64().unwrap()).sum();
    assert_eq!((status, sum, limits["unknown"]["share"].as_f64()), (0, 1.0, Some(1.0)));
}

#[test]
fn json_is_one_document_and_the_same_each_time() {
    let captures = Captures::new();
    let file = captures.name("whole.pcap");
    let (first, _, _) = run(&["analyze", "--json", &file]);
    let report: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(report["schema"], "tcplimit/report");
    assert_eq!(report["flows"][0]["payload_bytes"], 40_000);
    assert_eq!(report["input"]["packets"], 86);
    assert_eq!(run(&["analyze", "--json", &file]).0, first);

    let (lines, _, _) = run(&["analyze", "--ndjson", &file]);
    let flow: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&flow["schema"], &flow["payload_bytes"]),
        (&"tcplimit/flow".into(), &40_000.into())
    );
    assert_eq!(flow["files"][0], file.as_str());

    let (other, _, status) = run(&["analyze", "--json", "--flow", "7", &file]);
    let report: Value = serde_json::from_str(&other).unwrap();
    assert_eq!((report["flows"].as_array().unwrap().len(), status), (0, 3));
}

#[test]
fn one_bad_file_of_several_does_not_stop_the_rest() {
    let captures = Captures::new();
    fs::write(captures.path("bad.pcap"), "no capture").unwrap();
    let names = ["bad.pcap", "cut.pcap", "whole.pcap"].map(|name| captures.name(name));
    let separate = |options: &[&str]| {
        run(&[&["analyze", "--separate"], options, &names.each_ref().map(String::as_str)].concat())
    };

    let (stdout, stderr, status) = separate(&["--json"]);
    assert_eq!((status, stderr.lines().count()), (4, 2), "{stderr}");
    let list: Value = serde_json::from_str(&stdout).unwrap();
    let schemas: Vec<_> =
        list["reports"].as_array().unwrap().iter().map(|report| &report["schema"]).collect();
    assert_eq!(schemas, ["tcplimit/failure", "tcplimit/report", "tcplimit/report"]);

    let (stdout, _, status) = separate(&["-q"]);
    assert_eq!((status, stdout.matches(": 1 TCP connection").count()), (4, 2), "{stdout}");

    let (stdout, _, status) = separate(&["--ndjson"]);
    assert_eq!(status, 4);
    for line in stdout.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert!(record["files"][0].as_str().unwrap().contains(".pcap"), "{line}");
    }
}

#[test]
fn a_slow_pipe_gives_the_same_flows() {
    let captures = Captures::new();
    let bytes = fs::read(captures.path("whole.pcap")).unwrap();
    let mut child = spawn(&["analyze", "--json", "-"]);
    let mut pipe = child.stdin.take().unwrap();
    for part in [&bytes[..10], &bytes[10..1000], &bytes[1000..]] {
        pipe.write_all(part).unwrap();
        sleep(Duration::from_millis(30));
    }
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let piped: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (stdout, _, _) = run(&["analyze", "--json", &captures.name("whole.pcap")]);
    let read: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(piped["flows"], read["flows"]);
    assert_eq!(piped["input"]["files"][0], "standard input");
}

#[test]
fn a_closed_pipe_ends_quietly_with_0() {
    let captures = Captures::new();
    let file = captures.name("whole.pcap");
    for arguments in [
        vec!["analyze", "--json", &file],
        vec!["analyze", "-q", "--separate", "--ndjson", &file, &file],
        vec!["schema"],
        vec!["explain"],
    ] {
        let mut child = spawn(&arguments);
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_status_5() {
    let captures = Captures::new();
    let file = captures.name("whole.pcap");
    for arguments in [&["analyze", &file][..], &["--help"], &["--version"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tcplimit"));
        let status = command.args(arguments).stdout(full).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(5), "{arguments:?}");
    }
    let (_, stderr, status) = run(&["analyze", &file, "-o", "/dev/full"]);
    assert!(status == 5 && stderr.contains("cannot write /dev/full"), "{stderr}");
}

#[test]
fn a_file_is_replaced_as_a_whole() {
    let captures = Captures::new();
    let (file, out) = (captures.name("whole.pcap"), captures.path("report.json"));
    fs::write(&out, "old").unwrap();
    let out_name = out.to_str().unwrap();

    let (_, _, status) = run(&["analyze", "--json", "-o", out_name, &captures.name("none.pcap")]);
    assert_eq!((status, fs::read_to_string(&out).unwrap().as_str()), (3, "old"));

    let (stdout, _, status) = run(&["analyze", "--json", "-o", out_name, &file]);
    assert_eq!((stdout.as_str(), status), ("", 0));
    assert!(serde_json::from_slice::<Value>(&fs::read(&out).unwrap()).is_ok());
    assert_eq!(leftovers(captures.directory.path()), 0);

    let nowhere = captures.name("no/such/report.json");
    let (_, stderr, status) = run(&["analyze", "-o", &nowhere, &file]);
    assert!(status == 5 && stderr.contains(&nowhere), "{stderr}");
    assert!(!stderr.contains(".tcplimit-"), "{stderr}");
}

#[test]
fn a_dash_is_standard_output() {
    let captures = Captures::new();
    let file = captures.name("whole.pcap");
    let run_there = |arguments: &[&str]| {
        let mut command = tcplimit();
        command.current_dir(captures.directory.path()).args(arguments).args(["-o", "-", &file]);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert!(run_there(&["analyze"]).contains("192.0.2.1:40000"));
    assert!(run_there(&["report"]).starts_with("<!doctype html>"));
    assert!(run_there(&["plot", "--format", "xpl"]).starts_with("dtime"));
    assert!(!captures.path("-").exists());
}

#[test]
fn a_killed_run_leaves_the_old_file_or_the_new_one() {
    let captures = Captures::new();
    let out = captures.path("report.json");
    fs::write(&out, "old").unwrap();
    let arguments =
        ["analyze", "--json", "-o", out.to_str().unwrap(), &captures.name("whole.pcap")];
    for step in 0..40 {
        let mut child = spawn(&arguments);
        sleep(Duration::from_micros(step * 200));
        child.kill().unwrap();
        child.wait().unwrap();
        let text = fs::read_to_string(&out).unwrap();
        let is_whole = serde_json::from_str::<Value>(&text).is_ok();
        assert!(text == "old" || is_whole, "after {step} steps: {text}");
    }
}

/// Temporary files that were not renamed.
fn leftovers(directory: &Path) -> usize {
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_str().unwrap().starts_with(".tcplimit-")).count()
}

#[cfg(unix)]
#[test]
fn a_signal_ends_reading_and_not_the_report() {
    for (signal, status) in [("INT", 130), ("TERM", 143)] {
        // On a busy machine it may take a while until what is in the pipe was read.
        let mut ended = [300, 3000, 30_000].map(Duration::from_millis).into_iter();
        let stdout = ended.find_map(|wait| interrupted_after(wait, signal, status));
        let stdout = stdout.expect("never ended by the signal with a report");
        assert!(stdout.contains("192.0.2.1:40000") && stdout.contains("W012"), "{stdout}");
    }
}

/// What a run prints that reads from a pipe which stays open: only the signal can end it. `None` if it
/// ended otherwise than with `status`.
#[cfg(unix)]
fn interrupted_after(wait: Duration, signal: &str, status: i32) -> Option<String> {
    let captures = Captures::new();
    let bytes = fs::read(captures.path("whole.pcap")).unwrap();
    let mut child = spawn(&["analyze", "-"]);
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(&bytes).unwrap();
    sleep(wait);
    kill(signal, &child);
    if signal == "TERM" {
        kill(signal, &child); // as `timeout` does, which ends a program and then its group
    }
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    (child.wait().unwrap().code() == Some(status)).then_some(stdout)
}

#[cfg(unix)]
fn kill(signal: &str, child: &Child) {
    let command = format!("kill -{signal} {}", child.id());
    std::process::Command::new("sh").args(["-c", &command]).status().unwrap();
}

#[test]
fn every_code_is_explained() {
    let (list, _, status) = run(&["explain"]);
    assert_eq!(status, 0);
    for line in list.lines() {
        let (code, title) = line.split_once("  ").unwrap();
        let (text, _, status) = run(&["explain", &code.to_lowercase()]);
        assert!(status == 0 && text.contains(code) && text.contains(title), "{text}");
        assert!(text.contains("What to do:"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
    let (_, stderr, status) = run(&["explain", "A001", "trace.pcap"]);
    assert!(status == 2 && stderr.contains("without a capture"), "{stderr}");
}

#[test]
fn schema_completions_and_manual_are_printed() {
    let titles = ["report", "flow", "failure", "report-list"].map(|document| {
        let (schema, _, status) = run(&["schema", document]);
        assert_eq!(status, 0, "{document}");
        serde_json::from_str::<Value>(&schema).unwrap()["title"].clone()
    });
    assert_eq!(titles, ["Report", "FlowLine", "Failure", "ReportList"]);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (script, _, status) = run(&["completions", shell]);
        assert!(status == 0 && script.contains("ndjson"), "{shell}");
    }
    let (page, _, status) = run(&["man"]);
    assert!(status == 0 && page.contains(".TH tcplimit"), "{page}");
    let (page, _, status) = run(&["man", "analyze"]);
    assert!(status == 0 && page.contains("ndjson") && page.contains("\"tcplimit 0."), "{page}");
}

fn receiver_window() -> String {
    format!("{}/fixtures/receiver-window.pcap", env!("CARGO_MANIFEST_DIR"))
}

/// One table whatever the number of jobs, with the bad file as a row.
#[test]
fn a_table_holds_a_row_for_each_flow_and_each_bad_file() {
    let folder = TempDir::new().unwrap();
    for name in ["a.pcap", "c.pcap"] {
        fs::copy(receiver_window(), folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("b,\"x\".pcap"), "no capture").unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [one, bad, other] = ["a.pcap", "b,\"x\".pcap", "c.pcap"].map(path);
    let alone = run(&["analyze", &one, &bad, &other, "--separate", "--csv"]);
    let (table, errors, status) = &alone;
    assert_eq!(*status, 4, "{errors}");
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows.len(), 4, "{table}");
    assert!(rows[0].starts_with("file,stream,src_ip") && rows[0].ends_with(",error"), "{table}");
    assert!(rows[1].contains(",receive_window,") && rows[3].contains("c.pcap,0,"), "{table}");
    assert!(rows[2].contains("b,\"\"x\"\".pcap") && rows[2].contains("not a packet capture"));
    for jobs in ["2", "3"] {
        let arguments = ["analyze", &one, &bad, &other, "--separate", "--csv", "--jobs", jobs];
        assert_eq!(run(&arguments), alone);
    }
}

/// Taken at the receiver, whose times say so.
#[test]
fn the_place_of_the_capture_can_be_told() {
    let fixture = "fixtures/receiver-window--at-receiver.pcap.zst";
    let flow = |place: &str| {
        let (out, _, status) = run(&["analyze", "--json", "--vantage", place, fixture]);
        assert_eq!(status, 0);
        let report: Value = serde_json::from_str(&out).unwrap();
        report["flows"][0].clone()
    };
    let has_note =
        |flow: &Value| flow["notes"].as_array().unwrap().iter().any(|note| note["code"] == "N010");
    let [auto, receiver, sender] = ["auto", "receiver", "sender"].map(flow);
    assert_eq!(auto, receiver);
    assert_eq!((&receiver["vantage"], has_note(&receiver)), (&"receiver".into(), false));
    assert_eq!((&sender["vantage"], has_note(&sender)), (&"sender".into(), true));
    let (explained, _, _) = run(&["explain", "--vantage", "sender", fixture]);
    assert!(explained.contains("captured at the sender"), "{explained}");
}

//! The founding paper's three tables, regenerated from captures of the same transfers over like
//! paths, with the paper's values, the default method's shares and the kernel's own beside ours.
//! `cargo test --test lu2007 -- --ignored --nocapture` prints them, from the corpus (`TCPLIMIT_CORPUS`, or
//! `../shared/corpus`).
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "test code")]
#![cfg(feature = "zstd")]
#![expect(clippy::print_stdout, reason = "the printed tables are the point")]

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tcplimit::testing::corpus;

/// One column of a table of the paper; a figure that it does not print is `None`.
struct Row {
    id: &'static str,
    rate_mbit: f64,
    wnd_kb: f64,
    rtt_ms: Option<f64>,
    r_percent: f64,
    s_percent: Option<f64>,
    c_percent: Option<f64>,
    expect: Expect,
}

/// What figure 1 must say of our captures, by its own lines.
#[derive(Clone, Copy, PartialEq)]
enum Expect {
    /// The receive window is the limit, and it says so.
    Receive,
    /// The receive window is the limit, but TSO waits until a third of the window is free (Linux
    /// `tcp_tso_should_defer`), so more than 2 mss of it stand open, and the rest goes to S.
    ReceiveHalfSeen,
    /// The send buffer is the limit, and it says so; the paper's own table has 0 here, for Linux
    /// grew the buffer by itself.
    Send,
    /// The congestion window is the limit, and it says S: the shadow never comes down after a loss.
    CongestionTakenForSend,
    /// Several limits in turn: no claim.
    Mixed,
}

const fn table1(id: &'static str, values: [f64; 4], expect: Expect) -> Row {
    let [rate_mbit, wnd_kb, r_percent, c] = values;
    Row {
        id,
        rate_mbit,
        wnd_kb,
        rtt_ms: None,
        r_percent,
        s_percent: None,
        c_percent: Some(c),
        expect,
    }
}

const fn table2(id: &'static str, values: [f64; 5], expect: Expect) -> Row {
    let [rate_mbit, wnd_kb, rtt, r_percent, c] = values;
    let (rtt_ms, c_percent) = (Some(rtt), Some(c));
    Row { id, rate_mbit, wnd_kb, rtt_ms, r_percent, s_percent: None, c_percent, expect }
}

const fn table3(id: &'static str, values: [f64; 4], expect: Expect) -> Row {
    let [rate_mbit, wnd_kb, rtt, r_percent] = values;
    let (rtt_ms, s_percent) = (Some(rtt), Some(0.0));
    Row { id, rate_mbit, wnd_kb, rtt_ms, r_percent, s_percent, c_percent: None, expect }
}

const ROWS: [Row; 17] = [
    table1("o-t1-loss10-w200k", [2.0, 2.0, 0.0, 27.0], Expect::CongestionTakenForSend),
    table1("o-t1-loss1-w200k", [73.0, 13.0, 0.0, 90.0], Expect::CongestionTakenForSend),
    table1("o-t1-loss0p1-w200k", [190.0, 38.0, 0.0, 99.0], Expect::CongestionTakenForSend),
    table1("o-t1-loss10-w20k", [2.0, 2.0, 0.0, 23.0], Expect::CongestionTakenForSend),
    table1("o-t1-loss1-w20k", [53.0, 10.0, 28.0, 64.0], Expect::Mixed),
    table1("o-t1-loss0p1-w20k", [98.0, 18.0, 90.0, 10.0], Expect::ReceiveHalfSeen),
    table2("o-t2-w100k", [6.6, 84.2, 102.1, 92.0, 6.0], Expect::Receive),
    table2("o-t2-w200k", [13.0, 166.0, 102.3, 91.0, 8.0], Expect::Receive),
    table2("o-t2-w300k", [19.2, 247.0, 102.7, 90.0, 9.0], Expect::Receive),
    table2("o-t2-w400k", [14.8, 190.0, 105.0, 1.0, 96.0], Expect::CongestionTakenForSend),
    table2("o-t2-w500k", [17.8, 230.0, 103.7, 0.0, 97.0], Expect::CongestionTakenForSend),
    table3("o-t3-snd10k", [53.0, 13.0, 1.7, 99.8], Expect::Send),
    table3("o-t3-snd50k", [91.5, 65.0, 5.6, 97.7], Expect::Send),
    table3("o-t3-snd100k", [90.0, 125.0, 10.9, 91.3], Expect::Send),
    table3("o-t3-rcv10k", [43.0, 8.7, 1.6, 100.0], Expect::Receive),
    table3("o-t3-rcv50k", [95.0, 49.0, 4.1, 100.0], Expect::ReceiveHalfSeen),
    table3("o-t3-rcv100k", [95.0, 100.0, 8.3, 99.9], Expect::ReceiveHalfSeen),
];

#[test]
#[ignore = "needs the corpus of captures with truth"]
fn tables_of_the_founding_paper() {
    let corpus = corpus();
    println!(
        "{:20} {:>13} {:>13} {:>13}  {:>15} {:>11}  {:>15}  {:>15}",
        "",
        "Mbit/s",
        "wnd kB",
        "RTT ms",
        "lu2007 R S C",
        "paper R S C",
        "default R S C A",
        "kernel R S C A"
    );
    for row in &ROWS {
        let (flow, truth) = (analyze(&corpus, row.id), truth(&corpus, row.id));
        print_row(row, &flow, &truth);
        check_shares(row, &flow, &truth);
        check_rate(row, &flow);
    }
}

/// Figure 1 against what the kernel says.
fn check_shares(row: &Row, flow: &Value, truth: &Value) {
    let id = row.id;
    let [r, s, c] = ["rlimit", "slimit", "climit"].map(|name| number(&flow["lu2007"][name]));
    let kernel = |cause: &str| number(&truth["shares"][cause]);
    assert!(r + s + c <= 1.0 + 1e-9, "{id}: R {r} + S {s} + C {c} exceed the connection's time");
    // Nothing lowers the shadow, so nothing stays within 2 mss of it once slow start is over.
    assert!(c < 0.1, "{id}: C is {c}");
    let (limit_share, claimed) = match row.expect {
        Expect::Receive => (kernel("rwnd"), r),
        Expect::ReceiveHalfSeen => {
            assert!(r < 0.75, "{id}: R is {r}");
            (kernel("rwnd"), r + s)
        }
        Expect::Send => (kernel("sndbuf"), s),
        Expect::CongestionTakenForSend => (kernel("cwnd"), s),
        Expect::Mixed => return,
    };
    assert!(limit_share > 0.85, "{id}: the kernel gives the limit only {limit_share}");
    assert!(claimed > 0.85, "{id}: figure 1 claims only {claimed}");
}

/// The paper's `T = wnd / RTT`, where timeouts do not leave the path idle (10 % loss).
fn check_rate(row: &Row, flow: &Value) {
    if row.id.contains("loss10-") {
        return;
    }
    let rtt_s = number(&flow["lu2007"]["rtt_mean_us"]) / 1e6;
    let from_window = 8.0 * number(&flow["lu2007"]["wnd_mean_bytes"]) / rtt_s;
    let ratio = from_window / number(&flow["goodput_bps"]);
    assert!((0.85..1.15).contains(&ratio), "{}: wnd / RTT is {ratio} of the rate", row.id);
}

fn print_row(row: &Row, flow: &Value, truth: &Value) {
    let paper = &flow["lu2007"];
    let beside = |ours: f64, theirs: Option<f64>| format!("{ours:.1}/{}", or_dash(theirs));
    let percent = |value: &Value| format!("{:.0}", 100.0 * number(value));
    let limits = ["receive_window", "send_buffer", "congestion_window", "application"];
    println!(
        "{:20} {:>13} {:>13} {:>13}  {:>15} {:>11}  {:>15}  {:>15}",
        row.id,
        beside(number(&flow["goodput_bps"]) / 1e6, Some(row.rate_mbit)),
        beside(number(&paper["wnd_mean_bytes"]) / 1e3, Some(row.wnd_kb)),
        beside(number(&paper["rtt_mean_us"]) / 1e3, row.rtt_ms),
        ["rlimit", "slimit", "climit"].map(|name| percent(&paper[name])).join(" "),
        [Some(row.r_percent), row.s_percent, row.c_percent].map(or_dash).join(" "),
        limits.map(|limit| percent(&flow["limits"][limit]["share"])).join(" "),
        ["rwnd", "sndbuf", "cwnd", "app"].map(|cause| percent(&truth["shares"][cause])).join(" "),
    );
}

/// The data direction's flow of the report on a capture at the sender.
fn analyze(corpus: &Path, id: &str) -> Value {
    let capture = corpus.join(format!("{id}.snd.pcap.zst"));
    let output = Command::new(env!("CARGO_BIN_EXE_tcplimit"))
        .args(["analyze", "--json", "--method", "lu2007"])
        .arg(&capture)
        .output()
        .unwrap();
    assert!(output.status.success(), "{id}: {}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let flows = report["flows"].as_array().unwrap();
    flows.iter().max_by_key(|flow| flow["payload_bytes"].as_u64()).unwrap().clone()
}

/// What the kernel said of the same flow.
fn truth(corpus: &Path, id: &str) -> Value {
    let text = std::fs::read(corpus.join(format!("{id}.truth.json"))).unwrap();
    serde_json::from_slice::<Value>(&text).unwrap()["flows"][0].clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn or_dash(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

//! Predictions against what comes of it: each transfer runs as it is, and again with the limit
//! lifted.
#![expect(clippy::expect_used, reason = "test code")]

use std::io::Cursor;
use std::time::Duration;

use tcplimit::model::{
    Confidence, FlowReport, Lifted, Limit, NextLimit, PathVerdict, WhatIf, codes,
};
use tcplimit::testing::{Application, Path, Reader, Tap, ms};
use tcplimit::{Config, analyze_stream};

/// Long enough for the start not to count.
const LONG: Duration = ms(10_000);

/// A queue that never overflows: then the goodput of a flow without other limits is the path's.
const PATH: Path = Path {
    rate_bps: 20_000_000,
    rtt: ms(40),
    queue: 100_000_000,
    loss_one_in: 0,
    seed: 1,
    rcvbuf: 4_000_000,
    sndbuf: 4_000_000,
    application: Application::Bulk,
    reader: Reader::Eager,
    pacing_bps: None,
    duration: ms(3000),
    tap: Tap::Sender,
};

fn prediction(flow: &FlowReport, lifted: Lifted) -> &WhatIf {
    let found = flow.what_if.iter().find(|what_if| what_if.lifted == lifted);
    found.unwrap_or_else(|| panic!("{:?} of {:?}", flow.what_if, flow.verdict))
}

/// Checks the prediction for `now` without the limit against the goodput of `then`.
fn assert_holds(now: Path, then: Path, lifted: Lifted) -> NextLimit {
    let flow = now.flow();
    let what_if = prediction(&flow, lifted);
    let got = Path { duration: LONG, ..then }.flow().goodput_bps.expect("goodput");
    let rate = what_if.rate_bps.expect("a rate");
    assert!((rate / got - 1.0).abs() <= 0.2, "{what_if:?}, got {got}, {now:?}");
    assert!(what_if.low_bps <= got * 1.05, "{what_if:?}, got {got}, {now:?}");
    assert!(what_if.high_bps.is_none_or(|high| got <= high * 1.05), "{what_if:?}, got {got}");
    let before = flow.goodput_bps.expect("goodput");
    assert_eq!(rate > 1.1 * before, got > 1.1 * before, "{what_if:?}, {before} became {got}");
    what_if.next_limit
}

/// The path's rate comes from a flow that used a fifth to two thirds of it.
#[test]
fn a_wider_receive_window_fills_the_path() {
    for (rate_bps, rtt) in [(5_000_000, 100), (20_000_000, 40), (50_000_000, 20)] {
        let holds = rate_bps / 8 * rtt / 1000;
        let path = Path { rate_bps, rtt: ms(rtt), ..PATH };
        for tenths in [2, 4, 7] {
            let narrow = Path { rcvbuf: holds * tenths / 10, ..path };
            let next = assert_holds(narrow, path, Lifted::ReceiveWindow);
            assert_eq!(next, NextLimit::Path);
        }
    }
}

#[test]
fn a_larger_send_buffer_fills_the_path() {
    for (rate_bps, rtt) in [(5_000_000, 100), (20_000_000, 40)] {
        let holds = rate_bps / 8 * rtt / 1000;
        let path = Path { rate_bps, rtt: ms(rtt), ..PATH };
        for tenths in [4, 7] {
            let small = Path { sndbuf: holds * tenths / 10, ..path };
            let next = assert_holds(small, path, Lifted::SendBuffer);
            assert_eq!(next, NextLimit::Path);
        }
    }
}

#[test]
fn an_application_that_always_has_data_fills_the_path() {
    let path = PATH;
    for (chunk, interval) in [(20_000, 50), (60_000, 300)] {
        let application = Application::Paced { chunk, interval: ms(interval) };
        assert_holds(Path { application, ..path }, path, Lifted::Application);
    }
}

#[test]
fn without_random_loss_the_path_is_full() {
    for one_in in [50, 100, 200] {
        let lossy = Path { loss_one_in: one_in, duration: LONG, ..PATH };
        let next = assert_holds(lossy, PATH, Lifted::Loss);
        assert_eq!(next, NextLimit::Path);
    }
}

/// Each burst fills the receive window, which lets less pass than the path does.
#[test]
fn the_next_limit_is_named() {
    let rcvbuf = 60_000;
    let application = Application::Paced { chunk: 100_000, interval: ms(300) };
    let slow = Path { application, rcvbuf, ..PATH };
    let then = Path { rcvbuf, ..PATH };
    assert_eq!(assert_holds(slow, then, Lifted::Application), NextLimit::ReceiveWindow);
}

/// At a full bottleneck a wider window adds queue, not rate.
#[test]
fn a_full_path_has_nothing_to_gain() {
    let path = Path { duration: LONG, ..PATH };
    let narrow = Path { rcvbuf: 150_000, ..path };
    assert_holds(narrow, path, Lifted::ReceiveWindow);
    let advice = &narrow.flow().verdict.advice;
    assert!(advice.iter().any(|advice| advice.text.contains("hardly more")), "{advice:?}");
}

/// Reno's window at this loss is three times what the receiver offers, and half of the path's.
#[test]
fn loss_that_stays_bounds_the_rate() {
    let path = Path { rate_bps: 100_000_000, loss_one_in: 1000, duration: LONG, ..PATH };
    let flow = Path { rcvbuf: 20_000, ..path }.flow();
    let what_if = prediction(&flow, Lifted::ReceiveWindow);
    assert_eq!(what_if.next_limit, NextLimit::Loss);
    let got = path.flow().goodput_bps.expect("goodput");
    let high = what_if.high_bps.expect("a bound");
    assert!(what_if.low_bps <= got && got <= high, "{what_if:?}, got {got}");
}

/// One segment at a time says nothing of the path.
#[test]
fn an_unknown_path_gives_no_rate() {
    let application = Application::Paced { chunk: 1000, interval: ms(60) };
    let flow = Path { application, ..PATH }.flow();
    let what_if = prediction(&flow, Lifted::Application);
    assert_eq!(what_if.rate_bps, None, "{what_if:?}");
    assert_eq!(what_if.next_limit, NextLimit::Unknown);
    assert_eq!(Some(what_if.low_bps), flow.goodput_bps);
}

#[test]
fn what_does_not_limit_cannot_be_lifted() {
    let flow = Path { queue: 100_000, duration: LONG, ..PATH }.flow();
    assert_eq!(flow.verdict.limit, Limit::CongestionWindow);
    for what_if in &flow.what_if {
        let is_other = matches!(what_if.lifted, Lifted::ReceiveWindow | Lifted::SendBuffer);
        assert!(!is_other, "{what_if:?}");
    }
}

/// What the capture misses may have been anything: the rest tells neither a rate nor that the path had room.
#[test]
fn without_a_verdict_nothing_is_predicted() {
    let mut packets = PATH.capture();
    let length = packets.packets.len();
    let whole = packets.client_flow();
    let is_seen = |place: usize| place < length / 10 || place > length * 9 / 10;
    let mut place = 0;
    packets.packets.retain(|_| {
        place += 1;
        is_seen(place)
    });
    let flow = packets.client_flow();
    assert!(!whole.what_if.is_empty() || whole.path.confidence != Confidence::Low);
    assert_eq!(flow.verdict.limit, Limit::CaptureGap, "{}", flow.verdict.text);
    assert_eq!((flow.what_if.len(), flow.path.confidence), (0, Confidence::Low));
    assert_ne!(flow.path.verdict, PathVerdict::NotFull);
}

/// Both ends offer SACK behind the MSS: of 54 octets of each packet none of that is left.
#[test]
fn options_that_the_snap_length_cut_off_are_not_missing() {
    let packets = Path { sndbuf: 40_000, ..PATH }.capture();
    for snap_len in [54, 58, 1500] {
        let octets = Cursor::new(packets.pcap(snap_len));
        let report = analyze_stream("cut", octets, &Config::default()).expect("a capture");
        let flow = report.flows.first().expect("a flow");
        let what_if = prediction(flow, Lifted::SendBuffer);
        assert!(!what_if.assumption.contains("without SACK"), "{snap_len}: {what_if:?}");
        let is_cut = report.notes.iter().filter(|note| note.code == codes::OPTIONS_CUT).count();
        assert_eq!(is_cut, usize::from(snap_len < 1500));
        let is_scale_cut = flow.notes.iter().any(|note| note.text.contains("options cut off"));
        assert_eq!(is_scale_cut, snap_len < 1500, "{snap_len}: {:?}", flow.notes);
    }
}

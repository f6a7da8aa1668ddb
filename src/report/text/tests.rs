use std::net::Ipv6Addr;

use super::super::select::Sort;
use super::*;
use crate::model::*;

fn text_of(report: &Report, selection: &Selection, options: TextOptions) -> String {
    let mut out = Vec::new();
    write(report, selection, options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn text(report: &Report) -> String {
    text_of(report, &Selection::default(), TextOptions::default())
}

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap()
}

#[test]
fn one_flow_is_shown_in_full() {
    let text = text(&sample::report());
    assert!(widest(&text) <= 80, "{text}");
    insta::assert_snapshot!("one_flow", text);
}

#[test]
fn a_doubtful_verdict_says_so_and_names_the_next() {
    let mut report = sample::report();
    report.flows.truncate(1);
    let flow = &mut report.flows[0];
    flow.verdict.confidence = Confidence::Low;
    flow.verdict.share = 0.44;
    flow.window_scale = WindowScale::Unknown;
    flow.artefacts.reordered_packets = 12;
    flow.artefacts.missed_bytes = 2896;
    flow.notes.push(Note {
        code: codes::WINDOW_SCALE_UNKNOWN,
        text: "the handshake is not in the capture: window scale unknown".to_owned(),
    });
    insta::assert_snapshot!("doubtful", text(&report));
}

#[test]
fn one_of_a_kind_is_no_plural() {
    let mut report = sample::report();
    report.flows.truncate(1);
    report.flows[0].vantage = Vantage::Middle;
    let artefacts = &mut report.flows[0].artefacts;
    (artefacts.reordered_packets, artefacts.keep_alives, artefacts.window_probes) = (1, 1, 1);
    let text = text(&report);
    for one in ["1 packet reordered by the network,", "1 keep-alive,", "1 probe of a closed window"]
    {
        assert!(text.replace("\n        ", " ").contains(one), "{text}");
    }
}

/// `1 of 1 times` is no English.
#[test]
fn one_loss_is_no_plural() {
    for (regained, losses, told) in [
        (1, 1, "regained what it had before its one loss, 1.45 MB ("),
        (2, 2, " segments), both times, after"),
        (3, 3, " segments), all 3 times, after"),
        (1, 3, " segments), 1 of 3 times, after"),
    ] {
        let mut report = sample::report();
        report.flows.truncate(1);
        let flow = &mut report.flows[0];
        flow.verdict.limit = Limit::CongestionWindow;
        let recovery = flow.recovery.as_mut().unwrap();
        (recovery.regained_count, recovery.losses_count) = (regained, losses);
        let text = text(&report).replace("\n        ", " ");
        assert!(text.contains(told), "{text}");
    }
}

/// At the sender no network lies before the tap.
#[test]
fn only_away_from_the_sender_the_network_may_reorder() {
    let mut report = sample::report();
    report.flows.truncate(1);
    report.flows[0].artefacts.reordered_packets = 114;
    let mut told = |vantage, by: &str| {
        report.flows[0].vantage = vantage;
        text(&report).contains(&format!("114 packets {by}"))
    };
    assert!(told(Vantage::Sender, "recorded out of order"));
    assert!(told(Vantage::Middle, "reordered by the network"));
}

/// Duplicate ACKs tell what is fast.
#[test]
fn without_acks_no_retransmission_is_called_fast() {
    let mut report = sample::report();
    report.flows.truncate(1);
    let flow = &mut report.flows[0];
    flow.notes.push(Note { code: codes::ONE_DIRECTION, text: "one direction".to_owned() });
    let text = text(&report).split_whitespace().collect::<Vec<_>>().join(" ");
    let told = "100 fast or by a timer (the ACKs that would tell are missing), 12 after a timeout";
    assert!(text.contains(told) && !text.contains("fast recover"), "{text}");
}

/// Octets over time are the goodput that stands before them.
#[test]
fn what_was_sent_again_is_not_in_the_goodput_s_octets() {
    let mut report = sample::report();
    let mut said = |acked_bytes, payload_bytes| {
        let flow = &mut report.flows[0];
        (flow.acked_bytes, flow.payload_bytes, flow.duration_s) =
            (acked_bytes, payload_bytes, 20.0);
        flow.goodput_bps = acked_bytes.map(|_| 4e6);
        text(&report).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let text = said(Some(10_000_000), 12_000_000);
    assert!(
        text.contains("goodput 4.00 Mbit/s, 10.0 MB in 20.0 s, ")
            && text.contains(", 12.0 MB sent")
    );
    let text = said(Some(10_000_000), 10_001_000);
    assert!(text.contains("10.0 MB in 20.0 s, ") && !text.contains(" MB sent"), "{text}");
    assert!(said(Some(10_000_000), 9_000_000).contains(", 9.00 MB captured"));
    assert!(said(None, 9_000_000).contains(" 9.00 MB in 20.0 s"));
}

/// Nothing of what was sent is there to be counted.
#[test]
fn acks_alone_tell_how_much_was_sent() {
    let mut report = sample::report();
    report.flows.truncate(1);
    report.summary.payload_bytes = 0;
    let flow = &mut report.flows[0];
    (flow.packets, flow.payload_bytes, flow.acked_bytes) = (0, 0, Some(20_000_000));
    let text = text(&report);
    assert!(text.contains("20.0 MB by the ACKs alone; the capture lasts"), "{text}");
}

#[test]
fn a_window_that_stayed_closed_is_told_as_such() {
    let mut report = sample::report();
    let mut said = |opened_by: &[OpenedBy], window_min_bytes| {
        let episodes = &mut report.flows[0].episodes;
        let window = ZeroWindow {
            start_s: 1.0,
            end_s: 2.0,
            opened_by: OpenedBy::Nothing,
            window_min_bytes,
            probes: 1,
            first_frame: 1,
            last_frame: 2,
        };
        episodes.zero_windows = opened_by
            .iter()
            .map(|opened_by| ZeroWindow { opened_by: *opened_by, ..window })
            .collect();
        episodes.zero_windows_count = opened_by.len() as u64;
        text(&report).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let text = said(&[OpenedBy::Nothing], 0);
    assert!(
        text.contains("closed its window once, ") && text.contains("; it stayed closed"),
        "{text}"
    );
    assert!(!text.contains("reopened:"), "{text}");
    let text = said(&[OpenedBy::ProbeAnswer, OpenedBy::Nothing], 628);
    let both = "; reopened: 1 by the answer to a probe; the last time it stayed closed";
    assert!(text.contains(both), "{text}");
    assert!(text.contains("left less than a segment of its window open 2 times"), "{text}");
}

#[test]
fn more_than_a_buffer_holds_has_its_reason() {
    let mut report = sample::report();
    let said = |report: &Report| {
        let words = text(report).split_whitespace().collect::<Vec<_>>().join(" ");
        words.contains("large writes go over it")
    };
    let mut buffer = SendBuffer { held_bytes: 64e3, size_low_bytes: 32e3, size_high_bytes: 85e3 };
    report.flows[0].send_buffer = Some(buffer);
    assert!(!said(&report));
    buffer.held_bytes = 151e3;
    report.flows[0].send_buffer = Some(buffer);
    assert!(said(&report));
}

#[test]
fn many_flows_are_a_table() {
    let text = text(&sample::busy_report(503));
    assert!(widest(&text) <= 80, "{text}");
    insta::assert_snapshot!("many_flows", text);
}

#[test]
fn a_table_without_rows_has_no_heading() {
    let mut report = sample::busy_report(20);
    report.flows.iter_mut().for_each(|flow| flow.payload_bytes = 0);
    let text = text(&report);
    assert!(text.contains("20 connections carried no data"), "{text}");
    assert!(!text.contains("limited by") && !text.ends_with("\n\n"), "{text}");
}

#[test]
fn a_flow_of_many_can_be_asked_for() {
    let selection = Selection { streams: vec![3..=3], ..Selection::default() };
    let text = text_of(&sample::busy_report(20), &selection, TextOptions::default());
    assert!(text.contains("stream 3") && !text.contains("stream 4"), "{text}");
    assert!(text.contains("why"), "{text}");

    let selection = Selection { streams: vec![99..=99], ..Selection::default() };
    let mut report = sample::busy_report(20);
    // As the program does before it writes.
    selection.apply(&mut report);
    let text = text_of(&report, &selection, TextOptions::default());
    assert!(text.contains("no such connection"), "{text}");
}

#[test]
fn long_addresses_keep_the_table_within_the_page() {
    let mut report = sample::busy_report(5);
    for flow in &mut report.flows {
        flow.src.ip = Ipv6Addr::new(0x2001, 0xdb8, 1, 2, 3, 4, 5, 6).into();
        flow.dst.ip = Ipv6Addr::new(0x2001, 0xdb8, 1, 2, 3, 4, 5, 7).into();
    }
    let selection = Selection { sort: Sort::Rtt, ..Selection::default() };
    insta::assert_snapshot!("ipv6", text_of(&report, &selection, TextOptions::default()));
}

#[test]
fn a_capture_without_tcp_says_what_it_holds() {
    let mut input = sample::input();
    input.packets = 10_233;
    input.tcp_packets = 0;
    input.connections = 0;
    let skipped = |reason: &str, packets| SkippedCount { reason: reason.to_owned(), packets };
    input.skipped = vec![skipped("arp", 350), skipped("udp", 9871), skipped("icmp", 12)];
    let text = text(&Report::new(input, vec![], vec![]));
    assert_eq!(text, "download.pcap: no TCP in 10 233 packets: udp 9 871, arp 350, icmp 12\n");
}

#[test]
fn colour_adds_nothing_but_colour() {
    let colored = TextOptions { has_color: true, ..TextOptions::default() };
    let colored = text_of(&sample::report(), &Selection::default(), colored);
    let mut stripped = Vec::new();
    anstream::StripStream::new(&mut stripped).write_all(colored.as_bytes()).unwrap();
    assert_ne!(colored, text(&sample::report()));
    assert_eq!(String::from_utf8(stripped).unwrap(), text(&sample::report()));
}

#[test]
fn nothing_from_the_file_reaches_the_terminal_raw() {
    let hostile = "\u{1b}]0;title\u{7}\u{9b}2J\u{202e}\r";
    let mut report = sample::report();
    report.input.files = vec![hostile.to_owned()];
    report.input.skipped[0].reason = hostile.to_owned();
    report.input.damage = Some(Damage {
        file: hostile.to_owned(),
        offset_bytes: 1,
        packets_before: 2,
        what: hostile.to_owned(),
    });
    report.notes.push(Note { code: codes::FILE_SKIPPED, text: hostile.to_owned() });
    let flow = &mut report.flows[0];
    flow.scope = Some(hostile.to_owned());
    flow.verdict.text = hostile.to_owned();
    flow.verdict.why = vec![hostile.to_owned()];
    flow.verdict.advice[0].text = hostile.to_owned();
    flow.notes[0].text = hostile.to_owned();
    let text = text(&report);
    let raw = text.chars().find(|c| *c != '\n' && super::super::json::is_unprintable(*c));
    assert_eq!(raw, None, "{text}");
    assert!(text.matches("title").count() >= 9, "{text}");
}

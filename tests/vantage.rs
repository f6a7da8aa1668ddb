//! Where was it taken? Every capture of the corpus says so in its truth file; what is found there
//! must agree, and the round-trip time of the whole loop must not depend on the place.
//!
//! The corpus is `TCPLIMIT_CORPUS`, or `../shared/corpus`: `cargo test --test vantage -- --ignored`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "test code"
)]

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tcplimit::model::{Confidence, FlowReport, Vantage};
use tcplimit::testing::{Packet, Packets, Side, Trace, corpus, ms};
use tcplimit::{Config, analyze, analyze_stream};

/// A mean RTT is close to the kernel's within this or 1 %, whichever is larger.
const RTT_CLOSE_US: f64 = 200.0;

#[test]
#[ignore = "needs the corpus of captures with truth"]
fn every_capture_tells_where_it_was_taken() {
    let corpus = corpus();
    let (mut wrong, mut far) = (Vec::new(), Vec::new());
    let mut count = 0;
    for path in captures(&corpus) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let (id, rest) = name.split_once('.').unwrap();
        let place = rest.split('.').next().unwrap();
        let report = analyze(std::slice::from_ref(&path), &Config::default()).unwrap();
        for truth in flows(&corpus, id) {
            let Some(flow) = report.flows.iter().find(|flow| is_same(flow, &truth)) else {
                continue;
            };
            let sender = truth["from"].as_str().unwrap();
            let expected = match place {
                "mid" => Vantage::Middle,
                place if place == sender => Vantage::Sender,
                _ => Vantage::Receiver,
            };
            count += 1;
            if flow.vantage != expected {
                wrong.push(format!("{name} {sender}: {:?}, not {expected:?}", flow.vantage));
            }
            let kernel_us = truth["rtt_us"]["mean"].as_f64().unwrap();
            let mean_us = flow.rtt.unwrap().mean_us;
            if (mean_us - kernel_us).abs() > RTT_CLOSE_US.max(kernel_us / 100.0) {
                far.push(format!("{name} {sender}: RTT {mean_us:.0}, the kernel's {kernel_us}"));
            }
        }
    }
    assert!(count > 30, "the corpus has more captures than {count}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Packets reordered before the tap stay the one doubtful case.
    assert!(far.len() * 20 <= count, "{far:#?}");
}

/// Those that have the receiver's or the router's view, with the sender's where there is one too.
fn captures(corpus: &Path) -> Vec<PathBuf> {
    let names = std::fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path());
    let is_elsewhere = |path: &PathBuf| {
        let name = path.to_string_lossy();
        name.contains(".pcap") && !name.contains(".snd.")
    };
    let mut paths: Vec<PathBuf> = names.filter(is_elsewhere).collect();
    let senders: Vec<PathBuf> = paths
        .iter()
        .map(|path| path.to_string_lossy().replace(".rcv.", ".snd.").replace(".mid.", ".snd."))
        .map(PathBuf::from)
        .filter(|path| path.is_file())
        .collect();
    paths.extend(senders);
    paths.sort();
    paths.dedup();
    paths
}

fn flows(corpus: &Path, id: &str) -> Vec<Value> {
    let text = std::fs::read(corpus.join(format!("{id}.truth.json"))).unwrap();
    let truth: Value = serde_json::from_slice(&text).unwrap();
    truth["flows"].as_array().unwrap().clone()
}

fn is_same(flow: &FlowReport, truth: &Value) -> bool {
    let port = |name: &str| truth[name].as_u64();
    port("sport") == Some(flow.src.port.into()) && port("dport") == Some(flow.dst.port.into())
}

/// Nothing follows a direction without payload: what the user says is all that is known.
#[test]
fn a_place_that_is_told_counts_without_data_too() {
    let handshake = Trace::established();
    let mut config = Config::default();
    for place in [Vantage::Sender, Vantage::Receiver, Vantage::Middle] {
        config.vantage = Some(place);
        let octets = Cursor::new(handshake.packets().pcap(96));
        let report = analyze_stream("a handshake", octets, &config).unwrap();
        assert_eq!(report.flows[0].vantage, place, "{handshake}");
    }
}

/// A server answers in two windows, 80 ms away from its client: between the first packet that reached it and
/// the last, its own or the client's, lie 240 ms or 320, wherever the tap stands.
#[test]
fn a_server_s_time_is_what_passes_there() {
    let seen = |to_server_ms: u32, closes_first: Side| {
        let report = download(to_server_ms, closes_first).analyze();
        let flow = report.flows.into_iter().find(|flow| flow.payload_bytes == 20_000).unwrap();
        let whole = flow.intervals.iter().map(|it| it.end_s - it.start_s).sum::<f64>();
        assert!((whole - flow.duration_s).abs() < 1e-9);
        (flow.vantage, (flow.start_s * 1e3).round(), (flow.duration_s * 1e3).round())
    };
    for (closes_first, ms) in [(Side::Server, 240.0), (Side::Client, 320.0)] {
        assert_eq!(seen(0, closes_first), (Vantage::Sender, 0.0, ms));
        assert_eq!(seen(20, closes_first), (Vantage::Middle, 40.0, ms));
        assert_eq!(seen(40, closes_first), (Vantage::Receiver, 80.0, ms));
    }
}

/// Captured so far from the server.
fn download(to_server_ms: u32, closes_first: Side) -> Packets {
    const CLIENT: u32 = 1_000_000;
    const SERVER: u32 = 5_000_000;
    const FIN: u32 = SERVER + 20_001;
    let mut packets = Vec::new();
    let mut push = |from: Side, sent_ms: u32, seq: u32, ack: Option<u32>, len: u32| {
        let way_ms = if from == Side::Server { to_server_ms } else { 40 - to_server_ms };
        let timestamps = Some((90_000 + sent_ms, 90_000 + sent_ms.saturating_sub(40)));
        let time = ms((sent_ms + way_ms).into());
        let is_syn = seq == CLIENT || seq == SERVER;
        packets.push(Packet {
            ack,
            len,
            window: 60_000,
            timestamps,
            syn: is_syn,
            offer: is_syn.then_some((1460, Some(0), true)),
            fin: seq == FIN || (from == Side::Client && sent_ms == 240),
            ..Packet::new(time, from, seq)
        });
    };
    push(Side::Client, 0, CLIENT, None, 0);
    push(Side::Server, 40, SERVER, Some(CLIENT + 1), 0);
    push(Side::Client, 80, CLIENT + 1, Some(SERVER + 1), 100);
    for (sent_ms, first) in [(120, 0), (200, 10)] {
        for part in first..first + 10 {
            push(Side::Server, sent_ms, SERVER + 1 + part * 1000, Some(CLIENT + 101), 1000);
        }
        if sent_ms == 120 {
            push(Side::Client, 160, CLIENT + 101, Some(SERVER + 10_001), 0);
        }
    }
    // The client's FIN is at 240 ms in either case.
    if closes_first == Side::Server {
        push(Side::Server, 200, FIN, Some(CLIENT + 101), 0);
        push(Side::Client, 240, CLIENT + 101, Some(FIN + 1), 0);
        push(Side::Server, 280, FIN + 1, Some(CLIENT + 102), 0);
    } else {
        push(Side::Client, 240, CLIENT + 101, Some(FIN), 0);
        push(Side::Server, 280, FIN, Some(CLIENT + 102), 0);
        push(Side::Client, 320, CLIENT + 102, Some(FIN + 1), 0);
    }
    packets.sort_by_key(|packet| packet.time);
    Packets { packets }
}

/// Captured in the midst of a transfer, without timestamps: the receiver's ACKs come at once, and nothing but
/// the routers on the way of either tells who is near.
#[test]
fn routers_tell_whose_host_is_near() {
    let seen = |client_ttl: u8, server_ttl: u8| {
        // A window of data every 100 ms.
        let rounds = (0..20).fold(Trace::midway(), |trace, nth: u32| {
            let (start, time) = (nth * 4000, ms(100) * nth);
            let mut trace = trace;
            for part in 0..2 {
                let (start, time) = (start + part * 2000, time + ms(part.into()));
                trace = trace.at(time).data_of_more(start..start + 2000);
                trace = trace.at(time + Duration::from_micros(30)).ack(start + 2000);
            }
            trace
        });
        let mut capture = rounds.packets().clone();
        for packet in &mut capture.packets {
            packet.ttl = if packet.from == Side::Client { client_ttl } else { server_ttl };
        }
        capture.client_flow()
    };
    let has = |flow: &FlowReport, code: &str| flow.notes.iter().any(|note| note.code.0 == code);
    for (client, server, expected) in [
        (64, 64, Vantage::Unknown),
        (63, 64, Vantage::Unknown), // A container of the capturing host.
        (0, 64, Vantage::Unknown),
        (117, 52, Vantage::Unknown),
        (50, 64, Vantage::Receiver),
        (117, 255, Vantage::Receiver),
        (64, 50, Vantage::Sender),
        (128, 243, Vantage::Sender),
    ] {
        let flow = seen(client, server);
        assert_eq!(flow.vantage, expected, "{client} {server}");
        let is_sender = expected == Vantage::Sender;
        assert_eq!(has(&flow, "N016"), expected == Vantage::Unknown, "{client} {server}");
        assert_eq!(has(&flow, "N001"), expected == Vantage::Receiver, "{client} {server}");
        // From the tap to the receiver it is no round trip.
        assert_eq!(flow.rtt.is_none(), expected == Vantage::Receiver, "{client} {server}");
        let is_low = flow.verdict.confidence == Confidence::Low;
        assert_eq!(is_low, !is_sender, "{client} {server}: {}", flow.verdict.text);
    }
}

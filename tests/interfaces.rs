//! Captures of several interfaces in one file, whose packets stand in it as the threads that took them handed
//! them over: the report is that of the sorted file, with the numbers of this one.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "test code"
)]

use std::io::Cursor;
use std::num::NonZeroUsize;

use serde_json::Value;
use tcplimit::{Config, Filter, analyze_stream};

/// A packet of the fixture.
#[derive(Clone, PartialEq)]
struct Packet {
    /// 0 for those to the server, 1 for those from it.
    interface: u32,
    nanos: u64,
    wire_len: u32,
    bytes: Vec<u8>,
}

/// `dumpcap -i a -i b`: the answers were handed over late.
#[test]
fn what_one_interface_hands_over_late_changes_no_verdict() {
    let sorted = packets();
    for late_ms in [5, 250, 2_000] {
        let mut written = sorted.clone();
        written
            .sort_by_key(|packet| packet.nanos + u64::from(packet.interface) * late_ms * 1_000_000);
        let numbers: Vec<u64> = sorted
            .iter()
            .map(|packet| 1 + written.iter().position(|other| other == packet).unwrap() as u64)
            .collect();
        let mut expected = report(&pcapng(&sorted), 1, None);
        renumber(&mut expected, &numbers);
        for threads in [1, 2] {
            assert_eq!(report(&pcapng(&written), threads, None), expected, "{late_ms} ms late");
        }
    }
}

/// Both interfaces take all of them, as `-i any` does on a bridge.
#[test]
fn what_is_recorded_twice_was_sent_once() {
    let once = packets();
    let twice: Vec<Packet> = once
        .iter()
        .flat_map(|packet| [0, 1].map(|it| Packet { interface: it, ..packet.clone() }))
        .collect();
    let [once, twice] = [once, twice].map(|packets| report(&pcapng(&packets), 1, None));
    let [before, flow] = [&once, &twice].map(|report| &report["flows"][0]);
    for key in ["payload_bytes", "reverse_payload_bytes", "goodput_bps", "retransmitted_bytes"] {
        assert_eq!(flow[key], before[key], "{key}");
    }
    assert_eq!(twice["summary"]["payload_bytes"], before["payload_bytes"]);
    assert_eq!(flow["artefacts"]["capture_duplicate_bytes"], before["payload_bytes"]);
    assert_eq!(flow["packets"].as_u64(), before["packets"].as_u64().map(|count| 2 * count));
}

#[test]
fn filters_see_the_packets_by_time() {
    let Ok(filter) = Filter::new("tcp port 5001") else { return };
    let sorted = packets();
    let mut written = sorted.clone();
    written.sort_by_key(|packet| packet.nanos + u64::from(packet.interface) * 5_000_000);
    let report = |packets: &[Packet]| {
        let mut report = report(&pcapng(packets), 1, Some(filter.clone()));
        renumber(&mut report, &vec![0; packets.len()]);
        report
    };
    assert_eq!(report(&written), report(&sorted));
}

/// Of a transfer of a receive window, without the numbers that would tell a file from another.
fn packets() -> Vec<Packet> {
    let octets = std::fs::read("fixtures/receiver-window.pcap").unwrap();
    let word = |at: usize| u32::from_le_bytes(octets[at..at + 4].try_into().unwrap());
    let tick_nanos = if word(0) == 0xa1b2_3c4d { 1 } else { 1000 };
    let mut packets = Vec::new();
    let mut at = 24;
    while at < octets.len() {
        let [seconds, fraction, len, wire_len] = [0, 4, 8, 12].map(|of| word(at + of));
        let bytes = octets[at + 16..at + 16 + len as usize].to_vec();
        let interface = u32::from(bytes[34..36] == 5001_u16.to_be_bytes());
        let nanos = u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * tick_nanos;
        packets.push(Packet { interface, nanos, wire_len, bytes });
        at += 16 + len as usize;
    }
    packets
}

/// A file of two interfaces.
fn pcapng(packets: &[Packet]) -> Vec<u8> {
    let mut octets = block(0x0a0d_0d0a, &[0x1a2b_3c4d, 1, u32::MAX, u32::MAX], &[]);
    for _ in 0..2 {
        // if_tsresol: nanoseconds.
        octets.extend(block(1, &[1, 0, 1 << 16 | 9, 9, 0], &[]));
    }
    for Packet { interface, nanos, wire_len, bytes } in packets {
        let [high, low] =
            [nanos >> 32, nanos & 0xffff_ffff].map(|half| u32::try_from(half).unwrap());
        let len = u32::try_from(bytes.len()).unwrap();
        octets.extend(block(6, &[*interface, high, low, len, *wire_len], bytes));
    }
    octets
}

fn block(kind: u32, words: &[u32], data: &[u8]) -> Vec<u8> {
    let mut body: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    body.extend(data);
    body.resize(body.len().next_multiple_of(4), 0);
    let len = u32::try_from(body.len() + 12).unwrap().to_le_bytes();
    [&kind.to_le_bytes()[..], &len, &body, &len].concat()
}

fn report(octets: &[u8], threads: usize, filter: Option<Filter>) -> Value {
    let mut config = Config::default();
    config.threads = NonZeroUsize::new(threads);
    config.filter = filter;
    let report = analyze_stream("two interfaces", Cursor::new(octets.to_vec()), &config).unwrap();
    let report = serde_json::to_value(report).unwrap();
    assert!(!report.to_string().contains("W007"), "{report}");
    report
}

/// Gives the frames other numbers.
fn renumber(value: &mut Value, numbers: &[u64]) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| renumber(value, numbers)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_u64().filter(|_| name.ends_with("_frame")) {
                    Some(number) => *value = numbers[usize::try_from(number).unwrap() - 1].into(),
                    None => renumber(value, numbers),
                }
            }
        }
        _ => {}
    }
}

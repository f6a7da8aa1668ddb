//! What routers say of packets that are too large for their next link.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "test code"
)]

use std::io::Cursor;
use std::num::NonZeroUsize;

use tcplimit::model::{FlowReport, Report};
use tcplimit::{Config, analyze_stream};

/// Octets of the headers of file, record and Ethernet.
const FILE: usize = 24;
const RECORD: usize = 16;
const ETHERNET: usize = 14;

/// The captured octets of the records of a little-endian file, with their headers.
fn records(file: &[u8]) -> Vec<&[u8]> {
    let mut records = Vec::new();
    let mut rest = &file[FILE..];
    while rest.len() >= RECORD {
        let captured = u32::from_le_bytes(rest[8..12].try_into().unwrap());
        let (record, behind) = rest.split_at(RECORD + usize::try_from(captured).unwrap());
        records.push(record);
        rest = behind;
    }
    records
}

/// An ICMP message about the packet of `record`, from 198.51.100.1 and of the same time.
fn about(record: &[u8], kind: u8, code: u8, mtu: u16) -> Vec<u8> {
    let dropped = &record[RECORD + ETHERNET..];
    let mut frame = record[RECORD..RECORD + ETHERNET].to_vec();
    frame.extend([0x45, 0, 0, 56, 0, 0, 0, 0, 64, 1, 0, 0, 198, 51, 100, 1]);
    frame.extend(&dropped[12..16]);
    frame.extend([kind, code, 0, 0, 0, 0]);
    frame.extend(mtu.to_be_bytes());
    frame.extend(&dropped[..28]);
    let len = u32::try_from(frame.len()).unwrap().to_le_bytes();
    [&record[..8], &len, &len, &frame].concat()
}

/// A fixture with a message behind the `nth` packet, counted from 0, about that packet.
fn with(name: &str, nth: usize, (kind, code, mtu): (u8, u8, u16)) -> Vec<u8> {
    let octets = zstd::decode_all(std::fs::read(format!("fixtures/{name}")).unwrap().as_slice());
    let file = octets.unwrap();
    let mut records: Vec<Vec<u8>> = records(&file).into_iter().map(<[u8]>::to_vec).collect();
    let message = about(&records[nth], kind, code, mtu);
    records.insert(nth + 1, message);
    [file[..FILE].to_vec(), records.concat()].concat()
}

fn report_on(file: &[u8], threads: usize) -> Report {
    let mut config = Config::default();
    config.threads = NonZeroUsize::new(threads);
    analyze_stream("input", Cursor::new(file.to_vec()), &config).unwrap()
}

fn notes(flow: &FlowReport) -> Vec<&str> {
    let notes = flow.notes.iter().filter(|note| note.code.to_string() == "N018");
    notes.map(|note| note.text.as_str()).collect()
}

fn advice(flow: &FlowReport) -> Vec<&str> {
    let advice = flow.verdict.advice.iter().filter(|advice| advice.code.to_string() == "A011");
    advice.map(|advice| advice.text.as_str()).collect()
}

/// The packet behind which the message stands: the first large one.
fn first_large(name: &str) -> usize {
    let file = zstd::decode_all(std::fs::read(format!("fixtures/{name}")).unwrap().as_slice());
    let is_large =
        |record: &&[u8]| u16::from_be_bytes([record[RECORD + 16], record[RECORD + 17]]) > 1400;
    records(&file.unwrap()).iter().position(is_large).unwrap()
}

/// A firewall of the sender's drops what the router says.
#[test]
fn a_sender_that_does_not_hear_it_is_told_so() {
    let name = "congestion-window--mtu-black-hole.pcap.zst";
    let nth = first_large(name);
    let report = report_on(&with(name, nth, (3, 4, 1400)), 1);
    let [flow, back] = report.flows.as_slice() else { panic!("{} flows", report.flows.len()) };
    let frame = nth + 2;
    assert_eq!(
        notes(flow),
        [format!(
            "198.51.100.1 said 1 time that its next link takes packets of 1400 B at most (first in frame {frame})"
        )]
    );
    let [advice] = advice(flow)[..] else { panic!("{:?}", flow.verdict.advice) };
    let start = format!(
        "frame {frame} says that the next link of 198.51.100.1 takes packets of 1400 B at most"
    );
    assert!(advice.starts_with(&start), "{advice}");
    assert!(notes(back).is_empty());
    let threads = [2, 4].map(|threads| report_on(&with(name, nth, (3, 4, 1400)), threads));
    for other in threads {
        assert_eq!(other.flows, report.flows);
    }
}

/// Its segments become smaller: that is all there is to say.
#[test]
fn a_sender_that_goes_on_is_not_advised() {
    let name = "congestion-window--random-loss.pcap.zst";
    let nth = first_large(name);
    let report = report_on(&with(name, nth, (3, 4, 0)), 1);
    let told = "198.51.100.1 said 1 time that its next link does not take packets so large";
    let of_sender: Vec<&FlowReport> =
        report.flows.iter().filter(|flow| !notes(flow).is_empty()).collect();
    let [flow] = of_sender[..] else { panic!("{} flows", of_sender.len()) };
    assert!(notes(flow)[0].starts_with(told), "{:?}", notes(flow));
    assert_eq!(advice(flow), Vec::<&str>::new());
}

/// A port at which nothing listens, a time to live that ran out.
#[test]
fn other_messages_say_nothing() {
    let name = "congestion-window--mtu-black-hole.pcap.zst";
    for (kind, code) in [(3, 3), (3, 1), (11, 0), (4, 4)] {
        let report = report_on(&with(name, first_large(name), (kind, code, 1400)), 1);
        assert!(report.flows.iter().all(|flow| notes(flow).is_empty()), "{kind} {code}");
    }
}

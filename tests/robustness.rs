//! Damaged, cut and made-up input: a report or an error, never a panic, and the same each time.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "test code"
)]

use std::io::{Cursor, Read, Write as _};

use proptest::prelude::*;
use tcplimit::model::{FlowReport, Report};
use tcplimit::testing::{Path, Trace, ms};
use tcplimit::{Config, Error, analyze, analyze_stream};

/// Octets of pcap's file header and of each record's header.
const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;

/// A file cut anywhere gives the report of its whole packets before the cut, and one note.
#[test]
fn every_prefix_reports_its_whole_packets() {
    let whole = small();
    let ends = record_ends(&whole);
    for len in FILE_HEADER..=whole.len() {
        let report = report_on(&whole[..len]).unwrap();
        let end = *ends.iter().rfind(|end| **end <= len).unwrap();
        let before = report_on(&whole[..end]).unwrap();
        assert_eq!(report.flows, before.flows, "cut at {len}");
        assert_eq!(report.input.packets, before.input.packets, "cut at {len}");
        assert_eq!(report.input.damage.is_some(), len != end, "cut at {len}");
    }
}

/// Less than a file header gives no report, and says so.
#[test]
fn every_prefix_of_the_header_is_an_error() {
    let whole = small();
    for len in 0..FILE_HEADER {
        assert!(report_on(&whole[..len]).is_err(), "cut at {len}");
    }
}

/// Each octet of a small file, changed in three ways.
#[test]
fn every_changed_octet_is_survived() {
    let whole = small();
    for position in 0..whole.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[position] ^= change;
            judge(&damaged);
        }
    }
}

/// A seeded sample of changes to a larger file, plain and compressed.
#[test]
fn changes_of_larger_files_are_survived() {
    let names = [
        "receiver-window.pcap",
        "congestion-window--random-loss.pcap.zst",
        "receiver-window--ipv6.pcap.zst",
        "application--short-transfer.pcap.zst",
    ];
    let mut random = 7_u64;
    let mut draw = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(random >> 33).unwrap() % below
    };
    for name in names {
        let whole = fixture(name);
        let plain = decompressed(name);
        for _ in 0..200 {
            for original in [&whole, &plain] {
                let mut damaged = original.clone();
                for _ in 0..=draw(8) {
                    let position = draw(damaged.len());
                    damaged[position] = u8::try_from(draw(256)).unwrap();
                }
                damaged.truncate(FILE_HEADER + draw(damaged.len() - FILE_HEADER));
                judge(&damaged);
            }
        }
    }
}

/// A record that claims 4 GB does not get it.
#[test]
fn a_length_field_buys_no_memory() {
    let mut damaged = small();
    damaged[FILE_HEADER + 8..FILE_HEADER + 12].copy_from_slice(&u32::MAX.to_le_bytes());
    let report = report_on(&damaged).unwrap();
    assert_eq!(report.input.packets, 0);
    assert!(report.input.damage.is_some());
}

/// Half-open connections are the first to be given up, and what is kept of them is bounded; a
/// transfer in their midst is reported as if it were alone.
#[test]
fn a_syn_flood_leaves_a_transfer_as_it_is() {
    const SYNS_PER_PACKET: u32 = 60;
    let path = Path { rcvbuf: 32_000, ..Path::default() };
    let alone = path.capture().pcap(80);
    let ends = record_ends(&alone);
    let syn = alone[ends[0]..ends[1]].to_vec();
    let mut flood = alone[..FILE_HEADER].to_vec();
    let mut count = 0_u32;
    for pair in ends.windows(2) {
        let record = &alone[pair[0]..pair[1]];
        flood.extend(record);
        for _ in 0..SYNS_PER_PACKET {
            count += 1;
            let mut copy = syn.clone();
            copy[..8].copy_from_slice(&record[..8]);
            // The source address follows 14 octets of Ethernet and 12 of IPv4.
            let source = RECORD_HEADER + 26;
            copy[source..source + 4].copy_from_slice(&(0x0a00_0000 + count).to_be_bytes());
            flood.extend(copy);
        }
    }
    let expected = report_on(&alone).unwrap();
    let report = report_on(&flood).unwrap();
    assert_eq!(report.input.connections, u64::from(count) + 1);
    assert!(count > 100_000);
    let transfer = report.flows.iter().max_by_key(|flow| flow.payload_bytes).unwrap();
    assert_eq!(without_frames(transfer), without_frames(&expected.flows[0]));
}

/// How the octets come in changes nothing.
#[test]
fn containers_and_runs_do_not_change_the_report() {
    let name = "congestion-window--random-loss.pcap.zst";
    let plain = decompressed(name);
    let expected = report_on(&plain).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&plain).unwrap();

    let again = report_on(&plain).unwrap();
    let zstd = report_on(&fixture(name)).unwrap();
    let gzip = report_on(&gzip.finish().unwrap()).unwrap();
    let piped = analyze_stream("input", Slow(Cursor::new(plain)), &Config::default()).unwrap();
    for report in [again, zstd, gzip, piped] {
        assert_eq!(json(&report), json(&expected));
    }
}

/// One packet's seconds, whichever bit of them flips: the report is the same, with a note that says so.
#[test]
fn a_damaged_time_spoils_no_report() {
    let whole = fixture("receiver-window.pcap");
    let expected = report_on(&whole).unwrap();
    let ends = record_ends(&whole);
    for position in [1, ends.len() / 3, ends.len() / 2] {
        for bit in [3, 8, 16, 20, 31] {
            let mut damaged = whole.clone();
            damaged[ends[position] + bit / 8] ^= 1 << (bit % 8);
            let report = report_on(&damaged).unwrap();
            assert_eq!(report.flows, expected.flows, "bit {bit} after packet {position}");
            assert_eq!(report.input.duration_s.to_bits(), expected.input.duration_s.to_bits());
            let [note] = report.notes.as_slice() else { panic!("{:?}", report.notes) };
            let start = format!("input: packet {} carries the time ", position + 1);
            assert!(note.code.to_string() == "W017" && note.text.starts_with(&start), "{note:?}");
        }
    }
}

/// By 5 ms or by an hour, in the midst of a transfer: its times go on, and nothing is longer for it.
#[test]
fn a_clock_that_is_set_back_spoils_no_report() {
    let whole = fixture("receiver-window.pcap");
    let expected = &report_on(&whole).unwrap().flows[0];
    let ends = record_ends(&whole);
    for back_ms in [5, 20, 60, 240, 1_000, 60_000, 3_600_000] {
        for position in [ends.len() / 3, ends.len() / 2] {
            let mut set = whole.clone();
            for start in &ends[position..ends.len() - 1] {
                record_earlier(&mut set, *start, back_ms);
            }
            let flow = &report_on(&set).unwrap().flows[0];
            let context = format!("{back_ms} ms after packet {position}");
            assert_eq!(flow.verdict.limit, expected.verdict.limit, "{context}");
            assert_eq!(flow.verdict.confidence, expected.verdict.confidence, "{context}");
            assert_eq!(flow.path.verdict, expected.path.verdict, "{context}");
            let advice = |flow: &FlowReport| -> Vec<String> {
                flow.verdict.advice.iter().map(|advice| advice.code.to_string()).collect()
            };
            assert_eq!(advice(flow), advice(expected), "{context}");
            assert!(
                (flow.duration_s - expected.duration_s).abs() < 0.03,
                "{context}: {}",
                flow.duration_s
            );
            let [least, before] = [flow, expected].map(|flow| flow.rtt.unwrap().min_us);
            assert!((least - before).abs() < 1.0, "{context}: {least}");
            assert!(has_set_clock(flow), "{context}");
        }
    }
}

/// Whatever is recorded late, of one end or of some packets: that was no clock.
#[test]
fn packets_that_are_recorded_late_set_no_clock() {
    let whole = fixture("receiver-window.pcap");
    let ends = record_ends(&whole);
    let is_answer = |record: &[u8]| record[RECORD_HEADER + 34..][..2] == 5001_u16.to_be_bytes();
    let is_seventh = |index: usize| index % 7 == 0;
    for late_by in [3, 40] {
        for has_late_end in [true, false] {
            let mut records: Vec<(usize, &[u8])> =
                ends.windows(2).map(|pair| &whole[pair[0]..pair[1]]).enumerate().collect();
            records.sort_by_key(|(index, record)| {
                let is_late = if has_late_end { is_answer(record) } else { is_seventh(*index) };
                index + if is_late { late_by } else { 0 }
            });
            let records = records.into_iter().map(|(_, record)| record);
            let file: Vec<u8> =
                [&whole[..FILE_HEADER]].into_iter().chain(records).flatten().copied().collect();
            let flow = &report_on(&file).unwrap().flows[0];
            assert!(!has_set_clock(flow), "{late_by} places late: {:?}", flow.notes);
        }
    }
}

fn has_set_clock(flow: &FlowReport) -> bool {
    flow.notes.iter().any(|note| note.code.to_string() == "W007")
}

/// Lets the record that begins at `start` carry an earlier time.
fn record_earlier(file: &mut [u8], start: usize, ms: u64) {
    let word = |at: usize| u64::from(u32::from_le_bytes(file[at..at + 4].try_into().unwrap()));
    let second = if word(0) == 0xa1b2_3c4d { 1_000_000_000 } else { 1_000_000 };
    let earlier = word(start) * second + word(start + 4) - ms * (second / 1000);
    for (at, part) in [(start, earlier / second), (start + 4, earlier % second)] {
        file[at..at + 4].copy_from_slice(&u32::try_from(part).unwrap().to_le_bytes());
    }
}

/// What a record says of one packet's length on the wire, whichever bit of it flips: the path stays what it
/// was.
#[test]
fn a_damaged_length_spoils_no_path() {
    let whole = decompressed("congestion-window--random-loss.pcap.zst");
    let expected = &report_on(&whole).unwrap().flows[0];
    let ends = record_ends(&whole);
    for bit in 16..32 {
        let mut damaged = whole.clone();
        damaged[ends[ends.len() / 3] + 12 + bit / 8] ^= 1 << (bit % 8);
        let flow = &report_on(&damaged).unwrap().flows[0];
        assert_eq!(flow.path.verdict, expected.path.verdict, "bit {bit}");
        assert_eq!(flow.path.capacity, expected.path.capacity, "bit {bit}");
    }
}

/// A directory of the parts of a capture is the capture.
#[test]
fn a_rotation_is_one_capture() {
    let whole = decompressed("congestion-window--random-loss.pcap.zst");
    let ends = record_ends(&whole);
    let middle = ends[ends.len() / 2];
    let directory = tempfile::tempdir().unwrap();
    let second = [&whole[..FILE_HEADER], &whole[middle..]].concat();
    std::fs::write(directory.path().join("b.pcap"), &whole[..middle]).unwrap();
    std::fs::write(directory.path().join("a.pcap"), second).unwrap();

    let parts = analyze(&[directory.path().to_owned()], &Config::default()).unwrap();
    assert_eq!(parts.flows, report_on(&whole).unwrap().flows);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Arbitrary octets, as a file and as the packets of one.
    #[test]
    fn arbitrary_octets_are_survived(octets in proptest::collection::vec(any::<u8>(), 0..600)) {
        judge(&octets);
        let mut file = small();
        file.truncate(FILE_HEADER);
        let len = u32::try_from(octets.len()).unwrap();
        for _ in 0..2 {
            for field in [1, 1, len, len] {
                file.extend(field.to_le_bytes());
            }
            file.extend(&octets);
        }
        judge(&file);
    }

    /// Arbitrary TCP headers on one connection: windows, flags and numbers that make no sense.
    #[test]
    fn arbitrary_segments_are_survived(
        headers in proptest::collection::vec(any::<[u8; 16]>(), 1..40),
    ) {
        let mut file = small();
        let ends = record_ends(&file);
        for (end, header) in ends.iter().zip(&headers) {
            // Ethernet 14, IPv4 20, ports 4: then sequence number to urgent pointer.
            let start = end + RECORD_HEADER + 14 + 20 + 4;
            if let Some(octets) = file.get_mut(start..start + 16) {
                octets.copy_from_slice(header);
            }
        }
        judge(&file);
    }

    /// Sequence numbers are relative: where they start changes nothing.
    #[test]
    fn the_initial_sequence_number_changes_nothing(isn in any::<u32>()) {
        prop_assert_eq!(lossy(Trace::opened_from(isn)).flow(), lossy(Trace::opened_from(0)).flow());
    }

    /// Times are relative: when the transfer ran changes nothing but the date.
    #[test]
    fn the_start_time_changes_nothing(seconds in 1_u32..2_000_000_000) {
        let file = lossy(Trace::established()).packets().pcap(128);
        let mut moved = file.clone();
        for end in record_ends(&file) {
            if let Some(field) = moved.get_mut(end..end + 4) {
                let time = u32::from_le_bytes(field.try_into().unwrap());
                field.copy_from_slice(&(time - 1_767_225_600 + seconds).to_le_bytes());
            }
        }
        prop_assert_eq!(report_on(&moved).unwrap().flows, report_on(&file).unwrap().flows);
    }
}

/// On paths of known cause a sender never has more in flight than the window that it knows.
#[test]
fn flight_stays_within_the_window() {
    for rcvbuf in [16_000, 32_000, 64_000] {
        let flow = Path { rcvbuf, ..Path::default() }.flow();
        assert!(flow.flight_max_bytes <= rcvbuf, "{} > {rcvbuf}", flow.flight_max_bytes);
    }
}

/// A transfer with a loss and its repair.
fn lossy(trace: Trace) -> Trace {
    trace
        .mss(1000)
        .at(ms(0))
        .data(0..5000)
        .at(ms(20))
        .ack(1000)
        .sack(1000, 2000..3000)
        .sack(1000, 2000..5000)
        .at(ms(21))
        .data(1000..2000)
        .at(ms(41))
        .ack(5000)
        .data(5000..6000)
        .at(ms(61))
        .ack(6000)
        .fin(6000)
        .at(ms(81))
        .fin_ack(6000)
}

/// A file below 4 kB.
fn small() -> Vec<u8> {
    let file = lossy(Trace::established()).packets().pcap(80);
    assert!(file.len() < 4096);
    file
}

/// Where each record ends, the file header's end in front.
fn record_ends(file: &[u8]) -> Vec<usize> {
    let mut ends = vec![FILE_HEADER];
    let mut end = FILE_HEADER;
    while let Some(field) = file.get(end + 8..end + 12) {
        end +=
            RECORD_HEADER + usize::try_from(u32::from_le_bytes(field.try_into().unwrap())).unwrap();
        ends.push(end);
    }
    ends
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("fixtures/{name}")).unwrap()
}

fn decompressed(name: &str) -> Vec<u8> {
    let octets = fixture(name);
    if name.ends_with("zst") { zstd::decode_all(octets.as_slice()).unwrap() } else { octets }
}

fn report_on(octets: &[u8]) -> Result<Report, Error> {
    analyze_stream("input", Cursor::new(octets.to_vec()), &Config::default())
}

/// A flow's report but for its frame numbers, which count the other packets too.
fn without_frames(flow: &FlowReport) -> serde_json::Value {
    let mut value = serde_json::to_value(flow).unwrap();
    for interval in value["intervals"].as_array_mut().unwrap() {
        let interval = interval.as_object_mut().unwrap();
        assert!(
            interval.remove("first_frame").is_some() && interval.remove("last_frame").is_some()
        );
    }
    value
}

/// Whatever is read, the shares of each flow sum to 1 and the report can be written.
fn judge(octets: &[u8]) {
    let Ok(report) = report_on(octets) else { return };
    for flow in &report.flows {
        let limits = serde_json::to_value(&flow.limits).unwrap();
        let sum: f64 =
            limits.as_object().unwrap().values().map(|l| l["share"].as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-6, "shares sum to {sum}");
    }
    json(&report);
}

fn json(report: &Report) -> String {
    serde_json::to_string(report).unwrap()
}

/// A pipe that gives a few octets at a time.
struct Slow(Cursor<Vec<u8>>);

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = buffer.len().min(7);
        self.0.read(&mut buffer[..len])
    }
}

//! A look into an analysis while it runs.
#![expect(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "test code"
)]

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tcplimit::model::{Glance, Limit};
use tcplimit::report::{glance_head, glance_lines};
use tcplimit::{Config, Watch, analyze_stream};

/// A file that comes in small pieces, with a question before each.
struct Asking {
    file: Box<dyn Read + Send>,
    watch: Arc<Watch>,
}

impl Read for Asking {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.watch.ask();
        let len = buffer.len().min(4096);
        self.file.read(buffer.get_mut(..len).unwrap_or_default())
    }
}

/// The last glance at a capture.
fn glance() -> Glance {
    glance_at(Box::new(File::open("fixtures/receiver-window.pcap").unwrap()))
}

fn glance_at(input: Box<dyn Read + Send>) -> Glance {
    let watch = Arc::new(Watch::default());
    let mut config = Config::default();
    config.watch = Some(Arc::clone(&watch));
    let input = Asking { file: input, watch: Arc::clone(&watch) };
    analyze_stream("lo", input, &config).unwrap();
    let glance = watch.take().unwrap();
    assert!(watch.take().is_none());
    glance
}

#[test]
fn a_glance_names_what_limits_the_flow_now() {
    let glance = glance();
    let [flow] = glance.flows.as_slice() else { panic!("{glance:?}") };
    assert!(flow.payload_bytes > 900_000, "{flow:?}");
    assert_eq!(flow.limit.unwrap().0, Limit::ReceiveWindow);
    assert!(flow.quiet_s < 0.1 && glance.time_s > 1.0, "{glance:?}");
    assert_eq!(glance.connections, 1);
}

#[test]
fn what_the_capture_recorded_twice_is_shown_once() {
    let plain = std::fs::read("fixtures/receiver-window.pcap").unwrap();
    let (header, mut rest) = plain.split_at(24);
    let mut doubled = header.to_vec();
    while let Some(length) = rest.get(8..12) {
        let length = u32::from_le_bytes(length.try_into().unwrap());
        let (record, others) = rest.split_at(16 + usize::try_from(length).unwrap());
        doubled.extend([record, record].concat());
        rest = others;
    }
    let sent = |glance: Glance| glance.flows[0].payload_bytes;
    assert_eq!(sent(glance_at(Box::new(Cursor::new(doubled)))), sent(glance()));
}

/// A packet at a time, each as far behind the one before it as a pause is.
struct Slow {
    records: std::vec::IntoIter<Vec<u8>>,
    given: u64,
    analysed: Arc<AtomicU64>,
    waiting: Arc<AtomicU64>,
}

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let analysed = self.analysed.load(Ordering::Relaxed);
        self.waiting.fetch_max(self.given.saturating_sub(analysed), Ordering::Relaxed);
        let Some(record) = self.records.next() else { return Ok(0) };
        self.given += u64::from(record.len() > 24);
        buffer[..record.len()].copy_from_slice(&record);
        Ok(record.len())
    }
}

#[test]
fn who_watches_waits_for_no_other_packet() {
    let capture = std::fs::read("fixtures/receiver-window.pcap").unwrap();
    let (header, records) = capture.split_at(24);
    let frame = &records[16..82];
    let record = |second: u32| {
        let words = [second, 0, 66, 66].map(u32::to_le_bytes);
        [words.concat().as_slice(), frame].concat()
    };
    let pieces = std::iter::once(header.to_vec()).chain((1..9).map(|it| record(it * 3)));
    let waiting = |watch: Option<Arc<Watch>>| {
        let (analysed, waiting) = <(Arc<AtomicU64>, Arc<AtomicU64>)>::default();
        let mut config = Config::default();
        (config.watch, config.packets) = (watch, Arc::clone(&analysed));
        let records = pieces.clone().collect::<Vec<_>>().into_iter();
        let input = Slow { records, given: 0, analysed, waiting: Arc::clone(&waiting) };
        analyze_stream("lo", input, &config).unwrap();
        waiting.load(Ordering::Relaxed)
    };
    assert_eq!(waiting(Some(Arc::default())), 0);
    assert_eq!(waiting(None), 2, "a time may be damaged, as those behind it tell");
}

#[test]
fn the_table_shows_rates_since_the_last_glance() {
    let now = glance();
    let mut before = now.clone();
    before.time_s -= 1.0;
    for flow in &mut before.flows {
        flow.payload_bytes -= 500_000;
    }
    let lines = glance_lines(&now, Some(&before), 10, 100);
    let [heading, line] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(heading.contains("rate now") && heading.contains("from → to"), "{heading}");
    for part in ["4.00 Mbit/s", "receive window: window full", "10.30.0.2:49645 → 10.30.1.2:5001"]
    {
        assert!(line.contains(part), "{line}");
    }
    assert_eq!(glance_lines(&now, None, 10, 30).last().unwrap().chars().count(), 30);
}

#[test]
fn drops_are_shown_with_who_made_them() {
    let head = glance_head(&Glance::default(), 900, (100, 0));
    assert!(head.contains("the kernel dropped 100 packets (10 %)"), "{head}");
    assert!(glance_head(&Glance::default(), 1, (0, 0)).contains("none dropped"));
}

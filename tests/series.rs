//! The lines that plots are drawn from: they say what the report's sums say, keep every extreme
//! however few points are wanted, and cost nothing where nobody asks.
#![expect(clippy::unwrap_used, clippy::arithmetic_side_effects, reason = "test code")]

use std::path::PathBuf;

use tcplimit::model::{FlowReport, Ranges, Report, SentKind, Series};
use tcplimit::testing::fixtures;
use tcplimit::{Config, SeriesWanted, analyze};

const BOTTLENECK: &str = "fixtures/congestion-window--bottleneck.pcap.zst";

fn wanted(points: usize) -> SeriesWanted {
    let mut wanted = SeriesWanted::default();
    wanted.points = points;
    wanted
}

fn report(file: &str, series: Option<SeriesWanted>) -> Report {
    let mut config = Config::default();
    config.series = series;
    analyze(&[PathBuf::from(file)], &config).unwrap()
}

/// The flow with most payload, and its series.
fn drawn(file: &str, points: usize) -> (FlowReport, Series) {
    let flows = report(file, Some(wanted(points))).flows;
    let flow = flows.into_iter().max_by_key(|flow| flow.payload_bytes).unwrap();
    let series = *flow.series.clone().unwrap();
    (flow, series)
}

fn count(series: &Series, kind: SentKind) -> u64 {
    let of_kind = series.sent.iter().filter(|sent| sent.kind == kind);
    of_kind.flat_map(|sent| &sent.ranges.count).sum()
}

#[test]
fn who_does_not_ask_gets_the_same_report_without_series() {
    for file in fixtures() {
        let plain = report(&file, None);
        let mut with_series = report(&file, Some(wanted(100)));
        assert!(plain.flows.iter().all(|flow| flow.series.is_none()), "{file}");
        for flow in &mut with_series.flows {
            flow.series = None;
        }
        assert_eq!(plain, with_series, "{file}");
    }
}

/// Each number of the report that the lines show as well.
#[test]
fn lines_say_what_the_report_says() {
    for file in fixtures() {
        for points in [50, 1000] {
            let (flow, series) = drawn(&file, points);
            assert_eq!(series.flight.bytes.iter().max(), Some(&flow.flight_max_bytes), "{file}");
            let causes = &flow.retransmissions;
            let kinds = [
                (SentKind::Fast, causes.fast_segments),
                (SentKind::Timeout, causes.timeout_segments),
                (SentKind::LossProbe, causes.loss_probe_segments),
                (SentKind::Handshake, causes.handshake_segments),
                (SentKind::Reordered, flow.artefacts.reordered_packets),
                (SentKind::KeepAlive, flow.artefacts.keep_alives),
                (SentKind::WindowProbe, flow.artefacts.window_probes),
            ];
            for (kind, expected) in kinds {
                assert_eq!(count(&series, kind), expected, "{file}: {kind:?}");
            }
            goodput_is_the_reports(&flow, &series, &file);
            rtt_is_the_reports(&flow, &series, &file);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few windows")]
fn goodput_is_the_reports(flow: &FlowReport, series: &Series, file: &str) {
    let rates = series.rates.as_ref().unwrap();
    let mean = rates.goodput_bps.iter().sum::<f64>() * rates.window_s / flow.duration_s;
    let expected = flow.goodput_bps.unwrap();
    assert!((mean - expected).abs() < expected * 1e-3, "{file}: {mean} against {expected}");
    let octets = rates.wire_bps.iter().sum::<f64>() * rates.window_s / 8.0;
    let on_the_wire = flow.payload_bytes as f64 + 40.0 * flow.packets as f64 / 2.0;
    assert!(octets > on_the_wire.min(flow.payload_bytes as f64 * 1.02), "{file}: {octets}");
}

fn rtt_is_the_reports(flow: &FlowReport, series: &Series, file: &str) {
    let Some(rtt) = &flow.rtt else { return };
    let lines = [&series.rtt.segment_end, &series.rtt.sack, &series.rtt.timestamp];
    let least = lines.iter().flat_map(|line| &line.us).copied().fold(f64::INFINITY, f64::min);
    assert!((least - rtt.min_us).abs() < 1e-6, "{file}: {least} against {}", rtt.min_us);
    let samples = [rtt.samples_segment_end, rtt.samples_sack, rtt.samples_timestamp];
    for (line, expected) in lines.iter().zip(samples) {
        assert_eq!(line.us.len() as u64 + line.left_out, expected, "{file}");
    }
}

#[test]
fn few_points_keep_every_extreme_and_say_what_they_left_out() {
    let (_, full) = drawn(BOTTLENECK, 100_000);
    let (_, few) = drawn(BOTTLENECK, 60);
    assert_eq!((full.flight.bucket_s, full.flight.left_out), (None, 0));
    assert!(few.flight.bytes.len() <= 60, "{}", few.flight.bytes.len());
    assert_eq!(few.flight.bucket_s, Some(1.0));
    let all = few.flight.bytes.len() as u64 + few.flight.left_out;
    assert_eq!(all, full.flight.bytes.len() as u64);
    assert_eq!(few.flight.bytes.iter().max(), full.flight.bytes.iter().max());
    assert_eq!(few.flight.bytes.iter().min(), full.flight.bytes.iter().min());
    let longest = |series: &Series| series.rtt.segment_end.us.iter().copied().fold(0.0, f64::max);
    assert!((longest(&few) - longest(&full)).abs() < 1e-9);
    let octets = |ranges: &Ranges| {
        (ranges.start_bytes.iter().min().copied(), ranges.end_bytes.iter().max().copied())
    };
    assert_eq!(octets(&few.sent[0].ranges), octets(&full.sent[0].ranges));
}

#[test]
fn points_stand_in_order_with_frames_that_exist() {
    for file in fixtures() {
        let report = report(&file, Some(wanted(200)));
        for flow in &report.flows {
            let series = flow.series.as_ref().unwrap();
            let lines = [&series.flight, &series.pipe, &series.rwnd, &series.acked];
            for line in lines.into_iter().chain([&series.dup_acks, &series.window_edge]) {
                assert!(line.t_s.is_sorted(), "{file}");
                assert_eq!((line.bytes.len(), line.frame.len()), (line.t_s.len(), line.t_s.len()));
                assert!(line.frame.iter().all(|frame| (1..=report.input.packets).contains(frame)));
            }
        }
    }
}

#[test]
fn only_the_flows_that_were_named_and_no_more_than_so_many_get_series() {
    let mut by_name = wanted(100);
    by_name.streams = vec![7..=9];
    let none = report(BOTTLENECK, Some(by_name));
    assert!(none.flows.iter().all(|flow| flow.series.is_none()));

    let mut of_no_flow = wanted(100);
    of_no_flow.flows = 0;
    let bare = report(BOTTLENECK, Some(of_no_flow));
    assert!(bare.flows.iter().all(|flow| flow.series.is_none()));
    let told = bare.notes.iter().find(|told| told.code.0 == "N011").unwrap();
    assert_eq!(told.text, "1 flow with the least payload has no series");
}

//! Comma-separated values (RFC 4180): a header, then a row for each flow, or for an input that gave
//! no report. Units stand in the names; unknown is empty. A number has the digits that it has in the JSON.

use std::io::{self, Write};

use super::json::Outcome;
use super::json::number::{six_decimals, six_digits};
use super::words;
use crate::model::{FlowReport, Limit, Report};

const HEADER: [&str; 25] = [
    "file",
    "stream",
    "src_ip",
    "src_port",
    "dst_ip",
    "dst_port",
    "start_s",
    "duration_s",
    "payload_bytes",
    "goodput_bps",
    "limit",
    "limit_share",
    "confidence",
    "receive_window_share",
    "send_buffer_share",
    "congestion_window_share",
    "application_share",
    "rtt_mean_us",
    "rtt_min_us",
    "retransmitted_segments",
    "stalls_count",
    "vantage",
    "scope",
    "damage",
    "error",
];

/// The first line.
pub(super) fn write_header(out: &mut dyn Write) -> io::Result<()> {
    row(&HEADER.map(str::to_owned), out)
}

/// The rows of one outcome.
pub(super) fn write(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    match outcome {
        Outcome::Report(report) => {
            report.flows.iter().try_for_each(|flow| row(&cells(flow, report), out))
        }
        Outcome::Failure(failure) => {
            let mut cells = HEADER.map(|_| String::new());
            let [file, .., error] = &mut cells;
            *file = failure.files().join(" ");
            failure.error().clone_into(error);
            row(&cells, out)
        }
    }
}

fn cells(flow: &FlowReport, report: &Report) -> [String; HEADER.len()] {
    let share = |limit: Limit| number(flow.limits.of(limit).share);
    let known = |value: Option<f64>| value.map(number).unwrap_or_default();
    let damage = report.input.damage.as_ref();
    [
        report.input.files.join(" "),
        flow.stream.to_string(),
        flow.src.ip.to_string(),
        flow.src.port.to_string(),
        flow.dst.ip.to_string(),
        flow.dst.port.to_string(),
        time(flow.start_s),
        time(flow.duration_s),
        flow.payload_bytes.to_string(),
        known(flow.goodput_bps),
        words::snake_case(&flow.verdict.limit),
        number(flow.verdict.share),
        words::snake_case(&flow.verdict.confidence),
        share(Limit::ReceiveWindow),
        share(Limit::SendBuffer),
        share(Limit::CongestionWindow),
        share(Limit::Application),
        known(flow.rtt.map(|rtt| rtt.mean_us)),
        known(flow.rtt.map(|rtt| rtt.min_us)),
        flow.retransmitted_segments.to_string(),
        flow.episodes.stalls_count.to_string(),
        words::snake_case(&flow.vantage),
        flow.scope.clone().unwrap_or_default(),
        damage.map(|damage| damage.what.clone()).unwrap_or_default(),
        String::new(),
    ]
}

/// Seconds.
fn time(value: f64) -> String {
    written(|out| six_decimals(value, out))
}

fn number(value: f64) -> String {
    written(|out| six_digits(value, out))
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    // Writing to a Vec cannot fail.
    let _ = write(&mut out);
    String::from_utf8(out).unwrap_or_default()
}

fn row(cells: &[String], out: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(cells)?;
    writer.flush()
}

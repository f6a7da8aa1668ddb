//! `tcplimit report`: what its page holds, how it is cut down, and how the command ends.
#![expect(clippy::unwrap_used, clippy::arithmetic_side_effects, reason = "test code")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tcplimit::model::{FlowReport, Report};
use tcplimit::{Config, SeriesWanted, analyze};

const RECEIVER_WINDOW: &str = "fixtures/receiver-window.pcap";

fn report(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tcplimit"));
    command.arg("report").args(arguments).output().unwrap()
}

/// The JSON document in a page, as its script reads it.
fn document(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"report\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn the_page_is_one_file_with_the_report_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    let done = report(&[RECEIVER_WINDOW, "-o", page.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(0));
    assert!(done.stdout.is_empty() && done.stderr.is_empty(), "{done:?}");
    let page = std::fs::read_to_string(page).unwrap();
    let held = document(&page);
    assert_eq!(held["flows"][0]["verdict"]["limit"], "receive_window");
    assert!(held["flows"][0]["series"]["flight"]["t_s"].as_array().unwrap().len() > 100);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    // Without scripts the text report stands there.
    assert!(page.contains("RECEIVE WINDOW limits this transfer"));
}

#[test]
fn the_same_capture_gives_the_same_page() {
    let once = report(&[RECEIVER_WINDOW]);
    assert_eq!(once.status.code(), Some(0));
    assert!(once.stdout.starts_with(b"<!doctype html>"));
    assert_eq!(once.stdout, report(&[RECEIVER_WINDOW]).stdout);
}

#[test]
fn a_cut_capture_gives_a_page_and_status_4() {
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.pcap");
    let whole = std::fs::read(RECEIVER_WINDOW).unwrap();
    std::fs::write(&cut, whole.get(..20_011).unwrap()).unwrap();
    let done = report(&[cut.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&done.stderr).starts_with("warning W001"));
    let page = String::from_utf8(done.stdout).unwrap();
    assert_eq!(document(&page)["notes"][0]["code"], "W001");
}

#[test]
fn what_is_no_capture_gives_no_page() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    let done = report(&["Cargo.toml", "-o", page.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(3));
    assert!(!page.exists());
}

#[test]
fn top_flows_are_kept_and_the_rest_is_counted() {
    let page = String::from_utf8(report(&["fixtures", "--quiet", "--top", "2"]).stdout).unwrap();
    let held = document(&page);
    assert_eq!(held["flows"].as_array().unwrap().len(), 2);
    let all = analysed(None).flows.len();
    assert!(page.contains(&format!("\"flows_left_out\":{}", all - 2)), "of {all}");
}

/// All fixtures as one capture.
fn analysed(series: Option<SeriesWanted>) -> Report {
    let mut config = Config::default();
    config.series = series;
    analyze(&[PathBuf::from("fixtures")], &config).unwrap()
}

#[test]
fn many_flows_share_the_points_and_no_extreme_is_lost() {
    let mut wanted = SeriesWanted::default();
    wanted.points = 4000;
    let full = analysed(Some(wanted.clone())).flows;
    wanted.points_in_all = 4000;
    let shared = analysed(Some(wanted)).flows;
    // 24 flows and more: 4000 are halved until 24 times as many are no more than 4000.
    assert!((17..=32).contains(&full.len()), "{} flows", full.len());
    for (full, shared) in full.iter().zip(&shared) {
        assert_points(full, shared, 125);
    }
    assert!(shared.iter().any(|flow| flow.series.as_ref().unwrap().flight.left_out > 0));
}

fn assert_points(full: &FlowReport, shared: &FlowReport, most: usize) {
    let (whole, thin) = (full.series.as_ref().unwrap(), shared.series.as_ref().unwrap());
    for (whole, thin) in [(&whole.flight, &thin.flight), (&whole.pipe, &thin.pipe)] {
        assert!(thin.t_s.len() <= most && thin.t_s.len() == thin.frame.len());
        assert_eq!(whole.bytes.iter().max(), thin.bytes.iter().max());
        assert_eq!(thin.t_s.len() as u64 + thin.left_out, whole.t_s.len() as u64 + whole.left_out);
    }
    assert!(thin.sent.is_empty() && thin.acked.t_s.is_empty() && !whole.sent.is_empty());
    let (Some(whole), Some(thin)) = (&full.cwnd, &shared.cwnd) else { return };
    assert!(thin.series.len() <= most);
    let highest = |series: &[tcplimit::model::CwndPoint]| {
        series.iter().filter_map(|point| point.high_bytes).max()
    };
    assert_eq!(highest(&whole.series), highest(&thin.series));
}

/// What is fetched once lies in the tree, with its licence.
#[test]
fn the_plotting_library_is_whole() {
    let folder = Path::new("src/report/html");
    let script = std::fs::read_to_string(folder.join("uplot.min.js")).unwrap();
    assert!(script.starts_with("/*! https://github.com/leeoniya/uPlot (v1.6.32) */"));
    let licence = std::fs::read_to_string(folder.join("uplot.LICENSE")).unwrap();
    let page = String::from_utf8(report(&[RECEIVER_WINDOW]).stdout).unwrap();
    assert!(page.contains(licence.trim()) && page.contains(script.trim()));
}

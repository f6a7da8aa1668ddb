//! The numbers behind a verdict, under stable codes.

use super::Findings;
use super::facts::Facts;
use super::why::QUEUED_MIN;
use crate::limit::{Cause, Limit};
use crate::model::{Code, Evidence, codes};
use crate::sender::TooLarge;
use crate::units::as_f64;

/// Numbers behind the headline `limit`.
pub(super) fn of(
    findings: &Findings,
    facts: &Facts,
    headline: (Limit, Option<Cause>),
) -> Vec<Evidence> {
    let (limit, cause) = headline;
    let measures = findings.ledger.measures.get(&limit).copied().unwrap_or_default();
    let mut evidence = Vec::new();
    let mut compare = |code, metric, value: Option<f64>, threshold: Option<f64>| {
        evidence.extend(value.map(|value| Evidence { code, metric, value, threshold }));
    };
    match limit {
        Limit::ReceiveWindow => {
            let code = match cause {
                Some(Cause::ZeroWindow) => codes::ZERO_WINDOW,
                _ => codes::WINDOW_FULL,
            };
            let window = measures.wnd_mean();
            let full = window.map(|wnd| wnd - as_f64(facts.smss)).filter(|full| *full > 0.0);
            let [flight, full] = [measures.flight_mean(), full].map(|it| over(it, window));
            compare(code, "flight_over_rwnd", flight, full);
            let rate = over_rtt(window, facts);
            compare(codes::WINDOW_OVER_RTT, "rwnd_over_rtt_bps", rate, facts.goodput);
        }
        Limit::SendBuffer => {
            compare(codes::FLIGHT_LEVEL, "flight_bytes", measures.flight_mean(), None);
        }
        Limit::Application => {
            compare(code_of_application(cause), "waits", Some(as_f64(measures.waits)), None);
        }
        Limit::CongestionWindow => {
            compare(codes::GROWTH, "flight_bytes", measures.flight_mean(), None);
        }
        Limit::CaptureGap => {
            compare(codes::UNSEEN, "missed_bytes", Some(as_f64(findings.totals.missed.0)), None);
        }
        Limit::HandshakeClose | Limit::Unknown => {}
    }
    let totals = &findings.totals;
    let lost = Some(totals.retransmitted_segments).filter(|lost| *lost > 0);
    compare(codes::LOSS, "retransmitted_segments", lost.map(as_f64), None);
    let timeouts = Some(totals.timeouts).filter(|timeouts| *timeouts > 0);
    compare(codes::TIMER_WAIT, "timeouts", timeouts.map(as_f64), None);
    if let Some(TooLarge { segment, passed, .. }) = facts.too_large {
        let [segment, passed] = [segment, passed].map(|octets| Some(octets.as_f64()));
        compare(codes::TOO_LARGE, "segment_lost_bytes", segment, passed);
    }
    let queue = facts.srtt.zip(facts.min_rtt).map(|(srtt, min)| (srtt - min) * 1e6);
    let felt = facts.min_rtt.map(|min| QUEUED_MIN * min * 1e6);
    compare(codes::QUEUE, "rtt_mean_minus_min_us", queue, felt);
    evidence
}

fn code_of_application(cause: Option<Cause>) -> Code {
    match cause {
        Some(Cause::Trickle | Cause::Nagle) => codes::SMALL_WRITES,
        _ => codes::NOTHING_TO_SEND,
    }
}

/// Part of `whole`.
fn over(octets: Option<f64>, whole: Option<f64>) -> Option<f64> {
    let (octets, whole) = octets.zip(whole)?;
    (whole > 0.0).then(|| octets / whole)
}

fn over_rtt(octets: Option<f64>, facts: &Facts) -> Option<f64> {
    let (octets, srtt) = octets.zip(facts.srtt)?;
    (srtt > 0.0).then(|| octets * 8.0 / srtt)
}

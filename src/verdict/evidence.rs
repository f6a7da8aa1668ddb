//! The numbers behind a verdict, under stable codes.

use super::Findings;
use super::facts::Facts;
use crate::limit::{Cause, Limit, Measures};
use crate::model::{Code, Evidence, codes};
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
    let mut add = |code, metric, value: Option<f64>| {
        let threshold = None;
        evidence.extend(value.map(|value| Evidence { code, metric, value, threshold }));
    };
    match limit {
        Limit::ReceiveWindow => {
            let code = match cause {
                Some(Cause::ZeroWindow) => codes::ZERO_WINDOW,
                _ => codes::WINDOW_FULL,
            };
            add(code, "flight_over_rwnd", flight_over_rwnd(&measures));
            add(codes::WINDOW_OVER_RTT, "rwnd_over_rtt_bps", over_rtt(measures.wnd_mean(), facts));
        }
        Limit::SendBuffer => add(codes::FLIGHT_LEVEL, "flight_bytes", measures.flight_mean()),
        Limit::Application => {
            add(code_of_application(cause), "waits", Some(as_f64(measures.waits)));
        }
        Limit::CongestionWindow => add(codes::GROWTH, "flight_bytes", measures.flight_mean()),
        Limit::CaptureGap => {
            add(codes::UNSEEN, "missed_bytes", Some(as_f64(findings.totals.missed.0)));
        }
        Limit::HandshakeClose | Limit::Unknown => {}
    }
    let totals = &findings.totals;
    let lost = Some(totals.retransmitted_segments).filter(|lost| *lost > 0);
    add(codes::LOSS, "retransmitted_segments", lost.map(as_f64));
    let timeouts = Some(totals.timeouts).filter(|timeouts| *timeouts > 0);
    add(codes::TIMER_WAIT, "timeouts", timeouts.map(as_f64));
    let queue = facts.srtt.zip(facts.min_rtt).map(|(srtt, min)| (srtt - min) * 1e6);
    add(codes::QUEUE, "rtt_mean_minus_min_us", queue);
    evidence
}

fn code_of_application(cause: Option<Cause>) -> Code {
    match cause {
        Some(Cause::Trickle | Cause::Nagle) => codes::SMALL_WRITES,
        _ => codes::NOTHING_TO_SEND,
    }
}

fn flight_over_rwnd(measures: &Measures) -> Option<f64> {
    let (flight, wnd) = measures.flight_mean().zip(measures.wnd_mean())?;
    (wnd > 0.0).then(|| flight / wnd)
}

fn over_rtt(octets: Option<f64>, facts: &Facts) -> Option<f64> {
    let (octets, srtt) = octets.zip(facts.srtt)?;
    (srtt > 0.0).then(|| octets * 8.0 / srtt)
}

//! What a loss costs this flow: seen, and by the book (`response`).

use super::Findings;
use super::congestion::limited_epochs;
use super::facts::Facts;
use crate::congestion::{BackOff, Epoch};
use crate::model::{CongestionClass, LossRecovery, PredictedRecovery, SustainedWindow};
use crate::response;
use crate::units::{as_f64, median};

/// `None` without a round-trip time or any payload.
pub(super) fn of(findings: &Findings, facts: &Facts) -> Option<LossRecovery> {
    let rtt_s = facts.srtt?;
    let smss = as_f64(facts.smss);
    if smss <= 0.0 {
        return None;
    }
    let lost: Vec<&Epoch> = limited_epochs(findings)
        .into_iter()
        .filter(|epoch| matches!(epoch.after, BackOff::Loss | BackOff::Ecn))
        .collect();
    let mut before: Vec<f64> = lost.iter().filter_map(|epoch| epoch.before).collect();
    let window = median(&mut before).unwrap_or(findings.totals.flight_max.as_f64() / smss);
    let regained = || lost.iter().filter_map(|epoch| epoch.regained);
    let mut times: Vec<f64> = regained().map(|(time, _)| time.as_secs_f64()).collect();
    let mut counts: Vec<f64> = regained().map(|(_, count)| as_f64(count)).collect();
    let events = as_f64(findings.episodes.losses.count);
    let loss_rate = (events > 0.0).then(|| events / new_segments(findings, events));
    let path = Path { smss, rtt_s };
    Some(LossRecovery {
        window_bytes: window * smss,
        window_segments: window,
        rtt_us: rtt_s * 1e6,
        losses_count: lost.len(),
        regained_count: times.len(),
        regained_s: median(&mut times),
        regained_rounds: median(&mut counts),
        predicted: path.predicted(window),
        loss_rate,
        sustained: loss_rate.map(|rate| path.sustained(rate)).unwrap_or_default(),
    })
}

/// Segments that carried something new, by what was acknowledged; no fewer than there were losses. Per loss
/// event a law lets so many out (Mathis et al., CCR 27(3), 1997, section 2): what is sent again in between is
/// none of them.
pub(super) fn new_segments(findings: &Findings, losses: f64) -> f64 {
    (findings.totals.acked.as_f64() / findings.smss.as_f64().max(1.0)).max(losses)
}

/// What the formulas need beside the window or the loss rate.
struct Path {
    smss: f64,
    rtt_s: f64,
}

impl Path {
    fn predicted(&self, window: f64) -> Vec<PredictedRecovery> {
        let of = |law, rounds: f64| PredictedRecovery { law, rounds, time_s: rounds * self.rtt_s };
        vec![
            of(CongestionClass::RenoLike, response::reno_rounds(window)),
            of(CongestionClass::Cubic, response::cubic_seconds(window, self.rtt_s) / self.rtt_s),
            of(CongestionClass::Highspeed, response::highspeed_rounds(window)),
            of(CongestionClass::Scalable, response::scalable_rounds(window)),
        ]
    }

    fn sustained(&self, loss_rate: f64) -> Vec<SustainedWindow> {
        let of = |law, segments: f64| SustainedWindow {
            law,
            window_bytes: segments * self.smss,
            rate_bps: segments * self.smss * 8.0 / self.rtt_s,
        };
        vec![
            of(CongestionClass::RenoLike, response::reno_window(loss_rate)),
            of(CongestionClass::Cubic, response::cubic_window(loss_rate, self.rtt_s)),
            of(CongestionClass::Highspeed, response::highspeed_window(loss_rate)),
            of(CongestionClass::Scalable, response::scalable_window(loss_rate)),
        ]
    }
}

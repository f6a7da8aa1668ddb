//! At which rates may the bucket fill? Those worth trying.

use super::super::deficit;
use super::super::track::Mark;

/// Candidates lie so far apart; a bucket that is emptied within seconds tells its rate no better.
const STEP: f64 = 1.03;
/// Candidates on the grid: up to 31 times the mean rate.
const STEPS: i32 = 140;
/// Candidates from pairs of losses lie so far apart.
const PAIRS_STEP: f64 = 1.015;

/// Rates to try: all from half of the mean on, which a sender that is driven back each time may be far
/// below; and what passed between losses. Between some of them the bucket never was full, and that
/// went as fast as it fills; pairs far apart tell it most exactly.
pub(super) fn rates(losses: &[Mark], base: f64, segment: f64) -> impl Iterator<Item = f64> {
    let rate = |from: &Mark, to: &Mark| {
        let octets = to.passed - from.passed;
        let seconds = to.sent.since(from.sent).as_secs_f64();
        (seconds >= base / 8.0 && octets >= 8.0 * segment).then(|| octets / seconds)
    };
    let mean = losses.first().zip(losses.last()).and_then(|(a, b)| rate(a, b));
    let mut rates = Vec::new();
    for lag in [1, 2, 4, 8, 16, 32] {
        let later = losses.iter().skip(lag);
        rates.extend(losses.iter().zip(later).filter_map(|(from, to)| rate(from, to)));
    }
    let mean_or_none = mean.unwrap_or_default();
    rates.retain(|rate| (0.25 * mean_or_none..=4.0 * mean_or_none).contains(rate));
    deficit::sort(&mut rates);
    let mut middles = Vec::new();
    let mut rest = rates.as_slice();
    while let Some(first) = rest.first() {
        let end = rest.partition_point(|rate| *rate < first * PAIRS_STEP);
        middles.extend(rest.get(end / 2));
        rest = rest.get(end.max(1)..).unwrap_or_default();
    }
    let grid = mean.map(|mean| (0..STEPS).map(move |step| 0.5 * mean * STEP.powi(step)));
    middles.into_iter().chain(grid.into_iter().flatten())
}

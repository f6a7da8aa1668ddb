//! The numbers behind a verdict, under stable codes.

use super::Findings;
use super::shares::Shares;
use crate::limit::Limit;
use crate::report::{Code, Evidence};

/// Numbers behind the headline `limit`, and the same few for every flow.
pub(super) fn of(findings: &Findings, shares: &Shares, limit: Limit) -> Vec<Evidence> {
    let mut evidence = Vec::new();
    let mut add = |code, metric, value: Option<f64>, threshold| {
        evidence.extend(value.map(|value| Evidence { code: Code(code), metric, value, threshold }));
    };
    let measures = findings.ledger.measures.get(&limit).copied().unwrap_or_default();
    add("E001", "share_low", Some(shares.low(limit)), None);
    add("E002", "flight_mean_bytes", measures.flight_mean(), None);
    add("E003", "rwnd_mean_bytes", measures.wnd_mean(), None);
    let ratio = measures.flight_mean().zip(measures.wnd_mean()).map(|(flight, wnd)| flight / wnd);
    add("E004", "flight_over_rwnd", ratio.filter(|ratio| ratio.is_finite()), None);
    #[expect(clippy::cast_precision_loss, reason = "a count of waits")]
    let waits = measures.waits as f64;
    add("E005", "waits", Some(waits), None);
    #[expect(clippy::cast_precision_loss, reason = "counts of segments")]
    let lost = findings.totals.retransmitted_segments as f64;
    add("E006", "retransmitted_segments", Some(lost), None);
    evidence
}

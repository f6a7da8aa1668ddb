//! How long did packets queue? The line on the RTT that each verdict has.

use super::{Facts, Findings, RTT_MIN};
use crate::limit::Limit;
use crate::model::figures::seconds;
use crate::path::{self, PathVerdict};
use crate::units::Duration;

/// [`usual_rtt`] of a sender whose mean is `srtt`, seconds.
fn usual(findings: &Findings, srtt: f64) -> f64 {
    let percentile = |share| findings.totals.rtt.percentile(share).map(Duration::as_secs_f64);
    let [median, p95] = [0.5, 0.95].map(|share| percentile(share).unwrap_or(srtt));
    usual_rtt(srtt, median, p95)
}

/// A sender that seldom has two segments out meets the receiver's delayed ACKs, too.
pub(super) fn of(findings: &Findings, facts: &Facts, limit: Limit) -> Option<String> {
    let (srtt, min) = facts.srtt.zip(facts.min_rtt)?;
    let queued = srtt - min;
    Some(if srtt < RTT_MIN {
        "RTT below one microsecond: no queue to speak of".to_owned()
    } else if findings.totals.rtt.samples() < 2 {
        // Its mean is its least, whatever queue it met.
        format!("RTT {}, measured once: a queue would not show", seconds(srtt))
    } else if min < RTT_MIN && usual(findings, srtt) < RTT_MIN {
        "RTT below the clock's tick: a queue of less would not show".to_owned()
    } else if min < RTT_MIN {
        let least = "the minimum is less than the capture's clock resolves";
        format!("mean RTT {}; {least}, so queueing cannot be told from it", seconds(srtt))
    } else if queued > QUEUED_MIN * min {
        // A path whose queue was not seen may have none: a receiver that acknowledges when it has read looks
        // the same.
        let is_seen = findings.path.queueing.is_some();
        let is_doubtful = (limit == Limit::Application || !is_seen) && !is_on_way_back(findings);
        let or_late = match is_doubtful {
            true if facts.is_reader_slow => ", delayed ACKs or a slow reader",
            true => " or delayed ACKs",
            false => "",
        };
        let is_typical = |queueing: &&path::Queueing| queueing.p50_s > QUEUED_MIN * min;
        match (findings.path.queueing.as_ref(), standing(findings)) {
            (None, _) => format!("{}{or_late}", apart("mean", srtt, min)),
            (_, Some(queueing)) if !is_typical(&queueing) => at_times(queueing, srtt, min),
            (Some(queueing), _) if is_on_way_back(findings) => {
                typical(queueing.p50_s, min, ", mostly on the way back")
            }
            (Some(queueing), _) => typical(queueing.p50_s, min, or_late),
        }
    } else if let Some(queueing) = standing(findings) {
        at_times(queueing, srtt, min)
    } else if facts.may_hide_queue {
        hidden(srtt, min)
    } else {
        format!("mean RTT {}, minimum {}: no queue to speak of", seconds(srtt), seconds(min))
    })
}

/// The receiver's timestamps tell that ACKs met it.
fn is_on_way_back(findings: &Findings) -> bool {
    findings.path.queueing.as_ref().is_some_and(path::Queueing::is_mostly_on_way_back)
}

/// The queue of a path that is told to be full: however short beside the RTT, it is why.
fn standing(findings: &Findings) -> Option<&path::Queueing> {
    let full = [
        PathVerdict::BottleneckFull,
        PathVerdict::Shared,
        PathVerdict::Shaped,
        PathVerdict::AqmOrEcn,
    ];
    let queueing = findings.path.queueing.as_ref();
    queueing.filter(|queueing| full.contains(&findings.path.kind) && queueing.p95_s >= RTT_MIN)
}

/// A queue of less than this part of the smallest RTT is none to speak of: a quarter of the RTT costs a
/// window a fifth of its rate. It only chooses words.
pub(in crate::verdict) const QUEUED_MIN: f64 = 0.25;

/// The mean RTT is weighted by time, and stands still while nothing is in flight: after one late ACK and
/// behind a closed window it tells of a queue that was gone long ago. The median of the path's queue does
/// not.
fn typical(queued: f64, min: f64, or_where: &str) -> String {
    let rtt = min + queued;
    if queued > QUEUED_MIN * min {
        return format!("{}{or_where}", apart("median", rtt, min));
    }
    format!("median RTT {}, minimum {}: mostly no queue", seconds(rtt), seconds(min))
}

/// The RTT that reports show: the mean, or where that exceeds nearly all samples by a queue the median, as
/// SRTT stood still in a pause then, behind one late acknowledgment.
pub(in crate::verdict) fn usual_rtt(mean: f64, median: f64, p95: f64) -> f64 {
    if mean > (1.0 + QUEUED_MIN) * p95 { median } else { mean }
}

/// Of a path that is full, though half of the time hardly anything waits.
fn at_times(queueing: &path::Queueing, srtt: f64, min: f64) -> String {
    let [srtt, min, half, most] = [srtt, min, queueing.p50_s, queueing.p95_s].map(seconds);
    format!(
        "mean RTT {srtt}, minimum {min}: up to {half} of queueing for half of the time, up to {most} for 95 %"
    )
}

/// Without the sender's clock, away from it.
fn hidden(srtt: f64, min: f64) -> String {
    let [srtt, min] = [srtt, min].map(seconds);
    format!(
        "mean RTT {srtt}, minimum {min}: no queue shows, but one between the sender and this capture would not"
    )
}

fn apart(which: &str, rtt: f64, min: f64) -> String {
    let [rtt, min, queued] = [rtt, min, rtt - min].map(seconds);
    format!("{which} RTT {rtt}, minimum {min}: {queued} of queueing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_that_of_the_median_not_of_a_mean_that_stood_still() {
        let told = typical(0.0099, 0.0391, "");
        assert_eq!(told, "median RTT 49.0 ms, minimum 39.1 ms: 9.90 ms of queueing");
        assert!(typical(0.001, 0.0391, "").ends_with("mostly no queue"));
    }
    /// One ACK in twenty came a second late, before a pause of minutes.
    #[test]
    fn a_mean_that_stood_still_is_not_the_usual_round_trip() {
        assert!(usual_rtt(0.8, 0.23, 0.24) < 0.24);
        assert!(usual_rtt(0.26, 0.23, 0.24) > 0.25);
    }
}

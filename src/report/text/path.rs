//! The path of one flow: its kind, its rate, its queue.

use std::io;

use super::super::page::Page;
use super::super::words;
use crate::model::figures::{bytes_f64, micros, percent, rate, rate_range};
use crate::model::{
    Capacity, CapacityMethod, Confidence, FlowReport, PathReport, PathVerdict, Queueing,
    TokenBucket,
};

/// `label` is the line's, as wide as those beside it.
pub(super) fn write(flow: &FlowReport, label: &str, page: &mut Page) -> io::Result<()> {
    let path = &flow.path;
    if path.verdict == PathVerdict::Unknown {
        return Ok(());
    }
    let confidence = words::confidence(path.confidence);
    page.field(label, &format!("{}, confidence {confidence}", kind(path)))?;
    let next = " ".repeat(label.len());
    if let Some(capacity) = &path.capacity {
        let busy = percent(path.busy_share);
        page.field(&next, &format!("{}; busy {busy} of the time", rate_of(capacity)))?;
    }
    if let Some(queueing) = path.queue_of_acks() {
        return page.field(&next, &waiting(queueing, ", mostly of ACKs on the way back", ""));
    }
    // Where none stands, what little waiting there is may be the receiver's.
    let queueing = path.queueing.as_ref().filter(|_| path.verdict != PathVerdict::NotFull);
    queueing.map_or(Ok(()), |queueing| {
        let most = format!(" ({})", bytes_f64(queueing.max_bytes));
        page.field(&next, &waiting(queueing, "", &most))
    })
}

fn kind(path: &PathReport) -> String {
    let loss = percent(path.loss_share);
    match path.verdict {
        PathVerdict::BottleneckFull => "full: the flow's own queue at the bottleneck".to_owned(),
        PathVerdict::Shared => {
            "full, and shared: other traffic has part of the bottleneck".to_owned()
        }
        PathVerdict::Policed => {
            let bucket = path.policer.as_ref().map_or_else(String::new, bucket);
            format!("policed{bucket}: what exceeds it is dropped without a queue ({loss} lost)")
        }
        PathVerdict::Shaped => {
            let bucket = path.shaper.as_ref().map_or_else(String::new, bucket);
            format!("shaped{bucket}: a burst passes, the rest queues")
        }
        PathVerdict::Lossy if path.confidence == Confidence::Low => format!(
            "lossy: {loss} lost, {}, as on a bad link or at a policer shared with others",
            if path.has_queue() { "mostly while no queue stood" } else { "and no queue seen" }
        ),
        PathVerdict::Lossy if path.has_queue() => {
            format!("lossy: {loss} lost, mostly while no queue stood: not due to congestion")
        }
        PathVerdict::Lossy => format!("lossy: {loss} lost without a queue: not due to congestion"),
        PathVerdict::AqmOrEcn => {
            "full, with active queue management: packets marked or dropped early".to_owned()
        }
        PathVerdict::NotFull => "not full: it could have carried more".to_owned(),
        PathVerdict::Unknown => "unknown".to_owned(),
    }
}

fn bucket(bucket: &TokenBucket) -> String {
    let (to, burst) = (rate(bucket.rate_bps), bytes_f64(bucket.burst_bytes));
    if bucket.flows < 2 {
        return format!(" to {to}, burst about {burst}");
    }
    let (flows, share) = (bucket.flows, percent(bucket.share));
    format!(" to {to} for {flows} flows together ({share} of it this one's), burst about {burst}")
}

fn rate_of(capacity: &Capacity) -> String {
    let doubt = if capacity.confidence == Confidence::Low { "perhaps " } else { "" };
    let how = match capacity.method {
        CapacityMethod::AckRatePlateau => "by the rate of its ACKs while a queue stood",
        CapacityMethod::TrainDispersion => "by the spacing of its ACKs",
    };
    let range = rate_range(capacity.low_bps, capacity.high_bps);
    format!("{doubt}a bottleneck of {} ({range}), {how}", rate(capacity.bps))
}

/// `place` is where it was, if that is told; `octets` what was in it at most.
fn waiting(queueing: &Queueing, place: &str, octets: &str) -> String {
    if queueing.p95_us < 1.0 {
        return "queueing: none that the capture's clock resolves".to_owned();
    }
    let [half, most, all] = [queueing.p50_us, queueing.p95_us, queueing.max_us].map(micros);
    format!(
        "queueing{place}: up to {half} for half of the time, up to {most} for 95 %, at most {all}{octets}"
    )
}

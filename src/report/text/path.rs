//! The path of one flow, in a sentence.

use std::io;

use super::super::figures::{percent, rate};
use super::super::model::{Capacity, CapacityMethod, Confidence, FlowReport};
use super::super::page::Page;

/// `label` is the line's, as wide as those beside it.
pub(super) fn write(flow: &FlowReport, label: &str, page: &mut Page) -> io::Result<()> {
    let Some(capacity) = &flow.path.capacity else { return Ok(()) };
    let busy = percent(flow.path.busy_share);
    page.field(label, &format!("{}; busy without a pause for {busy}", words(capacity)))
}

fn words(capacity: &Capacity) -> String {
    let doubt = if capacity.confidence == Confidence::Low { "perhaps " } else { "" };
    let how = match capacity.method {
        CapacityMethod::AckRatePlateau => "by its ACKs while a queue stood",
        CapacityMethod::TrainDispersion => "by the spacing of its ACKs",
    };
    let (low, high) = (rate(capacity.low_bps), rate(capacity.high_bps));
    format!("{doubt}a bottleneck of {} ({low} to {high}), {how}", rate(capacity.bps))
}

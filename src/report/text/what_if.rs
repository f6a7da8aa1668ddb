//! What lifting a limit would gain.

use std::io;

use super::super::page::{Page, columns};
use super::super::words;
use crate::model::figures::{rate, rate_range, rates};
use crate::model::{FlowReport, WhatIf};

/// A paragraph for each limit that could be lifted; `label` is the first one's, as wide as those
/// beside it.
pub(super) fn write(flow: &FlowReport, label: &str, page: &mut Page) -> io::Result<()> {
    let blank = " ".repeat(columns(label));
    let labels = std::iter::once(label).chain(std::iter::repeat(blank.as_str()));
    for (label, what_if) in labels.zip(&flow.what_if) {
        page.field(label, &sentence(flow, what_if))?;
    }
    Ok(())
}

/// `without loss: 7.29 → about 19.2 Mbit/s (13.9 to 19.3 Mbit/s), then the path is full; bursts pass the path
/// at 19.2 Mbit/s; assumed: more to send, a send buffer that grows`.
fn sentence(flow: &FlowReport, what_if: &WhatIf) -> String {
    let range = match what_if.high_bps {
        Some(high) if what_if.low_bps <= 0.0 => format!("at most {}", rate(high)),
        Some(high) => rate_range(what_if.low_bps, high),
        None => format!("{} or more", rate(what_if.low_bps)),
    };
    let goodput = flow.goodput_bps.unwrap_or_default();
    let rates = what_if.rate_bps.map(|then| format!("{} ({range})", rates(goodput, then)));
    format!(
        "{}: {}, {}; {}",
        words::lifted(what_if.lifted),
        rates.unwrap_or(range),
        words::next_limit(what_if.next_limit),
        what_if.assumption
    )
}

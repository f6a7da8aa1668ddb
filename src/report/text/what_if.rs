//! What lifting a limit would gain.

use std::io;

use super::super::figures::{rate, rate_range, rates};
use super::super::model::{FlowReport, WhatIf};
use super::super::page::{Page, columns};
use super::super::words;

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

/// `no receive window: 110 → about 940 Mbit/s (705 to 950), then the path limits. Assumes that ...`
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

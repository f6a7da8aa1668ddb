//! What lifting a limit would gain.

use std::io;

use super::super::page::{Page, columns};
use super::super::words;
use crate::model::figures::{rate, rate_range, rates, rates_at_least};
use crate::model::{FlowReport, WhatIf};

/// A paragraph for each limit that could be lifted, if it is known what that would give; `label` is the first
/// one's, as wide as those beside it.
pub(super) fn write(flow: &FlowReport, label: &str, page: &mut Page) -> io::Result<()> {
    let blank = " ".repeat(columns(label));
    let labels = std::iter::once(label).chain(std::iter::repeat(blank.as_str()));
    let goodput = flow.goodput_bps.unwrap_or_default();
    let told = flow.what_if.iter().filter(|what_if| !what_if.is_empty(goodput));
    for (label, what_if) in labels.zip(told) {
        page.field(label, &sentence(goodput, what_if))?;
    }
    Ok(())
}

/// `without loss: 7.29 → about 19.2 Mbit/s (13.9 to 19.3 Mbit/s), then the path is full; bursts pass the path
/// at 19.2 Mbit/s; assumed: more to send, a send buffer that grows`.
fn sentence(goodput: f64, what_if: &WhatIf) -> String {
    let low = what_if.low_bps;
    let range = what_if.high_bps.map(|high| match low {
        low if low <= 0.0 => format!("at most {}", rate(high)),
        low => rate_range(low, high),
    });
    let gain = match (what_if.rate_bps, range) {
        (Some(then), Some(range)) => format!("{} ({range})", rates(goodput, then)),
        (Some(then), None) => rates_at_least(goodput, low, then),
        (None, Some(range)) => range,
        (None, None) => format!("at least {}", rate(low)),
    };
    format!(
        "{}: {gain}, {}; {}",
        words::lifted(what_if.lifted),
        words::next_limit(what_if.next_limit),
        what_if.assumption
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Lifted, NextLimit, sample};

    fn what_if(rate_bps: Option<f64>, low_bps: f64, high_bps: Option<f64>) -> WhatIf {
        let (lifted, next_limit) = (Lifted::Loss, NextLimit::Path);
        let assumption = "assumed: more to send".to_owned();
        WhatIf { lifted, rate_bps, low_bps, high_bps, perhaps_bps: None, next_limit, assumption }
    }

    #[test]
    fn what_nothing_bounds_is_told_as_the_least() {
        for (low, gain) in [
            (9.47e6, "1.15 → at least 9.47 Mbit/s, then"),
            (29.7e6, "1.15 → at least 29.7 Mbit/s, perhaps 297 Mbit/s or more, then"),
            (297e6, "1.15 → at least 297 Mbit/s, then"),
            (1.15e6, "1.15 → perhaps 297 Mbit/s or more, then"),
        ] {
            let told = sentence(1.15e6, &what_if(Some(297e6), low, None));
            assert!(told.contains(gain), "{told}");
        }
        let told = sentence(1.15e6, &what_if(Some(1.48e6), 1.31e6, Some(1.69e6)));
        assert!(told.contains("about 1.48 Mbit/s (1.31 to 1.69 Mbit/s)"), "{told}");
    }

    /// `8.78 bit/s to 1.34 Gbit/s`: from what is to anything; `1.58 → about 1.58 Mbit/s`: what is.
    #[test]
    fn what_tells_nothing_is_left_out() {
        for (rate, low, high, is_told) in [
            (None, 8.78, Some(1.34e9), false),
            (None, 0.0, Some(1.34e9), false),
            (None, 8.78, None, false),
            (None, 8.78, Some(70.0), true),
            (None, 0.0, Some(70.0), true),
            (None, 90.0, None, true),
            (Some(1e6), 8.78, Some(1.34e9), true),
            (Some(8.78), 8.78, Some(8.78), false),
            (Some(8.78), 8.78, Some(9.78), true),
        ] {
            let mut flow = sample::flow();
            (flow.goodput_bps, flow.what_if) = (Some(8.78), vec![what_if(rate, low, high)]);
            let mut told = Vec::new();
            write(&flow, "  if    ", &mut Page::new(&mut told, 80, false)).unwrap();
            assert_eq!(!told.is_empty(), is_told, "{rate:?} {low} {high:?}");
        }
    }
}

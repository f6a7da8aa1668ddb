//! How much a page holds.

use std::io::{self, Write};

use super::super::select::Selection;
use super::HtmlOptions;
use super::json;
use crate::model::{FlowReport, Report};

/// Octets of JSON in a page, at most: mail takes files of 20 MB, and a browser reads so much in half
/// a second.
const JSON_MAX: u64 = 18_000_000;

/// Cuts `report` down to the flows that its page is to show: the first of `selection`, as many as
/// there is room for. Sums stay those of the whole capture.
#[must_use]
pub fn fit_to_page(report: &mut Report, selection: &Selection) -> HtmlOptions {
    fit(report, selection, JSON_MAX)
}

fn fit(report: &mut Report, selection: &Selection, room: u64) -> HtmlOptions {
    let left_out = selection.keep_top(report);
    let mut ranked: Vec<&FlowReport> = report.flows.iter().collect();
    ranked.sort_by(|a, b| selection.sort.compare(a, b));
    let mut total: u64 = 0;
    let fitting = ranked.into_iter().take_while(|flow| {
        total = total.saturating_add(size(flow));
        total <= room
    });
    let top = Selection { top: fitting.count(), ..selection.clone() };
    HtmlOptions { flows_left_out: left_out.saturating_add(top.keep_top(report)) }
}

/// Octets that a flow takes in a page.
fn size(flow: &FlowReport) -> u64 {
    let mut counted = Counted(0);
    // Counting cannot fail.
    let _ = json::write_compact(flow, &mut counted);
    counted.0
}

struct Counted(u64);

impl Write for Counted {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(octets.len() as u64);
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;

    #[test]
    fn flows_beyond_the_room_are_left_out_the_smallest_first() {
        let mut report = sample::busy_report(10);
        let (all, payload) = (report.flows.len() as u64, report.summary.payload_bytes);
        let selection = Selection { top: usize::MAX, ..Selection::default() };
        assert_eq!(fit(&mut report, &selection, u64::MAX).flows_left_out, 0);
        let largest = report.flows.iter().max_by_key(|flow| flow.payload_bytes).unwrap().clone();
        let room = size(&largest) * 5 / 2;
        assert_eq!(fit(&mut report, &selection, room).flows_left_out, all - 2);
        assert!(report.flows.contains(&largest));
        assert_eq!(report.summary.payload_bytes, payload);
        assert_eq!(fit(&mut report, &selection, 0).flows_left_out, 2);
    }
}

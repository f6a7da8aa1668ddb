//! What all panels of a page share: flow, theme, scale of lengths, time axis.

use super::panel::{Panel, Sample, header};
use super::scale::Scale;
use super::shape::{Area, Drawing};
use super::{Theme, letters};
use crate::model::{FlowReport, Limit, Series};

/// A page as far as its panels know it.
pub(super) struct Sheet<'a> {
    pub(super) flow: &'a FlowReport,
    pub(super) series: &'a Series,
    pub(super) theme: Theme,
    /// Pixels of a unit of length: one on a page 1200 wide.
    pub(super) unit: f64,
    /// Seconds at the left and right edge.
    pub(super) time: (f64, f64),
}

impl Sheet<'_> {
    /// Stretches of which nothing is known.
    pub(super) fn unknown(&self) -> impl Iterator<Item = (f64, f64)> {
        let is_unknown = |limit| matches!(limit, Limit::CaptureGap | Limit::Unknown);
        let intervals = self.flow.intervals.iter().filter(move |it| is_unknown(it.limit));
        intervals.map(|interval| (interval.start_s, interval.end_s))
    }

    /// A panel with its header, grid and hatching.
    pub(super) fn panel<'d>(
        &self,
        drawing: &'d mut Drawing,
        (area, scale): (Area, Scale),
        (title, legend): (&str, &[(Sample, String)]),
    ) -> Panel<'d> {
        let (theme, unit, time) = (self.theme, self.unit, self.time);
        let top = header(drawing, (area, theme, unit), title, legend);
        // However long the legend, something of the panel is seen.
        let top = top.min(area.bottom - 12.0 * unit);
        let area = Area { top, ..area };
        let mut panel = Panel { drawing, area, time, scale, theme, unit };
        for (from, to) in self.unknown() {
            let left = panel.across(from).max(area.left);
            let right = panel.across(to).min(area.right);
            if right - left >= 2.0 {
                let part = Area { left, right, ..area };
                panel.drawing.hatch(part, theme.unknown(), (9.0 * unit, true));
            }
        }
        panel.grid();
        panel
    }

    /// A panel without anything but words.
    pub(super) fn empty(
        &self,
        drawing: &mut Drawing,
        (area, title): (Area, &str),
        words: &str,
    ) -> Area {
        let scale = Scale { low: 0.0, high: 1.0, divisor: 0.0 };
        let mut panel = self.panel(drawing, (area, scale), (title, &[]));
        panel.say(words);
        panel.area
    }

    /// Least and greatest value in view, with the one that holds at the left edge.
    pub(super) fn range(&self, points: &[(f64, f64)]) -> Option<(f64, f64)> {
        let (from, to) = self.time;
        let first = points.partition_point(|(t_s, _)| *t_s <= from).saturating_sub(1);
        let seen = points.iter().skip(first).take_while(|(t_s, _)| *t_s <= to);
        let (low, high) = seen.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), point| {
            (low.min(point.1), high.max(point.1))
        });
        (low <= high).then_some((low, high))
    }

    /// The greatest value in view; 0 without any.
    pub(super) fn most(&self, points: &[(f64, f64)]) -> f64 {
        self.range(points).map_or(0.0, |(_, most)| most.max(0.0))
    }
}

/// The text, cut where it does not fit.
pub(super) fn shortened(text: &str, size: f64, room: f64) -> String {
    if letters::width(text, size) <= room {
        return text.to_owned();
    }
    let mut short: String = text.to_owned();
    while letters::width(&short, size) > room - size && short.pop().is_some() {}
    format!("{}…", short.trim_end())
}

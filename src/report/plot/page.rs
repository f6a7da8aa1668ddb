//! The page: head, panels one below the other on one time axis, foot.

use super::panel::Panel;
use super::scale::Scale;
use super::shape::{Align, Area, Drawing, TextStyle};
use super::sheet::{Sheet, shortened};
use super::{PlotKind, PlotOptions, events, foot, lines, sequence, states};
use crate::model::figures::{percent, rate};
use crate::model::{FlowReport, Limit, Report, Series};
use crate::report::text::name_of;
use crate::report::words;

/// A panel's place among the others: what draws it, and its part of the height.
type Part = (fn(&mut Drawing, &Sheet<'_>, Area) -> Area, f64);

pub(super) fn draw(report: &Report, flow: &FlowReport, options: &PlotOptions) -> Drawing {
    let (width, height) = (f64::from(options.size.0), f64::from(options.size.1));
    let unit = (width / 1200.0).min(height / 900.0).clamp(0.78, 6.0);
    let none = Series::default();
    let series = flow.series.as_deref().unwrap_or(&none);
    let from = options.from_s.unwrap_or(0.0);
    let to = options.to_s.unwrap_or(flow.duration_s);
    // A flow of one packet has no duration.
    let time = (from, if to > from { to } else { from + 1e-3 });
    let sheet = Sheet { flow, series, theme: options.theme, unit, time };
    let mut drawing = Drawing::default();
    let whole = Area { left: 0.0, top: 0.0, right: width, bottom: height };
    drawing.fill(whole, sheet.theme.paper());
    let inner = Area {
        left: 74.0 * unit,
        top: 10.0 * unit,
        right: width - 22.0 * unit,
        bottom: height - 8.0 * unit,
    };
    let top = sheet.head(&mut drawing, inner);
    let bottom = foot::draw(&mut drawing, &sheet, (inner, report));
    let style = (sheet.theme, unit);
    let top = states::draw(&mut drawing, flow, (Area { top, ..inner }, time), style);
    sheet.stack(&mut drawing, Area { top: top + 8.0 * unit, bottom, ..inner }, options.kind);
    drawing
}

/// What stands at the page's head.
pub(super) fn title(flow: &FlowReport) -> String {
    format!("{}, stream {}", name_of(flow), flow.stream)
}

/// The verdict in words.
pub(super) fn description(flow: &FlowReport) -> String {
    let verdict = &flow.verdict;
    let held: Vec<String> = Limit::ALL
        .into_iter()
        .filter(|limit| flow.limits.of(*limit).time_s > 0.0)
        .map(|limit| format!("{} {}", words::limit(limit), percent(flow.limits.of(limit).share)))
        .collect();
    let sentences = std::iter::once(&verdict.text).chain(&verdict.why);
    let told: Vec<String> = sentences.map(|text| sentence(text)).collect();
    format!("{}. Shares: {}.", told.join(". "), held.join(", "))
}

impl Sheet<'_> {
    /// Panels by kind, with the time axis below the last.
    fn stack(&self, drawing: &mut Drawing, area: Area, kind: PlotKind) {
        let unit = self.unit;
        let parts: &[Part] = match kind {
            PlotKind::Timeline => {
                &[(lines::rates, 1.0), (lines::windows, 1.25), (lines::round_trips, 1.0)]
            }
            PlotKind::Sequence => &[(sequence::draw, 1.0)],
            PlotKind::Rtt => &[(lines::round_trips, 1.0)],
            PlotKind::Window => &[(lines::windows, 1.0)],
            PlotKind::Rate => &[(lines::rates, 1.0)],
        };
        let has_events = kind != PlotKind::Sequence;
        let events_height =
            if has_events { events::height(self.flow, self.series, unit) } else { 0.0 };
        let gap = 6.0 * unit;
        let axis = 34.0 * unit;
        let gaps = parts.iter().fold(0.0, |sum, _| sum + gap);
        let room = (area.height() - events_height - axis - gaps).max(60.0 * unit);
        let weights = parts.iter().fold(0.0, |sum, (_, weight)| sum + weight);
        let mut top = area.top;
        let mut last = area;
        for (draw, weight) in parts {
            let bottom = top + room * weight / weights;
            last = draw(drawing, self, Area { top, bottom, ..area });
            top = bottom + gap;
        }
        if has_events {
            let bottom = top + events_height;
            last = events::draw(drawing, self, Area { top, bottom, ..area });
        }
        let scale = Scale { low: 0.0, high: 1.0, divisor: 0.0 };
        let (theme, time) = (self.theme, self.time);
        let mut panel = Panel { drawing, area: last, time, scale, theme, unit };
        panel.time_labels("time from the flow's start, seconds");
    }

    /// Who, what limited, how much; gives the place below.
    fn head(&self, drawing: &mut Drawing, area: Area) -> f64 {
        let (flow, unit) = (self.flow, self.unit);
        let rtt = flow.rtt.as_ref().map(|rtt| format!(", {}", words::round_trip(rtt)));
        let carried = words::carried(flow).map(|carried| format!(" ({carried})"));
        let goodput = flow.goodput_bps.map(|bps| format!(", goodput {}", rate(bps)));
        let vantage = words::vantage(flow.vantage).map(|place| format!(", {place}"));
        let effect = format!(
            "{}{}{}{}{}",
            words::amount(flow),
            carried.unwrap_or_default(),
            goodput.unwrap_or_default(),
            rtt.unwrap_or_default(),
            vantage.unwrap_or_default()
        );
        let rows = [
            (title(flow), 15.0, self.theme.text()),
            (headline(flow), 13.0, self.theme.text()),
            (effect, 11.5, self.theme.muted()),
        ];
        let mut y = area.top;
        for (text, size, color) in rows {
            let size = size * unit;
            y += size * 0.7;
            let text = shortened(&text, size, area.right - area.left);
            let style = TextStyle { size, color, align: Align::Left };
            drawing.text((area.left, y), text, style);
            y += size * 0.75;
        }
        y + 3.0 * unit
    }
}

/// `The receive window limits this transfer: 97 % of the time (confidence high)`.
fn headline(flow: &FlowReport) -> String {
    let (limit, remark) = words::parted(flow);
    let confidence = words::confidence(flow.verdict.confidence);
    format!("{} (confidence {confidence}){remark}", sentence(limit))
}

/// The text with a capital first.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

//! Rows of what stands out: what was sent again, repairs, stalls, closed windows.

use super::letters;
use super::panel::{Panel, Sample};
use super::scale::Scale;
use super::shape::{Align, Area, Color, Drawing, TextStyle};
use super::sheet::Sheet;
use super::theme::Ink;
use crate::model::{FlowReport, LossTrigger, SentKind, Series};
use crate::report::words;

/// A stretch of time with its name.
struct Bar {
    from_s: f64,
    to_s: f64,
    name: &'static str,
}

/// One row: its name, its colour, and what is on it.
struct Row {
    name: &'static str,
    ink: Ink,
    bars: Vec<Bar>,
}

/// A kind of what was sent again.
pub(super) struct Again {
    pub(super) kind: SentKind,
    pub(super) letter: &'static str,
    /// In the legend.
    pub(super) name: &'static str,
    pub(super) ink: Ink,
}

pub(super) const AGAIN: [Again; 4] = [
    Again { kind: SentKind::Fast, letter: "R", name: "fast", ink: Ink::Vermilion },
    Again { kind: SentKind::Timeout, letter: "T", name: "timeout", ink: Ink::Purple },
    Again { kind: SentKind::LossProbe, letter: "P", name: "loss probe", ink: Ink::Amber },
    Again { kind: SentKind::Handshake, letter: "H", name: "SYN", ink: Ink::Vermilion },
];

/// The kinds that a flow has, in the order of the legend.
pub(super) fn kinds_again(series: &Series) -> impl Iterator<Item = &'static Again> {
    let is_there = |again: &&Again| series.sent.iter().any(|sent| sent.kind == again.kind);
    AGAIN.iter().filter(is_there)
}

fn rows(flow: &FlowReport, series: &Series) -> Vec<Row> {
    let mut again = Vec::new();
    for sent in &series.sent {
        let Some(kind) = AGAIN.iter().find(|again| again.kind == sent.kind) else { continue };
        let times = sent.ranges.t_s.iter().zip(&sent.ranges.end_t_s);
        again.extend(times.map(|(from, to)| Bar { from_s: *from, to_s: *to, name: kind.letter }));
    }
    let episodes = &flow.episodes;
    let repairs = episodes.losses.iter().map(|loss| {
        let name = match loss.trigger {
            LossTrigger::Acks => "recovery",
            LossTrigger::Timeout => "timeout",
        };
        Bar { from_s: loss.start_s, to_s: loss.end_s, name }
    });
    let stalls = episodes.stalls.iter().map(|stall| {
        let name = words::stall(stall.cause);
        Bar { from_s: stall.start_s, to_s: stall.end_s, name }
    });
    let closed = episodes.zero_windows.iter();
    let closed = closed.map(|it| Bar { from_s: it.start_s, to_s: it.end_s, name: "closed" });
    let rows = [
        Row { name: "retransmitted", ink: Ink::Vermilion, bars: again },
        Row { name: "repair", ink: Ink::Purple, bars: repairs.collect() },
        Row { name: "stall", ink: Ink::Amber, bars: stalls.collect() },
        Row { name: "closed", ink: Ink::Vermilion, bars: closed.collect() },
    ];
    rows.into_iter().filter(|row| !row.bars.is_empty()).collect()
}

/// Pixels that the rows take.
pub(super) fn height(flow: &FlowReport, series: &Series, unit: f64) -> f64 {
    let count = rows(flow, series).iter().fold(0.0, |count, _| count + 1.0_f64);
    18.0 * unit + count.max(1.0) * 18.0 * unit
}

pub(super) fn draw(drawing: &mut Drawing, sheet: &Sheet<'_>, area: Area) -> Area {
    let rows = rows(sheet.flow, sheet.series);
    let unit = sheet.unit;
    let title = if sheet.flow.is_unseen() {
        "Losses and stalls: what was sent is not in the capture"
    } else if rows.is_empty() {
        "No retransmissions, no stalls; the receive window never closed"
    } else {
        "Losses and stalls"
    };
    let sample = |again: &Again| Sample::Plane(sheet.theme.ink(again.ink));
    let entry = |again: &Again| (sample(again), format!("{} {}", again.letter, again.name));
    let legend: Vec<_> = kinds_again(sheet.series).map(entry).collect();
    let scale = Scale { low: 0.0, high: 1.0, divisor: 0.0 };
    let mut panel = sheet.panel(drawing, (area, scale), (title, &legend));
    let row_height = panel.area.height() / rows.iter().fold(0.0, |n, _| n + 1.0_f64).max(1.0);
    let mut top = panel.area.top;
    for row in &rows {
        let part = Area { top, bottom: top + row_height, ..panel.area };
        top += row_height;
        draw_row(&mut panel, sheet, (row, part));
    }
    // Again, over the ends of bars that reach the edge.
    panel.drawing.outline(panel.area, sheet.theme.muted());
    let style = TextStyle { size: 11.0 * unit, color: sheet.theme.muted(), align: Align::Right };
    for (index, row) in (0_u8..).zip(&rows) {
        let y = panel.area.top + (f64::from(index) + 0.5) * row_height;
        panel.drawing.text((panel.area.left - 5.0 * unit, y), row.name, style);
    }
    panel.area
}

fn draw_row(panel: &mut Panel<'_>, sheet: &Sheet<'_>, (row, area): (&Row, Area)) {
    let unit = sheet.unit;
    let color = sheet.theme.ink(row.ink);
    let bars = row.bars.iter().filter(|bar| bar.to_s >= panel.time.0 && bar.from_s <= panel.time.1);
    let bars: Vec<&Bar> = bars.collect();
    for bar in bars {
        let left = panel.across(bar.from_s).max(area.left);
        let right = panel.across(bar.to_s).min(area.right).max(left + 1.0);
        let part = Area {
            left,
            right: right.min(area.right),
            top: area.top + 3.0 * unit,
            bottom: area.bottom - 3.0 * unit,
        };
        let own = AGAIN.iter().find(|again| again.letter == bar.name);
        let color = own.map_or(color, |again| sheet.theme.ink(again.ink));
        panel.drawing.fill(part, color);
        if part.width() >= 4.0 {
            // Bars that follow upon each other stay apart.
            panel.drawing.outline(part, sheet.theme.paper());
        }
        name_bar(panel.drawing, (bar.name, color), (part, unit));
    }
}

/// Writes the bar's name on it where it fits.
fn name_bar(drawing: &mut Drawing, (name, color): (&str, Color), (part, unit): (Area, f64)) {
    let size = 10.0 * unit;
    if letters::width(name, size) + 6.0 * unit <= part.width() {
        let at = (f64::midpoint(part.left, part.right), f64::midpoint(part.top, part.bottom));
        drawing.text(at, name, TextStyle { size, color: color.ink(), align: Align::Middle });
    }
}

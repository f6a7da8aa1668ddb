//! The time-sequence graph, with tcptrace's meaning: what was sent as upright strokes from the first
//! octet to the last, below it the cumulative acknowledgment, above it what the window allows.

use super::events::{AGAIN, kinds_again};
use super::letters;
use super::lines::bytes;
use super::panel::{DASHED, MIDDLE, Panel, Sample, THICK, THIN};
use super::scale::{OCTETS, Scale};
use super::shape::{Align, Area, Color, Drawing, TextStyle};
use super::sheet::Sheet;
use super::theme::Ink;
use crate::model::{Ranges, SentKind};
use crate::units::as_f64;

/// More letters than these would be a smear.
const LETTERS_MAX: usize = 80;

pub(super) fn draw(drawing: &mut Drawing, sheet: &Sheet<'_>, area: Area) -> Area {
    let series = sheet.series;
    let Some((low, high, has_edge)) = extent(sheet) else {
        return sheet.empty(drawing, (area, "Sequence"), "nothing was sent here");
    };
    let margin = (high - low).max(1.0) * 0.03;
    let (scale, unit) = Scale::between((low - margin).max(0.0), high + margin, &OCTETS);
    let legend = legend(sheet, has_edge);
    let title = format!("Position in the stream, {unit} from the SYN");
    let mut panel = sheet.panel(drawing, (area, scale), (&title, &legend));
    let end = sheet.flow.duration_s;
    let ink = |ink| sheet.theme.ink(ink);
    if has_edge {
        panel.steps(&bytes(&series.window_edge), end, (ink(Ink::Amber), DASHED));
    }
    strokes(&mut panel, &series.sacked, (ink(Ink::Purple).faint(0.7), 1.0));
    strokes(&mut panel, &series.dsacked, (ink(Ink::Purple), 3.0));
    for sent in series.sent.iter().filter(|sent| !is_again(sent.kind)) {
        let color = if sent.kind == SentKind::New { sheet.theme.text() } else { ink(Ink::Sky) };
        strokes(&mut panel, &sent.ranges, (color, 1.0));
    }
    for sent in series.sent.iter().filter(|sent| is_again(sent.kind)) {
        let Some(again) = AGAIN.iter().find(|again| again.kind == sent.kind) else { continue };
        strokes(&mut panel, &sent.ranges, (ink(again.ink), 2.0));
        name_strokes(&mut panel, &sent.ranges, (again.letter, ink(again.ink)));
    }
    panel.steps(&bytes(&series.acked), end, (ink(Ink::Green), MIDDLE));
    ticks(&mut panel, &bytes(&series.dup_acks), ink(Ink::Green));
    closed_windows(&mut panel, sheet);
    panel.area
}

fn is_again(kind: SentKind) -> bool {
    AGAIN.iter().any(|again| again.kind == kind)
}

/// Lowest and highest octet in view, and whether the window's edge is among them: far above all
/// that was sent it would press the rest to the ground.
fn extent(sheet: &Sheet<'_>) -> Option<(f64, f64, bool)> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let (from, to) = sheet.time;
    for sent in &sheet.series.sent {
        let Ranges { t_s, end_t_s, start_bytes, end_bytes, .. } = &sent.ranges;
        let times = t_s.iter().zip(end_t_s);
        for ((start_s, end_s), (start, end)) in times.zip(start_bytes.iter().zip(end_bytes)) {
            if *end_s >= from && *start_s <= to {
                low = low.min(as_f64(*start));
                high = high.max(as_f64(*end));
            }
        }
    }
    let acked = sheet.range(&bytes(&sheet.series.acked));
    if let Some((least, most)) = acked {
        (low, high) = (low.min(least), high.max(most));
    }
    if low > high {
        return None;
    }
    let edge = sheet.range(&bytes(&sheet.series.window_edge));
    let most = edge.map(|(_, most)| most).filter(|most| most - high <= 1.5 * (high - low).max(1.0));
    Some((low, most.map_or(high, |most| high.max(most)), most.is_some()))
}

fn legend(sheet: &Sheet<'_>, has_edge: bool) -> Vec<(Sample, String)> {
    let ink = |ink| sheet.theme.ink(ink);
    let series = sheet.series;
    let mut legend = vec![(Sample::Line(sheet.theme.text(), THIN), "sent".to_owned())];
    for again in kinds_again(series) {
        let text = format!("{} retransmitted, {}", again.letter, again.name);
        legend.push((Sample::Line(ink(again.ink), THICK), text));
    }
    let is_odd = |kind| kind != SentKind::New && !is_again(kind);
    if series.sent.iter().any(|sent| is_odd(sent.kind)) {
        let text = "probes, copies, late segments".to_owned();
        legend.push((Sample::Line(ink(Ink::Sky), THIN), text));
    }
    legend.push((Sample::Line(ink(Ink::Green), MIDDLE), "acknowledged".to_owned()));
    if !series.dup_acks.t_s.is_empty() {
        legend.push((Sample::Line(ink(Ink::Green), THIN), "duplicate ACK (tick)".to_owned()));
    }
    if !series.sacked.t_s.is_empty() {
        legend.push((Sample::Line(ink(Ink::Purple), THIN), "SACK".to_owned()));
    }
    if !series.dsacked.t_s.is_empty() {
        legend.push((Sample::Line(ink(Ink::Purple), (3.0, false)), "D-SACK".to_owned()));
    }
    let text = if has_edge { "window's edge" } else { "window's edge above the scale" };
    if !series.window_edge.t_s.is_empty() {
        legend.push((Sample::Line(ink(Ink::Amber), DASHED), text.to_owned()));
    }
    legend
}

/// Upright strokes with short bars at their ends where there is room; merged ones are boxes.
fn strokes(panel: &mut Panel<'_>, ranges: &Ranges, (color, width): (Color, f64)) {
    let Ranges { t_s, end_t_s, start_bytes, end_bytes, .. } = ranges;
    let times = t_s.iter().zip(end_t_s);
    for ((from, to), (start, end)) in times.zip(start_bytes.iter().zip(end_bytes)) {
        let left = panel.across(*from);
        let right = panel.across(*to);
        let (low, high) = (panel.up(as_f64(*start)), panel.up(as_f64(*end)));
        if right - left > 1.5 {
            let area = panel.area;
            let part = Area {
                left: left.max(area.left),
                right: right.min(area.right),
                top: high.clamp(area.top, area.bottom),
                bottom: low.clamp(area.top, area.bottom),
            };
            if part.width() > 0.0 && part.height() > 0.0 {
                panel.drawing.fill(part, color.faint(0.5));
            }
            continue;
        }
        stroke(panel, (left, low, high), (color, width));
    }
}

fn stroke(panel: &mut Panel<'_>, (x, low, high): (f64, f64, f64), (color, width): (Color, f64)) {
    // A probe without octets is still seen.
    let high = high.min(low - 1.0);
    let unit = panel.unit;
    if let Some((from, to)) = panel.area.clip((x, low), (x, high)) {
        panel.drawing.path(vec![from, to], color, width * unit);
    }
    if low - high >= 6.0 * unit {
        for y in [low, high] {
            let bar = panel.area.clip((x - 2.0 * unit, y), (x + 2.0 * unit, y));
            if let Some((from, to)) = bar {
                panel.drawing.path(vec![from, to], color, width * unit);
            }
        }
    }
}

/// The letter of what was sent again, so that it reads in grey.
fn name_strokes(panel: &mut Panel<'_>, ranges: &Ranges, (letter, color): (&str, Color)) {
    let size = 10.0 * panel.unit;
    let wide = letters::width(letter, size);
    let tops = ranges.t_s.iter().zip(&ranges.end_bytes);
    let seen: Vec<_> = tops.filter(|(t_s, _)| panel.shows(**t_s)).collect();
    if seen.len() > LETTERS_MAX {
        return;
    }
    let mut free = f64::NEG_INFINITY;
    for (t_s, end) in seen {
        let at = (panel.across(*t_s), panel.up(as_f64(*end)) - 7.0 * panel.unit);
        let is_inside = at.1 > panel.area.top && at.1 < panel.area.bottom;
        if is_inside && at.0 - wide / 2.0 >= free {
            panel.drawing.text(at, letter, TextStyle { size, color, align: Align::Middle });
            free = at.0 + wide / 2.0 + 1.0;
        }
    }
}

/// A short tick below the line for each duplicate ACK.
fn ticks(panel: &mut Panel<'_>, points: &[(f64, f64)], color: Color) {
    let mut free = f64::NEG_INFINITY;
    for (t_s, value) in points {
        let (x, y) = (panel.across(*t_s), panel.up(*value));
        // Closer together they would be a blot.
        if x < free {
            continue;
        }
        free = x + 3.0 * panel.unit;
        if let Some((from, to)) = panel.area.clip((x, y), (x, y + 5.0 * panel.unit)) {
            panel.drawing.line(from, to, color);
        }
    }
}

/// A Z at the acknowledgment line wherever the window closed.
fn closed_windows(panel: &mut Panel<'_>, sheet: &Sheet<'_>) {
    let acked = bytes(&sheet.series.acked);
    let color = sheet.theme.ink(Ink::Vermilion);
    let size = 12.0 * panel.unit;
    let mut free = f64::NEG_INFINITY;
    for window in &sheet.flow.episodes.zero_windows {
        let before = acked.partition_point(|(t_s, _)| *t_s <= window.start_s);
        let value = before.checked_sub(1).and_then(|at| acked.get(at)).map_or(0.0, |it| it.1);
        let at = (panel.across(window.start_s), panel.up(value) + 9.0 * panel.unit);
        let is_inside = panel.shows(window.start_s) && at.1 < panel.area.bottom;
        if is_inside && at.0 >= free {
            panel.drawing.text(at, "Z", TextStyle { size, color, align: Align::Middle });
            free = at.0 + size;
        }
    }
}

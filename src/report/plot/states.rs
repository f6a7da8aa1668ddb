//! What limited when: a band in which letter, pattern and colour each name the limit.

use super::Theme;
use super::letters;
use super::shape::{Align, Area, Color, Drawing, Place, Shape, TextStyle};
use super::theme::Pattern;
use crate::model::{FlowReport, Interval, Limit, figures};
use crate::report::strip::strip;
use crate::report::words;

/// Draws title, legend and band; gives the place below.
pub(super) fn draw(
    drawing: &mut Drawing,
    flow: &FlowReport,
    (area, time): (Area, (f64, f64)),
    (theme, unit): (Theme, f64),
) -> f64 {
    let top = legend(drawing, flow, area, (theme, unit));
    let band = Area { top, bottom: top + 22.0 * unit, ..area };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a page is a few thousand pixels wide"
    )]
    let columns = strip(&flow.intervals, time, band.width().round() as usize);
    let mut left = band.left;
    for run in columns.chunk_by(|a, b| a == b) {
        let wide = run.iter().fold(0.0, |wide, _| wide + 1.0);
        let part = Area { left, right: left + wide, ..band };
        left += wide;
        let Some(limit) = run.first().copied().flatten() else { continue };
        let at = |x: f64| time.0 + (x - band.left) / band.width() * (time.1 - time.0);
        let held = (at(part.left), at(part.right));
        draw_run(drawing, part, (limit, cause(&flow.intervals, held)), (theme, unit));
    }
    drawing.outline(band, theme.muted());
    band.bottom
}

/// The cause that all of a stretch has in common.
fn cause(intervals: &[Interval], (from, to): (f64, f64)) -> Option<&'static str> {
    let mut within = intervals
        .iter()
        .filter(|interval| interval.end_s > from && interval.start_s < to)
        .map(|interval| interval.cause);
    let first = within.next()??;
    within.all(|cause| cause == Some(first)).then(|| words::cause(first))
}

fn draw_run(
    drawing: &mut Drawing,
    area: Area,
    (limit, cause): (Limit, Option<&str>),
    (theme, unit): (Theme, f64),
) {
    let (color, pattern) = theme.limit(limit);
    fill(drawing, area, (color, pattern), unit);
    if area.width() >= 3.0 * unit {
        drawing.outline(area, theme.muted());
    }
    let size = 11.0 * unit;
    let letter = words::letter(limit).to_string();
    let long = cause.map(|cause| format!("{letter} {cause}")).unwrap_or_default();
    let fits =
        |text: &String| !text.is_empty() && letters::width(text, size) + 8.0 * unit <= area.width();
    let Some(text) = [long, letter].into_iter().find(fits) else { return };
    let at = (f64::midpoint(area.left, area.right), f64::midpoint(area.top, area.bottom));
    // No pattern runs under the letters.
    let (half, high) = (letters::width(&text, size) / 2.0 + 3.0 * unit, 8.0 * unit);
    let plain =
        Area { left: at.0 - half, right: at.0 + half, top: at.1 - high, bottom: at.1 + high };
    drawing.fill(plain, color);
    drawing.text(at, text, TextStyle { size, color: color.ink(), align: Align::Middle });
}

fn fill(drawing: &mut Drawing, area: Area, (color, pattern): (Color, Pattern), unit: f64) {
    drawing.fill(area, color);
    let ink = color.ink().faint(0.35);
    let spacing = 7.0 * unit;
    match pattern {
        Pattern::Plain => {}
        Pattern::Rising => drawing.hatch(area, ink, (spacing, true)),
        Pattern::Falling => drawing.hatch(area, ink, (spacing, false)),
        Pattern::Crossed => {
            drawing.hatch(area, ink, (spacing * 1.5, true));
            drawing.hatch(area, ink, (spacing * 1.5, false));
        }
        Pattern::Dots => dots(drawing, area, (ink, spacing)),
    }
}

fn dots(drawing: &mut Drawing, area: Area, (color, spacing): (Color, f64)) {
    let mut x = (area.left / spacing).ceil() * spacing;
    while x < area.right {
        for row in [0.25, 0.75] {
            let at: Place = (x, area.top + row * area.height());
            let mark = super::shape::Mark::Circle;
            drawing.shapes.push(Shape::Mark { at, mark, radius: 1.0, color });
        }
        x += spacing;
    }
}

/// The limits that held at all, the longest first, with their shares.
fn legend(
    drawing: &mut Drawing,
    flow: &FlowReport,
    area: Area,
    (theme, unit): (Theme, f64),
) -> f64 {
    let mut held: Vec<Limit> =
        Limit::ALL.into_iter().filter(|limit| flow.limits.of(*limit).time_s > 0.0).collect();
    held.sort_by(|a, b| flow.limits.of(*b).share.total_cmp(&flow.limits.of(*a).share));
    let (size, row) = (11.5 * unit, 16.0 * unit);
    let style = TextStyle { size, color: theme.text(), align: Align::Left };
    let title = "What limited, share of the whole flow";
    let mut y = area.top + row / 2.0;
    drawing.text((area.left, y), title, style);
    let mut x = area.left + letters::width(title, size) + 16.0 * unit;
    for limit in held {
        let share = figures::percent(flow.limits.of(limit).share);
        let text = format!("{} {} {share}", words::letter(limit), words::limit(limit));
        let wide = 20.0 * unit + letters::width(&text, size);
        if x + wide > area.right && x > area.left {
            (x, y) = (area.left, y + row);
        }
        let half = 6.0 * unit;
        let key = Area { left: x, right: x + 15.0 * unit, top: y - half, bottom: y + half };
        fill(drawing, key, theme.limit(limit), unit);
        drawing.outline(key, theme.muted());
        drawing.text((x + 19.0 * unit, y), text, TextStyle { color: theme.muted(), ..style });
        x += wide + 14.0 * unit;
    }
    y + row / 2.0 + 2.0 * unit
}

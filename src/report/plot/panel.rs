//! One plane of the plot: time to the right, a value upwards, and what is drawn on it.

use super::Theme;
use super::letters;
use super::scale::Scale;
use super::shape::{Align, Area, Color, Drawing, Mark, Place, Shape, TextStyle};

/// Where and how to draw.
#[derive(Debug)]
pub(super) struct Panel<'d> {
    pub(super) drawing: &'d mut Drawing,
    pub(super) area: Area,
    /// Seconds at its left and right edge.
    pub(super) time: (f64, f64),
    pub(super) scale: Scale,
    pub(super) theme: Theme,
    /// Pixels of a unit of length: one on a page 1200 wide.
    pub(super) unit: f64,
}

impl Panel<'_> {
    pub(super) fn across(&self, t_s: f64) -> f64 {
        let (from, to) = self.time;
        self.area.left + (t_s - from) / (to - from) * self.area.width()
    }

    pub(super) fn up(&self, value: f64) -> f64 {
        self.area.bottom - self.scale.part(value) * self.area.height()
    }

    fn place(&self, (t_s, value): (f64, f64)) -> Place {
        (self.across(t_s), self.up(value))
    }

    pub(super) fn shows(&self, t_s: f64) -> bool {
        (self.time.0..=self.time.1).contains(&t_s)
    }

    /// Lines and labels of the value axis, lines of the time axis, and the frame.
    pub(super) fn grid(&mut self) {
        let (grid, muted) = (self.theme.grid(), self.theme.muted());
        let Area { left, top, right, bottom } = self.area;
        for (t_s, _) in self.time_ticks() {
            let x = self.across(t_s);
            self.drawing.line((x, top), (x, bottom), grid);
        }
        let count = (self.area.height() / (28.0 * self.unit)).clamp(1.0, 8.0);
        for (value, label) in self.scale.ticks(count) {
            let y = self.up(value);
            self.drawing.line((left, y), (right, y), grid);
            let style = TextStyle { size: 11.0 * self.unit, color: muted, align: Align::Right };
            self.drawing.text((left - 5.0 * self.unit, y), label, style);
        }
        self.drawing.outline(self.area, muted);
    }

    fn time_ticks(&self) -> Vec<(f64, String)> {
        let scale = Scale { low: self.time.0, high: self.time.1, divisor: 1.0 };
        scale.ticks((self.area.width() / (90.0 * self.unit)).max(2.0))
    }

    /// Labels of the time axis below; the place below them.
    pub(super) fn time_labels(&mut self, label: &str) -> f64 {
        let style =
            TextStyle { size: 11.0 * self.unit, color: self.theme.muted(), align: Align::Middle };
        let y = self.area.bottom + 10.0 * self.unit;
        for (t_s, text) in self.time_ticks() {
            // Half of it would stand beyond the page.
            let half = letters::width(&text, style.size) / 2.0;
            let x = self.across(t_s).min(self.area.right + 15.0 * self.unit - half);
            self.drawing.text((x, y), text, style);
        }
        let middle = f64::midpoint(self.area.left, self.area.right);
        let below = y + 15.0 * self.unit;
        self.drawing.text((middle, below), label, style);
        below + 8.0 * self.unit
    }

    /// A line through the points.
    pub(super) fn line(&mut self, points: &[(f64, f64)], color: Color, (width, is_dashed): Stroke) {
        let width = width * self.unit;
        let mut path: Vec<Place> = Vec::new();
        let mut paths = Vec::new();
        for pair in points.windows(2) {
            let [from, to] = [pair.first(), pair.last()]
                .map(|point| point.map_or((0.0, 0.0), |point| self.place(*point)));
            let Some((from, to)) = self.area.clip(from, to) else { continue };
            let (from, to) = (on_pixel(from), on_pixel(to));
            if path.last() != Some(&from) {
                paths.push(std::mem::take(&mut path));
                path.push(from);
            }
            go_on(&mut path, to);
        }
        paths.push(path);
        for places in paths.into_iter().filter(|path| path.len() > 1) {
            self.drawing.shapes.push(Shape::Line { places, color, width, is_dashed });
        }
    }

    /// A line whose points hold until the next one, the last until `end`.
    pub(super) fn steps(&mut self, points: &[(f64, f64)], end: f64, style: (Color, Stroke)) {
        self.line(&stairs(points, end), style.0, style.1);
    }

    /// The plane between two lines whose points hold until the next one: time, low, high.
    pub(super) fn band(&mut self, points: &[(f64, f64, f64)], end: f64, color: Color) {
        let low: Vec<(f64, f64)> = points.iter().map(|(t_s, low, _)| (*t_s, *low)).collect();
        let high: Vec<(f64, f64)> = points.iter().map(|(t_s, _, high)| (*t_s, *high)).collect();
        let mut edge = stairs(&low, end);
        edge.extend(stairs(&high, end).into_iter().rev());
        // Its edges run along the axes, so that what lies outside may stand on the frame.
        let Area { left, top, right, bottom } = self.area;
        let onto = |(x, y): Place| (x.clamp(left, right), y.clamp(top, bottom));
        let places: Vec<Place> = edge.iter().map(|point| onto(self.place(*point))).collect();
        let is_seen =
            places.iter().any(|(x, _)| *x > left) && places.iter().any(|(x, _)| *x < right);
        if is_seen && places.len() > 2 {
            self.drawing.shapes.push(Shape::Filled { places, color });
        }
    }

    pub(super) fn marks(&mut self, points: &[(f64, f64)], mark: Mark, color: Color) {
        let radius = 2.0 * self.unit;
        let mut before = None;
        for point in points {
            let at = self.place(*point);
            let pixel = (at.0.round(), at.1.round());
            let is_seen = self.shows(point.0) && self.scale.part(point.1) <= 1.0;
            if is_seen && before != Some(pixel) {
                self.drawing.shapes.push(Shape::Mark { at, mark, radius, color });
            }
            before = Some(pixel);
        }
    }

    /// Words where there is nothing to draw.
    pub(super) fn say(&mut self, text: &str) {
        let Area { left, top, right, bottom } = self.area;
        let at = (f64::midpoint(left, right), f64::midpoint(top, bottom));
        let style =
            TextStyle { size: 12.0 * self.unit, color: self.theme.muted(), align: Align::Middle };
        self.drawing.text(at, text, style);
    }
}

fn on_pixel((x, y): Place) -> Place {
    (x.round(), y.round())
}

/// Takes the path on to `to`; what lies on the straight way there goes.
fn go_on(path: &mut Vec<Place>, to: Place) {
    if path.last() == Some(&to) {
        return;
    }
    if let [.., before, last] = path.as_mut_slice() {
        let (one, two) = ((last.0 - before.0, last.1 - before.1), (to.0 - last.0, to.1 - last.1));
        // Whole pixels: a cross product of less than one is none.
        let is_straight = (one.0 * two.1 - one.1 * two.0).abs() < 0.5;
        if is_straight && one.0 * two.0 + one.1 * two.1 > 0.0 {
            *last = to;
            return;
        }
    }
    path.push(to);
}

/// Width, and whether it is dashed.
pub(super) type Stroke = (f64, bool);

pub(super) const THIN: Stroke = (1.0, false);
pub(super) const MIDDLE: Stroke = (1.5, false);
pub(super) const THICK: Stroke = (2.0, false);
pub(super) const DASHED: Stroke = (1.0, true);

/// The corners of a line whose points hold until the next one.
fn stairs(points: &[(f64, f64)], end: f64) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for point in points {
        if let Some(last) = corners.last().copied() {
            corners.push((point.0, last.1));
        }
        corners.push(*point);
    }
    let last = corners.last().copied();
    corners.extend(last.filter(|last| last.0 < end).map(|last| (end, last.1)));
    corners
}

/// How an entry of a legend looks.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sample {
    Line(Color, Stroke),
    Plane(Color),
    Mark(Mark, Color),
}

/// Writes a panel's title and legend from the left, wrapped; gives the place below them. Entries for
/// which a low panel has no room become an ellipsis.
pub(super) fn header(
    drawing: &mut Drawing,
    (area, theme, unit): (Area, Theme, f64),
    title: &str,
    legend: &[(Sample, String)],
) -> f64 {
    let size = 11.5 * unit;
    let row = 15.0 * unit;
    let style = TextStyle { size, color: theme.text(), align: Align::Left };
    let mut y = area.top + row / 2.0;
    drawing.text((area.left, y), title, style);
    let mut x = area.left + letters::width(title, size) + 16.0 * unit;
    for (sample, text) in legend {
        let wide = 24.0 * unit + letters::width(text, size);
        if x + wide > area.right && x > area.left {
            if y + row * 2.0 + 26.0 * unit > area.bottom {
                let x = x.min(area.right - size);
                drawing.text((x, y), "…", TextStyle { color: theme.muted(), ..style });
                break;
            }
            (x, y) = (area.left, y + row);
        }
        draw_sample(drawing, *sample, ((x, y), unit));
        drawing.text(
            (x + 22.0 * unit, y),
            text.as_str(),
            TextStyle { color: theme.muted(), ..style },
        );
        x += wide + 14.0 * unit;
    }
    y + row / 2.0 + 3.0 * unit
}

fn draw_sample(drawing: &mut Drawing, sample: Sample, ((x, y), unit): (Place, f64)) {
    let end = x + 17.0 * unit;
    match sample {
        Sample::Line(color, (width, is_dashed)) => {
            let (places, width) = (vec![(x, y), (end, y)], width * unit);
            drawing.shapes.push(Shape::Line { places, color, width, is_dashed });
        }
        Sample::Plane(color) => {
            let half = 4.0 * unit;
            drawing.fill(Area { left: x, top: y - half, right: end, bottom: y + half }, color);
        }
        Sample::Mark(mark, color) => {
            let at = (f64::midpoint(x, end), y);
            drawing.shapes.push(Shape::Mark { at, mark, radius: 3.0 * unit, color });
        }
    }
}

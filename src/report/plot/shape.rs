//! What a drawing is made of, before anything knows how it is written: shapes in pixels from the
//! top left corner.

/// Red, green, blue, and how much of it covers what lies below (0 to 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Color(pub(super) u8, pub(super) u8, pub(super) u8, pub(super) f64);

impl Color {
    /// The same, letting through what lies below.
    pub(super) fn faint(self, cover: f64) -> Self {
        Self(self.0, self.1, self.2, cover)
    }

    /// Black or white, whichever reads better on it (the lightness of WCAG 2.1, without gamma).
    pub(super) fn ink(self) -> Self {
        let light = 0.2126 * f64::from(self.0) + 0.7152 * f64::from(self.1);
        if light + 0.0722 * f64::from(self.2) > 120.0 {
            Self(0, 0, 0, 1.0)
        } else {
            Self(255, 255, 255, 1.0)
        }
    }
}

/// A place in pixels, from the left and from the top.
pub(super) type Place = (f64, f64);

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Area {
    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// The part of the line between two places that lies inside (Liang and Barsky, 1984).
    pub(super) fn clip(&self, from: Place, to: Place) -> Option<(Place, Place)> {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        let sides = [
            (-dx, from.0 - self.left),
            (dx, self.right - from.0),
            (-dy, from.1 - self.top),
            (dy, self.bottom - from.1),
        ];
        for (step, room) in sides {
            if step == 0.0 && room < 0.0 {
                return None;
            }
            if step < 0.0 {
                enter = enter.max(room / step);
            } else if step > 0.0 {
                leave = leave.min(room / step);
            }
        }
        let at = |part: f64| (from.0 + part * dx, from.1 + part * dy);
        (enter <= leave).then(|| (at(enter), at(leave)))
    }
}

/// One thing to draw.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// From place to place.
    Line { places: Vec<Place>, color: Color, width: f64, is_dashed: bool },
    /// What the places enclose.
    Filled { places: Vec<Place>, color: Color },
    /// Filled, outlined, or both.
    Box { area: Area, fill: Option<Color>, outline: Option<Color> },
    /// A mark of this radius.
    Mark { at: Place, mark: Mark, radius: f64, color: Color },
    /// One line of text; `at` is its middle in height.
    Text { at: Place, text: String, size: f64, color: Color, align: Align },
}

/// Marks that can be told apart without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Circle,
    Triangle,
    Square,
}

/// Which end of a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Middle,
    Right,
}

/// Shapes in the order in which they are drawn.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Drawing {
    pub(super) shapes: Vec<Shape>,
}

impl Drawing {
    pub(super) fn line(&mut self, from: Place, to: Place, color: Color) {
        self.path(vec![from, to], color, 1.0);
    }

    pub(super) fn path(&mut self, places: Vec<Place>, color: Color, width: f64) {
        self.shapes.push(Shape::Line { places, color, width, is_dashed: false });
    }

    pub(super) fn fill(&mut self, area: Area, color: Color) {
        self.shapes.push(Shape::Box { area, fill: Some(color), outline: None });
    }

    pub(super) fn outline(&mut self, area: Area, color: Color) {
        self.shapes.push(Shape::Box { area, fill: None, outline: Some(color) });
    }

    /// Diagonal lines, `spacing` apart, rising to the right or falling.
    pub(super) fn hatch(&mut self, area: Area, color: Color, (spacing, is_rising): (f64, bool)) {
        let mut start = area.left - area.height();
        // Lines of neighbouring areas meet.
        start -= start.rem_euclid(spacing);
        while start < area.right {
            let end = start + area.height();
            let (from, to) = if is_rising {
                ((start, area.bottom), (end, area.top))
            } else {
                ((start, area.top), (end, area.bottom))
            };
            if let Some((from, to)) = area.clip(from, to) {
                self.line(from, to, color);
            }
            start += spacing;
        }
    }

    pub(super) fn text(&mut self, at: Place, text: impl Into<String>, style: TextStyle) {
        let TextStyle { size, color, align } = style;
        self.shapes.push(Shape::Text { at, text: text.into(), size, color, align });
    }
}

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextStyle {
    pub(super) size: f64,
    pub(super) color: Color,
    pub(super) align: Align,
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = Area { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };

    #[test]
    fn a_line_is_cut_at_the_edges() {
        assert_eq!(AREA.clip((-5.0, 5.0), (15.0, 5.0)), Some(((0.0, 5.0), (10.0, 5.0))));
        assert_eq!(AREA.clip((2.0, 2.0), (3.0, 3.0)), Some(((2.0, 2.0), (3.0, 3.0))));
        assert_eq!(AREA.clip((-5.0, 5.0), (-1.0, 9.0)), None);
        assert_eq!(AREA.clip((3.0, -2.0), (3.0, -1.0)), None);
    }

    #[test]
    fn a_hatch_stays_inside() {
        let mut drawing = Drawing::default();
        drawing.hatch(AREA, Color(0, 0, 0, 1.0), (4.0, true));
        assert!(drawing.shapes.len() >= 3);
        for shape in &drawing.shapes {
            let Shape::Line { places, .. } = shape else { panic!("{shape:?}") };
            assert!(
                places.iter().all(|(x, y)| (0.0..=10.0).contains(x) && (0.0..=10.0).contains(y))
            );
        }
    }

    #[test]
    fn letters_are_dark_on_light_and_light_on_dark() {
        assert_eq!(Color(0xbb, 0xbb, 0xbb, 1.0).ink(), Color(0, 0, 0, 1.0));
        assert_eq!(Color(0, 0x72, 0xb2, 1.0).ink(), Color(255, 255, 255, 1.0));
    }
}

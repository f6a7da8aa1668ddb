//! Text in pixels, from a font that is part of the program: a machine without any draws the same.

use std::sync::LazyLock;

use ab_glyph::{Font as _, FontRef, PxScale, ScaleFont as _, point};

use super::shape::{Align, Color, Place, TextStyle};

/// A subset of `DejaVu` Sans; its licence stands beside it.
static FONT: LazyLock<Option<FontRef<'static>>> =
    LazyLock::new(|| FontRef::try_from_slice(include_bytes!("DejaVuSans-subset.ttf")).ok());

/// A size is a line's height: 1.24 of the letter M's width, as the SVG backend takes it.
const LINE_OVER_EM: f64 = 1.24;

/// Octets of a picture, three for each pixel.
pub(super) struct Picture<'p> {
    pub(super) pixels: &'p mut [u8],
    pub(super) size: (u32, u32),
}

/// The scale at which the font is read for a size.
#[expect(clippy::cast_possible_truncation, reason = "a size in pixels")]
fn scale(font: &FontRef<'_>, size: f64) -> PxScale {
    let em = size / LINE_OVER_EM;
    let height = font.height_unscaled() / font.units_per_em().unwrap_or(1.0);
    PxScale::from(em as f32 * height)
}

/// Width of a text in pixels.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let Some(font) = &*FONT else { return 0.0 };
    let scaled = font.as_scaled(scale(font, size));
    let advances = text.chars().map(|letter| scaled.h_advance(scaled.glyph_id(letter)));
    f64::from(advances.sum::<f32>())
}

impl Picture<'_> {
    /// Draws one line of text; `at` is its middle in height.
    pub(super) fn write(&mut self, text: &str, at: Place, style: TextStyle) {
        let Some(font) = &*FONT else { return };
        let scale = scale(font, style.size);
        let scaled = font.as_scaled(scale);
        let wide = width(text, style.size);
        let left = match style.align {
            Align::Left => at.0,
            Align::Middle => at.0 - wide / 2.0,
            Align::Right => at.0 - wide,
        };
        // Capitals are 0.73 em high; their middle stands at the place.
        let base = (at.1 + 0.365 * style.size / LINE_OVER_EM).round();
        #[expect(clippy::cast_possible_truncation, reason = "a place on a page")]
        let (mut x, y) = (left as f32, base as f32);
        for letter in text.chars() {
            let id = scaled.glyph_id(letter);
            let glyph = id.with_scale_and_position(scale, point(x, y));
            x += scaled.h_advance(id);
            let Some(outline) = font.outline_glyph(glyph) else { continue };
            let bounds = outline.px_bounds();
            outline.draw(|right, down, cover| {
                let place = (f64::from(bounds.min.x), f64::from(bounds.min.y));
                let pixel = (place.0 + f64::from(right), place.1 + f64::from(down));
                self.blend(pixel, style.color.faint(f64::from(cover.clamp(0.0, 1.0))));
            });
        }
    }

    /// Lays a colour over a pixel; nothing outside the picture.
    fn blend(&mut self, (x, y): Place, Color(red, green, blue, cover): Color) {
        let (width, height) = self.size;
        if x < 0.0 || y < 0.0 || x >= f64::from(width) || y >= f64::from(height) {
            return;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "inside the picture"
        )]
        let (column, row) = (x as usize, y as usize);
        let wide = usize::try_from(width).unwrap_or(0);
        let first = row.saturating_mul(wide).saturating_add(column).saturating_mul(3);
        let Some(pixel) = self.pixels.get_mut(first..first.saturating_add(3)) else { return };
        for (below, above) in pixel.iter_mut().zip([red, green, blue]) {
            let mixed = f64::from(*below) * (1.0 - cover) + f64::from(above) * cover;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between two octets"
            )]
            let mixed = mixed.round() as u8;
            *below = mixed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_that_plots_use_is_in_the_font() {
        let font = FONT.as_ref().unwrap();
        for letter in (' '..='~').chain("µ·×–—…→≤≥".chars()) {
            assert_ne!(font.glyph_id(letter).0, 0, "{letter:?}");
        }
        assert!(width("MMMM", 12.0) > width("iiii", 12.0));
    }

    #[test]
    fn text_beyond_the_edge_does_no_harm() {
        let mut pixels = vec![255; 30 * 10 * 3];
        let mut picture = Picture { pixels: &mut pixels, size: (30, 10) };
        let black = Color(0, 0, 0, 1.0);
        for at in [(-5.0, 5.0), (28.0, 5.0), (10.0, -3.0), (10.0, 1e9)] {
            picture.write("Mg", at, TextStyle { size: 12.0, color: black, align: Align::Left });
        }
        assert!(pixels.iter().any(|value| *value < 100));
    }
}

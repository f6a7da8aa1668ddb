//! Shapes as SVG or PNG, by plotters; but for the letters of a PNG, which it sets unevenly.

use std::io;

use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::Color as _;
use plotters::style::FontStyle;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::letters::Picture;
use super::shape::{Align, Area, Color, Drawing, Mark, Place, Shape, TextStyle as Style};
use crate::report::escaped;

/// An SVG document with a title and a description for readers who cannot see it.
pub(super) fn svg(
    drawing: &Drawing,
    size: (u32, u32),
    (title, description): (&str, &str),
) -> io::Result<String> {
    let mut text = String::new();
    let backend = SVGBackend::with_string(&mut text, size);
    draw(drawing.shapes.iter(), &backend.into_drawing_area())?;
    // What is escaped holds no `>`, so the first one ends the opening tag.
    let Some((head, rest)) = text.split_once('>') else { return Ok(text) };
    let (title, description) = (escaped(title), escaped(description));
    let head = head.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{title}\" "), 1);
    Ok(format!("{head}>\n<title>{title}</title>\n<desc>{description}</desc>{rest}"))
}

/// A PNG file, eight bits a colour.
pub(super) fn png(drawing: &Drawing, (width, height): (u32, u32)) -> io::Result<Vec<u8>> {
    let octets = u64::from(width).saturating_mul(u64::from(height)).saturating_mul(3);
    let mut pixels = vec![0; usize::try_from(octets).map_err(io::Error::other)?];
    let pictured: Vec<Shape> = drawing.shapes.iter().flat_map(in_pixels).collect();
    let backend = BitMapBackend::with_buffer(&mut pixels, (width, height));
    draw(pictured.iter(), &backend.into_drawing_area())?;
    let mut picture = Picture { pixels: &mut pixels, size: (width, height) };
    for shape in &drawing.shapes {
        if let Shape::Text { at, text, size, color, align } = shape {
            picture.write(text, *at, Style { size: *size, color: *color, align: *align });
        }
    }
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // Pages are flat areas: half the octets for a few milliseconds.
    encoder.set_compression(png::Compression::Best);
    let mut writer = encoder.write_header().map_err(io::Error::other)?;
    writer.write_image_data(&pixels).map_err(io::Error::other)?;
    writer.finish().map_err(io::Error::other)?;
    Ok(file)
}

/// What plotters makes pixels of: no letters, and thick lines as their parts. It fills the outline of a
/// thick line by the even-odd rule, so that a spike one column wide, up and down again, would be gone.
fn in_pixels(shape: &Shape) -> Vec<Shape> {
    match shape {
        Shape::Text { .. } => Vec::new(),
        Shape::Line { places, color, width, is_dashed: false } if stroke(*width) > 1 => {
            let parts = places.windows(2).filter_map(|pair| pair.first().zip(pair.last()));
            parts.map(|(from, to)| thick(*from, *to, (*color, *width))).collect()
        }
        other => vec![other.clone()],
    }
}

/// One straight part of a thick line. Along the axes it reaches half its width beyond its ends, where the
/// next one begins.
fn thick(from: Place, to: Place, (color, width): (Color, f64)) -> Shape {
    let (from, to) = (pixel(&from), pixel(&to));
    if from.0 != to.0 && from.1 != to.1 {
        let places = [from, to].map(|(x, y)| (f64::from(x), f64::from(y))).to_vec();
        return Shape::Line { places, color, width, is_dashed: false };
    }
    // A filled box ends before its right and lower edge.
    let before = f64::from(stroke(width) / 2);
    let behind = f64::from(stroke(width)) - before;
    let area = Area {
        left: f64::from(from.0.min(to.0)) - before,
        top: f64::from(from.1.min(to.1)) - before,
        right: f64::from(from.0.max(to.0)) + behind,
        bottom: f64::from(from.1.max(to.1)) + behind,
    };
    Shape::Box { area, fill: Some(color), outline: None }
}

type Sheet<B> = DrawingArea<B, plotters::coord::Shift>;

fn draw<'s, B: DrawingBackend>(
    shapes: impl Iterator<Item = &'s Shape>,
    sheet: &Sheet<B>,
) -> io::Result<()> {
    let failed = |error: DrawingAreaErrorKind<B::ErrorType>| io::Error::other(error.to_string());
    for shape in shapes {
        draw_shape(shape, sheet).map_err(failed)?;
    }
    sheet.present().map_err(failed)
}

fn draw_shape<B: DrawingBackend>(
    shape: &Shape,
    sheet: &Sheet<B>,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    match shape {
        Shape::Line { places, color, width, is_dashed: false } => {
            let style = rgba(*color).stroke_width(stroke(*width));
            sheet.draw(&PathElement::new(pixels(places), style))
        }
        Shape::Line { places, color, width, is_dashed: true } => {
            let style = rgba(*color).stroke_width(stroke(*width));
            let (dash, gap) = (stroke(width * 5.0), stroke(width * 4.0));
            sheet.draw(&DashedPathElement::new(pixels(places), dash, gap, style))
        }
        Shape::Filled { places, color } => {
            sheet.draw(&Polygon::new(pixels(places), rgba(*color).filled()))
        }
        Shape::Box { area, fill, outline } => {
            if let Some(fill) = fill {
                sheet.draw(&Rectangle::new(corners(area), rgba(*fill).filled()))?;
            }
            match outline {
                Some(outline) => sheet.draw(&Rectangle::new(corners(area), rgba(*outline))),
                None => Ok(()),
            }
        }
        Shape::Mark { at, mark, radius, color } => draw_mark(sheet, *at, (*mark, *radius), *color),
        Shape::Text { at, text, size, color, align } => {
            let side = match align {
                Align::Left => HPos::Left,
                Align::Middle => HPos::Center,
                Align::Right => HPos::Right,
            };
            let font = FontDesc::new(FontFamily::SansSerif, *size, FontStyle::Normal);
            let color = rgba(*color);
            let style = TextStyle::from(font).color(&color).pos(Pos::new(side, VPos::Center));
            sheet.draw(&Text::new(text.as_str(), pixel(at), style))
        }
    }
}

fn draw_mark<B: DrawingBackend>(
    sheet: &Sheet<B>,
    at: Place,
    (mark, radius): (Mark, f64),
    color: Color,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let style = rgba(color).filled();
    let around = Area {
        left: at.0 - radius,
        top: at.1 - radius,
        right: at.0 + radius,
        bottom: at.1 + radius,
    };
    match mark {
        Mark::Circle => sheet.draw(&Circle::new(pixel(&at), stroke(radius), style)),
        Mark::Square => sheet.draw(&Rectangle::new(corners(&around), style)),
        Mark::Triangle => {
            let corners = [
                (at.0, around.top - radius * 0.5),
                (around.right, around.bottom),
                (around.left, around.bottom),
            ];
            sheet.draw(&Polygon::new(pixels(&corners), style))
        }
    }
}

fn rgba(Color(red, green, blue, cover): Color) -> RGBAColor {
    RGBAColor(red, green, blue, cover)
}

fn corners(area: &Area) -> [(i32, i32); 2] {
    [pixel(&(area.left, area.top)), pixel(&(area.right, area.bottom))]
}

fn pixels(places: &[Place]) -> Vec<(i32, i32)> {
    places.iter().map(pixel).collect()
}

fn pixel(place: &Place) -> (i32, i32) {
    (whole(place.0), whole(place.1))
}

#[expect(clippy::cast_possible_truncation, reason = "a float cast saturates")]
fn whole(value: f64) -> i32 {
    value.round() as i32
}

/// A width or radius in whole pixels, at least one.
fn stroke(width: f64) -> u32 {
    u32::try_from(whole(width).max(1)).unwrap_or(1)
}

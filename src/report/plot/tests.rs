//! Pages of every fixture, held to what a reader asks of them: no label over another, nothing beyond
//! the edge, every limit named, and a legend for each colour.

#![expect(clippy::unwrap_used, clippy::arithmetic_side_effects, reason = "test code")]

use std::path::PathBuf;

use super::shape::{Align, Area, Color, Drawing, Shape};
use super::*;
use crate::model::sample;
use crate::testing::fixtures;
use crate::{Config, SeriesWanted, analyze};

const KINDS: [PlotKind; 5] =
    [PlotKind::Timeline, PlotKind::Sequence, PlotKind::Rtt, PlotKind::Window, PlotKind::Rate];

fn drawn_report(file: &str) -> Report {
    let config = Config { series: Some(SeriesWanted::default()), ..Config::default() };
    analyze(&[PathBuf::from(file)], &config).unwrap()
}

/// What each text covers: as high as its capitals.
fn texts(drawing: &Drawing) -> Vec<(Area, &str)> {
    let of = |shape: &'_ Shape| match shape {
        Shape::Text { at, text, size, align, .. } => {
            let wide = letters::width(text, *size);
            let left = match align {
                Align::Left => at.0,
                Align::Middle => at.0 - wide / 2.0,
                Align::Right => at.0 - wide,
            };
            let half = size * 0.3;
            let (top, bottom) = (at.1 - half, at.1 + half);
            Some(Area { left, right: left + wide, top, bottom })
        }
        _ => None,
    };
    let name = |shape: &'_ Shape| matches!(shape, Shape::Text { .. });
    let shapes = drawing.shapes.iter().filter(|shape| name(shape));
    shapes
        .filter_map(|shape| match shape {
            Shape::Text { text, .. } => of(shape).map(|area| (area, text.as_str())),
            _ => None,
        })
        .collect()
}

fn overlap(a: &Area, b: &Area) -> bool {
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

#[test]
fn the_foot_says_which_episodes_are_not_drawn() {
    let mut report = sample::report();
    let flow = &mut report.flows[0];
    let listed = flow.episodes.stalls.len() as u64;
    assert!(listed > 0 && flow.episodes.stalls_count == listed);
    let is_said = |report: &Report| {
        let drawing = page::draw(report, &report.flows[0], &PlotOptions::default());
        texts(&drawing)
            .iter()
            .any(|(_, text)| text.contains(&format!("stalls: the longest {listed} of 1 175")))
    };
    assert!(!is_said(&report));
    report.flows[0].episodes.stalls_count = 1175;
    assert!(is_said(&report));
}

/// A legend shows what is drawn.
#[test]
fn goodput_that_nothing_tells_has_no_line_in_the_legend() {
    let mut report = sample::report();
    report.flows[0].series = Some(Box::new(sample::series()));
    let legend = |report: &Report| {
        let options = PlotOptions { kind: PlotKind::Rate, ..PlotOptions::default() };
        let drawing = page::draw(report, &report.flows[0], &options);
        texts(&drawing).iter().map(|(_, text)| (*text).to_owned()).collect::<Vec<_>>().join("\n")
    };
    assert!(legend(&report).contains("goodput (acknowledged)"));
    report.flows[0].goodput_bps = None;
    let without = legend(&report);
    assert!(
        without.contains("; goodput unknown") && !without.contains("(acknowledged)"),
        "{without}"
    );
}

/// Points at one time, as a coarse clock gives them, stand upon each other: nothing of them is left out.
#[test]
fn the_foot_says_how_wide_buckets_are_unless_they_are_one_time() {
    let mut report = sample::report();
    let mut series = crate::model::Series::default();
    let is_said = |report: &Report| {
        let drawing = page::draw(report, &report.flows[0], &PlotOptions::default());
        texts(&drawing).iter().any(|(_, text)| text.contains("lines of many points"))
    };
    for (bucket_s, expected) in [(1e-6, false), (0.02, true)] {
        series.flight.bucket_s = Some(bucket_s);
        report.flows[0].series = Some(Box::new(series.clone()));
        assert_eq!(is_said(&report), expected, "{bucket_s}");
    }
}

#[test]
fn no_label_stands_over_another_or_beyond_the_edge() {
    for file in fixtures() {
        let report = drawn_report(&file);
        let flow = report.flows.iter().max_by_key(|flow| flow.payload_bytes).unwrap();
        for size in [PlotOptions::SIZE_MIN, (700, 1000), (1200, 900), (2400, 1400)] {
            for kind in KINDS {
                let options = PlotOptions { kind, size, ..PlotOptions::default() };
                let drawing = page::draw(&report, flow, &options);
                check_texts(&drawing, size, &format!("{file} {kind:?} {size:?}"));
            }
        }
    }
}

fn check_texts(drawing: &Drawing, (width, height): (u32, u32), what: &str) {
    let texts = texts(drawing);
    for (index, (area, text)) in texts.iter().enumerate() {
        assert!(area.left >= 0.0 && area.right <= f64::from(width), "{what}: {text:?} {area:?}");
        assert!(area.top >= 0.0 && area.bottom <= f64::from(height), "{what}: {text:?}");
        let above = texts.iter().skip(index + 1).find(|(other, _)| overlap(area, other));
        assert!(above.is_none(), "{what}: {text:?} and {:?}", above.map(|(_, text)| text));
    }
}

/// A page of what nothing is known about, and times that are no times.
#[test]
fn a_flow_without_anything_still_gives_a_page() {
    let mut report = sample::report();
    for duration_s in [0.0, 1e-9, 30.1, 1e12] {
        report.flows[0].duration_s = duration_s;
        for series in [None, Some(Box::default()), Some(Box::new(sample::series()))] {
            report.flows[0].series = series;
            for (from_s, to_s) in [(None, None), (Some(5.0), Some(1.0)), (Some(0.1), Some(0.2))] {
                for kind in KINDS {
                    let options = PlotOptions { kind, from_s, to_s, ..PlotOptions::default() };
                    let drawing = page::draw(&report, &report.flows[0], &options);
                    assert!(drawing.shapes.len() > 10);
                    assert!(drawing.shapes.len() < 20_000, "{}", drawing.shapes.len());
                }
            }
        }
    }
}

#[test]
fn nothing_from_a_capture_becomes_markup() {
    let mut report = sample::report();
    report.flows[0].scope = Some("</text><script>alert(1)</script>".to_owned());
    report.input.files = vec!["<img src=x>&\"'.pcap".to_owned()];
    let mut out = Vec::new();
    let options = PlotOptions::default();
    write_plot(&report, &report.flows[0], (&options, PlotFormat::Svg), &mut out).unwrap();
    let svg = String::from_utf8(out).unwrap();
    assert!(!svg.contains("<script") && !svg.contains("<img"), "{svg}");
    assert!(svg.contains("&lt;script&gt;") && svg.ends_with("</svg>\n"));
}

/// Up and down within one column of pixels, as flight is drawn where much is sent at once.
#[test]
fn a_spike_one_column_wide_is_seen_in_a_png() {
    let (paper, ink) = (Color(255, 255, 255, 1.0), Color(0, 0, 0, 1.0));
    for width in [1.0, 2.0, 3.0] {
        let mut drawing = Drawing::default();
        drawing.fill(Area { left: 0.0, top: 0.0, right: 40.0, bottom: 40.0 }, paper);
        let places = vec![(5.0, 30.0), (20.0, 30.0), (20.0, 10.0), (20.0, 30.0), (35.0, 30.0)];
        drawing.path(places, ink, width);
        let png = render::png(&drawing, (40, 40)).unwrap();
        let mut reader = png::Decoder::new(png.as_slice()).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size()];
        reader.next_frame(&mut pixels).unwrap();
        for y in 11..30 {
            assert!(pixels[(y * 40 + 20) * 3] < 128, "width {width}: nothing at 20, {y}");
        }
    }
}

#[test]
fn a_png_has_the_size_that_was_asked_for() {
    let report = sample::report();
    for size in [(480, 400), (777, 555)] {
        let options = PlotOptions { size, theme: Theme::Dark, ..PlotOptions::default() };
        let mut out = Vec::new();
        write_plot(&report, &report.flows[0], (&options, PlotFormat::Png), &mut out).unwrap();
        let decoder = png::Decoder::new(out.as_slice());
        let mut reader = decoder.read_info().unwrap();
        assert_eq!((reader.info().width, reader.info().height), size);
        let mut pixels = vec![0; reader.output_buffer_size()];
        reader.next_frame(&mut pixels).unwrap();
        // Dark paper in the corner, and light letters somewhere.
        assert_eq!(pixels[..3], [0x11, 0x18, 0x27]);
        assert!(pixels.chunks(3).any(|pixel| pixel.iter().all(|value| *value > 200)));
    }
}

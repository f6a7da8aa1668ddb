//! The planes of rates, windows and round-trip times.

use super::panel::{DASHED, MIDDLE, Panel, Sample, THICK, THIN};
use super::scale::{OCTETS, RATES, Scale, TIMES};
use super::shape::{Area, Color, Drawing, Mark};
use super::sheet::Sheet;
use super::theme::Ink;
use crate::model::{BytesLine, Cwnd, Limit, MicrosLine, Rates, figures};
use crate::units::as_f64;

const UNSEEN: &str = "this direction is not in the capture";

/// Goodput and wire rate, and the capacity of the path as a band.
pub(super) fn rates(drawing: &mut Drawing, sheet: &Sheet<'_>, area: Area) -> Area {
    let Some(rates) = &sheet.series.rates else {
        let why = if sheet.flow.is_unseen() { UNSEEN } else { "nothing passed" };
        return sheet.empty(drawing, (area, "Rate"), why);
    };
    if sheet.flow.duration_s <= 0.0 {
        return sheet.empty(drawing, (area, "Rate"), "one instant only");
    }
    let join = windows_joined(rates.window_s, sheet, area);
    let [wire_points, good_points] =
        [&rates.wire_bps, &rates.goodput_bps].map(|bps| window_points(rates, bps, join));
    let most = sheet.most(&wire_points).max(sheet.most(&good_points));
    let capacity = sheet.flow.path.capacity;
    // A path with much to spare would press the rates to the ground.
    let shown = capacity.filter(|capacity| capacity.low_bps <= 4.0 * most.max(1.0));
    let most = shown.map_or(most, |capacity| most.max(capacity.high_bps.min(4.0 * most)));
    let (scale, unit) = Scale::from_zero(most, &RATES);
    let [good, wire] = [Ink::Main, Ink::Vermilion].map(|ink| sheet.theme.ink(ink));
    // Without ACKs nothing is known to have arrived.
    let is_told = sheet.flow.goodput_bps.is_some();
    let unknown = if is_told { "" } else { "; goodput unknown: no ACKs seen" };
    let mut legend = Vec::new();
    if is_told {
        legend.push((Sample::Line(good, THICK), "goodput (acknowledged)".to_owned()));
    }
    legend.push((Sample::Line(wire, THIN), "wire rate (frames with data)".to_owned()));
    let plane = sheet.theme.ink(Ink::Green).faint(0.3);
    if let Some(capacity) = capacity {
        let above = if shown.is_some() { "" } else { ", above the scale" };
        let [low, high] = [capacity.low_bps, capacity.high_bps].map(figures::rate);
        let text = format!("path capacity {low} to {high} (estimated{above})");
        legend.push((Sample::Plane(plane), text));
    }
    let window = figures::seconds(rates.window_s * as_f64(join as u64));
    let title = format!("Rate, {unit}, mean of {window}{unknown}");
    let mut panel = sheet.panel(drawing, (area, scale), (&title, &legend));
    if let Some(capacity) = shown {
        let band = [(0.0, capacity.low_bps, capacity.high_bps)];
        panel.band(&band, sheet.flow.duration_s, plane);
    }
    let end = rates.start_s + rates.window_s * as_f64(rates.goodput_bps.len() as u64);
    panel.steps(&wire_points, end, (wire, THIN));
    if is_told {
        panel.steps(&good_points, end, (good, THICK));
    }
    panel.area
}

/// Pixels that a window has at least: in fewer, bursts and the silences between them are one solid plane as
/// high as the bursts.
const STEP: f64 = 4.0;

/// How many windows make one that is wide enough to be seen.
fn windows_joined(window_s: f64, sheet: &Sheet<'_>, area: Area) -> usize {
    let (from, to) = sheet.time;
    let wide = window_s / (to - from) * area.width();
    let joined = (STEP * sheet.unit / wide).ceil();
    // As a loop, for floats do not become indices safely.
    (1..=WINDOWS_MAX).find(|count| as_f64(*count as u64) >= joined).unwrap_or(1)
}

/// More than there are in a line.
const WINDOWS_MAX: usize = 1 << 13;

/// Means of `join` windows each.
fn window_points(rates: &Rates, bps: &[f64], join: usize) -> Vec<(f64, f64)> {
    let mut start = rates.start_s;
    let point = |bps: &[f64]| {
        let count = as_f64(bps.len() as u64);
        let point = (start, bps.iter().sum::<f64>() / count);
        start += rates.window_s * count;
        point
    };
    bps.chunks(join.max(1)).map(point).collect()
}

/// Flight, pipe, receive window, cwnd and what fills the send buffer.
pub(super) fn windows(drawing: &mut Drawing, sheet: &Sheet<'_>, area: Area) -> Area {
    let series = sheet.series;
    if series.acked.t_s.is_empty() {
        let is_unseen = sheet.flow.is_unseen();
        let why = if is_unseen { UNSEEN } else { "no ACKs seen: what was in flight is unknown" };
        return sheet.empty(drawing, (area, "Windows"), why);
    }
    let (flight, pipe, rwnd) = (bytes(&series.flight), bytes(&series.pipe), bytes(&series.rwnd));
    let cwnd = sheet.flow.cwnd.as_ref().map(stretches).unwrap_or_default();
    let best: Vec<_> = cwnd.iter().flatten().map(|(t_s, _, best, _)| (*t_s, *best)).collect();
    let most = sheet.most(&flight).max(sheet.most(&best));
    let rwnd_most = sheet.most(&rwnd);
    // A window far above all that was ever in flight would press everything else to the ground.
    let is_rwnd_shown = rwnd_most > 0.0 && rwnd_most <= 2.5 * most.max(1.0);
    let most = if is_rwnd_shown { most.max(rwnd_most) } else { most };
    let (scale, unit) = Scale::from_zero(most, &OCTETS);
    let ink = |ink| sheet.theme.ink(ink);
    let mut legend = vec![
        (Sample::Line(ink(Ink::Main), MIDDLE), "in flight".to_owned()),
        (Sample::Line(ink(Ink::Sky), THIN), "pipe".to_owned()),
    ];
    if is_rwnd_shown {
        let text = "receive window".to_owned();
        legend.push((Sample::Line(ink(Ink::Vermilion), THIN), text));
    } else if let Some((low, high)) = sheet.range(&rwnd) {
        let text = format!("receive window above the scale: {}", from_to(low, high));
        legend.push((Sample::Line(ink(Ink::Vermilion), THIN), text));
    }
    if !cwnd.is_empty() {
        let color = ink(Ink::Purple).faint(0.3);
        legend.push((Sample::Plane(color), "cwnd while it limits (estimated)".to_owned()));
    }
    let held = sheet.flow.send_buffer.map(|buffer| buffer.held_bytes);
    if held.is_some() {
        let text = "what fills the send buffer (estimated)".to_owned();
        legend.push((Sample::Line(ink(Ink::Amber), DASHED), text));
    }
    let title = format!("Windows, {unit}");
    let mut panel = sheet.panel(drawing, (area, scale), (&title, &legend));
    let end = sheet.flow.duration_s;
    draw_cwnd(&mut panel, &cwnd, ink(Ink::Purple));
    if is_rwnd_shown {
        panel.steps(&rwnd, end, (ink(Ink::Vermilion), THIN));
    }
    panel.steps(&pipe, end, (ink(Ink::Sky), THIN));
    panel.steps(&flight, end, (ink(Ink::Main), MIDDLE));
    for interval in &sheet.flow.intervals {
        let Some(held) = held.filter(|_| interval.limit == Limit::SendBuffer) else { continue };
        panel.line(&[(interval.start_s, held), (interval.end_s, held)], ink(Ink::Amber), DASHED);
    }
    panel.area
}

/// The band and the best estimate in it.
fn draw_cwnd(panel: &mut Panel<'_>, cwnd: &[Vec<Quad>], color: Color) {
    for stretch in cwnd {
        let band: Vec<_> = stretch.iter().map(|(t_s, low, _, high)| (*t_s, *low, *high)).collect();
        let until = stretch.last().map_or(0.0, |(t_s, ..)| *t_s);
        panel.band(&band, until, color.faint(0.3));
        let best: Vec<_> = stretch.iter().map(|(t_s, _, best, _)| (*t_s, *best)).collect();
        panel.steps(&best, until, (color, THIN));
    }
}

/// A point of cwnd: time, low, best, high.
type Quad = (f64, f64, f64, f64);

/// The stretches in which cwnd was the limit, each with a last point that only ends it.
fn stretches(cwnd: &Cwnd) -> Vec<Vec<Quad>> {
    let mut stretches: Vec<Vec<Quad>> = Vec::new();
    let mut current: Vec<Quad> = Vec::new();
    for point in &cwnd.series {
        let octets = [point.low_bytes, point.best_bytes, point.high_bytes].map(|it| it.map(as_f64));
        if let [Some(low), Some(best), Some(high)] = octets {
            current.push((point.t_s, low, best, high));
        } else if let Some((_, low, best, high)) = current.last().copied() {
            current.push((point.t_s, low, best, high));
            stretches.push(std::mem::take(&mut current));
        }
    }
    stretches.push(current);
    stretches.retain(|stretch| !stretch.is_empty());
    stretches
}

/// Samples by matcher, SRTT, minimum and queueing delay.
pub(super) fn round_trips(drawing: &mut Drawing, sheet: &Sheet<'_>, area: Area) -> Area {
    let rtt = &sheet.series.rtt;
    let ink = |ink| sheet.theme.ink(ink);
    let samples: [(&MicrosLine, Mark, Color, &str); 3] = [
        (&rtt.segment_end, Mark::Circle, ink(Ink::Main), "by a segment's end"),
        (&rtt.sack, Mark::Triangle, ink(Ink::Purple), "by SACK"),
        (&rtt.timestamp, Mark::Square, ink(Ink::Green), "by timestamp"),
    ];
    let all = samples.iter().map(|(line, ..)| sheet.most(&micros(line))).fold(0.0, f64::max);
    let most = all.max(sheet.most(&micros(&rtt.srtt)));
    if most <= 0.0 {
        return sheet.empty(
            drawing,
            (area, "Round-trip time"),
            "no round-trip time could be measured",
        );
    }
    let (scale, unit) = Scale::from_zero(most, &TIMES);
    let (queue, dark) = (ink(Ink::Amber).faint(0.35), sheet.theme.text());
    let mut legend = Vec::new();
    for (line, mark, color, text) in &samples {
        if !line.us.is_empty() {
            legend.push((Sample::Mark(*mark, *color), (*text).to_owned()));
        }
    }
    legend.push((Sample::Line(dark, THIN), "SRTT, delayed ACKs included".to_owned()));
    legend.push((Sample::Line(sheet.theme.muted(), DASHED), "smallest so far".to_owned()));
    legend
        .push((Sample::Plane(queue), "SRTT less the smallest: queueing, delayed ACKs".to_owned()));
    let title = format!("Round-trip time, {unit}");
    let mut panel = sheet.panel(drawing, (area, scale), (&title, &legend));
    let end = sheet.flow.duration_s;
    let delay: Vec<_> = micros(&rtt.queue).into_iter().map(|(t_s, us)| (t_s, 0.0, us)).collect();
    panel.band(&delay, end, queue);
    for (line, mark, color, _) in &samples {
        panel.marks(&micros(line), *mark, color.faint(0.6));
    }
    panel.steps(&micros(&rtt.min), end, (sheet.theme.muted(), DASHED));
    panel.steps(&micros(&rtt.srtt), end, (dark, THIN));
    panel.area
}

pub(super) fn bytes(line: &BytesLine) -> Vec<(f64, f64)> {
    line.t_s.iter().copied().zip(line.bytes.iter().copied().map(as_f64)).collect()
}

fn micros(line: &MicrosLine) -> Vec<(f64, f64)> {
    line.t_s.iter().copied().zip(line.us.iter().copied()).collect()
}

/// `65.2 kB to 586 kB`; one number where both read alike.
fn from_to(low: f64, high: f64) -> String {
    let [low, high] = [low, high].map(figures::bytes_f64);
    if low == high { low } else { format!("{low} to {high}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_stays_is_one_number() {
        assert_eq!(from_to(28_960.0, 29_000.0), "29.0 kB");
        assert_eq!(from_to(65_200.0, 586_000.0), "65.2 kB to 586 kB");
    }
}

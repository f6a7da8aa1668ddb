//! Series with fewer points, where many flows share the room of one page: buckets of time are
//! widened, and of each the first, the smallest, the largest and the last point remain, as when the
//! points were taken. Rates are means, so windows are merged.

use crate::model::{BytesLine, CwndPoint, MicrosLine, Rates, RttLines, Series};
use crate::units::len_as_f64;

/// Leaves at most `points` points of each line but those of positions in the stream.
pub(super) fn thin(series: &mut Series, points: usize) {
    if let Some(rates) = &mut series.rates {
        thin_rates(rates, points);
    }
    for line in [&mut series.flight, &mut series.pipe, &mut series.rwnd] {
        thin_bytes(line, points);
    }
    let RttLines { segment_end, sack, timestamp, srtt, min, queue } = &mut series.rtt;
    for line in [segment_end, sack, timestamp, srtt, min, queue] {
        thin_micros(line, points);
    }
}

/// Empties the lines of positions in the stream, which a plot over time does not need.
pub(super) fn without_positions(series: &mut Series) {
    series.sent.clear();
    for line in [&mut series.acked, &mut series.dup_acks, &mut series.window_edge] {
        *line = BytesLine::default();
    }
    for ranges in [&mut series.sacked, &mut series.dsacked] {
        *ranges = crate::model::Ranges::default();
    }
}

fn thin_bytes(line: &mut BytesLine, points: usize) {
    let drawn = Drawn { t_s: &line.t_s, low: &line.bytes, high: &line.bytes };
    let Some(kept) = drawn.thinned(line.bucket_s, points) else { return };
    line.left_out = line.left_out.saturating_add(kept.left_out(line.t_s.len()));
    line.bucket_s = Some(kept.bucket_s);
    (line.t_s, line.bytes) = (kept.of_column(&line.t_s), kept.of_column(&line.bytes));
    line.frame = kept.of_column(&line.frame);
}

fn thin_micros(line: &mut MicrosLine, points: usize) {
    let drawn = Drawn { t_s: &line.t_s, low: &line.us, high: &line.us };
    let Some(kept) = drawn.thinned(line.bucket_s, points) else { return };
    line.left_out = line.left_out.saturating_add(kept.left_out(line.t_s.len()));
    line.bucket_s = Some(kept.bucket_s);
    (line.t_s, line.us) = (kept.of_column(&line.t_s), kept.of_column(&line.us));
    line.frame = kept.of_column(&line.frame);
}

/// Leaves at most `points` points of the congestion window: of each bucket the first, the one with
/// the lowest bound, the one with the highest, and the last. An unknown window is below all.
pub(super) fn thin_cwnd(line: &mut Vec<CwndPoint>, points: usize) {
    let t_s: Vec<f64> = line.iter().map(|point| point.t_s).collect();
    let low: Vec<_> = line.iter().map(|point| point.low_bytes).collect();
    let high: Vec<_> = line.iter().map(|point| point.high_bytes).collect();
    if let Some(kept) = (Drawn { t_s: &t_s, low: &low, high: &high }).thinned(None, points) {
        *line = kept.of_column(line);
    }
}

/// A line as it is drawn, or a band.
struct Drawn<'a, V> {
    t_s: &'a [f64],
    low: &'a [V],
    high: &'a [V],
}

impl<V: PartialOrd> Drawn<'_, V> {
    /// `None` where the line is short enough, or no bucket makes it so: `points` below four.
    fn thinned(&self, bucket_s: Option<f64>, points: usize) -> Option<Kept> {
        let span = self.t_s.last()? - self.t_s.first()?;
        let mut bucket_s = bucket_s.unwrap_or(BUCKET_MIN_S);
        if self.t_s.len() <= points {
            return None;
        }
        loop {
            let places = self.extremes(bucket_s);
            if places.len() <= points {
                return Some(Kept { places, bucket_s });
            }
            if bucket_s > span {
                return None;
            }
            bucket_s = wider(bucket_s);
        }
    }

    /// Places of the first, the lowest, the highest and the last point of each bucket.
    fn extremes(&self, bucket_s: f64) -> Vec<usize> {
        let origin = self.t_s.first().copied().unwrap_or_default();
        // A microsecond is the finest of these times: what is a hair before an edge is rounding.
        let bucket = |time: &f64| ((time - origin) / bucket_s + 1e-9).floor();
        let mut places = Vec::new();
        let mut first = 0_usize;
        for run in self.t_s.chunk_by(|a, b| bucket(a).total_cmp(&bucket(b)).is_eq()) {
            let last = first.saturating_add(run.len()).saturating_sub(1);
            let (mut lowest, mut highest) = (first, first);
            for place in first..=last {
                if self.low.get(place) < self.low.get(lowest) {
                    lowest = place;
                }
                if self.high.get(place) > self.high.get(highest) {
                    highest = place;
                }
            }
            let mut of_run = [first, lowest, highest, last];
            of_run.sort_unstable();
            places.extend(of_run);
            first = last.saturating_add(1);
        }
        places.dedup();
        places
    }
}

/// Which points of a line remain.
struct Kept {
    places: Vec<usize>,
    bucket_s: f64,
}

impl Kept {
    fn left_out(&self, all: usize) -> u64 {
        u64::try_from(all.saturating_sub(self.places.len())).unwrap_or(u64::MAX)
    }

    fn of_column<V: Copy>(&self, column: &[V]) -> Vec<V> {
        self.places.iter().filter_map(|place| column.get(*place)).copied().collect()
    }
}

/// The capture's clock may be finer; a page's is not.
const BUCKET_MIN_S: f64 = 1e-6;

/// The next width: 1, 2, 10, 20, 100, .. microseconds, each a multiple of the one before.
fn wider(width_s: f64) -> f64 {
    let us = (width_s * 1e6).round();
    us * if leads_with_two(us) { 5.0 } else { 2.0 } / 1e6
}

/// Whether the first digit of a whole number is 2.
fn leads_with_two(number: f64) -> bool {
    format!("{number:e}").starts_with('2')
}

/// Merges windows in pairs or fives until at most `points` are left.
fn thin_rates(rates: &mut Rates, points: usize) {
    while rates.goodput_bps.len() > points.max(1) {
        let us = (rates.window_s * 1e6).round();
        let factor: usize = if leads_with_two(us) { 5 } else { 2 };
        rates.window_s = wider(rates.window_s);
        rates.goodput_bps = means(&rates.goodput_bps, factor);
        rates.wire_bps = means(&rates.wire_bps, factor);
        let first = |run: &[Option<u64>]| run.iter().flatten().next().copied();
        let last = |run: &[Option<u64>]| run.iter().rev().flatten().next().copied();
        rates.first_frame = rates.first_frame.chunks(factor).map(first).collect();
        rates.last_frame = rates.last_frame.chunks(factor).map(last).collect();
    }
}

/// Means over `count` windows each; after the last one nothing passed.
fn means(rates: &[f64], count: usize) -> Vec<f64> {
    let windows = len_as_f64(count);
    rates.chunks(count).map(|run| run.iter().sum::<f64>() / windows).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::arithmetic_side_effects, reason = "test code")]

    use super::*;

    fn series() -> Series {
        let mut series = Series::default();
        series.flight.t_s = (0..1000_u32).map(|ms| f64::from(ms) / 1e3).collect();
        series.flight.bytes = (0..1000_u64).map(|number| number * 7919 % 1009).collect();
        series.flight.frame = (0..1000).collect();
        series.flight.left_out = 5;
        let rates = (0..99_u32).map(f64::from).collect::<Vec<_>>();
        series.rates = Some(Rates {
            start_s: 0.0,
            window_s: 0.02,
            goodput_bps: rates.clone(),
            wire_bps: rates,
            first_frame: vec![None; 99],
            last_frame: (0..99).map(Some).collect(),
        });
        series
    }

    #[test]
    fn extremes_stay_however_few_points_do() {
        let full = series();
        for points in [4, 10, 77, 400, 999] {
            let mut thinned = series();
            thin(&mut thinned, points);
            let (line, all) = (&thinned.flight, &full.flight);
            assert!(line.t_s.len() <= points, "{points}: {}", line.t_s.len());
            assert_eq!(line.bytes.iter().max(), all.bytes.iter().max());
            assert_eq!(line.bytes.iter().min(), all.bytes.iter().min());
            assert_eq!((line.t_s[0], line.t_s.last()), (0.0, all.t_s.last()));
            assert_eq!(line.left_out, 5 + 1000 - line.t_s.len() as u64);
            for (place, frame) in line.frame.iter().enumerate() {
                let frame = usize::try_from(*frame).unwrap();
                assert_eq!(
                    (line.t_s[place], line.bytes[place]),
                    (all.t_s[frame], all.bytes[frame])
                );
            }
        }
    }

    #[test]
    fn in_steps_or_at_once_the_same_points_remain() {
        let (mut in_steps, mut at_once) = (series(), series());
        for points in [800, 400, 200, 100] {
            thin(&mut in_steps, points);
        }
        thin(&mut at_once, 100);
        assert_eq!(in_steps, at_once);
    }

    #[test]
    fn merged_windows_leave_no_octet_out() {
        let octets = |series: &Series| {
            let rates = series.rates.as_ref().unwrap();
            rates.goodput_bps.iter().sum::<f64>() * rates.window_s / 8.0
        };
        let mut thinned = series();
        thin(&mut thinned, 15);
        assert!((octets(&thinned) - octets(&series())).abs() < 1e-6);
        let rates = thinned.rates.unwrap();
        assert_eq!((rates.window_s, rates.goodput_bps.len()), (0.2, 10));
        assert_eq!((rates.first_frame[0], rates.last_frame[0]), (None, Some(9)));
    }

    #[test]
    fn what_is_short_stays_as_it_is() {
        let mut same = series();
        thin(&mut same, 1000);
        assert_eq!(same, series());
    }
}

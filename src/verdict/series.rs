//! Series as the report tells them.

use crate::model::{BytesLine, MicrosLine, Ranges, Rates, RttLines, SentRanges, Series};
use crate::series::{self, Findings, Lines, Point, Range, Reservoir, SentKind};
use crate::units::{Duration, Timestamp, as_f64};

/// All series, with times from `start`; queueing delay is what SRTT has over `min_rtt`.
pub(super) fn of(found: &Findings, start: Timestamp, min_rtt: Option<Duration>) -> Series {
    let clock = Clock { start };
    let Lines { flight, pipe, window, rtt, srtt, min_rtt: least, .. } = &found.lines;
    let Lines { sent, acked, dup_acks, edge, sacked, dsacked, .. } = &found.lines;
    let [segment_end, sack, timestamp] = rtt;
    let base = min_rtt.unwrap_or_default().as_nanos();
    let sent = SentKind::ALL.iter().zip(sent).filter(|(_, ranges)| !ranges.samples().is_empty());
    Series {
        rates: found.rates.as_ref().map(|rates| clock.rates(rates)),
        flight: clock.bytes(flight),
        pipe: clock.bytes(pipe),
        rwnd: clock.bytes(window),
        rtt: RttLines {
            segment_end: clock.micros(segment_end, 0),
            sack: clock.micros(sack, 0),
            timestamp: clock.micros(timestamp, 0),
            srtt: clock.micros(srtt, 0),
            min: clock.micros(least, 0),
            queue: clock.micros(srtt, base),
        },
        sent: sent
            .map(|(kind, ranges)| SentRanges { kind: *kind, ranges: clock.ranges(ranges) })
            .collect(),
        acked: clock.bytes(acked),
        dup_acks: clock.bytes(dup_acks),
        window_edge: clock.bytes(edge),
        sacked: clock.ranges(sacked),
        dsacked: clock.ranges(dsacked),
    }
}

struct Clock {
    start: Timestamp,
}

impl Clock {
    fn seconds(&self, time: Timestamp) -> f64 {
        time.since(self.start).as_secs_f64()
    }

    fn bytes(&self, line: &Reservoir<Point>) -> BytesLine {
        let samples = line.samples();
        BytesLine {
            t_s: samples.iter().map(|point| self.seconds(point.time)).collect(),
            bytes: samples.iter().map(|point| point.value).collect(),
            frame: samples.iter().map(|point| point.frame.shown()).collect(),
            bucket_s: line.bucket().map(Duration::as_secs_f64),
            left_out: line.left_out(),
        }
    }

    /// Nanoseconds over `base`, as microseconds.
    fn micros(&self, line: &Reservoir<Point>, base: u64) -> MicrosLine {
        let samples = line.samples();
        let us = |point: &Point| {
            Duration::from_nanos(point.value.saturating_sub(base)).as_secs_f64() * 1e6
        };
        MicrosLine {
            t_s: samples.iter().map(|point| self.seconds(point.time)).collect(),
            us: samples.iter().map(us).collect(),
            frame: samples.iter().map(|point| point.frame.shown()).collect(),
            bucket_s: line.bucket().map(Duration::as_secs_f64),
            left_out: line.left_out(),
        }
    }

    fn ranges(&self, line: &Reservoir<Range>) -> Ranges {
        let samples = line.samples();
        Ranges {
            t_s: samples.iter().map(|range| self.seconds(range.time)).collect(),
            end_t_s: samples.iter().map(|range| self.seconds(range.until)).collect(),
            start_bytes: samples.iter().map(|range| range.start.0).collect(),
            end_bytes: samples.iter().map(|range| range.end.0).collect(),
            count: samples.iter().map(|range| range.count).collect(),
            first_frame: samples.iter().map(|range| range.first_frame.shown()).collect(),
            last_frame: samples.iter().map(|range| range.last_frame.shown()).collect(),
            bucket_s: line.bucket().map(Duration::as_secs_f64),
            left_out: line.left_out(),
        }
    }

    fn rates(&self, rates: &series::Rates) -> Rates {
        let window_s = rates.window.as_secs_f64();
        let bps = |octets: u64| as_f64(octets) * 8.0 / window_s;
        Rates {
            start_s: self.seconds(rates.start),
            window_s,
            goodput_bps: rates.windows.iter().map(|window| bps(window.acked)).collect(),
            wire_bps: rates.windows.iter().map(|window| bps(window.wire)).collect(),
            first_frame: rates
                .windows
                .iter()
                .map(|w| w.frames.map(|(first, _)| first.shown()))
                .collect(),
            last_frame: rates
                .windows
                .iter()
                .map(|w| w.frames.map(|(_, last)| last.shown()))
                .collect(),
        }
    }
}

//! The lines that plots are drawn from.
#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use crate::model::*;
use crate::units::as_f64;

/// A few points of each line, one stretch merged.
pub(crate) fn series() -> Series {
    let bytes = |bytes: &[u64]| BytesLine {
        t_s: (0..bytes.len()).map(|index| as_f64(index as u64) * 0.3).collect(),
        bytes: bytes.to_vec(),
        frame: (1..=bytes.len() as u64).collect(),
        bucket_s: Some(0.1),
        left_out: 7,
    };
    let micros = |us: &[f64]| MicrosLine {
        t_s: (0..us.len()).map(|index| as_f64(index as u64) * 0.3).collect(),
        us: us.to_vec(),
        frame: (1..=us.len() as u64).collect(),
        bucket_s: None,
        left_out: 0,
    };
    let ranges = |start: u64| Ranges {
        t_s: vec![0.1, 0.4],
        end_t_s: vec![0.1, 0.6],
        start_bytes: vec![start, start + 1448],
        end_bytes: vec![start + 1448, start + 14_480],
        count: vec![1, 9],
        first_frame: vec![3, 4],
        last_frame: vec![3, 12],
        bucket_s: Some(0.3),
        left_out: 8,
    };
    let sent = [SentKind::New, SentKind::Fast, SentKind::Timeout, SentKind::WindowProbe];
    Series {
        rates: Some(Rates {
            start_s: 0.0,
            window_s: 0.5,
            goodput_bps: vec![1e8, 1.1e8],
            wire_bps: vec![1.1e8, 1.2e8],
            first_frame: vec![Some(1), None],
            last_frame: vec![Some(9), None],
        }),
        flight: bytes(&[0, 14_480, 28_960, 0]),
        pipe: bytes(&[0, 14_480, 1448]),
        rwnd: bytes(&[65_535, 131_072]),
        rtt: RttLines {
            segment_end: micros(&[228_000.0, 229_100.0]),
            sack: micros(&[240_000.0]),
            timestamp: micros(&[]),
            srtt: micros(&[228_000.0, 228_100.5]),
            min: micros(&[227_600.0]),
            queue: micros(&[400.0, 500.5]),
        },
        sent: sent.into_iter().map(|kind| SentRanges { kind, ranges: ranges(1) }).collect(),
        acked: bytes(&[1, 1449, 14_481]),
        dup_acks: bytes(&[1449]),
        window_edge: bytes(&[65_536, 132_521]),
        sacked: ranges(2897),
        dsacked: ranges(1),
    }
}

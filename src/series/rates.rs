//! How fast, in windows of one length: octets that passed, divided by the window.

use super::reservoir::{Passed, Reservoir, Sample as _};
use crate::units::{Duration, FrameNumber, Timestamp};

/// Windows without holes, from `start` on.
#[derive(Debug, PartialEq)]
pub(crate) struct Rates {
    pub(crate) start: Timestamp,
    pub(crate) window: Duration,
    pub(crate) windows: Vec<Window>,
}

/// What passed in one window.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    /// Octets cumulatively acknowledged.
    pub(crate) acked: u64,
    /// Octets on the wire, headers included.
    pub(crate) wire: u64,
    /// `None` where nothing passed.
    pub(crate) frames: Option<(FrameNumber, FrameNumber)>,
}

impl Rates {
    /// Windows kept at most.
    const WINDOWS_MAX: usize = 4096;

    /// Round trips of a window, the best first: in a window of `n` the rate of a steady sender varies
    /// by one part of `n`, for one burst more or less.
    const ROUNDS: [u32; 3] = [4, 2, 1];
    /// With fewer windows less is seen than with shorter ones that vary more.
    const WINDOWS_MIN: usize = 40;

    /// At most `room` windows, none shorter than a mean round trip: within one a sender may send
    /// all or nothing. `None` if nothing passed.
    pub(super) fn of(
        passed: &Reservoir<Passed>,
        room: usize,
        round_trip: Duration,
    ) -> Option<Self> {
        let (start, last) = (passed.origin(), passed.last()?);
        let room = room.clamp(1, Self::WINDOWS_MAX);
        let span = last.time().since(start);
        let bucket = passed.bucket().unwrap_or(Duration::from_nanos(1));
        let count =
            |window: &Duration| span.as_nanos().checked_div(window.as_nanos()).unwrap_or(u64::MAX);
        let no_shorter_than = |least: Duration| {
            let is_whole =
                |window: &Duration| window.as_nanos().checked_rem(bucket.as_nanos()) == Some(0);
            let mut lengths = round_lengths().filter(is_whole);
            lengths.find(|window| *window >= least && count(window) < room as u64)
        };
        let steady = Self::ROUNDS.map(|rounds| round_trip.saturating_mul(rounds));
        let mut enough = steady.iter().filter_map(|least| no_shorter_than(*least));
        let enough = enough.find(|window| count(window) >= Self::WINDOWS_MIN as u64);
        let window = enough.or_else(|| no_shorter_than(round_trip))?;
        let mut windows = Vec::new();
        for sample in passed.samples() {
            let place = sample.time.since(start).as_nanos().checked_div(window.as_nanos())?;
            let place = usize::try_from(place).ok()?.min(room);
            if place >= windows.len() {
                windows.resize(place.saturating_add(1), Window::default());
            }
            windows.get_mut(place)?.take(sample);
        }
        Some(Self { start, window, windows })
    }
}

impl Window {
    fn take(&mut self, sample: &Passed) {
        self.acked = self.acked.saturating_add(sample.acked);
        self.wire = self.wire.saturating_add(sample.wire);
        let first = self.frames.map_or(sample.first_frame, |(first, _)| first);
        self.frames = Some((first, sample.last_frame));
    }
}

/// 1, 2, 5, 10, 20, 50, .. microseconds, up to more than 584 years: all that a timestamp can span.
fn round_lengths() -> impl Iterator<Item = Duration> {
    let decades = (0..20_u32).map(|exponent| 10_u128.saturating_pow(exponent));
    decades.flat_map(|decade| [1, 2, 5].map(|step| decade.saturating_mul(step))).map(|us| {
        let us = u64::try_from(us).unwrap_or(u64::MAX);
        Duration::from_micros(us)
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::arithmetic_side_effects, reason = "test code")]

    use super::*;

    fn passed(samples: impl Iterator<Item = u64>) -> Reservoir<Passed> {
        let mut passed = Reservoir::default();
        for ms in samples {
            let frame = FrameNumber::new(ms);
            let time = Timestamp(ms * 1_000_000);
            passed.push(Passed {
                time,
                acked: 1000,
                wire: 1040,
                first_frame: frame,
                last_frame: frame,
            });
        }
        passed
    }

    #[test]
    fn a_window_is_round_and_no_shorter_than_a_round_trip() {
        let rates = Rates::of(&passed(0..100), 50, Duration::from_millis(11)).unwrap();
        assert_eq!(rates.window, Duration::from_millis(20));
        assert_eq!(rates.windows.len(), 5);
        assert!(rates.windows.iter().all(|window| window.acked == 20_000));
        assert_eq!(rates.windows[1].frames, Some((FrameNumber::new(20), FrameNumber::new(39))));
    }

    #[test]
    fn a_long_flow_has_windows_of_several_round_trips() {
        let rates = Rates::of(&passed(0..4000), 500, Duration::from_millis(11)).unwrap();
        assert_eq!(rates.window, Duration::from_millis(50));
        let rates = Rates::of(&passed(0..1000), 500, Duration::from_millis(9)).unwrap();
        assert_eq!(rates.window, Duration::from_millis(20));
    }

    #[test]
    fn windows_leave_no_octet_out_however_many_there_were() {
        let rates = Rates::of(&passed(0..100_000), 300, Duration::ZERO).unwrap();
        assert!(rates.windows.len() <= 300, "{}", rates.windows.len());
        let sum: u64 = rates.windows.iter().map(|window| window.wire).sum();
        assert_eq!(sum, 104_000_000);
    }

    #[test]
    fn a_pause_is_a_row_of_empty_windows() {
        let rates = Rates::of(&passed([0, 1, 98, 99].into_iter()), 100, Duration::ZERO).unwrap();
        assert_eq!(rates.windows.iter().filter(|window| window.frames.is_none()).count(), 96);
    }

    #[test]
    fn nothing_passed_is_no_rate() {
        assert_eq!(Rates::of(&Reservoir::default(), 100, Duration::ZERO), None);
    }
}

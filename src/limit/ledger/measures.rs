//! What was measured while one limit held: the numbers that a verdict gives as its reasons.

use crate::round::Wait;
use crate::units::{Bytes, Duration};

/// What was measured in the waits charged to one limit.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Measures {
    /// How many waits.
    pub(crate) waits: u64,
    /// Their time.
    pub(crate) time: Duration,
    /// FlightSize at their start, octets times seconds.
    flight_seconds: f64,
    /// SND.WND at their start, octets times seconds, where it was known.
    wnd_seconds: f64,
    wnd_time: Duration,
    /// How many ended with a batch that an ACK prompted, their time, and FlightSize just before those
    /// ACKs, octets in all.
    woken: u64,
    woken_time: Duration,
    woken_flight: Bytes,
    /// Largest FlightSize at their start.
    pub(crate) flight_max: Bytes,
}

impl Measures {
    pub(super) fn add(&mut self, wait: &Wait) {
        let time = wait.duration();
        self.waits = self.waits.saturating_add(u64::from(wait.count));
        self.time = self.time.saturating_add(time);
        self.flight_max = self.flight_max.max(wait.flight_before);
        self.flight_seconds += wait.flight_before.as_f64() * time.as_secs_f64();
        if wait.sign.is_prompted_batch() {
            let before = Bytes(wait.flight_before.0.saturating_mul(u64::from(wait.count)));
            self.woken = self.woken.saturating_add(u64::from(wait.count));
            self.woken_time = self.woken_time.saturating_add(time);
            self.woken_flight =
                self.woken_flight.saturating_add(before.saturating_sub(wait.unanswered));
        }
        if let Some(wnd) = wait.snd_wnd {
            self.wnd_seconds += wnd.as_f64() * time.as_secs_f64();
            self.wnd_time = self.wnd_time.saturating_add(time);
        }
    }

    /// Takes `over` of the time back: the means stay.
    pub(super) fn take_back(&mut self, over: Duration) {
        let left = self.time.saturating_sub(over);
        let part = left.as_secs_f64() / self.time.as_secs_f64().max(1e-9);
        self.time = left;
        self.flight_seconds *= part;
        self.wnd_seconds *= part;
        self.wnd_time = self.wnd_time.mul_f64(part);
        self.woken_time = self.woken_time.mul_f64(part);
    }

    /// What is measured in `time` of it, as in the rest, is another's.
    pub(in crate::limit) fn part_with(&mut self, time: Duration) -> Self {
        let mut moved = *self;
        moved.take_back(self.time.saturating_sub(time));
        self.take_back(time);
        let all = self.time.saturating_add(moved.time).as_nanos().max(1);
        let waits = u128::from(self.waits).saturating_mul(u128::from(moved.time.as_nanos()));
        let part = waits.checked_div(u128::from(all)).unwrap_or_default();
        moved.waits = u64::try_from(part).unwrap_or(self.waits);
        self.waits = self.waits.saturating_sub(moved.waits);
        (moved.woken, moved.woken_flight) = (0, Bytes(0));
        moved
    }

    pub(in crate::limit) fn join(&mut self, other: &Self) {
        self.waits = self.waits.saturating_add(other.waits);
        self.time = self.time.saturating_add(other.time);
        self.flight_seconds += other.flight_seconds;
        self.wnd_seconds += other.wnd_seconds;
        self.wnd_time = self.wnd_time.saturating_add(other.wnd_time);
        self.flight_max = self.flight_max.max(other.flight_max);
    }

    /// Time-weighted mean of FlightSize, octets; `None` without any time.
    pub(crate) fn flight_mean(&self) -> Option<f64> {
        (!self.time.is_zero()).then(|| self.flight_seconds / self.time.as_secs_f64())
    }

    /// Mean of what was in flight just before the ACKs that prompted a batch, octets; `None` unless they
    /// ended most of the time.
    pub(crate) fn woken_mean(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        let woken = self.woken as f64;
        let is_usual = self.woken > 0 && self.woken_time.saturating_mul(2) >= self.time;
        is_usual.then(|| self.woken_flight.as_f64() / woken)
    }

    /// Time-weighted mean of the advertised window, octets; `None` while its scale is unknown.
    pub(crate) fn wnd_mean(&self) -> Option<f64> {
        (!self.wnd_time.is_zero()).then(|| self.wnd_seconds / self.wnd_time.as_secs_f64())
    }
}

#[cfg(test)]
impl Measures {
    /// 20 ms with 1000 octets in flight and a window of 2000.
    pub(super) fn of_two_full_windows() -> Self {
        let time = Duration::from_millis(20);
        Self { flight_seconds: 20.0, wnd_seconds: 40.0, wnd_time: time, time, ..Self::default() }
    }
}

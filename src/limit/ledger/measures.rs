//! What was measured while one limit held: the numbers that a verdict gives as its reasons.

use crate::round::{BatchSign, EndedBy, QueueSign, Wait};
use crate::units::{Bytes, Duration};

/// What was measured in the waits charged to one limit.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Measures {
    /// How many waits.
    pub(crate) waits: u64,
    /// Their time, and for how much of it more was surely queued: the first ACK ended it that freed enough
    /// for a segment, and what went before was whole, or filled the window to the octet.
    pub(crate) time: Duration,
    queued: Duration,
    /// How many began behind the last that was queued: a segment below SMSS that left some of the window.
    dry: u64,
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
        let is_answered = wait.sign.ended_by == EndedBy::Ack && wait.sign.batch == BatchSign::No;
        let is_filled = wait.snd_wnd == Some(wait.flight_before);
        if wait.sign.queue == QueueSign::Dry && !is_filled {
            self.dry = self.dry.saturating_add(u64::from(wait.count));
        } else if is_answered {
            self.queued = self.queued.saturating_add(time);
        }
        self.flight_max = self.flight_max.max(wait.flight_before);
        self.flight_seconds += wait.flight_before.as_f64() * time.as_secs_f64();
        if wait.sign.is_prompted_third() {
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
        self.queued = self.queued.mul_f64(part);
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
        (moved.woken, moved.woken_flight, moved.dry) = (0, Bytes(0), 0);
        moved
    }

    pub(in crate::limit) fn join(&mut self, other: &Self) {
        self.waits = self.waits.saturating_add(other.waits);
        self.time = self.time.saturating_add(other.time);
        self.queued = self.queued.saturating_add(other.queued);
        self.dry = self.dry.saturating_add(other.dry);
        self.flight_seconds += other.flight_seconds;
        self.wnd_seconds += other.wnd_seconds;
        self.wnd_time = self.wnd_time.saturating_add(other.wnd_time);
        self.flight_max = self.flight_max.max(other.flight_max);
    }

    /// Whether the sender had more to send for most of the time. A writer may stop a few octets short of what
    /// was taken for a window, again and again, and goes on by itself.
    pub(crate) fn is_more_queued(&self) -> bool {
        self.queued.saturating_mul(2) >= self.time
            && self.dry.saturating_mul(DRY_PARTS) <= self.waits
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

/// One in so many may be the last that a program had written. (Of 41 captures begun midway whose window was
/// the limit one in 31 at most is; where a writer stopped short of it, one in eight, and all.)
const DRY_PARTS: u64 = 16;

#[cfg(test)]
impl Measures {
    /// 20 ms with 1000 octets in flight and a window of 2000.
    pub(super) fn of_two_full_windows() -> Self {
        let time = Duration::from_millis(20);
        Self { flight_seconds: 20.0, wnd_seconds: 40.0, wnd_time: time, time, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::tests::{CLOCKED, round};
    use crate::round::Sign;

    /// Whether more was queued at a window of 40 kB in all of these waits of 10 ms, with so much in flight.
    fn is_more_queued(waits: &[(Sign, u64)]) -> bool {
        let mut measures = Measures::default();
        for (sign, flight) in waits {
            for wait in round(&[*sign]).waits {
                let wnd = Some(Bytes(40_000));
                measures.add(&Wait { flight_before: Bytes(*flight), snd_wnd: wnd, ..wait });
            }
        }
        measures.is_more_queued()
    }

    #[test]
    fn who_stops_short_of_a_window_had_no_more() {
        let dry = Sign { queue: QueueSign::Dry, ..CLOCKED };
        let alone = Sign { ended_by: EndedBy::Nothing, ..CLOCKED };
        let third = Sign { batch: BatchSign::Third, ..CLOCKED };
        assert!(is_more_queued(&[(CLOCKED, 39_500); 16]));
        assert!(is_more_queued(&[(dry, 40_000); 16]), "the window's edge cut it");
        assert!(!is_more_queued(&[(dry, 39_500); 16]));
        let mixed =
            |dries: usize| [vec![(CLOCKED, 39_500); 30], vec![(dry, 39_500); dries]].concat();
        assert!(is_more_queued(&mixed(2)) && !is_more_queued(&mixed(3)));
        let half = |other: Sign| [[(CLOCKED, 39_500); 7], [(other, 39_500); 7]].concat();
        assert!(is_more_queued(&half(alone)) && is_more_queued(&half(third)));
        assert!(!is_more_queued(&[(alone, 39_500), (third, 39_500), (CLOCKED, 39_500)]));
    }
}

//! How late does a host answer that answers now sooner, now later? A busy or virtual machine, or a tap beside
//! it, lets data pass up to some milliseconds after the ACK that let it out. By the delays alone a writer's
//! timer looks the same, where its sends happen to come that soon after the ACKs of those before them.
//!
//! But a timer knows nothing of the ACKs. How much does the time between sends change from one to the next,
//! and how much the delay? A timer that ticks evenly leaves the former as it is, while its delays change as
//! the ACKs drift along it. One whose ticks vary at random by a variance V changes them by 6 V and by 4 V, as
//! its ACKs come back as unevenly as it had sent; one whose pauses vary by V, both by 2 V. Where each ACK
//! lets data out after a lag of variance V, the delays change by 2 V, and the times between sends by 6 V and
//! by whatever the ACKs add. (Own captures, each answer moved by up to 0.6, 1 and 2 ms: a ratio of 0.14 to
//! 0.66, the median at 0.34; writers by the clock and paced senders with a small buffer: 0.97 to 180.)

use crate::units::host::WAKE_UP;
use crate::units::{Duration, Timestamp};
use crate::vantage::END_PARTS;

/// The answers that take longer than an answer of the kernel's, against the ACKs that they answer.
#[derive(Debug, Default)]
pub(super) struct Lag {
    /// The last burst: how long after the one before and how long after an ACK it began; `None` after one
    /// without.
    last: Option<Answer>,
    /// Bursts that no ACK came before.
    unprompted: u32,
    /// Answers later than [`WAKE_UP`], and the same by delay.
    late: u32,
    delays: [u32; BUCKETS],
    /// Pairs of answers that were compared: by how much the time between sends changed, and the delay. Sums
    /// of squares in parts of that time, [`WHOLE`] to one.
    pairs: u32,
    gap_changes: u64,
    delay_changes: u64,
}

#[derive(Debug, Clone, Copy)]
struct Answer {
    time: Timestamp,
    delay: Duration,
    /// Zero where not known.
    gap: Duration,
}

const BUCKETS: usize = 6;
const BUCKET: Duration = Duration::from_micros(600);

/// A tap or a host that is further off tells itself by the handshake or by timestamps. (Of 2482 directions of
/// the open corpus, of `tests/held-out` and of captures of others, 2 ms change the limit of one, which is of
/// low confidence then; 8 ms change none.)
pub(crate) const LATE_MAX: Duration = Duration::from_millis(4);

/// From so many pairs, 19 in 20 ratios of two variances come out within a factor of 1.8 (the F distribution).
const PAIRS_MIN: u32 = 32;

const WHOLE: u64 = 1 << 20;

impl Lag {
    /// A burst began at `now` that no ACK came before.
    #[inline]
    pub(super) fn on_unprompted(&mut self) {
        self.last = None;
        self.unprompted = self.unprompted.saturating_add(1);
    }

    /// A burst began at `time`, `delay` after an ACK.
    #[inline]
    pub(super) fn on_prompted(&mut self, time: Timestamp, delay: Duration) -> Pair {
        let gap = self.last.map_or(Duration::ZERO, |last| time.since(last.time));
        let now = Answer { time, delay, gap };
        Pair { before: self.last.replace(now), now }
    }

    /// The later of the two came too late for the kernel alone; later than `most` it is no answer.
    pub(super) fn on_late(&mut self, pair: &Pair, most: Duration) {
        let Pair { before, now } = pair;
        if now.delay > most {
            return;
        }
        if now.delay > WAKE_UP {
            let beyond = now.delay.saturating_sub(WAKE_UP).as_nanos().saturating_sub(1);
            let bucket = beyond.checked_div(BUCKET.as_nanos()).unwrap_or_default();
            let bucket = usize::try_from(bucket).unwrap_or(usize::MAX);
            if let Some(count) = self.delays.get_mut(bucket) {
                *count = count.saturating_add(1);
                self.late = self.late.saturating_add(1);
            }
        }
        if let Some(before) = before.filter(|before| before.delay <= most) {
            self.compare(before, *now);
        }
    }

    /// Pauses and what follows them are left out: single ones would outweigh all else. (Five times the wait
    /// beside in place of three changes the limit of five in 582 captures with answers moved by up to 5 ms,
    /// three for the better; with twice, a lag of a millisecond is a pause.)
    fn compare(&mut self, before: Answer, now: Answer) {
        let (longer, shorter) = (now.gap.max(before.gap), now.gap.min(before.gap));
        if shorter.is_zero() || longer > shorter.saturating_mul(3) {
            return;
        }
        let square_of = |change: Duration| {
            let part = change.as_nanos().saturating_mul(WHOLE).checked_div(longer.as_nanos());
            part.unwrap_or_default().saturating_pow(2)
        };
        let gap_change = square_of(longer.saturating_sub(shorter));
        let delay_change = square_of(now.delay.abs_diff(before.delay));
        self.pairs = self.pairs.saturating_add(1);
        self.gap_changes = self.gap_changes.saturating_add(gap_change);
        self.delay_changes = self.delay_changes.saturating_add(delay_change);
    }

    /// The longest that a host's answer may take with this RTT: what is longer is a way.
    pub(super) fn most(min_rtt: Option<Duration>) -> Duration {
        let part = min_rtt.and_then(|rtt| rtt.checked_div(END_PARTS)).unwrap_or_default();
        part.clamp(WAKE_UP, LATE_MAX)
    }

    /// Answers later than [`WAKE_UP`].
    pub(super) fn late_count(&self) -> u32 {
        self.late
    }

    /// Bursts that no ACK came before.
    pub(super) fn unprompted_count(&self) -> u32 {
        self.unprompted
    }

    /// Whether ACKs let the bursts out: the delays change by less than half of what the times between sends
    /// do. That lies midway between the third, at most, of a host that answers and a timer's two thirds, at
    /// least.
    pub(super) fn is_answering(&self) -> bool {
        self.pairs >= PAIRS_MIN && self.delay_changes.saturating_mul(2) < self.gap_changes
    }

    /// By when all but `rest` of the late answers have come.
    pub(super) fn reached_by_all_but(&self, rest: u32) -> Duration {
        let mut left = self.late;
        let mut delay = WAKE_UP;
        for count in self.delays {
            if left <= rest {
                break;
            }
            left = left.saturating_sub(count);
            delay = delay.saturating_add(BUCKET);
        }
        delay
    }
}

/// A burst and the one before it.
#[derive(Debug)]
pub(super) struct Pair {
    before: Option<Answer>,
    now: Answer,
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Option<Duration> = Some(Duration::from_millis(100));

    /// Numbers below 1, one as likely as the other.
    fn chances() -> impl FnMut() -> f64 {
        let mut state = 1_u64;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            f64::from(u32::try_from(state >> 32).unwrap()) / f64::from(u32::MAX)
        }
    }

    /// Sends with the ACKs before them, in microseconds.
    fn is_answering(sends: impl IntoIterator<Item = (f64, f64)>) -> bool {
        let mut lag = Lag::default();
        let at = |us: f64| Timestamp(0).after(Duration::from_millis(1000).mul_f64(us / 1e6));
        for (ack, send) in sends {
            let pair = lag.on_prompted(at(send), at(send).since(at(ack)));
            lag.on_late(&pair, Lag::most(RTT));
        }
        lag.is_answering()
    }

    /// ACKs of a full bottleneck, and such that others' packets part; a lag of most of the time between them,
    /// and of little.
    #[test]
    fn a_host_that_lags_answers() {
        for (gap, stir, lag) in
            [(1200.0, 0.0, 1000.0), (1200.0, 600.0, 1000.0), (12_000.0, 10.0, 600.0)]
        {
            let mut chance = chances();
            let sends = (0..200).map(|nth| {
                let ack = f64::from(nth).mul_add(gap, chance() * stir);
                (ack, ack + chance() * lag)
            });
            assert!(is_answering(sends.collect::<Vec<_>>()), "{gap} {stir} {lag}");
        }
    }

    /// Its ACKs come in step with it, drift along it, or are stirred on their way; its ticks vary or not.
    #[test]
    fn a_timer_does_not_answer() {
        for (ack_gap, stir, jitter) in
            [(4000.0, 0.0, 0.0), (3990.0, 0.0, 0.0), (4000.0, 300.0, 0.0), (4000.0, 300.0, 300.0)]
        {
            let mut chance = chances();
            let sends = (0..200).map(|nth| {
                let ack = f64::from(nth).mul_add(ack_gap, chance() * (stir + jitter));
                (ack, f64::from(nth).mul_add(4000.0, 700.0 + chance() * jitter))
            });
            assert!(!is_answering(sends.collect::<Vec<_>>()), "{ack_gap} {stir} {jitter}");
        }
    }

    #[test]
    fn all_but_a_few_answers_are_reached() {
        let mut lag = Lag::default();
        let ms = |ms| Timestamp(0).after(Duration::from_millis(ms));
        for (nth, delay_us) in [500, 900, 1500, 1600, 3900, 4000, 4001].into_iter().enumerate() {
            let time = ms(u64::try_from(nth).unwrap() * 20);
            let pair = lag.on_prompted(time, Duration::from_micros(delay_us));
            lag.on_late(&pair, Lag::most(RTT));
        }
        assert_eq!(lag.late_count(), 6, "what comes later than 4 ms is no answer");
        assert_eq!(lag.reached_by_all_but(0), Duration::from_millis(4));
        assert_eq!(lag.reached_by_all_but(2), Duration::from_micros(1600));
        assert_eq!(Lag::most(Some(Duration::from_millis(20))), Duration::from_millis(1));
    }
}

//! How soon after an ACK does this sender send? The kernel answers an ACK inside the soft interrupt
//! that took it in: 7 to 20 us later where measured, but 80 to 190 us later on a busy or virtual
//! machine (the USC policing data set's senders). Where most sends come that soon after an ACK, the
//! time that nine in ten of them need is the machine's own; what comes later was woken up.
//!
//! Where the tap stands a little before the host, or interrupts are held back, all answers come a millisecond
//! or more late, one as late as the other. A writer's timer that runs in step with the round trips looks the
//! same. Answers that come now sooner, now later show themselves: see the module `lag`.

use super::lag::{LATE_MAX, Lag};
use crate::units::host::{IMMEDIATE, WAKE_UP};
use crate::units::{Duration, Timestamp};

/// The delays from an ACK to the next send, counted.
#[derive(Debug, Default)]
pub(super) struct Reaction {
    /// Bursts that an ACK preceded since the burst before.
    bursts: u32,
    /// Of these, how many followed it within [`WAKE_UP`].
    soon: u32,
    /// The same by delay.
    delays: [u32; BUCKETS],
    late: Late,
    lag: Lag,
    /// A pacing timer is known, and it answers no ACK.
    pub(super) is_paced: bool,
}

/// Of the later ones: a delay that most have, and by how many these are more than all others (the majority
/// vote of Boyer and Moore).
#[derive(Debug, Default)]
struct Late {
    delay: Duration,
    lead: u32,
}

const BUCKETS: usize = 8;
const BUCKET: Duration = Duration::from_micros(50);
// The buckets end where a program is woken up no more, and one of them where the kernel's time ends.
const _: () = assert!(BUCKET.as_nanos().saturating_mul(BUCKETS as u64) == WAKE_UP.as_nanos());
const _: () = assert!(IMMEDIATE.as_nanos() % BUCKET.as_nanos() == 0);

/// As much as the kernel's own time varies: of captures whose ACKs were moved ahead by 1 to 3 ms, 76 to 100
/// in a hundred answers came within it.
const LATE_BAND: Duration = Duration::from_micros(200);

/// Before this many bursts the machine is not known: an initial window's worth of answers.
const BURSTS_MIN: u32 = 10;

/// One in so many answers may take longer than what is taken for all. (One in 16 names the same limits of 582
/// captures with moved answers.)
pub(crate) const ALL_BUT_PARTS: u32 = 32;

/// A burst that ACKs came before.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Answering {
    pub(super) time: Timestamp,
    /// Since the last of them.
    pub(super) delay: Duration,
    /// It shows that a program had just given it.
    pub(super) is_written: bool,
    /// Payload came with the last of them: a request, say.
    pub(super) has_payload: bool,
    pub(super) min_rtt: Option<Duration>,
}

impl Reaction {
    pub(super) fn on_burst(&mut self, burst: &Answering) {
        let &Answering { time, delay, is_written, has_payload, min_rtt } = burst;
        self.bursts = self.bursts.saturating_add(1);
        let pair = self.lag.on_prompted(time, delay);
        if delay > IMMEDIATE && !has_payload {
            self.lag.on_late(&pair, Lag::most(min_rtt));
        }
        let bucket = delay.as_nanos().checked_div(BUCKET.as_nanos()).unwrap_or_default();
        let bucket = usize::try_from(bucket).unwrap_or(usize::MAX);
        if let Some(count) = self.delays.get_mut(bucket) {
            *count = count.saturating_add(1);
            self.soon = self.soon.saturating_add(1);
        } else {
            self.on_late_burst(delay, delay <= LATE_MAX && !is_written);
        }
    }

    #[cold]
    fn on_late_burst(&mut self, delay: Duration, may_be_usual: bool) {
        let Late { delay: usual, lead } = &mut self.late;
        if may_be_usual && delay.abs_diff(*usual) <= LATE_BAND {
            *lead = lead.saturating_add(1);
        } else if *lead == 0 && may_be_usual {
            (*usual, *lead) = (delay, 1);
        } else {
            *lead = lead.saturating_sub(1);
        }
    }

    /// Whether three in four bursts came equally late after an ACK.
    pub(super) fn is_late(&self) -> bool {
        let late = self.bursts.saturating_sub(self.soon);
        let equal = late.saturating_add(self.late.lead) / 2;
        self.bursts >= BURSTS_MIN
            && self.late.lead > 0
            && equal.saturating_mul(4) >= self.bursts.saturating_mul(3)
    }

    /// A send this soon after an ACK was made by the kernel itself: [`IMMEDIATE`], or up to [`WAKE_UP`] where
    /// three in four bursts follow an ACK within the latter; more on a host that lags.
    pub(super) fn immediate(&self) -> Duration {
        let [first, second, ..] = self.delays;
        let at_once = first.saturating_add(second);
        let answers = self.soon.saturating_add(self.lag.late_count());
        if at_once >= answers.saturating_sub(answers / ALL_BUT_PARTS) {
            return IMMEDIATE; // No more than that, known or not.
        }
        if self.is_lagging(answers) {
            return self.reached_by_nearly_all(answers);
        }
        let soon = self.soon;
        let nine_tenths = soon.saturating_sub(soon / 10);
        let is_known =
            self.bursts >= BURSTS_MIN && soon.saturating_mul(4) >= self.bursts.saturating_mul(3);
        if at_once >= nine_tenths || !is_known {
            return IMMEDIATE;
        }
        self.reached_by(nine_tenths).clamp(IMMEDIATE, WAKE_UP)
    }

    /// Within this time after an ACK the host sends what that ACK let out, though others of its sends came in
    /// between; zero unless it lags.
    pub(super) fn lag(&self) -> Duration {
        let answers = self.soon.saturating_add(self.lag.late_count());
        if self.is_lagging(answers) { self.reached_by_nearly_all(answers) } else { Duration::ZERO }
    }

    /// Whether two in three bursts are answers, of a host whose answers come now sooner, now later. (One in
    /// two, or three in four, change the limit of one in 582 captures with moved answers.)
    fn is_lagging(&self, answers: u32) -> bool {
        let bursts = self.bursts.saturating_add(self.lag.unprompted_count());
        !self.is_paced
            && self.lag.is_answering()
            && answers.saturating_mul(3) >= bursts.saturating_mul(2)
    }

    /// A burst began that no ACK came before.
    pub(super) fn on_unprompted(&mut self) {
        self.lag.on_unprompted();
    }

    fn reached_by(&self, answers: u32) -> Duration {
        let mut passed = 0_u32;
        let mut delay = Duration::ZERO;
        for count in self.delays {
            passed = passed.saturating_add(count);
            delay = delay.saturating_add(BUCKET);
            if passed >= answers {
                break;
            }
        }
        delay
    }

    fn reached_by_nearly_all(&self, answers: u32) -> Duration {
        let rest = answers / ALL_BUT_PARTS;
        if self.lag.late_count() > rest {
            return self.lag.reached_by_all_but(rest);
        }
        self.reached_by(answers.saturating_sub(rest)).max(IMMEDIATE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn burst(delay_us: u64) -> Answering {
        Answering { delay: Duration::from_micros(delay_us), ..Answering::default() }
    }

    fn after(delays_us: &[u64]) -> Duration {
        let mut reaction = Reaction::default();
        for delay in delays_us {
            reaction.on_burst(&burst(*delay));
        }
        reaction.immediate()
    }

    #[test]
    fn a_fast_machine_s_answers_are_immediate() {
        assert_eq!(after(&[12; 100]), IMMEDIATE);
    }

    #[test]
    fn a_slow_machine_gets_more_time() {
        assert_eq!(after(&[120, 180, 90, 150].repeat(20)), Duration::from_micros(200));
    }

    /// Sends that come at any time after an ACK have nothing to do with it.
    #[test]
    fn a_writer_s_timer_is_no_answer() {
        assert_eq!(after(&[150, 900, 2000, 5000].repeat(20)), IMMEDIATE);
    }

    #[test]
    fn answers_that_are_equally_late_are_known() {
        let is_late = |delays_us: &[u64]| {
            let mut reaction = Reaction::default();
            for delay in delays_us {
                reaction.on_burst(&burst(*delay));
            }
            reaction.is_late()
        };
        assert!(is_late(&[1010, 1190, 990, 1020, 150].repeat(4)));
        assert!(!is_late(&[1010, 1190, 990, 150, 20].repeat(4)), "not enough of them");
        assert!(!is_late(&[700, 1190, 1700, 2500, 3100].repeat(4)), "at any time");
        assert!(!is_late(&[1010; 9]) && !is_late(&[120; 100]));
    }

    #[test]
    fn a_few_bursts_tell_nothing() {
        assert_eq!(after(&[180; 9]), IMMEDIATE);
    }
}

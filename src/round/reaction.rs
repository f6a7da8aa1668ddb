//! How soon after an ACK does this sender send? The kernel answers an ACK inside the soft interrupt
//! that took it in: 7 to 20 us later where measured, but 80 to 190 us later on a busy or virtual
//! machine (the USC policing data set's senders). Where most sends come that soon after an ACK, the
//! time that nine in ten of them need is the machine's own; what comes later was woken up.
//!
//! Where the tap stands a little before the host, or interrupts are held back, all answers come a millisecond
//! or more late, one as late as the other. A writer's timer that runs in step with the round trips looks the
//! same.

use super::{IMMEDIATE, WAKE_UP};
use crate::units::Duration;

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

/// As much as the kernel's own time varies: of captures whose ACKs were moved ahead by 1 to 3 ms, 76 to 100
/// in a hundred answers came within it.
const LATE_BAND: Duration = Duration::from_micros(200);

/// A tap or a host that is further off tells itself by the handshake or by timestamps.
const LATE_MAX: Duration = Duration::from_millis(4);

/// Before this many bursts the machine is not known: an initial window's worth of answers.
const BURSTS_MIN: u32 = 10;

impl Reaction {
    /// A burst began `delay` after the last ACK; `is_written` if it shows that a program had just given it.
    pub(super) fn on_burst(&mut self, delay: Duration, is_written: bool) {
        self.bursts = self.bursts.saturating_add(1);
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

    /// A send this soon after an ACK was made by the kernel itself: between [`IMMEDIATE`] and
    /// [`WAKE_UP`]. The former, unless three in four bursts follow an ACK within the latter.
    pub(super) fn immediate(&self) -> Duration {
        let soon = self.soon;
        let nine_tenths = soon.saturating_sub(soon / 10);
        let [first, second, ..] = self.delays;
        if first.saturating_add(second) >= nine_tenths {
            return IMMEDIATE; // No more than that, known or not.
        }
        let is_known =
            self.bursts >= BURSTS_MIN && soon.saturating_mul(4) >= self.bursts.saturating_mul(3);
        if !is_known {
            return IMMEDIATE;
        }
        let mut passed = 0_u32;
        let mut delay = Duration::ZERO;
        for count in self.delays {
            passed = passed.saturating_add(count);
            delay = delay.saturating_add(BUCKET);
            if passed >= nine_tenths {
                break;
            }
        }
        delay.clamp(IMMEDIATE, WAKE_UP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(delays_us: &[u64]) -> Duration {
        let mut reaction = Reaction::default();
        for delay in delays_us {
            reaction.on_burst(Duration::from_micros(*delay), false);
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
                reaction.on_burst(Duration::from_micros(*delay), false);
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

//! How soon after an ACK does this sender send? The kernel answers an ACK inside the soft interrupt
//! that took it in: 7 to 20 us later where measured, but 80 to 190 us later on a busy or virtual
//! machine (the USC policing data set's senders). Where most sends come that soon after an ACK, the
//! time that nine in ten of them need is the machine's own; what comes later was woken up.

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
}

const BUCKETS: usize = 8;
const BUCKET: Duration = Duration::from_micros(50);

/// Before this many bursts the machine is not known: an initial window's worth of answers.
const BURSTS_MIN: u32 = 10;

impl Reaction {
    /// A burst began `delay` after the last ACK.
    pub(super) fn on_burst(&mut self, delay: Duration) {
        self.bursts = self.bursts.saturating_add(1);
        let bucket = delay.as_nanos().checked_div(BUCKET.as_nanos()).unwrap_or_default();
        let bucket = usize::try_from(bucket).unwrap_or(usize::MAX);
        if let Some(count) = self.delays.get_mut(bucket) {
            *count = count.saturating_add(1);
            self.soon = self.soon.saturating_add(1);
        }
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
            reaction.on_burst(Duration::from_micros(*delay));
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
    fn a_few_bursts_tell_nothing() {
        assert_eq!(after(&[180; 9]), IMMEDIATE);
    }
}

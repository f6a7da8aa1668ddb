//! A writer's timer keeps step with the ACKs from its first write on or not at all. One that was woken by
//! them at no timer's pace, as when the congestion window or the round-trip time still changed, is blocked by
//! its buffer; and still is where these have settled, and with them its pace.

use super::Context;

/// How often that was so.
#[derive(Debug, Default)]
pub(super) struct OutOfStep {
    rounds: u32,
}

impl OutOfStep {
    /// Takes what the next round is judged by, and enters what those before told.
    pub(super) fn on_round(&mut self, context: &mut Context) {
        context.was_out_of_step = self.rounds >= ROUNDS_MIN;
        if context.is_woken_out_of_step() {
            self.rounds = self.rounds.saturating_add(1);
        }
    }
}

/// As many as are looked at on either side of the one under judgment ([`Judge::AHEAD`](super::Judge)): more
/// than one sum of rounds says so. (Of 846 captures 4 and 16 change none.)
const ROUNDS_MIN: u32 = 8;

#[cfg(test)]
mod tests {
    use super::super::tests::{CLOCKED, round};
    use super::super::{Judge, Limit};
    use super::ROUNDS_MIN;
    use crate::round::{BatchSign, QueueSign, Sign};
    use crate::units::Duration;

    /// The main limit of 60 writes that an ACK lets go each time, every 10 ms, after so many at no pace.
    fn main_after(uneven: u32) -> Option<Limit> {
        let write = Sign { batch: BatchSign::Third, queue: QueueSign::Dry, ..CLOCKED };
        let mut judge = Judge::default();
        let lengths = [8, 14, 11].into_iter().cycle().take(usize::try_from(uneven).unwrap());
        for ms in lengths.chain([10; 60]) {
            let mut round = round(&[write]);
            for wait in &mut round.waits {
                wait.end = wait.start.after(Duration::from_millis(ms));
                (wait.longest, wait.shortest) = (wait.duration(), wait.duration());
                (wait.acks, wait.prompted_after) = (20, Duration::from_micros(20));
            }
            judge.on_next_round(round);
        }
        let time = judge.finish().time;
        time.into_iter().max_by_key(|(_, time)| *time).map(|((limit, ..), _)| limit)
    }

    /// They keep step, by a chance of one in 25, or the buffer lets them go.
    #[test]
    fn who_was_woken_at_no_pace_is_blocked_at_an_even_one() {
        assert_eq!(main_after(0), Some(Limit::Application));
        assert_eq!(main_after(2 * ROUNDS_MIN), Some(Limit::SendBuffer));
    }
}

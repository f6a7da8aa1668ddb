//! A link fails for a second, and a writer goes on at its own pace until the send buffer is full. What was in
//! flight ends where a write ended, so that the repair seems to hold back nothing. But the ACK that ends the
//! repair lets data go at once, and so do those after it: that had waited. A writer that had nothing more to
//! send comes back at a time of its own.

use std::collections::VecDeque;

use super::{Cause, Context, Limit, Ruling};
use crate::round::{EndedBy, NextSign, QueueSign, Round, Wait};
use crate::sender::{Recovery, RetransmitCause};

pub(super) fn examine(wait: &Wait, context: &Context) -> Option<Ruling> {
    let is_dry = wait.sign.queue == QueueSign::Dry && is_for_timer(wait);
    (is_dry && context.goes_on_at_once && !context.is_writer_blocked())
        .then(|| Ruling::rather(Limit::CongestionWindow, Cause::RtoWait, Limit::Application))
}

/// A repair that the retransmission timer or a loss probe began, which a silence comes before.
fn is_for_timer(wait: &Wait) -> bool {
    match wait.sign.ended_by {
        EndedBy::Retransmission(RetransmitCause::Timeout | RetransmitCause::LossProbe) => true,
        EndedBy::Retransmission(_) => wait.sign.recovery == Recovery::Timeout,
        _ => false,
    }
}

/// Nobody asks about other rounds.
pub(super) fn may_matter(round: &Round) -> bool {
    round.has_loss && round.waits.iter().any(is_for_timer)
}

/// Whether ACKs let the first data go that is new after the repair in the round at `here`: [`ANSWERS`] in a
/// row, as once may be chance.
pub(super) fn goes_on_at_once(rounds: &VecDeque<Round>, here: usize) -> bool {
    let waits = rounds.iter().skip(here).flat_map(|round| &round.waits);
    let after = waits.skip_while(|wait| !is_for_timer(wait)).skip_while(|wait| is_for_timer(wait));
    let mut answers = 0_u32;
    for wait in after {
        let is_answer = wait.sign.ended_by == EndedBy::Ack && wait.sign.next == NextSign::Whole;
        answers = answers.saturating_add(wait.count);
        if !is_answer || answers >= ANSWERS {
            return is_answer;
        }
    }
    false
}

/// So many are no chance: of 2482 directions (open corpus, `tests/held-out`, captures of others) 2 and 5
/// change no limit, and no share by more than 2 points.
const ANSWERS: u32 = 3;

#[cfg(test)]
mod tests {
    use super::super::Judge;
    use super::super::tests::{CLOCKED, round};
    use super::*;
    use crate::round::Sign;
    use crate::units::Duration;

    const DRY: Sign = Sign { queue: QueueSign::Dry, ..CLOCKED };

    /// How long the repair of two segments counts as a wait for the timer, with these waits after it.
    fn time_for_repair(first: RetransmitCause, after: &[Sign]) -> Duration {
        let by_timer = Sign { ended_by: EndedBy::Retransmission(first), ..DRY };
        let written = Sign { ended_by: EndedBy::Nothing, ..DRY };
        let repair = Round { has_loss: true, ..round(&[by_timer, by_timer]) };
        let mut judge = Judge::default();
        for round in [round(&[written; 4]), repair, round(after), round(&[written; 4])] {
            judge.on_next_round(round);
        }
        let key = (Limit::CongestionWindow, Some(Cause::RtoWait), Some(Limit::Application));
        judge.finish().time.get(&key).copied().unwrap_or_default()
    }

    #[test]
    fn what_goes_on_with_the_acks_of_a_repair_had_waited_for_it() {
        let both = Duration::from_millis(20);
        for cause in [RetransmitCause::Timeout, RetransmitCause::LossProbe] {
            assert_eq!(time_for_repair(cause, &[CLOCKED; 3]), both);
        }
        assert_eq!(time_for_repair(RetransmitCause::Fast, &[CLOCKED; 3]), Duration::ZERO);
    }

    #[test]
    fn a_writer_that_comes_back_later_had_nothing_to_send() {
        let later = Sign { ended_by: EndedBy::Nothing, ..CLOCKED };
        for after in [[later; 3], [CLOCKED, CLOCKED, later]] {
            let time = time_for_repair(RetransmitCause::Timeout, &after);
            assert_eq!(time, Duration::ZERO, "{after:?}");
        }
    }
}

//! Slow start on a host that answers late. By its delay an answer of up to some milliseconds may be a
//! writer's (see the module `round::lag`), and until enough of them are compared nothing tells. But where the
//! pipe is twice as large each round trip, it grows by what was acknowledged (RFC 5681 section 3.1), and a
//! writer knows nothing of that.

use std::collections::VecDeque;

use super::{Cause, Context, Limit, Ruling, application, send_buffer};
use crate::round::{EndedBy, LATE_MAX, QueueSign, Round, Wait, WindowSign};
use crate::sender::Recovery;
use crate::units::Bytes;

pub(super) fn examine(wait: &Wait, context: &Context) -> Option<Ruling> {
    if !context.is_doubling || !is_late_answer(wait) {
        return None;
    }
    let sign = &wait.sign;
    let may_go_on = matches!(sign.queue, QueueSign::Held | QueueSign::Pushed)
        && sign.recovery == Recovery::Open
        && sign.window == WindowSign::Open;
    let is_writer_s = || {
        let next = application::examine(wait, context);
        let next = next.or_else(|| send_buffer::examine(wait, context));
        next.is_some_and(|next| next.limit == Limit::Application)
    };
    (may_go_on && is_writer_s())
        .then(|| Ruling::rather(Limit::CongestionWindow, Cause::SlowStart, Limit::Application))
}

fn is_late_answer(wait: &Wait) -> bool {
    matches!(wait.sign.ended_by, EndedBy::LateAck | EndedBy::Nothing)
        && wait.acks > 0
        && wait.prompted_after <= LATE_MAX
}

/// Nobody asks about other rounds.
pub(super) fn may_matter(round: &Round) -> bool {
    round.waits.iter().any(is_late_answer)
}

/// Whether the one at `here` is among three rounds in a row of which each has twice the pipe of the one
/// before. Once may be chance.
pub(super) fn is_doubling(rounds: &VecDeque<Round>, here: usize) -> bool {
    let has_doubled = |nth: usize| {
        let before = nth.checked_sub(1).and_then(|before| rounds.get(before));
        before.zip(rounds.get(nth)).is_some_and(|(before, now)| is_twice(before, now))
    };
    let after = here.saturating_add(1);
    let before = here.saturating_sub(1);
    match (has_doubled(here), has_doubled(after)) {
        (true, true) => true,
        (true, false) => has_doubled(before),
        (false, true) => has_doubled(after.saturating_add(1)),
        (false, false) => false,
    }
}

/// But for a segment in sixteen: where a round begins between two ACKs it is off by up to two segments, as
/// one ACK covers no more (RFC 9293 section 3.8.6.3). Of an initial window of ten (RFC 6928) that is a
/// twentieth from the third round on.
fn is_twice(before: &Round, now: &Round) -> bool {
    let twice = before.pipe_peak.saturating_add(before.pipe_peak);
    let off = twice.0.abs_diff(now.pipe_peak.0);
    before.pipe_peak > Bytes(0) && off.saturating_mul(16) <= now.pipe_peak.0
}

#[cfg(test)]
mod tests {
    use super::super::Judge;
    use super::super::tests::{CLOCKED, round};
    use super::*;
    use crate::round::Sign;
    use crate::units::Duration;

    const LATE: Sign = Sign { ended_by: EndedBy::Nothing, queue: QueueSign::Held, ..CLOCKED };

    /// How many rounds of a wait of `sign`, by what the pipe was in each, the congestion window limits.
    fn limited(pipes: &[u64], sign: Sign, after: Duration) -> u32 {
        let mut judge = Judge::default();
        for &pipe in pipes {
            let mut round = Round { pipe_peak: Bytes(pipe), ..round(&[sign]) };
            round.waits.iter_mut().for_each(|wait| wait.prompted_after = after);
            judge.on_next_round(round);
        }
        let time = judge.finish().time;
        let key = (Limit::CongestionWindow, Some(Cause::SlowStart), Some(Limit::Application));
        let time = time.get(&key).copied().unwrap_or_default();
        let is_so_many = |&count: &u32| time == Duration::from_millis(10).saturating_mul(count);
        (0..100).find(is_so_many).unwrap()
    }

    const LAG: Duration = Duration::from_millis(1);

    #[test]
    fn twice_as_much_each_round_trip_is_slow_start() {
        assert_eq!(limited(&[10, 18_000, 36_000, 72_000, 144_000, 150_000], LATE, LAG), 4);
        assert_eq!(
            limited(&[18_000, 36_000, 76_000, 78_000], LATE, LAG),
            3,
            "a segment or two off"
        );
        assert_eq!(limited(&[18_000, 36_000, 60_000, 120_000], LATE, LAG), 0, "once each");
    }

    #[test]
    fn what_comes_later_or_is_all_there_was_is_the_writer_s() {
        let pipes = [18_000, 36_000, 72_000, 144_000];
        assert_eq!(limited(&pipes, LATE, LAG), 4);
        assert_eq!(limited(&pipes, LATE, Duration::from_millis(5)), 0);
        assert_eq!(limited(&pipes, Sign { queue: QueueSign::Dry, ..LATE }, LAG), 0);
    }
}

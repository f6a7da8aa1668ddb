//! A pacing timer so slow that ACKs for a third of the flight, or for all of it, come before it lets more go:
//! `SO_MAX_PACING_RATE` or a `fq` qdisc's `maxrate` below some six segments in a round trip. Nothing tells
//! its pauses from those of a writer with a timer of its own but what leaves after each: whole segments, to
//! the octet, which hardly a writer knows of. And it began with more: Linux paces from the tenth segment on
//! (`tcp_update_skb_after_send`), so that the initial window leaves at once.

use super::{Cause, Context, HELD_PARTS, Limit, PACED_WAITS_MIN, Ruling, application};
use crate::round::{BatchSign, EndedBy, QueueSign, Wait, WindowSign};
use crate::sender::Recovery;

pub(super) fn examine(wait: &Wait, context: &Context) -> Option<Ruling> {
    let sign = &wait.sign;
    let may_be_queued = matches!(sign.queue, QueueSign::Held | QueueSign::Pushed);
    let is_open = sign.recovery == Recovery::Open && sign.window == WindowSign::Open;
    let is_pause = sign.ended_by == EndedBy::Nothing && sign.batch == BatchSign::Third;
    (is_pause && may_be_queued && is_open && context.has_even_pauses).then(|| {
        let had_more = context.flight_max >= context.flight_peak_here.saturating_add(context.smss);
        if had_more || !context.is_start_seen {
            return Ruling::rather(Limit::CongestionWindow, Cause::Pacing, Limit::Application);
        }
        let cause = application::idle_or_trickle(sign);
        Ruling::rather(Limit::Application, cause, Limit::CongestionWindow)
    })
}

/// Again and again a pause, and hardly a segment below SMSS.
pub(super) fn may_matter(context: &Context) -> bool {
    let pauses = context.thirds.unprompted.count;
    let others = context.drained.count.max(context.short_sends);
    pauses >= PACED_WAITS_MIN && others.saturating_mul(HELD_PARTS) <= pauses
}

#[cfg(test)]
mod tests {
    use super::super::Judge;
    use super::super::tests::{CLOCKED, round};
    use super::*;
    use crate::round::{Round, Sign};
    use crate::units::{Bytes, Duration};

    const PAUSE: Sign = Sign {
        ended_by: EndedBy::Nothing,
        batch: BatchSign::Third,
        queue: QueueSign::Pushed,
        is_emptied: true,
        ..CLOCKED
    };

    const OPENING: Sign = Sign { queue: QueueSign::Established, ..CLOCKED };

    /// What most of the time goes to, and its rival: a `first` wait with so much in flight, then `pauses` of
    /// so many ms, with two segments in flight before each.
    fn main_limit(
        (first, flight): (Sign, u64),
        pauses: &[(Sign, u64)],
    ) -> Option<(Limit, Option<Limit>)> {
        let mut judge = Judge::default();
        judge.on_next_round(Round { flight_peak: Bytes(flight), ..round(&[first]) });
        for (pause, ms) in pauses {
            let mut round = Round { flight_peak: Bytes(2000), ..round(&[*pause]) };
            for wait in &mut round.waits {
                wait.end = wait.start.after(Duration::from_millis(*ms));
            }
            judge.on_next_round(round);
        }
        let time = judge.finish().time;
        let main = time.iter().max_by_key(|(_, time)| **time);
        main.map(|((limit, _, rival), _)| (*limit, *rival))
    }

    #[test]
    fn whole_segments_at_an_even_pace_are_a_timer_s_where_more_left_at_first() {
        let pauses = [(PAUSE, 13); 30];
        let timer = Some((Limit::CongestionWindow, Some(Limit::Application)));
        let writer = Some((Limit::Application, Some(Limit::CongestionWindow)));
        assert_eq!(main_limit((OPENING, 10_000), &pauses), timer);
        assert_eq!(
            main_limit((OPENING, 2000), &pauses),
            writer,
            "a writer's own pace looks the same"
        );
        assert_eq!(main_limit((CLOCKED, 2000), &pauses), timer, "perhaps more, before the capture");
        let third = [(Sign { is_emptied: false, ..PAUSE }, 13); 30];
        assert_eq!(main_limit((OPENING, 10_000), &third), timer, "some are still in flight");
    }

    #[test]
    fn short_segments_and_uneven_pauses_are_a_writer_s() {
        let sure = Some((Limit::Application, None));
        let short = Sign { queue: QueueSign::Dry, ..PAUSE };
        let writes: Vec<_> =
            (0..30).map(|nth| (if nth % 4 == 0 { short } else { PAUSE }, 13)).collect();
        assert_eq!(main_limit((OPENING, 10_000), &writes), sure);
        let uneven: Vec<_> = (0..30).map(|nth| (PAUSE, 10 + nth % 4 * 5)).collect();
        assert_eq!(main_limit((OPENING, 10_000), &uneven), sure);
    }
}

//! Loss that a tap away from the sender does not see: all that was out when a link failed, or the end of a
//! window. What passed the tap was acknowledged, so the wait looks idle, and the repair like new data. But it
//! comes alone: after a timeout the congestion window is one segment (RFC 5681 section 3.1), where an
//! application that goes on finds several (section 4.1), and that segment shows that more was queued.

use super::{Cause, Context, Limit, Ruling};
use crate::round::{EndedBy, NextSign, QueueSign, Round, Sign, Wait};
use crate::sender::RTO_MIN;

pub(super) fn examine(wait: &Wait, context: &Context) -> Option<Ruling> {
    let is_silence = wait.sign.is_emptied && wait.sign.ended_by == EndedBy::Nothing;
    let rto_min = context.srtt.unwrap_or_default().max(RTO_MIN);
    (is_silence && wait.longest >= rto_min && context.begins_anew)
        .then(|| Ruling::rather(Limit::CongestionWindow, Cause::RtoWait, Limit::Application))
}

/// Whether all of this round is one whole segment, behind which more waited for the acknowledgment. Less than
/// a segment may be what Nagle's algorithm held back.
pub(super) fn is_one_segment(round: &Round) -> bool {
    let goes_on = |wait: &Wait| {
        let Sign { queue, ended_by, next, .. } = wait.sign;
        queue == QueueSign::Held && ended_by.is_prompted() && next == NextSign::Whole
    };
    round.is_remote && round.flight_peak <= round.smss && round.waits.first().is_some_and(goes_on)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{CLOCKED, round};
    use super::*;
    use crate::limit::{Judge, Recording};
    use crate::units::Duration;

    /// The limit of 300 ms of silence after everything was acknowledged, and what else it may be.
    fn silence_before(next: Round) -> (Limit, Option<Limit>) {
        let idle = Sign { ended_by: EndedBy::Nothing, is_emptied: true, ..CLOCKED };
        let mut silent = round(&[idle]);
        silent.waits.iter_mut().for_each(|wait| wait.longest = Duration::from_millis(300));
        let mut judge = Judge::recording(Recording::Rulings);
        judge.on_next_round(silent);
        judge.on_next_round(next);
        let first = judge.finish_recorded().1.kept.into_iter().next();
        first.map(|record| (record.ruling.limit, record.ruling.rival)).unwrap_or_default()
    }

    #[test]
    fn one_segment_alone_after_silence_is_a_repair() {
        let queued = Sign { queue: QueueSign::Held, is_emptied: true, ..CLOCKED };
        let one = |sign| {
            let round = round(&[sign]);
            Round { flight_peak: round.smss, is_remote: true, ..round }
        };
        let lost = (Limit::CongestionWindow, Some(Limit::Application));
        assert_eq!(silence_before(one(queued)), lost);
        let idle = (Limit::Application, None);
        let several = Round { is_remote: true, ..round(&[queued]) };
        assert_eq!(silence_before(several), idle, "an idle sender keeps a window of several");
        assert_eq!(silence_before(one(CLOCKED)), idle, "one segment written");
        let nagle = Sign { next: NextSign::Short, ..queued };
        assert_eq!(silence_before(one(nagle)), idle, "a segment and a half written");
        let at_sender = Round { is_remote: false, ..one(queued) };
        assert_eq!(silence_before(at_sender), idle, "nothing is lost before the tap");
    }
}

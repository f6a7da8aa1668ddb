//! What a flow's own queue at the bottleneck says of its waits, once the whole of it is known: while it
//! stood, more had been sent than the path took, and no writer was slower than the path. Which of the waits
//! those were is not known, but how long they were in all.

use super::{Cause, Ledger, Limit, Ruling};
use crate::units::Duration;

const WRITER: (Limit, Option<Cause>) = (Limit::Application, Some(Cause::Trickle));

impl Ledger {
    /// The writer was slower than the path for `at_most` so long: takes doubtful rulings for it back where
    /// they say more than that, and doubts in its favour.
    pub(crate) fn had_slow_writer(&mut self, at_most: Duration) {
        let (all, doubted) = (self.of_writer(|_| true), self.of_writer(|rival| rival.is_some()));
        // What is sure of it fits in, and most of it does not.
        if all.saturating_sub(doubted) <= at_most && all > at_most.saturating_mul(2) {
            self.charge_writer_to_timer();
        }
        let left = at_most.saturating_sub(self.of_writer(|_| true));
        self.doubt_at_most(left);
    }

    fn of_writer(&self, is_asked: impl Fn(Option<Limit>) -> bool) -> Duration {
        let of_writer = self
            .time
            .iter()
            .filter(|((limit, cause, rival), _)| (*limit, *cause) == WRITER && is_asked(*rival));
        of_writer.map(|(_, time)| *time).sum()
    }

    /// What came of itself while data was queued was the pacing timer's.
    fn charge_writer_to_timer(&mut self) {
        let (limit, cause) = Ruling::PACED;
        let time = self.of_writer(|_| true);
        self.time.retain(|(limit, cause, _), _| (*limit, *cause) != WRITER);
        let paced = self.time.entry((limit, cause, Some(WRITER.0))).or_default();
        *paced = paced.saturating_add(time);
        let moved = self.measures.get_mut(&WRITER.0).map(|measures| measures.part_with(time));
        self.measures.entry(limit).or_default().join(&moved.unwrap_or_default());
        self.relabel(WRITER, Ruling::PACED);
    }

    /// No more of the congestion window's time may have been the writer's.
    fn doubt_at_most(&mut self, mut left: Duration) {
        let is_doubted =
            |limit, rival| (limit, rival) == (Limit::CongestionWindow, Some(Limit::Application));
        let doubted: Vec<_> = self
            .time
            .keys()
            .filter(|(limit, _, rival)| is_doubted(*limit, *rival))
            .copied()
            .collect();
        for (limit, cause, rival) in doubted {
            let time = self.time.remove(&(limit, cause, rival)).unwrap_or_default();
            let kept = time.min(left);
            left = left.saturating_sub(kept);
            self.time.insert((limit, cause, rival), kept);
            let sure = self.time.entry((limit, cause, None)).or_default();
            *sure = sure.saturating_add(time.saturating_sub(kept));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::Span;
    use crate::units::{FrameNumber, Timestamp};

    type Key = (Limit, Option<Cause>, Option<Limit>);

    const BY_CHANCE: Key =
        (Limit::Application, Some(Cause::Trickle), Some(Limit::CongestionWindow));
    const EVEN: Key = (Limit::CongestionWindow, Some(Cause::Pacing), Some(Limit::Application));

    /// Times in ms, one span each.
    fn ledger(entries: &[(Key, u64)]) -> Ledger {
        let mut ledger = Ledger::default();
        let mut start = Timestamp::default();
        for &((limit, cause, rival), ms) in entries {
            let time = Duration::from_millis(ms);
            ledger.time.insert((limit, cause, rival), time);
            let measures = ledger.measures.entry(limit).or_default();
            measures.time = measures.time.saturating_add(time);
            let end = start.after(time);
            let frame = FrameNumber::new(1);
            let span = Span { start, end, first_frame: frame, last_frame: frame, limit, cause };
            ledger.spans.push(span);
            start = end;
        }
        ledger
    }

    fn ms(ledger: &Ledger, key: Key) -> u64 {
        ledger.time.get(&key).map_or(0, |time| time.as_micros() / 1000)
    }

    /// BBR below 1.2 Mbit/s sends single segments, as a writer does (`bbr_min_tso_segs`).
    #[test]
    fn what_a_standing_queue_leaves_no_room_for_is_the_timer_s() {
        let idle = (Limit::Application, Some(Cause::Idle), None);
        let mut ledger = ledger(&[(BY_CHANCE, 800), (idle, 40), (EVEN, 100)]);
        ledger.had_slow_writer(Duration::from_millis(30));
        assert_eq!((ms(&ledger, BY_CHANCE), ms(&ledger, idle), ms(&ledger, EVEN)), (0, 40, 30));
        assert_eq!(ms(&ledger, (EVEN.0, EVEN.1, None)), 870);
        assert_eq!(ledger.total(), Duration::from_millis(940));
        let timer: Duration = ledger
            .spans
            .iter()
            .filter(|span| (span.limit, span.cause) == Ruling::PACED)
            .map(Span::duration)
            .sum();
        assert_eq!(timer, Duration::from_millis(900));
        assert_eq!(ledger.measures[&EVEN.0].time, timer);
    }

    #[test]
    fn a_writer_that_there_is_room_for_stays() {
        let dry = (Limit::Application, Some(Cause::Trickle), None);
        for entries in [[(BY_CHANCE, 50), (EVEN, 100)], [(dry, 800), (EVEN, 100)]] {
            let mut ledger = ledger(&entries);
            ledger.had_slow_writer(Duration::from_millis(30));
            let (key, time) = entries[0];
            assert_eq!((ms(&ledger, key), ms(&ledger, EVEN)), (time, 0), "{key:?}");
        }
    }
}

//! Sums up rulings: time by limit, cause and doubt, and the spans in order.

mod measures;
mod spans;

use std::collections::BTreeMap;

pub(crate) use measures::Measures;
pub(crate) use spans::Span;
use spans::{SPANS_MAX, push, thinned};

use super::{Cause, Limit, Reading, Ruling};
use crate::round::Wait;
use crate::units::{Duration, Timestamp};

/// What the judge found about one flow.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) time: BTreeMap<(Limit, Option<Cause>, Option<Limit>), Duration>,
    /// Time charged to the pacing timer, by the limit that set the pace, and that which fits it too.
    pub(crate) hidden: BTreeMap<(Limit, Option<Limit>), Duration>,
    /// The numbers behind each limit.
    pub(crate) measures: BTreeMap<Limit, Measures>,
    /// In order, without holes.
    pub(crate) spans: Vec<Span>,
    /// Whether there were more than are kept, and some stand for several of their kind nearby.
    pub(crate) are_spans_joined: bool,
}

impl Ledger {
    pub(super) fn enter(&mut self, wait: &Wait, ruling: Ruling) {
        let last = self.spans.last().map_or(wait.start, |last| last.end);
        if wait.start < last || wait.end < wait.start {
            return self.enter(&behind(last, wait), ruling);
        }
        let key = (ruling.limit, ruling.cause, ruling.rival);
        let time = self.time.entry(key).or_default();
        *time = time.saturating_add(wait.duration());
        if let Reading::PacedBy(behind) = ruling.reading {
            let hidden = self.hidden.entry((behind, ruling.rival)).or_default();
            *hidden = hidden.saturating_add(wait.duration());
        }
        if ruling.reading != Reading::Spread {
            self.measures.entry(ruling.limit).or_default().add(wait);
        }
        let span = Span {
            start: wait.start,
            end: wait.end,
            // Away from the sender they pass in another order than it saw them.
            first_frame: wait.first_frame.min(wait.last_frame),
            last_frame: wait.first_frame.max(wait.last_frame),
            limit: ruling.limit,
            cause: ruling.cause,
        };
        self.add(&span);
    }

    fn add(&mut self, span: &Span) {
        push(&mut self.spans, span);
        if self.spans.len() > SPANS_MAX {
            self.spans = thinned(std::mem::take(&mut self.spans));
            self.are_spans_joined = true;
        }
    }

    /// Takes back what lies after `end`: away from the sender an ACK reaches it after the last packet of the
    /// capture.
    pub(crate) fn end_at(&mut self, end: Timestamp) {
        while let Some(last) = self.spans.last_mut().filter(|last| last.end > end) {
            let (kind, over) = ((last.limit, last.cause), last.end.since(last.start.max(end)));
            last.end = end;
            if last.start >= end {
                self.spans.pop();
            }
            self.take_back(kind, over);
        }
    }

    /// The same of what lies before `start`: the first packet of a capture may have been recorded with a
    /// later time than those behind it.
    pub(crate) fn begin_at(&mut self, start: Timestamp) {
        let early = self.spans.partition_point(|span| span.start < start);
        for index in 0..early {
            let Some(span) = self.spans.get_mut(index) else { break };
            let (kind, over) = ((span.limit, span.cause), span.end.min(start).since(span.start));
            (span.start, span.end) = (start, span.end.max(start));
            self.take_back(kind, over);
        }
        self.spans.retain(|span| span.end > start);
    }

    fn take_back(&mut self, kind: (Limit, Option<Cause>), mut over: Duration) {
        if let Some(measures) = self.measures.get_mut(&kind.0) {
            measures.take_back(over);
        }
        let of_kind =
            self.time.iter_mut().filter(|((limit, cause, _), _)| (*limit, *cause) == kind);
        let mut left = Duration::ZERO;
        for (_, time) in of_kind {
            let part = over.min(*time);
            (*time, over) = (time.saturating_sub(part), over.saturating_sub(part));
            left = left.saturating_add(*time);
        }
        if kind == Ruling::PACED {
            self.hide_at_most(left);
        }
    }

    /// No more of the time charged to the pacing timer hides a limit than is left of it. Whose was taken back
    /// is not known: hardly ever do two set the pace.
    fn hide_at_most(&mut self, mut left: Duration) {
        for time in self.hidden.values_mut() {
            *time = left.min(*time);
            left = left.saturating_sub(*time);
        }
    }

    /// Time charged to the pacing timer at a pace that `limit` sets.
    pub(crate) fn hidden_behind(&self, limit: Limit) -> Duration {
        let of_limit = self.hidden.iter().filter(|((behind, _), _)| *behind == limit);
        of_limit.map(|(_, time)| *time).sum()
    }

    /// Takes all rulings back: what they rested on was not captured.
    pub(crate) fn forget_rulings(&mut self) {
        let total = self.total();
        self.time = BTreeMap::from([((Limit::CaptureGap, None, None), total)]);
        self.measures.clear();
        self.hidden.clear();
        for span in &mut self.spans {
            (span.limit, span.cause) = (Limit::CaptureGap, None);
        }
    }

    /// Spans of one kind are another's.
    pub(super) fn relabel(&mut self, from: (Limit, Option<Cause>), to: (Limit, Option<Cause>)) {
        let spans = std::mem::take(&mut self.spans);
        for mut span in spans {
            if (span.limit, span.cause) == from {
                (span.limit, span.cause) = to;
            }
            push(&mut self.spans, &span);
        }
    }

    /// The limit and cause with most of the last time entered, as long as `last`.
    pub(super) fn limit_over(&self, last: Duration) -> Option<(Limit, Option<Cause>)> {
        let end = self.spans.last()?.end;
        let mut time: BTreeMap<(Limit, Option<Cause>), Duration> = BTreeMap::new();
        for span in self.spans.iter().rev() {
            let ago = end.since(span.start);
            let inside = span.duration().saturating_sub(ago.saturating_sub(last));
            let sum = time.entry((span.limit, span.cause)).or_default();
            *sum = sum.saturating_add(inside);
            if ago >= last {
                break;
            }
        }
        time.into_iter().max_by_key(|(_, time)| *time).map(|(limit, _)| limit)
    }

    /// The time of all waits.
    pub(crate) fn total(&self) -> Duration {
        self.time.values().sum()
    }
}

/// `wait` without what lies before the `last` one ended: packets may be recorded a little out of order, and
/// no time counts twice.
#[cold]
fn behind(last: Timestamp, wait: &Wait) -> Wait {
    let start = wait.start.max(last);
    Wait { start, end: wait.end.max(start), ..*wait }
}

#[cfg(test)]
#[expect(clippy::arithmetic_side_effects, reason = "test code")]
mod tests {
    use super::*;
    use crate::limit::tests::{CLOCKED, round};
    use crate::units::FrameNumber;

    /// Full windows of these lengths in turn with idling for half as long again, ms, one behind the other.
    fn to_and_fro(lengths: impl Iterator<Item = u64>) -> Vec<Span> {
        let mut now = Timestamp::default();
        let span = |(frame, (limit, ms)): (u64, (Limit, u64))| {
            let start = now;
            now = now.after(Duration::from_millis(ms));
            let frame = FrameNumber::new(frame);
            Span { start, end: now, first_frame: frame, last_frame: frame, limit, cause: None }
        };
        let pair = |ms: u64| [(Limit::ReceiveWindow, 2 * ms), (Limit::Application, 3 * ms)];
        (0..).zip(lengths.flat_map(pair)).map(span).collect()
    }

    fn time_of(spans: &[Span], limit: Limit) -> Duration {
        spans.iter().filter(|span| span.limit == limit).map(Span::duration).sum()
    }

    #[test]
    fn spans_that_are_joined_leave_each_limit_its_time() {
        // One long pair in the middle of ten thousand of 7 to 29 ms.
        let lengths = (0..10_000).map(|n| if n == 5000 { 60_000 } else { 7 + n * 13 % 23 });
        let spans = to_and_fro(lengths);
        let mut ledger = Ledger::default();
        for span in &spans {
            ledger.add(span);
        }
        assert!(ledger.are_spans_joined && ledger.spans.len() <= SPANS_MAX);
        for limit in [Limit::ReceiveWindow, Limit::Application] {
            assert_eq!(time_of(&ledger.spans, limit), time_of(&spans, limit), "{limit:?}");
        }
        assert!(ledger.spans.windows(2).all(|pair| pair[0].end == pair[1].start));
        // It stands where it was, to a second.
        let longest = |spans: &[Span]| *spans.iter().max_by_key(|span| span.duration()).unwrap();
        let (before, after) = (longest(&spans), longest(&ledger.spans));
        assert!(
            after.start.since(before.start).max(before.start.since(after.start))
                < Duration::from_secs(1)
        );
        assert!(after.duration().saturating_sub(before.duration()) < Duration::from_secs(1));
    }

    #[test]
    fn nothing_counts_beyond_the_end() {
        let spans = to_and_fro([5, 5].into_iter());
        let mut ledger = Ledger { spans, ..Ledger::default() };
        for limit in [Limit::ReceiveWindow, Limit::Application] {
            ledger.time.insert((limit, None, None), time_of(&ledger.spans, limit));
        }
        let measures = Measures::of_two_full_windows();
        assert_eq!(measures.time, time_of(&ledger.spans, Limit::ReceiveWindow));
        ledger.measures.insert(Limit::ReceiveWindow, measures);
        // Of 50 ms the last 17: the idling of 15, and 2 of the full window before it.
        ledger.end_at(Timestamp::default().after(Duration::from_millis(33)));
        for (limit, ms) in [(Limit::ReceiveWindow, 18), (Limit::Application, 15)] {
            assert_eq!(ledger.time.get(&(limit, None, None)), Some(&Duration::from_millis(ms)));
            assert_eq!(time_of(&ledger.spans, limit), Duration::from_millis(ms));
        }
        let after = &ledger.measures[&Limit::ReceiveWindow];
        assert_eq!(after.time, Duration::from_millis(18));
        let means = [after.flight_mean(), after.wnd_mean()].map(|mean| mean.map(f64::round));
        assert_eq!(means, [Some(1000.0), Some(2000.0)]);
    }

    /// Two waits of 30 and 20 ms, of which the second begins 10 ms before the first has ended, and one that
    /// ends before it begins.
    #[test]
    fn no_time_counts_twice() {
        let at = |ms| Timestamp::default().after(Duration::from_millis(ms));
        let mut ledger = Ledger::default();
        let whole = round(&[CLOCKED]).waits[0];
        for (start, end, limit) in [
            (10, 40, Limit::ReceiveWindow),
            (30, 50, Limit::Application),
            (60, 20, Limit::ReceiveWindow),
        ] {
            let wait = Wait { start: at(start), end: at(end), ..whole };
            ledger.enter(&wait, Ruling::uncaused(limit));
        }
        assert_eq!(ledger.total(), Duration::from_millis(40));
        assert_eq!(ledger.time[&(Limit::Application, None, None)], Duration::from_millis(10));
        assert!(ledger.spans.windows(2).all(|pair| pair[0].end <= pair[1].start));
        assert!(ledger.spans.iter().all(|span| span.start <= span.end));
    }

    #[test]
    fn nothing_counts_before_the_start() {
        let spans = to_and_fro([5, 5].into_iter());
        let mut ledger = Ledger { spans, ..Ledger::default() };
        for limit in [Limit::ReceiveWindow, Limit::Application] {
            ledger.time.insert((limit, None, None), time_of(&ledger.spans, limit));
        }
        // Of 50 ms the first 12: the full window of 10, and 2 of the idling.
        ledger.begin_at(Timestamp::default().after(Duration::from_millis(12)));
        for (limit, ms) in [(Limit::ReceiveWindow, 10), (Limit::Application, 28)] {
            assert_eq!(ledger.time[&(limit, None, None)], Duration::from_millis(ms));
            assert_eq!(time_of(&ledger.spans, limit), Duration::from_millis(ms));
        }
    }

    /// The capture ends within a wait for the pacing timer, which a full window had set.
    #[test]
    fn no_more_is_hidden_than_is_left() {
        let (limit, cause) = Ruling::PACED;
        let at = |ms| Timestamp::default().after(Duration::from_millis(ms));
        let span = Span { end: at(50), limit, cause, ..to_and_fro([1].into_iter())[0] };
        let mut ledger = Ledger { spans: vec![span], ..Ledger::default() };
        ledger.time.insert((limit, cause, None), Duration::from_millis(50));
        ledger.hidden.insert((Limit::ReceiveWindow, None), Duration::from_millis(45));
        ledger.end_at(at(30));
        assert_eq!(ledger.time[&(limit, cause, None)], Duration::from_millis(30));
        assert_eq!(ledger.hidden[&(Limit::ReceiveWindow, None)], Duration::from_millis(30));
    }
}

//! What limited when, from a direction's start to its end?

use super::episodes;
use super::judged::Judged;
use crate::limit::Span;
use crate::model::Interval;
use crate::units::{FrameNumber, Timestamp};

/// In order, without holes; `first_frame` is the connection's.
pub(super) fn of(judged: &Judged, first_frame: FrameNumber) -> Vec<Interval> {
    Timeline { judged, first_frame }.intervals()
}

struct Timeline<'a> {
    judged: &'a Judged,
    first_frame: FrameNumber,
}

impl Timeline<'_> {
    /// Of the direction's duration, to which the ledger was cut.
    fn intervals(&self) -> Vec<Interval> {
        let findings = &self.judged.findings;
        let losses = &findings.episodes.losses;
        let end = self.seconds(self.judged.span.1);
        let interval = |span: &Span| Interval {
            loss_episode: episodes::loss_behind(losses, span),
            start_s: self.seconds(span.start),
            end_s: self.seconds(span.end),
            limit: span.limit,
            cause: span.cause,
            first_frame: span.first_frame.shown(),
            last_frame: span.last_frame.shown(),
        };
        let mut intervals: Vec<Interval> = findings.ledger.spans.iter().map(interval).collect();
        intervals.retain(|interval| interval.start_s < interval.end_s);
        self.open(&mut intervals);
        self.close(&mut intervals, end);
        intervals
    }

    /// What passes before this direction's first packet, as in the shares: the SYN of the other side, say.
    fn open(&self, intervals: &mut Vec<Interval>) {
        let first_frame = self.first_frame.shown();
        let Some(first) = intervals.first_mut().filter(|first| first.start_s > 0.0) else { return };
        if (first.limit, first.cause) == self.judged.outside {
            (first.start_s, first.first_frame) = (0.0, first_frame);
            return;
        }
        let opening = self.outside((0.0, first.start_s), (first_frame, first.first_frame));
        intervals.insert(0, opening);
    }

    /// The same of what passes until `end` after its last one, or without any.
    fn close(&self, intervals: &mut Vec<Interval>, end: f64) {
        let last = intervals.last().map(|last| (last.end_s, last.last_frame));
        let (start, frame) = last.unwrap_or((0.0, self.first_frame.shown()));
        if start < end {
            intervals.push(self.outside((start, end), (frame, frame)));
        }
    }

    fn outside(
        &self,
        (start_s, end_s): (f64, f64),
        (first_frame, last_frame): (u64, u64),
    ) -> Interval {
        let (limit, cause) = self.judged.outside;
        Interval { loss_episode: None, start_s, end_s, limit, cause, first_frame, last_frame }
    }

    fn seconds(&self, time: Timestamp) -> f64 {
        time.since(self.judged.span.0).as_secs_f64()
    }
}

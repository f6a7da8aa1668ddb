//! Which limit held when? A list of spans, of which a flow that goes to and fro has no more than a plot
//! shows.

use crate::limit::{Cause, Limit};
use crate::units::{Duration, FrameNumber, Timestamp};

/// Consecutive waits with one limit and cause; where spans were joined, as many of them as lie nearby, and
/// their frames stand among those of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    pub(crate) first_frame: FrameNumber,
    pub(crate) last_frame: FrameNumber,
    pub(crate) limit: Limit,
    pub(crate) cause: Option<Cause>,
}

/// Spans kept per flow: more than a wide plot has columns. When there are more, near ones are joined.
pub(super) const SPANS_MAX: usize = 2048;

/// Joins spans of one kind that lie near each other until a quarter fewer are left: a flow that goes to and
/// fro between two limits is left with longer spans of both.
pub(super) fn thinned(mut spans: Vec<Span>) -> Vec<Span> {
    let enough = spans.len().saturating_sub(spans.len() / 4);
    let mut together = 4;
    while spans.len() > enough {
        spans = joined(&spans, together);
        together = together.saturating_mul(2);
    }
    spans
}

/// `spans` with those joined that are of one kind and of the same so many neighbours, where these take no
/// longer than most others do.
fn joined(spans: &[Span], together: usize) -> Vec<Span> {
    let length = |group: &[Span]| group.iter().map(Span::duration).sum::<Duration>();
    let mut lengths: Vec<Duration> = spans.chunks(together).map(length).collect();
    let middle = lengths.len() / 2;
    let (_, median, _) = lengths.select_nth_unstable(middle);
    let median = *median;
    let mut all: Vec<Span> = Vec::with_capacity(spans.len());
    for group in spans.chunks(together) {
        let left = if length(group) <= median { by_kind(group) } else { group.to_vec() };
        for span in &left {
            push(&mut all, span);
        }
    }
    all
}

/// One span for each limit and cause in the group, as long as all of its kind together, one behind the other.
fn by_kind(group: &[Span]) -> Vec<Span> {
    let mut kinds: Vec<(Span, Duration)> = Vec::new();
    for span in group {
        match kinds.iter_mut().find(|(kind, _)| kind.is_like(span)) {
            Some((kind, length)) => {
                *length = length.saturating_add(span.duration());
                kind.add_frames(span);
            }
            None => kinds.push((*span, span.duration())),
        }
    }
    let mut start = group.first().map_or(Timestamp::default(), |first| first.start);
    let place = |(kind, length): (Span, Duration)| {
        let end = start.after(length);
        let placed = Span { start, end, ..kind };
        start = end;
        placed
    };
    kinds.into_iter().map(place).collect()
}

/// Adds the next span, to the last one if that is of its kind.
pub(super) fn push(spans: &mut Vec<Span>, next: &Span) {
    match spans.last_mut() {
        Some(last) if last.is_like(next) => last.absorb(next),
        _ => spans.push(*next),
    }
}

impl Span {
    pub(crate) fn duration(&self) -> Duration {
        self.end.since(self.start)
    }

    fn is_like(&self, other: &Self) -> bool {
        (self.limit, self.cause) == (other.limit, other.cause)
    }

    fn absorb(&mut self, next: &Self) {
        self.end = next.end;
        self.add_frames(next);
    }

    fn add_frames(&mut self, other: &Self) {
        self.first_frame = self.first_frame.min(other.first_frame);
        self.last_frame = self.last_frame.max(other.last_frame);
    }
}

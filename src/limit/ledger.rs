//! Sums up rulings: time by limit, cause and doubt, and the spans in order.

use std::collections::BTreeMap;

use super::{Cause, Limit, Ruling};
use crate::round::Wait;
use crate::units::{Bytes, Duration, FrameNumber, Timestamp};

/// What the judge found about one flow.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) time: BTreeMap<(Limit, Option<Cause>, Option<Limit>), Duration>,
    /// Time charged to the pacing timer, by the limit that set the pace.
    pub(crate) hidden: BTreeMap<Limit, Duration>,
    /// The numbers behind each limit.
    pub(crate) measures: BTreeMap<Limit, Measures>,
    /// In order, without holes.
    pub(crate) spans: Vec<Span>,
    /// How many spans had to be merged into a neighbour of another limit.
    pub(crate) spans_merged: u64,
}

/// What was measured in the waits charged to one limit.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Measures {
    /// How many waits.
    pub(crate) waits: u64,
    /// Their time.
    pub(crate) time: Duration,
    /// FlightSize at their start, octets times seconds.
    flight_seconds: f64,
    /// SND.WND at their start, octets times seconds, where it was known.
    wnd_seconds: f64,
    wnd_time: Duration,
    /// How many ended with a batch that an ACK prompted, their time, and FlightSize just before those
    /// ACKs, octets in all.
    woken: u64,
    woken_time: Duration,
    woken_flight: Bytes,
    /// Largest FlightSize at their start.
    pub(crate) flight_max: Bytes,
}

impl Measures {
    fn add(&mut self, wait: &Wait) {
        let time = wait.duration();
        self.waits = self.waits.saturating_add(u64::from(wait.count));
        self.time = self.time.saturating_add(time);
        self.flight_max = self.flight_max.max(wait.flight_before);
        self.flight_seconds += wait.flight_before.as_f64() * time.as_secs_f64();
        if wait.sign.is_prompted_batch() {
            let before = Bytes(wait.flight_before.0.saturating_mul(u64::from(wait.count)));
            self.woken = self.woken.saturating_add(u64::from(wait.count));
            self.woken_time = self.woken_time.saturating_add(time);
            self.woken_flight =
                self.woken_flight.saturating_add(before.saturating_sub(wait.unanswered));
        }
        if let Some(wnd) = wait.snd_wnd {
            self.wnd_seconds += wnd.as_f64() * time.as_secs_f64();
            self.wnd_time = self.wnd_time.saturating_add(time);
        }
    }

    /// Time-weighted mean of FlightSize, octets; `None` without any time.
    pub(crate) fn flight_mean(&self) -> Option<f64> {
        (!self.time.is_zero()).then(|| self.flight_seconds / self.time.as_secs_f64())
    }

    /// Mean of what was in flight just before the ACKs that prompted a batch, octets; `None` unless they
    /// ended most of the time.
    pub(crate) fn woken_mean(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        let woken = self.woken as f64;
        let is_usual = self.woken > 0 && self.woken_time.saturating_mul(2) >= self.time;
        is_usual.then(|| self.woken_flight.as_f64() / woken)
    }

    /// Time-weighted mean of the advertised window, octets; `None` while its scale is unknown.
    pub(crate) fn wnd_mean(&self) -> Option<f64> {
        (!self.wnd_time.is_zero()).then(|| self.wnd_seconds / self.wnd_time.as_secs_f64())
    }
}

/// Consecutive waits with one limit and cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    pub(crate) first_frame: FrameNumber,
    pub(crate) last_frame: FrameNumber,
    pub(crate) limit: Limit,
    pub(crate) cause: Option<Cause>,
}

impl Ledger {
    /// Spans kept per flow; when there are more, the shortest give way.
    const SPANS_MAX: usize = 2048;

    pub(super) fn enter(&mut self, wait: &Wait, ruling: Ruling) {
        let key = (ruling.limit, ruling.cause, ruling.rival);
        let time = self.time.entry(key).or_default();
        *time = time.saturating_add(wait.duration());
        if let Some(behind) = ruling.behind {
            let hidden = self.hidden.entry(behind).or_default();
            *hidden = hidden.saturating_add(wait.duration());
        }
        self.measures.entry(ruling.limit).or_default().add(wait);
        let span = Span {
            start: wait.start,
            end: wait.end,
            first_frame: wait.first_frame,
            last_frame: wait.last_frame,
            limit: ruling.limit,
            cause: ruling.cause,
        };
        match self.spans.last_mut() {
            Some(last) if (last.limit, last.cause) == (span.limit, span.cause) => {
                last.absorb(&span);
            }
            _ => self.spans.push(span),
        }
        if self.spans.len() > Self::SPANS_MAX {
            self.thin_spans();
        }
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

    /// Halves the number of spans: those below the median length join the one before them.
    fn thin_spans(&mut self) {
        let mut lengths: Vec<Duration> = self.spans.iter().map(Span::duration).collect();
        let middle = lengths.len() / 2;
        let (_, median, _) = lengths.select_nth_unstable(middle);
        let median = *median;
        let mut kept: Vec<Span> = Vec::with_capacity(self.spans.len());
        for span in self.spans.drain(..) {
            match kept.last_mut() {
                Some(last) if (last.limit, last.cause) == (span.limit, span.cause) => {
                    last.absorb(&span);
                }
                Some(last) if span.duration() <= median => {
                    self.spans_merged = self.spans_merged.saturating_add(1);
                    last.absorb(&span);
                }
                _ => kept.push(span),
            }
        }
        self.spans = kept;
    }
}

impl Span {
    pub(crate) fn duration(&self) -> Duration {
        self.end.since(self.start)
    }

    fn absorb(&mut self, next: &Self) {
        self.end = next.end;
        self.last_frame = next.last_frame;
    }
}

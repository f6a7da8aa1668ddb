//! Episodes as the report tells them.

use crate::episode::{self, Extent, List, Loss};
use crate::limit::{Cause, Limit, Span};
use crate::model;
use crate::units::Timestamp;

/// All episodes, with times from `start`.
pub(super) fn of(found: &episode::Findings, start: Timestamp) -> model::Episodes {
    let clock = Clock { start };
    let episode::Findings { stalls, losses, zero_windows } = found;
    model::Episodes {
        stalls: stalls.kept.iter().map(|stall| clock.stall(stall)).collect(),
        stalls_count: stalls.count,
        stalls_time_s: stalls.time.as_secs_f64(),
        losses: losses.kept.iter().map(|loss| clock.loss(loss)).collect(),
        losses_count: losses.count,
        losses_time_s: losses.time.as_secs_f64(),
        zero_windows: zero_windows.kept.iter().map(|window| clock.zero_window(window)).collect(),
        zero_windows_count: zero_windows.count,
        zero_windows_time_s: zero_windows.time.as_secs_f64(),
    }
}

/// The loss whose repair or aftermath `span` is: the last that began before its end, or with it where
/// the span is the wait for the timer that began the repair. `None` before the first, behind those
/// that were kept, and where the congestion window is not the limit.
pub(super) fn loss_behind(losses: &List<Loss>, span: &Span) -> Option<usize> {
    if span.limit != Limit::CongestionWindow {
        return None;
    }
    let is_timer = span.cause == Some(Cause::RtoWait);
    let before = losses.kept.partition_point(|loss| {
        loss.extent.start < span.end || (is_timer && loss.extent.start == span.end)
    });
    let is_known = before < losses.kept.len() || losses.count == losses.kept.len() as u64;
    before.checked_sub(1).filter(|_| is_known)
}

struct Clock {
    start: Timestamp,
}

impl Clock {
    /// Start and end in seconds.
    fn times(&self, extent: &Extent) -> (f64, f64) {
        let seconds = |time: Timestamp| time.since(self.start).as_secs_f64();
        (seconds(extent.start), seconds(extent.end))
    }

    fn stall(&self, stall: &episode::Stall) -> model::Stall {
        let (start_s, end_s) = self.times(&stall.extent);
        let Extent { first_frame, last_frame, .. } = stall.extent;
        model::Stall {
            start_s,
            end_s,
            cause: stall.cause,
            first_frame: first_frame.shown(),
            last_frame: last_frame.shown(),
        }
    }

    fn loss(&self, loss: &episode::Loss) -> model::LossEpisode {
        let (start_s, end_s) = self.times(&loss.extent);
        model::LossEpisode {
            start_s,
            end_s,
            trigger: loss.trigger,
            segments: loss.segments,
            pipe_before_bytes: loss.pipe_before.0,
            pipe_after_bytes: loss.pipe_after.0,
            is_open: loss.is_open,
            first_frame: loss.extent.first_frame.shown(),
            last_frame: loss.extent.last_frame.shown(),
        }
    }

    fn zero_window(&self, window: &episode::ZeroWindow) -> model::ZeroWindow {
        let (start_s, end_s) = self.times(&window.extent);
        model::ZeroWindow {
            start_s,
            end_s,
            opened_by: window.opened_by,
            window_min_bytes: window.window_min.0,
            probes: window.probes,
            first_frame: window.extent.first_frame.shown(),
            last_frame: window.extent.last_frame.shown(),
        }
    }
}

//! Which episodes stand out? Takes [`SenderEvent`]s; gives stalls, loss repairs and closed windows
//! one by one, as far as their lists hold, and their sums in any case.

mod hindsight;
mod longest;
mod loss;
mod stall;
mod zero_window;

pub(crate) use loss::Loss;
pub use loss::LossTrigger;
pub(crate) use stall::Stall;
pub use stall::StallCause;
pub use zero_window::OpenedBy;
pub(crate) use zero_window::ZeroWindow;

use loss::Losses;
use stall::Stalls;
use zero_window::ZeroWindows;

use crate::sender::{SenderEvent, Unchanged};
use crate::units::heap;
use crate::units::{Duration, FrameNumber, Timestamp};

/// Follows one sender.
#[derive(Debug, Default)]
pub(crate) struct Episodes {
    stalls: Stalls,
    losses: Losses,
    zero_windows: ZeroWindows,
}

/// What was found of one sender.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) stalls: List<Stall>,
    pub(crate) losses: List<Loss>,
    pub(crate) zero_windows: List<ZeroWindow>,
}

impl Episodes {
    /// Octets held beside its own size.
    pub(crate) fn memory(&self) -> usize {
        let Self { stalls, losses, zero_windows } = self;
        heap::sum(&[stalls.memory(), losses.memory(), zero_windows.memory()])
    }

    /// Takes the next event; times never decrease.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "where it is called the kind is known")]
    pub(crate) fn on_event(&mut self, event: &SenderEvent) {
        self.stalls.on_event(event);
        self.losses.on_event(event);
        self.zero_windows.on_event(event);
    }

    /// The times are read from a clock of this tick.
    pub(crate) fn on_tap_tick(&mut self, tick: Duration) {
        self.stalls.on_tap_tick(tick);
    }

    pub(crate) fn on_unchanged(&mut self, ack: &Unchanged) {
        self.stalls.on_unchanged(ack);
        self.zero_windows.on_unchanged(ack);
    }

    /// Closes what is still open at `end`.
    pub(crate) fn finish(self, end: Timestamp) -> Findings {
        Findings {
            stalls: self.stalls.finish(),
            losses: self.losses.finish(end),
            zero_windows: self.zero_windows.finish(end),
        }
    }
}

/// From when to when, and which frames show it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    pub(crate) first_frame: FrameNumber,
    pub(crate) last_frame: FrameNumber,
}

impl Extent {
    fn at(time: Timestamp, frame: FrameNumber) -> Self {
        Self { start: time, end: time, first_frame: frame, last_frame: frame }
    }

    pub(crate) fn duration(&self) -> Duration {
        self.end.since(self.start)
    }
}

/// An episode with a beginning and an end.
pub(crate) trait Episode {
    fn extent(&self) -> Extent;
    fn extent_mut(&mut self) -> &mut Extent;
}

/// Some of many episodes, in order of time, and the sums of all.
#[derive(Debug)]
pub(crate) struct List<T> {
    pub(crate) kept: Vec<T>,
    /// How many there were.
    pub(crate) count: u64,
    /// Their time together.
    pub(crate) time: Duration,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { kept: Vec::new(), count: 0, time: Duration::ZERO }
    }
}

impl<T> List<T> {
    /// Kept of each kind, the first losses and the longest of the others; the sums go on.
    const KEPT_MAX: usize = 256;

    fn push(&mut self, episode: T, time: Duration) {
        self.count = self.count.saturating_add(1);
        self.time = self.time.saturating_add(time);
        if self.kept.len() < Self::KEPT_MAX {
            self.kept.push(episode);
        }
    }
}

impl<T: Episode> List<T> {
    fn keep_within(&mut self, start: Timestamp, end: Timestamp) {
        let Self { kept, count, time } = self;
        kept.retain_mut(|episode| {
            let Extent { start: began, end: ended, .. } = episode.extent();
            let extent = episode.extent_mut();
            (extent.start, extent.end) = (began.clamp(start, end), ended.clamp(start, end));
            *time = time.saturating_sub(ended.since(began).saturating_sub(extent.duration()));
            let is_inside = began <= end && ended >= start;
            *count = count.saturating_sub(u64::from(!is_inside));
            is_inside
        });
    }
}

impl Findings {
    /// Takes back what lies outside: away from the sender an ACK reaches it after the last packet of the
    /// capture. What is on no list, being shorter, stays.
    pub(crate) fn keep_within(&mut self, start: Timestamp, end: Timestamp) {
        let end = end.max(start);
        self.stalls.keep_within(start, end);
        self.losses.keep_within(start, end);
        self.zero_windows.keep_within(start, end);
    }

    /// Drops the lists but for what they counted.
    pub(crate) fn bare(&mut self) {
        self.stalls.kept = Vec::new();
        self.losses.kept = Vec::new();
        self.zero_windows.kept = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_an_episode_lies_beyond_the_end() {
        let at = |ms: u64| Timestamp::default().after(Duration::from_millis(ms));
        let mut stalls = Stalls::default().finish();
        for (start, end) in [(10, 20), (25, 40), (32, 33)] {
            let extent = Extent { start: at(start), end: at(end), ..Extent::default() };
            let stall = Stall { extent, cause: StallCause::SenderIdle };
            stalls.push(stall, extent.duration());
        }
        stalls.keep_within(at(0), at(30));
        let extents: Vec<_> =
            stalls.kept.iter().map(|stall| (stall.extent.start, stall.extent.end)).collect();
        assert_eq!(extents, [(at(10), at(20)), (at(25), at(30))]);
        assert_eq!((stalls.count, stalls.time), (2, Duration::from_millis(15)));
    }
}

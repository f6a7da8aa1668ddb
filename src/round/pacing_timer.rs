//! When does the pacing timer let the next buffer out? Replays `tcp_wstamp_ns` of
//! `tcp_update_skb_after_send`: each buffer moves it on by what the buffer takes at the pacing rate, but
//! by up to half of that less where the sender was late for it. While it lies ahead, `tcp_write_xmit` asks
//! neither the congestion window nor the receive window (`tcp_pacing_check` comes first): whatever is
//! full, that is time of pacing; what comes after is the window's or the writer's. Nor does an ACK
//! meanwhile let anything out, whatever is queued.
//!
//! The rate is read off the waits that no ACK ended. Even ones prove nothing, for a writer's timer
//! makes such as well; what does is what [`Pacer`](super::pace) knows, that a wait shortened by credit
//! agrees with the one before, or that two agree within a round trip of a full receive window, for then data
//! is queued. From then on an earlier send than the rate allows raises it; a later one does not lower it
//! without proof.
//!
//! Where each send answers an ACK because the receive window is full, no wait shows the rate: see the modules
//! `window_pace` and `first_pace`.
//!
//! From afar most waits do not show whether an ACK ended them ([`Seen::Afar`]): besides those at a full
//! window, what proves the timer is how its pace climbs in slow start (see the module `climb`).

use super::climb::Climb;
use super::first_pace::{FirstPace, Passed};
use super::pace::Step;
use super::rate::Pace;
use super::window_pace::WindowPace;
use crate::units::{Bytes, Duration, Timestamp};

/// Follows one sender's timer.
#[derive(Debug, Default)]
pub(super) struct PacingTimer {
    /// `None` until proved.
    pace: Option<Pace>,
    /// Shown by credit once.
    hint: Option<Pace>,
    /// What the last wait that no ACK ended would make of it.
    asked: Option<Asked>,
    /// When the timer let the next buffer out, or earlier.
    lets_out: Timestamp,
    /// The wait before was ended by no ACK.
    is_on_time: bool,
    /// Waits that no ACK ended although data was queued; of these, the ones that the timer ended.
    unprompted: u32,
    steps: u32,
    /// When the last of the latter began.
    last_step: Timestamp,
    /// When the window was full last.
    last_full: Timestamp,
    at_window: WindowPace,
    first: FirstPace,
    /// What is seen from afar.
    climb: Climb,
    has_climbed: bool,
}

/// A burst, as far as it bears on how long the timer holds the sender after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Burst {
    pub(super) start: Timestamp,
    pub(super) octets: Bytes,
    /// The receive window is full, or all but full: how many octets go out in which round-trip time.
    pub(super) window: Option<(Bytes, Duration)>,
    pub(super) is_window_full: bool,
}

impl Burst {
    fn passed(&self, step: &Step) -> Passed {
        Passed { start: self.start, octets: self.octets, min_rtt: step.min_rtt }
    }
}

/// What let out the send that ended a wait?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// An ACK, or what had not been queued.
    Prompted,
    /// No ACK, although data was queued.
    Unprompted,
    /// The timer: the wait's length is the pace.
    Step,
    /// No ACK, although data was queued; the tap stands away from the sender, where few waits show that, most
    /// of them between others that do not.
    Afar,
}

/// What one wait tells.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Held {
    /// How long from its start on the timer held the sender; zero while no pace is known.
    pub(super) time: Duration,
    /// The timer ended it.
    pub(super) is_step: bool,
    /// Nothing on the wire shows the pace of it: see [`PacingTimer::pace_of`].
    pub(super) is_assumed: bool,
    /// It lasted far beyond what the timer asked for.
    pub(super) is_overlong: bool,
}

/// A wait as the pace that the timer would have had, had it ended it.
#[derive(Debug, Clone, Copy)]
struct Asked {
    /// With the credit of a sender that was as late as it can have been.
    late: Pace,
    /// Without any; `None` where the wait before ended with an ACK.
    on_time: Option<Pace>,
    /// The former has a tenth more time at least.
    has_credit: bool,
}

impl PacingTimer {
    /// How long the timer holds the sender after a burst, be that proved or not; zero while no pace is known.
    pub(super) fn holds(&self, burst: &Burst) -> Duration {
        let Some((pace, _)) = self.pace_of(burst) else { return Duration::ZERO };
        let full = pace.time_of(burst.octets);
        let half = full.checked_div(2).unwrap_or_default();
        full.saturating_sub(half.min(self.credit(burst)))
    }

    /// See [`FirstPace::is_shown`].
    pub(super) fn opens_as_bbr(&self) -> bool {
        self.first.is_shown()
    }

    /// No pace is known, not even one without proof.
    pub(super) fn is_unknown(&self) -> bool {
        self.pace.is_none() && self.first.of_bbr().is_none()
    }

    /// What [`PacingTimer::on_wait`] does with a wait that an ACK ended while no pace is known, as most are
    /// of senders that no timer paces.
    #[inline]
    pub(super) fn pass(&mut self, burst: Passed, is_window_full: bool) -> Held {
        self.first.on_burst(burst);
        if is_window_full {
            self.last_full = burst.start;
        }
        (self.lets_out, self.is_on_time) = (burst.start, false);
        Held::default()
    }

    /// Takes the wait after `burst` once new data has ended it.
    pub(super) fn on_new_data(&mut self, burst: &Burst, step: &Step) {
        if let Some((_, rtt)) = burst.window {
            self.at_window.on_wait(burst.start, step.octets, step.time, rtt);
        }
    }

    /// Takes the wait after `burst` once it has ended.
    pub(super) fn on_wait(&mut self, burst: &Burst, step: &Step, seen: Seen) -> Held {
        let is_unprompted = seen != Seen::Prompted;
        let asked = self.asked(burst, step);
        self.first.on_burst(burst.passed(step));
        if burst.is_window_full {
            self.last_full = burst.start;
        }
        let is_repeated = is_unprompted && self.asked.is_some_and(|before| before.has_paced(step));
        let likely = asked.likely().filter(|_| is_unprompted);
        if let Some(pace) = likely {
            self.first.on_wait(burst.start, pace, step.smss);
        }
        self.pace = self.learned(burst, step, &asked, seen);
        let is_step = is_unprompted && self.pace.is_some_and(|pace| asked.agrees_with(pace));
        let is_overlong = !is_step && !is_repeated && self.is_overlong(burst, step);
        if is_unprompted {
            self.asked = Some(asked);
            // What cannot prove the timer from afar does not speak against it either.
            let counts = seen != Seen::Afar || self.is_queued(burst);
            self.unprompted = self.unprompted.saturating_add(u32::from(counts));
        }
        if is_step {
            self.steps = self.steps.saturating_add(1);
            self.last_step = burst.start;
        }
        let is_assumed = !is_step && self.pace_of(burst).is_some_and(|(_, assumed)| assumed);
        let time = if is_step { step.time } else { self.holds(burst).min(step.time) };
        // Before any pace is known, what no ACK ended may be the timer's.
        let is_open = is_unprompted && self.pace.is_none();
        self.lets_out = burst.start.after(if is_open { step.time } else { time });
        self.is_on_time = is_unprompted;
        let time = if self.is_proved() { time } else { Duration::ZERO };
        Held { time, is_step, is_assumed, is_overlong }
    }

    /// The pace that is known with this wait.
    fn learned(&mut self, burst: &Burst, step: &Step, asked: &Asked, seen: Seen) -> Option<Pace> {
        let known = match seen {
            Seen::Prompted => self.pace,
            Seen::Step => Some(Pace(step.octets, step.time)),
            Seen::Afar if self.climbs(burst, step) => Some(Pace(step.octets, step.time)),
            Seen::Unprompted | Seen::Afar => self.proved(asked, burst, seen).or(self.pace),
        };
        let known = known.or_else(|| self.pace_of_bbr_at_window())?;
        Some(if asked.late.is_faster_than(known) { asked.late } else { known })
    }

    /// The pace in force after a burst: the last one shown, or in a full window, a round trip after that, the
    /// one that is to be assumed there. Whether it is assumed stands beside it.
    fn pace_of(&self, burst: &Burst) -> Option<(Pace, bool)> {
        let own = self.pace?;
        let Some(window) = burst.window else { return Some((own, false)) };
        if burst.start.since(self.last_step) <= window.1 {
            return Some((own, false));
        }
        let assumed = self.at_window.pace(burst.start, window, own);
        Some(assumed.map_or((own, false), |assumed| (assumed, true)))
    }

    /// The pace that this wait and the last that no ACK ended both show: each follows the other, or the timer
    /// is known and a full window tells that data is queued. Where credit is what shows it, it has to
    /// twice, for a writer's even timer follows any chance.
    ///
    /// From afar it is not seen whether the wait before was ended by none: two that a full window shows alike
    /// will do.
    fn proved(&mut self, asked: &Asked, burst: &Burst, seen: Seen) -> Option<Pace> {
        let is_queued = self.is_queued(burst);
        let is_known = is_queued && (self.steps >= STEPS_MIN || seen == Seen::Afar);
        let before = self.asked.filter(|_| asked.on_time.is_some() || is_known)?;
        let (here, there) = asked.likely().zip(before.likely())?;
        if !here.agrees_with(there) || !(is_queued || asked.has_credit != before.has_credit) {
            return None;
        }
        let hint = self.hint.replace(here);
        let is_shown = is_queued || hint.is_some_and(|hint| here.agrees_with(hint));
        is_shown.then_some(here)
    }

    /// That at which it opened, if it is BBR's and the window was full since.
    fn pace_of_bbr_at_window(&self) -> Option<Pace> {
        self.first.of_bbr().filter(|_| self.last_full > Timestamp::default())
    }

    /// The first wait that makes it climb for long enough.
    fn climbs(&mut self, burst: &Burst, step: &Step) -> bool {
        let Some(rtt) = step.min_rtt.filter(|_| !self.has_climbed) else { return false };
        let time = (burst.start, burst.start.after(step.time));
        self.has_climbed = self.climb.on_wait(Pace(step.octets, step.time), time, rtt);
        self.has_climbed
    }

    /// The receive window is all but full, and was full within two round trips.
    fn is_queued(&self, burst: &Burst) -> bool {
        let ago = burst.start.since(self.last_full);
        burst.window.is_some_and(|(_, rtt)| ago <= rtt.saturating_mul(2))
    }

    /// The wait lasted more than twice as long as the timer asked for just now: no change of BBR's pace does
    /// that (`bbr_pacing_gain` goes from 1.25 to 0.75, and holds it for a round trip).
    fn is_overlong(&self, burst: &Burst, step: &Step) -> bool {
        let is_fresh = burst.start.since(self.last_step) <= step.min_rtt.unwrap_or_default();
        let twice = |pace: Pace| pace.time_of(step.octets).saturating_mul(2);
        is_fresh && self.pace.is_some_and(|pace| step.time > twice(pace))
    }

    /// Again and again, and in one of three waits that no ACK ended.
    pub(super) fn is_proved(&self) -> bool {
        let is_one_in_three = self.steps.saturating_mul(3) >= self.unprompted;
        let is_shown = self.has_climbed || self.pace_of_bbr_at_window().is_some();
        is_shown || self.steps >= STEPS_MIN && is_one_in_three
    }

    fn asked(&self, burst: &Burst, step: &Step) -> Asked {
        let credit = self.credit(burst).min(step.time);
        Asked {
            late: Pace(step.octets, step.time.saturating_add(credit)),
            on_time: self.is_on_time.then_some(Pace(step.octets, step.time)),
            has_credit: credit.saturating_mul(10) >= step.time,
        }
    }

    /// How late the sender was with `burst`, at most.
    fn credit(&self, burst: &Burst) -> Duration {
        burst.start.since(self.lets_out)
    }
}

impl Asked {
    /// The pace by the credit that there seems to have been.
    fn likely(&self) -> Option<Pace> {
        if self.has_credit { Some(self.late) } else { self.on_time }
    }

    fn has_paced(&self, step: &Step) -> bool {
        self.agrees_with(Pace(step.octets, step.time))
    }

    fn agrees_with(&self, pace: Pace) -> bool {
        self.late.agrees_with(pace) || self.on_time.is_some_and(|own| own.agrees_with(pace))
    }
}

/// By chance one wait in 25 comes within a fiftieth of what a pace asks for (see the module `cwnd_pace`);
/// three do once in 15 600 times.
const STEPS_MIN: u32 = 3;

#[cfg(test)]
mod tests;

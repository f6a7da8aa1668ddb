//! What the sums tell of the writer: is it blocked, or do its batches only look so?

#[cfg(test)]
mod tests;

use super::{Batches, Context, PACED_WAITS_MIN, Tally};
use crate::round::Sign;
use crate::units::Duration;

impl Context {
    /// A blocked writer is woken again and again: batches of the right size, nearly always ended by an
    /// ACK, at least one in two rounds, or more of them than chance brings. (A write larger than the
    /// congestion window takes several rounds to leave.) Chance does not strike four times in five. A
    /// paced sender keeps part of the buffer queued, so less than a third of it is in flight when
    /// the queue runs dry: there smaller batches count as well, unless those of a third do without them, as
    /// where a slow writer went before. Nor is it known away from the sender what of the pacing or of
    /// segmentation offload made a batch smaller, see [`Context::woken`].
    pub(crate) fn is_writer_blocked(&self) -> bool {
        self.woken().is_so() && !self.is_held_back() && !self.is_perhaps_in_step()
    }

    /// A batch that an ACK ended, where each leaves as much, see [`Context::level_chance`].
    pub(crate) fn is_wake_up_at_level(&self, sign: &Sign) -> bool {
        sign.is_prompted_batch() && self.level_chance() < LEVEL_CHANCE_MAX
    }

    /// A writer may be blocked now and then, in turn with what else holds the sender: it is woken with as
    /// much in flight each time, two thirds of its buffer, though there was more or less of it before, as the
    /// window had it. How likely that were by chance; an ACK ends nearly all of its batches, too.
    pub(crate) fn level_chance(&self) -> f64 {
        let Batches { prompted, unprompted, .. } = self.thirds.with(&self.put_off);
        let are_prompted = is_nearly_all(prompted.count, unprompted.count);
        if !are_prompted || self.is_held_back() || self.is_perhaps_in_step() {
            return 1.0;
        }
        self.wake_ups.chance(self.smss)
    }

    /// The batches that decide: all, or those of a third where only these do.
    pub(crate) fn woken(&self) -> Woken {
        let (thirds, timed) = (self.thirds.prompted.count, self.thirds.unprompted.count);
        let (mut prompted, mut unprompted) = (thirds, timed);
        if self.pacing_steps.count >= PACED_WAITS_MIN || self.are_smaller_wake_ups() {
            prompted = prompted.saturating_add(self.put_off.prompted.count);
        }
        if self.unprompted_pushed.count >= PACED_WAITS_MIN {
            unprompted = unprompted.saturating_add(self.put_off.unprompted.count);
        }
        let is_often = |count: u32| count.saturating_mul(2) >= self.rounds;
        let is_no_chance = self.thirds.open.is_beyond_chance();
        let of_all = Woken { prompted, unprompted, is_often: is_often(prompted) || is_no_chance };
        let are_thirds_many = is_often(thirds) || is_no_chance && thirds > PROBES_OF_RTT;
        let of_thirds = Woken { prompted: thirds, unprompted: timed, is_often: are_thirds_many };
        if of_all.is_so() { of_all } else { of_thirds }
    }

    /// That an ACK ends each of the smaller batches is no chance either, and as much is left each time, as
    /// the buffer has it; what a congestion window leaves grows with it.
    fn are_smaller_wake_ups(&self) -> bool {
        self.put_off.open.is_beyond_chance() && self.wake_ups.are_level()
    }

    /// A writer's timer may keep step with the ACKs, see [`Context::step_chance`].
    pub(crate) fn is_perhaps_in_step(&self) -> bool {
        !self.was_out_of_step && self.step_chance() >= STEP_CHANCE_MIN
    }

    /// A writer is blocked, and woken each time by an ACK as no timer would come to do. (What is known of the
    /// sender's time to a tick, or not at all, all seems to follow ACKs.)
    pub(crate) fn is_woken_out_of_step(&self) -> bool {
        !self.is_way_guessed
            && self.wait_blur.is_zero()
            && self.thirds.open.is_beyond_chance()
            && self.is_writer_blocked()
            && self.step_chance() < STEP_CHANCE_DOUBTED
    }

    /// If a writer is blocked, it may as well be one whose timer keeps step with the ACKs.
    pub(crate) fn is_perhaps_timed(&self) -> bool {
        self.step_chance() >= STEP_CHANCE_DOUBTED
    }

    /// In more than every second round with batches, or, where only smaller ones come, of all, less than a
    /// segment stayed queued until an ACK came: Nagle's algorithm held back the end of a write, so the writer
    /// had given all it had. (Where it is not known when the sender sent, next to every send seems to follow
    /// an ACK, so that nothing tells.)
    pub(crate) fn is_held_back(&self) -> bool {
        let (held_back, rounds) = match self.batch_rounds {
            0 => (self.nagle_rounds, self.rounds),
            rounds => (self.held_back_rounds, rounds),
        };
        held_back.saturating_mul(2) > rounds && !self.is_way_guessed
    }

    /// How likely a writer's timer would keep step with the ACKs as these batches do: zero, but where each is
    /// one write (it ends in its only segment below SMSS) and they come at an even pace, be it those of a
    /// third or all. A blocked writer's batches end where the buffer is full, or come when the ACKs let them.
    fn step_chance(&self) -> f64 {
        let chance = |batches: &Batches| {
            let count = batches.prompted.count;
            let is_one_write = batches.drained.saturating_mul(4) >= count.saturating_mul(3)
                && self.short_sends.saturating_mul(2) <= count.saturating_mul(3);
            let is_timed = is_one_write && is_even(&batches.prompted, self.wait_blur);
            if is_timed { batches.open.chance() } else { 0.0 }
        };
        chance(&self.thirds).max(chance(&self.thirds.with(&self.put_off)))
    }
}

/// Batches are rare where no writer is blocked, so that chance is the worse explanation well before one in a
/// thousand. (Of 2226 directions of the open corpus and `tests/held-out`, 19 are closer to the kernel's
/// shares than with none, 9 with one in a thousand, 17 with one in fifty, 29 with four in ten; none is
/// farther away.)
pub(crate) const LEVEL_CHANCE_MAX: f64 = 0.1;

/// A timer keeps step with the ACKs from its first write on or not at all, so that its chance is drawn once.
/// With less than this it is the worse explanation, where a blocked writer is woken so soon each time. (One
/// in 30 to 300 make a difference for three of eleven hundred captured flows, blocked writers all.)
const STEP_CHANCE_MIN: f64 = 1.0 / 30.0;

/// With less than this it is none. (One in 30 to 300 change no direction.)
const STEP_CHANCE_DOUBTED: f64 = 0.01;

/// Batches, by whether an ACK prompted them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Woken {
    pub(crate) prompted: u32,
    pub(crate) unprompted: u32,
    /// One in two rounds, or more than chance brings.
    pub(crate) is_often: bool,
}

impl Woken {
    pub(crate) fn are_nearly_all(&self) -> bool {
        is_nearly_all(self.prompted, self.unprompted)
    }

    fn is_so(&self) -> bool {
        self.is_often && self.are_nearly_all()
    }
}

/// Four of five or more.
fn is_nearly_all(count: u32, others: u32) -> bool {
    count.saturating_mul(5) >= count.saturating_add(others).saturating_mul(4)
}

/// BBR drains its pipe every ten seconds (`bbr_min_rtt_win_sec`) and fills it up again at an ACK: at most two
/// drains fall into the rounds looked at, one at either end.
const PROBES_OF_RTT: u32 = 2;

/// Whether the waits differ by a tenth at most, and by what their lengths may be off.
fn is_even(tally: &Tally, blur: Duration) -> bool {
    tally.longest.zip(tally.shortest).is_some_and(|(longest, shortest)| {
        longest.saturating_sub(shortest).saturating_sub(blur).saturating_mul(10) <= longest
    })
}

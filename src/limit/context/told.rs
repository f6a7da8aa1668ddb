//! What the sums tell: is the writer blocked, is a timer at work, does the window fill?

#[cfg(test)]
mod tests;

use super::{Batches, Context, Tally};
use crate::response::SLOW_START_GROWTH;
use crate::round::{BatchSign, Sign};
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
        sign.batch != BatchSign::No
            && sign.ended_by.is_prompted()
            && self.level_chance() < LEVEL_CHANCE_MAX
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
        self.step_chance() >= STEP_CHANCE_MIN
    }

    /// If a writer is blocked, it may as well be one whose timer keeps step with the ACKs.
    pub(crate) fn is_perhaps_timed(&self) -> bool {
        self.step_chance() >= STEP_CHANCE_DOUBTED
    }

    /// In more than every second round with batches, or, where only smaller ones come, of all, less than a
    /// segment stayed queued until an ACK came: Nagle's algorithm held back the end of a write, so the writer
    /// had given all it had.
    pub(crate) fn is_held_back(&self) -> bool {
        let (held_back, rounds) = match self.batch_rounds {
            0 => (self.nagle_rounds, self.rounds),
            rounds => (self.held_back_rounds, rounds),
        };
        held_back.saturating_mul(2) > rounds && !self.is_way_guessed
    }

    /// The pacing timer ended one in three waits at least that no ACK ended: it shows once where a
    /// write goes out in three sends, after a half step and before the writer's pause. A writer's
    /// timer may look like it now and then.
    pub(crate) fn has_pacing_train(&self) -> bool {
        self.pacing_steps.count.saturating_mul(3) >= self.unprompted()
    }

    /// Sends with the window open that no ACK prompted, whatever was queued.
    pub(crate) fn unprompted(&self) -> u32 {
        let tallies = [self.unprompted_dry, self.unprompted_held, self.unprompted_pushed];
        tallies.iter().fold(0, |sum, tally| sum.saturating_add(tally.count))
    }

    /// One in eight sends at least came without a prompt, after one eighth of the time, though no pacing
    /// timer is at work: then the others met their ACKs by chance, or keep step with them, as a writer's
    /// sends do whose ACKs come back at its own pace.
    pub(crate) fn is_prompted_by_chance(&self) -> bool {
        let unprompted = self.unprompted_held.count.saturating_add(self.unprompted_pushed.count);
        let all = unprompted.saturating_add(self.clocked.count);
        let time = self.unprompted_held.time.saturating_add(self.unprompted_pushed.time);
        unprompted >= PACED_WAITS_MIN
            && unprompted.saturating_mul(8) >= all
            && time.saturating_mul(7) >= self.clocked.time
            && !self.has_loss
            && !self.is_paced()
            && self.pacing_steps.count.saturating_mul(2) <= unprompted
    }

    /// A pacing timer is at work: full segments come again and again without a prompt, or its steps
    /// have given it away, short segments in between or not.
    pub(crate) fn is_timer_paced(&self) -> bool {
        let has_steps = self.pacing_steps.count >= PACED_WAITS_MIN && self.has_pacing_train();
        self.is_paced() || has_steps
    }

    /// The sender's qdisc paces, in the place of a timer of TCP's own, after which nothing stands in a queue.
    /// A host that is slow to take an ACK in may look so now and then.
    pub(crate) fn is_paced_by_qdisc(&self) -> bool {
        self.queued_max >= QUEUED_MIN
    }

    /// A paced sender whose buffer is smaller than its window sends it out to the last segment,
    /// which goes alone, and then pauses until an ACK makes room for more: at least once in two
    /// rounds, and for longer than its pacing asks. Each time a third of the buffer has become free, so
    /// that it pauses no more often than that much of a round trip's data fits into one. Nor does Nagle's
    /// algorithm hold back the end of its data round after round, see [`Context::is_held_back`].
    pub(crate) fn is_paced_at_buffer(&self) -> bool {
        let pauses = self.written_prompted.count;
        let step = self.unprompted_pushed.longest.max(self.pacing_steps.longest);
        self.is_timer_paced()
            && !self.is_window_filled()
            && self.nagle_rounds.saturating_mul(2) <= self.rounds
            && pauses.saturating_mul(2) >= self.rounds
            && self.written_unprompted.count.saturating_mul(4) <= pauses
            && self.written_prompted.longest > step
            && self.pauses.count <= self.rounds.saturating_mul(WAKE_UPS_A_ROUND_TRIP)
    }

    /// It seems to be one, but pauses more than twice in a round trip: its buffer would have to be full to
    /// the last octet each time, and a writer whose ACKs come back at its own pace need not.
    pub(crate) fn is_paced_by_writer(&self) -> bool {
        !self.is_writer_blocked() && self.pauses.count > self.rounds.saturating_mul(2)
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

    /// The send queue ran dry in at least one in four of these rounds. A sender that always has
    /// data queued never sends a segment below SMSS.
    pub(crate) fn is_drained(&self) -> bool {
        self.drained_rounds.saturating_mul(DRAINED_PARTS) >= self.rounds
    }

    /// It ran dry in nearly each of them, and in this one: where it did not for all of a round trip, each ACK
    /// found something queued, as when the path is slower than the writer for a while; nor do its short
    /// segments only tell where writes ended.
    pub(crate) fn is_always_drained(&self) -> bool {
        self.is_drained_here
            && self.drained_rounds.saturating_mul(4) >= self.rounds.saturating_mul(3)
            && !self.is_written_apart()
    }

    /// Segments below SMSS tell where a write ended, not that nothing waited behind it. Linux fills the last
    /// segment of the queue from the next write (`tcp_sendmsg_locked`), so that one below SMSS is the last
    /// there was. Stacks that keep writes apart (gVisor's netstack, for one) send the end of each as one:
    /// inside the bursts that ACKs prompt as well as at their ends, or, of large writes, so seldom that next
    /// to no ACK finds the queue seemingly dry. A blocked writer, woken by an ACK, sends such bursts as well;
    /// and where it is not known when the sender sent, what left at once seems to answer ACK after ACK.
    pub(crate) fn is_written_apart(&self) -> bool {
        let drained = self.drained.count;
        drained > 0
            && !self.is_writer_blocked()
            && (self.write_ends_inside.saturating_mul(ENDS_INSIDE_PARTS) >= drained
                || !self.is_way_guessed
                    && drained.saturating_mul(WRITE_ENDS_PARTS) < self.clocked_held)
    }

    /// The pacing waits are of one length from round to round, give or take a tenth, but in one round of
    /// eight, as the capture's clock may have been set or its packets out of order. BBR paces
    /// a quarter faster and slower in turn, so that two of eight differ; a fixed
    /// `SO_MAX_PACING_RATE` does not, nor does a writer's timer.
    pub(crate) fn is_pacing_even(&self) -> bool {
        self.has_even_pace
    }

    /// The receive window fills in at least one of two rounds.
    pub(crate) fn is_window_filled(&self) -> bool {
        self.window_full_rounds.saturating_mul(2) >= self.rounds
    }

    /// Nothing is lost, and the rounds around fill the receive window, or for so many of them in a row
    /// nothing more was in flight at the peak: a congestion window would have grown by two segments.
    pub(crate) fn is_at_window(&self) -> bool {
        let is_level = self.level_around > ROUNDS_OF_TWO_SEGMENTS;
        (is_level || self.is_window_filled()) && !self.has_loss
    }

    /// At each peak as much was in flight, for so many round trips that a congestion window would have grown.
    pub(crate) fn is_stuck(&self) -> bool {
        let growth = self.flight_peak_max.saturating_sub(self.flight_peak_min);
        self.rounds > ROUNDS_OF_TWO_SEGMENTS && growth < self.smss
    }

    /// The pipe grew as in slow start over the last round trip; each is judged by itself, as it may come
    /// again after a timeout or a pause.
    pub(crate) fn is_slow_start(&self) -> bool {
        self.growth.is_none() || self.has_grown()
    }

    /// The same, where there was a round trip before.
    pub(crate) fn has_grown(&self) -> bool {
        self.growth.is_some_and(|growth| growth >= SLOW_START_GROWTH)
    }

    /// More time passed in waits longer than segmentation deferral explains than in answering
    /// each ACK.
    pub(crate) fn is_put_off(&self) -> bool {
        self.put_off.prompted.time > self.clocked.time
    }

    /// The sender waits for a pacing timer: again and again it sends full segments without a
    /// prompt, and (almost) never does its queue run dry. A writer whose every write is a whole
    /// number of segments looks the same.
    pub(crate) fn is_paced(&self) -> bool {
        let held = self.unprompted_held.count;
        self.unprompted_pushed.count >= PACED_WAITS_MIN
            && held <= self.unprompted_pushed.count / HELD_PARTS
            && !self.is_drained()
    }
}

// Where it is said of directions, the figure was moved alone over 2482 (open corpus, `tests/held-out`,
// captures of others), to see how many change their limit, how sure it is, or a share by over 2 points.

/// CUBIC's window grows by 0.53 segments a round trip at least, Reno's by one (RFC 9438 section 4.3). (2 and
/// 8 change no direction.)
const ROUNDS_OF_TWO_SEGMENTS: u32 = 4;

/// Batches are rare where no writer is blocked, so that chance is the worse explanation well before one in a
/// thousand. (Of 1563 directions of the open corpus and `tests/held-out`, 29 come closer to the kernel's
/// shares, 17 with one in a thousand, 24 with one in fifty, 36 with four in ten; none ever goes away.)
const LEVEL_CHANCE_MAX: f64 = 0.1;

/// A timer keeps step with the ACKs from its first write on or not at all, so that its chance is drawn once.
/// With less than this it is the worse explanation, where a blocked writer is woken so soon each time. (One
/// in 30 to 300 make a difference for three of eleven hundred captured flows, blocked writers all.)
const STEP_CHANCE_MIN: f64 = 1.0 / 30.0;

/// With less than this it is none. (One in 30 to 300 change no direction.)
const STEP_CHANCE_DOUBTED: f64 = 0.01;

/// A third of the buffer free wakes the writer (Linux `sk_stream_is_writeable`).
pub(crate) const WAKE_UPS_A_ROUND_TRIP: u32 = 3;

/// One pacing gain cycle of BBR has eight rounds with at least one paced send each.
pub(crate) const PACED_WAITS_MIN: u32 = 8;
/// Once or twice within some rounds may be chance. (2 and 5 change no direction.)
const QUEUED_MIN: u32 = 3;
/// Of so many sends of a pacing timer one may leave more held back.
pub(crate) const HELD_PARTS: u32 = 8;
/// In one of so many rounds a queue that runs dry does so often.
pub(crate) const DRAINED_PARTS: u32 = 4;
/// A write of 16 kB, as TLS makes them (RFC 8446 section 5.1), has twelve segments of 1420 octets: where an
/// ACK lets out two, its end goes last in a burst in one of twelve cases. (One in 4 to 16 make no difference
/// for 720 captured flows of Linux.)
const WRITE_ENDS_PARTS: u32 = 8;
/// Bursts of two segments have as many ends of writes inside as last, larger ones more. (Where no writer is
/// blocked, Linux has none or one inside beside 24 and more that are last. One in 2 to 8 change no
/// direction.)
const ENDS_INSIDE_PARTS: u32 = 4;

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

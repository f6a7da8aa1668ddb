//! What the sums tell: is a timer at work, does the queue run dry, does the window fill?

#[cfg(test)]
mod tests;

use super::{Context, Tally};
use crate::response::SLOW_START_GROWTH;
use crate::round::Sign;
use crate::sender::Recovery;

impl Context {
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

    /// ACKs come so close together that the sender's clock does not tell what they prompted from what was
    /// written meanwhile; and what is in flight stays as it is, though nothing queues, as far as that clock
    /// tells, as it does of a writer at an even pace. Of a sender at a fixed pace (`SO_MAX_PACING_RATE`) as
    /// well; where each segment leaves by itself (`bbr_min_tso_segs`), it has PSH. So have the bursts that a
    /// writer makes one by one, but they end in what is left of a write as well.
    pub(crate) fn is_prompted_within_tick(&self) -> bool {
        let Tally { count, time, acks, .. } = self.clocked;
        let queued = self.srtt.zip(self.min_rtt).map(|(srtt, min)| srtt.saturating_sub(min));
        self.is_still
            && time <= self.wait_blur.saturating_mul(count.max(acks))
            && queued.is_some_and(|queued| queued <= self.wait_blur)
            && (self.clocked_held.saturating_mul(HELD_PARTS) >= count || self.is_drained())
    }

    /// What came after the wait may have left at once with what went before, and only seem to answer an ACK,
    /// as the path spread it: nothing tells when the sender sent, and a congestion window would have grown.
    pub(crate) fn may_be_spread(&self, sign: &Sign) -> bool {
        self.is_flat
            && !self.has_loss
            && sign.recovery == Recovery::Open
            && !sign.is_pacing_step()
            && !self.is_slow_start()
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

    /// Nothing is lost, and the rounds around fill the receive window, as far as it is known what was in
    /// flight; or for so many of them in a row nothing more was at the peak: a congestion window would have
    /// grown by two segments.
    pub(crate) fn is_at_window(&self) -> bool {
        let is_level = self.level_around > ROUNDS_OF_TWO_SEGMENTS;
        let is_met =
            || self.is_way_guessed && self.window_met_rounds.saturating_mul(2) >= self.rounds;
        (is_level || self.is_window_filled() || is_met()) && !self.has_loss
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

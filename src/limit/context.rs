//! What the rounds around a wait tell: tallies that separate causes which one wait cannot.

use std::collections::VecDeque;

use super::tally::{Prompted, Tally};
use crate::round::{BatchSign, EndedBy, PacingSign, QueueSign, Round, Sign, Wait, WindowSign};
use crate::sender::Recovery;
use crate::units::{Bytes, Duration};

/// Tallies over the round under judgment and its neighbours.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context {
    pub(crate) smss: Bytes,
    pub(crate) min_rtt: Option<Duration>,
    pub(crate) srtt: Option<Duration>,
    /// Waits with the window open that ended without a prompt, by what the queue told.
    pub(crate) unprompted_dry: Tally,
    pub(crate) unprompted_held: Tally,
    pub(crate) unprompted_pushed: Tally,
    /// Waits that the pacing timer seems to have ended.
    pub(crate) pacing_steps: Tally,
    /// Waits after all that was written had gone out, by what ended them: an ACK (after a short last
    /// segment, too), or none.
    pub(crate) written_prompted: Tally,
    pub(crate) written_unprompted: Tally,
    /// Waits far beyond what the pacing timer asked for, ended by an ACK.
    pub(crate) pauses: Tally,
    /// Batches as large as a blocked writer waits for, ended by an ACK (see [`BatchSign`]).
    pub(crate) batches_prompted: Tally,
    /// Of these, the ones out of recovery.
    pub(crate) batches_open: Prompted,
    /// The same, ended without an ACK; the pacing timer's left out.
    pub(crate) batches_unprompted: Tally,
    /// Smaller batches, but more than segmentation deferral explains, ended by an ACK.
    pub(crate) put_off: Tally,
    /// The same, ended without an ACK; the pacing timer's left out.
    pub(crate) put_off_unprompted: Tally,
    /// Prompted batches before which the queue had run dry.
    pub(crate) batches_drained: Tally,
    /// Rounds with a prompted batch as large as a blocked writer waits for.
    pub(crate) batch_rounds: u32,
    /// Of these, the ones in which less than a segment stayed queued until an ACK came.
    pub(crate) held_back_rounds: u32,
    /// Sends that ended in a segment below SMSS.
    pub(crate) short_sends: u32,
    /// How far the length of a wait may be off by the clock that told it: a tick at either end.
    pub(crate) wait_blur: Duration,
    /// Each ACK was answered at once.
    pub(crate) clocked: Tally,
    /// Waits, of any kind, before which the queue had run dry or held less than a segment.
    pub(crate) drained: Tally,
    /// Rounds with such a wait.
    pub(crate) drained_rounds: u32,
    /// Some send in these rounds filled the window to the last segment.
    pub(crate) window_full: Tally,
    /// Rounds with such a send.
    pub(crate) window_full_rounds: u32,
    /// The round under judgment itself has such a send.
    pub(crate) is_window_full_here: bool,
    pub(crate) has_loss: bool,
    pub(crate) rounds: u32,
    pub(crate) flight_peak_min: Bytes,
    pub(crate) flight_peak_max: Bytes,
    /// Largest single send.
    pub(crate) send_max: Bytes,
    /// Largest pipe of this round over that of the round before; `None` in the first.
    pub(crate) growth: Option<f64>,
    /// See [`Context::is_pacing_even`].
    has_even_pace: bool,
}

impl Context {
    /// Before the first round.
    pub(super) fn of_none() -> Self {
        Self { flight_peak_min: Bytes(u64::MAX), ..Self::default() }
    }

    /// Takes the one of `rounds` at `here` for the one under judgment.
    pub(super) fn place(&mut self, rounds: &VecDeque<Round>, here: usize) {
        let Some(round) = rounds.get(here) else { return };
        self.smss = round.smss;
        self.wait_blur = round.sender_tick.unwrap_or_default().saturating_mul(2);
        // Nobody asks about other waits.
        let is_maybe_paced =
            |wait: &Wait| wait.sign.ended_by == EndedBy::Nothing || wait.sign.is_pacing_step();
        self.has_even_pace =
            round.waits.iter().any(is_maybe_paced) && has_even_pace(rounds, self.wait_blur);
        self.min_rtt = round.min_rtt;
        self.srtt = round.srtt;
        self.is_window_full_here = round.spare_window_min.is_some_and(|spare| spare < round.smss);
        let before = here.checked_sub(1).and_then(|index| rounds.get(index));
        self.growth = before.map(|before| growth(before.pipe_peak, round.pipe_peak));
    }

    /// Sums it up with the others.
    pub(super) fn add(&mut self, round: &Round) {
        self.rounds = self.rounds.saturating_add(1);
        self.has_loss |= round.has_loss;
        self.flight_peak_min = self.flight_peak_min.min(round.flight_peak);
        self.flight_peak_max = self.flight_peak_max.max(round.flight_peak);
        self.send_max = self.send_max.max(round.send_max);
        self.short_sends = self.short_sends.saturating_add(round.short_sends);
        let mut has_batch = false;
        let mut has_held_back = false;
        let mut has_drained = false;
        let mut has_window_full = false;
        for wait in &round.waits {
            has_batch |= wait.sign.is_prompted_batch();
            has_held_back |= wait.sign.is_held_back();
            has_drained |= wait.sign.is_drained();
            has_window_full |= is_window_full(wait.sign);
            self.add_wait(wait);
        }
        let count = |rounds: &mut u32, is_so| *rounds = rounds.saturating_add(u32::from(is_so));
        count(&mut self.drained_rounds, has_drained);
        count(&mut self.window_full_rounds, has_window_full);
        count(&mut self.batch_rounds, has_batch);
        count(&mut self.held_back_rounds, has_batch && has_held_back);
    }

    fn add_wait(&mut self, wait: &Wait) {
        let sign = wait.sign;
        if let Some(tally) = self.tally_of(sign) {
            tally.add(wait);
        }
        let is_prompted = matches!(sign.ended_by, EndedBy::Ack | EndedBy::LateAck);
        let is_unprompted = sign.ended_by == EndedBy::Nothing;
        if sign.is_drained() {
            self.drained.add(wait);
        }
        if sign.is_pacing_step() {
            self.pacing_steps.add(wait);
        } else if is_unprompted && sign.batch == BatchSign::PutOff {
            self.put_off_unprompted.add(wait);
        }
        if is_prompted && sign.pacing == PacingSign::Overlong {
            self.pauses.add(wait);
        }
        if matches!(sign.queue, QueueSign::Written | QueueSign::Dry) {
            match () {
                () if is_prompted => self.written_prompted.add(wait),
                () if is_unprompted => self.written_unprompted.add(wait),
                () => {}
            }
        }
        if sign.is_prompted_batch() {
            if sign.recovery == Recovery::Open {
                self.batches_open.add(wait);
            }
            if sign.queue == QueueSign::Dry {
                self.batches_drained.add(wait);
            }
        }
    }

    fn tally_of(&mut self, sign: Sign) -> Option<&mut Tally> {
        if is_window_full(sign) {
            return Some(&mut self.window_full);
        }
        if sign.is_prompted_batch() {
            return Some(&mut self.batches_prompted);
        }
        match (sign.ended_by, sign.batch, sign.queue) {
            (EndedBy::Nothing, BatchSign::Third, _) if !sign.is_pacing_step() => {
                Some(&mut self.batches_unprompted)
            }
            (EndedBy::Ack | EndedBy::LateAck, BatchSign::PutOff, _) => Some(&mut self.put_off),
            (EndedBy::Ack, _, _) => Some(&mut self.clocked),
            (EndedBy::Nothing | EndedBy::LateAck, _, QueueSign::Dry) => {
                Some(&mut self.unprompted_dry)
            }
            // Of repairs, whether one is pushed says nothing of what is queued.
            (EndedBy::Nothing | EndedBy::LateAck, _, QueueSign::Held)
                if sign.recovery == Recovery::Open =>
            {
                Some(&mut self.unprompted_held)
            }
            (EndedBy::Nothing | EndedBy::LateAck, _, QueueSign::Pushed) => {
                Some(&mut self.unprompted_pushed)
            }
            _ => None,
        }
    }

    /// A blocked writer is woken again and again: batches of the right size, nearly always ended by an
    /// ACK, at least one in two rounds, or more of them than chance brings. (A write larger than the
    /// congestion window takes several rounds to leave.) Chance does not strike four times in five. A
    /// paced sender keeps part of the buffer queued, so less than a third of it is in flight when
    /// the queue runs dry: there smaller batches count as well.
    pub(crate) fn is_writer_blocked(&self) -> bool {
        let mut prompted = self.batches_prompted.count;
        let mut unprompted = self.batches_unprompted.count;
        if self.pacing_steps.count >= PACED_WAITS_MIN {
            prompted = prompted.saturating_add(self.put_off.count);
        }
        if self.unprompted_pushed.count >= PACED_WAITS_MIN {
            unprompted = unprompted.saturating_add(self.put_off_unprompted.count);
        }
        let all = prompted.saturating_add(unprompted);
        (prompted.saturating_mul(2) >= self.rounds || self.batches_open.is_beyond_chance())
            && prompted.saturating_mul(5) >= all.saturating_mul(4)
            && !self.is_held_back()
            && self.step_chance() < STEP_CHANCE_MIN
    }

    /// If a writer is blocked, it may as well be one whose timer keeps step with the ACKs.
    pub(crate) fn is_perhaps_timed(&self) -> bool {
        self.step_chance() >= STEP_CHANCE_DOUBTED
    }

    /// In more than every second round with batches, less than a segment stayed queued until an ACK came:
    /// Nagle's algorithm held back the end of a write, so the writer had given all it had.
    fn is_held_back(&self) -> bool {
        self.held_back_rounds.saturating_mul(2) > self.batch_rounds
    }

    /// The pacing timer ended one in three waits at least that no ACK ended: it shows once where a
    /// write goes out in three sends, after a half step and before the writer's pause. A writer's
    /// timer may look like it now and then.
    pub(crate) fn has_pacing_train(&self) -> bool {
        let unprompted = [self.unprompted_dry, self.unprompted_held, self.unprompted_pushed];
        let all = unprompted.iter().fold(0_u32, |sum, tally| sum.saturating_add(tally.count));
        self.pacing_steps.count.saturating_mul(3) >= all
    }

    /// One in eight sends at least came without a prompt, though no pacing timer is at work: then
    /// the others met their ACKs by chance, or keep step with them, as a writer's sends do whose
    /// ACKs come back at its own pace.
    pub(crate) fn is_prompted_by_chance(&self) -> bool {
        let unprompted = self.unprompted_held.count.saturating_add(self.unprompted_pushed.count);
        let all = unprompted.saturating_add(self.clocked.count);
        unprompted >= PACED_WAITS_MIN
            && unprompted.saturating_mul(8) >= all
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

    /// A paced sender whose buffer is smaller than its window sends it out to the last segment,
    /// which goes alone, and then pauses until an ACK makes room for more: at least once in two
    /// rounds, and for longer than its pacing asks. Each time a third of the buffer has become free, so
    /// that it pauses no more often than that much of a round trip's data fits into one.
    pub(crate) fn is_paced_at_buffer(&self) -> bool {
        let pauses = self.written_prompted.count;
        let step = self.unprompted_pushed.longest.max(self.pacing_steps.longest);
        self.is_timer_paced()
            && !self.is_window_filled()
            && pauses.saturating_mul(2) >= self.rounds
            && self.written_unprompted.count.saturating_mul(4) <= pauses
            && self.written_prompted.longest > step
            && self.pauses.count <= self.rounds.saturating_mul(WAKE_UPS_A_ROUND_TRIP)
    }

    /// It seems to be one, but pauses more than twice in a round trip: its buffer would have to be full to the
    /// last octet each time, and a writer whose ACKs come back at its own pace need not.
    pub(crate) fn is_paced_by_writer(&self) -> bool {
        !self.is_writer_blocked() && self.pauses.count > self.rounds.saturating_mul(2)
    }

    /// How likely a writer's timer would keep step with the ACKs as these batches do: zero, but where each is
    /// one write (it ends in its only segment below SMSS) and they come at an even pace. A blocked writer's
    /// batches end where the buffer is full, or come when the ACKs let them.
    fn step_chance(&self) -> f64 {
        let batches = self.batches_prompted.count;
        let is_one_write = self.batches_drained.count.saturating_mul(4)
            >= batches.saturating_mul(3)
            && self.short_sends.saturating_mul(2) <= batches.saturating_mul(3);
        let is_timed = is_one_write && is_even(&self.batches_prompted, self.wait_blur);
        if is_timed { self.batches_open.chance() } else { 0.0 }
    }

    /// The send queue ran dry in at least one in four of these rounds. A sender that always has
    /// data queued never sends a segment below SMSS.
    pub(crate) fn is_drained(&self) -> bool {
        self.drained_rounds.saturating_mul(4) >= self.rounds
    }

    /// It ran dry in nearly each of them.
    pub(crate) fn is_always_drained(&self) -> bool {
        self.drained_rounds.saturating_mul(4) >= self.rounds.saturating_mul(3)
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

    /// Nothing is lost, and the rounds around fill the receive window, or for so many of them nothing more was in
    /// flight at the peak: a congestion window would have grown by two segments.
    pub(crate) fn is_at_window(&self) -> bool {
        let growth = self.flight_peak_max.saturating_sub(self.flight_peak_min);
        let is_stuck = self.rounds > ROUNDS_OF_TWO_SEGMENTS && growth < self.smss;
        (is_stuck || self.is_window_filled()) && !self.has_loss
    }

    /// The pipe grew by half or more over the last round: slow start doubles it, or grows it by half
    /// where every second segment is acknowledged (RFC 5681 section 3.1, RFC 3465).
    pub(crate) fn is_slow_start(&self) -> bool {
        self.growth.is_none_or(|growth| growth >= 1.5)
    }

    /// More time passed in waits longer than segmentation deferral explains than in answering
    /// each ACK.
    pub(crate) fn is_put_off(&self) -> bool {
        self.put_off.time > self.clocked.time
    }

    /// The sender waits for a pacing timer: again and again it sends full segments without a
    /// prompt, and (almost) never does its queue run dry. A writer whose every write is a whole
    /// number of segments looks the same.
    pub(crate) fn is_paced(&self) -> bool {
        let held = self.unprompted_held.count;
        self.unprompted_pushed.count >= PACED_WAITS_MIN
            && held <= self.unprompted_pushed.count / 8
            && !self.is_drained()
    }
}

/// CUBIC's window grows by 0.53 segments a round trip at least, Reno's by one (RFC 9438 section 4.3).
const ROUNDS_OF_TWO_SEGMENTS: u32 = 4;

/// A timer keeps step with the ACKs from its first write on or not at all, so that its chance is drawn once.
/// With less than this it is the worse explanation, where a blocked writer is woken so soon each time. (One in 30
/// to 300 make a difference for three of eleven hundred captured flows, blocked writers all.)
const STEP_CHANCE_MIN: f64 = 1.0 / 30.0;

/// With less than this it is none.
const STEP_CHANCE_DOUBTED: f64 = 0.01;

/// A third of the buffer free wakes the writer (Linux `sk_stream_is_writeable`).
const WAKE_UPS_A_ROUND_TRIP: u32 = 3;

/// One pacing gain cycle of BBR has eight rounds with at least one paced send each.
const PACED_WAITS_MIN: u32 = 8;

/// Whether the mean pacing waits of all rounds but one in eight are within a tenth of the median one.
fn has_even_pace(rounds: &VecDeque<Round>, blur: Duration) -> bool {
    let mut means: Vec<Duration> = rounds.iter().filter_map(mean_pacing_wait).collect();
    let middle = means.len() / 2;
    if means.is_empty() {
        return false;
    }
    let (_, median, _) = means.select_nth_unstable(middle);
    let median = *median;
    let is_other =
        |mean: &&Duration| mean.abs_diff(median).saturating_sub(blur).saturating_mul(10) > median;
    means.iter().filter(is_other).count().saturating_mul(8) <= means.len()
}

/// Of the waits that [`Context::unprompted_pushed`] counts; `None` without any.
fn mean_pacing_wait(round: &Round) -> Option<Duration> {
    let mut tally = Tally::default();
    for wait in round.waits.iter().filter(|wait| is_unprompted_pushed(wait.sign)) {
        tally.add(wait);
    }
    tally.time.checked_div(tally.count)
}

fn is_unprompted_pushed(sign: Sign) -> bool {
    matches!(sign.ended_by, EndedBy::Nothing | EndedBy::LateAck)
        && sign.queue == QueueSign::Pushed
        && sign.batch != BatchSign::Third
        && !is_window_full(sign)
}

fn is_window_full(sign: Sign) -> bool {
    matches!(sign.window, WindowSign::Zero | WindowSign::Full)
}

fn growth(before: Bytes, now: Bytes) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a ratio of windows")]
    let ratio = now.0 as f64 / before.0.max(1) as f64;
    ratio
}

/// Whether the waits differ by a tenth at most, and by what their lengths may be off.
fn is_even(tally: &Tally, blur: Duration) -> bool {
    tally.longest.zip(tally.shortest).is_some_and(|(longest, shortest)| {
        longest.saturating_sub(shortest).saturating_sub(blur).saturating_mul(10) <= longest
    })
}

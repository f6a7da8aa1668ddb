//! What the rounds around a wait tell: tallies that separate causes which one wait cannot.

mod blocked;
mod told;

pub(crate) use blocked::LEVEL_CHANCE_MAX;
pub(crate) use told::{DRAINED_PARTS, HELD_PARTS, PACED_WAITS_MIN, WAKE_UPS_A_ROUND_TRIP};

use std::collections::VecDeque;

use super::batches::{Batches, WakeUps};
use super::tally::{Answers, Tally};
use super::trend::Trend;
use super::unseen_timeout;
use super::{behind_repair, doubling, paced_out, peaks, receive_window};
use crate::round::{BatchSign, EndedBy, PacingSign, QueueSign, Round, Sign, Wait, WindowSign};
use crate::sender::{INITIAL_WINDOW, Recovery};
use crate::units::{Bytes, Duration, as_f64};

/// Tallies over the round under judgment and its neighbours.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
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
    /// How many of these a queue of the sending host made, and how many it did in as many rounds as these at
    /// most, so far.
    pub(crate) queued: u32,
    pub(crate) queued_max: u32,
    /// Waits after all that was written had gone out, by what ended them: an ACK (after a short last
    /// segment, too), or none.
    pub(crate) written_prompted: Tally,
    pub(crate) written_unprompted: Tally,
    /// Waits with nothing queued that ended with an ACK, and whether that was an answer.
    pub(crate) answers: Answers,
    /// Waits far beyond what the pacing timer asked for, ended by an ACK.
    pub(crate) pauses: Tally,
    /// Batches as large as a blocked writer waits for (see [`BatchSign`]).
    pub(crate) thirds: Batches,
    /// Smaller batches, but more than segmentation deferral explains.
    pub(crate) put_off: Batches,
    /// Prompted batches of both sizes, out of recovery.
    pub(crate) wake_ups: WakeUps,
    /// Rounds with a prompted batch as large as a blocked writer waits for.
    pub(crate) batch_rounds: u32,
    /// Of these, the ones in which less than a segment stayed queued until an ACK came.
    pub(crate) held_back_rounds: u32,
    /// Rounds in which that was so, with such a batch or without.
    pub(crate) nagle_rounds: u32,
    /// Sends that ended in a segment below SMSS.
    pub(crate) short_sends: u32,
    /// How many of these had more queued behind them.
    pub(crate) write_ends_inside: u32,
    /// How far the length of a wait may be off by the clock that told it: a tick at either end.
    pub(crate) wait_blur: Duration,
    /// Each ACK was answered at once.
    pub(crate) clocked: Tally,
    /// How many of these came after a full segment without PSH: more was queued.
    pub(crate) clocked_held: u32,
    /// Waits, of any kind, before which the queue had run dry or held less than a segment.
    pub(crate) drained: Tally,
    /// Rounds with such a wait.
    pub(crate) drained_rounds: u32,
    /// Rounds of eight or more waits, one of which takes a third of their time or more.
    pub(crate) bunched_rounds: u32,
    /// Some send in these rounds filled the window to the last segment.
    pub(crate) window_full: Tally,
    /// Rounds with such a send.
    pub(crate) window_full_rounds: u32,
    /// Rounds with one that came so near to it that what is in flight may have been that much more, where no
    /// clock tells when the sender sent.
    pub(crate) window_met_rounds: u32,
    /// The round under judgment itself has such a send.
    pub(crate) is_window_full_here: bool,
    /// The largest flight in it.
    pub(crate) flight_peak_here: Bytes,
    /// In it the queue had run dry at least once.
    is_drained_here: bool,
    pub(crate) has_loss: bool,
    pub(crate) rounds: u32,
    pub(crate) flight_peak_min: Bytes,
    pub(crate) flight_peak_max: Bytes,
    /// The largest of these and of all rounds before.
    pub(crate) flight_max: Bytes,
    /// Away from the sender, and no clock of its own tells when it sent: the least that an acknowledgment
    /// ever took there and its answer back is taken for what each took.
    pub(crate) is_way_guessed: bool,
    /// The connection was opened in this round or in one before.
    pub(crate) is_start_seen: bool,
    /// How many rounds in a row up to the one under judgment had the same peak, give or take a segment; and
    /// those that come after it.
    pub(crate) level_rounds: u32,
    /// How many rounds in a row, the one under judgment among them, have its peak, give or take less than a
    /// segment, where that may matter; as far as they are looked at.
    level_around: u32,
    /// Largest single send.
    pub(crate) send_max: Bytes,
    /// Largest pipe of this round over that of the round before; `None` in the first.
    pub(crate) growth: Option<f64>,
    /// The pipe grows as in slow start (see the module `doubling`).
    pub(crate) is_doubling: bool,
    /// See [`Context::is_pacing_even`].
    has_even_pace: bool,
    /// In rounds before, a blocked writer was woken at no timer's pace.
    pub(crate) was_out_of_step: bool,
    /// The same of the unprompted [`Context::thirds`], where that may matter.
    pub(crate) has_even_pauses: bool,
    /// What is in flight at the peak has not grown for many rounds, where that may matter.
    pub(crate) is_flat: bool,
    /// It has stayed as it is.
    pub(crate) is_still: bool,
    /// [`INITIAL_WINDOW`] went out in this round before any data was acknowledged.
    pub(crate) has_used_initial_window: bool,
    /// ACKs let the first data go that is new after a repair here (see the module `behind_repair`).
    pub(crate) goes_on_at_once: bool,
    /// The next round begins with a window of one segment (see the module `unseen_timeout`).
    pub(crate) begins_anew: bool,
}

impl Context {
    /// Before the first round.
    pub(super) fn of_none() -> Self {
        Self { flight_peak_min: Bytes(u64::MAX), ..Self::default() }
    }

    /// Takes the one of `rounds` at `here` for the one under judgment.
    pub(super) fn place(&mut self, rounds: &VecDeque<Round>, here: usize) {
        let Some(round) = rounds.get(here) else { return };
        (self.smss, self.flight_peak_here) = (round.smss, round.flight_peak);
        self.is_way_guessed = round.is_remote && round.sender_tick.is_none();
        self.wait_blur = round.sender_tick.unwrap_or_default().saturating_mul(2);
        // Nobody asks about other waits.
        let is_maybe_paced =
            |wait: &Wait| wait.sign.ended_by == EndedBy::Nothing || wait.sign.is_pacing_step();
        self.has_even_pace = round.waits.iter().any(is_maybe_paced)
            && are_even(rounds, is_unprompted_pushed, self.wait_blur);
        self.has_even_pauses =
            paced_out::may_matter(self) && are_even(rounds, is_unprompted_batch, self.wait_blur);
        if receive_window::may_matter(round) {
            self.level_around = peaks::level_around(rounds, here);
        }
        self.min_rtt = round.min_rtt;
        self.srtt = round.srtt;
        self.is_window_full_here = round.spare_window_min.is_some_and(|spare| spare < round.smss);
        self.is_drained_here = round.waits.iter().any(|wait| wait.sign.is_drained());
        let before = here.checked_sub(1).and_then(|index| rounds.get(index));
        self.growth = before.map(|before| growth(before.pipe_peak, round.pipe_peak));
        self.is_doubling = doubling::may_matter(round) && doubling::is_doubling(rounds, here);
        self.goes_on_at_once =
            behind_repair::may_matter(round) && behind_repair::goes_on_at_once(rounds, here);
        self.has_used_initial_window = round.first_segments == INITIAL_WINDOW;
        let next = here.checked_add(1).and_then(|index| rounds.get(index));
        self.begins_anew = next.is_some_and(unseen_timeout::is_one_segment);
    }

    /// Takes what the rounds up to the last one looked at tell, where it is asked for: away from the sender.
    pub(super) fn place_trend(&mut self, trend: &Trend) {
        self.is_flat = self.is_way_guessed && trend.is_flat(self.smss);
        self.is_still = !self.wait_blur.is_zero() && trend.is_still(self.smss);
    }

    /// Sums it up with the others.
    pub(super) fn add(&mut self, round: &Round) {
        self.rounds = self.rounds.saturating_add(1);
        self.has_loss |= round.has_loss;
        self.flight_peak_min = self.flight_peak_min.min(round.flight_peak);
        self.flight_peak_max = self.flight_peak_max.max(round.flight_peak);
        self.send_max = self.send_max.max(round.send_max);
        self.short_sends = self.short_sends.saturating_add(round.short_sends);
        self.write_ends_inside = self.write_ends_inside.saturating_add(round.write_ends_inside);
        let mut has_batch = false;
        let mut has_held_back = false;
        let mut has_drained = false;
        let mut has_window_full = false;
        for wait in &round.waits {
            has_batch |= wait.sign.is_prompted_third();
            has_held_back |= wait.sign.is_held_back();
            has_drained |= wait.sign.is_drained();
            has_window_full |= is_window_full(wait.sign);
            self.add_wait(wait, round.smss);
        }
        let count = |rounds: &mut u32, is_so| *rounds = rounds.saturating_add(u32::from(is_so));
        count(&mut self.drained_rounds, has_drained);
        count(&mut self.bunched_rounds, is_bunched(&round.waits));
        count(&mut self.window_full_rounds, has_window_full);
        let is_met = |spare: Bytes| spare.0 < round.smss.0.saturating_mul(SEGMENTS_BLURRED);
        count(&mut self.window_met_rounds, round.spare_window_min.is_some_and(is_met));
        count(&mut self.batch_rounds, has_batch);
        count(&mut self.nagle_rounds, has_held_back);
        count(&mut self.held_back_rounds, has_batch && has_held_back);
    }

    fn add_wait(&mut self, wait: &Wait, smss: Bytes) {
        let sign = wait.sign;
        if let Some(tally) = self.tally_of(sign) {
            tally.add(wait);
        }
        if sign.ended_by == EndedBy::Ack && sign.queue == QueueSign::Held {
            self.clocked_held = self.clocked_held.saturating_add(wait.count);
        }
        let is_prompted = sign.ended_by.is_prompted();
        let is_unprompted = sign.ended_by == EndedBy::Nothing;
        if sign.is_drained() {
            self.drained.add(wait);
            self.answers.add(wait);
        }
        if sign.pacing == PacingSign::Queued {
            self.queued = self.queued.saturating_add(wait.count);
        }
        if sign.is_pacing_step() {
            self.pacing_steps.add(wait);
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
        self.add_batch(wait, smss);
    }

    fn add_batch(&mut self, wait: &Wait, smss: Bytes) {
        let sign = wait.sign;
        match sign.batch {
            BatchSign::No => return,
            _ if is_window_full(sign) => return,
            BatchSign::PutOff => self.put_off.add(wait),
            BatchSign::Third => self.thirds.add(wait),
        }
        if sign.is_prompted_batch() && sign.recovery == Recovery::Open {
            self.wake_ups.add(wait, smss);
        }
    }

    fn tally_of(&mut self, sign: Sign) -> Option<&mut Tally> {
        if is_window_full(sign) {
            return Some(&mut self.window_full);
        }
        if sign.is_prompted_batch() || is_unprompted_batch(sign) {
            return None;
        }
        match (sign.ended_by, sign.batch, sign.queue) {
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
}

/// Where no clock tells when the sender sent, what was in flight may have been two segments more: Linux sends
/// that much at once (`tcp_min_tso_segs`). Less than this is left of a window that may have been full. (Of
/// 846 captures 2 takes one, whose window is full all the time, .09 farther from that, 4 brings it .002
/// closer.)
const SEGMENTS_BLURRED: u64 = 3;

/// Whether one of eight or more waits takes a third of their time or more. (Of 2482 directions of the open
/// corpus, of `tests/held-out` and of captures of others, one of four changes a limit, one of sixteen, a half
/// and a fifth change none.)
fn is_bunched(waits: &[Wait]) -> bool {
    let count = waits.iter().fold(0_u32, |sum, wait| sum.saturating_add(wait.count));
    if count < 8 {
        return false;
    }
    let add = |sum: Duration, wait: &Wait| sum.saturating_add(wait.duration());
    let time = waits.iter().fold(Duration::ZERO, add);
    waits.iter().any(|wait| wait.longest.saturating_mul(3) >= time)
}

/// Whether the means of `such` waits in all rounds but one in eight are within a tenth of the median one.
fn are_even(rounds: &VecDeque<Round>, such: fn(Sign) -> bool, blur: Duration) -> bool {
    let mut means: Vec<Duration> =
        rounds.iter().filter_map(|round| mean_wait(round, such)).collect();
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

/// `None` without any.
fn mean_wait(round: &Round, such: fn(Sign) -> bool) -> Option<Duration> {
    let mut tally = Tally::default();
    for wait in round.waits.iter().filter(|wait| such(wait.sign)) {
        tally.add(wait);
    }
    tally.time.checked_div(tally.count)
}

/// As the unprompted of [`Context::thirds`] are counted.
fn is_unprompted_batch(sign: Sign) -> bool {
    sign.ended_by == EndedBy::Nothing
        && sign.batch == BatchSign::Third
        && !sign.is_pacing_step()
        && !is_window_full(sign)
}

/// As [`Context::unprompted_pushed`] counts them.
fn is_unprompted_pushed(sign: Sign) -> bool {
    sign.ended_by.is_perhaps_unprompted()
        && sign.queue == QueueSign::Pushed
        && sign.batch != BatchSign::Third
        && !is_window_full(sign)
}

fn is_window_full(sign: Sign) -> bool {
    matches!(sign.window, WindowSign::Zero | WindowSign::Full)
}

fn growth(before: Bytes, now: Bytes) -> f64 {
    now.as_f64() / as_f64(before.0.max(1))
}

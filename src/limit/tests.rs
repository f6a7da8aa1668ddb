//! One wait, one ruling: the causes that are easily taken for each other.

use std::collections::BTreeMap;

use super::*;
use crate::round::{BatchSign, EndedBy, NextSign, PacingSign, QueueSign, Sign, WindowSign};
use crate::sender::{Recovery, RetransmitCause};
use crate::units::{Bytes, Duration, FrameNumber, Timestamp};

const MSS: Bytes = Bytes(1000);

/// An ACK answered at once, with the window open and more data queued for all one can tell.
pub(super) const CLOCKED: Sign = Sign {
    ended_by: EndedBy::Ack,
    queue: QueueSign::Pushed,
    window: WindowSign::Open,
    batch: BatchSign::No,
    next: NextSign::Whole,
    is_emptied: false,
    pacing: PacingSign::Unknown,
    recovery: Recovery::Open,
    has_gap: false,
};

fn wait(sign: Sign) -> Wait {
    let ms = Duration::from_millis(10);
    Wait {
        start: Timestamp(0),
        end: Timestamp(0).after(ms),
        first_frame: FrameNumber::new(1),
        last_frame: FrameNumber::new(2),
        sign,
        count: 1,
        longest: ms,
        shortest: ms,
        flight_before: Bytes(30_000),
        snd_wnd: Some(Bytes(60_000)),
        unanswered: Bytes(0),
        silent: Duration::ZERO,
        acks: 1,
        acks_with_payload: 0,
        prompted_after: Duration::from_micros(300),
        held: Duration::ZERO,
        held_assumed: Duration::ZERO,
        full: Duration::ZERO,
    }
}

pub(super) fn round(signs: &[Sign]) -> Round {
    Round {
        waits: signs.iter().map(|&sign| wait(sign)).collect(),
        smss: MSS,
        srtt: None,
        min_rtt: None,
        flight_peak: Bytes(30_000),
        pipe_peak: Bytes(30_000),
        spare_window_min: Some(Bytes(30_000)),
        send_max: MSS,
        short_sends: 0,
        write_ends_inside: 0,
        first_segments: 0,
        sender_tick: None,
        is_remote: false,
        has_loss: false,
    }
}

impl Judge {
    /// Takes a round whose waits are placed one behind the other, after those before it.
    pub(super) fn on_next_round(&mut self, mut round: Round) {
        let last = self.rounds.back().and_then(|before| before.waits.last());
        let mut end = last.map_or(Timestamp(0), |wait| wait.end);
        for wait in &mut round.waits {
            (wait.start, wait.end) = (end, end.after(wait.duration()));
            end = wait.end;
        }
        self.on_round(round);
    }
}

/// What limited most of the time in `count` rounds of these waits.
fn main_limit(signs: &[Sign], count: usize) -> (Limit, Option<Cause>) {
    let mut judge = Judge::default();
    for _ in 0..count {
        judge.on_next_round(round(signs));
    }
    let time = judge.finish().time;
    let ((limit, cause, _), _) = time.iter().max_by_key(|(_, time)| **time).unwrap();
    (*limit, *cause)
}

#[test]
fn each_ack_answered_at_once_is_the_congestion_window() {
    let (limit, _) = main_limit(&[CLOCKED], 20);
    assert_eq!(limit, Limit::CongestionWindow);
}

#[test]
fn a_full_window_is_the_receiver_s() {
    let full = Sign { window: WindowSign::Full, ..CLOCKED };
    assert_eq!(main_limit(&[full], 20), (Limit::ReceiveWindow, Some(Cause::WindowFull)));
}

/// Linux sends two segments at a time at least, so that one may never be used.
#[test]
fn a_window_that_stays_open_by_one_segment_is_full() {
    let near = Sign { window: WindowSign::Near, ..CLOCKED };
    let limit_at = |growth: u64| {
        let mut judge = Judge::default();
        for number in 0..20 {
            let mut round = round(&[near]);
            round.flight_peak = Bytes(30_000 + growth * number);
            for wait in &mut round.waits {
                wait.snd_wnd = Some(Bytes(wait.flight_before.0 + 1500));
            }
            judge.on_next_round(round);
        }
        let time = judge.finish().time;
        let ((limit, ..), _) = time.iter().max_by_key(|(_, time)| **time).unwrap();
        *limit
    };
    assert_eq!(limit_at(0), Limit::ReceiveWindow);
    assert_eq!(limit_at(500), Limit::CongestionWindow, "it grows: it is not the window yet");
}

#[test]
fn a_window_below_one_segment_is_a_zero_window() {
    let zero = Sign { window: WindowSign::Zero, ended_by: EndedBy::WindowProbe, ..CLOCKED };
    assert_eq!(main_limit(&[zero], 20), (Limit::ReceiveWindow, Some(Cause::ZeroWindow)));
}

/// ACKs for a third of the flight go unanswered; then one wakes the writer up.
#[test]
fn prompted_batches_are_the_send_buffer() {
    let batch = Sign { batch: BatchSign::Third, ended_by: EndedBy::LateAck, ..CLOCKED };
    assert_eq!(main_limit(&[batch], 20), (Limit::SendBuffer, Some(Cause::WriterBlocked)));
}

/// 10 kB of 30 kB are acknowledged before the ACK that wakes the writer.
#[test]
fn a_woken_writer_s_flight_is_what_was_left_before_its_ack() {
    let batch = Sign { batch: BatchSign::Third, ended_by: EndedBy::LateAck, ..CLOCKED };
    let woken = |signs: &[Sign]| {
        let mut judge = Judge::default();
        for _ in 0..20 {
            let mut round = round(signs);
            for wait in &mut round.waits {
                (wait.count, wait.unanswered) = (2, Bytes(20_000));
            }
            judge.on_next_round(round);
        }
        judge.finish().measures.values().find_map(Measures::woken_mean)
    };
    assert_eq!(woken(&[batch]), Some(20_000.0));
    assert_eq!(woken(&[CLOCKED]), None);
}

/// Nagle's algorithm holds back the ends of a writer's pieces: it had given all it had.
#[test]
fn batches_with_ends_held_back_are_the_application() {
    let batch = Sign { batch: BatchSign::Third, ended_by: EndedBy::LateAck, ..CLOCKED };
    let end = Sign { queue: QueueSign::Held, next: NextSign::Short, ..CLOCKED };
    assert_eq!(main_limit(&[batch, batch, end], 20).0, Limit::Application);
}

/// All that was written had gone out before the loss; with more queued, the window is what waits.
#[test]
fn repairs_with_nothing_queued_are_the_application() {
    let repair = Sign {
        ended_by: EndedBy::Retransmission(RetransmitCause::Fast),
        recovery: Recovery::Fast,
        ..CLOCKED
    };
    let dry = Sign { queue: QueueSign::Dry, ..repair };
    assert_eq!(main_limit(&[dry], 20).0, Limit::Application);
    assert_eq!(main_limit(&[repair], 20), (Limit::CongestionWindow, Some(Cause::Recovery)));
    let batch = Sign { batch: BatchSign::Third, ended_by: EndedBy::LateAck, ..CLOCKED };
    let (limit, _) = main_limit(&[dry, dry, batch], 20);
    assert_eq!(limit, Limit::CongestionWindow, "the writer is blocked");
}

/// One batch in four rounds, each ended by an ACK, of which there are `acks` in 10 ms.
fn rare_batches(acks: u32) -> BTreeMap<(Limit, Option<Cause>, Option<Limit>), Duration> {
    let batch = Sign { batch: BatchSign::Third, ended_by: EndedBy::LateAck, ..CLOCKED };
    let mut judge = Judge::default();
    for index in 0..40 {
        let mut round = round(&[if index % 4 == 0 { batch } else { CLOCKED }]);
        for wait in &mut round.waits {
            wait.acks = acks;
        }
        judge.on_next_round(round);
    }
    judge.finish().time
}

/// A write larger than the congestion window takes several rounds to leave.
#[test]
fn rare_batches_are_the_send_buffer_where_acks_are_rare_too() {
    let blocked = (Limit::SendBuffer, Some(Cause::WriterBlocked), None);
    assert!(rare_batches(2).contains_key(&blocked));
    assert!(!rare_batches(25).contains_key(&blocked), "an ACK is near whenever a batch begins");
}

/// The same batches, but no ACK is there when they start.
#[test]
fn unprompted_batches_are_the_application() {
    let batch = Sign {
        batch: BatchSign::Third,
        ended_by: EndedBy::Nothing,
        queue: QueueSign::Dry,
        ..CLOCKED
    };
    assert_eq!(main_limit(&[batch], 20), (Limit::Application, Some(Cause::Trickle)));
}

#[test]
fn full_segments_without_a_prompt_are_pacing() {
    let paced = Sign { ended_by: EndedBy::Nothing, ..CLOCKED };
    assert_eq!(main_limit(&[paced], 20), (Limit::CongestionWindow, Some(Cause::Pacing)));
}

/// Each batch is one write, at an even pace: a timer that keeps step with the ACKs, if it may do so by
/// chance.
#[test]
fn even_writes_that_meet_each_ack_within_microseconds_are_woken_by_it() {
    let batch = Sign { batch: BatchSign::Third, queue: QueueSign::Dry, ..CLOCKED };
    let limit_after = |micros: u64| {
        let mut judge = Judge::default();
        for _ in 0..20 {
            let mut round = round(&[batch]);
            for wait in &mut round.waits {
                wait.prompted_after = Duration::from_micros(micros);
            }
            judge.on_next_round(round);
        }
        let time = judge.finish().time;
        let ((limit, ..), _) = time.iter().max_by_key(|(_, time)| **time).unwrap();
        *limit
    };
    assert_eq!(limit_after(500), Limit::Application, "one in twenty");
    assert_eq!(limit_after(200), Limit::SendBuffer, "one in fifty");
    assert_eq!(limit_after(30), Limit::SendBuffer, "one in three hundred");
}

/// Among waits that the pacing timer ended, a write's last segment goes alone, and then an ACK makes
/// room: the headline is the buffer's, whatever time the pacing took.
#[test]
fn a_paced_sender_that_pauses_for_room_is_the_send_buffer() {
    let paced = Sign { ended_by: EndedBy::Nothing, pacing: PacingSign::Step, ..CLOCKED };
    let pause = Sign { queue: QueueSign::Written, ..CLOCKED };
    let mut judge = Judge::default();
    for _ in 0..20 {
        let mut round = round(&[paced, pause]);
        for wait in round.waits.iter_mut().filter(|wait| wait.sign == pause) {
            wait.longest = wait.longest.saturating_mul(2);
        }
        judge.on_next_round(round);
    }
    let Ledger { time, hidden, .. } = judge.finish();
    assert!(time.contains_key(&(Limit::CongestionWindow, Some(Cause::Pacing), None)), "{time:?}");
    assert!(hidden.contains_key(&(Limit::SendBuffer, None)), "{hidden:?}");
    assert!(time.contains_key(&(Limit::SendBuffer, Some(Cause::PacedAtBuffer), None)), "{time:?}");
}

/// A paced sender measures the rate that the window lets through.
#[test]
fn pacing_between_full_windows_is_held_for_the_receive_window() {
    let paced = Sign { ended_by: EndedBy::Nothing, pacing: PacingSign::Step, ..CLOCKED };
    let full = Sign { window: WindowSign::Full, ..CLOCKED };
    let mut judge = Judge::default();
    for _ in 0..20 {
        judge.on_next_round(round(&[paced, full]));
    }
    let ledger = judge.finish();
    assert!(ledger.time.contains_key(&(Limit::CongestionWindow, Some(Cause::Pacing), None)));
    assert!(ledger.hidden.contains_key(&(Limit::ReceiveWindow, None)));
    // It fills again and again, but in one round of four only.
    let mut judge = Judge::default();
    let filled = [paced, full, paced, full, paced, full];
    for number in 0..20 {
        let signs = if number % 4 == 0 { filled.as_slice() } else { &filled[..1] };
        judge.on_next_round(round(signs));
    }
    assert!(judge.finish().hidden.is_empty());
}

/// The timer is asked before the window, so the window holds the sender only from then on.
#[test]
fn the_timer_s_part_of_a_full_window_is_pacing() {
    let full = Sign { window: WindowSign::Full, ..CLOCKED };
    let mut judge = Judge::default();
    for _ in 0..20 {
        let mut round = round(&[full]);
        for wait in &mut round.waits {
            wait.held = Duration::from_millis(4);
        }
        judge.on_next_round(round);
    }
    let ledger = judge.finish();
    let of = |key| ledger.time.get(&key).copied();
    let pacing = of((Limit::CongestionWindow, Some(Cause::Pacing), None));
    assert_eq!(pacing, Some(Duration::from_millis(80)));
    let behind = (Limit::ReceiveWindow, None);
    assert_eq!(ledger.hidden, BTreeMap::from([(behind, Duration::from_millis(80))]));
    let window = of((Limit::ReceiveWindow, Some(Cause::WindowFull), None));
    assert_eq!(window, Some(Duration::from_millis(120)));
}

/// No wait of its own length shows the pace: all of it may have been the window's.
#[test]
fn an_assumed_pace_leaves_the_window_in_question() {
    let full = Sign { window: WindowSign::Full, ..CLOCKED };
    let mut judge = Judge::default();
    for _ in 0..20 {
        let mut round = round(&[full]);
        for wait in &mut round.waits {
            wait.held = Duration::from_millis(4);
            wait.held_assumed = Duration::from_millis(3);
        }
        judge.on_next_round(round);
    }
    let key = (Limit::CongestionWindow, Some(Cause::Pacing), Some(Limit::ReceiveWindow));
    assert!(judge.finish().time.contains_key(&key));
}

/// Once in three round trips a write's last segment went alone, and an ACK long after the timer brought more.
#[test]
fn a_rare_pause_behind_a_last_segment_is_no_window_s() {
    let paced = Sign { ended_by: EndedBy::Nothing, pacing: PacingSign::Step, ..CLOCKED };
    let pause = Sign { queue: QueueSign::Written, pacing: PacingSign::Overlong, ..CLOCKED };
    let mut judge = Judge::default();
    for index in 0..30 {
        let second = if index % 3 == 0 { pause } else { paced };
        judge.on_next_round(round(&[paced, second]));
    }
    let key = (Limit::SendBuffer, Some(Cause::PacedAtBuffer), Some(Limit::CongestionWindow));
    assert!(judge.finish().time.contains_key(&key));
}

/// What a third of the buffer holds does not fit four times into a round trip: so often it is a writer
/// whose ACKs come back at its own pace.
#[test]
fn a_paced_sender_that_pauses_too_often_has_no_full_buffer() {
    let paced = Sign { ended_by: EndedBy::Nothing, pacing: PacingSign::Step, ..CLOCKED };
    let pause = Sign { queue: QueueSign::Written, pacing: PacingSign::Overlong, ..CLOCKED };
    let by_writer = Some(Limit::Application);
    for (pauses, rival) in [(2, Some(None)), (3, Some(by_writer)), (4, None)] {
        let mut judge = Judge::default();
        for _ in 0..20 {
            let mut round = round(&[paced, pause]);
            for wait in round.waits.iter_mut().filter(|wait| wait.sign == pause) {
                wait.count = pauses;
                wait.longest = wait.longest.saturating_mul(2);
            }
            judge.on_next_round(round);
        }
        let time = judge.finish().time;
        let at_buffer = time.keys().find(|(limit, ..)| *limit == Limit::SendBuffer);
        assert_eq!(at_buffer.map(|(.., rival)| *rival), rival, "{pauses} pauses");
    }
}

/// A pacing timer would have let fewer segments go at this pace.
#[test]
fn a_send_too_large_for_its_pace_is_the_application_s() {
    let written = Sign {
        ended_by: EndedBy::Nothing,
        pacing: PacingSign::Oversized,
        batch: BatchSign::No,
        ..CLOCKED
    };
    let dry = Sign { ended_by: EndedBy::Nothing, queue: QueueSign::Dry, ..CLOCKED };
    for queue in [QueueSign::Pushed, QueueSign::Held] {
        let written = Sign { queue, ..written };
        let mut judge = Judge::default();
        for _ in 0..20 {
            judge.on_next_round(round(&[written, written, dry]));
        }
        let time = judge.finish().time;
        assert_eq!(time.len(), 1, "{time:?}");
        assert!(time.contains_key(&(Limit::Application, Some(Cause::Trickle), None)), "{time:?}");
    }
}

/// ACKs come back at the writer's own pace, so that most of its sends follow one closely; but not
/// all do, as they would if the window let them go.
#[test]
fn sends_that_keep_step_with_their_acks_are_the_application_s() {
    let step = Sign { queue: QueueSign::Held, ..CLOCKED };
    let alone = Sign { queue: QueueSign::Held, ended_by: EndedBy::Nothing, ..CLOCKED };
    let mostly = [step, step, step, alone];
    assert_eq!(main_limit(&mostly, 20), (Limit::Application, Some(Cause::Trickle)));
    assert_eq!(main_limit(&[step, step, step, step], 20).0, Limit::CongestionWindow);
}

/// The same queue sign, but a loss is about: duplicate ACKs free nothing, and let data go.
#[test]
fn sends_that_duplicate_acks_let_go_are_the_network_s() {
    let step = Sign { queue: QueueSign::Held, ..CLOCKED };
    let by_dup_ack = Sign { queue: QueueSign::Held, ended_by: EndedBy::Nothing, ..CLOCKED };
    let mut judge = Judge::default();
    for _ in 0..20 {
        judge.on_next_round(Round { has_loss: true, ..round(&[step, step, step, by_dup_ack]) });
    }
    let time = judge.finish().time;
    let ack_clocked = time.iter().filter(|((limit, ..), _)| *limit == Limit::CongestionWindow);
    assert!(ack_clocked.map(|(_, time)| *time).sum::<Duration>() >= Duration::from_millis(600));
}

/// The other side keeps its half open for longer than a round trip.
#[test]
fn a_half_closed_connection_has_nothing_to_send() {
    let closed = Sign { queue: QueueSign::Closed, ended_by: EndedBy::End, ..CLOCKED };
    let mut judge = Judge::default();
    judge.on_next_round(Round { srtt: Some(Duration::from_millis(4)), ..round(&[closed]) });
    let time = judge.finish().time;
    assert!(time.contains_key(&(Limit::Application, Some(Cause::Idle), None)), "{time:?}");
}

#[test]
fn short_segments_without_a_prompt_are_the_application() {
    let trickle = Sign { ended_by: EndedBy::Nothing, queue: QueueSign::Dry, ..CLOCKED };
    assert_eq!(main_limit(&[trickle], 20), (Limit::Application, Some(Cause::Trickle)));
}

/// The other side's data came just before; but the queue had run dry, so nothing waited for its ACK.
#[test]
fn short_segments_after_the_other_side_s_data_are_the_application() {
    let answer = Sign { ended_by: EndedBy::Payload, queue: QueueSign::Dry, ..CLOCKED };
    assert_eq!(main_limit(&[answer], 20), (Limit::Application, Some(Cause::Trickle)));
}

/// With the FIN out, all is sent that will be.
#[test]
fn repairs_behind_the_fin_are_the_application() {
    let repair = Sign {
        ended_by: EndedBy::Retransmission(RetransmitCause::Timeout),
        recovery: Recovery::Timeout,
        queue: QueueSign::Closing,
        ..CLOCKED
    };
    assert_eq!(main_limit(&[repair], 20), (Limit::Application, Some(Cause::Idle)));
}

#[test]
fn a_remainder_that_waits_for_an_ack_is_nagle() {
    let held = Sign { queue: QueueSign::Held, next: NextSign::Short, ..CLOCKED };
    let released = Sign { next: NextSign::Released, ..held };
    assert_eq!(main_limit(&[released], 20), (Limit::Application, Some(Cause::Nagle)));
}

/// The last octets of a bulk transfer: nothing short was on its way that Nagle's algorithm would wait for.
#[test]
fn a_remainder_behind_whole_segments_waits_for_the_window() {
    let mut judge = Judge::default();
    for _ in 0..10 {
        judge.on_next_round(round(&[CLOCKED]));
    }
    let held = Sign { queue: QueueSign::Held, next: NextSign::Short, ..CLOCKED };
    judge.on_next_round(round(&[held]));
    let time = judge.finish().time;
    assert!(time.keys().all(|(limit, ..)| *limit == Limit::CongestionWindow), "{time:?}");
}

/// The timer of a loss probe takes new data along only if some was queued and could not go before.
#[test]
fn new_data_that_a_loss_probe_takes_along_waited_for_the_window() {
    let probe = Sign { ended_by: EndedBy::NewProbe, ..CLOCKED };
    assert_eq!(main_limit(&[probe], 20), (Limit::CongestionWindow, Some(Cause::Recovery)));
    let written = Sign { queue: QueueSign::Dry, ..probe };
    assert_eq!(main_limit(&[written], 20).0, Limit::Application, "nothing had been queued");
}

/// The wait for the application's FIN, however much was acknowledged in it.
#[test]
fn the_wait_for_the_fin_is_the_application() {
    let fin = Sign { ended_by: EndedBy::Fin, batch: BatchSign::Third, is_emptied: true, ..CLOCKED };
    assert_eq!(main_limit(&[fin], 1), (Limit::Application, Some(Cause::Idle)));
}

#[test]
fn recovery_is_the_network_even_where_nothing_prompts() {
    let repair = Sign { ended_by: EndedBy::Nothing, recovery: Recovery::Fast, ..CLOCKED };
    assert_eq!(main_limit(&[repair], 2), (Limit::CongestionWindow, Some(Cause::Recovery)));
}

#[test]
fn what_the_capture_missed_is_a_gap() {
    let gap = Sign { has_gap: true, ..CLOCKED };
    assert_eq!(main_limit(&[gap], 20), (Limit::CaptureGap, None));
}

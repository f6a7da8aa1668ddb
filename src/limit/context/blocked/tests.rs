//! Rounds around a wait, made by hand.

use crate::limit::tests::{CLOCKED, round};
use crate::limit::{Judge, Limit};
use crate::round::{BatchSign, EndedBy, NextSign, PacingSign, QueueSign, Round, Sign};
use crate::units::Bytes;

const PACED: Sign = Sign { ended_by: EndedBy::Nothing, pacing: PacingSign::Step, ..CLOCKED };
const WOKEN: Sign =
    Sign { batch: BatchSign::Third, queue: QueueSign::Written, ended_by: EndedBy::Ack, ..CLOCKED };

fn has_send_buffer(rounds: impl IntoIterator<Item = Round>) -> bool {
    let mut judge = Judge::default();
    rounds.into_iter().for_each(|round| judge.on_next_round(round));
    judge.finish().time.keys().any(|(limit, ..)| *limit == Limit::SendBuffer)
}

/// Of a slow writer's sends some ACKs stay unanswered each time, and no ACK ends that.
#[test]
fn a_blocked_writer_shows_behind_a_slow_one() {
    let written = Sign { ended_by: EndedBy::Nothing, batch: BatchSign::PutOff, ..CLOCKED };
    let slow = || (0..9).map(|_| round(&[written; 4]));
    assert!(!has_send_buffer(slow()));
    assert!(has_send_buffer(slow().chain((0..6).map(|_| round(&[PACED, PACED, WOKEN])))));
    // BBR makes its pipe run empty once in so many rounds.
    let probed = [round(&[PACED, WOKEN])].into_iter();
    assert!(!has_send_buffer(slow().chain(probed).chain((0..9).map(|_| round(&[PACED; 3])))));
}

/// A paced sender's batches are smaller, be it that its writer is blocked or that its writes come when ACKs
/// do; whose ends Nagle's algorithm holds back is not blocked.
#[test]
fn small_batches_with_ends_held_back_are_the_application() {
    let batch = Sign { batch: BatchSign::PutOff, ..WOKEN };
    let end = Sign { queue: QueueSign::Held, next: NextSign::Short, ..CLOCKED };
    assert!(has_send_buffer((0..20).map(|_| round(&[PACED, PACED, batch]))));
    assert!(!has_send_buffer((0..20).map(|_| round(&[PACED, PACED, batch, end]))));
}

/// Without a pacing timer in sight too, where what is left tells it, and no timer of the writer's may.
#[test]
fn smaller_batches_are_a_blocked_writer_at_one_level() {
    let batch = Sign { batch: BatchSign::PutOff, ..WOKEN };
    let is_blocked = |queue, unanswered: fn(u64) -> u64| {
        has_send_buffer((0..20).map(|nth| {
            let mut round = round(&[CLOCKED, Sign { queue, ..batch }]);
            let wait = &mut round.waits[1];
            wait.flight_before = Bytes(50_000 + nth * 1000);
            wait.unanswered = Bytes(unanswered(nth * 1000));
            round.short_sends = u32::from(queue == QueueSign::Dry);
            round
        }))
    };
    assert!(is_blocked(QueueSign::Written, |grown| 10_000 + grown));
    assert!(!is_blocked(QueueSign::Written, |_| 6_000), "it grows by more than an ACK frees");
}

/// Whatever the congestion window had let out, as much of it is left when the writer is woken; who puts his
/// answer off for a while leaves as much unanswered, or what chance has it.
#[test]
fn a_writer_blocked_in_turn_is_woken_at_one_level() {
    let batch = Sign { batch: BatchSign::PutOff, ended_by: EndedBy::LateAck, ..CLOCKED };
    let alone = Sign { ended_by: EndedBy::Nothing, ..batch };
    let is_blocked = |signs: &[Sign], left: fn(u64) -> u64| {
        let flights = [21_000, 23_000, 29_000, 25_000, 27_000].iter().cycle().take(20);
        has_send_buffer(flights.map(|&flight| {
            let mut round = round(signs);
            for wait in &mut round.waits {
                wait.flight_before = Bytes(flight);
                wait.unanswered = Bytes(flight - left(flight));
            }
            round
        }))
    };
    let signs = [CLOCKED, CLOCKED, batch];
    assert!(is_blocked(&signs, |_| 19_000));
    assert!(is_blocked(&signs, |flight| 19_000 + flight % 3_000), "some segments more or less");
    assert!(!is_blocked(&[CLOCKED, batch, alone], |_| 19_000), "no ACK ends half of them");
    assert!(!is_blocked(&signs, |flight| flight - 4_000));
    let any = |flight| match flight {
        21_000 => 14_000,
        23_000 => 20_000,
        25_000 => 22_000,
        27_000 => 15_000,
        _ => 12_000,
    };
    assert!(!is_blocked(&signs, any));
}

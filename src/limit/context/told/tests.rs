//! Rounds around a wait, made by hand.

use crate::limit::tests::{CLOCKED, round};
use crate::limit::{Judge, Limit};
use crate::round::{EndedBy, QueueSign, Round, Sign};
use crate::units::Duration;

/// For a round trip each ACK is answered with what it freed, and what goes before it ends in no short
/// segment.
#[test]
fn a_writer_that_the_path_holds_up_for_a_round_trip_waits_for_the_window() {
    let written = Sign { ended_by: EndedBy::Nothing, queue: QueueSign::Dry, ..CLOCKED };
    let freed = Sign { queue: QueueSign::Held, ..CLOCKED };
    let cwnd_time = |held_up: &[Sign]| {
        let mut judge = Judge::default();
        let slow = || (0..9).map(|_| round(&[written, freed]));
        let rounds = slow().chain([round(held_up)]).chain(slow());
        rounds.for_each(|round| judge.on_next_round(round));
        let time = judge.finish().time;
        let of_cwnd = time.iter().filter(|((limit, ..), _)| *limit == Limit::CongestionWindow);
        of_cwnd.map(|(_, time)| *time).sum::<Duration>()
    };
    assert_eq!(cwnd_time(&[freed; 6]), Duration::from_millis(60));
    assert_eq!(cwnd_time(&[freed, freed, freed, freed, freed, written]), Duration::ZERO);
}

/// What of a round's waits ended by an ACK came after a segment below SMSS is the application's, unless
/// as many of these stood inside bursts, or next to all waits came after full ones, as they do after a path
/// that spreads its bursts, if nothing tells when they left.
#[test]
fn ends_of_writes_do_not_tell_of_a_slow_writer() {
    let freed = Sign { queue: QueueSign::Held, ..CLOCKED };
    let dry = Sign { queue: QueueSign::Dry, ..CLOCKED };
    let main_at = |is_remote: bool, held: usize, inside: u32| {
        let signs = [vec![freed; held], vec![dry]].concat();
        let mut judge = Judge::default();
        for _ in 0..20 {
            let write_ends_inside = inside;
            judge.on_next_round(Round { write_ends_inside, is_remote, ..round(&signs) });
        }
        let time = judge.finish().time;
        time.into_iter().max_by_key(|(_, time)| *time).map(|((limit, ..), _)| limit)
    };
    let main_of = |held, inside| main_at(false, held, inside);
    assert_eq!(main_at(true, 9, 0), Some(Limit::Application));
    assert_eq!(main_of(8, 0), Some(Limit::Application));
    assert_eq!(main_of(9, 0), Some(Limit::CongestionWindow));
    assert_eq!(main_of(1, 1), Some(Limit::CongestionWindow));
    assert_eq!(main_of(0, 1), Some(Limit::CongestionWindow));
    assert_eq!(main_of(0, 0), Some(Limit::Application));
}

/// A large answer goes out in pieces of its own: they take no time beside a round trip.
#[test]
fn brief_waits_without_a_prompt_are_no_writer_s_pace() {
    let step = Sign { queue: QueueSign::Held, ..CLOCKED };
    let alone = Sign { ended_by: EndedBy::Nothing, ..step };
    let main_at = |micros: u64| {
        let mut judge = Judge::default();
        for _ in 0..20 {
            let mut round = round(&[step, step, step, step, alone]);
            for wait in round.waits.iter_mut().filter(|wait| wait.sign == alone) {
                wait.end = wait.start.after(Duration::from_micros(micros));
            }
            judge.on_next_round(round);
        }
        let time = judge.finish().time;
        time.into_iter().max_by_key(|(_, time)| *time).map(|((limit, ..), _)| limit)
    };
    assert_eq!(main_at(10_000), Some(Limit::Application));
    assert_eq!(main_at(1_000), Some(Limit::CongestionWindow));
}

/// Its clock ticks each ms, and an ACK comes each ms or two; its queue runs dry, or it leaves full segments
/// without PSH.
#[test]
fn what_keeps_still_within_a_tick_of_acks_is_a_writer_s() {
    let held = Sign { queue: QueueSign::Held, ..CLOCKED };
    let main_of = |last: Sign, (sign, acks): (Sign, u32), interval_ms: u64, srtt_ms: u64| {
        let mut judge = Judge::default();
        for _ in 0..80 {
            let mut round = round(&[sign, sign, sign, sign, sign, sign, sign, last]);
            for wait in &mut round.waits {
                wait.end = wait.start.after(Duration::from_millis(interval_ms));
                wait.acks = acks;
            }
            let [tick, srtt, min] = [1, srtt_ms, 40].map(|ms| Some(Duration::from_millis(ms)));
            let seen = Round { is_remote: true, sender_tick: tick, srtt, min_rtt: min, ..round };
            judge.on_next_round(seen);
        }
        let time = judge.finish().time;
        time.into_iter().max_by_key(|(_, time)| *time).map(|((limit, ..), _)| limit)
    };
    let window = Some(Limit::CongestionWindow);
    let writer = Some(Limit::Application);
    assert_eq!(main_of(held, (held, 1), 2, 42), writer);
    assert_eq!(main_of(held, (held, 1), 3, 42), window, "the clock tells");
    assert_eq!(main_of(held, (held, 2), 3, 42), writer, "not with twice as many ACKs");
    assert_eq!(main_of(held, (held, 1), 2, 43), window, "it queues");
    assert_eq!(main_of(CLOCKED, (CLOCKED, 1), 2, 42), window, "each with PSH");
    let dry = Sign { queue: QueueSign::Dry, ..CLOCKED };
    assert_eq!(main_of(dry, (CLOCKED, 1), 2, 42), writer, "the ends of writes");
}

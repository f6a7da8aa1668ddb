//! What the sender's echoes prove of acknowledgments on their way to it.

use super::*;

/// The sender is 100 ms away, its answers each 20 ms.
#[test]
fn two_that_answer_one_acknowledgment_had_none_between_them() {
    let mut tap = after_handshake(100, 1);
    let mut next = 1;
    let mut send = |tap: &mut AtSender<Log>, ms: u64, late: u64, echo: u32| {
        tap.on_data(&data(ms + late, next, stamps(u32::try_from(ms).unwrap(), echo)));
        next += 1000;
        *tap.consumer().unprompted.last().unwrap()
    };
    for ms in (0..400).step_by(20) {
        assert!(!send(&mut tap, ms, 0, 900), "the acknowledgment was not seen");
    }
    tap.on_ack(&ack(305, 18_001, stamps(1000, 0)));
    tap.on_ack(&ack(330, 19_001, stamps(1001, 0)));
    tap.on_ack(&ack(330, 20_001, stamps(1001, 0)));
    assert!(!send(&mut tap, 405, 0, 1000), "it let these out");
    assert!(send(&mut tap, 410, 0, 1000));
    assert!(!send(&mut tap, 412, 3, 1000), "held up on the way");
    assert!(!send(&mut tap, 416, 0, 1000), "who knows for how long after those");
    assert!(send(&mut tap, 420, 0, 1000));
    assert!(!send(&mut tap, 430, 0, 1001));
    assert!(!send(&mut tap, 435, 0, 1001), "of the same tick, there was another");
    assert!(send(&mut tap, 440, 0, 1001), "which can have ended one wait alone");
}

/// The sender is 100 ms away, the answers take 20 and more to it beyond that: three of two ticks, and one.
#[test]
fn a_queue_of_the_way_back_is_seen_by_what_is_not_echoed() {
    let mut tap = after_handshake(100, 1);
    let mut next = 1;
    let mut send = |tap: &mut AtSender<Log>, ms: u64, echo: u32| {
        tap.on_data(&data(ms, next, stamps(u32::try_from(ms).unwrap(), echo)));
        next += 1000;
        tap.consumer().acks_ms()
    };
    for ms in (0..400).step_by(20) {
        send(&mut tap, ms, 900);
    }
    for (ms, number, value) in
        [(305, 17_001, 1000), (310, 18_001, 1001), (310, 19_001, 1001), (320, 20_001, 1002)]
    {
        tap.on_ack(&ack(ms, number, stamps(value, 0)));
    }
    assert_eq!(send(&mut tap, 425, 1000), [(17_001, 425)], "the next was due at 410");
    let arrived = send(&mut tap, 430, 1001);
    assert_eq!(arrived.last(), Some(&(18_001, 430)), "1002 was due at 420");
    assert_eq!(send(&mut tap, 430, 1001), arrived, "these left with those before");
    assert_eq!(send(&mut tap, 432, 1001).last(), Some(&(19_001, 432)), "another of its tick");
    let arrived = send(&mut tap, 445, 1002);
    assert_eq!(arrived.last(), Some(&(20_001, 432)), "nothing newer was due");
}

/// A sender 100 ms away that has echoed 1000; then what it does not echo is due for so long, in ms. When the
/// acknowledgment of 1001 arrived.
fn arrival_behind(due_for: u64, rides: bool) -> u64 {
    let mut tap = after_handshake(100, 1);
    let send = |tap: &mut AtSender<Log>, ms: u64, echo: u32| {
        tap.on_data(&data(ms, 1 + ms * 50, stamps(u32::try_from(ms).unwrap(), echo)));
    };
    for ms in (0..400).step_by(20) {
        send(&mut tap, ms, 900);
    }
    tap.on_ack(&Ack { has_payload: rides, ..ack(310, 18_001, stamps(1001, 0)) });
    tap.on_ack(&ack(320, 19_001, stamps(1002, 0)));
    send(&mut tap, 420 + due_for, 1001);
    tap.consumer().acks_ms()[0].1
}

#[test]
fn what_is_not_echoed_for_long_is_no_queue() {
    assert_eq!(arrival_behind(30, false), 450, "held up until then");
    assert_eq!(arrival_behind(1500, false), 410, "a keep-alive, say");
}

/// Until they are acknowledged the echo stands still.
#[test]
fn behind_data_of_the_other_side_no_echo_proves_a_queue() {
    assert_eq!(arrival_behind(30, true), 410);
}

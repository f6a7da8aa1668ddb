//! Hand-made sends and ACKs, cut into waits.

use super::*;
use crate::sender::{Acknowledge, Send, SendKind, SenderEvent, SenderVars};
use crate::units::StreamOffset;

const MSS: Bytes = Bytes(1000);

fn ms(ms: u64) -> Timestamp {
    Timestamp(0).after(Duration::from_millis(ms))
}

/// A full segment in fast recovery.
pub(super) fn send(at: Timestamp, start: u64, kind: SendKind) -> Send {
    let after = SenderVars {
        snd_nxt: StreamOffset(100_000),
        flight_size: Bytes(50_000),
        recovery: Recovery::Fast,
        ..SenderVars::default()
    };
    Send {
        frame: FrameNumber::new(1),
        time: at,
        sender_tick: None,
        departure: crate::flow::Departure::Unknown,
        start: StreamOffset(start),
        len: MSS,
        headers_len: 66,
        segments: 1,
        resent_segments: 0,
        smss: MSS,
        kind,
        is_syn: false,
        is_fin: false,
        is_pushed: false,
        is_loss_probe: false,
        after,
    }
}

/// An ACK that moves SND.UNA.
pub(crate) fn answer(at: Timestamp, from: u64, to: u64) -> Acknowledge {
    let una = StreamOffset(to);
    Acknowledge {
        highest: una,
        after: SenderVars { snd_una: una, ..SenderVars::default() },
        ..Acknowledge::of(Bytes(to.saturating_sub(from)), at)
    }
}

const REPAIR: SendKind = SendKind::Retransmit(RetransmitCause::Fast);

fn waits(sends: impl IntoIterator<Item = Send>, end: Timestamp) -> Vec<Wait> {
    let mut rounds = RoundBuilder::default();
    for send in sends {
        assert!(rounds.on_event(&SenderEvent::Send(send)).is_none(), "nothing is acknowledged");
    }
    rounds.finish(end, FrameNumber::new(2)).unwrap().waits
}

/// What went out before the capture began may have been acknowledged.
#[test]
fn first_segments_are_known_of_a_flow_whose_syn_was_seen() {
    for (is_syn, segments) in [(true, 10), (false, 0)] {
        let mut rounds = RoundBuilder::default();
        let begin = Send { is_syn, len: Bytes(0), ..send(ms(0), 0, SendKind::New) };
        rounds.on_event(&SenderEvent::Send(begin));
        rounds.on_event(&SenderEvent::Acknowledge(Acknowledge {
            after: SenderVars { snd_una: StreamOffset(100_000), ..SenderVars::default() },
            ..answer(ms(10), 0, 1)
        }));
        for start in 0..10 {
            rounds.on_event(&SenderEvent::Send(send(ms(11), 1 + start * 1000, SendKind::New)));
        }
        let round = rounds.finish(ms(20), FrameNumber::new(2)).unwrap();
        assert_eq!(round.first_segments, segments);
    }
}

#[test]
fn nothing_is_queued_behind_the_fin() {
    let last = Send { is_fin: true, ..send(ms(0), 99_000, SendKind::New) };
    let found = waits([last, send(ms(10), 50_000, REPAIR), send(ms(20), 51_000, REPAIR)], ms(30));
    assert!(found.iter().all(|wait| wait.sign.queue == QueueSign::Closing), "{found:?}");
    let last = send(ms(0), 99_000, SendKind::New);
    let found = waits([last, send(ms(10), 50_000, REPAIR)], ms(30));
    assert!(found.iter().all(|wait| wait.sign.queue == QueueSign::Held), "{found:?}");
}

/// It opens again with the ACK that leaves a segment's room.
#[test]
fn how_long_the_window_was_full_is_known() {
    let room = |room: u64, vars: SenderVars| SenderVars { spare_window: Some(Bytes(room)), ..vars };
    for (rooms, full_ms) in [([999, 999, 1000], 20), ([0, 5000, 0], 10), ([0, 0, 0], 30)] {
        let mut rounds = RoundBuilder::default();
        let first = send(ms(0), 99_000, SendKind::New);
        rounds.on_event(&SenderEvent::Send(Send { after: room(999, first.after), ..first }));
        for (at, spare) in [0, 10, 20].into_iter().zip(rooms) {
            let ack = answer(ms(at), 50_000, 50_500);
            let after = room(spare, ack.after);
            rounds.on_event(&SenderEvent::Acknowledge(Acknowledge { after, ..ack }));
        }
        rounds.on_event(&SenderEvent::Send(send(ms(30), 100_000, SendKind::New)));
        let waits = rounds.finish(ms(40), FrameNumber::new(2)).unwrap().waits;
        let full: Vec<Duration> = waits.iter().map(|wait| wait.full).collect();
        assert_eq!(full, [Duration::from_millis(full_ms), Duration::ZERO], "{rooms:?}");
    }
}

/// RFC 8985 section 7.3: a loss probe takes new data along, if there is any and the window has room.
#[test]
fn nothing_is_queued_where_a_loss_probe_repeats_the_last_segment() {
    let queues = |room: u64| {
        let sent = |at, kind| {
            let send = send(at, 99_000, kind);
            let after = SenderVars {
                recovery: Recovery::Open,
                spare_window: Some(Bytes(room)),
                ..send.after
            };
            Send { is_pushed: true, len: MSS, after, ..send }
        };
        let probe = SendKind::Retransmit(RetransmitCause::LossProbe);
        let timeout = SendKind::Retransmit(RetransmitCause::Timeout);
        let sends = [sent(ms(0), SendKind::New), sent(ms(200), probe), sent(ms(600), timeout)];
        waits(sends, ms(700)).iter().map(|wait| wait.sign.queue).collect::<Vec<_>>()
    };
    assert_eq!(queues(1000), [QueueSign::Dry; 3]);
    assert_eq!(queues(999), [QueueSign::Written; 3], "the window may be why");
}

/// RFC 3042: without SACK, each duplicate ACK lets a segment go. A copy that the receiver tells of (D-SACK)
/// does not.
#[test]
fn what_follows_a_duplicate_ack_answers_it() {
    for (dsack, by) in
        [(None, EndedBy::Ack), (Some((StreamOffset(0), StreamOffset(1000))), EndedBy::Nothing)]
    {
        let mut rounds = RoundBuilder::default();
        rounds.on_event(&SenderEvent::Send(send(ms(0), 50_000, SendKind::New)));
        let same = Acknowledge { dsack, ..answer(ms(10), 40_000, 40_000) };
        assert!(same.is_dup_ack);
        rounds.on_event(&SenderEvent::Acknowledge(same));
        rounds.on_event(&SenderEvent::Send(send(ms(10), 51_000, SendKind::New)));
        let waits = rounds.finish(ms(20), FrameNumber::new(2)).unwrap().waits;
        assert_eq!(waits[0].sign.ended_by, by);
    }
}

/// Four writes are out; the ACKs of one and a half are answered with the next. What is queued may be put off
/// for the sake of larger segments, up to a largest send; where nothing is, the writer was blocked.
#[test]
fn what_is_not_queued_is_not_put_off() {
    for (len, batch) in [(4000, BatchSign::No), (3500, BatchSign::Third)] {
        let us = |us| ms(10).after(Duration::from_micros(us));
        let sent = |at, start| {
            let send = send(at, start, SendKind::New);
            let flight_size = Bytes(14_000);
            let after = SenderVars { flight_size, recovery: Recovery::Open, ..send.after };
            Send { len: Bytes(len), is_pushed: true, after, ..send }
        };
        let mut rounds = RoundBuilder::default();
        rounds.on_event(&SenderEvent::Send(sent(ms(0), 96_500)));
        for (at, from, to) in [(0, 82_500, 84_500), (30, 84_500, 86_000), (150, 86_000, 88_000)] {
            let ack = answer(us(at), from, to);
            let after = SenderVars { flight_size: Bytes(10_000), ..ack.after };
            rounds.on_event(&SenderEvent::Acknowledge(Acknowledge { after, ..ack }));
        }
        rounds.on_event(&SenderEvent::Send(sent(us(170), 100_000)));
        let waits = rounds.finish(ms(20), FrameNumber::new(2)).unwrap().waits;
        assert_eq!(waits[0].sign.batch, batch, "{waits:?}");
    }
}

/// With more behind it in the same burst a short segment is the end of a write, where an ACK prompted both.
#[test]
fn ends_of_writes_show_inside_the_bursts_that_acks_prompt() {
    for (acked, slack_ms, after_us, inside) in
        [(true, 0, 4, 1), (true, 0, 0, 0), (false, 0, 4, 0), (true, 1, 4, 0)]
    {
        let mut rounds = RoundBuilder::default();
        let us = |us| ms(10).after(Duration::from_micros(us));
        rounds.on_event(&SenderEvent::Send(send(ms(0), 50_000, SendKind::New)));
        if acked {
            let slack = Duration::from_millis(slack_ms);
            let ack = Acknowledge { slack, ..answer(us(0), 40_000, 42_000) };
            rounds.on_event(&SenderEvent::Acknowledge(ack));
        }
        let short = Send { len: Bytes(100), ..send(us(20), 51_000, SendKind::New) };
        rounds.on_event(&SenderEvent::Send(short));
        rounds.on_event(&SenderEvent::Send(send(us(20 + after_us), 51_100, SendKind::New)));
        let round = rounds.finish(ms(20), FrameNumber::new(2)).unwrap();
        assert_eq!(round.write_ends_inside, inside, "{acked} {slack_ms} {after_us}");
    }
}

/// A long wait in a round of many short ones of another kind keeps its sign.
#[test]
fn in_a_round_of_many_waits_the_longest_stay_apart() {
    let mut at = ms(0);
    let mut sends = Vec::new();
    for number in 0..600_u64 {
        let pause = if number == 400 { 90 } else { 1 };
        at = at.after(Duration::from_millis(pause));
        let start = number.saturating_mul(1000);
        sends.push(Send { is_pushed: number % 2 == 0, ..send(at, start, REPAIR) });
    }
    let found = waits(sends, at);
    assert!(found.len() <= Round::WAITS_MAX);
    assert_eq!(found.iter().map(|wait| wait.count).sum::<u32>(), 600);
    let time: Duration = found.iter().map(Wait::duration).sum();
    assert_eq!(time, at.since(ms(1)), "without holes");
    let longest = found.iter().max_by_key(|wait| wait.longest).unwrap();
    assert_eq!(longest.sign.queue, QueueSign::Held, "after the send of number 399");
    assert!(longest.duration() < Duration::from_millis(120), "it stands for few others");
}

/// Each ACK frees a segment, which is sent up to 2 ms later: that has been learned by then. A writer by the
/// clock sends as late.
#[test]
fn what_a_host_that_lags_sends_answers_its_acks() {
    for (lags_us, by) in [
        (&[300, 1700, 900, 1200, 2000, 600], EndedBy::Ack),
        (&[1500, 1600, 1700, 1800, 1900, 2000], EndedBy::Nothing),
    ] {
        let mut rounds = RoundBuilder::default();
        let us = |us| Timestamp(0).after(Duration::from_micros(us));
        rounds.on_event(&SenderEvent::Send(send(us(0), 50_000, SendKind::New)));
        for (number, lag_us) in (1..=90_u64).zip(lags_us.iter().cycle()) {
            // Those of the writer's data are drifting along its ticks.
            let acked = match by {
                EndedBy::Ack => number * 5000,
                _ => number * 5000 - lag_us,
            };
            let (from, to) = (number * 1000, number * 1000 + 1000);
            rounds.on_event(&SenderEvent::Acknowledge(answer(us(acked), from, to)));
            let mut sent = send(us(acked + lag_us), 50_000 + from, SendKind::New);
            sent.after.min_rtt = Some(Duration::from_millis(100));
            rounds.on_event(&SenderEvent::Send(sent));
        }
        let waits = rounds.finish(ms(600), FrameNumber::new(2)).unwrap().waits;
        let last = waits[waits.len() - 2];
        assert_eq!((last.sign.ended_by, last.count > 20), (by, true), "{waits:?}");
    }
}

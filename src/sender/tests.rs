//! The sender's bookkeeping on hand-made data and acknowledgments.

mod loss_probes;
mod scoreboard;
mod unprompted;

use super::*;
use crate::flow::{Ack, Data, Handshake};
use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp};
use crate::wire::TcpTimestamps;

fn data(ms: u64, start: u64, stamp: u32) -> Data {
    Data {
        frame: FrameNumber::new(ms),
        time: Timestamp(ms.saturating_mul(1_000_000)),
        start: StreamOffset(start),
        len: Bytes(1000),
        is_syn: false,
        is_fin: false,
        is_pushed: false,
        ip_id: None,
        timestamps: Some(TcpTimestamps { value: stamp, echo: 0 }),
        headers_len: 66,
        sender_tick: None,
        departure: crate::flow::Departure::Unknown,
    }
}

fn ack(ms: u64, ack: u64, echo: u32) -> Ack {
    Ack {
        frame: FrameNumber::new(ms),
        time: Timestamp(ms.saturating_mul(1_000_000)),
        ack: StreamOffset(ack),
        window: Some(Bytes(60_000)),
        window_unscaled: 60_000,
        sack: crate::flow::SackRanges::default(),
        timestamps: Some(TcpTimestamps { value: 1, echo }),
        has_payload: false,
        is_syn: false,
        is_fin: false,
        slack: Duration::ZERO,
        has_ece: false,
        repeats: 0,
    }
}

/// One segment, sent again; the ACK echoes the first copy or the second.
fn spurious(echo: u32) -> u64 {
    let mut sender = Sender::default();
    sender.on_data(&data(0, 1, 10), &mut |_| ());
    sender.on_data(&data(300, 1, 310), &mut |_| ());
    sender.on_ack(&ack(320, 1001, echo), &mut |_| ());
    let totals = sender.into_totals();
    assert_eq!(totals.retransmitted_segments, 1);
    totals.spurious_segments
}

#[test]
fn an_echo_from_before_the_retransmission_makes_it_spurious() {
    assert_eq!(spurious(10), 1);
    assert_eq!(spurious(310), 0);
}

/// Karn's rule (RFC 6298 section 3) is for an octet that probes a closed window, too: 20 ms on the way, and
/// four seconds until there was room for it.
#[test]
fn an_octet_that_probed_again_gives_no_sample() {
    let mut sender = Sender::default();
    let probe = |ms: u16| {
        let data = data(u64::from(ms), 1001, 0);
        Data { len: Bytes(1), ip_id: Some(ms), timestamps: None, ..data }
    };
    let closed = |ms| Ack { window: Some(Bytes(0)), timestamps: None, ..ack(ms, 1001, 0) };
    sender.on_data(&data(0, 1, 10), &mut |_| ());
    sender.on_ack(&closed(20), &mut |_| ());
    for ms in [300, 900] {
        sender.on_data(&probe(ms), &mut |_| ());
        sender.on_ack(&closed(u64::from(ms) + 20), &mut |_| ());
    }
    sender.on_ack(&Ack { timestamps: None, ..ack(4320, 1002, 0) }, &mut |_| ());
    let totals = sender.into_totals();
    assert_eq!(totals.rtt.segment_end_samples, 1);
    assert_eq!(totals.window_probes, 1);
}

/// Recorded out of order: the second segment before the first.
#[test]
fn no_smoothed_rtt_is_below_the_least() {
    let mut sender = Sender::default();
    for (ms, start) in [(10, 1), (9, 1001)] {
        sender.on_data(&Data { timestamps: None, ..data(ms, start, 0) }, &mut |_| ());
    }
    sender.on_ack(&Ack { timestamps: None, ..ack(30, 2001, 0) }, &mut |event| {
        let SenderEvent::Acknowledge(ack) = event else { return };
        assert_eq!(ack.after.srtt, Some(Duration::from_millis(21)));
        assert_eq!(ack.after.min_rtt, Some(Duration::from_millis(21)));
    });
}

/// A clock of 1 ms ticks four thousand times in a few seconds, and each tick would take 16 octets.
#[test]
fn timestamps_are_forgotten_once_newer_ones_are_echoed() {
    let mut sender = Sender::default();
    for tick in 1..=4000 {
        let (ms, start) = (u64::from(tick), u64::from(tick).saturating_mul(1000));
        sender.on_data(&data(ms, start, tick), &mut |_| ());
        sender.on_ack(&ack(ms, start.saturating_add(1000), tick), &mut |_| ());
    }
    let memory = sender.memory();
    assert!(memory < 16_000, "{memory}");
}

#[test]
fn the_pipe_leaves_out_what_is_sacked_and_lost_and_counts_what_was_sent_again() {
    let mut sender = Sender::default();
    for index in 0..6 {
        sender.on_data(&data(index, 1 + index * 1000, 10), &mut |_| ());
    }
    let mut holed = ack(20, 1, 10);
    holed.sack.push(StreamOffset(1001), StreamOffset(6001));
    let mut pipe = Bytes(0);
    sender.on_ack(&holed, &mut |event| {
        if let SenderEvent::Acknowledge(ack) = event {
            pipe = ack.after.pipe;
        }
    });
    assert_eq!(pipe, Bytes(0), "five SACKed, one lost");
    sender.on_data(&data(21, 1, 30), &mut |event| {
        if let SenderEvent::Send(send) = event {
            assert_eq!(send.kind, SendKind::Retransmit(RetransmitCause::Fast));
            pipe = send.after.pipe;
        }
    });
    assert_eq!(pipe, Bytes(1000), "the repair is on its way");
}

/// IPv6 has no identification to tell a copy by.
#[test]
fn a_copy_at_once_was_made_by_the_capture() {
    let mut sender = Sender::default();
    let first = data(5, 1, 10);
    let copy = Data { time: first.time.after(Duration::from_micros(1)), ..first };
    for packet in [first, copy, data(305, 1, 310)] {
        sender.on_data(&packet, &mut |_| ());
    }
    let totals = sender.into_totals();
    assert_eq!((totals.capture_duplicates, totals.retransmitted_segments), (1, 1));
}

/// How many copies and repeats, where one segment comes again so long after it went out.
fn copied_after(age: Duration, has_timestamps: bool, is_heard: bool) -> (u64, u64) {
    let mut sender = Sender::default();
    let packet = |ms, start| {
        let data = data(ms, start, 10);
        Data { timestamps: data.timestamps.filter(|_| has_timestamps), ..data }
    };
    sender.on_data(&packet(0, 1), &mut |_| ());
    if is_heard {
        sender.on_ack(&Ack { timestamps: None, ..ack(20, 1001, 0) }, &mut |_| ());
    }
    let first = packet(30, 1001);
    let again = Data { time: first.time.after(age), ..first };
    sender.on_data(&first, &mut |_| ());
    sender.on_data(&again, &mut |_| ());
    let totals = sender.into_totals();
    (totals.network_duplicates, totals.retransmitted_segments)
}

/// A capture whose times are relative begins at 0, and an acknowledgment may come right then.
#[test]
fn what_was_heard_at_time_zero_was_heard() {
    let octet = |ms| Data { len: Bytes(1), timestamps: None, ..data(ms, 1001, 0) };
    let (mut sender, mut kinds) = (Sender::default(), Vec::new());
    sender.on_ack(&ack(0, 1001, 0), &mut |_| ());
    for packet in [octet(1), octet(2000)] {
        sender.on_data(&packet, &mut |event| {
            let SenderEvent::Send(send) = event else { return };
            kinds.push(send.kind);
        });
    }
    assert!(matches!(kinds[..], [SendKind::New, SendKind::Retransmit(_)]), "{kinds:?}");
}

/// A switch that mirrors a port copies some hundred microseconds later; a repair takes a round trip of 20 ms.
#[test]
fn a_copy_within_half_a_round_trip_was_made_by_the_network() {
    let (soon, late) = (Duration::from_micros(300), Duration::from_millis(20));
    for has_timestamps in [true, false] {
        assert_eq!(copied_after(soon, has_timestamps, true), (1, 0));
        assert_eq!(copied_after(late, has_timestamps, true), (0, 1));
    }
    assert_eq!(copied_after(soon, true, false), (1, 0), "a clock of 1 ms had not ticked");
    assert_eq!(copied_after(soon, false, false), (0, 1), "the RTT may be anything");
}

/// The timer of the first expires just when the second has gone out; RFC 6298 section 5.4 and go-back-N.
#[test]
fn what_went_out_just_before_a_timeout_is_no_copy_of_itself() {
    let mut sender = Sender::default();
    let packet = |ms, start| Data { timestamps: None, ..data(ms, start, 0) };
    sender.on_data(&packet(0, 1), &mut |_| ());
    sender.on_ack(&Ack { timestamps: None, ..ack(400, 1001, 0) }, &mut |_| ());
    for (ms, start) in [(410, 1001), (2000, 2001), (2003, 1001), (2004, 2001)] {
        sender.on_data(&packet(ms, start), &mut |_| ());
    }
    let totals = sender.into_totals();
    assert_eq!((totals.network_duplicates, totals.timeout_segments), (0, 2));
}

/// RFC 6298 section 3: BSD and Windows fill a repair up with what was queued since, and its ACK may answer
/// either transmission.
#[test]
fn a_repair_that_takes_new_octets_along_is_one() {
    let mut sender = Sender::default();
    let packet = |ms, start, len| Data { len: Bytes(len), timestamps: None, ..data(ms, start, 0) };
    sender.on_data(&packet(0, 1, 1000), &mut |_| ());
    sender.on_ack(&Ack { timestamps: None, ..ack(20, 1001, 0) }, &mut |_| ());
    sender.on_data(&packet(30, 1001, 300), &mut |_| ());
    sender.on_data(&packet(400, 1001, 1000), &mut |_| ());
    sender.on_ack(&Ack { timestamps: None, ..ack(420, 2001, 0) }, &mut |_| ());
    let totals = sender.into_totals();
    assert_eq!((totals.retransmitted, totals.timeout_segments), (Bytes(300), 1));
    assert_eq!((totals.loss_probes_of_new_data, totals.rtt.segment_end_samples), (0, 1));
}

/// Nor does the first segment after the window opened again, which begins with that octet, give one, and
/// nothing was lost.
#[test]
fn the_segment_behind_a_window_probe_is_no_repair() {
    let mut sender = Sender::default();
    let packet = |ms, start, len| Data { len: Bytes(len), timestamps: None, ..data(ms, start, 0) };
    let closed = |ms| Ack { window: Some(Bytes(0)), timestamps: None, ..ack(ms, 1001, 0) };
    sender.on_data(&packet(0, 1, 1000), &mut |_| ());
    sender.on_ack(&closed(20), &mut |_| ());
    sender.on_data(&packet(300, 1001, 1), &mut |_| ());
    sender.on_ack(&closed(320), &mut |_| ());
    sender.on_ack(&Ack { timestamps: None, ..ack(4300, 1001, 0) }, &mut |_| ());
    sender.on_data(&packet(4300, 1001, 1000), &mut |_| ());
    sender.on_ack(&Ack { timestamps: None, ..ack(4320, 2001, 0) }, &mut |_| ());
    let totals = sender.into_totals();
    assert_eq!((totals.retransmitted_segments, totals.rtt.segment_end_samples), (0, 1));
}

/// Four segments, some sent again and reported twice: D-SACKs and needless repairs.
fn reported(again: &[u64], cumulative: u64, blocks: &[(u64, u64)]) -> (u64, u64) {
    let mut sender = Sender::default();
    for start in [1, 1001, 2001, 3001] {
        sender.on_data(&data(0, start, 10), &mut |_| ());
    }
    for start in again {
        sender.on_data(&data(300, *start, 310), &mut |_| ());
    }
    let mut report = ack(320, cumulative, 310);
    for (start, end) in blocks {
        report.sack.push(StreamOffset(*start), StreamOffset(*end));
    }
    sender.on_ack(&report, &mut |_| ());
    let totals = sender.into_totals();
    (totals.dsack_segments, totals.spurious_segments)
}

/// RFC 2883 section 4.2: the first block within the second; Linux `tcp_dsack_seen`.
#[test]
fn a_dsack_may_stand_beyond_the_ack_and_report_several_segments() {
    assert_eq!(reported(&[2001], 1, &[(2001, 3001), (1001, 4001)]), (1, 1));
    assert_eq!(reported(&[2001], 1, &[(2001, 3001), (3001, 4001)]), (0, 0));
    assert_eq!(reported(&[1, 1001, 2001], 4001, &[(1, 3001)]), (3, 3));
    assert_eq!(reported(&[1], 4001, &[(1, 3001)]), (3, 1), "two were copied on the way");
}

/// The handshake that tells of SACK was not captured.
#[test]
fn an_echo_and_a_dsack_prove_one_repair_needless_once() {
    let mut sender = Sender::default();
    sender.on_data(&data(0, 1, 10), &mut |_| ());
    sender.on_data(&data(300, 1, 310), &mut |_| ());
    sender.on_ack(&ack(301, 1001, 10), &mut |_| ());
    let mut report = ack(320, 1001, 310);
    report.sack.push(StreamOffset(1), StreamOffset(1001));
    sender.on_ack(&report, &mut |_| ());
    assert_eq!(sender.into_totals().spurious_segments, 1);
}

/// Segmentation offload sends six at once; two of them are lost and go out again.
#[test]
fn each_repair_within_a_super_frame_is_in_the_pipe() {
    let mut sender = Sender::default();
    // Timestamps take twelve octets of each segment.
    let handshake = Handshake { mss: Some(1012), ..Default::default() };
    sender.on_handshake(&handshake);
    sender.on_data(&Data { len: Bytes(6000), ..data(0, 1, 10) }, &mut |_| ());
    let mut holed = ack(20, 1, 10);
    holed.sack.push(StreamOffset(2001), StreamOffset(3001));
    holed.sack.push(StreamOffset(4001), StreamOffset(6001));
    sender.on_ack(&holed, &mut |_| ());
    let mut pipes = Vec::new();
    for start in [1, 1001] {
        sender.on_data(&data(21, start, 30), &mut |event| {
            if let SenderEvent::Send(send) = event {
                pipes.push(send.after.pipe.0);
            }
        });
    }
    assert_eq!(pipes, [2000, 3000], "one is on its way for the first time");
}

/// The capture cut the options off, or began too late for the handshake: 1448 octets a segment, of which
/// seven made a super-frame, and 676 were left of a write.
#[test]
fn super_frames_tell_the_segment_size_where_no_handshake_does() {
    let smss_after = |lens: [u64; 2]| {
        let mut sender = Sender::default();
        let mut smss = Bytes(0);
        let mut start = 1;
        for len in lens {
            let packet = Data { len: Bytes(len), timestamps: None, ..data(start, start, 0) };
            start += len;
            sender.on_data(&packet, &mut |event| {
                if let SenderEvent::Send(send) = event {
                    smss = send.smss;
                }
            });
        }
        smss
    };
    assert_eq!(smss_after([676, 10_136]), Bytes(1448));
    assert_eq!(smss_after([676, 8760]), Bytes(1460));
    assert_eq!(smss_after([676, 10_000]), Bytes(676), "no whole segments");
}

#[test]
fn what_is_acknowledged_before_it_passed_gives_no_round_trip() {
    let srtt_of = |ack_ms| {
        let mut sender = Sender::default();
        sender.on_data(&data(10, 1, 0), &mut |_| ());
        sender.on_ack(&ack(ack_ms, 1001, 0), &mut |_| ());
        sender.on_data(&data(30, 1001, 0), &mut |_| ());
        sender.into_totals().srtt_mean()
    };
    assert_eq!(srtt_of(9), None);
    assert!(srtt_of(12).is_some());
}

/// How many gaps the segments make that come so many ms and ticks of 1 ms after the first.
fn clock_steps(segments: &[(u64, u32)]) -> (usize, u64) {
    let mut sender = Sender::default();
    let mut gaps = 0;
    for (index, (ms, ticks)) in (0_u64..).zip(segments) {
        let start = index.saturating_mul(1000).saturating_add(1);
        let packet = data(ms.saturating_add(1), start, ticks.saturating_add(77));
        sender.on_data(&packet, &mut |event| {
            gaps = usize::from(matches!(event, SenderEvent::Gap(_))).saturating_add(gaps);
        });
    }
    (gaps, sender.into_totals().clock_steps)
}

#[test]
fn time_that_the_sender_s_clock_does_not_know_of_is_a_gap() {
    assert_eq!(clock_steps(&[(0, 0), (500, 500), (5501, 501), (6000, 1000)]), (1, 1));
    assert_eq!(clock_steps(&[(0, 0), (500, 500), (5500, 5500)]), (0, 0), "a pause");
    assert_eq!(clock_steps(&[(0, 0), (500, 5), (5500, 6)]), (0, 0), "no clock");
    assert_eq!(clock_steps(&[(0, 0), (10, 10), (5500, 11)]), (0, 0), "too early to tell");
}

/// The second of four segments comes late, `ms` after the first; the tap stands `slack_us` off.
fn passed_over(ms: u64, slack_us: u64) -> SenderTotals {
    let mut sender = Sender::default();
    let slack = Duration::from_micros(slack_us);
    let acked = |sender: &mut Sender, ms, end| {
        sender.on_ack(&Ack { slack, ..ack(ms, end, 0) }, &mut |_| ());
    };
    sender.on_data(&data(0, 1, 10), &mut |_| ());
    acked(&mut sender, 20, 1001);
    for (at, start) in [(30, 1001), (30, 3001), (30, 4001), (ms.saturating_add(30), 2001)] {
        sender.on_data(&data(at, start, 40), &mut |_| ());
    }
    acked(&mut sender, 80, 5001);
    sender.into_totals()
}

#[test]
fn what_was_lost_before_the_tap_is_not_missed_by_the_capture() {
    let at_the_receiver = passed_over(25, 300);
    assert_eq!(at_the_receiver.missed, Bytes(0));
    assert_eq!(at_the_receiver.retransmitted_segments, 1);
    assert_eq!(passed_over(25, 0).missed, Bytes(1000), "nothing is lost before the sender");
}

#[test]
fn what_was_overtaken_is_not_missed_by_the_capture() {
    let overtaken = passed_over(3, 0);
    assert_eq!((overtaken.missed, overtaken.reordered_packets), (Bytes(0), 1));
}

/// A segment that lies a million octets back, by a damaged sequence number: the ACK that follows covers no
/// more than a window of that.
#[test]
fn what_no_window_held_was_not_acknowledged_while_watching() {
    let acked = |scaled: Option<u64>, has_syn: bool| {
        let mut sender = Sender::default();
        if has_syn {
            let syn = Data { is_syn: true, len: Bytes(0), ..data(0, 0, 10) };
            sender.on_data(&syn, &mut |_| ());
        }
        sender.on_data(&data(20, 1, 30), &mut |_| ());
        let window = scaled.map(Bytes);
        let first = Ack { window, window_unscaled: 8000, ..ack(60, 1_001_001, 0) };
        sender.on_ack(&first, &mut |_| ());
        sender.on_data(&data(70, 1_001_001, 40), &mut |_| ());
        sender.on_ack(&ack(110, 1_002_001, 40), &mut |_| ());
        sender.into_totals().acked
    };
    assert_eq!(acked(None, false), Bytes(1000 + 8000 + 1000));
    assert_eq!(acked(Some(64_000), false), Bytes(1000 + 64_000 + 1000));
    assert_eq!(acked(Some(64_000), true), Bytes(1_002_000), "all of it was sent meanwhile");
}

/// Captured from a repair on: what lies between it and new data was in flight by then.
#[test]
fn what_was_sent_before_the_capture_is_not_missed_by_it() {
    let missed = |has_syn: bool| {
        let mut sender = Sender::default();
        if has_syn {
            let syn = Data { is_syn: true, len: Bytes(0), ..data(0, 0, 10) };
            sender.on_data(&syn, &mut |_| ());
        }
        sender.on_ack(&ack(10, 3001, 0), &mut |_| ());
        sender.on_data(&data(20, 3001, 30), &mut |_| ());
        sender.on_data(&data(30, 9001, 40), &mut |_| ());
        sender.on_ack(&ack(60, 9001, 0), &mut |_| ());
        sender.on_ack(&ack(70, 10_001, 40), &mut |_| ());
        sender.on_data(&data(80, 12_001, 90), &mut |_| ());
        sender.on_ack(&ack(110, 13_001, 90), &mut |_| ());
        sender.into_totals().missed
    };
    assert_eq!(missed(false), Bytes(2000));
    assert!(missed(true) > Bytes(2000));
}

#[test]
fn syn_and_fin_are_no_payload() {
    let mut sender = Sender::default();
    let syn = Data { is_syn: true, len: Bytes(0), ..data(0, 0, 10) };
    let last = Data { is_fin: true, ..data(20, 1, 30) };
    for sent in [&syn, &last] {
        sender.on_data(sent, &mut |_| ());
        sender.on_ack(&ack(sent.frame.ordinal().saturating_add(20), sent.end().0, 0), &mut |_| ());
    }
    assert_eq!(sender.into_totals().acked, Bytes(1000));
}

/// A terminal's key stroke: an octet that is in flight still was lost, one that was acknowledged asks whether
/// the other end is there.
#[test]
fn an_octet_sent_again_is_a_keep_alive_once_it_was_acknowledged() {
    let octet = |ms, start| Data { len: Bytes(1), ..data(ms, start, 10) };
    let mut sender = Sender::default();
    sender.on_data(&octet(0, 1), &mut |_| ());
    sender.on_ack(&ack(20, 2, 10), &mut |_| ());
    sender.on_data(&octet(100, 2), &mut |_| ());
    sender.on_data(&octet(400, 2), &mut |_| ());
    sender.on_ack(&ack(420, 3, 10), &mut |_| ());
    sender.on_data(&octet(60_000, 2), &mut |_| ());
    let totals = sender.into_totals();
    assert_eq!((totals.retransmitted_segments, totals.keep_alives), (1, 1));
}

/// How many of `acks`, which acknowledge nothing new of two segments in flight, count as duplicates.
fn dup_acks(acks: impl IntoIterator<Item = Ack>) -> usize {
    let mut sender = Sender::default();
    sender.on_data(&data(0, 1, 10), &mut |_| ());
    sender.on_data(&data(1, 1001, 10), &mut |_| ());
    let mut told = Vec::new();
    for ack in acks {
        sender.on_ack(&ack, &mut |event| told.push(event));
    }
    let is_dup_ack =
        |event: &&SenderEvent| matches!(event, SenderEvent::Acknowledge(it) if it.is_dup_ack);
    told.iter().filter(is_dup_ack).count()
}

/// RFC 5681 section 2: the same window, and neither SYN nor FIN.
#[test]
fn only_what_says_the_same_again_is_a_duplicate() {
    let same = [10, 11, 12].map(|ms| ack(ms, 1, 1));
    assert_eq!(dup_acks(same), 2, "the first tells the window");
    assert_eq!(dup_acks(same.map(|ack| Ack { is_fin: true, ..ack })), 0);
    let unscaled = |it: Ack, window_unscaled| Ack { window: None, window_unscaled, ..it };
    assert_eq!(dup_acks(same.map(|ack| unscaled(ack, 500))), 2, "the scale is not known");
    let updates = same.into_iter().zip([500, 510, 520]);
    assert_eq!(dup_acks(updates.map(|(ack, window)| unscaled(ack, window))), 0);
}

#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use std::net::Ipv4Addr;

use super::*;
use crate::model::FlowReport;
use crate::units::{FrameNumber, SeqNum};
use crate::wire::{Endpoint, Scope, TcpFlags, TcpOptions};

/// The segment number `step` of connection `number`: a handshake, then data and its ACKs in turn.
fn segment(frame: u64, number: u16, step: u32) -> Segment {
    let client = Endpoint { addr: Ipv4Addr::new(192, 0, 2, 1).into(), port: number };
    let server = Endpoint { addr: Ipv4Addr::new(198, 51, 100, 1).into(), port: 443 };
    let is_answer = step % 2 == 1;
    let (src, dst) = if is_answer { (server, client) } else { (client, server) };
    let sent = 1 + step.saturating_sub(1) / 2 * 1000;
    let (seq, ack) = match step {
        0 => (0, None),
        1 => (0, Some(1)),
        _ if is_answer => (1, Some(sent)),
        _ => (sent, Some(1)),
    };
    let syn = if step < 2 { TcpFlags::SYN } else { 0 };
    Segment {
        frame: FrameNumber::new(frame),
        time: Timestamp(frame * 10_000),
        scope: Scope(0),
        src: src.into(),
        dst: dst.into(),
        ip_id: None,
        ttl: 64,
        seq: SeqNum(seq),
        ack: ack.map(SeqNum),
        flags: TcpFlags(syn | if ack.is_some() { TcpFlags::ACK } else { 0 }),
        window_unscaled: 60_000,
        headers_len: 0,
        payload_len: if step >= 2 && !is_answer { 1000 } else { 0 },
        options: TcpOptions::default(),
    }
}

/// 400 connections, begun one after another, of up to 250 segments each.
fn segments() -> Vec<Segment> {
    let rounds = (0..650_u32).flat_map(|round| (0..400_u32).map(move |number| (round, number)));
    let steps = rounds.filter_map(|(round, number)| {
        let step = round.checked_sub(number)?;
        (step < 40 + number % 211).then_some((number, step))
    });
    let number_of = |number| 1000 + u16::try_from(number).unwrap();
    steps.zip(1..).map(|((number, step), frame)| segment(frame, number_of(number), step)).collect()
}

/// The reports, and how many flows were left out.
type Outcome = (Vec<(Scope, Box<FlowReport>)>, u64);

fn run(segments: &[Segment], threads: usize, bounds: TableBounds) -> Outcome {
    let mut shards =
        Shards::<()>::new(bounds, Settings::default(), Kept::default(), NonZeroUsize::new(threads));
    shards.begin(segments[0].time);
    for segment in segments {
        shards.on_segment(segment);
    }
    assert_eq!(matches!(shards.hands, Hands::Hired(_)), threads > 1, "the capture is long enough");
    let (kept, counts) = shards.finish();
    assert!(counts.connections >= 400);
    (kept.reports, kept.dropped)
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let segments = segments();
    let alone = run(&segments, 1, TableBounds::default());
    let streams: Vec<u32> = alone.0.iter().map(|(_, report)| report.stream).collect();
    assert_eq!(streams, (0..400).collect::<Vec<_>>());
    for threads in [2, 3, 5, 6, 64] {
        assert!(run(&segments, threads, TableBounds::default()) == alone, "{threads} threads");
    }
}

/// A machine that gives no threads leaves all to the one that reads.
#[test]
fn nor_whether_there_are_any() {
    let segments = segments();
    let mut shards =
        Shards::<()>::new(TableBounds::default(), Settings::default(), Kept::default(), None);
    shards.workers = 0;
    let Hands::Own(own) = &mut shards.hands else { panic!("no threads before the first segment") };
    shards.hands = Hands::Hired(Box::new(Crew::new(std::mem::take(own), 0, &shards.merge)));
    shards.begin(segments[0].time);
    for segment in &segments {
        shards.on_segment(segment);
    }
    let (kept, _) = shards.finish();
    assert!((kept.reports, kept.dropped) == run(&segments, 1, TableBounds::default()));
}

/// What a bound drops does not depend on the threads.
#[test]
fn nor_where_memory_is_short() {
    let bounds = TableBounds { connections_max: 80, ..TableBounds::default() };
    let segments = segments();
    let alone = run(&segments, 1, bounds);
    assert!(alone.1 > 0, "connections were given up and began anew, too many for the report");
    for threads in [2, 4] {
        assert!(run(&segments, threads, bounds) == alone, "{threads} threads");
    }
}

/// All tie, so that the order decides. Most need no report, whichever thread ends them.
#[test]
fn of_a_flood_the_first_connections_are_kept() {
    let flood: Vec<Segment> =
        (1..).zip(0..40_000).map(|(frame, number)| segment(frame, number, 0)).collect();
    for threads in [1, 3] {
        let (reports, left_out) = run(&flood, threads, TableBounds::default());
        let streams: Vec<u32> = reports.iter().map(|(_, report)| report.stream).collect();
        assert_eq!(streams, (0..10_000).collect::<Vec<_>>());
        assert_eq!(left_out, 30_000);
    }
}

/// Some have ended when others show that they were small, some go on to the end.
#[test]
fn of_many_flows_the_largest_are_kept() {
    let octets = |number: u16| 1 + u32::from(number) * 7919 % 997;
    let sent = (0..40_000).map(|number| {
        let mut segment = segment(0, 1000 + number, 2);
        segment.payload_len = octets(number);
        segment
    });
    let mut segments: Vec<Segment> = sent.collect();
    for (segment, frame) in segments.iter_mut().zip(1..) {
        (segment.frame, segment.time) = (FrameNumber::new(frame), Timestamp(frame * 10_000));
    }
    let mut largest: Vec<u16> = (0..40_000).collect();
    largest.sort_by_key(|number| (std::cmp::Reverse(octets(*number)), *number));
    largest.truncate(10_000);
    largest.sort_unstable();
    // Where connections are given up, the least is already reported on when its place is known.
    for connections_max in [8000, 1 << 20] {
        let bounds = TableBounds { connections_max, ..TableBounds::default() };
        let alone = run(&segments, 1, bounds);
        let streams: Vec<u32> = alone.0.iter().map(|(_, report)| report.stream).collect();
        assert_eq!(streams, largest.iter().map(|number| u32::from(*number)).collect::<Vec<_>>());
        assert_eq!(alone.1, 30_000);
        assert!(run(&segments, 3, bounds) == alone);
    }
}

/// A connection of one write, closed by both sides; a third are not, and go on later.
fn exchange(number: u16, octets: u32) -> Vec<Segment> {
    let numbers =
        [(0, None), (0, Some(1)), (1, Some(1)), (1, Some(octets + 2)), (octets + 2, Some(2))];
    let steps = (0..).zip(numbers).map(|(step, (seq, ack))| {
        let mut it = segment(0, 1000 + number, step);
        (it.seq, it.ack, it.payload_len) = (SeqNum(seq), ack.map(SeqNum), 0);
        if step == 2 {
            it.payload_len = octets;
        }
        if (step == 2 || step == 3) && number % 3 > 0 {
            it.flags = TcpFlags(it.flags.0 | TcpFlags::FIN);
        }
        it
    });
    steps.collect()
}

/// Most are handed on as soon as they are over, whichever thread finds that; late segments of them, and
/// more data of those that go on, come in the end.
#[test]
fn what_is_over_and_too_small_does_not_wait() {
    let octets = |number: u16| 100 + u32::from(number) * 7919 % 997;
    let mut segments: Vec<Segment> =
        (0..40_000).flat_map(|number| exchange(number, octets(number))).collect();
    let again = (0..40_000).map(|number| exchange(number, octets(number))[2]);
    segments.extend(again.map(|mut it| {
        it.seq = SeqNum(it.seq.0 + it.payload_len);
        it
    }));
    for (segment, frame) in segments.iter_mut().zip(1..) {
        (segment.frame, segment.time) = (FrameNumber::new(frame), Timestamp(frame * 10_000));
    }
    let roomy = TableBounds::default();
    let alone = run(&segments, 1, roomy);
    assert_eq!((alone.0.len(), alone.1), (10_000, 30_000));
    let tight = TableBounds { connections_max: 30_000, ..roomy };
    let alone_tight = run(&segments, 1, tight);
    for threads in [2, 3, 5] {
        assert!(run(&segments, threads, roomy) == alone, "{threads} threads");
        assert!(run(&segments, threads, tight) == alone_tight, "{threads} threads, a full table");
    }
}

#[test]
fn what_does_not_wait_takes_no_memory() {
    let mut shards = Shards::<()>::new(
        TableBounds::unbounded(),
        Settings::default(),
        Kept::default(),
        NonZeroUsize::new(1),
    );
    let mut frame = 0;
    let mut memory_after = |shards: &mut Shards<()>, numbers: std::ops::Range<u16>| {
        let closed = numbers.filter(|number| number % 3 > 0);
        for mut segment in closed.flat_map(|it| exchange(it, 500)) {
            frame += 1;
            segment.frame = FrameNumber::new(frame);
            shards.on_segment(&segment);
        }
        let Hands::Own(own) = &shards.hands else { panic!("on one thread") };
        own.iter().map(|shard| shard.table().memory().0).sum::<u64>()
    };
    // All are of one size: the first ones are kept.
    let whole = memory_after(&mut shards, 0..36_000);
    let more = memory_after(&mut shards, 36_000..60_000) - whole;
    assert!(more < whole / 3, "{more} octets after {whole}");
}

/// Also where many reports were left out, and the answer is larger than the request.
#[test]
fn the_client_goes_first_within_a_connection() {
    let exchange = |number: u16| {
        let from_client = (0..=4).map(move |step| segment(0, number, step));
        from_client.map(move |mut segment| {
            if segment.payload_len == 0 && segment.ack == Some(SeqNum(1001)) {
                segment.payload_len = 1400;
            }
            if number >= 5000 {
                segment.payload_len = segment.payload_len.min(10);
            }
            segment
        })
    };
    let segments = (1000..14_000).flat_map(exchange).zip(1..);
    let segments: Vec<Segment> = segments
        .map(|(mut segment, frame)| {
            (segment.frame, segment.time) = (FrameNumber::new(frame), Timestamp(frame * 10_000));
            segment
        })
        .collect();
    let (reports, left_out) = run(&segments, 1, TableBounds::default());
    assert!(left_out > 0, "too many for the report");
    let pairs = reports.windows(2).filter(|pair| pair[0].1.stream == pair[1].1.stream);
    let is_client_first = |pair: &[(Scope, Box<FlowReport>)]| pair[1].1.src.port == 443;
    assert!(pairs.clone().count() > 1000 && pairs.into_iter().all(is_client_first));
}

#[test]
fn connections_spread_over_all_shards_and_directions_do_not() {
    let mut counts = [0_u32; SHARDS];
    for port in 1000..9000 {
        let shard = shard_of(&segment(1, port, 0));
        assert_eq!(shard, shard_of(&segment(1, port, 1)));
        counts[shard] += 1;
    }
    let even = 8000 / u32::try_from(SHARDS).unwrap();
    assert!(counts.iter().all(|count| count.abs_diff(even) < even / 5), "{counts:?}");
}

//! What goes when the table is full, and what stays.

use super::*;
use crate::flow::{AHEAD, look_ahead};

fn half_open(port: u16) -> Segment {
    segment(u32::from(port), 0, SYN).port(port)
}

/// An established connection that carried `len` octets.
fn carrying(port: u16, len: u32) -> impl Iterator<Item = Segment> {
    handshake().into_iter().chain([segment(101, 901, ACK).len(len)]).map(move |it| it.port(port))
}

fn closed(port: u16) -> impl Iterator<Item = Segment> {
    let reset = segment(901, 0, RST).reply();
    carrying(port, 1 << 20).chain([reset.port(port)])
}

/// The ports of the connections that had to go, in order.
fn evicted(segments: impl Iterator<Item = Segment>, connections_max: usize) -> Vec<u16> {
    let bounds = TableBounds { connections_max, ..TableBounds::default() };
    let mut table = FlowTable::<Log>::new(bounds, ());
    let mut ports = Vec::new();
    for (number, mut segment) in (1..).zip(segments) {
        segment.frame = FrameNumber::new(number);
        table.on_segment(&segment, &mut |connection| {
            ports.push(connection.flows[0].src.port);
        });
    }
    ports
}

#[test]
fn half_open_goes_before_closed_before_small_before_large() {
    let filled = (1..17)
        .flat_map(|port| carrying(port, 1 << 20))
        .chain((17..33).flat_map(|port| carrying(port, 10)))
        .chain((33..49).flat_map(closed))
        .chain((49..65).map(half_open));
    // Every newcomer pushes out one of the 65; of each kind four are spared, the newcomer included.
    let more = (100..140).flat_map(|port| carrying(port, 1 << 30));
    let expected: Vec<u16> = (49..62).chain(33..45).chain(17..29).chain([1, 2, 3]).collect();
    assert_eq!(evicted(filled.chain(more), 64), expected);
}

#[test]
fn among_equals_the_one_quiet_longest_goes() {
    let filled = (1..5).map(half_open).chain([half_open(1), half_open(5)]);
    assert_eq!(evicted(filled.chain([half_open(6)]), 4), [2, 3]);
}

#[test]
fn a_flood_leaves_a_transfer_alone() {
    let flood = |from: u16| (from..from + 10_000).map(half_open);
    let transfer = carrying(80, 10_000_000).chain([segment(901, 5, ACK).reply().port(80)]);
    let mut segments: Vec<Segment> = flood(1000).chain(transfer).chain(flood(20_000)).collect();
    segments.push(segment(101, 901, ACK).len(1).port(80));
    let bounds = TableBounds { connections_max: 100, ..TableBounds::default() };
    let run = run_bounded(segments, bounds);
    let transfer = &run.connections[10_000];
    assert_eq!((transfer.flows[0].packets, transfer.flows[1].packets), (4, 2));
    assert_eq!(run.counts.evicted_half_open, 20_001 - 100);
    assert_eq!(run.counts.evicted_open + run.counts.evicted_closed, 0);
}

#[test]
fn a_flood_costs_little_a_connection() {
    let mut table = FlowTable::<Log>::new(TableBounds::default(), ());
    for port in 1..=1000 {
        table.on_segment(&half_open(port), &mut |_| unreachable!());
    }
    assert!(table.memory() <= Bytes(256_000), "{:?}", table.memory());
}

#[test]
fn memory_is_bounded_as_well() {
    let bounds = TableBounds { memory_max: Bytes(200_000), ..TableBounds::default() };
    let run = run_bounded((1..500).flat_map(|port| carrying(port, 100)), bounds);
    assert_eq!(run.connections.len(), 499);
    assert!(run.counts.evicted_open > 200);
}

#[test]
fn late_segments_still_find_a_closed_connection() {
    let close = |late_s: u64| {
        let late = segment(101, 901, ACK).len(10).at_ms(late_s * 1000);
        let tick = segment(1, 1, ACK).port(9).at_ms(late_s * 1000);
        after_handshake([
            segment(101, 901, ACK | FIN).len(10),
            segment(901, 112, ACK | FIN).reply(),
            segment(112, 902, ACK),
            tick,
            late,
        ])
    };
    assert_eq!(close(239).counts.connections, 2);
    let after_linger = close(241);
    assert_eq!(after_linger.counts.connections, 3);
}

#[test]
fn connections_are_found_ahead_of_their_segments() {
    let mut table = FlowTable::<Log>::new(TableBounds::default(), ());
    let segments: Vec<Segment> = (1..=16).map(half_open).collect();
    assert_eq!(look_ahead(&[&table; AHEAD], &segments), [u32::MAX; AHEAD], "none is there");
    for segment in segments.iter().rev() {
        table.on_segment(segment, &mut |_| unreachable!());
    }
    let known = segments.get(..9).unwrap();
    let places = look_ahead(&[&table; AHEAD], known);
    // By chance an entry may lie far from its home, seldom several; none is taken for another.
    let found = places.iter().zip(known).filter(|(place, _)| **place != u32::MAX);
    for (place, segment) in found.clone() {
        let key = table.tracked_at(*place).map(|tracked| tracked.key);
        assert_eq!(key, Some(FlowKey::of(segment).0));
    }
    assert!(found.count() > 4, "{places:?}");
    assert_eq!(places[9..], [u32::MAX; AHEAD - 9], "there are no more segments");
}

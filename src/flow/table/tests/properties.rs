//! What holds for any segments.

#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use proptest::prelude::*;

use super::*;

fn any_segment() -> impl Strategy<Value = Segment> {
    // Few hosts and few numbers, near the edges, so that everything meets everything.
    let number = || {
        prop_oneof![
            0..5000_u32,
            Just(u32::MAX),
            any::<u32>(),
            (0..4_u32).prop_map(|quarter| quarter << 30)
        ]
    };
    let header = (number(), number(), 0..0x40_u16, any::<u16>());
    let rest = (any::<bool>(), 1..6_u16, 0..70_000_u32, 0..(1_u64 << 40), 0..15_u8, 0..4_u64);
    (header, rest).prop_map(
        |((seq, ack, flags, window), (is_reply, port, payload_len, time, shift, scope))| {
            let mut segment = segment(seq, ack, flags).port(port).window(window).shift(shift);
            segment.time = Timestamp(time);
            segment.scope = Scope(scope);
            segment.options.sack.push(SeqNum(ack.wrapping_add(shift.into())), SeqNum(seq));
            let segment = if shift == 0 { segment } else { segment.len(payload_len) };
            if is_reply { segment.reply() } else { segment }
        },
    )
}

proptest! {
    /// Whatever comes, every segment is counted in exactly one connection, stream numbers have no
    /// holes, and the bounds hold (checked in `run_bounded`).
    #[test]
    fn nothing_is_lost_or_counted_twice(
        segments in prop::collection::vec(any_segment(), 0..300),
        connections_max in 1..6_usize,
    ) {
        let expected: u64 = segments.iter().map(|segment| u64::from(segment.payload_len)).sum();
        let count = segments.len() as u64;
        let bounds = TableBounds { connections_max, memory_max: Bytes(1 << 20) };
        let run = run_bounded(segments, bounds);
        let flows = || run.connections.iter().flat_map(|connection| &connection.flows);
        prop_assert_eq!(flows().map(|flow| flow.packets).sum::<u64>(), count);
        prop_assert_eq!(flows().map(|flow| flow.payload_bytes).sum::<u64>(), expected);
        let streams = run.connections.iter().map(|connection| u64::from(connection.stream));
        prop_assert!(streams.eq(0..run.counts.connections));
    }

    /// Where the sequence space begins changes nothing.
    #[test]
    fn the_initial_numbers_do_not_matter(
        steps in prop::collection::vec((any::<bool>(), 0..3000_u32, 0..3000_u32, 1..2000_u32), 1..60),
        shift in any::<u32>(),
    ) {
        let run_from = |shift: u32| {
            let moved = |mut segment: Segment| {
                segment.seq = SeqNum(segment.seq.0.wrapping_add(shift));
                segment.ack = segment.ack.map(|ack| SeqNum(ack.0.wrapping_add(shift)));
                segment
            };
            let transfer = steps.iter().map(|&(is_reply, seq, ack, len)| {
                let (own, peer) = if is_reply { (901, 101) } else { (101, 901) };
                let segment = segment(own + seq, peer + ack, ACK).len(len);
                if is_reply { segment.reply() } else { segment }
            });
            let run = run(handshake().into_iter().chain(transfer).map(moved));
            run.told(0)
        };
        prop_assert_eq!(run_from(0), run_from(shift));
    }
}

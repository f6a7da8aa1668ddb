use super::*;

/// ACKs at `ack` with `window`, then data up to `end`.
fn after(steps: &[(u64, u16, u64)]) -> Option<u8> {
    let mut scale = Scale::default();
    for &(ack, window, end) in steps {
        scale.on_window(StreamOffset(ack), window);
        scale.on_data(StreamOffset(end));
    }
    scale.shift().map(WindowShift::get)
}

#[test]
fn flight_beyond_the_window_raises_the_shift() {
    assert_eq!(after(&[(1, 500, 400), (1, 500, 500)]), None);
    assert_eq!(after(&[(1, 500, 1400), (1, 500, 30_000), (1, 500, 64_000)]), Some(6));
    assert_eq!(after(&[(1, 500, 64_000), (1, 500, 64_001)]), Some(7));
}

#[test]
fn one_wild_segment_raises_nothing() {
    assert_eq!(after(&[(1, 500, 1 << 22), (1, 500, 600), (1, 500, 700)]), Some(1));
    assert_eq!(after(&[(1, 500, 1 << 22), (1, 500, 400)]), None);
}

#[test]
fn a_probe_of_a_closed_window_is_no_evidence() {
    assert_eq!(after(&[(1000, 0, 1001), (1000, 0, 1002), (1000, 0, 1001)]), None);
}

/// A window that shrinks octet by octet with the data acknowledged is not scaled.
#[test]
fn a_right_edge_that_stands_still_shows_no_scaling() {
    let steps = [(1, 9000, 1), (1001, 8000, 1), (2001, 7000, 1), (3001, 6000, 1)];
    assert_eq!(after(&steps), Some(0));
    assert_eq!(after(&steps[..2]), None);
}

/// Each ACK lets the next segment fill the window again.
#[test]
fn a_window_filled_again_and_again_is_not_scaled() {
    let filled = |count: u64| -> Vec<(u64, u16, u64)> {
        (0..count).map(|n| (1 + n * 1000, 10_000, 10_001 + n * 1000)).collect()
    };
    assert_eq!(after(&filled(40)), None);
    assert_eq!(after(&filled(41)), Some(0));
    let mut grown = filled(41);
    grown.extend([(41_001, 10_000, 52_001), (41_001, 10_000, 53_001)]);
    assert_eq!(after(&grown), Some(1));
}

/// Filled at the shift that fits, or with the right edge standing still at it; the least that fits is not
/// enough.
#[test]
fn one_shift_is_left_where_data_fill_the_window() {
    let certain = |steps: Vec<(u64, u16, u64)>| {
        let mut scale = Scale::default();
        for (ack, window, end) in steps {
            scale.on_window(StreamOffset(ack), window);
            scale.on_data(StreamOffset(end));
        }
        (scale.shift().map(WindowShift::get), scale.is_certain())
    };
    // A window of 100 times 128, and flights of 12 500 and of 9000 octets.
    let flights =
        |flight: u64| (0..100).map(|n| (1 + n * 1000, 100, 1 + n * 1000 + flight)).collect();
    assert_eq!(certain(flights(12_500)), (Some(7), true));
    assert_eq!(certain(flights(9_000)), (Some(7), false));
    let edge = |window: u16| (1 + u64::from(100 - window) * 128, window, 12_801);
    let standing: Vec<_> = (0..10).map(|n| edge(100 - n * 10)).collect();
    assert_eq!(certain(standing), (Some(7), true));
}

/// 200 octets, and a window of half a kilobyte if it is not scaled, in which no segment fits even when it
/// is empty.
#[test]
fn small_requests_fill_no_window() {
    let requests: Vec<_> = (0..100).map(|n| (1 + n * 200, 508, 201 + n * 200)).collect();
    assert_eq!(after(&requests), None);
}

#[test]
fn an_older_wider_offer_still_counts() {
    assert_eq!(after(&[(1, 500, 400), (1, 499, 501), (1, 499, 501)]), None);
}

#[test]
fn a_closed_window_needs_no_scale() {
    assert_eq!(scaled(None, 0), Some(Bytes(0)));
    assert_eq!(scaled(None, 1), None);
    assert_eq!(scaled(Some(WindowShift::new(7)), 1), Some(Bytes(128)));
}

#[test]
fn scaling_needs_the_option_in_both_syns() {
    let (seven, one) = (WindowShift::new(7), WindowShift::new(1));
    let (unseen, nothing) = (Offered::Unseen, Offered::Nothing);
    let offer = Offered::Shift;
    for is_answer in [false, true] {
        assert_eq!(negotiated(offer(seven), is_answer, offer(one)), Some(seven));
        let none = Some(WindowShift::default());
        assert_eq!(negotiated(offer(seven), is_answer, nothing), none);
        assert_eq!(negotiated(nothing, is_answer, unseen), none);
        assert_eq!(negotiated(unseen, is_answer, offer(one)), None);
    }
    assert_eq!(negotiated(offer(seven), false, unseen), None);
    assert_eq!(negotiated(offer(seven), true, unseen), Some(seven));
}

//! What the analysis makes of a few hand-placed segments.

use std::time::Duration;

use tcplimit::testing::{Side, Trace, ms};

/// Four segments fill a 4000-octet window; the ACK one RTT later opens it again.
#[test]
fn a_full_window_is_all_that_is_in_flight() {
    let trace = Trace::established()
        .rwnd(4000)
        .mss(1000)
        .at(ms(0))
        .data(0..4000)
        .at(ms(20))
        .ack(4000)
        .data(4000..5000)
        .at(ms(40))
        .ack(5000);
    let flow = trace.flow();

    assert_eq!(flow.flight_max_bytes, 4000, "{trace}");
    assert_eq!(flow.payload_bytes, 5000, "{trace}");
    assert_eq!(flow.retransmitted_segments, 0, "{trace}");
}

/// RFC 5681 section 3.2: the third duplicate ACK has the hole sent again.
#[test]
fn a_repair_after_three_duplicate_acks_is_a_fast_retransmit() {
    let trace = Trace::established()
        .mss(1000)
        .at(ms(0))
        .data(0..6000)
        .at(ms(20))
        .ack(1000)
        .at(ms(21))
        .sack(1000, 2000..3000)
        .at(ms(22))
        .sack(1000, 2000..4000)
        .at(ms(23))
        .sack(1000, 2000..5000)
        .data(1000..2000)
        .at(ms(43))
        .ack(6000);
    let flow = trace.flow();

    assert_eq!(flow.retransmissions.fast_segments, 1, "{trace}");
    assert_eq!(flow.retransmissions.recoveries, 1, "{trace}");
    assert_eq!(flow.retransmissions.timeout_segments, 0, "{trace}");
    assert_eq!(flow.retransmitted_bytes, 1000, "{trace}");
}

/// RFC 6298 section 5.4: nothing came back, and the earliest segment goes out again.
#[test]
fn a_repair_after_long_silence_is_a_timeout() {
    let trace = Trace::established()
        .mss(1000)
        .at(ms(0))
        .data(0..1000)
        .at(ms(20))
        .ack(1000)
        .data(1000..3000)
        .at(ms(420))
        .data(1000..2000)
        .at(ms(440))
        .ack(3000);
    let flow = trace.flow();

    assert_eq!(flow.retransmissions.timeout_segments, 1, "{trace}");
    assert_eq!(flow.retransmissions.timeouts, 1, "{trace}");
    assert_eq!(flow.retransmissions.fast_segments, 0, "{trace}");
}

/// RFC 2883: the receiver had it before, so sending it again was not needed.
#[test]
fn a_dsack_names_a_spurious_retransmission() {
    let trace = Trace::established()
        .mss(1000)
        .at(ms(0))
        .data(0..1000)
        .at(ms(20))
        .ack(1000)
        .data(1000..2000)
        .at(ms(420))
        .data(1000..2000)
        .at(ms(425))
        .ack(2000)
        .at(ms(440))
        .dsack(2000, 1000..2000);
    let flow = trace.flow();

    assert_eq!(flow.retransmitted_segments, 1, "{trace}");
    assert_eq!(flow.retransmissions.spurious_segments, 1, "{trace}");
}

/// Karn's rule: the ACK may answer either transmission, so it measures neither.
#[test]
fn an_ack_of_a_retransmission_is_no_rtt_sample() {
    let trace = Trace::established()
        .mss(1000)
        .at(ms(0))
        .data(0..1000)
        .at(ms(20))
        .ack(1000)
        .data(1000..2000)
        .at(ms(420))
        .data(1000..2000)
        .at(ms(440))
        .ack(2000);
    let rtt = trace.flow().rtt.unwrap();

    assert!(rtt.p95_us < 21_000.0, "{rtt:?}\n{trace}");
}

/// With timestamps the echo says which transmission the ACK answers (RFC 7323 section 4).
#[test]
fn a_timestamp_echo_measures_a_retransmission() {
    let trace = Trace::with_timestamps()
        .mss(1000)
        .at(ms(0))
        .data(0..1000)
        .at(ms(20))
        .ack(1000)
        .data(1000..2000)
        .at(ms(420))
        .data(1000..2000)
        .at(ms(440))
        .ack(2000);
    let rtt = trace.flow().rtt.unwrap();

    assert!(rtt.p95_us < 25_000.0, "{rtt:?}\n{trace}");
}

/// A super-frame of segmentation offload is as many segments as the wire will see.
#[test]
fn a_super_frame_sent_again_counts_its_segments() {
    let trace = Trace::established()
        .mss(1000)
        .at(ms(0))
        .data(0..2000)
        .at(ms(20))
        .ack(2000)
        .super_frame(2000..6000, true)
        .at(ms(420))
        .data(2000..3000)
        .at(ms(440))
        .ack(3000)
        .super_frame(3000..6000, true)
        .at(ms(460))
        .ack(6000);
    let flow = trace.flow();

    assert_eq!(flow.smss_bytes, Some(1000), "{trace}");
    assert_eq!(flow.retransmitted_segments, 4, "{trace}");
}

/// Not every stack takes the timestamps off the MSS (RFC 9293 section 3.7.1): full segments are no
/// super-frames.
#[test]
fn segments_of_all_that_was_announced_are_no_super_frames() {
    let trace = (0..5_u32).fold(Trace::with_timestamps().mss(988), |trace, nth| {
        let (start, end) = (1000 * nth, 1000 * (nth + 1));
        trace
            .at(ms(20 * u64::from(nth)))
            .super_frame(start..end, nth == 0)
            .at(ms(20 * u64::from(nth) + 19))
            .ack(end)
    });
    let flow = trace.flow();
    assert_eq!(flow.smss_bytes, Some(1000), "{trace}");
    assert!(!flow.notes.iter().any(|note| note.code.0 == "N002"), "{trace}");
}

/// The window scale is in the handshake only (RFC 7323 section 2.2).
#[test]
fn the_window_is_scaled_by_the_handshake() {
    let trace = Trace::opened(7)
        .rwnd(256_000)
        .mss(1000)
        .at(ms(0))
        .data(0..1000)
        .at(ms(20))
        .ack(1000)
        .data(1000..2000)
        .at(ms(40))
        .ack(2000);

    let mean = trace.flow().rwnd_mean_bytes.unwrap();
    assert!(mean > 65_535.0, "{mean}\n{trace}");
}

/// Sequence numbers wrap (RFC 9293 section 3.4); the stream does not.
#[test]
fn a_wrap_of_the_sequence_number_changes_nothing() {
    let transfer = |trace: Trace| {
        trace
            .mss(1000)
            .at(ms(0))
            .data(0..4000)
            .at(ms(20))
            .ack(4000)
            .data(4000..8000)
            .at(ms(40))
            .ack(8000)
            .fin(8000)
            .at(ms(60))
            .fin_ack(8000)
            .flow()
    };
    assert_eq!(transfer(Trace::opened_from(1000)), transfer(Trace::opened_from(u32::MAX - 2500)));
}

/// Octets of the other direction are no data of this flow.
#[test]
fn the_two_directions_are_counted_apart() {
    let trace = Trace::established()
        .mss(1000)
        .at(ms(0))
        .data(0..200)
        .at(ms(20))
        .ack(200)
        .reply(0..500)
        .at(ms(21))
        .data(200..400)
        .at(ms(41))
        .ack(400)
        .rst();
    let report = trace.packets().analyze();

    let payloads: Vec<u64> = report.flows.iter().map(|flow| flow.payload_bytes).collect();
    assert_eq!(payloads, [400, 500], "{trace}");
}

/// Zero window, then an update: the wait in between is the receiver's.
#[test]
fn a_closed_window_is_the_receivers_limit() {
    let trace = Trace::established()
        .rwnd(4000)
        .mss(1000)
        .at(ms(0))
        .data_of_more(0..4000)
        .at(ms(20))
        .rwnd(0)
        .ack(4000)
        .at(ms(520))
        .window_update(4000)
        .data_of_more(4000..8000)
        .at(ms(540))
        .rwnd(0)
        .ack(8000)
        .at(ms(1040))
        .window_update(4000)
        .data(8000..12_000)
        .at(ms(1060))
        .ack(12_000);
    let flow = trace.flow();

    assert!(flow.limits.receive_window.share > 0.8, "{:?}\n{trace}", flow.limits);
}

/// Less than a segment is as good as nothing, and not called nothing.
#[test]
fn what_was_left_of_a_window_is_told() {
    for left in [0, 628] {
        let trace = Trace::established()
            .rwnd(4000)
            .mss(1000)
            .at(ms(0))
            .data_of_more(0..4000)
            .at(ms(20))
            .rwnd(left)
            .ack(4000)
            .at(ms(400))
            .window_update(4000)
            .data(4000..5000)
            .at(ms(420))
            .ack(5000);
        let windows = trace.flow().episodes.zero_windows;
        assert_eq!(windows.first().map(|it| it.window_min_bytes), Some(left.into()), "{trace}");
    }
}

/// Linux `tcp_rearm_rto`: duplicate ACKs do not set the timer anew. Each expiry counts.
#[test]
fn duplicate_acks_do_not_put_the_timer_off() {
    let trace = Trace::established()
        .mss(1000)
        .at(ms(0))
        .data(0..1000)
        .at(ms(20))
        .ack(1000)
        .data(1000..3000)
        .at(ms(300))
        .ack(1000)
        .at(ms(400))
        .data(1000..2000)
        .at(ms(1200))
        .data(1000..2000)
        .at(ms(1220))
        .ack(3000);
    let flow = trace.flow();

    assert_eq!(flow.retransmissions.timeout_segments, 2, "{trace}");
    assert_eq!(flow.retransmissions.timeouts, 2, "{trace}");
}

/// RFC 2018 section 8: what was SACKed is the next that is missing, so the receiver dropped it.
#[test]
fn a_receiver_that_reneges_makes_a_timeout() {
    let trace = Trace::established()
        .mss(1000)
        .at(ms(0))
        .data(0..4000)
        .at(ms(20))
        .sack(1000, 2000..4000)
        .at(ms(30))
        .data(1000..2000)
        .at(ms(50))
        .ack(2000)
        .at(ms(65))
        .data(2000..3000)
        .at(ms(85))
        .ack(4000);
    let flow = trace.flow();

    assert_eq!(flow.retransmissions.fast_segments, 1, "{trace}");
    assert_eq!(flow.retransmissions.timeout_segments, 1, "{trace}");
}

/// An idle connection has no round trips that could lack a sample.
#[test]
fn round_trips_are_those_with_data_in_flight() {
    let trace = Trace::established()
        .mss(1000)
        .at(ms(0))
        .data(0..2000)
        .at(ms(20))
        .ack(2000)
        .at(ms(500))
        .ack(2000)
        .at(ms(900))
        .data(2000..3000)
        .at(ms(920))
        .ack(3000);
    let rtt = trace.flow().rtt.expect("samples");

    // The handshake is the first.
    assert_eq!((rtt.rounds, rtt.rounds_sampled), (3, 3), "{trace}");
}

/// Two segments are lost, one more goes out at `probe`, and its SACK comes at `heard`.
fn probed_tail(probe: Duration, heard: Duration) -> Trace {
    Trace::established()
        .mss(1000)
        .at(ms(0))
        .data_of_more(0..2000)
        .at(ms(20))
        .ack(2000)
        .data_of_more(2000..4000)
        .at(probe)
        .data_of_more(4000..5000)
        .at(heard)
        .sack(2000, 4000..5000)
}

/// RFC 8985 section 7.3: where the window has room, the probe of a lost tail carries new data. It is
/// known by its time: two SRTT of silence, although data was waiting.
#[test]
fn a_tail_loss_probe_may_carry_new_data() {
    let trace = probed_tail(ms(65), ms(85));
    let sums = trace.flow().retransmissions;
    assert_eq!(sums.loss_probes_of_new_data, 1, "{trace}");
    assert_eq!((sums.loss_probe_segments, sums.timeout_segments), (0, 0), "{trace}");

    let soon = probed_tail(ms(50), ms(70));
    assert_eq!(soon.flow().retransmissions.loss_probes_of_new_data, 0, "{soon}");
}

/// RFC 8985 section 7.3: the probe sets the retransmission timer anew, so it has not expired when the probe's
/// ACK comes late.
#[test]
fn what_follows_the_ack_of_a_probe_is_no_timeout() {
    let trace = probed_tail(ms(65), ms(225)).data_of_more(2000..3000);
    let sums = trace.flow().retransmissions;

    assert_eq!(sums.loss_probes_of_new_data, 1, "{trace}");
    assert_eq!((sums.fast_segments, sums.timeout_segments), (1, 0), "{trace}");
}

/// No timer of a kernel is that fine: two round trips of 40 us are over sooner than a tick.
#[test]
fn data_within_a_tick_are_no_tail_loss_probe() {
    let us = Duration::from_micros;
    let probed = |pause| {
        let mut trace = Trace::established().mss(1000);
        for round in 0..80 {
            let (sent, start) = (us(100) * round, 1000 * round);
            trace = trace.at(sent).data_of_more(start..start + 1000);
            trace = trace.at(sent + us(40)).ack(start + 1000);
        }
        let last = trace.data_of_more(80_000..82_000).at(us(7940) + pause);
        let probe = last.data_of_more(82_000..83_000);
        probe.at(us(7980) + pause).ack(83_000).flow().retransmissions.loss_probes_of_new_data
    };
    assert_eq!((probed(us(400)), probed(ms(4))), (0, 1));
}

/// An application that writes behind a delayed ACK sends no probe: its queue had run dry.
#[test]
fn a_late_write_is_no_tail_loss_probe() {
    let trace = Trace::established()
        .mss(1000)
        .at(ms(0))
        .data(0..2000)
        .at(ms(20))
        .ack(2000)
        .data(2000..4000)
        .at(ms(150))
        .data(4000..5000)
        .at(ms(170))
        .ack(5000);

    assert_eq!(trace.flow().retransmissions.loss_probes_of_new_data, 0, "{trace}");
}

/// A D-SACK for what was sent once tells of a copy made on the way: no retransmission was needless.
#[test]
fn a_copy_on_the_way_is_no_needless_retransmission() {
    let trace = Trace::established()
        .mss(1000)
        .at(ms(0))
        .data(0..3000)
        .at(ms(20))
        .ack(3000)
        .at(ms(21))
        .dsack(3000, 1000..2000);
    let sums = trace.flow().retransmissions;

    assert_eq!((sums.spurious_segments, sums.dsack_segments), (0, 1), "{trace}");
}

/// A capture of the receiver's packets alone, from the handshake on or from later: what they acknowledge was
/// sent.
#[test]
fn acknowledgments_alone_tell_how_much_arrived() {
    let trace = (1_u32..=10)
        .fold(Trace::established().mss(1000).at(ms(0)).data(0..10_000), |trace, number| {
            trace.at(ms(20 * u64::from(number))).ack(1000 * number)
        });
    for (left_out, octets) in [(0, 10_000.0), (2, 8_000.0)] {
        let mut packets = trace.packets().clone();
        packets.packets.retain(|packet| packet.from == Side::Server);
        packets.packets.drain(..left_out);
        let flow = packets.client_flow();
        let told = flow.goodput_bps.unwrap() * flow.duration_s / 8.0;
        assert!((told - octets).abs() < 1.0, "{told} of {octets} octets in\n{packets}");
        assert_eq!((flow.packets, flow.payload_bytes), (0, 0), "{packets}");
    }
}

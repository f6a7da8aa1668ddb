//! One limit at a time, on simulated paths where nothing else is near: the oddities that the grid
//! does not vary.

use std::time::Duration;

use tcplimit::model::{Cause, Confidence, FlowReport, Limit, Vantage};
use tcplimit::testing::{Application, Path, Reader, Tap, Trace, ms};

/// The reader takes 250 kB/s of the 2.5 MB/s that the path carries.
#[test]
fn a_slow_reader_is_the_receive_windows_limit() {
    let reader = Reader::Slow { chunk: 5_000, interval: ms(20) };
    let flow = Path { rcvbuf: 64_000, reader, ..Path::default() }.flow();
    assert_limit(&flow, Limit::ReceiveWindow, 0.9);
}

/// The mean of one round trip is its least, and a clock of 10 ms tells no shorter one.
#[test]
fn a_queue_is_only_told_where_it_would_show() {
    let once = Trace::midway().data(0..1000).at(ms(20)).ack(1000);
    let why = once.at(ms(100)).data(1000..2000).flow().verdict.why.join("; ");
    assert!(why.contains("measured once") && !why.contains("no queue"), "{why}");

    let coarse = Trace::midway().data(0..1000).ack(1000).at(ms(10)).data(1000..2000).at(ms(20));
    let coarse = coarse.ack(2000).at(ms(40)).data(2000..3000);
    let why = coarse.flow().verdict.why.join("; ");
    assert!(why.contains("less than the capture's clock resolves"), "{why}");

    // One late answer before a pause makes a mean of milliseconds of answers within a tick.
    let mut still = Trace::midway();
    for n in 0..30 {
        let (start, end) = (n * 1000, n * 1000 + 1000);
        still = still.at(ms(10 * u64::from(n))).data(start..end).ack(end);
    }
    still = still.at(ms(300)).data(30_000..31_000).at(ms(340)).ack(31_000);
    let flow = still.at(ms(5000)).data(31_000..32_000).flow();
    let why = flow.verdict.why.join("; ");
    assert!(why.contains("RTT below the clock's tick"), "{why}");
    let rtt = flow.rtt.unwrap();
    assert!(rtt.usual_us < 1.0 && rtt.mean_us > 4000.0, "{rtt:?}");
}

/// Half a second of silence after each write that takes a round trip or two.
#[test]
fn pauses_between_writes_are_the_applications() {
    let application = Application::Paced { chunk: 50_000, interval: ms(500) };
    let flow = Path { application, ..Path::default() }.flow();
    assert_limit(&flow, Limit::Application, 0.8);
    assert!(cause_share(&flow, Limit::Application, Cause::Idle) > 0.6, "{:?}", flow.limits);
}

/// A write of one segment each 5 ms: something is nearly always in flight, and never much.
#[test]
fn a_steady_trickle_is_the_applications() {
    let application = Application::Paced { chunk: 1000, interval: ms(5) };
    let flow = Path { application, ..Path::default() }.flow();
    assert_limit(&flow, Limit::Application, 0.9);
}

/// A sender that spaces its segments at a quarter of the bottleneck's rate. A writer's timer looks
/// the same, so the verdict may name either; the stated range has to cover the cause.
#[test]
fn pacing_stays_possible_where_a_timer_looks_the_same() {
    let flow = Path { pacing_bps: Some(5_000_000), ..Path::default() }.flow();
    assert!(flow.limits.congestion_window.share_high > 0.9, "{:?}", flow.limits);
    let is_either = matches!(flow.verdict.limit, Limit::CongestionWindow | Limit::Application);
    assert!(is_either, "{:?}", flow.verdict);
}

/// Paced as fast as the bottleneck is, or a little slower: the queue that slow start built hardly shrinks,
/// which no writer's timer leaves to stand.
#[test]
fn a_queue_that_stands_is_no_slow_writer_s() {
    let pacing_bps = Some(200_000);
    let flow =
        Path { rate_bps: 200_000, pacing_bps, duration: ms(20_000), ..Path::default() }.flow();
    assert_limit(&flow, Limit::CongestionWindow, 0.9);
    assert!(cause_share(&flow, Limit::CongestionWindow, Cause::Pacing) > 0.5, "{:?}", flow.limits);
}

/// Slow start never ends on a path that is faster than the transfer is long.
#[test]
fn growth_without_loss_is_slow_start() {
    let queue = 10_000_000;
    let path = Path { rate_bps: 1_000_000_000, queue, duration: ms(250), ..Path::default() };
    let flow = path.flow();
    assert!(
        cause_share(&flow, Limit::CongestionWindow, Cause::SlowStart) > 0.4,
        "{:?}",
        flow.limits
    );
    assert_eq!(flow.retransmitted_segments, 0);
}

/// The same transfer from three taps: each has to say where it stands, and the same limit.
#[test]
fn the_tap_does_not_change_the_limit() {
    let causes = [
        (Limit::ReceiveWindow, Path { rcvbuf: 32_000, ..Path::default() }),
        (Limit::CongestionWindow, Path { loss_one_in: 50, ..Path::default() }),
        (
            Limit::Application,
            Path {
                application: Application::Paced { chunk: 2_500, interval: ms(10) },
                ..Path::default()
            },
        ),
    ];
    let taps = [
        (Tap::Sender, Vantage::Sender),
        (Tap::Middle, Vantage::Middle),
        (Tap::Receiver, Vantage::Receiver),
    ];
    for (limit, path) in causes {
        for (tap, vantage) in taps {
            let flow = Path { tap, ..path }.flow();
            assert_eq!(flow.vantage, vantage, "{limit:?} from {tap:?}");
            assert_limit(&flow, limit, 0.5);
        }
    }
}

/// Losses on the path are none of the capture's.
#[test]
fn losses_of_the_network_are_no_gaps_of_the_capture() {
    for loss_one_in in [0, 1000, 100, 20] {
        let path = Path { loss_one_in, ..Path::default() };
        let flow = path.flow();
        assert!(flow.has_handshake, "{path:?}");
        assert!(flow.goodput_bps.is_some_and(|goodput| goodput > 100_000.0), "{path:?}");
        assert_eq!(flow.artefacts.missed_bytes, 0, "{path:?}");
    }
}

fn assert_limit(flow: &FlowReport, limit: Limit, share_min: f64) {
    let verdict = &flow.verdict;
    assert_eq!(verdict.limit, limit, "{:?}", flow.limits);
    assert!(verdict.share >= share_min, "{limit:?} only {}: {:?}", verdict.share, flow.limits);
}

fn cause_share(flow: &FlowReport, limit: Limit, cause: Cause) -> f64 {
    let limits = &flow.limits;
    let share = match limit {
        Limit::Application => &limits.application,
        Limit::CongestionWindow => &limits.congestion_window,
        _ => &limits.receive_window,
    };
    share.causes.iter().filter(|part| part.cause == cause).map(|part| part.share).sum()
}

/// Loopback: MSS is as large as the window, so that less than one MSS is left whenever anything is in flight.
#[test]
fn a_segment_size_near_the_window_does_not_make_it_full() {
    let mut trace = Trace::opened(7).mss(65_483).rwnd(64_256);
    for message in 0..40 {
        let at = ms(25 * u64::from(message));
        trace = trace.at(at).data(message..message + 1).at(at + ms(10)).ack(message + 1);
    }
    let flow = trace.flow();
    assert_limit(&flow, Limit::Application, 0.9);
    assert!(flow.limits.receive_window.share < 0.01, "{:?}", flow.limits);
    assert_eq!(flow.smss_bytes, Some(32_128));
}

/// The path takes less than both ends offered (its MTU was learned from a router): each full segment is
/// below the MSS of the handshake.
#[test]
fn full_segments_of_a_narrow_path_do_not_look_like_a_dry_queue() {
    const SMSS: u32 = 1360;
    let mut trace = Trace::opened(7).mss(1460).rwnd(4_000_000);
    let (mut next, mut acked) = (0, 0);
    for _ in 0..10 {
        trace = trace.super_frame(next..next + SMSS, false);
        next += SMSS;
    }
    // Each ACK is for one segment, and answered at once by one; once a round trip by one more.
    for round in 1..30 {
        let in_flight = (next - acked) / SMSS;
        for segment in 0..in_flight {
            acked += SMSS;
            trace = trace.at(ms(50 * round) + Duration::from_millis(1) * segment).ack(acked);
            for _ in 0..if segment == 0 { 2 } else { 1 } {
                trace = trace.super_frame(next..next + SMSS, false);
                next += SMSS;
            }
        }
    }
    let flow = trace.flow();
    assert_eq!(flow.smss_bytes, Some(u64::from(SMSS)));
    assert_limit(&flow, Limit::CongestionWindow, 0.8);
}

/// What other subflows carry is not seen in one of them.
#[test]
fn a_subflow_is_judged_with_less_confidence() {
    let exchange = |mut trace: Trace| {
        for message in 0..40 {
            let at = ms(25 * u64::from(message));
            trace = trace.at(at).data(message..message + 1).at(at + ms(10)).ack(message + 1);
        }
        trace.flow()
    };
    let (alone, subflow) = (exchange(Trace::opened(7)), exchange(Trace::opened(7).multipath()));
    assert_eq!(alone.limits, subflow.limits);
    assert_eq!(alone.verdict.confidence, Confidence::High);
    assert_eq!(subflow.verdict.confidence, Confidence::Medium);
    assert!(
        subflow.notes.iter().any(|note| note.code.to_string() == "N012"),
        "{:?}",
        subflow.notes
    );
}

/// Captured from the middle on, a quarter of the packets missing. Away from the sender the least scale that
/// fits what shows in flight is too small: its window seems full, or nothing of it shows, whatever the limit.
#[test]
fn without_the_handshake_no_window_limits_for_sure_away_from_the_sender() {
    let small_window = Path { rcvbuf: 60_000, ..Path::default() };
    let trickle = Path {
        application: Application::Paced { chunk: 30_000, interval: ms(20) },
        ..Path::default()
    };
    for path in [Path::default(), small_window, trickle] {
        for tap in [Tap::Sender, Tap::Middle, Tap::Receiver] {
            let path = Path { tap, ..path };
            let told = path.flow().verdict.limit;
            let mut capture = path.capture();
            capture.packets.drain(..capture.packets.len() / 4);
            let verdict = capture.client_flow().verdict;
            let is_sure = verdict.confidence > Confidence::Low;
            assert!(!is_sure || verdict.limit == told, "{tap:?}: {told:?}, not {verdict:?}");
        }
    }
}

/// A filter kept the segments with payload: what is left of a transfer looks like a sender that nothing
/// holds. So it does of one that ends in the midst of its first window, of which less is known than is held
/// against it.
#[test]
fn without_the_acknowledgments_of_what_was_sent_there_is_no_verdict() {
    let mut capture = Path::default().capture();
    capture.packets.retain(|packet| packet.len > 0 || packet.syn);
    let flow = capture.client_flow();
    assert_eq!(flow.verdict.limit, Limit::CaptureGap, "{:?}", flow.verdict);
    assert!(flow.notes.iter().any(|note| note.code.to_string() == "W004"), "{:?}", flow.notes);

    let window = (0..10).fold(Trace::established(), |trace, nth| {
        trace.at(ms(20)).data(nth * 1460..(nth + 1) * 1460)
    });
    assert_ne!(window.flow().verdict.limit, Limit::CaptureGap);
}

/// A request, then a first window of eleven segments that is lost: ten, and one for the ACK of the request.
/// The sender sends its head again and again, so it hears nothing either.
#[test]
fn a_sender_that_waits_for_its_timer_lacks_no_acknowledgments() {
    let asked = Trace::established().data(0..20).at(ms(20)).ack(20);
    let segment = |nth: u32| 20 + nth * 1460..20 + (nth + 1) * 1460;
    let sent = (0..12).fold(asked.at(ms(30)), |trace, nth| trace.data(segment(nth)));
    let lost = [240, 680, 1550, 3300, 6800];
    let flow =
        lost.into_iter().fold(sent, |trace, time| trace.at(ms(time)).data(segment(0))).flow();
    assert_ne!(flow.verdict.limit, Limit::CaptureGap, "{:?}", flow.verdict);
    assert!(flow.notes.iter().all(|note| note.code.to_string() != "W004"), "{:?}", flow.notes);
}

/// A message that is lost three times over: the program has no more to send, and waits for that alone.
#[test]
fn an_application_whose_last_message_is_lost_is_held_up_by_losses() {
    let asked = Trace::established().data(0..100).at(ms(50)).ack(100).at(ms(60)).data(100..200);
    let lost =
        [300, 800, 1800].into_iter().fold(asked, |trace, time| trace.at(ms(time)).data(100..200));
    let verdict = lost.at(ms(1850)).ack(200).at(ms(1900)).data(200..300).flow().verdict;
    assert_eq!(verdict.limit, Limit::Application);
    assert_eq!(verdict.advice[0].code.to_string(), "A004", "{verdict:?}");
    assert!(verdict.text.contains("losses held it up for"), "{}", verdict.text);
    let why = verdict.why.join("; ");
    assert!(why.contains("nothing moved until lost segments were retransmitted"), "{why}");

    let told = Trace::established().data(0..100).at(ms(50)).ack(100).at(ms(2000)).data(100..200);
    let verdict = told.flow().verdict;
    assert!(verdict.advice.iter().all(|advice| advice.code.to_string() != "A004"), "{verdict:?}");
}

/// A request of 20 octets passes, then a window of eleven segments is sent; the first one is sent again at
/// these times.
fn large_in_vain(times: &[u64]) -> Trace {
    let asked = Trace::established().mss(1460).data(0..20).at(ms(20)).ack(20);
    let sent = asked.at(ms(30)).data_of_more(20..16_080);
    times.iter().fold(sent, |trace, time| trace.at(ms(*time)).data(20..1480))
}

/// What is told of large segments: the codes of the advice, and the reason.
fn told_of_large(trace: &Trace) -> (Vec<String>, Option<String>) {
    let verdict = trace.flow().verdict;
    let codes = verdict.advice.iter().map(|advice| advice.code.to_string()).collect();
    (codes, verdict.why.into_iter().find(|reason| reason.contains("no segment of")))
}

/// RFC 2923 section 2.1. The sender goes on with smaller segments once it suspects that, as Linux does with
/// `tcp_mtu_probing`, or the short end of what it sent is SACKed all the time.
#[test]
fn segments_too_large_for_the_path_are_told_by_the_smaller_ones_that_pass() {
    let repeats = [240, 680, 1550, 3300];
    let in_parts = large_in_vain(&repeats).at(ms(6800)).data(20..750).at(ms(6820)).ack(750);
    let whole = in_parts.data(750..1480).at(ms(6840)).ack(1480);
    let tail = large_in_vain(&[]).data(16_080..16_580).at(ms(50)).sack(20, 16_080..16_580);
    let tail = repeats.iter().fold(tail, |trace, time| trace.at(ms(*time)).data(20..1480));
    let tail = tail.at(ms(3400)).data(16_580..16_680).at(ms(3420)).sack(20, 16_080..16_680);
    for (trace, largest) in [(whole, "730 B"), (tail, "500 B")] {
        let flow = trace.flow();
        let (codes, reason) = told_of_large(&trace);
        assert_eq!(codes[0], "A011", "{:?}", flow.verdict);
        assert!(!codes.contains(&"A004".to_owned()), "{codes:?}");
        let reason = reason.unwrap();
        assert!(reason.contains("1460 B") && reason.contains("4 times"), "{reason}");
        assert!(reason.ends_with(largest), "{reason}");
        assert!(flow.verdict.text.ends_with("; the path drops its large packets"), "{flow:?}");
    }
}

/// Nothing came back after them: the receiver may be gone as well.
#[test]
fn large_segments_that_nothing_follows_are_no_proof() {
    let trace = large_in_vain(&[240, 680, 1550]);
    let verdict = trace.flow().verdict;
    assert!(verdict.advice[0].text.contains("either the receiver is gone, or"), "{verdict:?}");
    // 1460 octets behind a TCP header are a packet as large as 1472 behind that of an echo request.
    assert!(verdict.advice[0].text.contains("ping -M do -s 1472,"), "{verdict:?}");
    assert!(verdict.text.ends_with("; no large segment got through"), "{}", verdict.text);
    // RFC 1122 section 4.2.3.5: not before the third.
    assert_eq!(told_of_large(&large_in_vain(&[240, 680])).1, None);
}

/// The same losses, and in the end one as large arrives.
#[test]
fn a_large_segment_that_arrives_in_the_end_was_not_too_large() {
    let trace = large_in_vain(&[240, 680, 1550, 3300]).at(ms(3320)).ack(1480);
    let (codes, reason) = told_of_large(&trace);
    assert!(reason.is_none() && !codes.contains(&"A011".to_owned()), "{codes:?}, {reason:?}");
    // Nor was one, of which a later one as large was SACKed.
    let trace = large_in_vain(&[240, 680, 1550, 3300]).at(ms(3320)).sack(20, 1480..2940);
    assert_eq!(told_of_large(&trace).1, None);
    // Small ones did not arrive either.
    let trace = [240, 680, 1550, 3300]
        .into_iter()
        .fold(Trace::established().mss(1460), |trace, time| trace.at(ms(time)).data(0..1460));
    assert_eq!(told_of_large(&trace).1, None);
}

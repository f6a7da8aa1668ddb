//! Stalls, losses and closed windows, on hand-placed segments.

use tcplimit::model::{Episodes, Limit, LossTrigger, OpenedBy, StallCause, Vantage, WindowScale};
use tcplimit::testing::{Packet, Path, Tap, Trace, ms};

/// Data and its ACK 20 ms later, so that the RTT is known.
fn begun() -> Trace {
    Trace::established().mss(1000).rwnd(20_000).at(ms(0)).data(0..2000).at(ms(20)).ack(2000)
}

fn causes(episodes: &Episodes) -> Vec<StallCause> {
    episodes.stalls.iter().map(|stall| stall.cause).collect()
}

#[test]
fn the_last_segment_lost_is_a_tail_loss() {
    let trace = begun()
        .data(2000..4000)
        .at(ms(40))
        .ack(3000)
        .at(ms(300))
        .data(3000..4000)
        .at(ms(320))
        .ack(4000);
    let episodes = trace.flow().episodes;

    assert_eq!(causes(&episodes), [StallCause::TailLoss], "{trace}");
    assert!((episodes.stalls_time_s - 0.26).abs() < 1e-9, "{trace}");
}

/// A FIN takes one octet, and nothing can follow it.
#[test]
fn a_lost_fin_is_a_tail_loss() {
    let trace = begun().fin(2000).at(ms(300)).fin(2000).at(ms(320)).fin_ack(2000);
    assert_eq!(causes(&trace.flow().episodes), [StallCause::TailLoss], "{trace}");
}

/// The capture shows the ACK, and the sender did not get it: its timer expired.
#[test]
fn a_lost_ack_is_a_late_one() {
    let trace =
        begun().data(2000..3000).at(ms(40)).ack(3000).at(ms(300)).data(2000..3000).at(ms(320));
    let trace = trace.dsack(3000, 2000..3000);
    assert_eq!(causes(&trace.flow().episodes), [StallCause::LateAck], "{trace}");
}

#[test]
fn many_losses_at_once_bring_no_duplicate_acks() {
    let trace = begun()
        .data(2000..10_000)
        .at(ms(300))
        .data(2000..3000)
        .at(ms(320))
        .ack(3000)
        .data(3000..10_000)
        .at(ms(340))
        .ack(10_000);
    let episodes = trace.flow().episodes;

    assert_eq!(causes(&episodes), [StallCause::ManyLost], "{trace}");
    assert_eq!(episodes.losses_count, 1, "{trace}");
    let loss = episodes.losses.first().copied();
    assert_eq!(loss.map(|loss| loss.trigger), Some(LossTrigger::Timeout), "{trace}");
    assert_eq!(loss.map(|loss| (loss.segments, loss.is_open)), Some((8, false)), "{trace}");
    assert_eq!(loss.map(|loss| loss.pipe_before_bytes), Some(8000), "{trace}");
}

#[test]
fn a_stall_that_a_probe_with_new_data_ends_is_a_tail_loss() {
    let probed = || begun().data_of_more(2000..4000).at(ms(70)).data(4000..5000).at(ms(90));
    let lost = probed().sack(2000, 4000..5000);
    assert_eq!(causes(&lost.flow().episodes), [StallCause::TailLoss], "{lost}");

    let late = probed().ack(5000);
    assert_eq!(causes(&late.flow().episodes), [StallCause::LateAck], "{late}");
}

/// The receiver got it twice (RFC 2883), or the ACK is there before the repair can have arrived.
#[test]
fn a_needless_repair_shows_that_the_ack_was_late() {
    let repaired = || begun().data(2000..10_000).at(ms(300)).data(2000..3000);
    let twice = repaired().at(ms(330)).ack(10_000).at(ms(340)).dsack(10_000, 2000..3000);
    assert_eq!(causes(&twice.flow().episodes), [StallCause::LateAck], "{twice}");

    let soon = repaired().at(ms(305)).ack(10_000);
    assert_eq!(causes(&soon.flow().episodes), [StallCause::LateAck], "{soon}");

    let needed = repaired().at(ms(320)).ack(10_000);
    assert_eq!(causes(&needed.flow().episodes), [StallCause::ManyLost], "{needed}");
}

/// A delay on the way: first the probe, then the timer expire, and all was delivered.
#[test]
fn all_stalls_of_a_delay_are_told_as_late_acks() {
    let trace = begun()
        .data_of_more(2000..10_000)
        .at(ms(80))
        .data_of_more(10_000..11_000)
        .at(ms(350))
        .data(2000..3000)
        .at(ms(400))
        .ack(11_000)
        .at(ms(420))
        .dsack(11_000, 2000..3000);
    assert_eq!(causes(&trace.flow().episodes), [StallCause::LateAck; 3], "{trace}");
}

#[test]
fn a_pause_with_nothing_in_flight_is_the_senders() {
    let trace = begun().at(ms(500)).data(2000..4000).at(ms(520)).ack(4000);
    assert_eq!(causes(&trace.flow().episodes), [StallCause::SenderIdle], "{trace}");
}

/// At the receiver, which never saw what was lost: the timer lets one segment out, an idle sender more.
#[test]
fn silence_at_the_receiver_is_told_by_what_follows() {
    let after_silence = |resumed: fn(Trace) -> Trace| {
        let trace = Trace::established()
            .mss(1000)
            .rwnd(20_000)
            .at(ms(0))
            .data_of_more(0..2000)
            .ack(2000)
            .at(ms(20))
            .data_of_more(2000..6000)
            .ack(6000)
            .at(ms(600));
        let trace = resumed(trace).ack(9000).at(ms(640)).data_of_more(9000..11_000).ack(11_000);
        let mut packets = trace.packets().clone();
        if let [syn, answer, ..] = &mut packets.packets[..] {
            answer.time = syn.time;
        }
        let flow = packets.client_flow();
        assert_eq!(flow.vantage, Vantage::Receiver, "{trace}");
        causes(&flow.episodes)
    };
    let lost = |trace: Trace| {
        trace.data_of_more(6000..7000).ack(7000).at(ms(620)).data_of_more(7000..9000)
    };
    assert_eq!(after_silence(lost), [StallCause::TailLoss]);
    let idle = [StallCause::SenderIdle];
    assert_eq!(after_silence(|trace| trace.data_of_more(6000..9000)), idle);
    let written =
        |trace: Trace| trace.data(6000..7000).ack(7000).at(ms(620)).data_of_more(7000..9000);
    assert_eq!(after_silence(written), idle);
}

/// BSD and Windows fill up a repair, and segmentation offload shows both as one frame.
#[test]
fn what_goes_out_first_behind_a_repair_is_not_sent_again() {
    let trace = begun().data(2000..4000).at(ms(300)).super_frame(2000..6000, true);
    let flow = trace.at(ms(320)).ack(6000).flow();
    let repaired: Vec<u64> = flow.episodes.losses.iter().map(|loss| loss.segments).collect();

    assert_eq!((flow.retransmitted_segments, repaired), (2, vec![2]));
}

/// The sender answers the ACK that ends the repair with what the halved window lets it send.
#[test]
fn a_loss_tells_what_was_out_before_and_after() {
    let trace = begun()
        .data_of_more(2000..12_000)
        .at(ms(40))
        .sack(2000, 3000..12_000)
        .data(2000..3000)
        .at(ms(60))
        .ack(12_000)
        .data_of_more(12_000..17_000)
        .at(ms(80))
        .ack(17_000)
        .data(17_000..23_000)
        .at(ms(100))
        .ack(23_000);
    let losses = trace.flow().episodes.losses;
    let told: Vec<_> = losses
        .iter()
        .map(|loss| (loss.trigger, loss.segments, loss.pipe_before_bytes, loss.pipe_after_bytes))
        .collect();
    assert_eq!(told, [(LossTrigger::Acks, 1, 10_000, 5000)], "{trace}");
}

/// A keep-alive and its answer break no silence: nothing was sent, and nothing was learned.
#[test]
fn keep_alives_do_not_divide_a_pause() {
    let trace = begun()
        .at(ms(5000))
        .data(1999..2000)
        .at(ms(5020))
        .ack(2000)
        .at(ms(10_000))
        .data(1999..2000)
        .at(ms(10_020))
        .ack(2000)
        .at(ms(12_000))
        .data(2000..4000)
        .at(ms(12_020))
        .ack(4000);
    let episodes = trace.flow().episodes;

    assert_eq!(causes(&episodes), [StallCause::SenderIdle], "{trace}");
    assert!((episodes.stalls_time_s - 11.98).abs() < 1e-9, "{trace}");
}

#[test]
fn more_stalls_than_the_list_holds_are_counted() {
    let mut trace = begun();
    for number in 0..300_u32 {
        let start = 2000 + number * 100;
        let time = ms(500 + u64::from(number) * 500);
        trace = trace.at(time).data(start..start + 100).at(time + ms(20)).ack(start + 100);
    }
    let episodes = trace.flow().episodes;

    assert_eq!((episodes.stalls.len(), episodes.stalls_count), (256, 300), "{trace}");
    assert!((episodes.stalls_time_s - 300.0 * 0.48).abs() < 1e-6, "{trace}");
}

#[test]
fn a_pause_that_a_request_ends_is_the_peers() {
    let trace =
        begun().at(ms(500)).reply(0..100).at(ms(501)).data(2000..4000).at(ms(520)).ack(4000);
    assert_eq!(causes(&trace.flow().episodes), [StallCause::PeerIdle], "{trace}");
}

#[test]
fn an_ack_that_comes_late_is_told_as_such() {
    let trace = begun().data(2000..8000).at(ms(200)).ack(8000);
    assert_eq!(causes(&trace.flow().episodes), [StallCause::LateAck], "{trace}");
}

#[test]
fn a_closed_window_tells_who_opened_it() {
    let closed = || begun().data(2000..4000).at(ms(40)).rwnd(0).ack(4000);
    let updated = closed().at(ms(400)).window_update(20_000).data(4000..6000).at(ms(420)).ack(6000);
    let windows = updated.flow().episodes.zero_windows;
    let opened: Vec<OpenedBy> = windows.iter().map(|window| window.opened_by).collect();
    assert_eq!(opened, [OpenedBy::WindowUpdate], "{updated}");
    let length = windows.first().map(|window| window.end_s - window.start_s);
    assert!(length.is_some_and(|length| (length - 0.36).abs() < 1e-9), "{updated}");
    let why = updated.flow().verdict.why.join("; ");
    assert!(
        why.contains("of its window open for 380 ms") && !why.contains("window / RTT"),
        "{why}"
    );

    let probed = closed()
        .at(ms(300))
        .data(3999..4000)
        .at(ms(320))
        .window_update(20_000)
        .data(4000..6000)
        .at(ms(340))
        .ack(6000);
    let windows = probed.flow().episodes.zero_windows;
    let opened: Vec<_> = windows.iter().map(|window| (window.opened_by, window.probes)).collect();
    assert_eq!(opened, [(OpenedBy::ProbeAnswer, 1)], "{probed}");
}

/// On loopback a segment holds 64 kB, and the window begins with 43 690 octets.
#[test]
fn a_window_that_was_never_larger_is_not_closed() {
    let opened = Trace::established().mss(65_483).rwnd(43_690).data(0..100);
    let trace = opened.at(ms(1)).ack(100).data(100..200).at(ms(2)).ack(200);
    assert_eq!(trace.flow().episodes.zero_windows_count, 0, "{trace}");
}

/// Zero is zero at any scale: of a window whose scale is not known, it is known when it is closed.
#[test]
fn a_closed_window_limits_whatever_its_scale() {
    let closed = || {
        let begun = Trace::midway().at(ms(0)).data(0..1000).at(ms(20)).rwnd(0).ack(1000);
        begun.at(ms(300)).data(999..1000).at(ms(320)).ack(1000)
    };
    let dead = closed().at(ms(900)).data(999..1000).at(ms(920)).ack(1000);
    let flow = dead.flow();
    assert_eq!(flow.window_scale, WindowScale::Unknown, "{dead}");
    assert_eq!(flow.verdict.limit, Limit::ReceiveWindow, "{dead}");
    assert_eq!((flow.episodes.zero_windows_count, flow.artefacts.window_probes), (1, 2), "{dead}");
    assert_eq!((flow.rwnd_mean_bytes, flow.receive_buffer), (None, None), "{dead}");
    let told = flow.notes.iter().any(|note| note.text.contains("judged while it was closed"));
    assert!(told, "{:?}", flow.notes);

    let opened = closed().at(ms(900)).rwnd(500).window_update(500).data(1000..1500);
    let flow =
        opened.at(ms(920)).ack(1500).at(ms(1800)).data(1500..2000).at(ms(1820)).ack(2000).flow();
    let how: Vec<_> = flow.episodes.zero_windows.iter().map(|window| window.opened_by).collect();
    assert_eq!(how, [OpenedBy::WindowUpdate]);
    let receive_window = flow.limits.receive_window;
    assert!((receive_window.time_s - 0.9).abs() < 0.001, "{receive_window:?}");
}

/// There is no more of its start to capture.
#[test]
fn a_syn_without_an_answer_is_the_start() {
    let mut packets = Trace::established().packets().clone();
    packets.packets.truncate(1);
    let syn = packets.packets.first().cloned();
    let copies = [1000, 3000].map(|after| {
        syn.clone().map(|syn| Packet { time: syn.time.saturating_add(ms(after)), ..syn })
    });
    packets.packets.extend(copies.into_iter().flatten());
    let flow = packets.client_flow();
    assert_eq!(flow.retransmissions.handshake_segments, 2);
    let told: Vec<&str> = flow.notes.iter().map(|note| note.code.0).collect();
    assert!(!told.iter().any(|code| ["W005", "N004"].contains(code)), "{told:?}");
    assert!(told.contains(&"N015"), "{told:?}");
    assert_eq!(flow.verdict.text, "its SYN was not answered, though sent 3 times in 3.00 s");
    let stalls: Vec<_> = flow.episodes.stalls.iter().map(|stall| stall.cause).collect();
    assert_eq!(stalls, [StallCause::HandshakeUnanswered]);
}

/// Its acknowledgment tells that it was, though the answer is not in the capture.
#[test]
fn a_syn_that_was_acknowledged_unseen_is_not_called_unanswered() {
    let mut packets = Trace::established().packets().clone();
    packets.packets.truncate(3);
    packets.packets.remove(1);
    let flow = packets.client_flow();
    let told: Vec<&str> = flow.notes.iter().map(|note| note.code.0).collect();
    assert!(told.contains(&"W004") && !told.contains(&"N015"), "{told:?}");
}

/// What ends a repair is an ACK: without any, the first repair would seem to last until the end.
#[test]
fn no_repairs_are_told_of_a_capture_without_acknowledgments() {
    let whole = Path { loss_one_in: 50, ..Path::default() }.capture();
    assert!(whole.client_flow().episodes.losses_count > 0);
    let mut sent = whole;
    sent.packets.retain(|packet| packet.len > 0);
    let flow = sent.client_flow();
    assert!(flow.retransmitted_segments > 0);
    assert_eq!((flow.episodes.losses_count, flow.episodes.losses.len()), (0, 0));
}

/// The last ACKs reach the sender after they have passed the tap, and the capture is over by then.
#[test]
fn nothing_that_is_told_lies_beyond_the_end() {
    for (tap, seed) in
        [Tap::Middle, Tap::Receiver].into_iter().flat_map(|tap| (1..6).map(move |seed| (tap, seed)))
    {
        let path = Path { tap, seed, loss_one_in: 60, duration: ms(3000), ..Path::default() };
        let flow = path.flow();
        let end = flow.duration_s + 1e-9;
        let Episodes { stalls, losses, .. } = &flow.episodes;
        let ends = stalls.iter().map(|it| it.end_s).chain(losses.iter().map(|it| it.end_s));
        let points = flow.path.queueing.iter().flat_map(|it| &it.series).map(|it| it.t_s);
        let late: Vec<f64> = ends.chain(points).filter(|time| *time > end).collect();
        assert!(late.is_empty(), "{tap:?} {seed}: {late:?} beyond {end}");
        let is_turned = flow.intervals.iter().any(|it| it.first_frame > it.last_frame);
        assert!(!is_turned, "{tap:?} {seed}: {:?}", flow.intervals);
    }
}

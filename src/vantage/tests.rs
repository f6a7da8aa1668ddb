//! A sender `half` away from the tap, its acknowledgments and what it is told of them.

#![expect(clippy::arithmetic_side_effects, reason = "test code")]

mod echoes;

use proptest::prelude::*;

use super::*;
use crate::flow::{Departure, SackRanges};
use crate::units::FrameNumber;
use crate::wire::TcpTimestamps;

/// Times at which the sender was told, in ms: data as themselves, acknowledgments by number.
#[derive(Debug, Default)]
struct Log {
    data: Vec<Timestamp>,
    unprompted: Vec<bool>,
    acks: Vec<(u64, Timestamp)>,
    tap_ticks: Vec<Duration>,
    /// What it was told of when the way was found.
    told_before: Option<usize>,
    last: Timestamp,
}

impl Log {
    fn at(&mut self, time: Timestamp) {
        assert!(time >= self.last, "told in order of time");
        self.last = time;
    }

    fn acks_ms(&self) -> Vec<(u64, u64)> {
        self.acks.iter().map(|&(ack, time)| (ack, time.0 / 1_000_000)).collect()
    }
}

impl Consumer for Log {
    type Settings = ();

    fn with((): ()) -> Self {
        Self::default()
    }

    fn on_handshake(&mut self, _: &Handshake) {}

    fn on_tap_tick(&mut self, tick: Duration) {
        self.tap_ticks.push(tick);
    }

    fn on_way_found(&mut self) {
        self.told_before = Some(self.acks.len());
    }

    fn on_data(&mut self, data: &Data) {
        self.at(data.time);
        self.data.push(data.time);
        self.unprompted.push(data.departure == Departure::Unprompted);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.at(ack.time);
        self.acks.push((ack.ack.0, ack.time));
    }
}

fn at_ms(ms: u64) -> Timestamp {
    Timestamp(ms * 1_000_000)
}

#[expect(clippy::unnecessary_wraps, reason = "as the field that it is for")]
fn stamps(value: u32, echo: u32) -> Option<TcpTimestamps> {
    Some(TcpTimestamps { value, echo })
}

/// A thousand octets from `start`.
fn data(ms: u64, start: u64, timestamps: Option<TcpTimestamps>) -> Data {
    Data {
        frame: FrameNumber::new(0),
        time: at_ms(ms),
        start: StreamOffset(start),
        len: Bytes(1000),
        is_syn: false,
        is_fin: false,
        is_pushed: false,
        ip_id: None,
        timestamps,
        headers_len: 66,
        sender_tick: None,
        departure: Departure::Unknown,
    }
}

fn ack(ms: u64, ack: u64, timestamps: Option<TcpTimestamps>) -> Ack {
    Ack {
        frame: FrameNumber::new(0),
        time: at_ms(ms),
        ack: StreamOffset(ack),
        window: None,
        window_unscaled: 0,
        sack: SackRanges::default(),
        timestamps,
        has_payload: false,
        is_syn: false,
        is_fin: false,
        slack: crate::units::Duration::ZERO,
        has_ece: false,
        repeats: 0,
    }
}

fn after_handshake(sender_ms: u64, receiver_ms: u64) -> AtSender<Log> {
    let mut tap = AtSender::default();
    tap.on_handshake(&Handshake {
        sender_half: Some(Duration::from_millis(sender_ms)),
        receiver_half: Some(Duration::from_millis(receiver_ms)),
        ..Handshake::default()
    });
    tap
}

#[test]
fn the_position_is_that_of_the_smaller_half() {
    let position = |sender, receiver| after_handshake(sender, receiver).vantage().position;
    assert_eq!(position(0, 40), Vantage::Sender);
    assert_eq!(
        position(1, 40),
        Vantage::Middle,
        "a woken writer would come too late for an answer"
    );
    assert_eq!(position(40, 1), Vantage::Receiver);
    assert_eq!(position(4, 40), Vantage::Middle);
    assert_eq!(AtSender::<Log>::default().vantage().position, Vantage::Unknown);
}

/// A host takes up to 150 us to answer, be the tap there or a short way off.
#[test]
fn on_a_short_path_the_end_is_left_open() {
    let us = Duration::from_micros;
    let position = |sender, receiver| Vantage::of_halves(us(sender), us(receiver), true);
    assert_eq!(position(5, 300), Vantage::Sender);
    assert_eq!(position(60, 300), Vantage::Unknown, "the sender's own 60 us, or a switch near it");
    assert_eq!(position(300, 60), Vantage::Unknown);
    assert_eq!(position(60, 60), Vantage::Unknown);
    assert_eq!(position(300, 5), Vantage::Receiver);
    assert_eq!(position(300, 300), Vantage::Middle);
}

#[test]
fn at_the_sender_nothing_is_held() {
    let mut tap = after_handshake(0, 99);
    tap.on_data(&data(0, 1, None));
    tap.on_ack(&ack(100, 1001, None));
    assert_eq!(tap.consumer().acks_ms(), [(1001, 100)]);
    assert_eq!(tap.line.capacity(), 0);
}

#[test]
fn elsewhere_an_acknowledgment_takes_the_senders_half() {
    let mut tap = after_handshake(30, 10);
    tap.on_data(&data(0, 1, None));
    tap.on_ack(&ack(10, 1001, None));
    assert_eq!(tap.consumer().acks_ms(), []);
    tap.on_data(&data(60, 1001, None));
    assert_eq!(tap.consumer().acks_ms(), [(1001, 40)]);
    tap.on_ack(&ack(70, 2001, None));
    assert_eq!(tap.finish().0.acks_ms(), [(1001, 40), (2001, 100)]);
}

/// Octets that no window allowed so far: the sender had the acknowledgment, though the handshake's half,
/// answered late, says that it is on its way.
#[test]
fn data_beyond_the_window_prove_what_opened_it() {
    let opened = |ms, number| Ack { window: Some(Bytes(2000)), ..ack(ms, number, None) };
    let mut tap = after_handshake(400, 10);
    tap.on_ack(&opened(0, 1));
    tap.on_data(&data(410, 1, None));
    tap.on_data(&data(411, 1001, None));
    tap.on_ack(&opened(415, 1001));
    tap.on_ack(&opened(416, 2001));
    tap.on_data(&Data { len: Bytes(1), ..data(420, 2001, None) });
    assert_eq!(tap.consumer().acks_ms(), [(1, 400)], "a probe proves nothing");
    tap.on_data(&data(423, 2001, None));
    assert_eq!(tap.consumer().acks_ms(), [(1, 400), (1001, 423)]);
    tap.on_data(&data(425, 3001, None));
    tap.on_ack(&opened(430, 3001));
    let (log, vantage) = tap.finish();
    assert_eq!(log.acks_ms()[2..], [(2001, 425), (3001, 439)]);
    assert_eq!(vantage.sender_half, Some(Duration::from_millis(9)));
}

/// What let the data out is not in the capture; the next acknowledgment was on its way for 40 ms as all were.
#[test]
fn an_acknowledgment_missed_by_the_capture_shortens_no_half() {
    let opened = |ms, number| Ack { window: Some(Bytes(2000)), ..ack(ms, number, None) };
    let mut tap = after_handshake(40, 10);
    tap.on_ack(&opened(0, 1));
    tap.on_data(&data(40, 1, None));
    tap.on_data(&data(41, 1001, None));
    tap.on_ack(&opened(55, 2001));
    tap.on_data(&data(90, 2001, None));
    tap.on_data(&data(95, 3001, None));
    tap.on_ack(&opened(100, 3001));
    let (log, vantage) = tap.finish();
    assert_eq!(log.acks_ms(), [(1, 40), (2001, 90), (3001, 140)]);
    assert_eq!(vantage.sender_half, Some(Duration::from_millis(40)));
}

#[test]
fn an_echo_releases_what_it_proves_at_once() {
    let mut tap = after_handshake(30, 10);
    tap.on_ack(&ack(10, 1001, stamps(500, 1)));
    tap.on_ack(&ack(10, 2001, stamps(500, 1)));
    tap.on_ack(&ack(12, 3001, stamps(502, 1)));
    tap.on_data(&data(35, 3001, stamps(9, 500)));
    // Of two with the same timestamp the first is proven; the other waits for the half, now 25.
    assert_eq!(tap.consumer().acks_ms(), [(1001, 35), (2001, 35)]);
    assert_eq!(tap.finish().0.acks_ms(), [(1001, 35), (2001, 35), (3001, 37)]);
}

/// A queue between sender and tap: data that do not echo an acknowledgment yet prove it on its way.
#[test]
fn a_growing_queue_is_followed() {
    let mut tap = after_handshake(30, 10);
    tap.on_ack(&ack(100, 1001, stamps(500, 1)));
    for turn in 0..8 {
        tap.on_data(&data(120 + 5 * turn, 1001 + 1000 * turn, stamps(9, 400)));
    }
    tap.on_data(&data(156, 9001, stamps(9, 500)));
    tap.on_ack(&ack(200, 2001, stamps(600, 1)));
    let (log, vantage) = tap.finish();
    // The last without an echo passed at 55, the first with one at 56: as one, at 2 ms a tick.
    assert_eq!(log.acks_ms()[1], (2001, 256));
    assert_eq!(vantage.sender_half, Some(Duration::from_millis(30)));
}

#[test]
fn an_idle_application_proves_nothing() {
    let mut tap = after_handshake(30, 10);
    tap.on_ack(&ack(100, 1001, stamps(500, 1)));
    tap.on_data(&data(900, 1001, stamps(9, 500)));
    tap.on_ack(&ack(1000, 2001, stamps(1400, 1)));
    assert_eq!(tap.finish().0.acks_ms(), [(1001, 130), (2001, 1030)]);
}

/// Of a sender that was busy meanwhile: what it sent without the echo bounds it from below.
#[test]
fn without_a_handshake_the_first_echo_tells_the_half() {
    let mut tap = AtSender::<Log>::default();
    tap.on_data(&data(0, 1, stamps(9, 400)));
    tap.on_ack(&ack(1, 1001, stamps(500, 1)));
    tap.on_data(&data(30, 1001, stamps(39, 400)));
    tap.on_data(&data(41, 2001, stamps(50, 500)));
    assert_eq!(tap.vantage().position, Vantage::Receiver);
    tap.on_ack(&ack(42, 3001, stamps(541, 1)));
    assert_eq!(tap.finish().0.acks_ms(), [(1001, 41), (3001, 82)]);
}

/// Captured at the sender from its middle on: bursts 100 ms apart, their ACKs after 30 ms, each burst echoes
/// what came 70 ms before it. Nothing shows that it was not the writer who paused.
#[test]
fn a_writer_that_pauses_is_no_way_to_the_sender() {
    let mut tap = AtSender::<Log>::default();
    for round in 0..5_u32 {
        let ms = u64::from(round) * 100;
        let start = 1 + u64::from(round) * 1000;
        tap.on_data(&data(ms, start, stamps(1000 + round, 500 + round)));
        tap.on_ack(&ack(ms + 30, start + 1000, stamps(501 + round, 1000 + round)));
    }
    let (log, vantage) = tap.finish();
    assert_eq!((vantage.position, vantage.sender_half), (Vantage::Unknown, None));
    assert_eq!(
        log.acks_ms().get(1..),
        Some(&[(2001, 130), (3001, 230), (4001, 330), (5001, 430)][..])
    );
}

/// At the receiver, from the middle on: what follows the pause of a writer is told as if at the sender, until
/// busier times show how far away it is.
#[test]
fn round_trips_that_lacked_the_way_are_told_to_be_dropped() {
    let mut tap = AtSender::<Log>::default();
    for round in 0..3_u32 {
        let (ms, start) = (u64::from(round) * 200, 1 + u64::from(round) * 1000);
        tap.on_data(&data(ms, start, stamps(1000 + round, 500 + round)));
        tap.on_ack(&ack(ms, start + 1000, stamps(501 + round, 1000 + round)));
    }
    assert_eq!(tap.consumer().told_before, None);
    tap.on_data(&data(630, 3001, stamps(1030, 502)));
    tap.on_ack(&ack(631, 4001, stamps(531, 1030)));
    tap.on_data(&data(660, 4001, stamps(1060, 503)));
    tap.on_data(&data(661, 5001, stamps(1061, 531)));
    let (log, vantage) = tap.finish();
    assert_eq!(vantage.position, Vantage::Receiver);
    assert_eq!(log.told_before, Some(4), "{log:?}");
}

#[test]
fn without_handshake_and_timestamps_nothing_is_held() {
    let mut tap = AtSender::<Log>::default();
    tap.on_ack(&ack(7, 1001, None));
    assert_eq!(tap.consumer().acks_ms(), [(1001, 7)]);
    assert_eq!(tap.vantage().position, Vantage::Unknown);
}

#[test]
fn a_retransmission_gives_no_receiver_half() {
    let mut tap = AtSender::<Log>::default();
    tap.on_data(&data(0, 1, None));
    tap.on_data(&data(50, 1, None));
    tap.on_ack(&ack(51, 1001, None));
    assert_eq!(tap.vantage().receiver_half, None);
    tap.on_data(&data(60, 1001, None));
    tap.on_ack(&ack(70, 2001, None));
    assert_eq!(tap.vantage().receiver_half, Some(Duration::from_millis(10)));
}

#[test]
fn the_line_is_bounded() {
    let mut tap = after_handshake(10_000, 1);
    for number in 0..LINE_MAX as u64 + 5 {
        tap.on_ack(&ack(0, number, None));
    }
    assert_eq!(tap.consumer().acks.len(), 5);
    assert_eq!(tap.vantage().released_early_count, 5);
    assert!(tap.memory() > Bytes(50 * LINE_MAX as u64));
}

proptest! {
    /// Whatever comes, everything is handed on once, acknowledgments in their order; times in
    /// order are checked by the log, as long as the capture's are.
    #[test]
    fn nothing_is_lost(
        steps in prop::collection::vec((any::<bool>(), 0..50_u64, 0..8_u32, any::<bool>()), 0..200),
        sender_half in prop::option::of(0..100_u64),
    ) {
        let mut tap = sender_half.map_or_else(AtSender::default, |half| after_handshake(half, 20));
        let (mut now, mut data_count, mut ack_count) = (0, 0, 0);
        for (is_data, pause, stamp, has_stamps) in steps {
            now += pause;
            let timestamps = if has_stamps { stamps(stamp, stamp ^ 3) } else { None };
            if is_data {
                tap.on_data(&data(now, data_count * 500, timestamps));
                data_count += 1;
            } else {
                tap.on_ack(&ack(now, ack_count, timestamps));
                ack_count += 1;
            }
        }
        let (log, _) = tap.finish();
        prop_assert_eq!(log.data.len() as u64, data_count);
        prop_assert!(log.acks.iter().map(|&(ack, _)| ack).eq(0..ack_count));
    }
}

/// The halves of the handshake are those of a tap at the receiver.
#[test]
fn what_the_user_tells_of_the_place_holds() {
    let mut tap = AtSender::<Log>::with(Told { position: Some(Vantage::Sender), consumer: () });
    tap.on_handshake(&Handshake {
        sender_half: Some(Duration::from_millis(40)),
        receiver_half: Some(Duration::from_millis(1)),
        ..Handshake::default()
    });
    tap.on_data(&data(0, 1, None));
    tap.on_ack(&ack(1, 1001, None));
    assert_eq!(tap.consumer().acks_ms(), [(1001, 1)]);
    assert_eq!(tap.vantage().position, Vantage::Sender);
    assert_eq!(tap.vantage().found_position, Vantage::Receiver);
}

/// Two segments at one reading of the sender's clock; the bottleneck delivers the second 8 ms after
/// the first, and an acknowledgment arrives at the sender in between.
#[test]
fn what_left_at_one_reading_of_the_clock_is_told_at_one_time() {
    let mut tap = after_handshake(100, 1);
    for ms in (0..400).step_by(20) {
        let value = u32::try_from(ms).unwrap();
        tap.on_data(&data(ms, ms * 50, stamps(value, 900)));
    }
    tap.on_ack(&ack(305, 19_001, stamps(1000, 0)));
    tap.on_data(&data(400, 20_000, stamps(400, 900)));
    tap.on_data(&data(408, 21_000, stamps(400, 900)));
    tap.on_data(&data(420, 22_000, stamps(420, 1000)));
    let [.., first, second, _] = tap.consumer().data[..] else { panic!("three at least") };
    assert!(second.since(first) <= Duration::from_millis(1), "one tick at most");
    assert_eq!(tap.consumer().acks_ms(), [(19_001, 405)]);
}

/// Half an hour of a writer that pauses: its clock loses 50 us a second, or 0 to 30 ms of queue come and go.
#[test]
fn neither_drift_nor_jitter_makes_the_half_longer() {
    let last_half = |clock: fn(u64) -> u64, queue: fn(u64) -> u64| {
        let mut tap = after_handshake(40, 60);
        let mut echo = 900;
        for turn in 0..2500_u64 {
            let sent = turn * 700;
            let passed = sent + queue(turn);
            let value = u32::try_from(clock(sent)).unwrap();
            tap.on_data(&data(passed, 1 + turn * 1000, stamps(value, echo)));
            echo = u32::try_from(sent).unwrap() + 1000;
            tap.on_ack(&ack(passed + 60, 1 + turn * 1000, stamps(echo, value)));
        }
        tap.vantage().sender_tick.expect("its clock is known");
        let passed = 2499 * 700 + queue(2499) + 60;
        tap.finish().0.acks_ms().last().unwrap().1 - passed
    };
    assert_eq!(last_half(|ms| ms - ms / 20_000, |_| 0), 40);
    assert_eq!(last_half(|ms| ms, |turn| turn * 7 % 31), 40);
}

/// Acknowledgments that ride on data wait in the queues of the way back.
#[test]
fn between_two_that_send_data_the_clock_is_not_asked() {
    let mut tap = after_handshake(100, 1);
    for ms in (0..400).step_by(20) {
        tap.on_ack(&Ack { has_payload: true, ..ack(ms, 1, stamps(900, 0)) });
        let value = u32::try_from(ms).unwrap();
        tap.on_data(&data(ms, ms * 50, stamps(value, 900)));
    }
    assert_eq!(tap.vantage().sender_tick, None);
    let mut one_way = after_handshake(100, 1);
    for ms in (0..400).step_by(20) {
        let value = u32::try_from(ms).unwrap();
        one_way.on_data(&data(ms, ms * 50, stamps(value, 900)));
    }
    assert_eq!(one_way.vantage().sender_tick, Some(Duration::from_millis(1)));
}

/// As behind a middlebox that rewrites timestamps: five seconds of data echo nothing that came.
#[test]
fn an_echo_that_stands_still_tells_no_half() {
    let mut tap = after_handshake(20, 20);
    for ms in (0..5000).step_by(50) {
        let number = 1 + ms * 20;
        let value = u32::try_from(ms).unwrap();
        tap.on_data(&data(ms, number, stamps(value, 7)));
        tap.on_ack(&ack(ms + 20, number + 1000, stamps(900 + value, value)));
    }
    let last = tap.finish().0.acks.pop();
    assert_eq!(last.map(|(_, time)| time), Some(at_ms(4990)), "20 ms after it passed the tap");
}

/// Two packets a tick, then one that a finer clock tells apart.
#[test]
fn the_tick_of_the_tap_is_told_as_soon_as_it_shows() {
    let mut tap = after_handshake(0, 20);
    for nth in 0..40_u64 {
        tap.on_data(&data(nth / 2 * 10, 1 + nth * 1000, None));
    }
    let finer = Data { time: Timestamp(195_050_000), ..data(0, 40_001, None) };
    tap.on_data(&finer);
    tap.on_data(&Data { time: Timestamp(195_100_000), ..finer });
    let (ms, us) = (Duration::from_millis, Duration::from_micros);
    assert_eq!(tap.finish().0.tap_ticks, [ms(10), us(5050), us(0)]);
}

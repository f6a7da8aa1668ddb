//! Whatever comes, and however it is spread over the capture, it is handed on as it came.

use proptest::prelude::*;

use super::*;
use crate::flow::SackRanges;
use crate::units::{Duration, FrameNumber, StreamOffset, Timestamp};
use crate::wire::TcpTimestamps;

/// What it was told.
#[derive(Debug, Default, PartialEq)]
struct Log(Vec<Call>);

#[derive(Debug, Clone, PartialEq)]
enum Call {
    Handshake(Handshake),
    Data(Data),
    Ack(Ack),
}

impl Consumer for Log {
    /// Whether somebody looks on.
    type Settings = bool;

    fn with(_is_watched: bool) -> Self {
        Self::default()
    }

    fn is_watched(is_watched: &bool) -> bool {
        *is_watched
    }

    fn on_handshake(&mut self, handshake: &Handshake) {
        self.0.push(Call::Handshake(*handshake));
    }

    fn on_data(&mut self, data: &Data) {
        self.0.push(Call::Data(*data));
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.0.push(Call::Ack(*ack));
    }
}

fn tell(consumer: &mut impl Consumer, call: &Call) {
    match call {
        Call::Handshake(handshake) => consumer.on_handshake(handshake),
        Call::Data(data) => consumer.on_data(data),
        Call::Ack(ack) => consumer.on_ack(ack),
    }
}

fn handshake() -> impl Strategy<Value = Call> {
    any::<Option<u16>>().prop_map(|mss| Call::Handshake(Handshake { mss, ..Handshake::default() }))
}

fn timestamps() -> impl Strategy<Value = Option<TcpTimestamps>> {
    any::<Option<(u32, u32)>>()
        .prop_map(|stamps| stamps.map(|(value, echo)| TcpTimestamps { value, echo }))
}

/// Some of them as no flow has them: they have to pass all the same.
fn data() -> impl Strategy<Value = Call> {
    let octets = prop_oneof![9 => 0..70_000_u64, 1 => Just(u64::MAX)];
    let tick = prop_oneof![9 => Just(None), 1 => Just(Some(Duration::from_millis(1)))];
    let numbers = (any::<[u64; 2]>(), octets, any::<Option<u16>>(), any::<u32>());
    (numbers, timestamps(), any::<[bool; 3]>(), tick).prop_map(
        |(([time, start], len, ip_id, headers_len), timestamps, flags, sender_tick)| {
            let [is_syn, is_fin, is_pushed] = flags;
            Call::Data(Data {
                frame: FrameNumber::new(0),
                time: Timestamp(time),
                start: StreamOffset(start),
                len: Bytes(len),
                is_syn,
                is_fin,
                is_pushed,
                ip_id,
                timestamps,
                headers_len,
                sender_tick,
                departure: crate::flow::Departure::Unknown,
            })
        },
    )
}

fn ack() -> impl Strategy<Value = Call> {
    let window = prop_oneof![9 => (0..1_u64 << 30).prop_map(Some), 1 => any::<Option<u64>>()];
    let blur = prop_oneof![9 => Just(Duration::ZERO), 1 => Just(Duration::from_millis(1))];
    let blocks = prop::collection::vec(any::<(u64, u64)>(), 0..4);
    let repeats = prop_oneof![3 => Just(0), 1 => any::<u32>()];
    let numbers = (any::<[u64; 2]>(), window, any::<u16>(), blocks, repeats);
    (numbers, timestamps(), any::<[bool; 4]>(), blur).prop_map(
        |(([time, ack], window, window_unscaled, blocks, repeats), timestamps, flags, blur)| {
            let [has_payload, is_syn, is_fin, has_ece] = flags;
            let mut sack = SackRanges::default();
            for (start, end) in blocks {
                sack.push(StreamOffset(start), StreamOffset(end));
            }
            Call::Ack(Ack {
                frame: FrameNumber::new(0),
                time: Timestamp(time),
                ack: StreamOffset(ack),
                window: window.map(Bytes),
                window_unscaled,
                sack,
                timestamps,
                has_payload,
                is_syn,
                is_fin,
                slack: blur,
                has_ece,
                repeats,
            })
        },
    )
}

/// Calls in frames, each so many after the one before.
fn calls() -> impl Strategy<Value = Vec<Call>> {
    let call = prop_oneof![1 => handshake(), 10 => data(), 10 => ack()];
    prop::collection::vec((call, 1..3_u64), 0..250).prop_map(|calls| {
        let mut now = 0_u64;
        let numbered = |(mut call, gap): (Call, u64)| {
            now = now.saturating_add(gap);
            match &mut call {
                Call::Handshake(_) => {}
                Call::Data(data) => data.frame = FrameNumber::new(now),
                Call::Ack(ack) => ack.frame = FrameNumber::new(now),
            }
            call
        };
        calls.into_iter().map(numbered).collect()
    })
}

fn plain_data() -> Data {
    Data {
        frame: FrameNumber::new(0),
        time: Timestamp(0),
        start: StreamOffset(0),
        len: Bytes(0),
        is_syn: false,
        is_fin: false,
        is_pushed: false,
        ip_id: None,
        timestamps: None,
        headers_len: 66,
        sender_tick: None,
        departure: crate::flow::Departure::Unknown,
    }
}

fn plain_ack() -> Ack {
    Ack {
        frame: FrameNumber::new(0),
        time: Timestamp(0),
        ack: StreamOffset(0),
        window: None,
        window_unscaled: 100,
        sack: SackRanges::default(),
        timestamps: None,
        has_payload: false,
        is_syn: false,
        is_fin: false,
        slack: Duration::ZERO,
        has_ece: false,
        repeats: 0,
    }
}

/// What changes from call to call: frames, nanoseconds, and octets; both timestamps; of which kind the call
/// is and what it has, what the IP header's identification or the window is more, and how many SACK blocks.
type Change = ([u64; 3], [u32; 2], ([bool; 3], u16, u64));

/// Data in order and acknowledgments of them, as most are, with changes up to what is rare.
fn flow() -> impl Strategy<Value = Vec<Call>> {
    let octets = prop_oneof![Just(1448), 0..1_u64 << 25];
    let passed = (0..5_u64, 0..1_u64 << 33, octets).prop_map(<[u64; 3]>::from);
    let [same, near, far] = [3_u32, 300, 5000].map(|most| [0..most, 0..most]);
    let seen = (any::<[bool; 3]>(), prop_oneof![Just(0), 0..3_u16], 0..4_u64);
    let change = (passed, prop_oneof![same, near, far], seen);
    prop::collection::vec(change, 0..400).prop_map(|changes| {
        let (mut last, mut short) = (plain_data(), 7);
        changes.into_iter().map(|change| changed(&mut last, &mut short, change)).collect()
    })
}

fn changed(last: &mut Data, short: &mut u16, change: Change) -> Call {
    let ([frames, nanos, octets], [value, echo], (kind, more, blocks)) = change;
    let [is_data, flag, has_all] = kind;
    last.frame = last.frame.behind(frames);
    last.time = last.time.after(Duration::from_nanos(nanos));
    last.start = last.end();
    last.len = Bytes(if is_data { octets } else { 0 });
    *short = short.wrapping_add(more);
    let stamps = last.timestamps.get_or_insert_default();
    stamps.value = stamps.value.wrapping_add(value);
    stamps.echo = stamps.echo.wrapping_add(echo);
    let timestamps = last.timestamps.filter(|_| has_all);
    if is_data {
        let ip_id = has_all.then_some(*short);
        return Call::Data(Data { is_pushed: flag, ip_id, timestamps, ..*last });
    }
    let mut sack = SackRanges::default();
    for nth in 0..if flag { blocks } else { 0 } {
        sack.push(last.start.after(Bytes(nth)), last.start.after(Bytes(octets)));
    }
    let window = has_all.then_some(Bytes(u64::from(*short) << 7));
    let ack = Ack { frame: last.frame, time: last.time, ack: last.start, ..plain_ack() };
    let ack = Ack { window, window_unscaled: *short, sack, timestamps, ..ack };
    Call::Ack(Ack { has_payload: flag, ..ack })
}

proptest! {
    #[test]
    fn nothing_is_lost_or_changed(
        calls in prop_oneof![calls(), flow()],
        is_watched: bool,
        settled: u8,
    ) {
        let mut backlog = Backlog::<Log>::with(Arc::new(is_watched));
        for (told, call) in calls.iter().enumerate() {
            tell(&mut backlog, call);
            if told == usize::from(settled) {
                backlog.settle();
            }
            if is_watched && !matches!(call, Call::Handshake(_)) {
                let known = backlog.consumer().map_or(0, |log| log.0.len());
                prop_assert_eq!(known, told.saturating_add(1));
            }
        }
        prop_assert_eq!(backlog.into_consumer().0, calls);
    }
}

/// `count` acknowledgments, one every `gap` frames.
fn acks(count: u64, gap: u64) -> Backlog<Log> {
    let mut backlog = Backlog::<Log>::default();
    for nth in 1..=count {
        let frame = FrameNumber::new(nth.saturating_mul(gap));
        let (time, ack) = (Timestamp(nth), StreamOffset(nth));
        backlog.on_ack(&Ack { frame, time, ack, ..plain_ack() });
    }
    backlog
}

#[test]
fn a_short_flow_is_small_and_has_no_consumer_before_its_end() {
    let backlog = acks(20, 1000);
    assert!(backlog.consumer().is_none());
    assert!(backlog.memory() < Bytes(400), "{:?}", backlog.memory());
    assert_eq!(backlog.into_consumer().0.len(), 20);
}

#[test]
fn a_flow_among_many_is_noted_for_longer() {
    let consumer = |count, gap| acks(count, gap).consumer().is_some();
    assert!(!consumer(1000, 100) && consumer(1000, 10));
    assert!(consumer(10_000, 100));
}

/// With the next class of sizes it would take a third more of some allocators.
#[test]
fn what_each_flow_has_is_small() {
    let len = size_of::<Backlog<Log>>();
    assert!(len <= 96, "{len}");
}

#[test]
fn what_is_settled_holds_no_room() {
    let mut backlog = acks(10_000, 100);
    let before = backlog.memory();
    backlog.settle();
    assert_eq!(backlog.consumer().unwrap().0.len(), 10_000);
    assert!(backlog.memory() < before, "{:?} of {before:?}", backlog.memory());
}

#[test]
fn a_long_flow_alone_on_the_wire_waits_for_nothing() {
    for gap in [1, Long::<Log>::AT_HAND] {
        assert_eq!(acks(1000, gap).consumer().unwrap().0.len(), 1000);
    }
    // What is noted takes some ten octets and more each.
    let known = acks(1000, Long::<Log>::AT_HAND + 1).consumer().unwrap().0.len();
    assert!(known < 1000 && known + Long::<Log>::NOTES_MAX / 10 > 1000, "{known}");
}

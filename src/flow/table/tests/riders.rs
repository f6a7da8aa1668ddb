//! Acknowledgments that ride on data and say the same.

use proptest::prelude::*;

use super::*;

/// Is content to hear of several alike as one.
#[derive(Debug, Default)]
struct Patient(Log);

impl Consumer for Patient {
    type Settings = ();

    fn with((): ()) -> Self {
        Self::default()
    }

    fn hears_each((): &()) -> bool {
        false
    }

    fn on_handshake(&mut self, handshake: &Handshake) {
        self.0.on_handshake(handshake);
    }

    fn on_data(&mut self, data: &Data) {
        self.0.on_data(data);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.0.on_ack(ack);
    }
}

/// What the client's flow is told in a connection of these segments, the handshake of which took 40 ms.
fn client_flow<C: Consumer<Settings = ()>>(segments: &[Segment]) -> C {
    let mut table = FlowTable::<C>::new(TableBounds::default(), ());
    let mut connections = Vec::new();
    let [syn, answer, end] = handshake();
    let handshake = [syn, answer.at_ms(20), end.at_ms(40)];
    let later = segments.iter().map(|segment| {
        let time = segment.time.after(Duration::from_millis(40));
        Segment { time, ..*segment }
    });
    for (number, segment) in (1..).zip(handshake.into_iter().chain(later)) {
        let segment = Segment { frame: FrameNumber::new(number), ..segment };
        table.on_segment(&segment, &mut |connection| connections.push(connection));
    }
    table.finish(&mut |connection| connections.push(connection));
    let [client, _] = connections.remove(0).flows;
    *client.consumer.unwrap()
}

/// A request, and so many segments in answer, 20 us apart.
fn download(count: u32) -> Vec<Segment> {
    let answer = |nth: u32| {
        let mut segment = segment(901 + 1000 * nth, 111, ACK).reply().len(1000);
        segment.time = Timestamp(u64::from(nth) * 20_000);
        segment
    };
    std::iter::once(segment(101, 901, ACK).len(10)).chain((0..count).map(answer)).collect()
}

fn acks(log: &Log) -> Vec<&Ack> {
    let acks = log.0.iter().filter_map(|call| match call {
        Call::Ack(ack) => Some(ack),
        _ => None,
    });
    acks.collect()
}

#[test]
fn those_of_a_millisecond_are_handed_on_as_one() {
    let told = client_flow::<Patient>(&download(200));
    let last = *acks(&told.0).last().unwrap();
    assert_eq!(
        (last.frame, last.time),
        (FrameNumber::new(204), Timestamp(40_000_000 + 199 * 20_000))
    );
    let count: u32 = acks(&told.0).iter().map(|ack| 1 + ack.repeats).sum();
    assert_eq!(count as usize, acks(&client_flow::<Log>(&download(200))).len());
    assert!(acks(&told.0).len() < 25, "{}", acks(&told.0).len());
}

#[test]
fn what_is_held_back_is_told_before_the_data_that_follow() {
    let mut segments = download(50);
    let mut next = segment(111, 50_901, ACK).len(10);
    next.time = Timestamp(50 * 20_000);
    segments.push(next);
    let told = client_flow::<Patient>(&segments);
    // Between them, the handshake was told anew: it had been answered more slowly.
    let [.., Call::Ack(ack), _, Call::Data(data)] = &told.0.0[..] else { panic!("{told:?}") };
    assert_eq!((ack.frame, data.frame), (FrameNumber::new(54), FrameNumber::new(55)));
}

/// By those of a clock that ticks coarsely one sees that it does.
#[test]
fn none_is_held_back_where_none_are_close_together() {
    let mut segments = download(50);
    for (nth, segment) in (0_u64..).zip(&mut segments) {
        segment.time = Timestamp(nth / 4 * 500_000);
    }
    assert_eq!(client_flow::<Patient>(&segments).0, client_flow::<Log>(&segments));
}

/// Steps of both sides, mostly data of the server.
fn steps() -> impl Strategy<Value = Vec<Segment>> {
    let step = (0..40_u8, 1..3_u32, 0..300_u64, 0..3_u32, any::<bool>());
    prop::collection::vec(step, 1..300).prop_map(|steps| {
        let (mut now, mut client, mut server, mut stamp) = (0, 111, 901, 7);
        let mut segments = vec![segment(101, 901, ACK).len(10)];
        for (kind, len, apart_us, ticks, is_stamped) in steps {
            now += apart_us * if kind == 0 { 10_000 } else { 1000 };
            stamp += ticks / 2;
            let mut next = match kind {
                1 => segment(client, server, ACK).len(len),
                2 => segment(client, server, ACK),
                3 => segment(server, client, ACK).reply(),
                4 => segment(server, client, ACK).reply().len(1000 * len).window(400),
                5 => segment(server, client - 1, ACK).reply().len(1000 * len),
                _ => segment(server, client, ACK).reply().len(1000 * len),
            };
            match kind {
                1 => client += len,
                2 | 3 => {}
                _ => server += 1000 * len,
            }
            next.time = Timestamp(now);
            let stamps = is_stamped || kind > 6;
            segments.push(if stamps { next.stamped(stamp, 3) } else { next });
        }
        segments
    })
}

proptest! {
    /// Nothing else is lost, each stands for others of its kind, and none for one of long before.
    #[test]
    fn each_stands_for_others_like_it(steps in steps()) {
        let Patient(told) = client_flow::<Patient>(&steps);
        let mut all = client_flow::<Log>(&steps).0.into_iter();
        for call in told.0 {
            let Call::Ack(told) = call else {
                prop_assert_eq!(Some(call), all.next());
                continue;
            };
            let said = |ack: &Ack| (ack.ack, ack.window, ack.has_payload, ack.sack);
            for _ in 0..told.repeats {
                let Some(Call::Ack(ack)) = all.next() else { panic!("{told:?}") };
                prop_assert_eq!(said(&ack), said(&told));
                prop_assert!(ack.has_payload && told.time.since(ack.time) <= Duration::from_millis(1));
            }
            let told = Ack { repeats: 0, ..told };
            prop_assert_eq!(Some(Call::Ack(told)), all.next());
        }
        prop_assert_eq!(all.next(), None);
    }
}

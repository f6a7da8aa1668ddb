//! Segments in, calls of the consumers and connections out.

#![expect(clippy::arithmetic_side_effects, reason = "test code")]

mod bounds;
mod halves;
mod over;
mod properties;
mod riders;
mod silent;

use std::net::{IpAddr, Ipv4Addr};

use super::*;
use crate::flow::{Ack, Data, Flow, Handshake};
use crate::units::{Duration, FrameNumber, SeqNum, StreamOffset, WindowShift};
use crate::wire::{Endpoint, Scope, TcpOptions, TcpTimestamps};

const SYN: u16 = TcpFlags::SYN;
const ACK: u16 = TcpFlags::ACK;
const FIN: u16 = TcpFlags::FIN;
const RST: u16 = TcpFlags::RST;

/// What a flow was told.
#[derive(Debug, PartialEq)]
enum Call {
    Handshake(Handshake),
    Data(Data),
    Ack(Ack),
}

#[derive(Debug, Default, PartialEq)]
struct Log(Vec<Call>);

impl Consumer for Log {
    type Settings = ();

    fn with((): ()) -> Self {
        Self::default()
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

    fn memory(&self) -> Bytes {
        Bytes(64)
    }
}

impl Log {
    /// `start..end` of data, `<ack` of acknowledgments, `h` of handshakes; SYN and FIN marked.
    fn told(&self) -> String {
        let word = |call: &Call| match call {
            Call::Handshake(_) => "h".to_string(),
            Call::Data(data) => {
                let flag = if data.is_syn { "S" } else { "" };
                let fin = if data.is_fin { "F" } else { "" };
                format!("{flag}{}..{}{fin}", data.start.0, data.end().0)
            }
            Call::Ack(ack) => format!("<{}{}", ack.ack.0, if ack.is_syn { "S" } else { "" }),
        };
        self.0.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    fn windows(&self) -> Vec<Option<u64>> {
        let window = |call: &Call| match call {
            Call::Ack(ack) => Some(ack.window.map(|window| window.0)),
            _ => None,
        };
        self.0.iter().filter_map(window).collect()
    }
}

/// A segment of the client's (port 1000) unless turned round.
fn segment(seq: u32, ack: u32, flags: u16) -> Segment {
    let ack = TcpFlags(flags).has(ACK).then_some(SeqNum(ack));
    Segment {
        frame: FrameNumber::new(0),
        time: Timestamp(0),
        scope: Scope(0),
        src: endpoint(1, 1000).into(),
        dst: endpoint(2, 80).into(),
        ip_id: None,
        ttl: 64,
        seq: SeqNum(seq),
        ack,
        flags: TcpFlags(flags),
        window_unscaled: 500,
        payload_len: 0,
        headers_len: 66,
        options: TcpOptions::default(),
    }
}

fn endpoint(host: u8, port: u16) -> Endpoint {
    Endpoint { addr: IpAddr::V4(Ipv4Addr::new(192, 0, 2, host)), port }
}

impl Segment {
    fn reply(self) -> Self {
        Self { src: self.dst, dst: self.src, ..self }
    }

    fn len(self, payload_len: u32) -> Self {
        Self { payload_len, ..self }
    }

    fn at_ms(self, ms: u64) -> Self {
        Self { time: Timestamp(ms * 1_000_000), ..self }
    }

    fn window(self, window_unscaled: u16) -> Self {
        Self { window_unscaled, ..self }
    }

    fn port(mut self, port: u16) -> Self {
        let end = if self.src.port == 80 { &mut self.dst } else { &mut self.src };
        end.port = port.into();
        self
    }

    fn shift(mut self, shift: u8) -> Self {
        self.options.window_shift = Some(WindowShift::new(shift));
        self
    }

    fn stamped(mut self, value: u32, echo: u32) -> Self {
        self.options.timestamps = Some(TcpTimestamps { value, echo });
        self
    }
}

/// Client's ISN 100, server's ISN 900.
fn handshake() -> [Segment; 3] {
    [segment(100, 0, SYN), segment(900, 101, SYN | ACK).reply(), segment(101, 901, ACK)]
}

#[derive(Default)]
struct Run {
    connections: Vec<Connection<Log>>,
    counts: TableCounts,
}

impl Run {
    fn told(&self, stream: usize) -> [String; 2] {
        let told =
            |flow: &Flow<Log>| flow.consumer.as_ref().map_or_else(String::new, |log| log.told());
        let [first, other] = &self.connections[stream].flows;
        [told(first), told(other)]
    }

    fn log(&self, stream: usize, flow: usize) -> &Log {
        self.connections[stream].flows[flow].consumer.as_ref().unwrap()
    }
}

/// Numbers the frames, runs them, and sorts the connections by stream.
fn run_bounded(segments: impl IntoIterator<Item = Segment>, bounds: TableBounds) -> Run {
    let mut table = FlowTable::new(bounds, ());
    let mut connections = Vec::new();
    for (number, mut segment) in (1..).zip(segments) {
        segment.frame = FrameNumber::new(number);
        table.on_segment(&segment, &mut |connection| connections.push(connection));
        assert!(table.memory() <= bounds.memory_max || table.tracked.len() == 1);
        assert!(table.tracked.len() <= bounds.connections_max);
    }
    let counts = table.finish(&mut |connection| connections.push(connection));
    connections.sort_by_key(|connection| connection.stream);
    Run { connections, counts }
}

fn run(segments: impl IntoIterator<Item = Segment>) -> Run {
    run_bounded(segments, TableBounds::default())
}

fn after_handshake(rest: impl IntoIterator<Item = Segment>) -> Run {
    run(handshake().into_iter().chain(rest))
}

#[test]
fn replays_the_handshake_before_the_first_payload() {
    let run = after_handshake([
        segment(101, 901, ACK).len(10),
        segment(901, 111, ACK).reply(),
        segment(901, 111, ACK).reply().len(1000),
        segment(111, 1901, ACK),
    ]);
    let [client, server] = run.told(0);
    assert_eq!(client, "h S0..1 <1S 1..11 <11 <11");
    // Of the client's acknowledgments before the first payload, the first and the last are told.
    assert_eq!(server, "h S0..1 <1 <1 1..1001 <1001");
}

#[test]
fn the_acknowledgment_is_told_before_the_data_that_came_with_it() {
    let run = after_handshake([
        segment(101, 901, ACK).len(10),
        segment(901, 111, ACK).reply().len(20),
        segment(111, 921, ACK).len(10),
    ]);
    assert_eq!(run.told(0)[0], "h S0..1 <1S 1..11 <11 11..21");
    assert_eq!(run.told(0)[1], "h S0..1 <1 <1 1..21 <21");
}

#[test]
fn a_new_isn_on_known_ports_is_a_new_stream() {
    let run = after_handshake([
        segment(101, 901, ACK).len(10),
        segment(100, 0, SYN),
        segment(5000, 0, SYN),
        segment(8000, 5001, SYN | ACK).reply(),
        segment(5001, 8001, ACK).len(7),
    ]);
    assert_eq!(run.connections.len(), 2);
    assert_eq!(run.told(0)[0], "h S0..1 <1S 1..11 S0..1");
    assert_eq!(run.told(1)[0], "h S0..1 <1S 1..8");
    assert_eq!(run.counts.connections, 2);
}

#[test]
fn equal_ports_in_other_networks_are_other_streams() {
    let other = handshake().map(|segment| tagged(segment, 7));
    let run = run(handshake().into_iter().chain(other));
    assert_eq!(run.connections.len(), 2);
    assert_eq!(run.connections[1].scope, Scope(7));
}

fn tagged(segment: Segment, scope: u64) -> Segment {
    Segment { scope: Scope(scope), ..segment }
}

/// Tagged one way only, or with another tag each way: one connection all the same.
#[test]
fn directions_may_run_through_different_networks() {
    for (there, back) in [(0, 7), (7, 0), (7, 8)] {
        let [syn, syn_ack, answer] = handshake();
        let whole = run([
            tagged(syn, there),
            tagged(syn_ack, back),
            tagged(answer, there),
            tagged(segment(101, 901, ACK).len(10), there),
            tagged(segment(901, 111, ACK).reply(), back),
            tagged(segment(7000, 0, SYN), there),
            tagged(segment(9000, 7001, SYN | ACK).reply(), back),
        ]);
        let packets = |stream: usize| {
            let [first, other] = &whole.connections[stream].flows;
            (first.packets, other.packets)
        };
        assert_eq!((packets(0), packets(1)), ((3, 2), (1, 1)));
        let midway = run([
            tagged(segment(101, 901, ACK).len(10), there),
            tagged(segment(901, 111, ACK).reply(), back),
        ]);
        assert_eq!(midway.connections.len(), 1);
    }
}

#[test]
fn what_does_not_fit_is_kept_apart() {
    let [syn, syn_ack, answer] = handshake();
    // The same direction again, a SYN-ACK of another SYN, and two whole connections.
    assert_eq!(run([syn, tagged(syn, 7)]).connections.len(), 2);
    let other = segment(900, 4711, SYN | ACK).reply();
    assert_eq!(run([syn, tagged(other, 7)]).connections.len(), 2);
    let both = [syn, tagged(syn, 7), tagged(syn_ack, 7), syn_ack, tagged(answer, 7), answer];
    let both = run(both);
    let packets = |stream: usize| both.connections[stream].flows[1].packets;
    assert_eq!((both.connections.len(), packets(0), packets(1)), (2, 1, 1));
}

/// One tuple in very many networks at once must not slow down the lookup.
#[test]
fn few_wait_for_their_other_direction() {
    let mut table = FlowTable::<Log>::new(TableBounds::default(), ());
    for scope in 1..10_000 {
        table.on_segment(&tagged(handshake()[0], scope), &mut |_| unreachable!());
    }
    let waiting = (0..9_999).filter(|&place| table.tracked.get(place).unwrap().is_waiting);
    assert_eq!(waiting.count(), WAITING_MAX);
    assert_eq!(table.counts().connections, 9_999);
}

/// The server still knows a connection before, answers the SYN with that one's numbers (a challenge ACK) and
/// sends its data again; the client resets it and tries again.
#[test]
fn a_connection_begins_at_the_syn_ack_that_answers_it() {
    let run = run([
        segment(100, 0, SYN),
        segment(70_000, 900_000, ACK).reply(),
        segment(70_000, 900_000, ACK).reply().len(500),
        segment(900_000, 0, RST),
        segment(100, 0, SYN),
        segment(900, 101, SYN | ACK).reply().shift(7),
        segment(101, 901, ACK).len(10),
        segment(901, 111, ACK).reply().len(1000),
        segment(111, 1901, ACK),
    ]);
    assert_eq!(run.connections.len(), 1);
    let [client, server] = run.told(0);
    assert_eq!(client, "h S0..1 S0..1 <1S 1..11 <11");
    assert_eq!(server, "h S0..1 <1 1..1001 <1001");
    assert!(run.connections[0].has_handshake);
}

#[test]
fn simultaneous_open_is_one_connection() {
    let run = run([
        segment(100, 0, SYN),
        segment(900, 0, SYN).reply(),
        segment(100, 901, SYN | ACK),
        segment(900, 101, SYN | ACK).reply(),
        segment(101, 901, ACK).len(4),
    ]);
    assert_eq!(run.connections.len(), 1);
    assert!(run.connections[0].has_handshake);
    assert!(run.connections[0].flows[0].is_client);
    assert_eq!(run.told(0)[0], "h S0..1 S0..1 <1S 1..5");
}

#[test]
fn one_side_may_go_on_after_the_other_closed() {
    let run = after_handshake([
        segment(101, 901, ACK | FIN).len(10),
        segment(901, 112, ACK).reply().len(100),
        segment(112, 1001, ACK),
        segment(1001, 112, ACK | FIN).reply(),
        segment(112, 1002, ACK),
    ]);
    assert_eq!(run.told(0)[0], "h S0..1 <1S 1..12F <12 <12");
    assert_eq!(run.told(0)[1], "h S0..1 <1 <1 1..101 <101 101..102F <102");
    assert_eq!(run.counts.connections, 1);
}

#[test]
fn a_reset_is_neither_data_nor_acknowledgment() {
    let run = after_handshake([
        segment(101, 901, ACK).len(10),
        segment(0xdead_beef, 0x1234_5678, RST | ACK).reply().window(0).len(3),
        segment(111, 901, ACK).len(10),
    ]);
    assert_eq!(run.told(0)[0], "h S0..1 <1S 1..11 11..21");
    let server = &run.connections[0].flows[1];
    assert!(server.reset_time.is_some() && server.consumer.is_none());
    assert_eq!((server.packets, server.payload_bytes), (2, 3));
}

#[test]
fn without_a_syn_the_first_octet_seen_stands_at_one() {
    let run = run([
        segment(7000, 50, ACK).len(100),
        segment(50, 7100, ACK).reply().len(10),
        segment(6950, 60, ACK).len(60),
        segment(6000, 60, ACK).len(60),
    ]);
    // Octets from before the first one seen have no place; what overlaps is cut.
    assert_eq!(run.told(0)[0], "1..101 <101 1..11");
    assert_eq!(run.told(0)[1], "<1 1..11 <11 <11");
    assert_eq!(run.connections[0].flows[0].unplaced_count, 1);
    assert_eq!(run.connections[0].flows[0].payload_bytes, 220);
}

#[test]
fn offsets_do_not_wrap() {
    let mss = 1 << 20;
    let count = 5000_u32;
    let start = u32::MAX - 5;
    let transfer = (0..count).flat_map(|turn| {
        let seq = start.wrapping_add(turn.wrapping_mul(mss));
        [segment(seq, 1, ACK).len(mss), segment(1, seq.wrapping_add(mss), ACK).reply()]
    });
    let run = run(transfer);
    let end = 1 + u64::from(count) * u64::from(mss);
    let Some(Call::Ack(last)) = run.log(0, 0).0.last() else { unreachable!() };
    assert_eq!(last.ack, StreamOffset(end));
}

#[test]
fn wild_numbers_are_counted_and_shift_nothing() {
    let far = 101_u32.wrapping_add(1 << 31);
    let run = after_handshake([
        segment(101, 901, ACK).len(10),
        segment(far, 901, ACK).len(10),
        segment(901, far ^ (1 << 30), ACK).reply(),
        segment(111, 901, ACK).len(10),
        segment(901, 121, ACK).reply(),
    ]);
    assert_eq!(run.told(0)[0], "h S0..1 <1S 1..11 11..21 <21");
    let unplaced: Vec<u64> =
        run.connections[0].flows.iter().map(|flow| flow.unplaced_count).collect();
    assert_eq!(unplaced, [1, 1]);
}

/// Beyond all that was sent, and by more than the window let out: the next lower one shows that it was
/// damaged or forged.
#[test]
fn a_lone_acknowledgment_of_what_no_window_let_out_is_set_aside() {
    let run = after_handshake([
        segment(101, 901, ACK).len(10),
        segment(901, 111 + (1 << 28), ACK).reply(),
        segment(901, 111, ACK).reply(),
        segment(111, 901, ACK).len(10),
        segment(901, 121, ACK).reply(),
    ]);
    assert_eq!(run.told(0)[0], "h S0..1 <1S 1..11 <11 11..21 <21");
    assert_eq!(run.connections[0].flows[1].unplaced_count, 1);
}

/// Some captures hold each packet twice; the same number again is no other's word.
#[test]
fn a_wild_acknowledgment_recorded_twice_is_set_aside() {
    for far in [1 << 28, 3 << 29] {
        let wild = segment(901, 111 + far, ACK).reply();
        let run = after_handshake([
            segment(101, 901, ACK).len(10),
            wild,
            wild,
            segment(901, 111, ACK).reply(),
            segment(111, 901, ACK).len(10),
            segment(901, 121, ACK).reply(),
        ]);
        assert_eq!(run.told(0)[0], "h S0..1 <1S 1..11 <11 11..21 <21");
        assert_eq!(run.connections[0].flows[1].unplaced_count, 2);
    }
}

/// A capture that lost more than a window of data goes on at the second acknowledgment, or where data do.
#[test]
fn acknowledgments_that_agree_are_believed_without_their_data() {
    let far = 111 + (1 << 28);
    let begin = [segment(101, 901, ACK).len(10), segment(901, far, ACK).reply()];
    let told = |then: [Segment; 2]| {
        let [told, _] = after_handshake(begin.into_iter().chain(then)).told(0);
        told
    };
    let acks = told([segment(901, far + 1448, ACK).reply(), segment(901, far + 2896, ACK).reply()]);
    assert!(acks.ends_with(&format!("<{} <{}", far + 1448 - 100, far + 2896 - 100)), "{acks}");
    let data = told([segment(far, 901, ACK).len(10), segment(901, far + 10, ACK).reply()]);
    assert!(data.ends_with(&format!("<{}", far + 10 - 100)), "{data}");
}

#[test]
fn probes_are_told_and_plain_acknowledgments_are_not() {
    let run = after_handshake([
        segment(101, 901, ACK).len(10),
        segment(901, 111, ACK).reply().window(0),
        segment(110, 901, ACK),
        segment(111, 901, ACK),
        segment(901, 111, ACK).reply(),
    ]);
    assert_eq!(run.told(0)[0], "h S0..1 <1S 1..11 <11 10..10 <11");
}

#[test]
fn windows_are_scaled_if_both_syns_say_so() {
    let windows = |client: Option<u8>, server: Option<u8>| {
        let [mut syn, mut syn_ack, answer] = handshake();
        syn = client.map_or(syn, |shift| syn.shift(shift));
        syn_ack = server.map_or(syn_ack, |shift| syn_ack.shift(shift));
        let run = run([
            syn,
            syn_ack,
            answer,
            segment(101, 901, ACK).len(10),
            segment(901, 111, ACK).reply().window(30),
        ]);
        run.log(0, 0).windows()
    };
    assert_eq!(windows(Some(2), Some(7)), [Some(500), Some(30 << 7)]);
    assert_eq!(windows(Some(2), None), [Some(500), Some(30)]);
    assert_eq!(windows(None, None), [Some(500), Some(30)]);
}

#[test]
fn the_shift_is_inferred_where_the_handshake_is_missing() {
    let flight = (0..20_u32).map(|turn| segment(1 + turn * 1448, 1, ACK).len(1448));
    let start = [segment(1, 1, ACK).reply().window(300)];
    let end = [segment(1, 1 + 20 * 1448, ACK).reply().window(300)];
    let run = run(start.into_iter().chain(flight).chain(end));
    // 28960 octets in flight against a window of 300.
    assert_eq!(run.log(0, 1).windows(), [None, Some(300 << 7)]);
    let scale = run.connections[0].flows[0].window_scale.unwrap();
    assert!(scale.is_inferred);
    assert_eq!(scale.shift, WindowShift::new(7));
}

//! What the handshake tells of the way to each end, and what corrects it.

use super::*;

#[test]
fn both_halves_of_the_handshake_are_measured() {
    let [syn, syn_ack, answer] = handshake();
    let run = run([
        syn.at_ms(0),
        syn_ack.at_ms(30),
        answer.at_ms(31),
        segment(101, 901, ACK).len(1).at_ms(40),
        segment(901, 102, ACK).reply().len(1).at_ms(70),
    ]);
    let halves = |flow: usize| match run.log(0, flow).0[0] {
        Call::Handshake(told) => (told.sender_half, told.receiver_half, told.is_client),
        _ => unreachable!(),
    };
    let ms = |ms| Some(Duration::from_millis(ms));
    assert_eq!(halves(0), (ms(1), ms(30), true));
    assert_eq!(halves(1), (ms(30), ms(1), false));
}

/// RFC 9293 section 3.5, figure 7: the client's own SYN-ACK answers the other SYN.
#[test]
fn both_halves_of_a_simultaneous_open_are_measured() {
    let run = run([
        segment(100, 0, SYN).at_ms(0),
        segment(900, 0, SYN).reply().at_ms(20),
        segment(100, 901, SYN | ACK).at_ms(21),
        segment(900, 101, SYN | ACK).reply().at_ms(30),
        segment(101, 901, ACK).len(4).at_ms(500),
    ]);
    let Call::Handshake(told) = run.log(0, 0).0[0] else { unreachable!() };
    let ms = |ms| Some(Duration::from_millis(ms));
    assert_eq!((told.sender_half, told.receiver_half, told.is_client), (ms(1), ms(30), true));
}

/// A proxy by the tap, which reached the server first.
#[test]
fn a_half_is_no_longer_than_the_answers_to_data_took() {
    let [syn, syn_ack, answer] = handshake();
    let halves = |stamp: fn(Segment) -> Segment| {
        let calls = [
            syn.at_ms(0),
            syn_ack.at_ms(400),
            answer.at_ms(401),
            segment(101, 901, ACK).len(10).at_ms(410),
            segment(901, 111, ACK).reply().at_ms(430),
            segment(901, 111, ACK).reply().len(20).at_ms(800),
            segment(111, 921, ACK).len(10).at_ms(801),
            segment(921, 121, ACK).reply().len(20).at_ms(803),
            segment(121, 941, ACK).len(10).at_ms(804),
            segment(941, 131, ACK).reply().at_ms(850),
        ];
        let run = run(calls.map(stamp));
        let told = run.log(0, 1).0.iter().filter_map(|call| match call {
            Call::Handshake(told) => told.sender_half.map(|half| half.as_nanos() / 1_000_000),
            _ => None,
        });
        told.collect::<Vec<_>>()
    };
    assert_eq!(halves(|segment| segment), [20, 2]);
    assert_eq!(halves(|segment| segment.stamped(1, 1)), [400], "timestamps tell better");
}

#[test]
fn a_repeated_syn_is_matched_by_its_timestamp() {
    let halves = |echo: Option<u32>| {
        let [syn, syn_ack, answer] = handshake();
        let stamp = |segment: Segment, value, echo: Option<u32>| match echo {
            Some(echo) => segment.stamped(value, echo),
            None => segment,
        };
        let run = run([
            stamp(syn.at_ms(0), 10, echo.map(|_| 0)),
            stamp(syn.at_ms(1000), 1010, echo.map(|_| 0)),
            stamp(syn_ack.at_ms(1030), 7, echo),
            stamp(answer.at_ms(1031), 1041, echo.map(|_| 7)),
            segment(101, 901, ACK).len(1).at_ms(1040),
        ]);
        assert_eq!(run.told(0)[0], "h S0..1 S0..1 <1S 1..2");
        match run.log(0, 0).0[0] {
            Call::Handshake(told) => told.receiver_half,
            _ => unreachable!(),
        }
    };
    assert_eq!(halves(Some(1010)), Some(Duration::from_millis(30)));
    assert_eq!(halves(Some(10)), Some(Duration::from_millis(1030)));
    assert_eq!(halves(None), None);
}

#[test]
fn data_with_the_syn_gets_the_handshake_twice() {
    let run = run([
        segment(100, 0, SYN).len(50),
        segment(900, 151, SYN | ACK).reply(),
        segment(151, 901, ACK).len(5),
    ]);
    assert_eq!(run.told(0)[0], "h S0..51 <51S h 51..56");
}

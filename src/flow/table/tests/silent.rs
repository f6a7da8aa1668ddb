//! Sides that send no payload, and octets from before the first one seen.

use super::*;

#[test]
fn a_flow_without_payload_has_no_consumer() {
    let run = after_handshake([
        segment(101, 901, ACK | FIN),
        segment(901, 102, ACK | FIN).reply(),
        segment(102, 902, ACK),
    ]);
    assert_eq!(run.told(0), ["", ""]);
}

/// Of what is sent again a consumer hears, from the first copy on.
#[test]
fn a_fin_sent_again_is_told_with_what_came_before() {
    let fin = || segment(101, 901, ACK | FIN);
    let run = after_handshake([
        segment(901, 101, ACK).reply().len(100),
        segment(101, 1001, ACK),
        fin().at_ms(10),
        fin().at_ms(300),
        segment(1001, 102, ACK).reply(),
    ]);
    assert_eq!(run.told(0)[0], "h S0..1 <1S <1 1..2F 1..2F <2");
}

/// Else the FIN that was acknowledged in between would seem to have been sent again.
#[test]
fn a_syn_recorded_behind_a_fin_is_told_behind_it() {
    let syn = || segment(100, 0, SYN);
    let run = run([
        syn(),
        segment(900, 101, SYN | ACK).reply(),
        segment(101, 901, ACK | FIN).at_ms(10),
        segment(901, 102, ACK).reply().at_ms(20),
        syn().at_ms(1000),
    ]);
    assert_eq!(run.told(0)[0], "S0..1 <1S 1..2F <2 S0..1");
}

#[test]
fn a_syn_with_a_fin_is_told_once() {
    let both = segment(100, 0, SYN | FIN);
    let run = run([both, segment(100, 0, SYN).at_ms(1000)]);
    assert_eq!(run.told(0)[0], "S0..2F S0..1");
}

#[test]
fn an_unanswered_syn_sent_again_is_told() {
    let syn = || segment(100, 0, SYN);
    let run = run([syn(), syn().at_ms(1000), syn().at_ms(3000)]);
    assert_eq!(run.told(0), ["S0..1 S0..1 S0..1", ""]);
    assert_eq!(self::run([syn()]).told(0), ["", ""]);
}

/// What comes sooner than any timer was captured twice (two interfaces of one host): nobody waits for it.
#[test]
fn a_syn_captured_twice_is_not_told() {
    let syn = || segment(100, 0, SYN);
    assert_eq!(run([syn(), syn().at_ms(1)]).told(0), ["", ""]);
}

/// One octet at the end of what came before the capture is no probe.
#[test]
fn octets_from_before_the_first_one_seen_are_no_probe() {
    let run = run([
        segment(7000, 50, ACK).len(100),
        segment(6000, 50, ACK).len(1000),
        segment(50, 7100, ACK).reply(),
    ]);
    assert_eq!(run.told(0)[0], "1..101 <101");
    assert_eq!(run.connections[0].flows[0].unplaced_count, 1);
}

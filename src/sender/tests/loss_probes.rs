//! When a repeat, or new data, is a loss probe (RFC 8985 section 7).

use super::*;

/// Probes of new data, where `octets` go out `late_ms` after the flight's first segment, and `last` before
/// them (Linux `tcp_schedule_loss_probe`: two round trips after the last send, but no later than the RTO of
/// the first, 600 ms).
fn probes_of_new_data(late_ms: u64, last: u64, octets: u64) -> u64 {
    probes_by_clock(0, late_ms, last, octets)
}

/// The same by a clock of that tick.
fn probes_by_clock(tick_ms: u64, late_ms: u64, last: u64, octets: u64) -> u64 {
    let mut sender = Sender::default();
    sender.on_tap_tick(Duration::from_millis(tick_ms));
    sender.on_handshake(&Handshake { is_sack_permitted: true, ..Handshake::default() });
    let packet = |ms, start, len| Data { len: Bytes(len), timestamps: None, ..data(ms, start, 0) };
    sender.on_data(&packet(0, 1, 1000), &mut |_| ());
    sender.on_ack(&Ack { timestamps: None, ..ack(200, 1001, 0) }, &mut |_| ());
    let late = (200_u64.saturating_add(late_ms), last.saturating_add(2001), octets);
    for (ms, start, len) in [(200, 1001, 1000), (500, 2001, last), late] {
        sender.on_data(&packet(ms, start, len), &mut |_| ());
    }
    sender.into_totals().loss_probes_of_new_data
}

#[test]
fn a_loss_probe_goes_out_when_the_retransmission_timer_is_due() {
    assert_eq!([500, 590, 605].map(|ms| probes_of_new_data(ms, 1000, 1000)), [0, 0, 1]);
}

/// A round trip has 200 ms.
#[test]
fn a_clock_coarser_than_the_round_trip_tells_no_loss_probe() {
    assert_eq!([0, 200, 201].map(|tick| probes_by_clock(tick, 605, 1000, 1000)), [1, 1, 0]);
}

/// An ACK was waited for, as larger sends are made of it, and none came; a writer ends in a short segment.
#[test]
fn a_loss_probe_takes_all_along_that_was_put_off() {
    let is_probe = |(last, octets)| probes_of_new_data(605, last, octets) == 1;
    assert_eq!([(1000, 3000), (1000, 2500), (900, 3000)].map(is_probe), [true, false, false]);
    assert_eq!(probes_of_new_data(500, 1000, 3000), 0);
}

/// Away from the sender, two round trips of 200 ms after all that came there was acknowledged: the end of the
/// flight was lost before, or there was none.
#[test]
fn new_data_behind_a_loss_before_the_tap_is_a_loss_probe() {
    let probes_at = |start| {
        let mut sender = Sender::default();
        sender.on_handshake(&Handshake { is_sack_permitted: true, ..Handshake::default() });
        let slack = Duration::from_millis(1);
        for (ms, start) in [(0, 1), (300, 1001)] {
            sender.on_data(&Data { timestamps: None, ..data(ms, start, 0) }, &mut |_| ());
            let ack = ack(ms.saturating_add(200), start.saturating_add(1000), 0);
            sender.on_ack(&Ack { timestamps: None, slack, ..ack }, &mut |_| ());
        }
        sender.on_data(&Data { timestamps: None, ..data(905, start, 0) }, &mut |_| ());
        sender.into_totals().loss_probes_of_new_data
    };
    assert_eq!([3001, 2001].map(probes_at), [1, 0]);
}

/// Loss probes and timeouts, where a lone segment goes out again at these times, with a round trip of 200 ms.
fn lone_repairs(at_ms: &[u64], is_sack_permitted: bool) -> (u64, u64) {
    let mut sender = Sender::default();
    sender.on_handshake(&Handshake { is_sack_permitted, ..Handshake::default() });
    let packet = |ms, start| Data { timestamps: None, ..data(ms, start, 0) };
    sender.on_data(&packet(0, 1), &mut |_| ());
    sender.on_ack(&Ack { timestamps: None, ..ack(200, 1001, 0) }, &mut |_| ());
    sender.on_data(&packet(300, 1001), &mut |_| ());
    for ms in at_ms {
        sender.on_data(&packet(*ms, 1001), &mut |_| ());
    }
    let totals = sender.into_totals();
    (totals.loss_probe_segments, totals.timeouts)
}

/// The probe's timer is set in the retransmission timer's place, which is set once the probe has gone out.
#[test]
fn what_repairs_a_lone_segment_first_is_a_probe() {
    assert_eq!(lone_repairs(&[904], true), (1, 0));
    assert_eq!(lone_repairs(&[904, 1504], true), (1, 1));
    assert_eq!(lone_repairs(&[1300], true), (0, 1), "no probe comes so late");
    assert_eq!(lone_repairs(&[904], false), (0, 1), "nor without SACK");
}

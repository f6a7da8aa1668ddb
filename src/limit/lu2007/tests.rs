//! Figure 1 on hand-made events.

#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use super::*;
use crate::sender::{RttSample, Send, SendKind, SenderVars};
use crate::units::{FrameNumber, StreamOffset};

const MSS: u64 = 1000;

fn at_ms(ms: u64) -> Timestamp {
    Timestamp(ms * 1_000_000)
}

/// One flow in the making: offsets in segments of [`MSS`], times in milliseconds.
#[derive(Default)]
struct Flow {
    method: Lu2007,
    vars: SenderVars,
}

impl Flow {
    fn with_rwnd(segments: u64) -> Self {
        let vars = SenderVars { snd_wnd: Some(Bytes(segments * MSS)), ..SenderVars::default() };
        Self { vars, ..Self::default() }
    }

    /// Sends until `segments` segments were sent in all; fewer than before is a retransmission.
    fn send_up_to(&mut self, ms: u64, segments: u64) {
        let end = StreamOffset(segments * MSS);
        let start = self.vars.snd_nxt.min(StreamOffset(end.0 - MSS));
        self.vars.snd_nxt = self.vars.snd_nxt.max(end);
        self.method.on_event(&SenderEvent::Send(Send {
            frame: FrameNumber::new(0),
            time: at_ms(ms),
            sender_tick: None,
            departure: crate::flow::Departure::Unknown,
            start,
            len: end.since(start),
            headers_len: 66,
            segments: 1,
            resent_segments: 0,
            smss: Bytes(MSS),
            kind: SendKind::New,
            is_syn: false,
            is_fin: false,
            is_pushed: false,
            is_loss_probe: false,
            after: self.vars,
        }));
    }

    fn ack_with_rtt(&mut self, ms: u64, segments: u64, rtt: Option<RttSample>) {
        let una = StreamOffset(segments * MSS);
        let newly_acked = una.since(self.vars.snd_una);
        self.vars.snd_una = una;
        let ack = Acknowledge::of(newly_acked, at_ms(ms));
        let ack = Acknowledge { rtt, after: self.vars, ..ack };
        self.method.on_event(&SenderEvent::Acknowledge(ack));
    }

    fn ack(&mut self, ms: u64, segments: u64) {
        self.ack_with_rtt(ms, segments, None);
    }

    fn finish(self, end_ms: u64) -> Findings {
        self.method.finish(at_ms(0), at_ms(end_ms))
    }
}

fn assert_near(got: f64, expected: f64) {
    assert!((got - expected).abs() < 1e-9, "got {got}, expected {expected}");
}

/// The window leaves less than two segments open: `RCV_LIMIT`, although the shadow fits as well.
#[test]
fn full_receive_window_is_named_first() {
    let mut flow = Flow::with_rwnd(10);
    flow.ack(0, 0);
    flow.send_up_to(0, 9);
    let found = flow.finish(100);
    assert_near(found.rlimit, 1.0);
    assert_near(found.wnd_mean_bytes, 9000.0);
}

/// "Greater than rwnd - 2 mss": exactly two segments open is not receive-limited.
#[test]
fn two_open_segments_are_enough() {
    let mut flow = Flow::with_rwnd(10);
    flow.ack(0, 0);
    flow.send_up_to(0, 8);
    let found = flow.finish(100);
    assert_near(found.rlimit, 0.0);
    assert_near(found.climit, 1.0);
}

/// Without a known scale the window is no number to compare with.
#[test]
fn unknown_window_is_never_named() {
    let mut flow = Flow::default();
    flow.ack(0, 0);
    flow.send_up_to(0, 9);
    assert_near(flow.finish(100).climit, 1.0);
}

/// An ACK's class is settled by the burst after it, and lasts until the next ACK.
#[test]
fn a_class_lasts_until_the_next_ack() {
    let mut flow = Flow::with_rwnd(10);
    flow.ack(0, 0);
    flow.send_up_to(1, 4);
    flow.ack(25, 2);
    flow.send_up_to(26, 12); // Fills the window: R from 25 ms on.
    let found = flow.finish(100);
    assert_near(found.climit, 0.25);
    assert_near(found.rlimit, 0.75);
    assert_near(found.slimit, 0.0);
    assert_near(found.wnd_mean_bytes, 0.25 * 4000.0 + 0.75 * 10_000.0);
}

/// Shares are of the connection's time: what passed before the first ACK belongs to none.
#[test]
fn time_before_the_first_ack_has_no_class() {
    let mut flow = Flow::with_rwnd(10);
    flow.ack(40, 0);
    flow.send_up_to(40, 4);
    assert_near(flow.finish(100).climit, 0.6);
}

/// Before the first data there is no mss, so the ACKs of a silent sender have no class.
#[test]
fn no_data_no_class() {
    let mut flow = Flow::with_rwnd(10);
    flow.ack(0, 0);
    flow.ack(10, 0);
    let found = flow.finish(100);
    assert_near(found.rlimit + found.slimit + found.climit, 0.0);
    assert_near(found.wnd_mean_bytes, 0.0);
    assert_eq!(found.rtt_mean, None);
}

/// A wider window resets the shadow; a narrower one adds `mss * mss / cwnd`.
#[test]
fn shadow_follows_upwards_and_creeps_otherwise() {
    let mut flow = Flow::default();
    flow.ack(0, 0);
    flow.send_up_to(0, 4); // wnd 4: shadow 4
    flow.ack(10, 2);
    flow.send_up_to(10, 8); // wnd 6: shadow 6
    flow.ack(20, 4);
    flow.send_up_to(20, 9); // wnd 5: shadow 6 + 1/6
    assert_near(flow.finish(30).cwnd_end_bytes, 6000.0 + 1e6 / 6000.0);
}

/// A burst of nothing but a retransmission leaves `snd_max` where it was.
#[test]
fn a_retransmission_does_not_shrink_wnd() {
    let mut flow = Flow::default();
    flow.ack(0, 0);
    flow.send_up_to(0, 6);
    flow.ack(10, 0);
    flow.send_up_to(10, 1);
    assert_near(flow.finish(20).wnd_mean_bytes, 6000.0);
}

/// Table 1, 1 % loss, 200 kB: the shadow reaches `sqrt(2 n)` segments, so a window that loss holds
/// at 9 segments is called send-buffer limited after some 60 ACKs.
#[test]
fn shadow_outgrows_a_window_that_loss_holds_down() {
    const ACKS: u64 = 31_000;
    let mut flow = Flow::with_rwnd(137);
    for n in 0..ACKS {
        flow.ack(n, 2 * n);
        flow.send_up_to(n, 2 * n + 9);
    }
    let found = flow.finish(ACKS);
    assert!(found.cwnd_end_bytes >= 248.0 * 1000.0, "{found:?}");
    assert!(found.slimit > 0.997, "{found:?}");
    assert!(found.climit < 0.003, "{found:?}");
}

/// Section 2.3 takes the ACK of a segment's end and leaves the other ways out.
#[test]
fn rtt_is_the_mean_of_segment_ends() {
    let sample = |ms, matcher| Some(RttSample::of(Duration::from_millis(ms), matcher));
    let mut flow = Flow::default();
    flow.send_up_to(0, 4);
    flow.ack_with_rtt(10, 1, sample(10, RttMatcher::SegmentEnd));
    flow.ack_with_rtt(20, 2, sample(20, RttMatcher::SegmentEnd));
    flow.ack_with_rtt(30, 2, sample(900, RttMatcher::Sack));
    flow.ack_with_rtt(40, 3, sample(900, RttMatcher::Timestamp));
    assert_eq!(flow.finish(50).rtt_mean, Some(Duration::from_millis(15)));
}

/// All packets at one instant, or a clock that stood still: no division by zero.
#[test]
fn no_duration_no_share() {
    let mut flow = Flow::default();
    flow.ack(0, 0);
    flow.send_up_to(0, 4);
    let found = flow.finish(0);
    assert_near(found.climit, 0.0);
    assert_near(found.wnd_mean_bytes, 0.0);
}

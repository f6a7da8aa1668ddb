//! The rate of a bottleneck, by hand-placed ACKs.
#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use super::*;
use crate::sender::{RttMatcher, RttSample};
use crate::sender::{Send, SendKind, SenderVars};
use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp};

const MSS: u64 = 1434;
const FRAME: u64 = 1500;
const BASE: Duration = Duration::from_millis(20);

/// A flow seen by its ACKs alone: 12 Mbit/s are a frame of 1500 octets each millisecond.
pub(super) struct Flow {
    pub(super) gauge: Gauge,
    pub(super) now: Duration,
    highest: StreamOffset,
}

impl Flow {
    pub(super) fn new() -> Self {
        let (gauge, highest) = (Gauge::default(), StreamOffset(1));
        let mut flow = Self { gauge, now: BASE, highest };
        flow.gauge.on_event(&SenderEvent::Send(Send {
            frame: FrameNumber::new(1),
            time: Timestamp(0),
            sender_tick: None,
            departure: crate::flow::Departure::Unknown,
            start: StreamOffset(1),
            len: Bytes(MSS),
            headers_len: u32::try_from(FRAME - MSS).unwrap(),
            segments: 1,
            resent_segments: 0,
            smss: Bytes(MSS),
            kind: SendKind::New,
            is_syn: false,
            is_fin: false,
            is_pushed: false,
            is_loss_probe: false,
            after: SenderVars::default(),
        }));
        flow
    }

    /// ACKs of two segments each, `gap` apart, with this much queueing.
    pub(super) fn acks(&mut self, count: u32, gap: Duration, queued: Duration) {
        for _ in 0..count {
            self.ack(2, gap, Some(queued));
        }
    }

    pub(super) fn ack(&mut self, segments: u64, gap: Duration, queued: Option<Duration>) {
        self.ack_past(0, segments, gap, queued);
    }

    /// An ACK of `segments` beyond `lost` ones.
    pub(super) fn ack_past(
        &mut self,
        lost: u64,
        segments: u64,
        gap: Duration,
        queued: Option<Duration>,
    ) {
        self.now = self.now.saturating_add(gap);
        let delivered = Bytes(segments * MSS);
        self.highest = self.highest.after(Bytes((lost + segments) * MSS));
        let sample = |queued| RttSample::of(BASE.saturating_add(queued), RttMatcher::SegmentEnd);
        self.gauge.on_event(&SenderEvent::Acknowledge(Acknowledge {
            newly_sacked: Bytes(lost.min(1)),
            passed_over: Bytes(lost * MSS),
            highest: self.highest,
            rtt: queued.map(sample),
            // What is behind it was sent with it.
            is_followed: queued.is_some(),
            after: SenderVars {
                min_rtt: Some(BASE),
                flight_size: Bytes(MSS),
                ..SenderVars::default()
            },
            ..Acknowledge::of(delivered, Timestamp(0).after(self.now))
        }));
    }

    fn capacity(self) -> Option<Capacity> {
        self.gauge.finish().capacity
    }
}

pub(super) fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

#[track_caller]
fn assert_near(capacity: Option<Capacity>, bps: f64) -> Capacity {
    let capacity = capacity.expect("a queue stood");
    assert!((capacity.bps / bps - 1.0).abs() < 0.01, "{capacity:?}");
    assert!(capacity.low_bps <= bps && bps <= capacity.high_bps, "{capacity:?}");
    capacity
}

#[test]
fn a_standing_queue_shows_the_rate() {
    let mut flow = Flow::new();
    flow.acks(200, ms(2), ms(10));
    let capacity = assert_near(flow.capacity(), 12e6);
    assert_eq!((capacity.method, capacity.trust), (CapacityMethod::AckRatePlateau, Trust::Steady));
}

/// A window of ten segments on a path that holds twenty: the last of a burst waits for the others,
/// but the bottleneck rests before the next.
#[test]
fn a_burst_is_no_full_path() {
    let mut flow = Flow::new();
    for _ in 0..50 {
        flow.ack(2, ms(12), Some(ms(0)));
        for nth in 1..5 {
            flow.ack(2, ms(2), Some(ms(2 * nth)));
        }
    }
    assert_eq!(flow.capacity(), None);
}

/// ACKs lost or held up in bunches: what counts is what was acknowledged between them.
#[test]
fn thinned_and_bunched_acks_show_the_same_rate() {
    let mut flow = Flow::new();
    for round in 0..100 {
        flow.ack(8, ms(8), Some(ms(12)));
        flow.ack(2, ms(3), Some(ms(13)));
        flow.ack(2, Duration::from_micros(10), Some(ms(11)));
        flow.ack(4, Duration::from_micros(4990), Some(ms(12)));
        // During repairs ACKs give no sample.
        if round % 10 == 0 {
            flow.ack(2, ms(2), None);
        }
    }
    assert_near(flow.capacity(), 12e6);
}

/// For half of the time another flow has two thirds of the queue.
#[test]
fn the_rate_without_the_others_is_the_bottleneck_s() {
    let mut flow = Flow::new();
    flow.acks(100, ms(6), ms(30));
    flow.acks(300, ms(2), ms(30));
    let capacity = assert_near(flow.capacity(), 12e6);
    assert_eq!(capacity.trust, Trust::Agreed);
}

/// Another flow's packets stand between every fourth pair and the next, all the time.
#[test]
fn trains_show_the_rate_of_a_shared_queue() {
    let mut flow = Flow::new();
    for _ in 0..200 {
        // Four pairs were sent at once.
        for nth in 1..4 {
            flow.ack(2, ms(2), Some(ms(30 + 2 * nth)));
        }
        flow.ack(2, ms(10), Some(ms(30)));
    }
    let capacity = assert_near(flow.capacity(), 12e6);
    assert_eq!((capacity.method, capacity.trust), (CapacityMethod::TrainDispersion, Trust::Agreed));
}

/// Five pairs are sent at once each ten milliseconds, and so often ACKs are let go.
#[test]
fn acks_that_come_bunched_are_no_others() {
    let mut flow = Flow::new();
    for nth in 0..4000 {
        let burst = nth / 5;
        // Where in its burst a pair is when they are let go changes.
        let due_ms = 2 * nth + 2 * (nth / 200);
        let at = Duration::from_micros(60_000 + 10_000 * (due_ms / 10) + 5 * (due_ms % 10));
        let sent = Duration::from_micros(10_000 * burst);
        let queued = at.saturating_sub(sent).saturating_sub(BASE);
        flow.ack(2, at.saturating_sub(flow.now), Some(queued));
    }
    let found = flow.gauge.finish();
    assert_near(found.capacity, 12e6);
    assert_eq!(
        (found.kind, found.trust),
        (PathVerdict::BottleneckFull, Trust::Agreed),
        "{found:?}"
    );
}

/// The rate of a radio link changes each second, and the queue stays.
#[test]
fn a_standing_queue_of_no_one_rate_is_a_full_path() {
    let mut flow = Flow::new();
    for second in 0..20 {
        let gap = 1 + second * 7 % 20;
        flow.acks(u32::try_from(1000 / gap).unwrap(), ms(gap), ms(60));
    }
    let found = flow.gauge.finish();
    assert_eq!((found.kind, found.used), (PathVerdict::BottleneckFull, None), "{found:?}");
    assert_ne!(found.trust, Trust::Steady);
}

/// Something dropped forty segments at once, and no queue stood.
#[test]
fn much_lost_at_once_leaves_the_room_in_doubt() {
    let mut flow = Flow::new();
    flow.acks(100, ms(2), Duration::ZERO);
    flow.ack_past(40, 2, ms(2), Some(Duration::ZERO));
    flow.acks(100, ms(2), Duration::ZERO);
    let found = flow.gauge.finish();
    assert_eq!((found.kind, found.trust), (PathVerdict::NotFull, Trust::Doubtful), "{found:?}");
}

/// Half of the ACKs reach the sender in pairs, as far as can be told.
#[test]
fn trains_that_take_no_time_have_no_rate() {
    let mut flow = Flow::new();
    for _ in 0..200 {
        flow.acks(1, ms(4), ms(30));
        flow.acks(1, Duration::ZERO, ms(30));
    }
    let capacity = assert_near(flow.capacity(), 12e6);
    assert_eq!(capacity.method, CapacityMethod::AckRatePlateau);
}

#[test]
fn memory_is_bounded_and_the_rate_stays() {
    let mut flow = Flow::new();
    flow.acks(20_000, ms(2), ms(10));
    let found = std::mem::take(&mut flow.gauge.busy).finish(1500.0);
    assert!(found.stretches.len() <= 256, "{}", found.stretches.len());
    let rate = stretch::Stretch::sum(&found.stretches).rate();
    assert!((rate / 12e6 - 1.0).abs() < 0.001, "{rate}");
}

/// Windows that grow by a segment each round trip and halve after a loss, sent in bursts of 12 Mbit/s
/// through what lets pass `burst` segments and then one each four milliseconds.
fn through_a_bucket(burst: u64, delay: fn(u64) -> Duration) -> Findings {
    let mut flow = Flow::new();
    let (mut tokens, mut window, mut is_lost) = (4 * burst, 4, false);
    let mut lost = 0;
    for _ in 0..400 {
        for _ in 0..window {
            // A quarter of a token for each millisecond that a segment takes.
            tokens = (tokens + 1).min(4 * burst);
            if tokens < 4 {
                (lost, is_lost) = (lost + 1, true);
                flow.now = flow.now.saturating_add(ms(1));
                continue;
            }
            tokens -= 4;
            let queued = delay(burst - tokens / 4);
            flow.ack_past(std::mem::take(&mut lost), 1, ms(1), Some(queued));
        }
        let rest = 20_u64.saturating_sub(window);
        flow.now = flow.now.saturating_add(ms(rest));
        tokens = (tokens + rest).min(4 * burst);
        window = if std::mem::take(&mut is_lost) { window / 2 } else { window + 1 };
    }
    flow.gauge.finish()
}

#[test]
fn losses_of_an_empty_bucket_are_a_policer() {
    let found = through_a_bucket(12, |_| Duration::ZERO);
    assert_eq!(found.kind, PathVerdict::Policed, "{found:?}");
    let bucket = found.bucket.expect("its bucket");
    assert!((bucket.rate_bps / 3e6 - 1.0).abs() < 0.1, "{bucket:?}");
    assert!((bucket.burst_bytes / 18e3 - 1.0).abs() < 0.3, "{bucket:?}");
}

/// The same losses, but what passes has waited as long as the deficit takes to serve.
#[test]
fn losses_of_a_full_queue_are_no_policer() {
    let found = through_a_bucket(12, |deficit| ms(4 * deficit));
    assert_ne!(found.kind, PathVerdict::Policed, "{found:?}");
}

fn with_random_losses(mut flow: Flow) -> Findings {
    let mut random = 1_u64;
    for _ in 0..5000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let lost = u64::from(random >> 60 == 0);
        flow.ack_past(lost, 1, ms(2 + (random >> 40) % 7), Some(Duration::ZERO));
    }
    flow.gauge.finish()
}

/// After a pause a burst fills the queue, and one ACK tells what passed before and behind what it dropped.
#[test]
fn the_queue_at_a_loss_is_what_met_those_sent_with_it() {
    let mut flow = Flow::new();
    flow.acks(3, ms(5), Duration::ZERO);
    let now = Timestamp(0).after(ms(335));
    flow.gauge.on_event(&SenderEvent::Acknowledge(Acknowledge {
        newly_acked: Bytes(20 * MSS),
        newly_sacked: Bytes(MSS),
        passed_over: Bytes(2 * MSS),
        passed_over_sent: Some(Timestamp(0).after(ms(300))),
        highest: StreamOffset(1 + 29 * MSS),
        rtt: Some(RttSample::of(ms(35), RttMatcher::Sack)),
        after: SenderVars {
            min_rtt: Some(BASE),
            snd_una: StreamOffset(1 + 26 * MSS),
            ..SenderVars::default()
        },
        ..Acknowledge::of(Bytes(21 * MSS), now)
    }));
    let rtts: Vec<f64> = flow.gauge.gaps.rest().map(|loss| loss.rtt).collect();
    assert_eq!(rtts, [0.035]);
}

#[test]
fn losses_at_random_are_no_policer() {
    let found = with_random_losses(Flow::new());
    assert_eq!(found.kind, PathVerdict::Lossy, "{found:?}");
    assert!((found.loss_rate / 0.0625 - 1.0).abs() < 0.2, "{found:?}");
}

/// Fifty segments pass at 12 Mbit/s, then the queue stands and 3 Mbit/s remain.
#[test]
fn a_burst_before_the_queue_is_a_shaper() {
    let mut flow = Flow::new();
    flow.acks(33, ms(2), Duration::ZERO);
    for nth in 0..400 {
        flow.ack(2, ms(8), Some(ms(8 + 2 * nth.min(40))));
    }
    let found = flow.gauge.finish();
    assert_eq!(found.kind, PathVerdict::Shaped, "{found:?}");
    let bucket = found.bucket.expect("its bucket");
    assert!((bucket.rate_bps / 3e6 - 1.0).abs() < 0.05, "{bucket:?}");
    assert!((bucket.burst_bytes / 75e3 - 1.0).abs() < 0.3, "{bucket:?}");
}

#[test]
fn two_thirds_for_others_are_a_shared_queue() {
    let mut flow = Flow::new();
    flow.acks(300, ms(6), ms(30));
    flow.acks(300, ms(2), ms(30));
    assert_eq!(flow.gauge.finish().kind, PathVerdict::Shared);
}

/// On a short path what bursts leave behind may seem a queue of which others have part.
#[test]
fn losses_that_know_nothing_of_the_queue_are_not_others() {
    let loss = |second: u64| {
        let time = Timestamp(0).after(ms(second * 1000));
        Loss { at: Place { time, sent: time, passed: 0.0 }, octets: 1500.0, rtt: 0.0101 }
    };
    let losses = [1_u64, 2, 3, 4].map(loss);
    let (shared, lossy) = (PathVerdict::Shared, PathVerdict::Lossy);
    for (rank, has_sack, expected) in [
        (0.95, true, (shared, Trust::Agreed)),
        (0.3, true, (lossy, Trust::Steady)),
        (0.3, false, (lossy, Trust::Doubtful)),
    ] {
        let facts = judge::Facts {
            trains: None,
            capacity: None,
            used: Some(0.5),
            busy: 0.3,
            own: Some(0.6),
            bucket: None,
            tokens: None,
            segment: 1500.0,
            base: 0.01,
            stood: 0.1,
            short: 1.0,
            queued_max: 0.002,
            episodes: &losses,
            loss_rate: 0.01,
            loss_rank: rank,
            episode_rank: rank,
            clustering: 1.0,
            has_sack,
            echoes: 0,
            is_way_back: false,
            passed: 1e6,
            tick: 0.0,
            blur: 0.0,
        };
        assert_eq!(judge::judge(&facts), expected);
    }
}

/// `count` ACKs of two segments each, one every `apart_us`, `rtt` after these were sent, as a clock of `tick`
/// tells. The smallest round trip that it shows is `BASE`.
fn by_a_coarse_clock(tick: Duration, count: u64, apart_us: u64, rtt: Duration) -> Flow {
    let told = |time: Duration| {
        let ticks = time.as_micros() / tick.as_micros();
        Duration::from_micros(ticks * tick.as_micros())
    };
    let mut flow = Flow::new();
    flow.gauge.on_tap_tick(tick);
    for nth in 0..count {
        let time = Duration::from_micros(200_000 + nth * apart_us);
        let sent = time.saturating_sub(rtt);
        let queued = told(time).saturating_sub(told(sent)).saturating_sub(BASE);
        flow.ack(2, told(time).saturating_sub(flow.now), Some(queued));
    }
    flow
}

/// 25 ms show as 20 or 30 ms: no queue stood, and the writer's rate is not the bottleneck's.
#[test]
fn a_clock_that_ticks_coarsely_makes_no_queue() {
    let flow = by_a_coarse_clock(ms(10), 2000, 3000, ms(25));
    assert_eq!(flow.capacity(), None);
}

/// What took many ticks is told by any clock.
#[test]
fn a_long_queue_shows_its_rate_by_a_coarse_clock_too() {
    let flow = by_a_coarse_clock(ms(10), 2000, 2000, ms(104));
    let capacity = assert_near(flow.capacity(), 12e6);
    assert_eq!((capacity.method, capacity.trust), (CapacityMethod::AckRatePlateau, Trust::Agreed));
}

/// 2.4 ms show as 2 or 3 ms, and most as 2: others would have a sixth of the bottleneck.
#[test]
fn ticks_make_no_trains() {
    let flow = by_a_coarse_clock(ms(1), 4000, 2400, ms(60));
    let found = flow.gauge.finish();
    assert_near(found.capacity, 10e6);
    assert_eq!(found.kind, PathVerdict::BottleneckFull, "{found:?}");
}

/// A queue of four segments takes 20 ms at 2.4 Mbit/s, and 1 ms at 48: a tick of 4 ms hides that.
#[test]
fn a_clock_may_hide_that_the_path_is_full() {
    let trust = |apart_us| {
        let found = by_a_coarse_clock(ms(4), 4000, apart_us, ms(20)).gauge.finish();
        assert_eq!(found.kind, PathVerdict::NotFull, "{found:?}");
        found.trust
    };
    assert_eq!([trust(10_000), trust(500)], [Trust::Steady, Trust::Doubtful]);
}

/// Losses at random as above: by a clock in whose ticks two segments pass, they may be those of a policer.
#[test]
fn a_clock_may_hide_the_bucket_of_a_policer() {
    let found = |tick| {
        let mut flow = Flow::new();
        flow.gauge.on_tap_tick(tick);
        let found = with_random_losses(flow);
        (found.kind, found.trust)
    };
    assert_eq!(found(Duration::ZERO), (PathVerdict::Lossy, Trust::Steady));
    assert_eq!(found(ms(10)), (PathVerdict::Lossy, Trust::Doubtful));
}

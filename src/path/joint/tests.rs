//! Two flows through one bucket, by hand-placed ACKs.
#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use super::super::Findings;
use super::super::tests::{Flow, ms};
use super::*;
use crate::units::Duration;

/// Two flows whose windows grow by a segment each round trip and halve after a loss. They send bursts of
/// 12 Mbit/s each, one after the other, through what lets pass `burst` segments and then one each four
/// milliseconds. `delay` is how long a segment waits that finds so many quarters of tokens missing.
fn two_through_a_bucket(burst: u64, delay: fn(u64) -> Duration) -> [Findings; 2] {
    let mut flows = [Flow::new(), Flow::new()];
    let (mut tokens, mut windows) = (4 * burst, [4_u64, 9]);
    let (mut lost, mut now) = ([0, 0], ms(20));
    for round in 0..500_u64 {
        let end = now.saturating_add(ms(24));
        for (nth, flow) in flows.iter_mut().enumerate() {
            let mut is_lost = false;
            for _ in 0..windows[nth] {
                now = now.saturating_add(ms(1));
                tokens = (tokens + 1).min(4 * burst);
                if tokens < 4 {
                    (lost[nth], is_lost) = (lost[nth] + 1, true);
                    continue;
                }
                tokens -= 4;
                let queued = delay(4 * burst - tokens);
                let gap = now.saturating_add(queued).saturating_sub(flow.now);
                flow.ack_past(std::mem::take(&mut lost[nth]), 1, gap, Some(queued));
            }
            // One of them pauses now and then: the other then has the bucket for itself.
            let is_pause = nth == 1 && round % 40 > 30;
            windows[nth] = match (is_pause, is_lost) {
                (true, _) => 1,
                (_, true) => (windows[nth] / 2).max(1),
                (_, false) => (windows[nth] + 1).min(11),
            };
        }
        let rest = end.saturating_sub(now);
        tokens = (tokens + rest.as_nanos() / 1_000_000).min(4 * burst);
        now = now.max(end);
    }
    flows.map(|flow| flow.gauge.finish())
}

fn joined(found: &[&Findings; 2]) -> Option<Joint> {
    let records: Vec<&Record> = found.iter().filter_map(|found| found.record.as_ref()).collect();
    join(&records, true)
}

#[test]
fn two_flows_show_the_policer_that_they_share() {
    let found = two_through_a_bucket(12, |_| Duration::ZERO);
    let joint = joined(&found.each_ref()).expect("a policer");
    assert_eq!(joint.kind, PathVerdict::Policed);
    let TokenBucket { rate_bps, burst_bytes, flows, .. } = joint.bucket.expect("a bucket");
    assert!((rate_bps / 3e6 - 1.0).abs() < 0.05, "{joint:?}");
    assert!((burst_bytes / 18e3 - 1.0).abs() < 0.3, "{joint:?}");
    assert_eq!(flows, 2);
    let shares: f64 = joint.shares.iter().flatten().sum();
    assert!((shares - 1.0).abs() < 0.05, "{joint:?}");
}

/// The same losses, but what passes has waited as long as the deficit takes to serve.
#[test]
fn a_queue_that_two_flows_share_is_neither() {
    assert!(joined(&two_through_a_bucket(12, ms).each_ref()).is_none());
    assert!(joined(&two_through_a_bucket(60, ms).each_ref()).is_none());
}

/// Forty segments pass at once, and twenty may wait.
#[test]
fn two_flows_show_the_shaper_that_they_share() {
    let found = two_through_a_bucket(60, |missing| ms(missing.saturating_sub(160)));
    let joint = joined(&found.each_ref()).expect("a shaper");
    assert_eq!(joint.kind, PathVerdict::Shaped);
    let TokenBucket { rate_bps, burst_bytes, flows, .. } = joint.bucket.expect("a bucket");
    assert!((rate_bps / 3e6 - 1.0).abs() < 0.02, "{joint:?}");
    assert!((burst_bytes / 60e3 - 1.0).abs() < 0.15, "{joint:?}");
    assert_eq!(flows, 2);
}

#[test]
fn random_losses_of_two_flows_are_no_policer() {
    let mut random = 1_u64;
    let mut lossy = || {
        let mut flow = Flow::new();
        for _ in 0..3000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let lost = u64::from(random >> 60 == 0);
            flow.ack_past(lost, 1, ms(2 + (random >> 40) % 7), Some(Duration::ZERO));
        }
        flow.gauge.finish()
    };
    assert!(joined(&[&lossy(), &lossy()]).is_none());
}

/// The sum has no holes: what one flow passed between two of its places counts in the places of others.
#[test]
fn curves_add_up_on_one_clock() {
    let step = |sent, passed| Step {
        at: Mark { sent: Timestamp(sent), passed },
        kind: deficit::Kind::Passed { times: 1 },
    };
    let parts = vec![
        (0, step(0, 10.0)),
        (1, step(500_000_000, 5.0)),
        (0, step(1_000_000_000, 20.0)),
        (1, step(2_000_000_000, 35.0)),
    ];
    let (owners, steps) = added(parts, 2);
    assert_eq!(owners, [0, 1, 0, 1]);
    let passed: Vec<f64> = steps.iter().map(|step| step.at.passed).collect();
    assert_eq!(passed, [10.0, 20.0, 35.0, 55.0]);
}

/// A link of 12 Mbit/s that one flow has for itself half of the time; else the other has 4 of each 40 ms, and
/// what it sent has waited for `queued`. In `pauses` of ten such periods the first one is idle.
fn beside_each_other(pauses: u32, queued: Duration) -> [Findings; 2] {
    let [mut large, mut small] = [Flow::new(), Flow::new()];
    for period in 0..400 {
        let has_both = period % 20 >= 10;
        if period % 10 < pauses {
            large.now = large.now.saturating_add(ms(40));
        } else {
            large.ack(2, if has_both { ms(6) } else { ms(2) }, Some(ms(30)));
            large.acks(if has_both { 17 } else { 19 }, ms(2), ms(30));
        }
        if has_both {
            small.ack(2, ms(38), Some(queued));
            small.ack(2, ms(2), Some(queued));
        } else {
            small.now = small.now.saturating_add(ms(40));
        }
    }
    [large, small].map(|flow| flow.gauge.finish())
}

#[test]
fn a_flow_beside_one_that_fills_the_link_knows_of_it() {
    let [large, mut small] = beside_each_other(0, ms(30));
    assert_eq!(small.kind, PathVerdict::NotFull);
    let joint = joined(&[&large, &small]).expect("a full link");
    assert_eq!(joint.kind, PathVerdict::Shared);
    let share = joint.shares[1].expect("it met the queue");
    assert!((share - 0.05).abs() < 0.01, "{joint:?}");
    assert!(small.share(&joint, share));
    assert_eq!((small.kind, small.trust), (PathVerdict::Shared, Trust::Agreed));
}

/// A fair queue gives a flow half of the link, and that steadily; nearly all of it may be the link's rate.
#[test]
fn a_rate_below_what_passed_beside_it_is_no_link_s() {
    let trust_of = |bps: f64| {
        let [large, mut small] = beside_each_other(0, ms(30));
        let joint = joined(&[&large, &small]).expect("a full link");
        let known = large.capacity.expect("a rate");
        small.capacity = Some(Capacity { bps, high_bps: bps, trust: Trust::Steady, ..known });
        assert!(small.share(&joint, 0.5));
        small.capacity.map(|capacity| capacity.trust)
    };
    assert_eq!(trust_of(6e6), Some(Trust::Doubtful));
    assert_eq!(trust_of(11.9e6), Some(Trust::Steady));
}

/// Nor is it where nothing else is known for sure.
#[test]
fn a_rate_below_what_passed_beside_it_is_not_made_the_link_s() {
    let [mut large, mut small] = beside_each_other(0, ms(30));
    let known = large.capacity.expect("a rate");
    let part = Capacity { bps: 6e6, high_bps: 6e6, trust: Trust::Steady, ..known };
    let doubted = Capacity { trust: Trust::Doubtful, ..known };
    small.capacity = Some(part);
    for (flow, capacity) in [(&mut large, doubted), (&mut small, part)] {
        flow.record.as_mut().expect("long enough").capacity = Some(capacity);
    }
    let joint = joined(&[&large, &small]).expect("a full link");
    assert!(small.share(&joint, 0.5));
    assert_eq!(small.capacity.map(|capacity| capacity.trust), Some(Trust::Doubtful));
}

#[test]
fn a_flow_that_waits_for_nobody_is_not_beside() {
    let [large, small] = beside_each_other(0, Duration::ZERO);
    let joint = joined(&[&large, &small]).expect("a full link");
    assert_eq!(joint.shares[1], None);
}

/// The rate of the link is known from when it was busy.
#[test]
fn a_link_with_pauses_is_not_full() {
    let [large, small] = beside_each_other(4, ms(30));
    assert!(large.capacity.is_some_and(|capacity| capacity.is_known()));
    assert!(joined(&[&large, &small]).is_none());
}

/// A clock of this tick told both flows, and the rate of the link not for sure.
fn by_coarse_clock(found: [Findings; 2], tick: f64) -> [Findings; 2] {
    found.map(|mut flow| {
        if let Some(record) = &mut flow.record {
            record.tick = tick;
            if let Some(capacity) = &mut record.capacity {
                capacity.trust = Trust::Doubtful;
            }
        }
        flow
    })
}

#[test]
fn a_coarse_clock_leaves_a_full_link_a_guess() {
    let joint = |queued, tick| {
        let found = by_coarse_clock(beside_each_other(0, queued), tick);
        joined(&found.each_ref())
    };
    let found = joint(ms(30), 0.004).expect("a full link, perhaps");
    assert_eq!((found.kind, found.trust), (PathVerdict::Shared, Trust::Doubtful));
    assert!(found.shares[1].is_some());
    assert!(joint(ms(30), 0.0).is_none(), "what a fine clock leaves in doubt, others left to it");
    let within = joint(ms(4), 0.004).expect("a full link, perhaps");
    assert_eq!(within.shares[1], None, "its wait may be the clock's");
}

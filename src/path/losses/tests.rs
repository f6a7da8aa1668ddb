#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use super::*;

/// A loss each `apart_ms`, at a round trip of `rtt_ms`.
fn each(apart_ms: u64, count: u64, rtt_ms: u32) -> Losses {
    let mut losses = Losses::default();
    for nth in 0..count {
        let time = Timestamp(0).after(Duration::from_millis(nth * apart_ms));
        let at = Place { time, sent: time, passed: 0.0 };
        losses.push(Loss { at, octets: 1500.0, rtt: f64::from(rtt_ms) / 1e3 }, 0.02);
    }
    losses
}

/// Losses at random of a sender that they do not slow down: several a round trip, without a pause.
#[test]
fn an_episode_ends_after_a_round_trip_though_losses_go_on() {
    assert_eq!(each(5, 100, 20).episodes(0.02).len(), 20);
    assert_eq!(each(30, 10, 20).episodes(0.02).len(), 10);
    assert_eq!(each(5, 100, 100).episodes(0.02).len(), 5, "a queue makes the round trip longer");
}

/// Losses come in tens within a round trip of which each hundredth has some; many more than are kept.
#[test]
fn that_losses_come_together_shows_of_all_of_them() {
    let mut losses = Losses::default();
    for nth in 0..20_000_u64 {
        let time = Timestamp(0).after(Duration::from_millis(nth / 10 * 2000 + nth % 10));
        let at = Place { time, sent: time, passed: 0.0 };
        losses.push(Loss { at, octets: 1500.0, rtt: 0.02 }, 0.02);
    }
    assert!(losses.list.len() <= Losses::MAX);
    let carried = Stretch { octets: 1e9, seconds: 4000.0 };
    let clustering = losses.clustering(carried, 0.02, 1500.0);
    assert!((clustering - 9.5).abs() < 0.2, "{clustering}");
}

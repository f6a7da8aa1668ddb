//! The congestion control and the cost of losses, on simulated paths: the sender is Reno.

use tcplimit::model::{BackOff, CongestionClass, FlowReport, UnknownReason};
use tcplimit::testing::{Path, ms};

fn long() -> FlowReport {
    Path { rate_bps: 8_000_000, duration: ms(40_000), ..Path::default() }.flow()
}

#[test]
fn reno_is_told_by_its_epochs() {
    let flow = long();
    let control = flow.congestion_control.as_ref().expect("the window grew");
    assert_eq!(control.class, CongestionClass::RenoLike, "{control:?}");
    assert_eq!(control.linux_name, Some("reno"));
    let left = control.back_off_factor.expect("losses");
    assert!((left - 0.5).abs() < 0.05, "{left}");
    for epoch in control.epochs.iter().filter(|epoch| epoch.is_used) {
        let growth = epoch.growth_segments_per_round.expect("some round trips");
        assert!((growth - 1.0).abs() < 0.2, "{epoch:?}");
        assert!(epoch.start_s < epoch.end_s, "{epoch:?}");
    }
    let times: Vec<f64> = control.epochs.iter().map(|epoch| epoch.start_s).collect();
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(control.epochs.len() as u64, control.epochs_count);
}

/// What was seen agrees with RFC 5681's half a window of round trips.
#[test]
fn the_time_to_regain_a_window_is_the_book_s() {
    let flow = long();
    let recovery = flow.recovery.expect("a round-trip time");
    assert!(recovery.losses_count >= 2, "{recovery:?}");
    let reno = recovery.predicted.iter().find(|one| one.law == CongestionClass::RenoLike);
    let reno = reno.expect("Reno is always there");
    assert!((reno.rounds - recovery.window_segments / 2.0).abs() < 1e-9, "{recovery:?}");
    let seen = recovery.regained_rounds.expect("a queue that always overflows at the same window");
    assert!((seen - reno.rounds).abs() <= 0.1 * reno.rounds, "{recovery:?}");
    let rate = recovery.loss_rate.expect("losses");
    let sustained = recovery.sustained.first().expect("with a loss rate");
    let segments = sustained.window_bytes / 1448.0;
    assert!((segments * segments * rate - 1.5).abs() < 1e-6, "{recovery:?}");
}

#[test]
fn a_flow_without_losses_has_no_epochs_to_judge_by() {
    let path =
        Path { rate_bps: 1_000_000_000, queue: 10_000_000, duration: ms(250), ..Path::default() };
    let flow = path.flow();
    if let Some(control) = &flow.congestion_control {
        assert_eq!(control.class, CongestionClass::Unknown);
        assert_eq!(control.unknown_reason, Some(UnknownReason::TooFewEpochs));
        assert!(control.epochs.iter().all(|epoch| epoch.after == BackOff::SlowStart));
    }
    let recovery = flow.recovery.expect("a round-trip time");
    assert_eq!((recovery.losses_count, recovery.loss_rate), (0, None));
    assert!(recovery.sustained.is_empty() && !recovery.predicted.is_empty());
}

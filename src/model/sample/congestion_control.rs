//! The flow's congestion control, and how it came back after losses.

use crate::model::*;

pub(super) fn congestion_control() -> CongestionControl {
    CongestionControl {
        class: CongestionClass::Cubic,
        basis: Some(ClassBasis::Growth),
        unknown_reason: None,
        candidates: vec![CongestionClass::Cubic],
        linux_name: Some("cubic"),
        back_off_factor: Some(0.7),
        epochs_used: 2,
        epochs_count: 3,
        epochs: vec![CongestionEpoch {
            start_s: 2.7,
            end_s: 9.8,
            after: BackOff::Loss,
            window_before_bytes: Some(1_448_000.0),
            window_start_bytes: 1_013_600.0,
            window_end_bytes: 1_400_000.0,
            rounds: 31,
            back_off_factor: Some(0.7),
            growth_segments_per_round: Some(8.9),
            regained_s: None,
            cubic_k_s: Some(9.09),
            law: Some(CongestionClass::Cubic),
            misfit: Some(0.3),
            is_used: true,
        }],
    }
}

pub(super) fn recovery() -> LossRecovery {
    let predicted = |law, rounds: f64| PredictedRecovery { law, rounds, time_s: rounds * 0.2281 };
    LossRecovery {
        window_bytes: 1_448_000.0,
        window_segments: 1000.0,
        rtt_us: 228_100.0,
        losses_count: 3,
        regained_count: 1,
        regained_s: Some(9.1),
        regained_rounds: Some(40.0),
        predicted: vec![
            predicted(CongestionClass::RenoLike, 500.0),
            predicted(CongestionClass::Cubic, 39.8),
        ],
        loss_rate: Some(1.1e-5),
        sustained: vec![SustainedWindow {
            law: CongestionClass::RenoLike,
            window_bytes: 534_700.0,
            rate_bps: 18_750_000.0,
        }],
    }
}

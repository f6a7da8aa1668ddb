//! What limited the flow: shares and intervals.

use crate::model::*;

pub(super) fn limits() -> Limits {
    Limits {
        receive_window: share(0.71, 20.4, &[(Cause::WindowFull, 0.71)]),
        application: share(0.18, 5.2, &[(Cause::Idle, 0.12), (Cause::Trickle, 0.06)]),
        congestion_window: share(0.108, 3.2, &[(Cause::Recovery, 0.08), (Cause::SlowStart, 0.028)]),
        handshake_close: share(0.002, 0.06, &[]),
        ..Limits::default()
    }
}

pub(super) fn intervals() -> Vec<Interval> {
    let spans = [
        (0.0, 0.06, Limit::HandshakeClose, None),
        (0.06, 0.9, Limit::CongestionWindow, Some(Cause::SlowStart)),
        (0.9, 15.2, Limit::ReceiveWindow, Some(Cause::WindowFull)),
        (15.2, 20.4, Limit::Application, Some(Cause::Idle)),
        (20.4, 27.7, Limit::ReceiveWindow, Some(Cause::WindowFull)),
        (27.7, 30.1, Limit::CongestionWindow, Some(Cause::Recovery)),
    ];
    spans
        .map(|(start_s, end_s, limit, cause)| Interval {
            start_s,
            end_s,
            limit,
            cause,
            loss_episode: None,
            first_frame: 1,
            last_frame: 427_240,
        })
        .to_vec()
}

pub(super) fn share(share: f64, time_s: f64, causes: &[(Cause, f64)]) -> LimitShare {
    let causes = causes
        .iter()
        .map(|&(cause, part)| CauseShare { cause, share: part, time_s: part * 30.1 })
        .collect();
    LimitShare {
        share,
        share_low: (share - 0.02).max(0.0),
        share_high: (share + 0.02).min(1.0),
        time_s,
        causes,
    }
}

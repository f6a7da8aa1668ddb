//! What the report says of the path.

use std::time::Duration;

use super::Findings;
use crate::path::{self, Trust};
use crate::report::{Capacity, CapacityMethod, Confidence, PathReport};

/// `duration` is the connection's.
pub(super) fn of(findings: &Findings, duration: Duration) -> PathReport {
    let path = &findings.path;
    PathReport {
        capacity: path.capacity.as_ref().map(capacity),
        busy_share: (path.busy_s / duration.as_secs_f64().max(1e-9)).clamp(0.0, 1.0),
    }
}

fn capacity(found: &path::Capacity) -> Capacity {
    Capacity {
        bps: found.bps,
        low_bps: found.low_bps,
        high_bps: found.high_bps,
        method: match found.method {
            path::CapacityMethod::Plateau => CapacityMethod::AckRatePlateau,
            path::CapacityMethod::Trains => CapacityMethod::TrainDispersion,
        },
        confidence: match found.trust {
            Trust::Steady => Confidence::High,
            Trust::Agreed => Confidence::Medium,
            Trust::Doubtful => Confidence::Low,
        },
    }
}

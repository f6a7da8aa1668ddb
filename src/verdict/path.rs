//! What the report says of the path.

use super::Findings;
use crate::model::{
    Capacity, Confidence, PathReport, PathVerdict, Queueing, QueueingPoint, TokenBucket,
};
use crate::path::{self, Trust};
use crate::units::{Duration, Timestamp};

/// Without a remark, which goes by what lifting a limit would gain. `start` and `end` are its connection's
/// first and last packet.
pub(super) fn of(findings: &Findings, (start, end): (Timestamp, Timestamp)) -> PathReport {
    let duration = end.since(start);
    let path = &findings.path;
    let bucket = path.bucket.map(|bucket| TokenBucket {
        rate_bps: bucket.rate_bps,
        burst_bytes: bucket.burst_bytes,
        flows: u64::try_from(bucket.flows).unwrap_or(u64::MAX),
        share: bucket.share,
    });
    PathReport {
        verdict: path.kind,
        confidence: confidence(path.trust),
        remark: None,
        capacity: path.capacity.as_ref().map(capacity),
        utilization: path.used,
        busy_share: busy_share(path, duration),
        loss_share: path.loss_rate,
        loss_count: path.losses,
        policer: bucket.filter(|_| path.kind == PathVerdict::Policed),
        shaper: bucket.filter(|_| path.kind == PathVerdict::Shaped),
        queueing: path.queueing.as_ref().map(|found| queueing(found, (start, end))),
    }
}

/// Share of `duration` in which the flow's own queue stood; 0 where that is in doubt, or the queue is others'
/// as well. It need not be the only rate: behind a shaper on the sending host bursts pass at others, and no
/// packet prompts a send that the shaper lets out.
pub(super) fn queued(path: &path::Findings, duration: Duration) -> f64 {
    let is_own = path.kind == PathVerdict::BottleneckFull && path.trust != Trust::Doubtful;
    if is_own { busy_share(path, duration) } else { 0.0 }
}

fn busy_share(path: &path::Findings, duration: Duration) -> f64 {
    (path.busy_s / duration.as_secs_f64().max(1e-9)).clamp(0.0, 1.0)
}

fn confidence(trust: Trust) -> Confidence {
    match trust {
        Trust::Steady => Confidence::High,
        Trust::Agreed => Confidence::Medium,
        Trust::Doubtful => Confidence::Low,
    }
}

fn capacity(found: &path::Capacity) -> Capacity {
    Capacity {
        bps: found.bps,
        low_bps: found.low_bps,
        high_bps: found.high_bps,
        method: found.method,
        confidence: confidence(found.trust),
    }
}

fn queueing(found: &path::Queueing, (start, end): (Timestamp, Timestamp)) -> Queueing {
    let point = |queued: &path::Queued| QueueingPoint {
        // Away from the sender an ACK reaches it after the last packet of the capture.
        t_s: queued.time.min(end).since(start).as_secs_f64(),
        delay_us: queued.delay_s * 1e6,
        bytes: queued.octets,
    };
    let most = found.series.iter().map(|queued| queued.octets).fold(0.0, f64::max);
    Queueing {
        p50_us: found.p50_s * 1e6,
        p95_us: found.p95_s * 1e6,
        max_us: found.max_s * 1e6,
        max_bytes: most,
        way_back_share: found.way_back_share,
        is_of_acks: found.is_mostly_on_way_back() && found.p50_s >= path::FELT_S,
        series: found.series.iter().map(point).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_counts_unless_its_rate_is_one_among_others() {
        let queued = |kind, trust| {
            let path = path::Findings {
                kind,
                trust,
                capacity: None,
                dispersion: None,
                used: None,
                busy_s: 8.0,
                bucket: None,
                payload_share: 0.95,
                loss_rate: 0.0,
                losses: 0,
                queueing: None,
                record: None,
            };
            queued(&path, Duration::from_secs(10))
        };
        assert!((queued(PathVerdict::BottleneckFull, Trust::Steady) - 0.8).abs() < 1e-9);
        assert!((queued(PathVerdict::BottleneckFull, Trust::Agreed) - 0.8).abs() < 1e-9);
        assert!(queued(PathVerdict::BottleneckFull, Trust::Doubtful) < 1e-9);
        assert!(queued(PathVerdict::Shared, Trust::Steady) < 1e-9);
    }
}

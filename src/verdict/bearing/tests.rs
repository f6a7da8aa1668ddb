use super::*;
use crate::model::{Queueing, sample};

/// Of [`Facts::sample`].
const GOODPUT: f64 = 8e6;

/// What a larger window or buffer would give.
fn lifted(rate_bps: f64) -> [WhatIf; 2] {
    [Lifted::ReceiveWindow, Lifted::SendBuffer].map(|lifted| sample::what_if(lifted, rate_bps))
}

fn path(verdict: PathVerdict) -> PathReport {
    let (utilization, busy_share) = (Some(1.0), 0.0);
    let confidence = Confidence::High;
    PathReport { verdict, confidence, utilization, busy_share, ..sample::flow().path }
}

/// What is said beside a limit that nothing is gained by lifting, and beside one by which much is.
#[test]
fn a_path_bears_on_each_limit_in_its_own_way() {
    use PathVerdict::{AqmOrEcn, BottleneckFull, Lossy, NotFull, Policed, Shaped, Shared, Unknown};
    for (verdict, network, no_gain, gain) in [
        (BottleneckFull, "the path is full", "only adds queue", "full while it sends"),
        (Shared, "shared with other traffic", "takes from the others", "shared, while it sends"),
        (Shaped, "it is shaped", "only adds queue", "full while it sends"),
        (AqmOrEcn, "marks or drops early", "only adds queue", "full while it sends"),
        (Policed, "a policer drops", "only adds loss", "a policer drops"),
        (Lossy, "lost without a queue", "", ""),
        (NotFull, "", "", ""),
        (Unknown, "", "", ""),
    ] {
        let told = |limit, rate| {
            remark(limit, &path(verdict), &Facts::sample(), &lifted(rate)).unwrap_or_default()
        };
        let is_as = |text: &str, wanted: &str| match wanted {
            "" => text.is_empty(),
            wanted => text.contains(wanted),
        };
        for rate in [GOODPUT, 10.0 * GOODPUT] {
            let text = told(Limit::CongestionWindow, rate);
            assert!(is_as(&text, network), "{verdict:?}: {text}");
        }
        for limit in [Limit::ReceiveWindow, Limit::SendBuffer] {
            let texts = [told(limit, GOODPUT), told(limit, 10.0 * GOODPUT)];
            assert!(is_as(&texts[0], no_gain), "{verdict:?}, {limit:?}: {}", texts[0]);
            assert!(is_as(&texts[1], gain), "{verdict:?}, {limit:?}: {}", texts[1]);
        }
        assert_eq!(told(Limit::Application, GOODPUT), "", "{verdict:?}");
    }
}

/// Beside a rate told of ACKs that came while a queue stood.
#[test]
fn no_path_is_said_to_have_no_queue_where_one_stood() {
    for (busy_share, told) in [(0.03, "mostly while no queue stands"), (0.0, "without a queue")] {
        let path = PathReport { busy_share, ..path(PathVerdict::Lossy) };
        let facts = Facts::sample();
        let said = remark(Limit::CongestionWindow, &path, &facts, &lifted(GOODPUT)).unwrap();
        assert!(said.contains(told), "{said}");
        assert_eq!(lossy(&path, &facts).contains("no queue builds up"), busy_share == 0.0);
    }
}

#[test]
fn a_path_in_doubt_bears_on_nothing() {
    let doubtful = PathReport { confidence: Confidence::Low, ..path(PathVerdict::BottleneckFull) };
    assert_eq!(remark(Limit::CongestionWindow, &doubtful, &Facts::sample(), &[]), None);
}

#[test]
fn what_helps_on_a_full_path_is_no_buffer() {
    let network = (Limit::CongestionWindow, Some(Cause::Avoidance));
    let code = |limit, verdict, rate| {
        let told = advice(limit, &path(verdict), &Facts::sample(), &lifted(rate));
        told.first().map(|advice| advice.code)
    };
    let window = (Limit::ReceiveWindow, Some(Cause::WindowFull));
    let buffer = (Limit::SendBuffer, Some(Cause::WriterBlocked));
    for (limit, verdict, rate, expected) in [
        (network, PathVerdict::BottleneckFull, GOODPUT, codes::PATH_IS_FULL),
        (network, PathVerdict::Policed, GOODPUT, codes::FIND_LOSS),
        (network, PathVerdict::Lossy, GOODPUT, codes::FIND_LOSS),
        (window, PathVerdict::BottleneckFull, GOODPUT, codes::PATH_IS_FULL),
        (buffer, PathVerdict::BottleneckFull, GOODPUT, codes::PATH_IS_FULL),
        (window, PathVerdict::NotFull, 10.0 * GOODPUT, codes::RAISE_RECEIVE_BUFFER),
        (buffer, PathVerdict::NotFull, 10.0 * GOODPUT, codes::RAISE_SEND_BUFFER),
    ] {
        assert_eq!(code(limit, verdict, rate), Some(expected), "{limit:?} {verdict:?}");
    }
}

#[test]
fn a_path_with_room_and_without_loss_is_not_searched_for_either() {
    let network = (Limit::CongestionWindow, Some(Cause::Avoidance));
    for has_loss in [false, true] {
        let facts = Facts { has_loss, ..Facts::sample() };
        let told = advice(network, &path(PathVerdict::NotFull), &facts, &[]);
        let text = &told.first().unwrap().text;
        assert_eq!(text.contains("look for loss and for a full bottleneck"), has_loss, "{text}");
        assert_eq!(text.contains("nothing was lost"), !has_loss, "{text}");
    }
}

/// `no buffer will help` stood before `raise the receiver's buffer`, of which nothing told the gain.
#[test]
fn buffers_are_not_ruled_out_where_nothing_tells() {
    let network = (Limit::CongestionWindow, Some(Cause::Avoidance));
    for (rate_bps, is_ruled_out) in [(Some(GOODPUT), true), (None, false)] {
        let what_if = lifted(GOODPUT).map(|entry| WhatIf { rate_bps, ..entry });
        let told = advice(network, &path(PathVerdict::Lossy), &Facts::sample(), &what_if);
        let text = &told.first().unwrap().text;
        assert_eq!(text.contains("no buffer will help"), is_ruled_out, "{text}");
    }
}

/// What is to pace a sender, or to make it bear losses, is no advice to one that has it.
#[test]
fn bbr_is_not_advised_to_its_sender() {
    for (class, is_advised) in [(CongestionClass::Cubic, true), (CongestionClass::Bbr, false)] {
        let facts = Facts { class, ..Facts::sample() };
        let path = path(PathVerdict::Lossy);
        for text in [policed(&path, &facts), bursty(&path, &facts), lossy(&path, &facts)] {
            assert_eq!(text.contains("BBR"), is_advised, "{class:?}: {text}");
        }
    }
}

/// A queue on a path that has room, of which ACKs had this part.
#[test]
fn a_queue_on_the_way_back_is_told_where_acks_let_data_out() {
    let told = |limit, is_of_acks| {
        let queueing = sample::flow().path.queueing.map(|it| Queueing {
            p50_us: 20_000.0,
            way_back_share: Some(0.9),
            is_of_acks,
            ..it
        });
        let path = PathReport { queueing, ..path(PathVerdict::NotFull) };
        let what_if = lifted(10.0 * GOODPUT);
        let advice = advice((limit, None), &path, &Facts::sample(), &what_if);
        let is_advised = advice.last().is_some_and(|last| last.code == codes::CLEAR_WAY_BACK);
        assert_eq!(remark(limit, &path, &Facts::sample(), &what_if).is_some(), is_advised);
        is_advised.then(|| advice[1].text.clone())
    };
    for limit in [Limit::ReceiveWindow, Limit::SendBuffer, Limit::CongestionWindow] {
        let text = told(limit, true).unwrap();
        assert!(text.starts_with("ACKs wait for 18.0 ms on the way back"), "{text}");
        assert_eq!(told(limit, false), None);
    }
    assert_eq!(told(Limit::Application, true), None);
}

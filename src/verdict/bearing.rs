//! What the path means for the verdict: where it changes what helps.

mod way_back;

use super::advice;
use super::facts::Facts;
use super::large;
use crate::limit::{Cause, Limit};
use crate::model::figures::{micros, percent, rate};
use crate::model::{
    Advice, Confidence, CongestionClass, Lifted, PathReport, PathVerdict, WhatIf, codes,
};
use crate::path::{FELT_S, FULL};

/// What is to be said beside the limit; `None` where the path changes nothing, or is in doubt.
pub(super) fn remark(
    limit: Limit,
    path: &PathReport,
    facts: &Facts,
    what_if: &[WhatIf],
) -> Option<String> {
    let is_held_up = matches!(limit, Limit::CongestionWindow | Limit::Application);
    let large = large::remark(facts).filter(|_| is_held_up);
    let of_path = || of_verdict(limit, path, facts, what_if);
    large.or_else(of_path).or_else(|| way_back::remark(limit, path))
}

/// By the path's verdict alone.
fn of_verdict(
    limit: Limit,
    path: &PathReport,
    facts: &Facts,
    what_if: &[WhatIf],
) -> Option<String> {
    if path.confidence == Confidence::Low {
        return None;
    }
    let (own, lifted) = match limit {
        Limit::ReceiveWindow => ("window", Lifted::ReceiveWindow),
        Limit::SendBuffer => ("buffer", Lifted::SendBuffer),
        Limit::CongestionWindow => return network(path),
        _ => return None,
    };
    if advice::is_gain(lifted, facts, what_if) {
        return while_it_sends(path);
    }
    match path.verdict {
        PathVerdict::Shaped if !is_filled(path) => None,
        PathVerdict::BottleneckFull | PathVerdict::Shaped | PathVerdict::AqmOrEcn => {
            Some(format!("but the path is full: a larger {own} only adds queue"))
        }
        PathVerdict::Shared => Some(format!(
            "but the path is full, and shared: a larger {own} adds queue and takes from the others"
        )),
        PathVerdict::Policed => {
            Some(format!("but {}: a larger {own} only adds loss", dropped(path)))
        }
        PathVerdict::Lossy | PathVerdict::NotFull | PathVerdict::Unknown => None,
    }
}

/// A window that closes, or a buffer that runs dry, leaves room on a path that is full at other times.
fn while_it_sends(path: &PathReport) -> Option<String> {
    Some(match path.verdict {
        PathVerdict::Shaped if !is_filled(path) => return None,
        PathVerdict::BottleneckFull | PathVerdict::Shaped | PathVerdict::AqmOrEcn => {
            "the path is full while it sends".to_owned()
        }
        PathVerdict::Shared => "the path is full, and shared, while it sends".to_owned(),
        PathVerdict::Policed => dropped(path),
        PathVerdict::Lossy | PathVerdict::NotFull | PathVerdict::Unknown => return None,
    })
}

fn network(path: &PathReport) -> Option<String> {
    Some(match path.verdict {
        PathVerdict::BottleneckFull => "the path is full".to_owned(),
        PathVerdict::Shared => "the path is full, and shared with other traffic".to_owned(),
        PathVerdict::Shaped if !is_filled(path) => "bursts overflow a shaper's queue".to_owned(),
        PathVerdict::Shaped => match shared_by(path) {
            Some(flows) => format!("the path is full: it is shaped, for {flows} flows together"),
            None => "the path is full: it is shaped".to_owned(),
        },
        PathVerdict::AqmOrEcn => "the path is full, and marks or drops early".to_owned(),
        PathVerdict::Policed => dropped(path),
        PathVerdict::Lossy if path.has_queue() => {
            "packets are lost mostly while no queue stands: not due to congestion".to_owned()
        }
        PathVerdict::Lossy => "packets are lost without a queue: not due to congestion".to_owned(),
        PathVerdict::NotFull | PathVerdict::Unknown => return None,
    })
}

/// A shaper shows by what it drops of bursts, also where little passes between them.
fn is_filled(path: &PathReport) -> bool {
    path.utilization.is_some_and(|used| used >= FULL) || shared_by(path).is_some()
}

/// How many flows share a shaper, which is told of them by the queue that stood most of the time.
fn shared_by(path: &PathReport) -> Option<u64> {
    path.shaper.map(|bucket| bucket.flows).filter(|flows| *flows > 1)
}

fn policed_rate(path: &PathReport) -> String {
    path.policer.map_or("its rate".to_owned(), |bucket| match bucket.flows {
        0 | 1 => rate(bucket.rate_bps),
        flows => format!("{} for {flows} flows together", rate(bucket.rate_bps)),
    })
}

/// What to try: what the path asks for where it is that to look at, else what the limit does; and then the
/// way back.
pub(super) fn advice(
    (limit, cause): (Limit, Option<Cause>),
    path: &PathReport,
    facts: &Facts,
    what_if: &[WhatIf],
) -> Vec<Advice> {
    let mut advice = way_there((limit, cause), path, facts, what_if);
    advice.extend(way_back::advice(limit, path));
    advice
}

fn way_there(
    (limit, cause): (Limit, Option<Cause>),
    path: &PathReport,
    facts: &Facts,
    what_if: &[WhatIf],
) -> Vec<Advice> {
    // A reader that stops, or a transfer over before its window is open, is that on any path.
    let is_reader = limit == Limit::ReceiveWindow && facts.is_reader_slow;
    let is_own = is_reader || matches!(cause, Some(Cause::ZeroWindow | Cause::SlowStart));
    if limit == Limit::CongestionWindow && cause == Some(Cause::Avoidance) && has_room(path, facts)
    {
        return vec![Advice { code: codes::FIND_LOSS, text: with_room(facts, what_if) }];
    }
    if is_own || of_verdict(limit, path, facts, what_if).is_none() {
        return advice::of(limit, cause, facts, what_if);
    }
    let no_buffer = advice::no_buffer(facts, what_if);
    let (code, text) = match path.verdict {
        PathVerdict::Policed => (codes::FIND_LOSS, format!("{no_buffer}{}", policed(path, facts))),
        PathVerdict::Lossy => {
            let gain = advice::without_loss(facts, what_if);
            (codes::FIND_LOSS, format!("{no_buffer}{}{gain}", lossy(path, facts)))
        }
        PathVerdict::Shaped if !is_filled(path) => {
            (codes::FIND_LOSS, format!("{no_buffer}{}", bursty(path, facts)))
        }
        _ if limit == Limit::CongestionWindow => {
            let is_full =
                if no_buffer.is_empty() { "the path is full while it sends: " } else { no_buffer };
            (codes::PATH_IS_FULL, format!("{is_full}{}", full(path)))
        }
        _ => {
            let (lifted, what) = match limit {
                Limit::SendBuffer => (Lifted::SendBuffer, "send buffer"),
                _ => (Lifted::ReceiveWindow, "receiver's window"),
            };
            let Some(gain) = advice::without_gain(lifted, facts, what_if) else {
                return advice::of(limit, cause, facts, what_if);
            };
            (codes::PATH_IS_FULL, leave(what, &gain, path))
        }
    };
    vec![Advice { code, text }]
}

/// Neither loss nor a queue holds the window down.
fn has_room(path: &PathReport, facts: &Facts) -> bool {
    path.verdict == PathVerdict::NotFull && !facts.has_loss
}

fn with_room(facts: &Facts, what_if: &[WhatIf]) -> String {
    let no_buffer = advice::no_buffer(facts, what_if);
    format!(
        "{no_buffer}nothing was lost and the path seems not to be full, so look at the sender's congestion control"
    )
}

/// How sure that is stands beside the policer, and not beside the verdict that this is part of.
fn dropped(path: &PathReport) -> String {
    let drops = if path.confidence == Confidence::High { "drops" } else { "seems to drop" };
    format!("a policer {drops} what exceeds {}", policed_rate(path))
}

fn policed(path: &PathReport, facts: &Facts) -> String {
    format!(
        "ask whoever runs the policer for more than {}, or send below it \
         (SO_MAX_PACING_RATE{}) and lose less",
        policed_rate(path),
        or_bbr(facts)
    )
}

/// Among what paces a sender; not to one that has it.
fn or_bbr(facts: &Facts) -> &'static str {
    if is_bbr(facts) { "" } else { ", BBR" }
}

fn is_bbr(facts: &Facts) -> bool {
    facts.class == CongestionClass::Bbr
}

fn bursty(path: &PathReport, facts: &Facts) -> String {
    format!(
        "{} is lost as bursts overflow the shaper's queue; send them paced \
         (qdisc fq{}, SO_MAX_PACING_RATE), or ask whoever runs the shaper for a longer queue",
        percent(path.loss_share),
        or_bbr(facts)
    )
}

fn lossy(path: &PathReport, facts: &Facts) -> String {
    let when = if path.has_queue() {
        ", mostly while no queue stands"
    } else {
        " although no queue builds up"
    };
    let other =
        if is_bbr(facts) { "" } else { "; a loss-tolerant congestion control (BBR) suffers less" };
    format!(
        "{} is lost{when}, so look for a bad link (radio, cables, optics, duplex) \
         rather than congestion{other}",
        percent(path.loss_share)
    )
}

fn full(path: &PathReport) -> String {
    let delay = match path.verdict {
        PathVerdict::AqmOrEcn => String::new(),
        _ => queue(path).map_or_else(String::new, |queue| {
            format!(
                "; active queue management (fq_codel, CAKE) would cut its {queue}, not raise the rate"
            )
        }),
    };
    format!("it takes a faster path{}, or less other traffic on it{delay}", bottleneck(path))
}

fn leave(what: &str, gain: &str, path: &PathReport) -> String {
    let queue = queue(path)
        .map_or_else(String::new, |queue| format!("; a smaller one would only cut the {queue}"));
    format!(
        "leave the {what} as it is: a larger one only adds queueing{gain}{queue}; what helps is a \
         faster path{}",
        bottleneck(path)
    )
}

fn bottleneck(path: &PathReport) -> String {
    let known = path.capacity.filter(|capacity| capacity.confidence != Confidence::Low);
    known.map_or_else(String::new, |capacity| {
        format!(" than this bottleneck of {}", rate(capacity.bps))
    })
}

/// `80.0 ms of queue`; `None` where there is none to speak of, or ACKs have it.
fn queue(path: &PathReport) -> Option<String> {
    let queueing = path.queueing.as_ref().filter(|_| path.queue_of_acks().is_none())?;
    (queueing.p50_us >= FELT_S * 1e6).then(|| format!("{} of queueing", micros(queueing.p50_us)))
}

#[cfg(test)]
mod tests;

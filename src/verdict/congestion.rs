//! The congestion control as the report tells it.

use super::Findings;
use super::doubts::Doubts;
use crate::congestion::{self, Class, ClassBasis, Context, Epoch, Identity};
use crate::limit::{Cause, Ledger, Limit};
use crate::model::{CongestionClass, CongestionControl, CongestionEpoch};
use crate::response;
use crate::units::{Duration, Timestamp, as_f64, median};

/// `None` without any epoch, unless its opening shows what it is.
pub(super) fn of(
    findings: &Findings,
    start: Timestamp,
    Doubts { is_blurred, is_remote, .. }: Doubts,
) -> Option<CongestionControl> {
    let found = &findings.congestion;
    let opens_as_bbr = findings.opens_as_bbr;
    if found.epochs.is_empty() && !opens_as_bbr {
        return None;
    }
    let limited = limited_epochs(findings);
    let paced_share = (!is_blurred).then(|| paced_share(&findings.ledger));
    let context = Context { paced_share, is_at_sender: !is_remote, opens_as_bbr };
    let identity = congestion::identify(&limited, context);
    let mut left: Vec<f64> = limited.iter().filter_map(|epoch| epoch.left()).collect();
    let Identity { class, candidates, epochs } = identity;
    let basis = class.ok().map(|(_, basis)| basis);
    let used = if basis == Some(ClassBasis::Opening) { &[][..] } else { &limited };
    Some(CongestionControl {
        class: class.map_or(CongestionClass::Unknown, |(class, _)| told(class)),
        basis,
        unknown_reason: class.err(),
        candidates: candidates.into_iter().map(told).collect(),
        linux_name: class.ok().map(|(class, _)| linux_name(class)),
        back_off_factor: median(&mut left),
        epochs_used: epochs,
        epochs_count: found.count,
        epochs: found
            .epochs
            .iter()
            .map(|epoch| Teller { start, smss: found.smss.as_f64() }.epoch(epoch, used))
            .collect(),
    })
}

/// The epochs in which the congestion window was the limit for nine tenths of the time: elsewhere
/// the pipe does not show it.
pub(super) fn limited_epochs(findings: &Findings) -> Vec<&Epoch> {
    let spans = &findings.ledger.spans;
    let is_limited = |epoch: &&Epoch| {
        let first = spans.partition_point(|span| span.end <= epoch.start);
        let inside = spans.iter().skip(first).take_while(|span| span.start < epoch.end);
        let time: Duration = inside
            .filter(|span| span.limit == Limit::CongestionWindow)
            .map(|span| span.end.min(epoch.end).since(span.start.max(epoch.start)))
            .sum();
        let length = epoch.end.since(epoch.start);
        time.saturating_mul(10) >= length.saturating_mul(9)
    };
    findings.congestion.epochs.iter().filter(is_limited).collect()
}

fn paced_share(ledger: &Ledger) -> f64 {
    let time = |is_part: fn(Option<Cause>) -> bool| -> f64 {
        let entries = ledger.time.iter();
        entries
            .filter(|((limit, cause, _), _)| *limit == Limit::CongestionWindow && is_part(*cause))
            .map(|(_, time)| time.as_secs_f64())
            .sum()
    };
    let paced = time(|cause| cause == Some(Cause::Pacing));
    paced / time(|_| true).max(1e-9)
}

/// Epochs with their times from the flow's start, windows in octets.
struct Teller {
    start: Timestamp,
    smss: f64,
}

impl Teller {
    /// `used` are those that the answer may rest on.
    fn epoch(&self, epoch: &Epoch, used: &[&Epoch]) -> CongestionEpoch {
        let seconds = |time: Timestamp| time.since(self.start).as_secs_f64();
        let is_used =
            congestion::is_usable(epoch) && used.iter().any(|other| std::ptr::eq(*other, epoch));
        let nearest = epoch.nearest().filter(|_| is_used);
        let growth = epoch.last - epoch.first;
        let steps = epoch.rounds.saturating_sub(1);
        let k = |before: f64| ((before - epoch.first).max(0.0) / response::CUBIC_C).cbrt();
        CongestionEpoch {
            start_s: seconds(epoch.start),
            end_s: seconds(epoch.end),
            after: epoch.after,
            window_before_bytes: epoch.before.map(|before| before * self.smss),
            window_start_bytes: epoch.first * self.smss,
            window_end_bytes: epoch.last * self.smss,
            rounds: epoch.rounds,
            back_off_factor: epoch.left(),
            growth_segments_per_round: (steps > 0).then(|| growth / as_f64(steps)),
            regained_s: epoch.regained.map(|(time, _)| time.as_secs_f64()),
            cubic_k_s: epoch.before.map(k),
            law: nearest.map(|fit| told(fit.law.class(epoch.largest()))),
            misfit: nearest.map(|fit| fit.misfit),
            is_used,
        }
    }
}

fn told(class: Class) -> CongestionClass {
    match class {
        Class::RenoLike => CongestionClass::RenoLike,
        Class::Cubic => CongestionClass::Cubic,
        Class::Bbr => CongestionClass::Bbr,
        Class::Bic => CongestionClass::Bic,
        Class::Htcp => CongestionClass::Htcp,
        Class::HighSpeed => CongestionClass::Highspeed,
        Class::Scalable => CongestionClass::Scalable,
        Class::Illinois => CongestionClass::Illinois,
        Class::DelayBased => CongestionClass::DelayBased,
        Class::Dctcp => CongestionClass::Dctcp,
    }
}

fn linux_name(class: Class) -> &'static str {
    match class {
        Class::RenoLike => "reno",
        Class::Cubic => "cubic",
        Class::Bbr => "bbr",
        Class::Bic => "bic",
        Class::Htcp => "htcp",
        Class::HighSpeed => "highspeed",
        Class::Scalable => "scalable",
        Class::Illinois => "illinois",
        Class::DelayBased => "vegas",
        Class::Dctcp => "dctcp",
    }
}

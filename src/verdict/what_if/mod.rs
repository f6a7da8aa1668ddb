//! What would the rate be if a limit were lifted? The lowest of the [`ceiling`]s that are left: the
//! bottleneck's rate, the window that the receiver can offer, the window that a congestion control
//! holds at the loss seen. Time that yet another limit holds stays as it is.
//!
//! It says what a long transfer would reach, so the start of one does not count. Whether the
//! application has more to send cannot be seen where something else holds it up, nor how large the
//! send buffer may grow; both are assumed, and said.

mod ceiling;
mod law;
mod loss;

use super::Findings;
use super::facts::Facts;
use super::shares::{SHARE_MIN, Shares};
use crate::limit::{Limit, Measures};
use crate::model::figures::{rate, seconds};
use crate::model::{LEAD_MIN, Lifted, NextLimit, WhatIf};
use crate::units::WindowShift;
use ceiling::Ceiling;

/// What the predictions rest on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Basis<'a> {
    pub(super) findings: &'a Findings,
    pub(super) facts: &'a Facts,
    pub(super) shares: &'a Shares,
    /// Of the receiver's window; `None` where it is not known.
    pub(super) shift: Option<WindowShift>,
}

/// One prediction for each limit that holds a part of the time, in the order of [`Limit`]; none
/// without ACKs.
pub(super) fn of(basis: &Basis) -> Vec<WhatIf> {
    const LIFTED: [Lifted; 4] =
        [Lifted::ReceiveWindow, Lifted::SendBuffer, Lifted::Loss, Lifted::Application];
    let Some(now) = Now::of(basis) else { return Vec::new() };
    let predicted = |lifted: Lifted| {
        if lifted == Lifted::Application && basis.facts.is_brief {
            return None; // It had no more to send: nothing says that it ever would.
        }
        let is_there = now.is_there(lifted);
        if !is_there && !now.is_perhaps(lifted) {
            return None;
        }
        let what_if = now.without(lifted);
        let is_gain = what_if.rate_bps.is_some_and(|rate| rate > now.goodput);
        (is_there || is_gain).then_some(what_if)
    };
    LIFTED.into_iter().filter_map(predicted).collect()
}

/// The flow as it is.
struct Now<'a> {
    basis: &'a Basis<'a>,
    /// Bits per second.
    goodput: f64,
    srtt: f64,
    min_rtt: f64,
}

impl<'a> Now<'a> {
    fn of(basis: &'a Basis<'a>) -> Option<Self> {
        let facts = basis.facts;
        let (goodput, srtt, min_rtt) = (facts.goodput?, facts.srtt?, facts.min_rtt?);
        let is_timed = srtt > 0.0 && min_rtt > 0.0 && goodput > 0.0 && facts.smss > 0;
        is_timed.then_some(Self { basis, goodput, srtt, min_rtt })
    }

    fn is_there(&self, lifted: Lifted) -> bool {
        let (shares, limit) = (self.basis.shares, limit_of(lifted));
        let has_losses = self.basis.findings.episodes.losses.count > 0;
        match lifted {
            Lifted::Loss => has_losses && self.holds(limit),
            _ => shares.with_hidden(limit) >= SHARE_MIN,
        }
    }

    /// Time charged elsewhere may be this limit's: so much as a clear headline leads by.
    fn is_perhaps(&self, lifted: Lifted) -> bool {
        lifted != Lifted::Loss && self.basis.shares.claimed(limit_of(lifted)) >= LEAD_MIN
    }

    fn holds(&self, limit: Limit) -> bool {
        self.basis.shares.of(limit) >= SHARE_MIN
    }

    fn without(&self, lifted: Lifted) -> WhatIf {
        let ceilings = self.ceilings(lifted);
        let least = |rates: Vec<f64>| rates.into_iter().min_by(f64::total_cmp);
        let low = least(ceilings.iter().map(|ceiling| ceiling.low).collect());
        let high = least(ceilings.iter().filter_map(|ceiling| ceiling.high).collect());
        let shares = self.basis.shares;
        let rest = self.rest(lifted, |limit| shares.of(limit));
        let least_rest = self.rest(lifted, |limit| shares.low(limit));
        let most_rest = self.rest(lifted, |limit| shares.high(limit));
        // What the others keep may pass faster or slower than the rest: more of it is either.
        let beside = |rate: f64| {
            [&least_rest, &rest, &most_rest].map(|rest| self.beside(rest, rate)).into_iter()
        };
        // Below the other ceilings may lie the path's, where that is not known.
        let is_known = ceilings.iter().any(|ceiling| ceiling.next == NextLimit::Path);
        let first = ceilings.first().filter(|_| is_known);
        // Slow start ends with as many losses as the queue holds. Without SACK one of them is repaired per
        // round trip (RFC 6582), and nothing tells how many there will be. A flow that has losses already is
        // not slowed by having fewer.
        let is_without_sack = self.basis.findings.totals.is_without_sack;
        let is_at_path = first.is_some_and(|first| first.next == NextLimit::Path);
        let is_untold = is_without_sack && is_at_path && lifted != Lifted::Loss && !self.is_paced();
        let first = first.filter(|_| !is_untold);
        let low = if is_untold { Some(0.0) } else { low.filter(|_| is_known && !is_without_sack) };
        let perhaps = first.and_then(|first| self.perhaps_bottleneck(first));
        let low = low.map(|low| perhaps.map_or(low, |(least, _)| low.min(least)));
        WhatIf {
            lifted,
            rate_bps: first.map(|first| self.beside(&rest, first.best)),
            low_bps: match low {
                Some(low) if low > 0.0 => beside(low).fold(f64::INFINITY, f64::min),
                Some(_) => 0.0,
                None => self.goodput,
            },
            high_bps: high.map(|high| beside(high).fold(0.0, f64::max)),
            perhaps_bps: perhaps.map(|(_, best)| self.beside(&rest, best)),
            next_limit: self.next(&rest, ceilings.first().filter(|_| is_known)),
            assumption: self.assumption(lifted, &ceilings, &rest, perhaps.map(|(_, best)| best)),
        }
    }

    /// The rate if all but the time of `rest` runs at `rate`; never less than now, nor above `rate`
    /// unless the flow is.
    fn beside(&self, rest: &Rest, rate: f64) -> f64 {
        let duration = self.basis.shares.duration().as_secs_f64();
        let bits = self.goodput * duration;
        let moved = (bits - rest.bits).max(0.0);
        (bits / (rest.seconds + moved / rate)).min(rate).max(self.goodput)
    }

    /// The time that other limits keep, by their shares.
    fn rest(&self, lifted: Lifted, share_of: impl Fn(Limit) -> f64) -> Rest {
        let mut rest = Rest::default();
        for limit in [Limit::ReceiveWindow, Limit::SendBuffer, Limit::Application] {
            if limit == limit_of(lifted) || self.basis.shares.low(limit) < SHARE_MIN {
                continue;
            }
            let seconds = share_of(limit) * self.basis.shares.duration().as_secs_f64();
            let measures = self.basis.findings.ledger.measures.get(&limit);
            let flight = measures.and_then(Measures::flight_mean).unwrap_or_default();
            rest.bits += seconds * flight * 8.0 / self.min_rtt;
            rest.seconds += seconds;
            rest.limits.push(limit);
        }
        rest
    }

    fn next(&self, rest: &Rest, first: Option<&Ceiling>) -> NextLimit {
        let duration = self.basis.shares.duration().as_secs_f64();
        let most = rest.limits.first().filter(|_| rest.seconds > 0.5 * duration);
        match most {
            Some(Limit::ReceiveWindow) => NextLimit::ReceiveWindow,
            Some(Limit::SendBuffer) => NextLimit::SendBuffer,
            Some(Limit::Application) => NextLimit::Application,
            _ => first.map_or(NextLimit::Unknown, |ceiling| ceiling.next),
        }
    }

    fn assumption(
        &self,
        lifted: Lifted,
        ceilings: &[Ceiling],
        rest: &Rest,
        perhaps: Option<f64>,
    ) -> String {
        let mut parts: Vec<String> =
            ceilings.iter().take(1).map(|first| first.ground.words()).collect();
        if let Some(bps) = perhaps {
            parts.push(format!("perhaps no more than {}, if that is the bottleneck", rate(bps)));
        }
        if !ceilings.iter().any(|ceiling| ceiling.next == NextLimit::Path) {
            parts.push("no burst shows what the path carries".to_owned());
        }
        if !rest.limits.is_empty() {
            parts.push(format!("{} of other limits remain", seconds(rest.seconds)));
        }
        if self.basis.findings.totals.is_without_sack {
            // RFC 6582: NewReno sends one of the lost segments again per round trip.
            parts.push("without SACK, many losses at once would slow it for long".to_owned());
        }
        let assumed = match lifted {
            Lifted::SendBuffer => "assuming more to send",
            Lifted::Application => "assuming a send buffer that grows",
            Lifted::ReceiveWindow | Lifted::Loss => {
                "assuming more to send and a send buffer that grows"
            }
        };
        parts.push(assumed.to_owned());
        parts.join("; ")
    }
}

/// Time of other limits, and what passes in it.
#[derive(Debug, Default)]
struct Rest {
    seconds: f64,
    bits: f64,
    limits: Vec<Limit>,
}

fn limit_of(lifted: Lifted) -> Limit {
    match lifted {
        Lifted::ReceiveWindow => Limit::ReceiveWindow,
        Lifted::SendBuffer => Limit::SendBuffer,
        Lifted::Application => Limit::Application,
        Lifted::Loss => Limit::CongestionWindow,
    }
}

/// What is to be lifted of a limit other than the network's.
pub(super) fn lifted_of(limit: Limit) -> Option<Lifted> {
    [Lifted::ReceiveWindow, Lifted::SendBuffer, Lifted::Application]
        .into_iter()
        .find(|lifted| limit_of(*lifted) == limit)
}

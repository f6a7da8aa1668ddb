//! What would the rate be if a limit were lifted? The lowest of the ceilings that are left: the
//! bottleneck's rate, the window that the receiver can offer, the window that a congestion control
//! holds at the loss seen. Time that yet another limit holds stays as it is.
//!
//! It says what a long transfer would reach, so the start of one does not count. Whether the
//! application has more to send cannot be seen where something else holds it up, nor how large the
//! send buffer may grow; both are assumed, and said.

use super::Findings;
use super::poisson::range_of_mean;
use super::shares::Shares;
use super::why::Facts;
use crate::limit::{Cause, Limit, Measures};
use crate::report::figures::{bytes, rate, seconds};
use crate::report::{Lifted, NextLimit, WhatIf};
use crate::response;
use crate::units::WindowShift;

/// What the predictions rest on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Basis<'a> {
    pub(super) findings: &'a Findings,
    pub(super) facts: &'a Facts,
    pub(super) shares: &'a Shares,
    /// Of the receiver's window; `None` where it is not known.
    pub(super) shift: Option<WindowShift>,
}

/// Smaller shares of the time are not worth lifting.
const SHARE_MIN: f64 = 0.05;

/// Reno without any queue at the bottleneck swings between half of what the path holds and all of it:
/// three quarters on average. CUBIC falls less deep, and a queue fills the valley.
const SAWTOOTH: f64 = 0.75;

/// One prediction for each limit that holds a part of the time, in the order of [`Limit`]; none
/// without ACKs.
pub(super) fn of(basis: &Basis) -> Vec<WhatIf> {
    const LIFTED: [Lifted; 4] =
        [Lifted::ReceiveWindow, Lifted::SendBuffer, Lifted::Loss, Lifted::Application];
    let Some(now) = Now::of(basis) else { return Vec::new() };
    let is_there = |lifted: &Lifted| now.is_there(*lifted);
    LIFTED.into_iter().filter(is_there).map(|lifted| now.without(lifted)).collect()
}

/// A rate that something allows, bits per second.
#[derive(Debug, Clone)]
struct Ceiling {
    next: NextLimit,
    low: f64,
    best: f64,
    /// `None` where it may be any higher.
    high: Option<f64>,
    /// How it is known.
    words: String,
}

/// The flow as it is.
struct Now<'a> {
    basis: &'a Basis<'a>,
    /// Bits per second.
    goodput: f64,
    srtt: f64,
    min_rtt: f64,
    /// Losses that no queue of the flow's own can have caused.
    losses: f64,
}

impl<'a> Now<'a> {
    fn of(basis: &'a Basis<'a>) -> Option<Self> {
        let facts = basis.facts;
        let (goodput, srtt, min_rtt) = (facts.goodput?, facts.srtt?, facts.min_rtt?);
        let is_timed = srtt > 0.0 && min_rtt > 0.0 && goodput > 0.0 && facts.smss > 0;
        let mut now = Self { basis, goodput, srtt, min_rtt, losses: 0.0 };
        now.losses = now.losses_without_queue();
        is_timed.then_some(now)
    }

    fn is_there(&self, lifted: Lifted) -> bool {
        let share = self.basis.shares.with_hidden(limit_of(lifted));
        let has_losses = self.basis.findings.episodes.losses.count > 0;
        share >= SHARE_MIN && (lifted != Lifted::Loss || has_losses)
    }

    fn without(&self, lifted: Lifted) -> WhatIf {
        let mut ceilings: Vec<Ceiling> =
            [self.path(), self.window(lifted), self.loss(lifted)].into_iter().flatten().collect();
        ceilings.sort_by(|a, b| a.best.total_cmp(&b.best));
        let least = |rates: Vec<f64>| rates.into_iter().min_by(f64::total_cmp);
        let low = least(ceilings.iter().map(|ceiling| ceiling.low).collect());
        let high = least(ceilings.iter().filter_map(|ceiling| ceiling.high).collect());
        let shares = self.basis.shares;
        let rest = self.rest(lifted, |limit| shares.of(limit));
        let [least_rest, most_rest] = [
            self.rest(lifted, |limit| shares.low(limit)),
            self.rest(lifted, |limit| shares.high(limit)),
        ];
        // Below the other ceilings may lie the path's, where that is not known.
        let is_known = ceilings.iter().any(|ceiling| ceiling.next == NextLimit::Path);
        let first = ceilings.first().filter(|_| is_known);
        WhatIf {
            lifted,
            rate_bps: first.map(|first| self.beside(&rest, first.best)),
            low_bps: low
                .filter(|_| is_known)
                .map_or(self.goodput, |low| self.beside(&most_rest, low)),
            high_bps: high.map(|high| self.beside(&least_rest, high)),
            next_limit: self.next(&rest, first),
            assumption: Self::assumption(lifted, &ceilings, &rest),
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
        let limits = [Limit::ReceiveWindow, Limit::SendBuffer, Limit::Application];
        let mut rest = Rest::default();
        for limit in limits {
            if limit == limit_of(lifted) || self.basis.shares.low(limit) < SHARE_MIN {
                continue;
            }
            let seconds = share_of(limit) * self.basis.shares.duration().as_secs_f64();
            let flight = self.measures(limit).and_then(Measures::flight_mean).unwrap_or_default();
            rest.bits += seconds * flight * 8.0 / self.min_rtt;
            rest.seconds += seconds;
            rest.limits.push(limit);
        }
        rest
    }

    fn measures(&self, limit: Limit) -> Option<&'a Measures> {
        self.basis.findings.ledger.measures.get(&limit)
    }

    /// The rate at which the bottleneck passes bursts on.
    fn path(&self) -> Option<Ceiling> {
        let found = self.basis.findings.path.dispersion?;
        // A slow reader's ACKs come as it reads, not as the path lets them.
        let is_read_slowly = self.basis.findings.window.is_drained_slowly();
        let or_more = if is_read_slowly { " or more" } else { "" };
        Some(Ceiling {
            next: NextLimit::Path,
            low: SAWTOOTH * found.low_bps,
            best: found.bps,
            high: (!is_read_slowly).then_some(found.high_bps),
            words: format!("bursts pass the path at {}{or_more}", rate(found.bps)),
        })
    }

    /// The window that the receiver can offer, unless it is lifted. Where the scale leaves room for
    /// much more than was ever offered, it may grow with the rate (autotuning), and is no ceiling.
    fn window(&self, lifted: Lifted) -> Option<Ceiling> {
        let window = &self.basis.findings.window;
        let max = window.max()?;
        let room = self.basis.shift?.scale(u16::MAX);
        let is_bound = room.0 <= max.0.saturating_mul(4) || room.0 == u64::from(u16::MAX);
        let holds = self.basis.shares.of(Limit::ReceiveWindow) >= SHARE_MIN;
        if lifted == Lifted::ReceiveWindow || !(is_bound || holds) {
            return None;
        }
        let mean = self.basis.findings.totals.rwnd_mean();
        let usual = mean.filter(|_| window.is_fixed()).map_or(max.0, rounded);
        let per_rtt = |octets: u64, rtt: f64| octets_f64(self.whole_segments(octets)) * 8.0 / rtt;
        Some(Ceiling {
            next: NextLimit::ReceiveWindow,
            low: per_rtt(usual, self.srtt.max(self.min_rtt)),
            best: per_rtt(usual, self.min_rtt),
            high: Some(per_rtt(room.0, self.min_rtt)),
            words: format!(
                "the receive window stays at {}, one round trip takes {}",
                bytes(usual),
                seconds(self.min_rtt)
            ),
        })
    }

    /// RFC 9293 section 3.8.6.2.1: a sender waits for room for a full segment.
    fn whole_segments(&self, octets: u64) -> u64 {
        let smss = self.basis.facts.smss;
        let part = octets.checked_rem(smss).unwrap_or_default();
        if octets < smss { octets } else { octets.saturating_sub(part) }
    }

    /// The window that a congestion control holds at the loss seen: at least Reno's, about CUBIC's.
    /// BBR does not go by it.
    fn loss(&self, lifted: Lifted) -> Option<Ceiling> {
        let is_paced = self.basis.shares.main_cause(Limit::CongestionWindow) == Some(Cause::Pacing);
        if lifted == Lifted::Loss || self.losses <= 0.0 || is_paced {
            return None;
        }
        let smss = octets_f64(self.basis.facts.smss);
        let segments = octets_f64(self.basis.findings.totals.acked.0) / smss;
        let rate_of = |window: f64| window * smss * 8.0 / self.min_rtt;
        let [few, many] = range_of_mean(self.losses).map(|events| events / segments.max(1.0));
        let share = self.losses / segments.max(1.0);
        Some(Ceiling {
            next: NextLimit::Loss,
            low: rate_of(response::reno_window(many)),
            best: rate_of(response::cubic_window(share, self.min_rtt)),
            high: Some(rate_of(response::cubic_window(few, self.min_rtt))),
            words: format!(
                "one loss in {:.0} segments stays, and a congestion control as CUBIC",
                1.0 / share
            ),
        })
    }

    /// Losses while no more was out than the path holds without a queue. Where that is not known,
    /// all of them.
    fn losses_without_queue(&self) -> f64 {
        let losses = &self.basis.findings.episodes.losses;
        let holds =
            self.basis.findings.path.dispersion.map(|found| found.high_bps * self.min_rtt / 8.0);
        let is_no_overflow = |pipe: u64| holds.is_none_or(|holds| octets_f64(pipe) <= holds);
        let kept = losses.kept.len();
        let counted = losses.kept.iter().filter(|loss| is_no_overflow(loss.pipe_before.0)).count();
        // The list may be cut: the rest is taken to be as those kept.
        octets_f64(losses.count) * octets_f64(counted as u64) / octets_f64(kept.max(1) as u64)
    }

    fn next(&self, rest: &Rest, first: Option<&Ceiling>) -> NextLimit {
        let duration = self.basis.shares.duration().as_secs_f64();
        match rest.limits.first() {
            Some(Limit::ReceiveWindow) if rest.seconds > 0.5 * duration => NextLimit::ReceiveWindow,
            Some(Limit::SendBuffer) if rest.seconds > 0.5 * duration => NextLimit::SendBuffer,
            Some(Limit::Application) if rest.seconds > 0.5 * duration => NextLimit::Application,
            _ => first.map_or(NextLimit::Unknown, |ceiling| ceiling.next),
        }
    }

    fn assumption(lifted: Lifted, ceilings: &[Ceiling], rest: &Rest) -> String {
        let mut parts: Vec<String> = ceilings.iter().take(1).map(|c| c.words.clone()).collect();
        if !ceilings.iter().any(|ceiling| ceiling.next == NextLimit::Path) {
            parts.push("no burst shows what the path carries".to_owned());
        }
        if !rest.limits.is_empty() {
            let seconds = seconds(rest.seconds);
            parts.push(format!("{seconds} of other limits stay"));
        }
        parts.push(
            match lifted {
                Lifted::SendBuffer => "assumed: more to send",
                Lifted::Application => "assumed: a send buffer that grows",
                Lifted::ReceiveWindow | Lifted::Loss => {
                    "assumed: more to send, a send buffer that grows"
                }
            }
            .to_owned(),
        );
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

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a mean of windows")]
fn rounded(octets: f64) -> u64 {
    octets.round() as u64
}

#[expect(clippy::cast_precision_loss, reason = "octets of one connection")]
fn octets_f64(count: u64) -> f64 {
    count as f64
}

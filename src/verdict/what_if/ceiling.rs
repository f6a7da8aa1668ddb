//! What bounds a rate from above: the path, the receiver's window, the loss.

use super::Now;
use super::law::Law;
use crate::limit::{Cause, Limit};
use crate::model::figures::{bytes, counted, percent, rate, seconds};
use crate::model::{CongestionClass, Lifted, NextLimit};
use crate::path::{Capacity, PathVerdict};
use crate::units::as_f64;

/// A rate that something allows, bits per second.
#[derive(Debug, Clone)]
pub(super) struct Ceiling {
    pub(super) next: NextLimit,
    pub(super) low: f64,
    pub(super) best: f64,
    /// `None` where it may be any higher.
    pub(super) high: Option<f64>,
    pub(super) ground: Ground,
}

impl Ceiling {
    /// What bursts pass at, where the bottleneck is known, too: that is a ceiling for whatever lasts, unless
    /// it is perhaps the reader and bursts pass at more.
    fn within(self, bottleneck: &Self, is_reader: bool) -> Self {
        let Some(high) = bottleneck.high else { return self };
        if high < self.best {
            return if is_reader { self } else { bottleneck.clone() };
        }
        let ground = match self.ground {
            Ground::Bursts { bps, .. } => Ground::Bursts { bps, is_read_slowly: false },
            other => other,
        };
        let high = self.high.map_or(high, |own| own.min(high));
        Self { high: Some(high), ground, ..self }
    }
}

/// How a ceiling is known.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ground {
    /// Bits per second at which bursts pass.
    Bursts { bps: f64, is_read_slowly: bool },
    /// Bits per second of payload that the bottleneck passes.
    Bottleneck { bps: f64 },
    /// Bits per second of payload that a policer or a shaper grants.
    Bucket { bps: f64, is_policer: bool, flows: usize },
    /// What is offered per round trip of so many seconds.
    Window { octets: u64, rtt: f64 },
    /// Segments for each loss event, and what it makes the sender wait for a timer, seconds.
    Loss { segments: f64, law: Law, timer_s: f64 },
    /// The share of the time in which losses hold the flow already.
    Held { share: f64 },
}

impl Ground {
    pub(super) fn words(self) -> String {
        match self {
            Self::Bursts { bps, is_read_slowly } => {
                let or_more = if is_read_slowly { " or more" } else { "" };
                format!("bursts cross the path at {}{or_more}", rate(bps))
            }
            Self::Bottleneck { bps } => {
                format!("the bottleneck carries {} of payload", rate(bps))
            }
            Self::Bucket { bps, is_policer, flows } => {
                let who = if is_policer { "policer" } else { "shaper" };
                let beside = if flows > 1 { " beside the other flows" } else { "" };
                format!("the {who} allows {} of payload{beside}", rate(bps))
            }
            Self::Window { octets, rtt } => {
                let (window, rtt) = (bytes(octets), seconds(rtt));
                format!("the receive window stays at {window}, one round trip takes {rtt}")
            }
            Self::Held { share } => {
                format!("losses limit it for {} of the time already", percent(share))
            }
            Self::Loss { segments, law, timer_s } => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "saturates"
                )]
                let segments = counted(segments.round() as u64, "segment");
                let waited = (timer_s > 0.0).then(|| seconds(timer_s));
                let waits =
                    waited.map(|it| format!(", with {it} of waiting for a timer on average"));
                let waits = waits.unwrap_or_default();
                format!("one loss event in {segments} remains, {}{waits}", law.words())
            }
        }
    }
}

/// Reno without any queue at the bottleneck swings between half of what the path holds and all of it:
/// three quarters on average. CUBIC falls less deep, and a queue fills the valley.
const SAWTOOTH: f64 = 0.75;

/// What a bucket's rate may be off: 26 of the 27 policers whose rate is told in `tests/held-out`
/// (`police.py`) were within it.
const GRANTED_BLUR: f64 = 0.1;

impl Now<'_> {
    /// Those that stay without `lifted`, the lowest first.
    pub(super) fn ceilings(&self, lifted: Lifted) -> Vec<Ceiling> {
        let window = self.window().filter(|_| lifted != Lifted::ReceiveWindow);
        let loss = (lifted != Lifted::Loss).then(|| self.loss(lifted)).flatten();
        let mut ceilings: Vec<Ceiling> =
            [self.path(), window, loss].into_iter().flatten().collect();
        ceilings.sort_by(|a, b| a.best.total_cmp(&b.best));
        ceilings
    }

    /// The rate that a policer or a shaper grants in the long run, or at which the bottleneck passes
    /// bursts on.
    fn path(&self) -> Option<Ceiling> {
        let is_policed = self.basis.findings.path.kind == PathVerdict::Policed;
        let bursts = self.passed().filter(|_| !is_policed);
        self.granted().or_else(|| match (bursts, self.bottleneck()) {
            (Some(bursts), Some(bottleneck)) => Some(bursts.within(&bottleneck, self.is_reader())),
            (bursts, bottleneck) => bursts.or(bottleneck),
        })
    }

    /// Where it is known, at what is left for payload.
    fn bottleneck(&self) -> Option<Ceiling> {
        let path = &self.basis.findings.path;
        let capacity = path.capacity.filter(Capacity::is_known)?;
        let is_told = !self.is_reader() || path.dispersion.is_some();
        is_told.then(|| of_bottleneck(&capacity, path.payload_share))
    }

    /// What looks like the bottleneck may be the reader: only what bursts pass at as well tells.
    fn is_reader(&self) -> bool {
        self.basis.findings.window.is_drained_slowly() && self.holds(Limit::ReceiveWindow)
    }

    /// Whatever bursts pass at, and without any loss.
    fn granted(&self) -> Option<Ceiling> {
        let path = &self.basis.findings.path;
        let bucket = path.bucket?;
        let most = bucket.rate_bps * path.payload_share;
        // What others take of it they keep.
        let best = most * bucket.share;
        let is_policer = path.kind == PathVerdict::Policed;
        Some(Ceiling {
            next: NextLimit::Path,
            low: SAWTOOTH * best,
            best,
            high: Some(most * (1.0 + GRANTED_BLUR)),
            ground: Ground::Bucket { bps: best, is_policer, flows: bucket.flows },
        })
    }

    /// As trains show it.
    fn passed(&self) -> Option<Ceiling> {
        let found = self.basis.findings.path.dispersion?;
        // ACKs come as the application reads, not as the path lets them: it may be faster than they tell.
        let is_read_slowly = self.basis.findings.window.is_drained_slowly();
        Some(Ceiling {
            next: NextLimit::Path,
            low: SAWTOOTH * found.low_bps,
            best: found.bps,
            high: (!is_read_slowly).then_some(found.high_bps),
            ground: Ground::Bursts { bps: found.bps, is_read_slowly },
        })
    }

    /// What a bottleneck that is only perhaps one lets pass of payload, where that is less than `first`
    /// allows: bits per second, at least and about.
    pub(super) fn perhaps_bottleneck(&self, first: &Ceiling) -> Option<(f64, f64)> {
        let path = &self.basis.findings.path;
        perhaps_less(path.capacity.as_ref()?, path.payload_share, first.best)
    }

    /// The window that the receiver can offer. Where the scale leaves room for much more than was
    /// ever offered, it may grow with the rate (autotuning), and is no ceiling: Linux chooses the
    /// smallest scale that lets it offer all of its buffer (`tcp_select_initial_window`).
    fn window(&self) -> Option<Ceiling> {
        let window = &self.basis.findings.window;
        let max = window.max()?;
        // No less than was offered, whatever scale a damaged SYN told.
        let room = self.basis.shift?.scale(u16::MAX).max(max);
        let is_bound = room.0 <= max.0.saturating_mul(4) || room.0 == u64::from(u16::MAX);
        if !is_bound && !self.holds(Limit::ReceiveWindow) {
            return None;
        }
        let mean = self.basis.findings.totals.rwnd_mean();
        let usual = mean.filter(|_| window.is_fixed()).map_or(max.0, rounded);
        let per_rtt = |octets: u64, rtt: f64| as_f64(self.whole_segments(octets)) * 8.0 / rtt;
        Some(Ceiling {
            next: NextLimit::ReceiveWindow,
            low: per_rtt(usual, self.srtt.max(self.min_rtt)),
            best: per_rtt(usual, self.min_rtt),
            high: Some(per_rtt(room.0, self.min_rtt)),
            ground: Ground::Window { octets: usual, rtt: self.min_rtt },
        })
    }

    /// RFC 9293 section 3.8.6.2.1: a sender waits for room for a full segment.
    fn whole_segments(&self, octets: u64) -> u64 {
        let smss = self.basis.facts.smss;
        let part = octets.checked_rem(smss).unwrap_or_default();
        if octets < smss { octets } else { octets.saturating_sub(part) }
    }

    /// The sender goes by a rate that it measures, as BBR does, not by losses.
    pub(super) fn is_paced(&self) -> bool {
        let cause = self.basis.shares.main_cause(Limit::CongestionWindow);
        self.basis.facts.class == CongestionClass::Bbr || cause == Some(Cause::Pacing)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a mean of windows")]
fn rounded(octets: f64) -> u64 {
    octets.round() as u64
}

/// What the bottleneck leaves for payload.
fn of_bottleneck(capacity: &Capacity, payload_share: f64) -> Ceiling {
    let rates = [capacity.low_bps, capacity.bps, capacity.high_bps];
    let [low, best, high] = rates.map(|bps| bps * payload_share);
    Ceiling {
        next: NextLimit::Path,
        low: SAWTOOTH * low,
        best,
        high: Some(high),
        ground: Ground::Bottleneck { bps: best },
    }
}

/// What `capacity` leaves for payload, at least and about, if it is in doubt and all of its range less than
/// `most`. Where it is not in doubt, it is a ceiling itself.
fn perhaps_less(capacity: &Capacity, payload_share: f64, most: f64) -> Option<(f64, f64)> {
    let rates = [capacity.low_bps, capacity.bps, capacity.high_bps];
    let [low, best, high] = rates.map(|bps| bps * payload_share);
    (!capacity.is_known() && high < most).then_some((low, best))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::{CapacityMethod, Trust};

    #[test]
    fn a_known_bottleneck_is_a_ceiling_for_bursts_unless_it_may_be_the_reader() {
        let method = CapacityMethod::AckRatePlateau;
        let (low_bps, bps, high_bps, trust) = (9e6, 10e6, 11e6, Trust::Steady);
        let known = of_bottleneck(&Capacity { bps, low_bps, high_bps, method, trust }, 0.9);
        let bursts = |best: f64, is_read_slowly: bool| {
            let ground = Ground::Bursts { bps: best, is_read_slowly };
            let high = (!is_read_slowly).then_some(1.1 * best);
            Ceiling { next: NextLimit::Path, low: 0.7 * best, best, high, ground }
                .within(&known, is_read_slowly)
        };
        let told = |ceiling: Ceiling| {
            let mbps = |bps: f64| (bps / 1e5).round() / 10.0;
            (mbps(ceiling.best), ceiling.high.map(mbps))
        };
        assert_eq!(told(bursts(20e6, false)), (9.0, Some(9.9)), "they pass at more than lasts");
        assert_eq!(told(bursts(8e6, false)), (8.0, Some(8.8)));
        assert_eq!(told(bursts(9.5e6, false)), (9.5, Some(9.9)));
        assert_eq!(told(bursts(9.5e6, true)), (9.5, Some(9.9)), "both tell of the path");
        assert_eq!(told(bursts(20e6, true)), (20.0, None), "the reader's rate");
    }

    #[test]
    fn only_a_bottleneck_in_doubt_and_below_the_rest_is_perhaps_less() {
        let method = CapacityMethod::TrainDispersion;
        let (low_bps, bps, high_bps) = (9e6, 10e6, 11e6);
        let doubtful = Capacity { bps, low_bps, high_bps, method, trust: Trust::Doubtful };
        let Some((low, best)) = perhaps_less(&doubtful, 0.9, 20e6) else { panic!("it is less") };
        assert!((low - 8.1e6).abs() < 1.0 && (best - 9e6).abs() < 1.0, "{low} {best}");
        assert_eq!(perhaps_less(&doubtful, 0.9, 9.5e6), None, "no less than the rest");
        let agreed = Capacity { trust: Trust::Agreed, ..doubtful };
        assert_eq!(perhaps_less(&agreed, 0.9, 20e6), None, "no doubt");
    }
}

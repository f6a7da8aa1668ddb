//! How each congestion control lets its window grow, and how much a loss takes from it. Windows in
//! segments, as in Linux; the constants are those of its `net/ipv4/tcp_*.c`.

use super::samples::Sample;
use crate::response::{
    CUBIC_ALPHA, CUBIC_BETA, CUBIC_C, SCALABLE_KNEE, highspeed_decrease, highspeed_increase,
};

/// A law of growth in congestion avoidance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Law {
    /// One segment per round trip (RFC 5681), `tcp_reno_cong_avoid`. Westwood, Veno, LP and DCTCP
    /// grow alike.
    Reno,
    /// RFC 3649, `hstcp_cong_avoid`.
    HighSpeed,
    /// `tcp_scalable_cong_avoid`.
    Scalable,
    /// `tcp_bic.c`.
    Bic,
    /// RFC 9438, `tcp_cubic.c`.
    Cubic,
    /// `tcp_htcp.c`.
    Htcp,
    /// `tcp_illinois.c`.
    Illinois,
    /// `tcp_vegas_cong_avoid`: towards two to four segments in the queue.
    Vegas,
}

impl Law {
    pub(crate) const ALL: [Self; 8] = [
        Self::Reno,
        Self::HighSpeed,
        Self::Scalable,
        Self::Bic,
        Self::Cubic,
        Self::Htcp,
        Self::Illinois,
        Self::Vegas,
    ];
}

/// Where an epoch begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    /// Window before the back-off; `None` where there was none.
    pub(super) before: Option<f64>,
    /// First window after it.
    pub(super) first: f64,
    /// The window aimed at: what it was before the loss, or less by fast convergence. `None` before
    /// the first loss.
    pub(super) aim: Option<f64>,
    /// ACKs per segment acknowledged, 0 to 1.
    pub(super) ack_share: f64,
    /// H-TCP's and Illinois' back-off: the part of the window that was left.
    pub(super) left: f64,
}

impl Origin {
    /// The same with another first window.
    pub(super) fn shifted(self, segments: f64) -> Self {
        Self { first: self.first + segments, ..self }
    }
}

/// A small part of a round trip.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'a> {
    /// Segments acknowledged in it, and the ACKs that did so.
    pub(super) acked: f64,
    pub(super) acks: f64,
    /// Seconds from the epoch's start.
    pub(super) time: f64,
    /// The sample at its round trip's end.
    pub(super) sample: &'a Sample,
}

/// One law at work in one epoch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grower {
    law: Law,
    origin: Origin,
    /// CUBIC's Reno-friendly estimate.
    friendly: f64,
    /// Illinois has seen a delay beyond its first threshold.
    is_above: bool,
}

impl Grower {
    pub(super) fn new(law: Law, origin: Origin) -> Self {
        Self { law, origin, friendly: origin.first, is_above: false }
    }

    /// By how much `window` grows (or shrinks) in `step`.
    pub(super) fn grow(&mut self, window: f64, step: &Step) -> f64 {
        let window = window.max(1.0);
        let reno = step.acked / window;
        match self.law {
            Law::Reno => reno,
            Law::HighSpeed => step.acks * highspeed_step(window) / window,
            Law::Scalable => step.acked / window.min(SCALABLE_KNEE),
            Law::Bic => step.acked / self.bic_count(window),
            Law::Cubic => step.acked / self.cubic_count(window, step),
            Law::Htcp => reno * htcp_alpha(step.time, step.sample.base_rtt, self.origin.left),
            Law::Illinois => reno * self.illinois_alpha(window, step.sample),
            Law::Vegas => reno * vegas_sign(window, step.sample),
        }
    }

    /// Segments acknowledged per segment of growth: `bictcp_update` of `tcp_bic.c`. A delayed ACK
    /// counts for its segments twice there, by `delayed_ack`.
    fn bic_count(&self, window: f64) -> f64 {
        let count = match self.origin.aim {
            _ if window <= BIC_LOW_WINDOW => window,
            Some(aim) if window < aim => {
                let distance = ((aim - window) / BIC_B).floor();
                if distance <= 1.0 {
                    window * BIC_SMOOTH / BIC_B
                } else {
                    window / distance.min(BIC_INCREMENT_MAX)
                }
            }
            Some(aim) if window < aim + BIC_B => window * BIC_SMOOTH / BIC_B,
            Some(aim) if window < aim + BIC_INCREMENT_MAX * (BIC_B - 1.0) => {
                window * (BIC_B - 1.0) / (window - aim)
            }
            Some(_) => window / BIC_INCREMENT_MAX,
            None => (window / BIC_INCREMENT_MAX).min(20.0),
        };
        (count * self.origin.ack_share).max(1.0)
    }

    /// The same of `tcp_cubic.c`.
    fn cubic_count(&mut self, window: f64, step: &Step) -> f64 {
        let first = self.origin.first;
        let aim = self.origin.aim.unwrap_or(first).max(first);
        let k = ((aim - first) / CUBIC_C).cbrt();
        // The window one round trip from now.
        let time = step.time + step.sample.base_rtt;
        let target = aim + CUBIC_C * (time - k).powi(3);
        let mut count = if target > window { window / (target - window) } else { 100.0 * window };
        if self.origin.aim.is_none() {
            count = count.min(20.0);
        }
        self.friendly += CUBIC_ALPHA * step.acked / window;
        if self.friendly > window {
            count = count.min(window / (self.friendly - window));
        }
        count.max(2.0)
    }

    /// `alpha()` of `tcp_illinois.c`: ten segments per round trip while there is no queue, down to
    /// 0.3 where the delay is the largest known.
    fn illinois_alpha(&mut self, window: f64, sample: &Sample) -> f64 {
        if window < ILLINOIS_WINDOW_MIN {
            return 1.0;
        }
        let largest = sample.max_rtt - sample.base_rtt;
        let delay = sample.rtt_mean - sample.base_rtt;
        let low = largest / 100.0;
        if delay <= low {
            // Back up only after five round trips; growth at the most until the first delay.
            return if self.is_above { ILLINOIS_ALPHA_MIN.max(1.0) } else { ILLINOIS_ALPHA_MAX };
        }
        self.is_above = true;
        let (range, delay) = (largest - low, delay - low);
        let slope = (ILLINOIS_ALPHA_MAX - ILLINOIS_ALPHA_MIN) / ILLINOIS_ALPHA_MIN;
        range * ILLINOIS_ALPHA_MAX / (range + delay * slope).max(1e-9)
    }
}

const BIC_LOW_WINDOW: f64 = 14.0;
const BIC_INCREMENT_MAX: f64 = 16.0;
const BIC_SMOOTH: f64 = 20.0;
const BIC_B: f64 = 4.0;
const ILLINOIS_WINDOW_MIN: f64 = 15.0;
const ILLINOIS_ALPHA_MIN: f64 = 0.3;
const ILLINOIS_ALPHA_MAX: f64 = 10.0;

/// `hstcp_aimd_vals` of `tcp_highspeed.c`: a(w) of RFC 3649, rounded up.
fn highspeed_step(window: f64) -> f64 {
    if window <= HIGHSPEED_LOW_WINDOW { 1.0 } else { highspeed_increase(window).floor() + 1.0 }
}

const HIGHSPEED_LOW_WINDOW: f64 = 38.0;

/// `htcp_alpha_update`: 1 + 10 (t - 1) + ((t - 1) / 2)^2 after the first second, in whole numbers,
/// scaled by the round-trip time over 100 ms, and by the back-off.
fn htcp_alpha(time: f64, base_rtt: f64, left: f64) -> f64 {
    let after = (time - 1.0).max(0.0);
    let factor = (1.0 + 10.0 * after + (after / 2.0).powi(2)).floor();
    let scale = (0.1 / base_rtt.max(1e-6)).clamp(0.5, 10.0);
    2.0 * (factor / scale).floor().max(1.0) * (1.0 - left)
}

/// `tcp_vegas_cong_avoid`: the segments in the queue are `diff`.
fn vegas_sign(window: f64, sample: &Sample) -> f64 {
    let diff = window * (sample.rtt_min - sample.base_rtt) / sample.base_rtt.max(1e-6);
    match () {
        () if diff > VEGAS_BETA => -1.0,
        () if diff < VEGAS_ALPHA => 1.0,
        () => 0.0,
    }
}

const VEGAS_ALPHA: f64 = 2.0;
const VEGAS_BETA: f64 = 4.0;

/// What a law can leave of a window at a back-off, least and most.
pub(super) fn left(law: Law, before: f64) -> [f64; 2] {
    match law {
        Law::Reno | Law::Vegas => [0.5, 0.5],
        Law::HighSpeed => [1.0 - highspeed_decrease(before); 2],
        Law::Scalable => [0.875, 0.875],
        Law::Bic if before <= BIC_LOW_WINDOW => [0.5, 0.5],
        Law::Bic => [0.8, 0.8],
        Law::Cubic => [CUBIC_BETA, CUBIC_BETA],
        // `htcp_beta_update`, by the delays or a half; `beta()` of tcp_illinois.c, by the delays.
        Law::Htcp => [0.5, 0.8],
        Law::Illinois => [0.5, 0.875],
    }
}

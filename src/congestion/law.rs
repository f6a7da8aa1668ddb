//! How each congestion control lets its window grow, and how much a loss takes from it. Windows in
//! segments, as in Linux; the constants are those of its `net/ipv4/tcp_*.c`.

mod illinois;

use illinois::Illinois;

use super::samples::Sample;
use crate::response::{
    CUBIC_ALPHA, CUBIC_BETA, CUBIC_C, HIGHSPEED_LOW_WINDOW, SCALABLE_KNEE, highspeed_decrease,
    highspeed_increase,
};

/// A law of growth in congestion avoidance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Law {
    /// One segment per round trip (RFC 5681), `tcp_reno_cong_avoid`. Westwood, LP and DCTCP grow
    /// alike.
    Reno,
    /// The same, but every other round trip while three segments or more queue,
    /// `tcp_veno_cong_avoid`.
    Veno,
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
    pub(crate) const ALL: [Self; 9] = [
        Self::Reno,
        Self::Veno,
        Self::HighSpeed,
        Self::Scalable,
        Self::Bic,
        Self::Cubic,
        Self::Htcp,
        Self::Illinois,
        Self::Vegas,
    ];

    /// Whether the window before the back-off steers its growth.
    pub(super) fn has_aim(self) -> bool {
        matches!(self, Self::Bic | Self::Cubic)
    }
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
    /// The last round trip before the back-off; `None` after slow start.
    pub(super) earlier: Option<Sample>,
    /// ACKs per segment acknowledged, 0 to 1.
    pub(super) ack_share: f64,
    /// H-TCP's back-off: the part of the window that was left.
    pub(super) left: f64,
}

impl Origin {
    /// The same with another first window.
    pub(super) fn shifted(self, segments: f64) -> Self {
        Self { first: self.first + segments, ..self }
    }

    /// CUBIC's origin (`bic_origin_point`).
    fn cubic_aim(&self) -> f64 {
        self.aim.unwrap_or(self.first).max(self.first)
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
    /// CUBIC's K, seconds, and its Reno-friendly estimate.
    k: f64,
    friendly: f64,
    illinois: Illinois,
    is_aimed: bool,
}

impl Grower {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "where it is called the law is known")]
    pub(super) fn new(law: Law, origin: Origin) -> Self {
        let (first, illinois) = (origin.first, Illinois::after(origin.earlier));
        let is_cubic = law == Law::Cubic;
        let k = if is_cubic { ((origin.cubic_aim() - first) / CUBIC_C).cbrt() } else { 0.0 };
        Self { law, origin, k, friendly: first, illinois, is_aimed: is_cubic }
    }

    /// The window that it began with.
    pub(super) fn first(&self) -> f64 {
        self.origin.first
    }

    /// What it aims at has made a difference so far.
    pub(super) fn is_aimed(&self) -> bool {
        self.is_aimed
    }

    /// Steps per round trip that follow its curve: BIC's is steep on both sides of a few segments
    /// about its aim.
    pub(super) fn steps(&self) -> u32 {
        if self.law == Law::Bic { 10 } else { 2 }
    }

    /// By how much `window` grows (or shrinks) in `step`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "where it is called the law is known")]
    pub(super) fn grow(&mut self, window: f64, step: &Step) -> f64 {
        let window = window.max(1.0);
        let reno = step.acked / window;
        match self.law {
            Law::Veno if queued(window, step.sample) >= VENO_BETA => reno / 2.0,
            Law::Reno | Law::Veno => reno,
            Law::HighSpeed => step.acks * highspeed_step(window) / window,
            Law::Scalable => step.acked / window.min(SCALABLE_KNEE),
            Law::Bic => step.acked / self.bic_count(window),
            Law::Cubic => step.acked / self.cubic_count(window, step),
            Law::Htcp => {
                let alpha = htcp_alpha(step.time, step.sample.base_rtt, self.origin.left);
                step.acked / self.whole_acks(window / alpha, 1.0)
            }
            Law::Illinois => {
                let alpha = self.illinois.alpha(window, step.sample);
                step.acked / self.whole_acks(window / alpha, 0.0)
            }
            Law::Vegas => reno * vegas_sign(window, step.sample),
        }
    }

    /// Where a count that is reached starts again from nought, what is acknowledged beyond it is
    /// lost; `htcp_cong_avoid` leaves out the ACK itself as well (`idle`).
    fn whole_acks(&self, segments: f64, idle: f64) -> f64 {
        let share = self.origin.ack_share;
        ((segments * share).ceil().max(1.0) + idle) / share
    }

    /// Segments acknowledged per segment of growth: `bictcp_update` of `tcp_bic.c`. A delayed ACK
    /// counts for its segments twice there, by `delayed_ack`.
    fn bic_count(&mut self, window: f64) -> f64 {
        let is_low = window <= BIC_LOW_WINDOW;
        self.is_aimed |= !is_low;
        let count = match self.origin.aim {
            _ if is_low => window,
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
        // The window one round trip from now.
        let time = step.time + step.sample.base_rtt;
        let target = self.origin.cubic_aim() + CUBIC_C * (time - self.k).powi(3);
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
}

/// `low_window`, `max_increment`, `smooth_part` and `BICTCP_B` of `tcp_bic.c`.
const BIC_LOW_WINDOW: f64 = 14.0;
const BIC_INCREMENT_MAX: f64 = 16.0;
const BIC_SMOOTH: f64 = 20.0;
const BIC_B: f64 = 4.0;

/// `hstcp_aimd_vals` of `tcp_highspeed.c`: a(w) of RFC 3649, rounded up.
fn highspeed_step(window: f64) -> f64 {
    if window <= HIGHSPEED_LOW_WINDOW { 1.0 } else { highspeed_increase(window).floor() + 1.0 }
}

/// `htcp_alpha_update`: 1 + 10 (t - 1) + ((t - 1) / 2)^2 after the first second, in whole numbers,
/// scaled by the round-trip time over 100 ms, and by the back-off.
fn htcp_alpha(time: f64, base_rtt: f64, left: f64) -> f64 {
    let after = (time - 1.0).max(0.0);
    let factor = (1.0 + 10.0 * after + (after / 2.0).powi(2)).floor();
    let scale = (0.1 / base_rtt.max(1e-6)).clamp(0.5, 10.0);
    2.0 * (factor / scale).floor().max(1.0) * (1.0 - left)
}

/// Segments in the queue, as `tcp_vegas.c` and `tcp_veno.c` reckon them.
fn queued(window: f64, sample: &Sample) -> f64 {
    window * (sample.rtt_min - sample.base_rtt) / sample.base_rtt.max(1e-6)
}

/// The same on average; 0 without samples.
pub(super) fn queued_mean(samples: &[Sample]) -> f64 {
    let (sum, count) = samples.iter().fold((0.0, 0.0), |(sum, count), sample| {
        (sum + queued(sample.window, sample), count + 1.0)
    });
    sum / f64::max(count, 1.0)
}

/// `tcp_vegas_cong_avoid`.
fn vegas_sign(window: f64, sample: &Sample) -> f64 {
    match queued(window, sample) {
        many if many > VEGAS_BETA => -1.0,
        few if few < VEGAS_ALPHA => 1.0,
        _ => 0.0,
    }
}

/// `beta` of `tcp_veno.c`; `alpha` and `beta` of `tcp_vegas.c`.
const VENO_BETA: f64 = 3.0;
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
        // `tcp_veno_ssthresh`, by the queue; `htcp_beta_update`, by the delays or a half.
        Law::Veno | Law::Htcp => [0.5, 0.8],
        // `beta()`, by the delays.
        Law::Illinois => [0.5, 0.875],
    }
}

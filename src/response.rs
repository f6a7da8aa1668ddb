//! What RFCs and papers say of a congestion control: how long a window takes to come back after one
//! loss, and how large a given rate of losses lets it become. Pure functions; windows in segments.
//!
//! A window of `w` segments and a round-trip time of `rtt` carry `w` segments per `rtt`, so these
//! functions answer why a large window with little loss may still be slow.
//!
//! Windows, times and loss rates are 0 or more; of negative ones the results mean nothing. Without loss
//! (`loss_rate` 0) the window that losses allow is infinite.

/// Rounds until Reno's window is what it was before a loss: halved, then one segment more per round
/// trip (RFC 5681 sections 3.1 and 3.2; on Linux also with delayed ACKs, RFC 3465).
///
/// 1 Gbit/s at 200 ms are 16 667 packets of 1500 octets, which take 28 minutes:
///
/// ```
/// let rounds = tcplimit::response::reno_rounds(1e9 * 0.2 / 8.0 / 1500.0);
/// assert!((rounds * 0.2 / 60.0 - 27.8).abs() < 0.1);
/// ```
#[must_use]
pub fn reno_rounds(window: f64) -> f64 {
    window / 2.0
}

/// Rounds of Scalable TCP: an eighth less, then a hundredth more per round trip, whatever the
/// window: log(1 - b) / log(1 + a) (T. Kelly, CCR 33(2), 2003). Linux `tcp_scalable.c` grows by one
/// segment per round trip while the window is below 100 segments.
///
/// ```
/// use tcplimit::response::scalable_rounds;
/// assert!((scalable_rounds(10_000.0) - 13.4).abs() < 0.1);
/// assert!((scalable_rounds(80.0) - 10.0).abs() < 1e-9);
/// ```
#[must_use]
pub fn scalable_rounds(window: f64) -> f64 {
    let (low, knee) = (0.875 * window, SCALABLE_KNEE);
    let additive = knee.min(window) - low.min(knee);
    let multiplicative = (window.max(knee) / low.max(knee)).ln() / 1.01_f64.ln();
    additive + multiplicative
}

/// What slow start makes of a window in a round trip, at the least: twice as much, or half as much again
/// where every second segment is acknowledged (RFC 5681 section 3.1, RFC 3465).
pub(crate) const SLOW_START_GROWTH: f64 = 1.5;

/// Linux `TCP_SCALABLE_AI_CNT`.
pub(crate) const SCALABLE_KNEE: f64 = 100.0;

/// Rounds of `HighSpeed` TCP (RFC 3649 section 5): less by b(w), then a(w) more per round trip.
///
/// ```
/// use tcplimit::response::{highspeed_rounds, reno_rounds};
/// assert!((highspeed_rounds(38.0) - reno_rounds(38.0)).abs() < 1.0);
/// assert!(highspeed_rounds(83_000.0) < 130.0);
/// ```
#[must_use]
pub fn highspeed_rounds(window: f64) -> f64 {
    let mut rounds = 0.0;
    let mut reached = window * (1.0 - highspeed_decrease(window));
    // a(w) >= 1, and beyond 38 segments it grows nearly as fast as w.
    while reached < window && rounds < HIGHSPEED_ROUNDS_MAX {
        let step = highspeed_increase(reached).min(window - reached);
        rounds += step / highspeed_increase(reached);
        reached += step;
    }
    rounds
}

/// Far beyond what any window needs; a bound for a number that is none.
const HIGHSPEED_ROUNDS_MAX: f64 = 10_000.0;

/// `HighSpeed` TCP's a(w), segments per round trip (RFC 3649 section 5).
///
/// ```
/// use tcplimit::response::highspeed_increase;
/// assert!((highspeed_increase(38.0) - 1.0).abs() < 1e-9);
/// // The table of RFC 3649 appendix B: from 118 segments on 2 more per round trip.
/// assert!((highspeed_increase(118.0) - 2.0).abs() < 0.01);
/// ```
#[must_use]
pub fn highspeed_increase(window: f64) -> f64 {
    if window <= HIGHSPEED_LOW_WINDOW {
        return 1.0;
    }
    let decrease = highspeed_decrease(window);
    let loss_rate = 0.078 / window.powf(1.2);
    (window * window * loss_rate * 2.0 * decrease / (2.0 - decrease)).max(1.0)
}

/// `HighSpeed` TCP's b(w), the part that a loss takes away (RFC 3649 section 5).
///
/// ```
/// use tcplimit::response::highspeed_decrease;
/// assert!((highspeed_decrease(20.0) - 0.5).abs() < 1e-9);
/// assert!((highspeed_decrease(83_000.0) - 0.1).abs() < 1e-9);
/// ```
#[must_use]
pub fn highspeed_decrease(window: f64) -> f64 {
    let place =
        (window / HIGHSPEED_LOW_WINDOW).ln() / (HIGHSPEED_HIGH_WINDOW / HIGHSPEED_LOW_WINDOW).ln();
    0.5 - 0.4 * place.clamp(0.0, 1.0)
}

/// RFC 3649 section 5: `Low_Window` and `High_Window`.
pub(crate) const HIGHSPEED_LOW_WINDOW: f64 = 38.0;
const HIGHSPEED_HIGH_WINDOW: f64 = 83_000.0;

/// Seconds until CUBIC's window is what it was: K = cbrt(W (1 - beta) / C), or sooner where its
/// Reno-friendly estimate is larger (RFC 9438 sections 4.2 and 4.3, C 0.4, beta 0.7).
///
/// ```
/// use tcplimit::response::cubic_seconds;
/// let window = 1e9 * 0.2 / 8.0 / 1500.0;
/// assert!((cubic_seconds(window, 0.2) - 23.2).abs() < 0.1);
/// // Ten segments at 20 ms: 0.53 more per round trip is faster than the cubic curve.
/// assert!((cubic_seconds(10.0, 0.02) - 3.0 / 0.529 * 0.02).abs() < 0.001);
/// ```
#[must_use]
pub fn cubic_seconds(window: f64, rtt_s: f64) -> f64 {
    let lost = window * (1.0 - CUBIC_BETA);
    let cubic = (lost / CUBIC_C).cbrt();
    let friendly = lost / CUBIC_ALPHA * rtt_s;
    cubic.min(friendly)
}

/// RFC 9438 section 5: C.
pub(crate) const CUBIC_C: f64 = 0.4;
/// RFC 9438 section 4.6: beta.
pub(crate) const CUBIC_BETA: f64 = 0.7;
/// RFC 9438 section 4.3: 3 (1 - beta) / (1 + beta).
pub(crate) const CUBIC_ALPHA: f64 = 3.0 * (1.0 - CUBIC_BETA) / (1.0 + CUBIC_BETA);

/// Reno's average window at `loss_rate` loss events per segment: 1.22 / sqrt(p) (Mathis et al., CCR
/// 27(3), 1997; RFC 3649 section 3 rounds it to 1.2). Infinite without loss.
///
/// ```
/// // 0.2 %: 27 segments, however large the path and the buffers are.
/// assert!((tcplimit::response::reno_window(0.002) - 27.4).abs() < 0.1);
/// assert!(tcplimit::response::reno_window(0.0).is_infinite());
/// ```
#[must_use]
pub fn reno_window(loss_rate: f64) -> f64 {
    (1.5 / loss_rate).sqrt()
}

/// `HighSpeed` TCP's average window: 0.12 / p^0.835, Reno's where p is above 0.001 (RFC 3649
/// section 5). Infinite without loss.
///
/// ```
/// assert!((tcplimit::response::highspeed_window(1e-7) - 83_981.0).abs() < 1000.0);
/// ```
#[must_use]
pub fn highspeed_window(loss_rate: f64) -> f64 {
    (0.12 / loss_rate.powf(0.835)).max(reno_window(loss_rate))
}

/// Scalable TCP's average window: a / (b p) = 0.08 / p (T. Kelly, 2003), Reno's growth below 100
/// segments. Infinite without loss.
///
/// ```
/// assert!((tcplimit::response::scalable_window(1e-5) - 8000.0).abs() < 1.0);
/// ```
#[must_use]
pub fn scalable_window(loss_rate: f64) -> f64 {
    // One segment per round trip and an eighth less: a / (b p), with a = 1 / w.
    let additive = (8.0 / loss_rate).sqrt();
    if additive < SCALABLE_KNEE { additive } else { 0.08 / loss_rate }
}

/// CUBIC's average window: 1.054 (RTT / p)^(3/4), or that of its Reno-friendly region where it is
/// larger (RFC 9438 section 5.1). Infinite without loss.
///
/// ```
/// use tcplimit::response::{cubic_window, reno_window};
/// assert!((cubic_window(1e-6, 0.1) - 5926.0).abs() < 1.0);
/// assert!((cubic_window(0.002, 0.01) - reno_window(0.002)).abs() < 0.01);
/// ```
#[must_use]
pub fn cubic_window(loss_rate: f64, rtt_s: f64) -> f64 {
    let factor = (CUBIC_C * (3.0 + CUBIC_BETA) / (4.0 * (1.0 - CUBIC_BETA))).powf(0.25);
    (factor * (rtt_s / loss_rate).powf(0.75)).max(reno_window(loss_rate))
}

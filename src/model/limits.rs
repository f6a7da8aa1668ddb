//! Which limit held, how long and when.

use serde::Serialize;

use super::{Cause, Limit};

impl Limits {
    /// The share of one limit.
    #[must_use]
    pub fn of(&self, limit: Limit) -> &LimitShare {
        match limit {
            Limit::ReceiveWindow => &self.receive_window,
            Limit::SendBuffer => &self.send_buffer,
            Limit::CongestionWindow => &self.congestion_window,
            Limit::Application => &self.application,
            Limit::HandshakeClose => &self.handshake_close,
            Limit::CaptureGap => &self.capture_gap,
            Limit::Unknown => &self.unknown,
        }
    }
}

/// Shares of a flow's duration, each with its range; the seven shares sum to 1.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Limits {
    /// Rlimit.
    pub receive_window: LimitShare,
    /// Slimit.
    pub send_buffer: LimitShare,
    /// Climit.
    pub congestion_window: LimitShare,
    /// Nothing to send.
    pub application: LimitShare,
    /// Opening and closing.
    pub handshake_close: LimitShare,
    /// Not captured.
    pub capture_gap: LimitShare,
    /// Not decidable.
    pub unknown: LimitShare,
}

/// One limit's part of the duration.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LimitShare {
    /// 0 to 1.
    pub share: f64,
    /// With everything doubtful counted against it.
    pub share_low: f64,
    /// With everything doubtful counted for it.
    pub share_high: f64,
    /// `share` in seconds.
    pub time_s: f64,
    /// Its parts by finer cause, largest first.
    pub causes: Vec<CauseShare>,
}

/// A limit that leads by so much in shares is the cause, more likely than not: the rule by which a mixed flow
/// has no one cause (half of the time, or a fifth more than the next).
pub(crate) const LEAD_MIN: f64 = 0.2;

/// What every share is blurred by at the least: a smaller difference tells nothing.
pub(crate) const POINT: f64 = 0.01;

impl LimitShare {
    /// What may be its own beside its share would do for a lead.
    pub(crate) fn is_perhaps_larger(&self) -> bool {
        self.share_high - self.share >= LEAD_MIN
    }
}

/// A finer cause's part of the duration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CauseShare {
    /// The cause.
    pub cause: Cause,
    /// 0 to 1, of the flow's duration.
    pub share: f64,
    /// The same in seconds.
    pub time_s: f64,
}

/// The three shares of the 2007 paper, over their sum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PaperShares {
    /// Receive window.
    pub rlimit: f64,
    /// Send buffer.
    pub slimit: f64,
    /// Congestion window.
    pub climit: f64,
}

/// A stretch of time with one limit; times from the flow's start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Interval {
    /// Start.
    pub start_s: f64,
    /// End.
    pub end_s: f64,
    /// What limited.
    pub limit: Limit,
    /// The finer cause, where one is known.
    pub cause: Option<Cause>,
    /// Where the congestion window is the limit: the loss that it stems from, as an index into
    /// `episodes.losses`. `null` before the first, and behind those that the list holds.
    pub loss_episode: Option<usize>,
    /// First frame in it.
    pub first_frame: u64,
    /// Last frame in it.
    pub last_frame: u64,
}

/// The result of the 2007 paper's method, taken literally.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Lu2007 {
    /// Share of the connection's time under `RCV_LIMIT`.
    pub rlimit: f64,
    /// Under `SND_LIMIT`.
    pub slimit: f64,
    /// Under `CWND_LIMIT`.
    pub climit: f64,
    /// Time-weighted mean of wnd, octets.
    pub wnd_mean_bytes: f64,
    /// Mean RTT; `null` without samples.
    pub rtt_mean_us: Option<f64>,
    /// The shadow cwnd of Fig. 1 at the end, octets.
    pub cwnd_end_bytes: f64,
}

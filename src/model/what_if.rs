//! What would be gained by lifting a limit.

use serde::Serialize;

use super::figures::{TELLING_MAX, rate};

/// The rate if one limit were lifted altogether, all else unchanged. A prediction, so a range with the
/// assumption that it rests on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct WhatIf {
    /// What is thought away.
    pub lifted: Lifted,
    /// Goodput that a long transfer would then have, payload; `null` where nothing bounds it, or where
    /// nothing tells how long the losses that it would run into take to repair (`low_bps` is 0).
    pub rate_bps: Option<f64>,
    /// At least this; 0 where it may be less than now.
    pub low_bps: f64,
    /// At most this; `null` where nothing in the capture bounds it.
    pub high_bps: Option<f64>,
    /// In place of `rate_bps`, where a bottleneck that is in doubt is one, and bounds it; in the JSON
    /// `assumption` says so.
    #[serde(skip)]
    pub perhaps_bps: Option<f64>,
    /// What would limit then.
    pub next_limit: NextLimit,
    /// What the figures rest on, one sentence.
    pub assumption: String,
}

impl WhatIf {
    /// Nothing is predicted that is of use to a reader, for a flow with this goodput: a range too wide, or
    /// none but what is.
    pub(crate) fn is_empty(&self, goodput_bps: f64) -> bool {
        self.is_vague(goodput_bps)
            || self.high_bps.is_some_and(|high| rate(high) == rate(goodput_bps))
    }

    fn is_vague(&self, goodput_bps: f64) -> bool {
        let least = self.low_bps.max(goodput_bps);
        let is_wide = |high: f64| high > TELLING_MAX * least;
        self.rate_bps.is_none() && self.high_bps.map_or(self.low_bps <= goodput_bps, is_wide)
    }
}

/// A limit that can be lifted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Lifted {
    /// The receiver's advertised window, or the reader behind it.
    ReceiveWindow,
    /// The sender's socket buffer.
    SendBuffer,
    /// The sending application's pauses and its pace.
    Application,
    /// Loss on the path that no queue of the flow's own caused, or the repair of any.
    Loss,
}

/// What would limit after a limit was lifted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NextLimit {
    /// The bottleneck's rate.
    Path,
    /// The advertised window.
    ReceiveWindow,
    /// The sender's socket buffer, for as much of the time as now.
    SendBuffer,
    /// The application, for as much of the time as now.
    Application,
    /// The window that the congestion control holds at the loss seen.
    Loss,
    /// Nothing in the capture tells.
    Unknown,
}

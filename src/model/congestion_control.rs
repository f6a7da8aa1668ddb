//! Which congestion control the sender uses, as far as its window shows, and what a loss costs it.

use serde::Serialize;

use super::{BackOff, ClassBasis, UnknownReason};

/// The sender's congestion control, told from how it opened or how its window grew after each back-off.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CongestionControl {
    /// The likeliest class; `unknown` where none can be named.
    pub class: CongestionClass,
    /// What shows it; `null` where none is named.
    pub basis: Option<ClassBasis>,
    /// Why none is named; `null` where one is.
    pub unknown_reason: Option<UnknownReason>,
    /// All classes that fit about as well, the likeliest first: on a short or small-windowed path some
    /// behave alike.
    pub candidates: Vec<CongestionClass>,
    /// What Linux calls the class (`net.ipv4.tcp_congestion_control`), or its commonest member; `null` where
    /// none is named.
    pub linux_name: Option<&'static str>,
    /// The part of the window that is left after a loss or a congestion mark, median; `null` without
    /// any while the congestion window was the limit.
    pub back_off_factor: Option<f64>,
    /// How many epochs the answer rests on: those in which the congestion window was the limit and never
    /// fell in between, after a back-off or of five round trips at least, but not after a timeout. None where
    /// the opening shows it.
    pub epochs_used: usize,
    /// How many epochs there were.
    pub epochs_count: u64,
    /// The first 64, in order.
    pub epochs: Vec<CongestionEpoch>,
}

/// Kinds of congestion control that a window's course tells apart.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CongestionClass {
    /// One segment more per round trip (RFC 5681). Westwood, Veno and LP grow alike, and DCTCP
    /// without congestion marks.
    RenoLike,
    /// RFC 9438.
    Cubic,
    /// Paced by a model of the path; losses do not make it back off.
    Bbr,
    /// A binary search for the last window, 0.8 left after a loss.
    Bic,
    /// Faster the longer the last loss is ago.
    Htcp,
    /// `HighSpeed` TCP (RFC 3649).
    Highspeed,
    /// Scalable TCP: a hundredth more per round trip, an eighth less after a loss.
    Scalable,
    /// Faster the shorter the queue is.
    Illinois,
    /// Keeps its window by the delay: Vegas, NV, CDG.
    DelayBased,
    /// RFC 8257: congestion marks take what their share asks for.
    Dctcp,
    /// None of these for sure.
    #[default]
    Unknown,
}

/// The window from the end of a back-off to the next one; times from the flow's start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CongestionEpoch {
    /// Start: the repair is over, the window may grow.
    pub start_s: f64,
    /// End: the next back-off, or the flow's end.
    pub end_s: f64,
    /// What made the window smaller before it.
    pub after: BackOff,
    /// Window just before that; `null` after slow start.
    pub window_before_bytes: Option<f64>,
    /// Window of the epoch's first round trip.
    pub window_start_bytes: f64,
    /// Window of its last.
    pub window_end_bytes: f64,
    /// Its round trips.
    pub rounds: u64,
    /// The first window over the one before the back-off; `null` after slow start.
    pub back_off_factor: Option<f64>,
    /// Mean growth, segments per round trip; `null` where there was but one.
    pub growth_segments_per_round: Option<f64>,
    /// From its start until the window was what it had been; `null` if the epoch ended first.
    pub regained_s: Option<f64>,
    /// CUBIC's K (RFC 9438 section 4.2): when its curve reaches the window before the loss; `null` after slow
    /// start.
    pub cubic_k_s: Option<f64>,
    /// The law that is nearest to its windows; `null` if it is not used, or none is near.
    pub law: Option<CongestionClass>,
    /// How far that law's windows are from those seen: root mean square, in units of half a segment
    /// and a hundredth of the window; `null` where `law` is.
    pub misfit: Option<f64>,
    /// The answer rests on it among others.
    pub is_used: bool,
}

/// What a loss costs: how long the window takes to come back, seen and in theory, and how large a
/// window losses this frequent allow.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LossRecovery {
    /// The window in question: before the losses, median; the most that was in flight where there were
    /// none.
    pub window_bytes: f64,
    /// The same in segments.
    pub window_segments: f64,
    /// The round-trip time in question: the mean.
    pub rtt_us: f64,
    /// Epochs that began with a loss or a congestion mark while the congestion window was the limit.
    pub losses_count: usize,
    /// In how many of them the window came back before the next.
    pub regained_count: usize,
    /// How long that took, median of these; `null` where there are none.
    pub regained_s: Option<f64>,
    /// The same in round trips; `null` where there are none.
    pub regained_rounds: Option<f64>,
    /// What it takes in theory.
    pub predicted: Vec<PredictedRecovery>,
    /// Loss events (of one or many segments at a time) over segments of new data; `null` without a loss.
    pub loss_rate: Option<f64>,
    /// The average windows that such losses allow, were nothing else in the way; empty without a loss.
    pub sustained: Vec<SustainedWindow>,
}

/// Time to regain a window after one loss.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PredictedRecovery {
    /// The law.
    pub law: CongestionClass,
    /// Round trips.
    pub rounds: f64,
    /// Seconds.
    pub time_s: f64,
}

/// Average window at a rate of losses.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SustainedWindow {
    /// The law.
    pub law: CongestionClass,
    /// Average window.
    pub window_bytes: f64,
    /// What it carries at the mean round-trip time.
    pub rate_bps: f64,
}

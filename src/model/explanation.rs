//! One flow's verdict with what it rests on.

use std::borrow::Cow;

use super::{FlowReport, Input, Interval, Note};

/// Written by [`write_explanation`](crate::report::write_explanation).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The flow.
    pub flow: FlowReport,
    /// What was read, as in a report.
    pub input: Input,
    /// What there is to say about that, as in a report.
    pub notes: Vec<Note>,
    /// The time that was asked for, from the flow's start; `None` for the whole flow.
    pub at_s: Option<f64>,
    /// Its intervals, or those that were asked for.
    pub intervals: Vec<ExplainedInterval>,
    /// How many shorter ones were left out.
    pub intervals_left_out: u64,
    /// Their time together.
    pub time_left_out_s: f64,
    /// Waits at the flow's end that were not kept: nothing is said of them.
    pub records_left_out: u64,
}

/// One interval and what it rests on.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ExplainedInterval {
    /// The interval.
    pub interval: Interval,
    /// The test that decided.
    pub fired: Cow<'static, str>,
    /// The numbers behind it.
    pub facts: Vec<String>,
    /// What else the facts would fit.
    pub nearly: Vec<String>,
    /// The tallies of the round trips around its middle, where one time was asked for.
    pub tallies: Vec<String>,
    /// Places of the closed windows that overlap it in the flow's `episodes.zero_windows`.
    pub zero_windows: Vec<usize>,
    /// Its waits around the time that was asked for; none where none was.
    pub waits: Vec<ExplainedWait>,
    /// How many more it has.
    pub waits_left_out: u64,
    /// How many of these come before `waits`.
    pub waits_before: u64,
}

/// One wait of the sender.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ExplainedWait {
    /// From the flow's start.
    pub start_s: f64,
    /// Its length.
    pub duration_s: f64,
    /// How many waits alike it stands for.
    pub count: u32,
    /// The send before it.
    pub first_frame: u64,
    /// The packet that ended it.
    pub last_frame: u64,
    /// FlightSize at its start.
    pub flight_bytes: u64,
    /// What was seen.
    pub signs: String,
    /// What follows from that.
    pub ruling: String,
}

//! The answer, and the numbers behind it.

use serde::Serialize;

use super::{Code, Limit};

/// The answer for one flow.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Verdict {
    /// What held the transfer back.
    pub limit: Limit,
    /// The runner-up, where it comes near.
    pub runner_up: Option<Limit>,
    /// Share of the duration in which `limit` held.
    pub share: f64,
    /// How sure.
    pub confidence: Confidence,
    /// One sentence.
    pub text: String,
    /// The numbers behind it, one sentence each.
    pub why: Vec<String>,
    /// What to try, one sentence each.
    pub advice: Vec<Advice>,
}

/// A remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Advice {
    /// `A...`; `tcplimit explain` tells more.
    pub code: Code,
    /// What to do.
    pub text: String,
}

/// How sure a verdict is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Confidence {
    /// A guess with reasons.
    #[default]
    Low,
    /// More likely than not.
    Medium,
    /// The tests agree and leave the runner-up far behind.
    High,
}

/// One measured number behind a claim.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Evidence {
    /// `E...`; `tcplimit explain` tells more.
    pub code: Code,
    /// What was measured, unit last.
    pub metric: &'static str,
    /// Its value.
    pub value: f64,
    /// What it is to be compared with, in the same unit: a window that is full up to one segment, the
    /// goodput, a queue that is none to speak of; `null` where there is no such number.
    pub threshold: Option<f64>,
}

//! Does a capture keep what was promised? Assertions on the fields of a flow's report, for CI.
//!
//! A field is named by its path in the JSON of a flow (`rtt.mean_us`) or by a short name
//! (`rtt`). Which fields there are, and which words an enum has, is read from the JSON Schema.

mod assertion;
mod evidence;
mod field;
mod junit;
mod pacing;
mod rules;
mod shown;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde_json::Value;

use assertion::Before;
pub use assertion::{Assertion, BadAssertion};
pub use junit::{write_junit, write_junit_error};
pub use rules::{BadRules, Rule, read_rules};

use crate::error::printable;
use crate::model::Report;
use crate::report::{self, Format, Outcome as ReportOutcome, Selection};

/// What became of one rule on one flow.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// The rule's name, safe to print.
    pub rule: String,
    /// What it wants, as it was written, safe to print; where it has no name of its own the same.
    pub wanted: String,
    /// The flow: stream and ends. `None` where there was none to look at.
    pub flow: Option<String>,
    /// How it ended.
    pub result: Verdict,
    /// The measured value, or why there is none.
    pub measured: String,
    /// Where to look: times and frames. `None` where nothing in the capture stands for it.
    pub evidence: Option<String>,
    /// Where the rule stands in its file, from 1; `None` for one from the command line.
    pub line: Option<usize>,
}

impl Outcome {
    fn new(rule: &Rule, (result, measured): (Verdict, String)) -> Self {
        let (name, wanted) = (printable(&rule.name), printable(&rule.text));
        let line = rule.line;
        Self { rule: name, wanted, flow: None, result, measured, evidence: None, line }
    }

    /// The rule with what it wants: a name alone does not tell by how much it was missed.
    #[must_use]
    pub fn title(&self) -> String {
        if self.rule == self.wanted {
            self.rule.clone()
        } else {
            format!("{}: {}", self.rule, self.wanted)
        }
    }
}

/// How an assertion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// The capture does not tell.
    Inconclusive,
}

/// Which flows are looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Flows {
    /// The one that carried most.
    #[default]
    Largest,
    /// Of each connection with such a number the direction that carried most.
    Streams(Vec<RangeInclusive<u32>>),
    /// All that carried payload.
    All,
}

/// Holds the report's flows to the rules; `baseline` is an earlier report's JSON document.
pub fn check(
    report: Report,
    rules: &[Rule],
    flows: &Flows,
    baseline: Option<&Value>,
) -> Vec<Outcome> {
    let document = json(report);
    let all = flows_of(&document);
    let before = baseline.map(flows_of);
    let mut outcomes = Vec::new();
    for rule in rules {
        let own = rule.flow.map(|stream| Flows::Streams(vec![stream..=stream]));
        let chosen = choose(&all, own.as_ref().unwrap_or(flows));
        if chosen.is_empty() {
            let none = "the capture has no such flow".to_owned();
            outcomes.push(Outcome::new(rule, (Verdict::Inconclusive, none)));
        }
        for flow in chosen {
            let before = before.as_deref().map_or(Before::NotGiven, |flows| {
                same_flow(flow, flows).map_or(Before::NoFlow, Before::Flow)
            });
            outcomes.push(Outcome {
                flow: Some(name_of(flow)),
                evidence: evidence::of(flow, rule.assertion.path()),
                ..Outcome::new(rule, rule.assertion.judge(flow, before))
            });
        }
    }
    outcomes
}

/// The document that `analyze --json` writes.
fn json(report: Report) -> Value {
    let mut octets = Vec::new();
    let outcome = ReportOutcome::Report(Box::new(report));
    // Writing to memory cannot fail, and what it wrote is JSON.
    let _ = report::write(&outcome, &Selection::default(), &Format::Json, &mut octets);
    serde_json::from_slice(&octets).unwrap_or_default()
}

fn flows_of(document: &Value) -> Vec<Value> {
    document.get("flows").and_then(Value::as_array).cloned().unwrap_or_default()
}

fn payload(flow: &Value) -> u64 {
    flow.get("payload_bytes").and_then(Value::as_u64).unwrap_or_default()
}

fn choose<'a>(all: &'a [Value], flows: &Flows) -> Vec<&'a Value> {
    let with_payload = all.iter().filter(|flow| payload(flow) > 0);
    match flows {
        Flows::All => with_payload.collect(),
        Flows::Largest => with_payload.max_by_key(|flow| payload(flow)).into_iter().collect(),
        Flows::Streams(streams) => {
            let mut largest: BTreeMap<u32, &Value> = BTreeMap::new();
            for flow in all {
                let stream = stream(flow);
                if streams.iter().any(|range| range.contains(&stream)) {
                    let best = largest.entry(stream).or_insert(flow);
                    if payload(flow) > payload(best) {
                        *best = flow;
                    }
                }
            }
            largest.into_values().collect()
        }
    }
}

/// Number of the flow's connection.
fn stream(flow: &Value) -> u32 {
    let number = flow.get("stream").and_then(Value::as_u64);
    number.and_then(|number| u32::try_from(number).ok()).unwrap_or_default()
}

/// `(ip, port)` of one end.
fn end<'a>(flow: &'a Value, which: &str) -> (Option<&'a str>, Option<u64>) {
    let end = flow.get(which);
    let of = |key: &str| end.and_then(|end| end.get(key));
    (of("ip").and_then(Value::as_str), of("port").and_then(Value::as_u64))
}

/// The largest flow of a baseline between the same addresses, with one port the same: the other is
/// the client's, and drawn anew for each connection.
fn same_flow<'a>(flow: &Value, baseline: &'a [Value]) -> Option<&'a Value> {
    let ends = [end(flow, "src"), end(flow, "dst")];
    let is_same = |other: &&Value| {
        let others = [end(other, "src"), end(other, "dst")];
        let pairs = || ends.iter().zip(&others);
        pairs().all(|(one, two)| one.0 == two.0) && pairs().any(|(one, two)| one.1 == two.1)
    };
    baseline.iter().filter(is_same).max_by_key(|flow| payload(flow))
}

fn name_of(flow: &Value) -> String {
    let side = |which| {
        let (ip, port) = end(flow, which);
        format!("{}:{}", ip.unwrap_or("?"), port.unwrap_or_default())
    };
    format!("stream {}, {} → {}", stream(flow), side("src"), side("dst"))
}

#[cfg(test)]
mod tests;

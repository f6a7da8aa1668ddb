//! The names and explanations that the page's script shows, so that they stand in one place for
//! all outputs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::model::{Confidence, Limit, Report, Vantage};
use super::super::{codes, words};
use super::HtmlOptions;

/// Keys are the JSON report's values.
#[derive(Serialize)]
pub(super) struct Words {
    flows_left_out: u64,
    limits: BTreeMap<String, LimitWords>,
    causes: BTreeMap<String, &'static str>,
    stalls: BTreeMap<String, &'static str>,
    confidences: BTreeMap<String, &'static str>,
    vantages: BTreeMap<String, &'static str>,
    codes: BTreeMap<&'static str, CodeWords>,
}

#[derive(Serialize)]
struct LimitWords {
    /// Place in the order of reports.
    rank: usize,
    name: &'static str,
    short: &'static str,
    letter: char,
}

#[derive(Serialize)]
struct CodeWords {
    kind: &'static str,
    title: &'static str,
    meaning: &'static str,
    remedy: &'static str,
}

/// The words for what `report` holds.
pub(super) fn of(report: &Report, options: HtmlOptions) -> Words {
    let limits = Limit::ALL.iter().enumerate().map(|(rank, limit)| {
        let (name, short) = (words::limit(*limit), words::limit_short(*limit));
        let letter = words::letter(*limit);
        (words::snake_case(limit), LimitWords { rank, name, short, letter })
    });
    let intervals = report.flows.iter().flat_map(|flow| &flow.intervals);
    let causes = intervals.filter_map(|interval| interval.cause);
    let stalls = report.flows.iter().flat_map(|flow| &flow.episodes.stalls);
    Words {
        flows_left_out: options.flows_left_out,
        limits: limits.collect(),
        causes: causes.map(|cause| (words::snake_case(&cause), words::cause(cause))).collect(),
        stalls: stalls
            .map(|stall| (words::snake_case(&stall.cause), words::stall(stall.cause)))
            .collect(),
        confidences: [Confidence::Low, Confidence::Medium, Confidence::High]
            .map(|value| (words::snake_case(&value), words::confidence(value)))
            .into(),
        vantages: [Vantage::Sender, Vantage::Receiver, Vantage::Middle]
            .into_iter()
            .filter_map(|value| Some((words::snake_case(&value), words::vantage(value)?)))
            .collect(),
        codes: codes::ALL.iter().map(|entry| (entry.code.0, code(entry))).collect(),
    }
}

fn code(entry: &codes::Entry) -> CodeWords {
    CodeWords {
        kind: entry.kind(),
        title: entry.title,
        meaning: entry.meaning,
        remedy: entry.remedy,
    }
}

//! The names and explanations that the page's script shows, so that they stand in one place for
//! all outputs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::{TextOptions, text, words};
use super::HtmlOptions;
use crate::model::{Confidence, CongestionClass, FlowReport, Limit, Report, Vantage, codes};

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
    congestion: BTreeMap<String, &'static str>,
    lifted: BTreeMap<String, &'static str>,
    next_limits: BTreeMap<String, &'static str>,
    /// Each flow as the text report has it, in the order of the JSON.
    texts: Vec<String>,
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
    // Where intervals were joined, a share names causes that none of them has.
    let shares = report.flows.iter().flat_map(|flow| Limit::ALL.map(|limit| flow.limits.of(limit)));
    let causes = shares.flat_map(|part| &part.causes).map(|part| part.cause);
    let causes = intervals.filter_map(|interval| interval.cause).chain(causes);
    let stalls = report.flows.iter().flat_map(|flow| &flow.episodes.stalls);
    let predictions = report.flows.iter().flat_map(|flow| &flow.what_if);
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
        congestion: classes(report)
            .map(|class| (words::snake_case(&class), words::congestion(class)))
            .collect(),
        lifted: predictions
            .clone()
            .map(|one| (words::snake_case(&one.lifted), words::lifted(one.lifted)))
            .collect(),
        next_limits: predictions
            .map(|one| (words::snake_case(&one.next_limit), words::next_limit(one.next_limit)))
            .collect(),
        texts: report.flows.iter().map(text_of).collect(),
    }
}

/// Every congestion control that the report names.
fn classes(report: &Report) -> impl Iterator<Item = CongestionClass> {
    let named = report.flows.iter().filter_map(|flow| flow.congestion_control.as_ref());
    let laws = report.flows.iter().filter_map(|flow| flow.recovery.as_ref());
    let by_epoch =
        named.clone().flat_map(|control| control.epochs.iter().filter_map(|epoch| epoch.law));
    named
        .flat_map(|control| control.candidates.iter().copied().chain([control.class]))
        .chain(by_epoch)
        .chain(laws.clone().flat_map(|recovery| recovery.predicted.iter().map(|one| one.law)))
        .chain(laws.flat_map(|recovery| recovery.sustained.iter().map(|one| one.law)))
}

fn text_of(flow: &FlowReport) -> String {
    let mut out = Vec::new();
    // Writing to memory cannot fail.
    let _ = text::write_flow(flow, TextOptions::default(), &mut out);
    String::from_utf8_lossy(&out).trim_start().to_owned()
}

fn code(entry: &codes::Entry) -> CodeWords {
    CodeWords {
        kind: entry.kind(),
        title: entry.title,
        meaning: entry.meaning,
        remedy: entry.remedy,
    }
}

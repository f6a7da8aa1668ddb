//! Which flows ran beside each other, and what do their paths tell together? Takes the flows with the
//! most payload of the whole capture; those with an end in common, at the same time, may share a
//! bottleneck. What each told of itself stays, unless all of them tell more.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::judged::{Along, Judged};
use crate::model::FlowReport;
use crate::path::{self, Record};
use crate::wire::Scope;

/// One flow, with what it takes to tell its path anew.
#[derive(Debug)]
pub(super) struct Beside<'a> {
    pub(super) scope: Scope,
    pub(super) judged: Box<Judged>,
    pub(super) report: &'a mut FlowReport,
}

/// What flows that may share a bottleneck have in common.
type Ends = (Scope, Option<IpAddr>, Option<IpAddr>);

/// The same two hosts, the same receiver, the same sender: whoever runs a policer tells by one of them.
const COMMON: [(bool, bool); 3] = [(true, true), (false, true), (true, false)];

/// Tells the paths of those flows anew of which others show more than each of them alone. The order of
/// `flows` is that of the report.
pub(super) fn tell(mut flows: Vec<Beside<'_>>) {
    let mut explained = BTreeSet::new();
    let mut tried = BTreeSet::new();
    for common in COMMON {
        for group in groups(&flows, common) {
            let is_open = group.iter().any(|flow| !explained.contains(flow));
            if is_open && !tried.contains(&group) {
                explained.extend(tell_together(&mut flows, &group, common == COMMON[0]));
                tried.insert(group);
            }
        }
    }
}

/// Two and more flows with these ends in common that ran at the same time, each in order.
fn groups(flows: &[Beside<'_>], (has_src, has_dst): (bool, bool)) -> Vec<Vec<usize>> {
    let mut alike: BTreeMap<Ends, Vec<usize>> = BTreeMap::new();
    for (index, Beside { scope, report, .. }) in flows.iter().enumerate() {
        let src = has_src.then_some(report.src.ip);
        let dst = has_dst.then_some(report.dst.ip);
        alike.entry((*scope, src, dst)).or_default().push(index);
    }
    let span = |flow: &usize| flows.get(*flow).map(|flow| flow.judged.span).unwrap_or_default();
    let mut groups = Vec::new();
    for mut alike in alike.into_values() {
        alike.sort_by_key(|flow| (span(flow), *flow));
        let mut end = None;
        for flow in alike {
            let (first, last) = span(&flow);
            if end.is_none_or(|end| first > end) {
                groups.push(Vec::new());
            }
            end = end.max(Some(last));
            if let Some(group) = groups.last_mut() {
                group.push(flow);
            }
        }
    }
    groups.retain(|group: &Vec<usize>| group.len() > 1);
    for group in &mut groups {
        group.sort_unstable();
    }
    groups
}

/// Gives those whose path is told anew.
fn tell_together(flows: &mut [Beside<'_>], group: &[usize], is_one_way: bool) -> Vec<usize> {
    let record = |flow: &usize| flows.get(*flow)?.judged.findings.path.record.as_ref();
    let records: Vec<&Record> = group.iter().filter_map(record).collect();
    let Some(joint) = path::join(&records, is_one_way) else { return Vec::new() };
    let mut explained = Vec::new();
    for (place, share) in group.iter().zip(&joint.shares) {
        let Some(flow) = flows.get_mut(*place) else { continue };
        let Some(share) = share else { continue };
        if flow.judged.findings.path.share(&joint, *share) {
            let Along { path, what_if, verdict } = flow.judged.path();
            (flow.report.path, flow.report.what_if) = (path, what_if);
            flow.report.verdict = verdict;
            explained.push(*place);
        }
    }
    explained
}

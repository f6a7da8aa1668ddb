//! The report that comes of a run and its connections.

use super::notes;
use super::run::Run;
use crate::capture::Summary;
use crate::flow::TableCounts;
use crate::model::{Damage, FlowReport, Input, InputFilter, Peer, Report, SkippedCount};
use crate::series::Listener;
use crate::shards::Shards;
use crate::verdict::hear;
use crate::wire::{Endpoint, Skip};

impl Run {
    pub(super) fn into_report<S: Listener>(self, summary: &Summary, shards: Shards<S>) -> Report {
        let (kept, counts) = shards.finish();
        let notes = notes::of(&self, summary, counts, &kept);
        let named = |(scope, mut flow): (_, Box<FlowReport>)| {
            let [src, dst] = [&flow.src, &flow.dst].map(endpoint);
            if let Some(told) = self.decoder.too_big(scope, src, dst) {
                let time = told.first.1.since(self.start.unwrap_or_default());
                hear(&mut flow, told, time.as_secs_f64());
            }
            let scope = self.decoder.scope_name(scope).map(str::to_owned);
            FlowReport { scope, ..*flow }
        };
        let flows = kept.reports.into_iter().map(named).collect();
        Report::new(self.input(summary, counts), flows, notes)
    }

    fn input(&self, summary: &Summary, counts: TableCounts) -> Input {
        let tally = summary.tally();
        let skipped = |(reason, packets): (&Skip, &u64)| SkippedCount {
            reason: reason.code().to_owned(),
            packets: *packets,
        };
        let duration = tally.first_time.zip(tally.last_time).map(|(first, last)| last.since(first));
        Input {
            files: summary.files.iter().map(|file| file.name.clone()).collect(),
            format: summary.files.first().map(|file| file.format.name().to_owned()),
            link_types: tally.link_types.iter().map(|link_type| link_type.name()).collect(),
            packets: tally.packets,
            filter: filter(summary),
            tcp_packets: self.tcp_packets,
            skipped: self.skipped.iter().map(skipped).collect(),
            connections: counts.connections,
            connections_dropped: notes::dropped(counts),
            capture_drops: tally.capture_drops,
            snapped_packets: tally.packets_snapped,
            damage: damage(summary),
            first_packet_utc: tally.first_time.map(|time| time.to_string()),
            duration_s: duration.unwrap_or_default().as_secs_f64(),
        }
    }
}

fn endpoint(peer: &Peer) -> Endpoint {
    Endpoint { addr: peer.ip, port: peer.port }
}

/// What a filter did.
fn filter(summary: &Summary) -> Option<InputFilter> {
    summary.filter.as_ref().map(|filter| InputFilter {
        expression: filter.expression.clone(),
        packets_passed: filter.packets_passed,
        packets_left_out: filter.packets_left_out,
    })
}

/// The last place at which a file was damaged.
fn damage(summary: &Summary) -> Option<Damage> {
    let damage = summary.files.iter().flat_map(|file| &file.damage).next_back()?;
    Some(Damage {
        file: damage.file.clone(),
        offset_bytes: damage.offset,
        packets_before: damage.packets_before,
        what: damage.kind.to_string(),
    })
}

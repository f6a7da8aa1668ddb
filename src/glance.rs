//! Which flows are the largest, and what limits them now? Asked of an analysis while it runs, by a
//! display; the analysis answers at its next packet.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::flow::{FlowTable, Ongoing};
use crate::listeners::Followed;
use crate::model::{Glance, GlanceFlow, Peer};
use crate::series::Listener;
use crate::units::{Duration, FrameNumber, Timestamp};
use crate::wire::Endpoint;

/// A window into a running analysis (see [`Config::watch`](crate::Config)).
#[derive(Debug, Default)]
pub struct Watch {
    is_wanted: AtomicBool,
    glance: Mutex<Option<Glance>>,
}

impl Watch {
    /// Asks for a glance.
    pub fn ask(&self) {
        self.is_wanted.store(true, Ordering::Relaxed);
    }

    /// The latest one; `None` if there was none since the last call.
    pub fn take(&self) -> Option<Glance> {
        self.glance.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether one is asked for; it counts as answered then.
    #[inline]
    pub(crate) fn is_asked(&self) -> bool {
        self.is_wanted.load(Ordering::Relaxed) && self.is_wanted.swap(false, Ordering::Relaxed)
    }

    pub(crate) fn answer(&self, glance: Glance) {
        *self.glance.lock().unwrap_or_else(PoisonError::into_inner) = Some(glance);
    }
}

/// What counts as now: as long as the display stays the same.
const NOW: Duration = Duration::from_secs(1);

/// When the question is answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    /// Time of the capture's first frame.
    pub(crate) start: Timestamp,
    pub(crate) now: Timestamp,
    /// Read so far.
    pub(crate) packets: u64,
}

/// The flows with the most payload, of all that are followed; `number_of` a connection by its first
/// frame.
pub(crate) fn of_flows<S: Listener>(
    tables: &[&FlowTable<Followed<S>>],
    moment: &Moment,
    number_of: &impl Fn(FrameNumber) -> u32,
) -> Glance {
    // Twice as many at a time: sorting half of them out costs a constant per flow.
    let room = Glance::FLOWS_MAX.saturating_mul(2);
    let mut largest: Vec<Ongoing<'_, Followed<S>>> = Vec::with_capacity(room);
    for table in tables {
        table.visit_ongoing(&mut |flow| {
            if largest.len() >= room {
                keep_largest(&mut largest);
            }
            largest.push(flow);
        });
    }
    keep_largest(&mut largest);
    Glance {
        time_s: moment.now.since(moment.start).as_secs_f64(),
        packets: moment.packets,
        connections: tables.iter().map(|table| table.connections()).sum(),
        flows: largest
            .iter()
            .map(|flow| glance_flow(flow, number_of(flow.first_frame), moment.now))
            .collect(),
    }
}

fn keep_largest<S: Listener>(flows: &mut Vec<Ongoing<'_, Followed<S>>>) {
    flows.sort_by_key(|flow| (Reverse(flow.payload_bytes), flow.first_frame));
    flows.truncate(Glance::FLOWS_MAX);
}

fn glance_flow<S: Listener>(
    flow: &Ongoing<'_, Followed<S>>,
    stream: u32,
    now: Timestamp,
) -> GlanceFlow {
    let peer = |end: Endpoint| Peer { ip: end.addr, port: end.port };
    let analysis = flow.consumer.and_then(|it| Some(it.consumer()?.consumer()));
    let copied = analysis.map_or(0, |analysis| analysis.recorded_twice().0);
    GlanceFlow {
        stream,
        src: peer(flow.src),
        dst: peer(flow.dst),
        payload_bytes: flow.payload_bytes.saturating_sub(copied),
        quiet_s: now.since(flow.last_time).as_secs_f64(),
        limit: analysis.and_then(|analysis| analysis.limit_over(NOW)),
    }
}

//! Flows written by several threads: each writes some flows at a time, and what the threads wrote is handed
//! on in the order of the flows, a few parts behind each other at most.

use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use serde::Serialize;
use serde::ser::{Error as _, SerializeSeq, SerializeStruct, Serializer};
use serde_json::ser::Formatter;

use super::layout::Layout;
use crate::model::{FlowReport, Report};

/// Flows that a thread writes at a time: some 50 kB.
const PART: usize = 4;

/// Fewer are written before threads would pay off.
const FLOWS_MIN: usize = 128;

/// More would wait for the one that hands on: it takes a tenth of the time.
const THREADS_MAX: usize = 8;

/// Parts of one thread that wait to be handed on.
const PARTS_WAITING: usize = 2;

/// Whether several threads are of use.
pub(super) fn is_long(report: &Report, threads: NonZeroUsize) -> bool {
    threads > NonZeroUsize::MIN && report.flows.len() >= FLOWS_MIN
}

/// A report, written as by its own [`Serialize`]; only to be written with an indented [`Layout`], as what
/// a document begins with.
pub(super) struct Document<'a> {
    pub(super) report: &'a Report,
    pub(super) threads: NonZeroUsize,
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { report, threads } = *self;
        let Report { schema, schema_version, tool_version, input, summary, flows, notes } = report;
        let mut document = serializer.serialize_struct("Report", 7)?;
        document.serialize_field("schema", schema)?;
        document.serialize_field("schema_version", schema_version)?;
        document.serialize_field("tool_version", tool_version)?;
        document.serialize_field("input", input)?;
        document.serialize_field("summary", summary)?;
        document.serialize_field("flows", &Flows { flows, threads })?;
        document.serialize_field("notes", notes)?;
        document.end()
    }
}

/// Elements of the document's array.
struct Flows<'a> {
    flows: &'a [FlowReport],
    threads: NonZeroUsize,
}

impl Flows<'_> {
    /// The document, and its array.
    const DEPTH: usize = 2;

    fn element(flow: &FlowReport, is_first: bool, text: &mut Vec<u8>) -> serde_json::Result<()> {
        let mut layout = Layout::at_depth(Self::DEPTH);
        if !is_first {
            layout.begin_array_value(text, false).map_err(serde_json::Error::custom)?;
        }
        flow.serialize(&mut serde_json::Serializer::with_formatter(text, layout))
    }
}

impl Serialize for Flows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut array = serializer.serialize_seq(Some(self.flows.len()))?;
        in_order(self.flows, self.threads, Self::element, |part| {
            array.serialize_element(&Written(part.map_err(S::Error::custom)?))
        })?;
        array.end()
    }
}

/// JSON already, for this place of the document.
struct Written(Vec<u8>);

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0) // As it is: see `Layout`.
    }
}

/// Calls `take` with what `write` wrote of each part of all flows, in order. `write` is told whether a flow
/// is the first one of its part.
pub(super) fn in_order<E>(
    flows: &[FlowReport],
    threads: NonZeroUsize,
    write: impl Fn(&FlowReport, bool, &mut Vec<u8>) -> serde_json::Result<()> + Sync,
    mut take: impl FnMut(serde_json::Result<Vec<u8>>) -> Result<(), E>,
) -> Result<(), E> {
    let threads = threads.get().min(THREADS_MAX);
    let write_part = |part: &[FlowReport], room: usize| {
        let mut text = Vec::with_capacity(room);
        for (number, flow) in part.iter().enumerate() {
            write(flow, number == 0, &mut text)?;
        }
        serde_json::Result::Ok(text)
    };
    let write_part = &write_part;
    thread::scope(|scope| {
        let spawn = |first: usize| {
            let (written, parts) = sync_channel(PARTS_WAITING);
            let write = move || {
                let mut room = 0; // As much as the longest part took.
                for part in flows.chunks(PART).skip(first).step_by(threads) {
                    let text = write_part(part, room);
                    room = text.as_ref().map_or(room, |text| room.max(text.len()));
                    // Nobody listens any more only where what is behind failed.
                    if written.send(text).is_err() {
                        return;
                    }
                }
            };
            thread::Builder::new().spawn_scoped(scope, write).ok().map(|_| parts)
        };
        let incoming: Vec<Option<Receiver<_>>> = (0..threads).map(spawn).collect();
        for (number, part) in flows.chunks(PART).enumerate() {
            let parts = number.checked_rem(threads).and_then(|first| incoming.get(first)?.as_ref());
            let text = match parts.map(Receiver::recv) {
                Some(Ok(text)) => text,
                // That one panicked, and ends the run when it is joined.
                Some(Err(_)) => return Ok(()),
                // The machine gave no thread.
                None => write_part(part, 0),
            };
            take(text)?;
        }
        Ok(())
    })
}

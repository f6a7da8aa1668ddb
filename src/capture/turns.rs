//! Whose frame is next? Files that overlap in time are read together, the earliest frame first, as
//! `mergecap` would put them into one: a tap writes a file for each direction, a fast recorder one
//! for each of its queues. The files of a rotation follow one another, and only one of them is open.

use std::collections::VecDeque;

use super::source::Source;
use super::{Reader, Summary};
use crate::units::Timestamp;

/// The files of a capture but for the one at hand.
#[derive(Default)]
pub(super) struct Turns {
    /// Not read yet, by the time of the first frame.
    waiting: VecDeque<(Option<Timestamp>, Source)>,
    /// Open, each with its next frame read ahead.
    held: Vec<Reader>,
    /// Of the last frame of the files that ended.
    ended: Timestamp,
}

impl Turns {
    /// Files open at a time: more than a tap or a recorder writes. Each has a block of its own, and
    /// maybe a decompressor; further ones wait for the end of one of these, and are then late.
    pub(super) const OPEN_MAX: usize = 16;

    pub(super) fn new(mut sources: Vec<(Option<Timestamp>, Source)>) -> Self {
        // A stable sort: where times tie or there are none, the order given holds.
        sources.sort_by_key(|(first_time, _)| *first_time);
        Self { waiting: sources.into(), ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.held.is_empty()
    }

    /// The files that are read in part.
    pub(super) fn held(&self) -> &[Reader] {
        &self.held
    }

    /// Takes back a file whose next frame is later than another's.
    pub(super) fn hold(&mut self, reader: Reader) {
        self.held.push(reader);
    }

    /// Notes the end of a file.
    pub(super) fn end(&mut self, reader: &Reader) {
        self.ended = self.ended.max(reader.time());
    }

    /// The file that has the earliest frame; `None` after the last.
    pub(super) fn next(&mut self, summary: &mut Summary) -> Option<Reader> {
        while let Some(source) = self.due() {
            self.open(source, summary);
        }
        let times = self.held.iter().map(Reader::time).enumerate();
        let (earliest, _) = times.min_by_key(|(_, time)| *time)?;
        Some(self.held.swap_remove(earliest))
    }

    /// The time of the earliest frame of these files: up to it, the one at hand has the turn.
    pub(super) fn until(&self) -> Timestamp {
        let is_room = self.held.len().saturating_add(1) < Self::OPEN_MAX;
        let waiting = self.waiting.front().filter(|_| is_room).and_then(|(time, _)| *time);
        let times = self.held.iter().map(Reader::time).chain(waiting);
        times.min().unwrap_or(Timestamp(u64::MAX))
    }

    /// A file that begins before any frame that is held.
    fn due(&mut self) -> Option<Source> {
        let (first_time, _) = self.waiting.front()?;
        let is_first = self.held.iter().all(|reader| *first_time < Some(reader.time()));
        let is_due = is_first && self.held.len() < Self::OPEN_MAX;
        if is_due { self.waiting.pop_front().map(|(_, source)| source) } else { None }
    }

    fn open(&mut self, source: Source, summary: &mut Summary) {
        let mut reader = match source.open() {
            Ok(reader) => reader,
            Err(error) => return summary.lost_files.push(error.to_string()),
        };
        match reader.next_time() {
            Some(time) => {
                summary.on_file(time, self.ended);
                self.held.push(reader);
            }
            None => summary.files.push(reader.summary()),
        }
    }
}

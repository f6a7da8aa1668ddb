//! Several files as one capture. The files of a rotation (`tcpdump -C`, `-G`) are read one after
//! another in the order of their first packets' times, whatever order they were named in.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::directory::{files_of, no_capture_in};
use super::filter::{Filter, Sieve};
use super::known::Known;
use super::source::{Source, open, probe};
use super::{Frame, Reader, Summary};
use crate::error::{Error, printable};
use crate::units::{FrameNumber, Timestamp};

/// All input of one report.
pub(crate) struct Capture {
    /// Still to be read, the earliest in front.
    waiting: VecDeque<Source>,
    current: Option<Reader>,
    /// Frames of the files before the current one.
    packets_before: u64,
    sieve: Option<Sieve>,
    summary: Summary,
}

impl Capture {
    /// Opens files, directories (their captures, by content, without their subdirectories) and
    /// `-`, standard input. No path at all is an error.
    ///
    /// # Errors
    /// If a file that was named cannot be read or is no capture, or a directory holds none. What
    /// else is in a directory is only noted in the summary.
    pub(crate) fn open(paths: &[PathBuf]) -> Result<Self, Error> {
        let mut capture = Self {
            waiting: VecDeque::new(),
            current: None,
            packets_before: 0,
            sieve: None,
            summary: Summary::default(),
        };
        if let [path] = paths {
            if !path.is_dir() {
                capture.current = Some(open(path)?);
                return Ok(capture);
            }
        }
        let mut sources = Vec::new();
        let mut known = Known::default();
        for path in paths {
            if let Some(again) = known.again(path) {
                capture.summary.pass_over(again);
            } else if path.is_dir() {
                sources.extend(capture.open_directory(path, &mut known)?);
            } else {
                sources.push(probe(path)?);
            }
        }
        // A stable sort: where times tie or there are none, the order given holds.
        sources.sort_by_key(|(first_time, _)| *first_time);
        capture.waiting = sources.into_iter().map(|(_, source)| source).collect();
        if capture.waiting.is_empty() { Err(Error::NoInput) } else { Ok(capture) }
    }

    fn open_directory(
        &mut self,
        directory: &Path,
        known: &mut Known,
    ) -> Result<Vec<(Option<Timestamp>, Source)>, Error> {
        let mut sources = Vec::new();
        let files = files_of(directory)?;
        let mut is_any_known = false;
        for file in &files {
            if let Some(again) = known.again(file) {
                is_any_known = true;
                self.summary.pass_over(again);
                continue;
            }
            match probe(file) {
                Ok(source) => sources.push(source),
                Err(error) => self.summary.pass_over(error.to_string()),
            }
        }
        if sources.is_empty() && !is_any_known {
            return Err(no_capture_in(directory, files.len()));
        }
        Ok(sources)
    }

    /// Reads one stream; `name` stands for it.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub(crate) fn of_stream(
        name: &str,
        input: impl io::Read + Send + 'static,
    ) -> Result<Self, Error> {
        Ok(Self {
            waiting: VecDeque::new(),
            current: Some(Reader::open(printable(name), input)?),
            packets_before: 0,
            sieve: None,
            summary: Summary::default(),
        })
    }

    /// Gives only frames that pass `filter`, if there is one, under the numbers that they have
    /// without it.
    /// Ends once `stop` is set, also where nothing passes.
    pub(crate) fn filtered(mut self, filter: Option<&Filter>, stop: &Arc<AtomicBool>) -> Self {
        self.sieve = filter.map(|filter| Sieve::new(filter.clone(), Arc::clone(stop)));
        self
    }

    /// The next frame; `None` after the last file.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "half of what it takes are calls: `read/pcap`")]
    pub(crate) fn next_frame(&mut self) -> Option<Frame<'_>> {
        let whole = match (&self.current, &self.sieve) {
            (Some(reader), None) => reader.whole(),
            _ => None,
        };
        let frame = if let Some(whole) = whole {
            self.current.as_mut()?.take_whole(whole)
        } else {
            self.advance()?;
            self.current.as_ref()?.frame()
        };
        let number = FrameNumber(self.packets_before.saturating_add(frame.number.0));
        Some(Frame { number, ..frame })
    }

    /// Moves to the next frame that is asked for; `None` after the last file.
    #[inline(never)]
    fn advance(&mut self) -> Option<()> {
        loop {
            while !self.current.as_mut().is_some_and(Reader::advance) {
                self.next_file()?;
            }
            let Some(sieve) = &mut self.sieve else { return Some(()) };
            if sieve.passes(&self.current.as_ref()?.frame()) {
                return Some(());
            }
            if sieve.is_stopped() {
                return None;
            }
        }
    }

    #[cold]
    fn next_file(&mut self) -> Option<()> {
        let source = self.waiting.pop_front()?;
        self.finish_file();
        match source {
            Source::Stream(reader) => self.current = Some(*reader),
            Source::File(path) => match open(&path) {
                Ok(reader) => self.current = Some(reader),
                Err(error) => self.summary.lost_files.push(error.to_string()),
            },
        }
        Some(())
    }

    fn finish_file(&mut self) {
        if let Some(reader) = self.current.take() {
            self.packets_before = self.packets_before.saturating_add(reader.packets());
            self.summary.files.push(reader.summary());
        }
    }

    /// What was read so far, the file at hand included.
    pub(crate) fn summary(&self) -> Summary {
        let mut summary = self.summary.clone();
        summary.files.extend(self.current.as_ref().map(Reader::summary));
        summary.filter = self.sieve.as_ref().map(|sieve| sieve.tally().clone());
        summary
    }
}

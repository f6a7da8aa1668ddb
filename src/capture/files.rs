//! Several files as one capture, in the order of their packets' times, whatever order they were named
//! in: those of a rotation (`tcpdump -C`, `-G`) one after another, those that overlap by turns.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::directory::{files_of, no_capture_in};
use super::filter::{Filter, Sieve};
use super::known::Known;
use super::source::{Source, open, probe};
use super::turns::Turns;
use super::{Frame, Reader, Summary};
use crate::error::{Error, printable};
use crate::units::Timestamp;

/// All input of one report.
pub(crate) struct Capture {
    /// Still to be read.
    turns: Turns,
    current: Option<Reader>,
    /// A later frame of the current file has to wait for those of another.
    until: Timestamp,
    /// Frames that other files gave before those of the current one; it may have given frames
    /// before theirs.
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
    /// else is in a directory is only noted in the summary, as is an empty file beside others: the newest of
    /// a rotation is, until its first packets are written.
    pub(crate) fn open(paths: &[PathBuf]) -> Result<Self, Error> {
        if let [path] = paths {
            if !path.is_dir() {
                return Ok(Self::of(Some(open(path)?)));
            }
        }
        let mut capture = Self::of(None);
        let (mut sources, mut empty) = (Vec::new(), Vec::new());
        let mut known = Known::default();
        for path in paths {
            if let Some(again) = known.again(path) {
                capture.summary.pass_over(again);
            } else if path.is_dir() {
                sources.extend(capture.open_directory(path, &mut known)?);
            } else {
                match probe(path) {
                    Err(error @ Error::Empty { .. }) => empty.push(error),
                    source => sources.push(source?),
                }
            }
        }
        capture.turns = Turns::new(sources);
        if capture.turns.is_empty() {
            return Err(empty.into_iter().next().unwrap_or(Error::NoInput));
        }
        for why in empty {
            capture.summary.pass_over(why.to_string());
        }
        Ok(capture)
    }

    fn of(current: Option<Reader>) -> Self {
        Self {
            turns: Turns::default(),
            current,
            until: Timestamp(u64::MAX),
            packets_before: 0,
            sieve: None,
            summary: Summary::default(),
        }
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
        Ok(Self::of(Some(Reader::open(printable(name), input)?)))
    }

    /// Gives only frames that pass `filter`, if there is one, under the numbers that they have
    /// without it.
    /// Ends once `stop` is set, also where nothing passes.
    pub(crate) fn filtered(mut self, filter: Option<&Filter>, stop: &Arc<AtomicBool>) -> Self {
        self.sieve = filter.map(|filter| Sieve::new(filter.clone(), Arc::clone(stop)));
        self
    }

    /// Gives each frame of the stream as soon as it is read, for those who watch: [`Reader::at_once`].
    pub(crate) fn at_once(mut self) -> Self {
        self.current.iter_mut().for_each(Reader::at_once);
        self
    }

    /// The next frame; `None` after the last file.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "half of what it takes are calls: `read/pcap`")]
    pub(crate) fn next_frame(&mut self) -> Option<Frame<'_>> {
        let whole = match (&self.current, &self.sieve) {
            (Some(reader), None) => reader.whole().filter(|it| it.stamp.time <= self.until),
            _ => None,
        };
        let frame = if let Some(whole) = whole {
            self.current.as_mut()?.take_whole(whole)
        } else {
            self.advance()?;
            self.current.as_ref()?.frame()
        };
        Some(Frame { number: frame.number.behind(self.packets_before), ..frame })
    }

    /// The next of the frames that were read already and have to wait for others: what is left after a
    /// stop; `None` after the last of them.
    pub(crate) fn next_waiting(&mut self) -> Option<Frame<'_>> {
        while self.current.as_mut()?.advance_waiting() {
            let frame = self.current.as_ref()?.frame();
            if self.sieve.as_mut().is_none_or(|sieve| sieve.passes(&frame)) {
                let frame = self.current.as_ref()?.frame();
                return Some(Frame { number: frame.number.behind(self.packets_before), ..frame });
            }
        }
        None
    }

    /// Moves to the next frame that is asked for; `None` after the last file.
    #[inline(never)]
    fn advance(&mut self) -> Option<()> {
        loop {
            let until = self.until;
            while !self.current.as_mut().is_some_and(|reader| reader.advance_until(until)) {
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

    /// Takes up the file that has the next frame.
    fn next_file(&mut self) -> Option<()> {
        self.put_back();
        let reader = self.turns.next(&mut self.summary)?;
        self.until = self.turns.until();
        self.packets_before = self.packets_before.saturating_sub(reader.packets());
        self.current = Some(reader);
        Some(())
    }

    /// Puts the current file aside, for later or for good.
    fn put_back(&mut self) {
        let Some(reader) = self.current.take() else { return };
        self.packets_before = self.packets_before.saturating_add(reader.packets());
        if reader.is_read_ahead() {
            self.turns.hold(reader);
        } else {
            self.turns.end(&reader);
            self.summary.files.push(reader.summary());
        }
    }

    /// What was read so far, of open files too.
    pub(crate) fn summary(&self) -> Summary {
        let mut summary = self.summary.clone();
        let open = self.current.iter().chain(self.turns.held());
        summary.files.extend(open.map(Reader::summary));
        summary.files.sort_by_key(|file| file.tally.first_time);
        summary.filter = self.sieve.as_ref().map(|sieve| sieve.tally().clone());
        summary
    }
}

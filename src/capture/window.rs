//! The stretch of the input that is in memory: one block, reused, filled by plain `read(2)`
//! (mapping the file was measured slower, and cannot read pipes). A record that is cut by the
//! block's end moves to its front before more is read, so each record lies in one piece.

use std::io::{self, ErrorKind, Read};

use super::ahead::read_ahead;
use super::input::Input;

/// Octets read at once: with what the analysis touches meanwhile they stay in a second-level cache of 512 KiB
/// (measured there: 1 MiB took 7 to 20 % more time with many flows, 32 KiB as much as this).
const BLOCK_LEN: usize = 1 << 17;
/// Octets after which a thread of its own that decompresses pays off: of half of them it took a million
/// instructions more than it saved (`.ci/instructions.py`).
const AHEAD_AFTER: u64 = 1 << 20;
/// The longest record or block that is read; libpcap's bound on a pcapng block. A longer claim is
/// taken as damage.
pub(super) const RECORD_LEN_MAX: usize = 16 << 20;

pub(super) struct Window {
    input: Input,
    block: Vec<u8>,
    /// The unread part of `block`.
    start: usize,
    end: usize,
    /// Stream offset of `block[0]`.
    block_offset: u64,
    /// Set at the end of the input, whether it ended well or failed.
    end_cause: Option<EndCause>,
    /// The input is to be read on a thread of its own once it proves long.
    reads_ahead: bool,
}

enum EndCause {
    Eof,
    Failed(io::Error),
}

impl Window {
    pub(super) fn new(input: Input) -> Self {
        Self {
            input,
            block: vec![0; BLOCK_LEN],
            start: 0,
            end: 0,
            block_offset: 0,
            end_cause: None,
            reads_ahead: false,
        }
    }

    /// Lets a thread of its own read the input, if that is long.
    pub(super) fn read_ahead(&mut self) {
        self.reads_ahead = true;
    }

    /// Octets held.
    #[cfg(test)]
    pub(super) fn memory(&self) -> usize {
        self.block.capacity()
    }

    /// What was read from the input and not consumed.
    #[inline]
    pub(super) fn unread(&self) -> &[u8] {
        self.held().unwrap_or_default()
    }

    /// The same; never `None`, but where that is one more way to give up it takes a branch less.
    #[inline]
    pub(super) fn held(&self) -> Option<&[u8]> {
        self.block.get(self.start..self.end)
    }

    /// Octets of a record that was consumed since the last [`Self::fill`].
    #[inline]
    pub(super) fn octets(&self, span: Span) -> &[u8] {
        let end = span.start.saturating_add(span.len);
        self.block.get(span.start..end).unwrap_or_default()
    }

    /// Takes the `len` octets behind the first `before`, and those; they must be there.
    #[inline]
    pub(super) fn take(&mut self, before: usize, len: usize) -> &[u8] {
        let unread = self.block.get(self.start..self.end);
        let behind = unread.and_then(|unread| unread.get(before..));
        let Some((taken, rest)) = behind.and_then(|behind| behind.split_at_checked(len)) else {
            return &[];
        };
        self.start = self.end.saturating_sub(rest.len());
        taken
    }

    /// Takes `record_len` octets off the unread part; gives the place of those `from` the record's
    /// start, `len` long, for [`Self::octets`].
    #[inline]
    pub(super) fn consume(&mut self, record_len: usize, from: usize, len: usize) -> Span {
        let span = Span { start: self.start.saturating_add(from), len };
        self.start = self.start.saturating_add(record_len).min(self.end);
        span
    }

    /// Stream offset of the first unread octet (after decompression).
    pub(super) fn offset(&self) -> u64 {
        self.block_offset.saturating_add(self.start as u64)
    }

    /// Reads until `needed` octets are unread; false if the input ends before. Never holds more
    /// than twice what the input really gave, whatever a length field claims.
    #[cold]
    pub(super) fn fill(&mut self, needed: usize) -> bool {
        if self.unread().len() >= needed {
            return true;
        }
        self.move_to_front();
        while self.end < needed {
            if self.end_cause.is_some() || needed > RECORD_LEN_MAX {
                return false;
            }
            if self.end == self.block.len() {
                let len = self.block.len().saturating_mul(2).min(RECORD_LEN_MAX);
                self.block.resize(len, 0);
            }
            self.read_some();
        }
        true
    }

    /// The same where the record at `kept` was consumed last, and is still needed: it may move.
    #[cold]
    pub(super) fn fill_behind(&mut self, kept: &mut Span, needed: usize) -> bool {
        let kept_len = self.start.saturating_sub(kept.start);
        self.start = kept.start;
        let is_there = self.fill(kept_len.saturating_add(needed));
        kept.start = self.start;
        self.start = self.start.saturating_add(kept_len).min(self.end);
        is_there
    }

    fn move_to_front(&mut self) {
        self.block.copy_within(self.start..self.end, 0);
        self.block_offset = self.offset();
        self.end = self.end.saturating_sub(self.start);
        self.start = 0;
    }

    fn read_some(&mut self) {
        if self.reads_ahead && self.block_offset >= AHEAD_AFTER {
            self.reads_ahead = false;
            let input = std::mem::replace(&mut self.input, Box::new(io::empty()));
            self.input = read_ahead(input);
        }
        let free = self.block.get_mut(self.end..).unwrap_or_default();
        match self.input.read(free) {
            Ok(0) => self.end_cause = Some(EndCause::Eof),
            Ok(len) => self.end = self.end.saturating_add(len).min(self.block.len()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => self.end_cause = Some(EndCause::Failed(error)),
        }
    }

    /// Why the input ended, if by a failure.
    pub(super) fn failure(&self) -> Option<&io::Error> {
        match &self.end_cause {
            Some(EndCause::Failed(error)) => Some(error),
            _ => None,
        }
    }

    /// The input with what was read put back in front.
    pub(super) fn into_input(mut self) -> Input {
        self.block.truncate(self.end);
        self.block.drain(..self.start);
        Box::new(io::Cursor::new(self.block).chain(self.input))
    }
}

/// A place in the window, valid until the next [`Window::fill`].
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    start: usize,
    len: usize,
}

impl Span {
    #[inline]
    pub(super) fn len(self) -> usize {
        self.len
    }
}

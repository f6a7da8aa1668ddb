//! Puts a document together: where lines break, how numbers look, what is escaped. A report of many flows
//! is millions of short lines, so each takes few steps, and what is behind is called once in a while.

use std::io::{self, Write};

use super::is_unprintable;
use super::keys::Keys;
use super::number::{six_decimals, six_digits, whole};

/// Octets handed on at a time.
const BLOCK: usize = 64 << 10;

/// A document in the making. To be flushed at the end: dropped, it forgets what it has gathered.
pub(super) struct Writer<'a> {
    gathered: Vec<u8>,
    out: &'a mut dyn Write,
    /// Open objects and arrays, where lines break; `None` to put all on one line.
    depth: Option<usize>,
    /// What was last opened has a part.
    has_part: bool,
    keys: Keys,
    is_in_key: bool,
    /// The key last written is that of a time in seconds, or of points with one.
    is_time: bool,
}

impl<'a> Writer<'a> {
    /// Everything on one line.
    pub(super) fn compact(out: &'a mut dyn Write) -> Self {
        let (has_part, is_in_key, is_time) = (false, false, false);
        let keys = Keys::default();
        Self { gathered: Vec::new(), out, depth: None, has_part, keys, is_in_key, is_time }
    }

    /// A line for each part, indented by a space for each level.
    pub(super) fn indented(out: &'a mut dyn Write) -> Self {
        Self { depth: Some(0), keys: Keys::remembered(), ..Self::compact(out) }
    }

    /// Hands on what is gathered. What is behind keeps its own time for that.
    #[cold]
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.gathered)?;
        self.gathered.clear();
        Ok(())
    }

    /// Ends the document.
    pub(super) fn end_line(&mut self) {
        self.gathered.push(b'\n');
    }

    #[inline]
    pub(super) fn open(&mut self, mark: u8) {
        self.depth = self.depth.map(|depth| depth.saturating_add(1));
        self.has_part = false;
        self.gathered.push(mark);
    }

    #[inline]
    pub(super) fn close(&mut self, mark: u8) {
        self.depth = self.depth.map(|depth| depth.saturating_sub(1));
        if self.has_part {
            self.break_line();
        }
        self.has_part = true;
        self.gathered.push(mark);
    }

    /// Before an element of an array, or a key.
    #[inline]
    pub(super) fn begin_part(&mut self) {
        if self.has_part {
            self.gathered.push(b',');
        }
        self.break_line();
    }

    /// After an element of an array, or a value.
    ///
    /// # Errors
    /// Those of what is behind.
    #[inline]
    pub(super) fn end_part(&mut self) -> io::Result<()> {
        self.has_part = true;
        if self.gathered.len() >= BLOCK { self.flush() } else { Ok(()) }
    }

    /// A key with all that stands before and behind it.
    #[inline]
    pub(super) fn key(&mut self, key: &'static str) {
        if self.has_part {
            self.gathered.push(b',');
        }
        if let Some((line, is_time)) = self.keys.find(key, self.depth) {
            self.is_time = is_time;
            self.gathered.extend_from_slice(line);
            return;
        }
        let start = self.gathered.len();
        self.break_line();
        self.is_in_key = true;
        self.text(key);
        self.end_key(start);
        let line = self.gathered.get(start..).unwrap_or_default();
        self.keys.keep(key, self.depth, (line, self.is_time));
    }

    /// The next text is a key. Gives its place.
    #[inline]
    pub(super) fn begin_key(&mut self) -> usize {
        self.begin_part();
        self.is_in_key = true;
        self.gathered.len()
    }

    /// Whether what was written since was a text.
    #[inline]
    pub(super) fn end_key(&mut self, place: usize) -> bool {
        let is_text = self.gathered.get(place) == Some(&b'"');
        self.is_in_key = false;
        let mark: &[u8] = if self.depth.is_some() { b": " } else { b":" };
        self.gathered.extend_from_slice(mark);
        is_text
    }

    #[inline]
    fn break_line(&mut self) {
        let Some(depth) = self.depth else { return };
        let len = depth.saturating_add(1);
        self.gathered.extend_from_slice(LINE.get(..len).unwrap_or(LINE));
        self.gathered.extend((LINE.len()..len).map(|_| b' '));
    }

    /// `null`, `true` or `false`.
    #[inline]
    pub(super) fn word(&mut self, word: &str) {
        self.gathered.extend_from_slice(word.as_bytes());
    }

    pub(super) fn integer(&mut self, is_negative: bool, digits: u64) {
        whole(is_negative, digits, &mut self.gathered);
    }

    /// `null` where it is none.
    pub(super) fn float(&mut self, value: f64) {
        if !value.is_finite() {
            self.word("null");
        } else if self.is_time {
            six_decimals(value, &mut self.gathered);
        } else {
            six_digits(value, &mut self.gathered);
        }
    }

    #[inline]
    pub(super) fn text(&mut self, text: &str) {
        if self.is_in_key {
            self.is_time = text.ends_with("_s") || text == "series";
        }
        self.gathered.push(b'"');
        // Without a way out in the middle: that goes through many octets at a time.
        if text.bytes().fold(true, |is_plain_so_far, octet| is_plain_so_far & is_plain(octet)) {
            self.gathered.extend_from_slice(text.as_bytes());
        } else {
            self.escaped(text);
        }
        self.gathered.push(b'"');
    }

    #[cold]
    fn escaped(&mut self, text: &str) {
        for c in text.chars() {
            let short = SHORT.iter().find(|(odd, _)| *odd == c).map(|(_, letter)| *letter);
            if let Some(letter) = short {
                self.gathered.extend_from_slice(&[b'\\', letter]);
            } else if is_unprintable(c) {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    self.gathered.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                }
            } else {
                self.gathered.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
}

/// As deep as reports go, and then some.
const LINE: &[u8] = b"\n                ";

/// What JSON has a letter for.
const SHORT: [(char, u8); 7] = [
    ('"', b'"'),
    ('\\', b'\\'),
    ('\u{8}', b'b'),
    ('\u{c}', b'f'),
    ('\n', b'n'),
    ('\r', b'r'),
    ('\t', b't'),
];

fn is_plain(octet: u8) -> bool {
    (b' '..0x7f).contains(&octet) && octet != b'"' && octet != b'\\'
}

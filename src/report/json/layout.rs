//! Where lines break, how numbers look, and what is escaped beyond JSON's own rule.

use std::io::{self, Write};

use serde_json::ser::Formatter;

use super::is_unprintable;
use super::number::{six_decimals, six_digits};

/// On one line, or indented by a space for each level.
pub(super) struct Layout {
    /// Open objects and arrays, where lines break.
    depth: Option<usize>,
    /// What was last opened or closed has a value.
    has_value: bool,
    is_in_key: bool,
    /// The key last written is that of a time in seconds, or of points with one.
    is_time: bool,
}

impl Layout {
    pub(super) fn compact() -> Self {
        Self { depth: None, has_value: false, is_in_key: false, is_time: false }
    }

    pub(super) fn indented() -> Self {
        Self { depth: Some(0), ..Self::compact() }
    }

    /// Inside of so many objects and arrays, of which the last has no value yet.
    pub(super) fn at_depth(depth: usize) -> Self {
        Self { depth: Some(depth), ..Self::compact() }
    }

    #[inline]
    fn open<W: ?Sized + Write>(&mut self, writer: &mut W, mark: &[u8]) -> io::Result<()> {
        self.depth = self.depth.map(|depth| depth.saturating_add(1));
        self.has_value = false;
        writer.write_all(mark)
    }

    #[inline]
    fn close<W: ?Sized + Write>(&mut self, writer: &mut W, mark: &[u8]) -> io::Result<()> {
        self.depth = self.depth.map(|depth| depth.saturating_sub(1));
        if self.has_value {
            self.new_line(writer)?;
        }
        self.has_value = true;
        writer.write_all(mark)
    }

    #[inline]
    fn new_line<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let Some(depth) = self.depth else { return Ok(()) };
        let len = depth.saturating_add(1);
        writer.write_all(LINE.get(..len).unwrap_or(LINE))?;
        (LINE.len()..len).try_for_each(|_| writer.write_all(b" "))
    }

    /// Before a key: all that stands there with its quotation mark, at once.
    #[inline]
    fn open_key<W: ?Sized + Write>(&mut self, writer: &mut W, is_first: bool) -> io::Result<()> {
        let comma = usize::from(is_first);
        let Some(depth) = self.depth else {
            return writer.write_all(b",\"".get(comma..).unwrap_or_default());
        };
        if let Some(line) = KEYS.get(depth) {
            return writer.write_all(line.get(comma..).unwrap_or_default());
        }
        if !is_first {
            writer.write_all(b",")?;
        }
        self.new_line(writer)?;
        writer.write_all(b"\"")
    }
}

/// As deep as reports go, and then some.
const LINE: &[u8] = b"\n                ";

/// What stands before a key, by how deep it is: most of a report is keys, and their marks came in calls of
/// their own.
const KEYS: [&[u8]; 10] = [
    b",\n\"",
    b",\n \"",
    b",\n  \"",
    b",\n   \"",
    b",\n    \"",
    b",\n     \"",
    b",\n      \"",
    b",\n       \"",
    b",\n        \"",
    b",\n         \"",
];

impl Formatter for Layout {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        if self.is_time { six_decimals(value, writer) } else { six_digits(value, writer) }
    }

    #[inline]
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if self.is_in_key {
            // The model's own names, plain all of them.
            self.is_time = fragment.ends_with("_s") || fragment == "series";
            return writer.write_all(fragment.as_bytes());
        }
        if !fragment.is_ascii() || fragment.contains('\x7f') {
            return write_escaped(fragment, writer);
        }
        writer.write_all(fragment.as_bytes())
    }

    /// No part of a report is octets: they are JSON that was written before, for this place.
    fn write_byte_array<W: ?Sized + Write>(&mut self, w: &mut W, json: &[u8]) -> io::Result<()> {
        w.write_all(json)
    }

    #[inline]
    fn begin_object_key<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        self.is_in_key = true;
        self.open_key(w, first)
    }

    #[inline]
    fn begin_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if self.is_in_key { Ok(()) } else { writer.write_all(b"\"") }
    }

    #[inline]
    fn end_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        match (self.is_in_key, self.depth) {
            (false, _) => writer.write_all(b"\""),
            (true, Some(_)) => writer.write_all(b"\": "),
            (true, None) => writer.write_all(b"\":"),
        }
    }

    #[inline]
    fn end_object_key<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_in_key = false;
        Ok(())
    }

    /// The colon stands behind the key already.
    #[inline]
    fn begin_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        Ok(())
    }

    #[inline]
    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    #[inline]
    fn begin_array_value<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        if !first {
            w.write_all(b",")?;
        }
        self.new_line(w)
    }

    #[inline]
    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.open(w, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.close(w, b"]")
    }

    fn begin_object<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.open(w, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, w: &mut W) -> io::Result<()> {
        self.close(w, b"}")
    }
}

/// Not for what JSON itself has escaped: quotes, backslashes and what is below U+0020.
fn write_escaped<W: ?Sized + Write>(text: &str, writer: &mut W) -> io::Result<()> {
    let mut plain = text;
    while let Some((at, odd)) = plain.char_indices().find(|(_, c)| is_unprintable(*c)) {
        let (before, rest) = plain.split_at_checked(at).unwrap_or((plain, ""));
        writer.write_all(before.as_bytes())?;
        let mut units = [0; 2];
        for unit in odd.encode_utf16(&mut units) {
            write!(writer, "\\u{unit:04x}")?;
        }
        plain = rest.strip_prefix(odd).unwrap_or_default();
    }
    writer.write_all(plain.as_bytes())
}

//! A page of text: lines wrapped at its width, colour where it may be, nothing from a capture raw.

use std::io::{self, Write};

use anstyle::Style;

use super::json::is_unprintable;

/// Longest name taken from a capture or a command line, in characters.
const NAME_MAX: usize = 256;
/// Prose is not set wider, however wide the terminal is.
const PROSE_MAX: usize = 100;
/// Nor narrower: the columns of a table need as much.
const WIDTH_MIN: usize = 40;

pub(super) struct Page<'a> {
    out: &'a mut dyn Write,
    width: usize,
    has_color: bool,
}

impl<'a> Page<'a> {
    pub(super) fn new(out: &'a mut dyn Write, width: usize, has_color: bool) -> Self {
        Self { out, width: width.clamp(WIDTH_MIN, PROSE_MAX), has_color }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// `text` in `style`, or plain where there is no colour.
    pub(super) fn paint(&self, style: Style, text: &str) -> String {
        if self.has_color { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// One line as it is.
    pub(super) fn line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{}", line.trim_end())
    }

    /// `left`, and `right` at the right edge; beneath it where both do not fit.
    pub(super) fn ends(&mut self, left: &str, right: &str, style: Style) -> io::Result<()> {
        let used = columns(left).saturating_add(columns(right));
        let painted = self.paint(style, left);
        match self.width.checked_sub(used) {
            Some(gap) if gap >= 2 || right.is_empty() => {
                writeln!(self.out, "{}", format!("{painted}{:gap$}{right}", "").trim_end())
            }
            _ => {
                let indent = left.chars().take_while(|c| *c == ' ').count();
                for (number, line) in wrap(left, self.width.saturating_sub(4)).iter().enumerate() {
                    let indent = if number == 0 { indent } else { indent.saturating_add(2) };
                    let painted = self.paint(style, line);
                    writeln!(self.out, "{:indent$}{painted}", "")?;
                }
                if !right.is_empty() {
                    writeln!(self.out, "{:1$}{right}", "", indent.saturating_add(2))?;
                }
                Ok(())
            }
        }
    }

    /// A paragraph: `label` on the first line, the text beside it, wrapped.
    pub(super) fn field(&mut self, label: &str, text: &str) -> io::Result<()> {
        let indent = columns(label);
        let room = self.width.saturating_sub(indent).max(20);
        let text = clean(text);
        let mut label = label.to_owned();
        for line in wrap(&text, room) {
            writeln!(self.out, "{}", format!("{label}{line}").trim_end())?;
            label = " ".repeat(indent);
        }
        Ok(())
    }
}

/// Columns on a terminal; the texts hold no wide characters but what a file is named.
pub(super) fn columns(text: &str) -> usize {
    text.chars().count()
}

/// `text` with everything that a terminal might obey written as an escape.
pub(super) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unprintable(c) {
            cleaned.extend(c.escape_unicode());
        } else {
            cleaned.push(c);
        }
    }
    cleaned
}

/// A name from outside: clean, and not endless.
pub(super) fn name(text: &str) -> String {
    let mut name = clean(text);
    if let Some((end, _)) = name.char_indices().nth(NAME_MAX) {
        name.truncate(end);
        name.push('…');
    }
    name
}

/// `text` in lines for a terminal of so many columns, as wide as prose is set there.
#[must_use]
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    wrap(text, width.clamp(WIDTH_MIN, PROSE_MAX))
}

/// Lines of at most `width` columns. A number stays with its unit and its thousands; a word that
/// is longer than a line (a command to copy) is left whole.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in glued_words(text) {
        let needed = columns(&line).saturating_add(1).saturating_add(columns(&word));
        if !line.is_empty() && needed > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    lines.push(line);
    lines
}

fn glued_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match words.last_mut() {
            Some(last) if is_unit_after(last, word) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// Whether `word` is the unit, or the next three digits, of the number that ends `last`, or what is counted
/// `12 ×`.
fn is_unit_after(last: &str, word: &str) -> bool {
    const UNITS: [&str; 9] = ["%", "s", "ms", "µs", "min", "h", "B", "bit/s", "byte"];
    if word == "×" || last.ends_with(" ×") {
        return last.chars().next().is_some_and(|c| c.is_ascii_digit());
    }
    let bare = word.trim_end_matches([',', '.', ';', ':', ')', '?']);
    let is_prefixed =
        |unit: &str| bare.strip_prefix(['k', 'M', 'G', 'T', 'P']).is_some_and(|rest| rest == unit);
    let is_unit = UNITS.contains(&bare) || is_prefixed("B") || is_prefixed("bit/s");
    let is_thousands = bare.len() == 3 && bare.bytes().all(|b| b.is_ascii_digit());
    last.ends_with(|c: char| c.is_ascii_digit()) && (is_unit || is_thousands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stays_with_its_unit() {
        let text = "window (3.14 MB) for 20.4 s of 812 345 packets";
        let lines = wrap(text, 12);
        assert_eq!(lines, ["window", "(3.14 MB)", "for 20.4 s", "of 812 345", "packets"]);
        assert_eq!(wrap("by: 12 × an ACK", 7), ["by:", "12 × an", "ACK"]);
    }

    #[test]
    fn a_long_word_is_left_whole() {
        assert_eq!(
            wrap("run tcpdump-with-all-its-options now", 10),
            ["run", "tcpdump-with-all-its-options", "now"]
        );
        assert_eq!(wrap("", 10), [""]);
    }

    #[test]
    fn a_name_is_printable_and_bounded() {
        assert_eq!(name("a\u{1b}[2Jb\n\u{202e}"), "a\\u{1b}[2Jb\\u{a}\\u{202e}");
        assert_eq!(name(&"ü".repeat(300)).chars().count(), NAME_MAX + 1);
    }

    #[test]
    fn what_does_not_fit_beside_goes_beneath() {
        let mut out = Vec::new();
        let mut page = Page::new(&mut out, 40, false);
        page.ends("left", "right", Style::new()).unwrap();
        page.ends(&"l".repeat(38), "right", Style::new()).unwrap();
        page.ends("  a-left-part-that-is longer-than-the-page", "right", Style::new()).unwrap();
        let text = String::from_utf8(out).unwrap();
        let beneath = "  a-left-part-that-is\n    longer-than-the-page\n    right\n";
        let expected =
            format!("left{}right\n{}\n  right\n{beneath}", " ".repeat(31), "l".repeat(38));
        assert_eq!(text, expected);
    }
}

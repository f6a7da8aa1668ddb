//! The report as one page for a browser: the JSON document, a template, a script that shows it.
//!
//! The page fetches nothing and may run nothing but the two scripts whose digests stand in its
//! policy (Content Security Policy, level 3, section 6.7.3). What a capture or a command line named
//! reaches it in two ways only: as JSON whose `<` are escaped, and as text with HTML's four special
//! characters escaped. Where scripts are off, it shows the text report.

mod extent;
mod words;

use std::io::{self, Write};

pub use extent::fit_to_page;

use super::page::name;
use super::select::Selection;
use super::{TextOptions, json, text};
use crate::model::Report;

const TEMPLATE: &str = include_str!("page/page.html");
/// Its digests are those of the assets below; a test holds them to it.
const POLICY: &str = include_str!("page/policy.txt");

/// Style sheets and scripts, as they stand between their tags.
const STYLE: &[&str] = &[include_str!("page/page.css")];
const PLOT_STYLE: &[&str] = &[include_str!("uplot.min.css")];
const PLOT: &[&str] =
    &["/*\n", include_str!("uplot.LICENSE"), "\n*/\n", include_str!("uplot.min.js")];
const SCRIPT: &[&str] = &[
    "\"use strict\";\n",
    include_str!("page/dom.js"),
    include_str!("page/figures.js"),
    include_str!("page/summary.js"),
    include_str!("page/table.js"),
    include_str!("page/verdict.js"),
    include_str!("page/view.js"),
    include_str!("page/panels.js"),
    include_str!("page/band.js"),
    include_str!("page/series.js"),
    include_str!("page/sequence.js"),
    include_str!("page/timeline.js"),
    include_str!("page/evidence.js"),
    include_str!("page/others.js"),
    include_str!("page/flow.js"),
    include_str!("page/page.js"),
];

/// What the page says of its own extent.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HtmlOptions {
    /// Flows that were left out of the report for the page's sake ([`fit_to_page`]).
    pub flows_left_out: u64,
}

pub(super) fn write(
    report: &Report,
    selection: &Selection,
    options: HtmlOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut rest = TEMPLATE;
    while let Some((before, (place, after))) =
        rest.split_once("{{").and_then(|(before, rest)| Some((before, rest.split_once("}}")?)))
    {
        out.write_all(before.as_bytes())?;
        match place {
            "policy" => out.write_all(POLICY.trim_end().as_bytes())?,
            "version" => write!(Escaped(out), "{}", report.tool_version)?,
            "title" => write!(Escaped(out), "{}", title(report))?,
            "style" => write_parts(STYLE, out)?,
            "uplot-style" => write_parts(PLOT_STYLE, out)?,
            "uplot" => write_parts(PLOT, out)?,
            "script" => write_parts(SCRIPT, out)?,
            "text" => text::write(report, selection, TextOptions::default(), &mut Escaped(out))?,
            "report" => json::write_compact(report, &mut InScript(out))?,
            "words" => json::write_compact(&words::of(report, options), &mut InScript(out))?,
            _ => {}
        }
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

fn write_parts(parts: &[&str], out: &mut dyn Write) -> io::Result<()> {
    parts.iter().try_for_each(|part| out.write_all(part.as_bytes()))
}

/// The first file's name, and how many follow it.
fn title(report: &Report) -> String {
    match report.input.files.as_slice() {
        [] => "no file".to_owned(),
        [file] => name(file),
        [first, rest @ ..] => format!("{} and {} more", name(first), rest.len()),
    }
}

/// Text that stays text between tags and inside a quoted attribute.
struct Escaped<'a>(&'a mut dyn Write);

impl Write for Escaped<'_> {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        replace(octets, self.0, |octet| match octet {
            b'&' => Some("&amp;"),
            b'<' => Some("&lt;"),
            b'>' => Some("&gt;"),
            b'"' => Some("&quot;"),
            _ => None,
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// JSON that cannot end the element it stands in, nor open a comment there: `<` occurs in its
/// strings only, where an escape says the same.
struct InScript<'a>(&'a mut dyn Write);

impl Write for InScript<'_> {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        replace(octets, self.0, |octet| (octet == b'<').then_some("\\u003c"))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes all of `octets`, some of them as something else. ASCII alone is replaced, so that no
/// character of several octets is torn.
fn replace(
    octets: &[u8],
    out: &mut dyn Write,
    substitute: impl Fn(u8) -> Option<&'static str>,
) -> io::Result<usize> {
    let mut rest = octets;
    while let Some(at) = rest.iter().position(|octet| substitute(*octet).is_some()) {
        let (plain, special) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        out.write_all(plain)?;
        if let Some((octet, after)) = special.split_first() {
            out.write_all(substitute(*octet).unwrap_or_default().as_bytes())?;
            rest = after;
        }
    }
    out.write_all(rest)?;
    Ok(octets.len())
}

#[cfg(test)]
mod tests;

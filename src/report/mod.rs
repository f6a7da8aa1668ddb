//! How does a reader see it? Takes a [`Report`](crate::model::Report), gives octets. It computes nothing.
//!
//! An output is a file of its own and a variant of [`Format`].

mod csv;
mod glance;
mod html;
mod json;
mod markup;
mod page;
mod plot;
mod select;
mod strip;
mod table;
mod text;
mod words;

use std::io::{self, Write};
use std::num::NonZeroUsize;

pub use glance::{glance_head, glance_lines};
pub use html::{HtmlOptions, fit_to_page};
pub use json::{Failure, JsonDocument, Outcome};
pub use markup::escaped;
pub use page::wrapped;
pub use plot::{PlotFormat, PlotKind, PlotOptions, Theme, write_plot};
pub use select::{Selection, Sort};
pub use text::{TextOptions, write_explanation};

/// The forms in which a report can be had.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// For a reader at a terminal.
    Text(TextOptions),
    /// One JSON document.
    Json,
    /// One JSON document per line, a flow each.
    JsonLines,
    /// A header, and a row of comma-separated values per flow.
    Csv,
    /// One page for a browser.
    Html(HtmlOptions),
}

/// Writes one outcome; its report was cut down to `selection` before ([`Selection::apply`]). A
/// failure has neither text nor page: its message is for standard error.
///
/// # Errors
/// Those of `out`.
pub fn write(
    outcome: &Outcome,
    selection: &Selection,
    format: &Format,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_on(NonZeroUsize::MIN, outcome, selection, format, out)
}

/// Writes the same octets, put together by so many threads where there is much to write.
///
/// # Errors
/// Those of `out`.
pub fn write_on(
    threads: NonZeroUsize,
    outcome: &Outcome,
    selection: &Selection,
    format: &Format,
    out: &mut dyn Write,
) -> io::Result<()> {
    match (format, outcome) {
        (Format::Text(options), Outcome::Report(report)) => {
            text::write(report, selection, *options, out)
        }
        (Format::Html(options), Outcome::Report(report)) => {
            html::write(report, selection, *options, out)
        }
        (Format::Text(_) | Format::Html(_), Outcome::Failure(_)) => Ok(()),
        (Format::Json, outcome) => json::write(outcome, threads, out),
        (Format::JsonLines, outcome) => json::write_lines(outcome, threads, out),
        (Format::Csv, outcome) => {
            csv::write_header(out)?;
            csv::write(outcome, out)
        }
    }
}

/// Writes the outcomes of several inputs as they come, as one document where the format has such.
/// Takes no further outcome once `out` fails.
///
/// # Errors
/// Those of `out`.
pub fn write_all(
    outcomes: &mut dyn Iterator<Item = Outcome>,
    selection: &Selection,
    format: &Format,
    out: &mut dyn Write,
) -> io::Result<()> {
    if *format == Format::Json {
        return json::write_list(outcomes, out);
    }
    if *format == Format::Csv {
        csv::write_header(out)?;
        for outcome in outcomes {
            csv::write(&outcome, out)?;
            out.flush()?;
        }
        return Ok(());
    }
    let mut is_first = true;
    for outcome in outcomes {
        let has_text = matches!((format, &outcome), (Format::Text(_), Outcome::Report(_)));
        if has_text && !std::mem::take(&mut is_first) {
            writeln!(out)?;
        }
        write(&outcome, selection, format, out)?;
        out.flush()?;
    }
    Ok(())
}

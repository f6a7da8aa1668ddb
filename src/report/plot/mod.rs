//! A flow over time: drawn as SVG or PNG, or written for programs that draw. It takes the flow's
//! [`Series`](crate::model::Series) and its verdict as they are, and computes nothing but places on
//! the page.
//!
//! `page` lays panels out one below the other on one time axis; each panel is a file. Panels give
//! shapes (`shape`), which `render` alone turns into an image.

#[cfg(feature = "plot")]
mod events;
#[cfg(feature = "plot")]
mod foot;
#[cfg(feature = "plot")]
mod letters;
#[cfg(feature = "plot")]
mod lines;
#[cfg(feature = "plot")]
mod page;
#[cfg(feature = "plot")]
mod panel;
#[cfg(feature = "plot")]
mod render;
#[cfg(feature = "plot")]
mod scale;
#[cfg(feature = "plot")]
mod sequence;
#[cfg(feature = "plot")]
mod shape;
#[cfg(feature = "plot")]
mod sheet;
#[cfg(feature = "plot")]
mod states;
#[cfg(all(test, feature = "plot", feature = "zstd"))]
mod tests;
#[cfg(feature = "plot")]
mod theme;
mod trace_events;
mod xpl;

use std::io::{self, Write};

use crate::model::{FlowReport, Report};

/// What to draw, and how large.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PlotOptions {
    /// Which panels.
    pub kind: PlotKind,
    /// Left edge, seconds from the flow's start; by default its start.
    pub from_s: Option<f64>,
    /// Right edge; by default the connection's end.
    pub to_s: Option<f64>,
    /// Width and height in pixels; see [`PlotOptions::SIZE_MIN`] and [`PlotOptions::SIZE_MAX`].
    pub size: (u32, u32),
    /// Colours.
    pub theme: Theme,
}

impl PlotOptions {
    /// Below this labels overlap.
    pub const SIZE_MIN: (u32, u32) = (480, 400);
    /// An image of this size takes 75 MB while it is drawn.
    pub const SIZE_MAX: (u32, u32) = (5000, 5000);
}

impl Default for PlotOptions {
    fn default() -> Self {
        let kind = PlotKind::Timeline;
        Self { kind, from_s: None, to_s: None, size: (1200, 900), theme: Theme::Light }
    }
}

/// The colours of a plot.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Theme {
    /// On white.
    #[default]
    Light,
    /// On dark blue-grey.
    Dark,
}

/// Which panels a plot has.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlotKind {
    /// All but the time-sequence graph.
    #[default]
    Timeline,
    /// The time-sequence graph.
    Sequence,
    /// Round-trip times.
    Rtt,
    /// What was in flight, and the windows around it.
    Window,
    /// Goodput and wire rate.
    Rate,
}

/// How a plot is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlotFormat {
    /// Scalable vector graphics.
    Svg,
    /// Portable network graphics.
    Png,
    /// The time-sequence graph for xplot and jPlot, in tcptrace's colours.
    Xpl,
    /// Trace events in JSON, for Perfetto and `chrome://tracing`.
    TraceEvents,
}

/// Writes a flow's plot. `flow` needs its series ([`Config::series`](crate::Config::series)); without
/// them there is nothing but the verdict to show.
///
/// # Errors
/// Those of `out`, and [`io::ErrorKind::Unsupported`] for an image where the program was built
/// without the feature `plot`.
pub fn write_plot(
    report: &Report,
    flow: &FlowReport,
    (options, format): (&PlotOptions, PlotFormat),
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        PlotFormat::Svg | PlotFormat::Png => write_image(report, flow, (options, format), out),
        PlotFormat::Xpl => xpl::write(flow, out),
        PlotFormat::TraceEvents => trace_events::write(flow, out),
    }
}

#[cfg(feature = "plot")]
fn write_image(
    report: &Report,
    flow: &FlowReport,
    (options, format): (&PlotOptions, PlotFormat),
    out: &mut dyn Write,
) -> io::Result<()> {
    let (min, max) = (PlotOptions::SIZE_MIN, PlotOptions::SIZE_MAX);
    let size = (options.size.0.clamp(min.0, max.0), options.size.1.clamp(min.1, max.1));
    let drawing = page::draw(report, flow, &PlotOptions { size, ..options.clone() });
    if format == PlotFormat::Png {
        return out.write_all(&render::png(&drawing, size)?);
    }
    let texts = (page::title(flow), page::description(flow));
    out.write_all(render::svg(&drawing, size, (&texts.0, &texts.1))?.as_bytes())
}

#[cfg(not(feature = "plot"))]
fn write_image(
    _: &Report,
    _: &FlowReport,
    _: (&PlotOptions, PlotFormat),
    _: &mut dyn Write,
) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "built without the feature plot"))
}

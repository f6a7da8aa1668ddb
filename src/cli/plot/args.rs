//! What `tcplimit plot` can be told, and what follows for the analysis and the picture.

use std::io::{self, IsTerminal as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use tcplimit::SeriesWanted;
use tcplimit::report::{PlotFormat, PlotKind, PlotOptions, Theme};

use crate::cli::explain::time;
use crate::cli::filter::FilterOption;
use crate::cli::resources::ResourceOptions;
use crate::cli::values::{some, stream};
use crate::cli::vantage::VantageOption;

const EXAMPLES: &str = "\
Examples:
  tcplimit plot trace.pcap -o flow.svg                 the largest flow
  tcplimit plot trace.pcap --flow 3 --kind seq -o seq.png
  tcplimit plot trace.pcap --flow 3 --from 1.5 --to 2 -o detail.svg
  tcplimit plot trace.pcap --all --top 20 -o plots     a file per flow in the directory plots
  tcplimit plot trace.pcap -o flow.trace.json          for https://ui.perfetto.dev
  tcplimit plot trace.pcap -o flow.xpl                 for xplot or jPlot";

/// Draw a flow over time
///
/// Panels on one time axis: what limited when; goodput and wire rate; what was in flight, with the
/// windows around it; round-trip times; losses and stalls. The format follows from the file's name:
/// .svg, .png, .xpl (time-sequence graph for xplot) or .trace.json (trace events for Perfetto).
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Args {
    /// Capture files, directories of them, or - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,

    /// The file to write (- for standard output), or with --all the directory
    #[arg(short, long, value_name = "PATH")]
    pub(super) output: PathBuf,

    /// The connection: its number as Wireshark's tcp.stream; by default the largest
    #[arg(long, value_name = "N", conflicts_with = "all", value_parser = stream)]
    pub(super) flow: Option<u32>,

    /// The direction that carried less
    #[arg(long, conflicts_with = "all")]
    pub(super) reverse: bool,

    /// A file for each of the largest flows
    #[arg(long)]
    pub(super) all: bool,

    /// How many flows with --all
    #[arg(long, value_name = "N", default_value = "10", requires = "all", value_parser = some::<NonZeroUsize>)]
    pub(super) top: NonZeroUsize,

    #[command(flatten)]
    pub(super) filter: FilterOption,

    #[command(flatten)]
    pub(super) vantage: VantageOption,

    #[command(flatten)]
    pub(super) resources: ResourceOptions,

    /// Which panels of an image [default: timeline]
    #[arg(long, value_name = "KIND")]
    pub(super) kind: Option<KindName>,

    /// The format, where the file's name does not tell
    #[arg(long, value_name = "FORMAT")]
    pub(super) format: Option<FormatName>,

    /// Left edge, in seconds from the flow's start
    #[arg(long, value_name = "SECONDS", value_parser = time, allow_negative_numbers = true)]
    pub(super) from: Option<f64>,

    /// Right edge
    #[arg(long, value_name = "SECONDS", value_parser = time, allow_negative_numbers = true)]
    pub(super) to: Option<f64>,

    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "1200x900", value_parser = size)]
    pub(super) size: (u32, u32),

    /// Colours
    #[arg(long, value_name = "NAME", default_value = "light")]
    pub(super) theme: ThemeName,

    /// No progress, no warnings on standard error
    #[arg(short, long)]
    pub(super) quiet: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum KindName {
    /// Limits, rates, windows, round-trip times, losses
    Timeline,
    /// Time-sequence graph: segments, ACKs, SACK, the window's edge
    Seq,
    /// Round-trip times
    Rtt,
    /// What was in flight, and the windows around it
    Window,
    /// Goodput and wire rate
    Rate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatName {
    /// Scalable vector graphics
    Svg,
    /// Portable network graphics
    Png,
    /// Time-sequence graph for xplot
    Xpl,
    /// Trace events for Perfetto
    Perfetto,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ThemeName {
    /// On white
    Light,
    /// On dark
    Dark,
}

impl FormatName {
    const ALL: [(Self, &str); 4] = [
        (Self::Svg, ".svg"),
        (Self::Png, ".png"),
        (Self::Xpl, ".xpl"),
        (Self::Perfetto, ".trace.json"),
    ];

    /// `None` for a name that ends in no known way.
    fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        let found = Self::ALL.iter().find(|(_, end)| name.ends_with(end));
        found.map(|(format, _)| *format)
    }

    pub(super) fn end(self) -> &'static str {
        Self::ALL.iter().find(|(format, _)| *format == self).map_or("", |(_, end)| *end)
    }

    /// As `--format` takes it.
    fn name(self) -> String {
        let value = self.to_possible_value();
        value.map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// What there is in a file of this format whatever panels are asked for, unless these are what it holds.
    fn fixed(self, kind: KindName) -> Option<&'static str> {
        match (self, kind) {
            (Self::Svg | Self::Png, _) | (Self::Xpl, KindName::Seq) => None,
            (Self::Xpl, _) => Some("the time-sequence graph alone"),
            (Self::Perfetto, _) => Some("events instead of panels"),
        }
    }

    pub(super) fn plot_format(self) -> PlotFormat {
        match self {
            Self::Svg => PlotFormat::Svg,
            Self::Png => PlotFormat::Png,
            Self::Xpl => PlotFormat::Xpl,
            Self::Perfetto => PlotFormat::TraceEvents,
        }
    }
}

impl Args {
    /// The format, or what is wrong with the arguments.
    pub(super) fn checked(&self) -> Result<FormatName, String> {
        let is_stdin = self.files.iter().any(|file| file == Path::new("-"));
        if is_stdin && io::stdin().is_terminal() {
            let text = "standard input is a terminal: pipe a capture into it, or name a file";
            return Err(text.to_owned());
        }
        let bounds = self.from.zip(self.to);
        if let Some((from, to)) = bounds.filter(|(from, to)| to <= from) {
            return Err(format!("--to {to} is not after --from {from}"));
        }
        if let Some(format) = FormatName::of(&self.output).filter(|_| self.names_file_for_all()) {
            let (name, end) = (self.output.display(), format.end());
            return Err(format!(
                "{name} is the name of a file: --all writes into a directory (--format {} for files that \
                 end in {end})",
                format.name()
            ));
        }
        let by_name = if self.all { Some(FormatName::Svg) } else { FormatName::of(&self.output) };
        let format = self.format.or(by_name).ok_or_else(|| {
            let known: Vec<&str> = FormatName::ALL.iter().map(|(_, end)| *end).collect();
            let name = self.output.display();
            if self.output == Path::new("-") {
                return "standard output has no name that tells the format: give --format"
                    .to_owned();
            }
            format!("{name} ends in none of {}: rename it, or give --format", known.join(", "))
        })?;
        let is_stdout = self.output == Path::new("-");
        if format == FormatName::Png && is_stdout && io::stdout().is_terminal() {
            let text = "a picture is not for a terminal: name a file with -o flow.png";
            return Err(text.to_owned());
        }
        let is_image = matches!(format, FormatName::Svg | FormatName::Png);
        if let Some(holds) = self.kind.and_then(|kind| format.fixed(kind)) {
            return Err(format!("{} holds {holds}: leave out --kind", format.end()));
        }
        if is_image && !cfg!(feature = "plot") {
            let text = "no images in this build (cargo feature plot); .xpl and .trace.json work";
            return Err(text.to_owned());
        }
        Ok(format)
    }

    /// `--all -o flow.png`: a directory of that name is hardly meant, unless there is one.
    fn names_file_for_all(&self) -> bool {
        self.all && !self.output.is_dir()
    }

    /// More points than there are pixels, of as many flows as are drawn.
    pub(super) fn wanted(&self) -> SeriesWanted {
        let mut wanted = SeriesWanted::default();
        wanted.points = 2000;
        if self.from.is_some() || self.to.is_some() {
            wanted.points = usize::MAX;
            wanted.stretch_s = Some((self.from.unwrap_or(0.0), self.to.unwrap_or(f64::MAX)));
        }
        wanted.flows = self.top.get();
        if let Some(stream) = self.flow {
            wanted.streams = vec![stream..=stream];
            // Both directions.
            wanted.flows = 2;
        }
        wanted
    }

    pub(super) fn options(&self) -> PlotOptions {
        let mut options = PlotOptions::default();
        options.kind = match self.kind {
            Some(KindName::Timeline) | None => PlotKind::Timeline,
            Some(KindName::Seq) => PlotKind::Sequence,
            Some(KindName::Rtt) => PlotKind::Rtt,
            Some(KindName::Window) => PlotKind::Window,
            Some(KindName::Rate) => PlotKind::Rate,
        };
        (options.from_s, options.to_s, options.size) = (self.from, self.to, self.size);
        options.theme = match self.theme {
            ThemeName::Light => Theme::Light,
            ThemeName::Dark => Theme::Dark,
        };
        options
    }
}

/// `1200x900`.
fn size(text: &str) -> Result<(u32, u32), String> {
    let (min, max) = (PlotOptions::SIZE_MIN, PlotOptions::SIZE_MAX);
    let parts = text.split_once(['x', 'X']);
    let parsed = parts.and_then(|(width, height)| {
        Some((width.trim().parse::<u32>().ok()?, height.trim().parse::<u32>().ok()?))
    });
    let fits = |(width, height): &(u32, u32)| {
        (min.0..=max.0).contains(width) && (min.1..=max.1).contains(height)
    };
    parsed.filter(fits).ok_or_else(|| {
        format!("expected WIDTHxHEIGHT in pixels, from {}x{} to {}x{}", min.0, min.1, max.0, max.1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_tells_the_format() {
        let of = |name: &str| FormatName::of(Path::new(name));
        assert_eq!(of("a/b.SVG"), Some(FormatName::Svg));
        assert_eq!(of("b.trace.json"), Some(FormatName::Perfetto));
        assert_eq!(of("b.json"), None);
        assert_eq!(of("svg"), None);
    }

    #[test]
    fn sizes_have_bounds() {
        assert_eq!(size("800x600"), Ok((800, 600)));
        for wrong in ["800", "x", "10x10", "99999x800", "-800x600", "800x600x2"] {
            assert!(size(wrong).unwrap_err().contains("480x400"), "{wrong}");
        }
    }
}

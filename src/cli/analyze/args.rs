//! What `tcplimit analyze` can be told, and what follows for the analysis and the output.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

use tcplimit::report::{Format, Selection, TextOptions};
use tcplimit::{Config, SeriesWanted};

use crate::cli::filter::FilterOption;
use crate::cli::output::text_for_stdout;
use crate::cli::resources::ResourceOptions;
use crate::cli::signals::Signals;
use crate::cli::values::{ColorWhen, MethodName, SortKey, count, points, some, streams};
use crate::cli::vantage::VantageOption;

const EXAMPLES: &str = "\
Examples:
  tcplimit analyze trace.pcap                    what limited each transfer
  tcplimit analyze trace.pcap --flow 3           one connection in full
  tcplimit analyze ring-*.pcapng                 files of one rotation, as one capture
  tcplimit analyze captures/ --separate --ndjson   one JSON line per flow, file by file
  tcplimit analyze captures/ --separate --csv --jobs 4   a table, four files at a time
  ssh host tcpdump -s 128 -U -w - port 443 | tcplimit analyze -

Capture at the sender, with the start of the connection: tcpdump -i IF -s 128 -w trace.pcap";

/// Name what limited each TCP transfer of a capture
///
/// Reads pcap and pcapng, plain or in gzip, zstd or lz4. Several files, or a directory of them,
/// are read as one capture in the order of time (a rotation), unless --separate is given.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(in crate::cli) struct Args {
    /// Capture files, directories of them, or - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,

    /// Write one JSON document (its layout: tcplimit schema)
    #[arg(long, conflicts_with = "ndjson", group = "machine")]
    pub(super) json: bool,

    /// Write a JSON line per flow: an entry of the document's `flows`, and its `files`
    #[arg(long, group = "machine")]
    pub(super) ndjson: bool,

    /// Add the lines that plots are drawn from to each flow of --json or --ndjson
    #[arg(long, requires = "machine")]
    pub(super) series: bool,

    /// Points of a line of --series, at most: 4 or more
    #[arg(long, value_name = "N", requires = "series", default_value_t = 1000, value_parser = points)]
    pub(super) points: usize,

    /// Write a table of comma-separated values, a row per flow
    #[arg(long, conflicts_with_all = ["json", "ndjson"])]
    pub(super) csv: bool,

    /// Write to FILE instead of standard output; it appears when it is complete
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Only these connections: numbered as Wireshark's tcp.stream, 3 or 3,7 or 10-19
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = streams)]
    pub(super) flow: Vec<RangeInclusive<u32>>,

    #[command(flatten)]
    pub(super) filter: FilterOption,

    /// Flows in the table
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = count::<usize>)]
    pub(super) top: usize,

    /// Order of the table
    #[arg(long, value_name = "KEY", default_value = "bytes")]
    pub(super) sort: SortKey,

    /// A report for each file, instead of one for all
    #[arg(long)]
    pub(super) separate: bool,

    /// Files to analyse in parallel, each on one thread unless --threads says more, together within the
    /// memory of one. The output does not depend on it
    #[arg(long, value_name = "N", requires = "separate", default_value_t = NonZeroUsize::MIN, value_parser = some::<NonZeroUsize>)]
    pub(super) jobs: NonZeroUsize,

    #[command(flatten)]
    pub(super) resources: ResourceOptions,

    /// Method of analysis
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(super) method: MethodName,

    #[command(flatten)]
    pub(super) vantage: VantageOption,

    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(super) color: ColorWhen,

    /// Columns of the text; by default those of the terminal, else 80
    #[arg(long, value_name = "N", value_parser = count::<usize>)]
    pub(super) width: Option<usize>,

    /// No hints, no progress, no warnings on standard error
    #[arg(short, long)]
    pub(super) quiet: bool,
}

impl Args {
    pub(super) fn config(&self, signals: &Signals) -> Config {
        let mut config = Config::default();
        config.stop = Arc::clone(&signals.stop);
        self.resources.bound(&mut config);
        config.vantage = self.vantage.told();
        config.series = self.series.then(|| {
            let mut series = SeriesWanted::default();
            (series.points, series.streams) = (self.points, self.flow.clone());
            series
        });
        let has_jobs = self.jobs > NonZeroUsize::MIN;
        config.threads = config.threads.or(has_jobs.then_some(NonZeroUsize::MIN));
        config.method = self.method.into();
        config
    }

    pub(super) fn selection(&self) -> Selection {
        let mut selection = Selection::default();
        selection.streams.clone_from(&self.flow);
        selection.top = self.top;
        selection.sort = self.sort.into();
        selection
    }

    pub(super) fn format(&self) -> Format {
        if self.json {
            return Format::Json;
        }
        if self.ndjson {
            return Format::JsonLines;
        }
        if self.csv {
            return Format::Csv;
        }
        let mut options =
            if self.output.is_some() { TextOptions::default() } else { text_for_stdout() };
        options.width = self.width.unwrap_or(options.width);
        options.is_quiet = self.quiet;
        options.has_color = match self.color {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => options.has_color,
        };
        Format::Text(options)
    }
}

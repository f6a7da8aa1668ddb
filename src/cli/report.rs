//! `tcplimit report`: from captures to a page for a browser.

use std::io::{self, IsTerminal as _};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tcplimit::model::Report;
use tcplimit::report::{self, Format, HtmlOptions, Outcome, Selection, fit_to_page};
use tcplimit::{Config, SeriesWanted};

use super::analyze::{analyze, missing, refuse, warn_of_damage};
use super::filter::FilterOption;
use super::output::Output;
use super::progress::Progress;
use super::resources::ResourceOptions;
use super::say;
use super::signals::Signals;
use super::status::Status;
use super::values::{SortKey, some, streams};
use super::vantage::VantageOption;

const EXAMPLES: &str = "\
Examples:
  tcplimit report trace.pcap -o report.html      a page to look at, and to send
  tcplimit report ring-*.pcapng -o report.html   files of one rotation, as one capture
  tcplimit report trace.pcap --flow 3 -o 3.html  one connection

The page needs no network and no other file. It holds the JSON report as well.";

/// Points of one curve; four for each pixel's width of a page, so that there is something to zoom into.
const POINTS: usize = 4000;
/// Points of one curve over all flows: a point of all curves takes up to 250 octets of the page.
const POINTS_IN_ALL: usize = 50_000;
/// Flows with curves: 250 points for each, if there are so many.
const FLOWS_WITH_CURVES: usize = 200;

/// Write a page for a browser: what limited each transfer, with plots
///
/// One HTML file, to keep or to mail: the capture in a few sums, the flows in a table to sort and
/// filter, and for each flow the verdict, its plots on one time axis, and the intervals behind it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Capture files, directories of them, or - for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Write to FILE instead of standard output; it appears when it is complete
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Only these connections: numbered as Wireshark's tcp.stream, 3 or 3,7 or 10-19
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = streams)]
    flow: Vec<RangeInclusive<u32>>,

    #[command(flatten)]
    filter: FilterOption,

    /// Flows on the page, the first in the order of --sort; it says how many it leaves out
    #[arg(long, value_name = "N", default_value = "500", value_parser = some::<NonZeroUsize>)]
    top: NonZeroUsize,

    /// Which flows come first
    #[arg(long, value_name = "KEY", default_value = "bytes")]
    sort: SortKey,

    #[command(flatten)]
    vantage: VantageOption,

    #[command(flatten)]
    resources: ResourceOptions,

    /// No progress, no warnings on standard error
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn run(args: &Args) -> Status {
    if let Some(refusal) = args.refusal() {
        say("error", refusal);
        return Status::Usage;
    }
    let signals = match Signals::watch() {
        Ok(signals) => signals,
        Err(status) => return status,
    };
    let output = match Output::at(args.output.as_deref(), &args.files) {
        Ok(output) => output,
        Err(status) => return status,
    };
    let mut config = args.config(&signals);
    config.filter = match args.filter.get() {
        Ok(filter) => filter,
        Err(status) => return status,
    };
    match write(args, &config, output) {
        status @ (Status::Complete | Status::Damaged) => {
            signals.received().map_or(status, Status::Signal)
        }
        failed => failed,
    }
}

fn write(args: &Args, config: &Config, output: Output) -> Status {
    let progress = (!args.quiet).then(|| Progress::show(Arc::clone(&config.packets)));
    let analyzed = analyze(&args.files, config);
    drop(progress);
    let mut report = match analyzed {
        Ok(report) => report,
        Err(error) => return refuse(&error),
    };
    if !args.quiet {
        warn_of_damage(&report.notes);
    }
    let status = Status::of_input(&report.input);
    let selection = args.selection();
    let options = cut_down(&mut report, &selection);
    if let Some(error) = missing(&args.flow, &report) {
        return refuse(&error);
    }
    let format = Format::Html(options);
    let outcome = Outcome::Report(Box::new(report));
    output.write(|out| report::write(&outcome, &selection, &format, out)).or(status)
}

fn cut_down(report: &mut Report, selection: &Selection) -> HtmlOptions {
    selection.apply(report);
    fit_to_page(report, selection)
}

impl Args {
    /// Why these arguments cannot be obeyed, if so.
    fn refusal(&self) -> Option<&'static str> {
        let is_stdin = self.files.iter().any(|file| file == Path::new("-"));
        if is_stdin && io::stdin().is_terminal() {
            return Some("standard input is a terminal: pipe a capture into it, or name a file");
        }
        if self.output.is_none() && io::stdout().is_terminal() {
            return Some("a page is not for a terminal: name a file with -o report.html");
        }
        None
    }

    fn config(&self, signals: &Signals) -> Config {
        let mut series = SeriesWanted::default();
        (series.points, series.points_in_all) = (POINTS, POINTS_IN_ALL);
        (series.streams, series.flows) = (self.flow.clone(), FLOWS_WITH_CURVES);
        let mut config = Config::default();
        config.stop = Arc::clone(&signals.stop);
        config.vantage = self.vantage.told();
        self.resources.bound(&mut config);
        config.series = Some(series);
        config
    }

    fn selection(&self) -> Selection {
        let mut selection = Selection::default();
        selection.streams.clone_from(&self.flow);
        selection.top = self.top.get();
        selection.sort = self.sort.into();
        selection
    }
}

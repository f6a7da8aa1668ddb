//! `tcplimit capture`: live, from an interface to a report.

use std::fs::File;
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tcplimit::live::{Interface, Live, Progress, Until, Wish, interfaces};
use tcplimit::model::{Report, counted};
use tcplimit::report::{self, Format, Outcome, Selection};

use tcplimit::{Config, Watch};

use super::display::{Display, Look};
use super::filter::compiled;
use super::output::{Output, text_for_stdout};
use super::signals::Signals;
use super::status::Status;
use super::values::{count, some};
use super::{privileges, say};

const EXAMPLES: &str = "\
Examples:
  tcplimit capture --list                        the interfaces
  sudo tcplimit capture -i eth0 --for 30s        half a minute, then the report
  sudo tcplimit capture -i eth0 tcp port 443     until Ctrl-C
  sudo tcplimit capture -i eth0 -w save.pcapng   and keep the packets

Without rights on this machine, have tcpdump capture on another:
  ssh host tcpdump -i eth0 -s 128 -U -w - | tcplimit analyze -";

/// Capture live: show the largest flows and what limits them now, and report at the end
///
/// Ends with Ctrl-C, SIGTERM, --for or --count, and writes the report then. Needs the system's
/// libpcap and the right to capture (root, or the capability `cap_net_raw`), which is given up before
/// the first packet is looked at: root becomes the user who called sudo, else nobody.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The interface to capture on
    #[arg(short, long, value_name = "NAME", required_unless_present = "list")]
    interface: Option<String>,

    /// Only packets that pass this filter, in tcpdump's language (man pcap-filter)
    #[arg(value_name = "FILTER")]
    filter: Vec<String>,

    /// List the interfaces, and exit
    #[arg(long)]
    list: bool,

    /// Stop after this time: 30s, 5m, 1h
    #[arg(long = "for", value_name = "TIME", value_parser = humantime::parse_duration)]
    time: Option<Duration>,

    /// Stop after this many packets
    #[arg(long, value_name = "N", value_parser = some::<NonZero<u64>>)]
    count: Option<NonZero<u64>>,

    /// Save the packets to FILE, as pcapng; not to standard output, where the report goes
    #[arg(short, long, value_name = "FILE")]
    write: Option<PathBuf>,

    /// Bytes to keep of each packet
    #[arg(short, long, value_name = "N", default_value_t = Wish::SNAP_LEN,
          value_parser = clap::value_parser!(u32).range(64..=262_144))]
    snaplen: u32,

    /// The kernel's capture buffer, in MiB
    #[arg(short = 'B', long, value_name = "N", default_value_t = Wish::BUFFER_BYTES >> 20,
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    buffer: u32,

    /// Flows in the table
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = count::<usize>)]
    top: usize,

    /// Time between two looks at the flows; by default 1s on a terminal, 10s elsewhere
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    every: Option<Duration>,

    /// Write the report as a JSON document
    #[arg(long)]
    json: bool,

    /// No table while capturing
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn run(args: &Args) -> Status {
    if args.list {
        return list();
    }
    if args.write.as_deref() == Some(Path::new("-")) {
        say("error", "-w - would mix packets with the report: name a file to save them to");
        return Status::Usage;
    }
    match capture(args) {
        Ok(status) | Err(status) => status,
    }
}

fn list() -> Status {
    let interfaces = match interfaces() {
        Ok(interfaces) => interfaces,
        Err(error) => {
            say("error", &error);
            return Status::NoReport;
        }
    };
    let widest = interfaces.iter().map(|interface| interface.name.chars().count()).max();
    let widest = widest.unwrap_or_default();
    Output::stdout().write(|out| {
        interfaces.iter().try_for_each(|interface| {
            let Interface { name, .. } = interface;
            writeln!(out, "{}", format!("{name:widest$}  {}", words(interface)).trim_end())
        })
    })
}

fn words(interface: &Interface) -> String {
    let state = match (interface.is_up, interface.is_loopback) {
        (false, _) => "down",
        (true, true) => "up, this machine alone",
        (true, false) => "up",
    };
    match interface.description.as_str() {
        "" => state.to_owned(),
        description => format!("{state}; {description}"),
    }
}

fn capture(args: &Args) -> Result<Status, Status> {
    let mut wish = Wish::new(args.interface.as_deref().unwrap_or_default());
    wish.snap_len = args.snaplen;
    wish.buffer_bytes = args.buffer << 20;
    if !args.filter.is_empty() {
        wish.filter = Some(compiled(&args.filter.join(" "))?);
    }
    let signals = Signals::watch()?;
    let live = Live::open(&wish).map_err(|error| {
        say("error", &error);
        Status::NoReport
    })?;
    let save = args.write.as_deref().map(saved).transpose()?;
    privileges::give_up().map_err(|cause| {
        say("error", format_args!("cannot give up rights: {cause}"));
        Status::NoReport
    })?;
    let mut until = Until::default();
    (until.packets, until.time) = (args.count.map(NonZero::get), args.time);
    until.stop = Arc::clone(&signals.stop);
    let name = live.interface().to_owned();
    if !args.quiet {
        say("note", format_args!("capturing on {name}: Ctrl-C ends it with the report"));
    }
    let started = live.start(until, save);
    let (input, progress) = started.map_err(|error| refuse("cannot capture", &error))?;
    let report = watched(args, &progress, |config| tcplimit::analyze_stream(&name, input, config));
    let report = report.map_err(|error| refuse("cannot analyse", &error))?;
    let status = write(args, report).or(ended(args, &progress));
    Ok(match status {
        Status::Complete => signals.received().map_or(status, Status::Signal),
        failed => failed,
    })
}

fn refuse(what: &str, error: &dyn std::error::Error) -> Status {
    say("error", format_args!("{what}: {error}"));
    Status::NoReport
}

/// The file to save to. It belongs to the user who called sudo.
fn saved(path: &Path) -> Result<Box<dyn Write + Send>, Status> {
    let created = File::create(path).and_then(|file| {
        #[cfg(unix)]
        if let Some(heir) = privileges::caller().filter(|_| path.is_file()) {
            std::os::unix::fs::fchown(&file, Some(heir.uid), Some(heir.gid))?;
        }
        Ok(file)
    });
    match created {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(Status::of_output_error(&error, &path.display().to_string())),
    }
}

/// Analyses, and shows meanwhile what the analysis sees.
fn watched<T>(args: &Args, progress: &Arc<Progress>, analyze: impl FnOnce(&Config) -> T) -> T {
    let watch = Arc::new(Watch::default());
    let mut config = Config::default();
    config.watch = Some(Arc::clone(&watch));
    let look = Look { top: args.top, every: args.every };
    let display = (!args.quiet).then(|| Display::show(watch, Arc::clone(progress), look));
    let result = analyze(&config);
    // The report may go to the same terminal.
    drop(display);
    result
}

fn write(args: &Args, mut report: Report) -> Status {
    let mut selection = Selection::default();
    selection.top = args.top;
    selection.apply(&mut report);
    let mut options = text_for_stdout();
    options.is_quiet = args.quiet;
    let format = if args.json { Format::Json } else { Format::Text(options) };
    let outcome = Outcome::Report(Box::new(report));
    Output::stdout().write(|out| report::write(&outcome, &selection, &format, out))
}

/// What else there is to say at the end.
fn ended(args: &Args, progress: &Progress) -> Status {
    if let (Some(cause), Some(path)) = (progress.save_failure(), &args.write) {
        say("error", format_args!("cannot write {}: {cause}", path.display()));
        return Status::Output;
    }
    if let Some(cause) = progress.failure() {
        say("error", format_args!("the capture ended early: {cause}"));
        return Status::Damaged;
    }
    let (kernel, _) = progress.drops();
    if kernel > 0 && !args.quiet {
        say(
            "warning",
            format_args!(
                "the kernel dropped {}: filter more, keep less of each (-s), or hold more (-B)",
                counted(kernel, "packet")
            ),
        );
    }
    Status::Complete
}

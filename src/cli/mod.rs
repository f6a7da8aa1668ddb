//! The command line: arguments to library calls, results to an exit status. Standard output holds
//! data, standard error talk.

mod analyze;
#[cfg(unix)]
mod capture;
mod check;
#[cfg(unix)]
mod display;
mod explain;
mod filter;
mod jobs;
mod man;
mod output;
mod pages;
mod plot;
#[cfg(unix)]
mod privileges;
mod progress;
mod report;
mod resources;
mod schema;
mod signals;
mod status;
mod stdin;
mod values;
mod vantage;

use std::env;
use std::fmt;
use std::io::Write as _;
use std::path::Path;
use std::sync::LazyLock;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;
use tcplimit::libpcap;
use tcplimit::model::Report;

use output::Output;
use status::Status;

static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let features = [
        ("plot", cfg!(feature = "plot")),
        ("gzip", cfg!(feature = "gzip")),
        ("zstd", cfg!(feature = "zstd")),
        ("lz4", cfg!(feature = "lz4")),
    ];
    let mut version = env!("CARGO_PKG_VERSION").to_owned();
    version.push_str("\nfeatures:");
    for (name, is_built_in) in features {
        version.push_str(if is_built_in { " +" } else { " -" });
        version.push_str(name);
    }
    version.push_str("\nreport schema: ");
    version.push_str(Report::SCHEMA_VERSION);
    #[cfg(feature = "zstd")]
    version.extend(["\nzstd: ", zstd::zstd_safe::version_string(), ", built in"]);
    version
});

const AFTER_HELP: &str = "\
Exit status:
  0    all input read, report complete
  1    an assertion failed (check)
  2    wrong usage
  3    no report possible: not a capture, or unreadable
  4    input damaged or cut; the report is complete for what precedes
  5    the output could not be written
  6    no verdict possible (check)
  130, 143  ended by SIGINT or SIGTERM; the report covers what was read";

/// Names what limited a TCP transfer, from a packet capture.
///
/// The receiver's window, the sender's buffer, the network (congestion window) or the application:
/// which of them held, for how long, and how that is known.
#[derive(Debug, Parser)]
#[command(
    name = "tcplimit",
    version,
    long_version = LONG_VERSION.as_str(),
    arg_required_else_help = true,
    after_long_help = AFTER_HELP,
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Analyze(analyze::Args),
    #[cfg(unix)]
    Capture(capture::Args),
    Check(check::Args),
    Explain(explain::Args),
    Plot(plot::Args),
    Report(report::Args),
    Schema(schema::Args),
    /// Print a completion script for a shell
    ///
    /// For bash: tcplimit completions bash > ~/.local/share/bash-completion/completions/tcplimit
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page
    ///
    /// To read it: tcplimit man | man -l -
    Man {
        /// Of this subcommand
        command: Option<String>,
    },
}

/// Runs the program.
pub(crate) fn run() -> Status {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let printed = error.print().and_then(|()| std::io::stdout().flush());
            if error.kind() == ErrorKind::InvalidSubcommand && is_file_first() {
                say("tip", "to analyse a capture file: tcplimit analyze FILE");
            }
            if error.kind() == ErrorKind::DisplayVersion && env::args().any(|it| it == "--version")
            {
                return print(libpcap_line().as_bytes());
            }
            // Help and version are errors to clap, of status 0.
            return match printed {
                _ if error.use_stderr() => Status::Usage,
                Ok(()) => Status::Complete,
                Err(cause) => Status::of_output_error(&cause, "standard output"),
            };
        }
    };
    match cli.command {
        Command::Analyze(args) => analyze::run(&args),
        #[cfg(unix)]
        Command::Capture(args) => capture::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "tcplimit", &mut script);
            print(&script)
        }
        Command::Man { command } => man::run(Cli::command(), command.as_deref()),
    }
}

/// What a newcomer types first: the program and a capture.
fn is_file_first() -> bool {
    env::args_os().nth(1).is_some_and(|first| Path::new(&first).exists())
}

/// The last line of `--version`: no other run looks for libpcap unasked.
fn libpcap_line() -> String {
    match libpcap::version() {
        Ok(version) => {
            let version = version.trim_start_matches("libpcap version ");
            format!("libpcap: {version}, found at run time\n")
        }
        Err(_) => "libpcap: not found\n".to_owned(),
    }
}

/// Writes `text` to standard output.
fn print(text: &[u8]) -> Status {
    Output::stdout().write(|out| out.write_all(text))
}

/// One line on standard error.
fn say(kind: &str, what: impl fmt::Display) {
    // Where standard error is closed there is nobody left to tell.
    let _ = writeln!(std::io::stderr(), "{kind}: {what}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}

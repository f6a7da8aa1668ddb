//! Exit statuses, the one table; `--help` and the README repeat it.

use std::io;
use std::process::ExitCode;

use tcplimit::model::Input;

use super::say;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// All input read, report complete.
    Complete,
    /// The reader of standard output went away: it wanted no more.
    PipeClosed,
    /// An assertion failed.
    Failed,
    /// Wrong usage.
    Usage,
    /// No report possible.
    NoReport,
    /// Input damaged or cut, report complete for what precedes.
    Damaged,
    /// The output could not be written.
    Output,
    /// No assertion failed, but for some the capture gives no verdict.
    Inconclusive,
    /// Ended early by this signal, report written for what was read.
    Signal(u8),
}

impl Status {
    /// The status of a report on this.
    pub(super) fn of_input(input: &Input) -> Self {
        if input.damage.is_some() { Self::Damaged } else { Self::Complete }
    }

    /// `self` if that ends the run, else `next`. Whoever reads no further knows what was asked, not how it
    /// went: a failed assertion stays one after `| head -1`.
    pub(super) fn or(self, next: Self) -> Self {
        if matches!(self, Self::Complete | Self::PipeClosed) { next } else { self }
    }

    /// The status after writing failed.
    pub(super) fn of_output_error(error: &io::Error, to: &str) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::PipeClosed;
        }
        say("error", format_args!("cannot write {to}: {error}"));
        Self::Output
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Complete | Status::PipeClosed => 0,
            Status::Failed => 1,
            Status::Usage => 2,
            Status::NoReport => 3,
            Status::Damaged => 4,
            Status::Output => 5,
            Status::Inconclusive => 6,
            // As a shell reports a process that a signal ended.
            Status::Signal(number) => number.saturating_add(128),
        })
    }
}

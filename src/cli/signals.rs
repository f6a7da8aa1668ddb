//! SIGINT and SIGTERM end reading; a second SIGINT ends the program. A second SIGTERM does not: `timeout`
//! sends it to the program, and at once to its group again, and the report would be lost.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::say;
use super::status::Status;

/// The signals that came.
#[derive(Debug, Default)]
pub(super) struct Signals {
    /// Set by the first signal.
    pub(super) stop: Arc<AtomicBool>,
    number: Arc<AtomicUsize>,
}

impl Signals {
    /// Watches for both from now on.
    ///
    /// # Errors
    ///
    /// [`Status::NoReport`], and the cause is said: without them, an interrupted run would lose its report.
    pub(super) fn watch() -> Result<Self, Status> {
        Self::registered().map_err(|error| {
            say("error", format_args!("cannot watch for signals: {error}"));
            Status::NoReport
        })
    }

    fn registered() -> io::Result<Self> {
        let signals = Self::default();
        // Handlers run in the order of registration: the first signal finds the flag unset.
        let status = SIGINT.saturating_add(128);
        flag::register_conditional_shutdown(SIGINT, status, Arc::clone(&signals.stop))?;
        for (signal, number) in [(SIGINT, 2), (SIGTERM, 15)] {
            flag::register(signal, Arc::clone(&signals.stop))?;
            flag::register_usize(signal, Arc::clone(&signals.number), number)?;
        }
        Ok(signals)
    }

    /// The signal that ended reading; `None` if none came.
    pub(super) fn received(&self) -> Option<u8> {
        match self.number.load(Ordering::Relaxed) {
            0 => None,
            number => u8::try_from(number).ok(),
        }
    }
}

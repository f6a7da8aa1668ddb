//! Traffic whose cause is known, for tests and benches; not part of the public interface.
//!
//! Two layers. A [`Trace`] is placed segment by segment, for states. A [`Path`] is simulated from
//! a rate, delays, a queue, loss, a window and an application, for verdicts. Both give the octets
//! of a real capture, which the real stages read; both print themselves like tcpdump when a test
//! fails.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
    clippy::struct_excessive_bools,
    reason = "test code: a trace that overflows or does not parse should fail its test"
)]

mod frames;
mod packet;
mod path;
mod trace;

use std::path::PathBuf;
use std::time::Duration;

pub use frames::{CaptureFile, Frames};
pub use packet::{Packet, Packets, Side};
pub use path::{Application, Path, Reader, Tap};
pub use trace::Trace;

/// Milliseconds.
pub const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// The captures of `fixtures/`, by name.
pub fn fixtures() -> Vec<String> {
    let entries = std::fs::read_dir("fixtures").expect("tests run beside fixtures/");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let names = paths.map(|path| path.to_str().expect("a plain name").to_owned());
    let mut captures: Vec<String> = names.filter(|name| name.contains(".pcap")).collect();
    captures.sort();
    captures
}

/// The captures with truth, beside the project or at `TCPLIMIT_CORPUS`.
pub fn corpus() -> PathBuf {
    let named = std::env::var_os("TCPLIMIT_CORPUS").map(PathBuf::from);
    let path = named.unwrap_or_else(|| PathBuf::from("../shared/corpus")).join("open");
    assert!(path.is_dir(), "no captures at {}; set TCPLIMIT_CORPUS", path.display());
    path
}

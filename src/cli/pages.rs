//! Pages of memory are 4 kB or, where the system has them, 2 MB large. In large ones a program with many
//! flows runs some percent faster, but each thread's part of the allocator fills up pages of its own, and
//! what is free in a large one cannot be given back: a thousand flows took 197 MB on four threads in place of
//! 125, with no gain in time; on one thread 123 in place of 103, and 3 to 11 % less time.

use std::num::NonZeroUsize;

use tcplimit::{Config, Memory};

/// Takes only small pages from here on where an analysis runs on several threads, or is to keep to a
/// bound of memory that was asked for.
pub(super) fn suit(config: &Config) {
    let is_alone = config.threads == Some(NonZeroUsize::MIN);
    if !is_alone || matches!(config.memory, Memory::AtMost(_)) {
        take_small();
    }
}

#[cfg(target_os = "linux")]
fn take_small() {
    // Where the system refuses, more memory is taken: nothing else.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

#[cfg(not(target_os = "linux"))]
fn take_small() {}

//! How much of the machine an analysis may take.

use std::num::NonZeroUsize;

use tcplimit::{Config, Memory};

use super::values::{memory, some};

/// The options of every command that analyses captures.
#[derive(Debug, clap::Args)]
pub(super) struct ResourceOptions {
    /// Approximate memory bound: 256M, 2G, or none. Connections that do not fit are reported early, and
    /// counted as dropped [default: 512M, 1.5G with plots or --series]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    memory: Option<Memory>,

    /// Threads that analyse, besides one that decompresses; by default one per core, as far as they help.
    /// The output does not depend on it
    #[arg(long, value_name = "N", value_parser = some::<NonZeroUsize>)]
    threads: Option<NonZeroUsize>,
}

impl ResourceOptions {
    pub(super) fn is_given(&self) -> bool {
        self.memory.is_some() || self.threads.is_some()
    }

    /// `None` for as many as are of use.
    pub(super) fn threads(&self) -> Option<NonZeroUsize> {
        self.threads
    }

    pub(super) fn memory(&self) -> Memory {
        self.memory.unwrap_or_default()
    }

    pub(super) fn bound(&self, config: &mut Config) {
        (config.memory, config.threads) = (self.memory(), self.threads);
    }
}

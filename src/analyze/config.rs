//! How to analyse, and in how much memory.

use std::num::{NonZero, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::budget::{Budget, Lease};
use crate::capture::Filter;
use crate::glance::Watch;
use crate::model::Vantage;
use crate::series::SeriesWanted;

/// How to analyse; the default is what the program does without options.
///
/// ```
/// let mut config = tcplimit::Config::default();
/// config.vantage = Some(tcplimit::model::Vantage::Receiver);
/// config.memory = tcplimit::Memory::AtMost(64 << 20);
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Config {
    /// Which method the shares come from.
    pub method: Method,
    /// Where the capture was taken, as every direction of every connection sees it; `None` or
    /// `Unknown` to find out from the capture.
    pub vantage: Option<Vantage>,
    /// Only packets that pass it are analysed.
    pub filter: Option<Filter>,
    /// What plots are drawn from, where it is wanted.
    pub series: Option<SeriesWanted>,
    /// Threads that analyse, the one that reads included, but not one that decompresses; `None` for as
    /// many as are of use. The report does not depend on it.
    pub threads: Option<NonZeroUsize>,
    /// How much memory connections may take.
    pub memory: Memory,
    /// Its part of the memory that it shares with analyses beside it; `None` where there are none.
    pub lease: Option<Arc<Lease>>,
    /// Set from elsewhere (a signal) to stop reading; the report then covers what was read.
    pub stop: Arc<AtomicBool>,
    /// Looks into the analysis from elsewhere. A packet then waits for none behind it: its time is believed,
    /// damaged or not.
    pub watch: Option<Arc<Watch>>,
    /// Packets read so far, for a display.
    pub packets: Arc<AtomicU64>,
}

impl Config {
    /// As much memory as one analysis may take, to be shared by those that run beside each other, `jobs` at
    /// a time.
    #[must_use]
    pub fn budget(&self, jobs: NonZero<usize>) -> Arc<Budget> {
        Budget::new(self.octets().unwrap_or(u64::MAX), jobs, Arc::clone(&self.stop))
    }

    /// How much memory an analysis may take; `None` without a bound.
    pub(super) fn octets(&self) -> Option<u64> {
        self.memory.octets(self.series.is_some())
    }
}

/// How much memory an analysis may take, about. Half of it is for connections that have not ended;
/// when they need more, the least telling are reported early, and counted as dropped. The rest is for
/// the reports, of which the largest flows' are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Memory {
    /// 512 MiB; 1.5 GiB with series.
    #[default]
    Usual,
    /// So many octets.
    AtMost(u64),
    /// As much as it takes: no connection is reported early.
    Unbounded,
}

impl Memory {
    /// How many octets that is; `None` without a bound.
    fn octets(self, has_series: bool) -> Option<u64> {
        match self {
            Self::Usual if has_series => Some(1536 << 20),
            Self::Usual => Some(512 << 20),
            Self::AtMost(octets) => Some(octets),
            Self::Unbounded => None,
        }
    }
}

/// Where the shares come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Each waiting interval is charged to the thing whose change ended it.
    #[default]
    Waits,
    /// The founding paper's figure 1, taken literally, beside the default.
    Lu2007,
}

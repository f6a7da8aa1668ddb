//! What was read of a capture, and what was not.

use std::fmt;

use super::clock::Stamp;
use super::outlier::{self, Outliers};
use super::{FilterTally, LinkType};
use crate::units::{Duration, Timestamp};

/// The container that the frames came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Microseconds.
    Pcap,
    /// pcap with nanoseconds.
    PcapNanos,
    /// Alexey Kuznetsov's patched libpcap of the 1990s, with 24-octet record headers.
    PcapModified,
    Pcapng,
}

impl Format {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pcap => "pcap",
            Self::PcapNanos => "pcap-ns",
            Self::PcapModified => "pcap-modified",
            Self::Pcapng => "pcapng",
        }
    }
}

/// Counts over the frames of a file, or of all files.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) packets: u64,
    /// Packets of which the snap length kept only a part.
    pub(crate) packets_snapped: u64,
    /// Packets without a time of their own (simple packet blocks): they carry that of the packet
    /// before them, or 1970.
    pub(crate) packets_untimed: u64,
    /// Packets whose time was clamped to what [`Timestamp`] holds, or had a fraction of a second
    /// or more.
    pub(crate) times_irregular: u64,
    /// Packets whose time is before that of the packet before them in the file.
    pub(crate) times_backwards: u64,
    /// How far at most.
    pub(crate) backwards_max: Duration,
    /// Packets that the capture itself lost, by its statistics; `None` if it has none.
    pub(crate) capture_drops: Option<u64>,
    /// Of the packets, in order of appearance; at most [`Tally::LINK_TYPES_MAX`].
    pub(crate) link_types: Vec<LinkType>,
    /// The largest snap length that a header states; `None` if none does.
    pub(crate) snap_len: Option<u32>,
    /// Earliest time of a packet that has one.
    pub(crate) first_time: Option<Timestamp>,
    /// Latest time of a packet that has one.
    pub(crate) last_time: Option<Timestamp>,
    /// Of the last packet that has one; the earliest there is before the first.
    previous_time: Timestamp,
}

impl Tally {
    /// Real captures have at most a handful; further ones are not listed.
    pub(crate) const LINK_TYPES_MAX: usize = 64;

    /// Of the last packet that has one.
    pub(super) fn previous_time(&self) -> Option<Timestamp> {
        self.first_time.map(|_| self.previous_time)
    }

    /// Whether a packet that comes now may well have that time.
    #[inline]
    pub(super) fn is_near(&self, stamp: Stamp) -> bool {
        self.first_time.is_some() && outlier::is_near(self.previous_time, stamp)
    }

    /// Counts a packet.
    #[inline]
    pub(super) fn count(&mut self, link_type: LinkType, stamp: Option<Stamp>, is_snapped: bool) {
        self.packets = self.packets.saturating_add(1);
        self.packets_snapped = self.packets_snapped.saturating_add(u64::from(is_snapped));
        if self.link_types.last() != Some(&link_type) {
            self.add_link_type(link_type);
        }
        match stamp {
            Some(stamp) => self.count_time(stamp),
            None => self.packets_untimed = self.packets_untimed.saturating_add(1),
        }
    }

    #[inline]
    fn count_time(&mut self, Stamp { time, is_regular }: Stamp) {
        self.times_irregular = self.times_irregular.saturating_add(u64::from(!is_regular));
        self.first_time = Some(self.first_time.map_or(time, |first| first.min(time)));
        self.last_time = Some(self.last_time.map_or(time, |last| last.max(time)));
        if time < self.previous_time {
            self.count_backwards(time);
        }
        self.previous_time = time;
    }

    #[cold]
    fn count_backwards(&mut self, time: Timestamp) {
        self.step_back(self.previous_time.since(time));
    }

    fn step_back(&mut self, by: Duration) {
        self.times_backwards = self.times_backwards.saturating_add(1);
        self.backwards_max = self.backwards_max.max(by);
    }

    fn add_link_type(&mut self, link_type: LinkType) {
        if self.link_types.len() < Self::LINK_TYPES_MAX && !self.link_types.contains(&link_type) {
            self.link_types.push(link_type);
        }
    }

    /// Adds the counts of a further file.
    fn add(&mut self, other: &Self) {
        self.packets = self.packets.saturating_add(other.packets);
        self.packets_snapped = self.packets_snapped.saturating_add(other.packets_snapped);
        self.packets_untimed = self.packets_untimed.saturating_add(other.packets_untimed);
        self.times_irregular = self.times_irregular.saturating_add(other.times_irregular);
        self.times_backwards = self.times_backwards.saturating_add(other.times_backwards);
        self.backwards_max = self.backwards_max.max(other.backwards_max);
        self.capture_drops = sum(self.capture_drops, other.capture_drops);
        for link_type in &other.link_types {
            self.add_link_type(*link_type);
        }
        self.snap_len = self.snap_len.max(other.snap_len);
        self.first_time = self.first_time.into_iter().chain(other.first_time).min();
        self.last_time = self.last_time.max(other.last_time);
    }
}

/// The sum of what is known; `None` if nothing is.
pub(super) fn sum(left: Option<u64>, right: Option<u64>) -> Option<u64> {
    left.into_iter().chain(right).reduce(u64::saturating_add)
}

/// One file, read to its end or to where it is damaged.
#[derive(Debug, Clone)]
pub(crate) struct FileSummary {
    /// Safe to print.
    pub(crate) name: String,
    pub(crate) format: Format,
    pub(crate) tally: Tally,
    /// Of which `tally` knows the times that were taken.
    pub(crate) outliers: Outliers,
    /// In order of offset, at most two: bad options that were passed over, and what ended reading.
    pub(crate) damage: Vec<Damage>,
}

/// The whole capture.
#[derive(Debug, Default, Clone)]
pub(crate) struct Summary {
    /// In the order of their first times.
    pub(crate) files: Vec<FileSummary>,
    /// Times that run backwards from one file to the next.
    between_files: Tally,
    /// Files that could be opened at first and not again when their turn came: one line each.
    pub(crate) lost_files: Vec<String>,
    /// Why files of a directory were passed over, at most [`Summary::PASSED_OVER_MAX`].
    pub(crate) passed_over: Vec<String>,
    pub(crate) passed_over_count: u64,
    /// What the filter let pass; `None` without one.
    pub(crate) filter: Option<FilterTally>,
}

impl Summary {
    /// Enough to see what kind of files they are.
    pub(crate) const PASSED_OVER_MAX: usize = 20;

    /// Notes a file of a directory that is no capture.
    pub(super) fn pass_over(&mut self, why: String) {
        self.passed_over_count = self.passed_over_count.saturating_add(1);
        if self.passed_over.len() < Self::PASSED_OVER_MAX {
            self.passed_over.push(why);
        }
    }

    /// Notes a file that begins at `time`, when all up to the time `given` was.
    pub(super) fn on_file(&mut self, time: Timestamp, given: Timestamp) {
        if time < given {
            self.between_files.step_back(given.since(time));
        }
    }

    /// The counts over all files.
    pub(crate) fn tally(&self) -> Tally {
        let mut total = self.between_files.clone();
        for file in &self.files {
            total.add(&file.tally);
        }
        total
    }

    /// Whether anything of the input is missing from what was read.
    #[cfg(test)]
    pub(super) fn is_damaged(&self) -> bool {
        !self.lost_files.is_empty() || self.files.iter().any(|file| !file.damage.is_empty())
    }
}

/// Where a file is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Damage {
    /// Safe to print.
    pub(crate) file: String,
    /// Where the record or block begins, in octets after decompression.
    pub(crate) offset: u64,
    /// Packets of this file that were read before it.
    pub(crate) packets_before: u64,
    pub(crate) kind: DamageKind,
}

/// What is wrong there. All but `BadOptions` end the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DamageKind {
    #[error("the file ends inside a packet")]
    Truncated,
    #[error("reading failed ({0})")]
    ReadFailed(String),
    #[error("the record claims {claimed} bytes, more than the {max} possible")]
    RecordTooLong { claimed: u64, max: u64 },
    #[error("another pcap file was joined on here: give the files one by one, do not cat them;")]
    Joined,
    #[error("there are zeros, which were never written over,")]
    Zeros,
    #[error("the block claims {claimed} bytes")]
    BlockLength { claimed: u32 },
    #[error("the block's two lengths differ ({leading} and {trailing})")]
    BlockLengthsDiffer { leading: u32, trailing: u32 },
    #[error("the block is too short for what it says it holds")]
    BlockTooShort,
    #[error("the section has no valid byte order mark")]
    ByteOrder,
    #[error("the section is of version {major}.{minor}, which is not known")]
    SectionVersion { major: u16, minor: u16 },
    #[error("the packet names interface {interface} of {known}")]
    UnknownInterface { interface: u32, known: usize },
    #[error("a block's options do not fit in it")]
    BadOptions,
}

/// One line for standard error: which file, which octet, which packet.
impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, offset, packets_before, kind } = self;
        let packet = packets_before.saturating_add(1);
        match kind {
            DamageKind::Truncated => write!(
                f,
                "{file} ends inside packet {packet} (byte {offset}): {}",
                match packets_before {
                    0 => "no whole packet is before it".to_owned(),
                    1 => "analysed the whole packet before it".to_owned(),
                    more => format!("analysed the {more} whole packets before it"),
                }
            ),
            DamageKind::BadOptions => write!(
                f,
                "{file}: {kind} at byte offset {offset} (after packet {packets_before}): they \
                 were passed over, packets are not affected"
            ),
            _ => write!(
                f,
                "{file}: {kind} at byte offset {offset}: the file is corrupt from here ({})",
                match packets_before {
                    0 => "no packet is before it".to_owned(),
                    1 => "the packet before it was read".to_owned(),
                    more => format!("{more} packets before it were read"),
                }
            ),
        }
    }
}

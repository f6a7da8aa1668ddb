//! Where are the frames? Takes any `Read`, gives [`Frame`]s in file order, those of several files
//! or several interfaces by time; knows nothing of IP.
//!
//! [`Capture`] opens files, directories and standard input and reads them as one capture;
//! [`Reader`] reads one stream of them. Both never fail once opened: where a file is damaged or cut
//! its frames end, and the [`Summary`] says where and why (RFC-less formats:
//! draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng). A new format is one file beside `pcap.rs`
//! and one arm in `framing.rs`, `reader.rs` and `recognise.rs`.
//!
//! Memory: one block of 128 KiB for the open file, up to 16 MiB if a record needs it, whatever a
//! length field claims; up to 32 MiB for the window of a compressed one, and 1.5 MiB for what a thread
//! of its own decompressed ahead; up to 32 MiB of packets where a file has several interfaces. As much for
//! each of up to 16 files that overlap in time.

mod ahead;
mod clock;
mod compression;
mod directory;
mod files;
mod filter;
mod framing;
#[cfg(feature = "gzip")]
mod gzip;
mod input;
mod known;
mod link_type;
#[cfg(feature = "lz4")]
mod lz4;
mod options;
mod outlier;
mod pcap;
mod pcapng;
mod reader;
mod recognise;
mod record;
mod refusal;
mod reorder;
mod source;
mod summary;
#[cfg(test)]
mod tests;
mod turns;
mod window;
#[cfg(feature = "zstd")]
mod zstd;

pub use directory::{CapturesIn, captures_in};
pub(crate) use files::Capture;
pub(crate) use filter::FilterTally;
pub use filter::{Filter, FilterError, WrongFilter};
pub use known::is_same_file;
pub(crate) use link_type::LinkType;
pub(crate) use outlier::{Outlier, Outliers};
#[cfg(unix)]
pub(crate) use pcapng::codes as pcapng_codes;
pub(crate) use reader::Reader;
pub use source::is_capture;
pub(crate) use summary::{DamageKind, FileSummary, Summary};

use crate::units::{FrameNumber, Timestamp};

/// One captured frame, borrowed from the reader's buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    /// Over all files of the capture.
    pub(crate) number: FrameNumber,
    pub(crate) time: Timestamp,
    pub(crate) link_type: LinkType,
    /// What was kept of the frame (up to the snap length).
    pub(crate) bytes: &'a [u8],
    /// The frame's length on the wire; never less than `bytes` has.
    pub(crate) wire_len: u32,
}

//! Where are the frames? Takes any `Read`, gives [`Frame`]s in file order; knows nothing of IP.

use crate::units::{FrameNumber, Timestamp};

/// A link type of <https://www.tcpdump.org/linktypes.html>, FCS bits removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LinkType(pub(crate) u32);

/// One captured frame, borrowed from the reader's buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    /// Position over all files of the capture, from 1.
    pub(crate) number: FrameNumber,
    pub(crate) time: Timestamp,
    pub(crate) link_type: LinkType,
    /// What was kept of the frame (up to the snap length).
    pub(crate) bytes: &'a [u8],
    /// The frame's length on the wire.
    pub(crate) wire_len: u32,
}

//! How are frames set apart? By the format, which [`recognise`](super::recognise) tells.

use super::pcap::Records;
use super::pcapng::Sections;
use super::reorder::Reorder;

/// What takes one record after the other off the window.
pub(super) enum Framing {
    Pcap(Records),
    Pcapng(Box<Sections>),
    /// pcapng from the first section of several interfaces on.
    Reordered(Box<Reorder>),
}

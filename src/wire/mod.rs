//! What does this frame say? Takes a [`Frame`](crate::capture::Frame), gives a [`Segment`] or the
//! reason why not. Reads header fields and judges nothing; knows no other frames, but for the
//! bounded table that puts IP fragments together.

use std::net::IpAddr;

use crate::units::{FrameNumber, SeqNum, Timestamp, WindowShift};

/// One TCP segment as it stood on the wire (or a super-frame of several, see `payload_len`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) frame: FrameNumber,
    pub(crate) time: Timestamp,
    /// Keeps equal tuples of different VLANs, VNIs or tunnels apart.
    pub(crate) scope: Scope,
    pub(crate) src: Endpoint,
    pub(crate) dst: Endpoint,
    /// IPv4 identification; `None` for IPv6 and atomic datagrams' zero.
    pub(crate) ip_id: Option<u16>,
    pub(crate) ttl: u8,
    pub(crate) ecn: Ecn,
    pub(crate) seq: SeqNum,
    /// `None` without the ACK flag.
    pub(crate) ack: Option<SeqNum>,
    pub(crate) flags: TcpFlags,
    pub(crate) window_unscaled: u16,
    /// Payload octets by the IP header's length, whatever the snap length kept; by the frame's
    /// length where the IP header says 0 (segmentation offload). Above one SMSS: a super-frame.
    pub(crate) payload_len: u32,
    pub(crate) options: TcpOptions,
}

/// Which virtual network a tuple belongs to: VLAN tags, MPLS labels, VNI or tunnel, folded into
/// one number; 0 for a plain frame.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Scope(pub(crate) u64);

/// One end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Endpoint {
    pub(crate) addr: IpAddr,
    pub(crate) port: u16,
}

/// The ECN field of the IP header (RFC 3168 section 5).
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ecn {
    #[default]
    NotEct,
    Ect1,
    Ect0,
    Ce,
}

/// The flags of the TCP header (RFC 9293 section 3.1, AE bit of RFC 9768 at 0x100).
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TcpFlags(pub(crate) u16);

impl TcpFlags {
    pub(crate) const FIN: u16 = 0x01;
    pub(crate) const SYN: u16 = 0x02;
    pub(crate) const RST: u16 = 0x04;
    pub(crate) const PSH: u16 = 0x08;
    pub(crate) const ACK: u16 = 0x10;
    pub(crate) const URG: u16 = 0x20;
    pub(crate) const ECE: u16 = 0x40;
    pub(crate) const CWR: u16 = 0x80;

    /// Whether any flag of `mask` is set.
    pub(crate) fn has(self, mask: u16) -> bool {
        self.0 & mask != 0
    }
}

/// What was read of the options.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TcpOptions {
    pub(crate) mss: Option<u16>,
    pub(crate) window_shift: Option<WindowShift>,
    pub(crate) is_sack_permitted: bool,
    pub(crate) sack: SackList,
    pub(crate) timestamps: Option<TcpTimestamps>,
    /// The snap length or a bad length octet ended the options early.
    pub(crate) is_cut: bool,
}

/// The timestamps option (RFC 7323 section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TcpTimestamps {
    pub(crate) value: u32,
    pub(crate) echo: u32,
}

/// Up to four SACK blocks (RFC 2018 section 3), in the order of the option.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SackList {
    blocks: [(SeqNum, SeqNum); SackList::MAX],
    count: u8,
}

impl SackList {
    /// Four blocks fill the option space (RFC 2018 section 3).
    pub(crate) const MAX: usize = 4;

    /// Adds a block; a fifth is ignored.
    pub(crate) fn push(&mut self, left: SeqNum, right: SeqNum) {
        if let Some(slot) = self.blocks.get_mut(usize::from(self.count)) {
            *slot = (left, right);
            self.count = self.count.saturating_add(1);
        }
    }

    pub(crate) fn as_slice(&self) -> &[(SeqNum, SeqNum)] {
        self.blocks.get(..usize::from(self.count)).unwrap_or_default()
    }
}

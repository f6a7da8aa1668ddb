//! What an IP header says, of either version.

use std::net::IpAddr;

/// IP protocol numbers of messages about datagrams.
pub(super) const ICMP: u8 = 1;
pub(super) const ICMP_V6: u8 = 58;

/// What later layers need of an IP header.
#[derive(Debug, Clone, Copy)]
pub(super) struct IpHeader {
    pub(super) src: IpAddr,
    pub(super) dst: IpAddr,
    /// Upper-layer protocol, extension headers passed over.
    pub(super) protocol: u8,
    /// Identification; `None` for IPv6, and for a zero, which says nothing.
    pub(super) id: Option<u16>,
    /// Time to live, or hop limit.
    pub(super) ttl: u8,
    /// Octets after this header and its extensions.
    pub(super) payload_len: u32,
    /// Set if this is a part of a datagram only.
    pub(super) fragment: Option<Fragment>,
}

/// Which part of a datagram a fragment is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fragment {
    pub(super) id: u32,
    /// In octets, from the start of the datagram's fragmentable part.
    pub(super) offset: u32,
    pub(super) has_more: bool,
}

//! A frame on its way through the layers: what is left of it, and how long that was on the wire.

use super::datagram::IpHeader;
use super::scope::ScopePath;
use super::skip::Skip;
use crate::capture::Frame;

/// What follows the headers taken off so far.
#[derive(Debug, Clone)]
pub(super) struct Packet<'a> {
    bytes: &'a [u8],
    wire_len: usize,
    scope: ScopePath,
}

/// The layer that comes next.
#[derive(Debug, Clone, Copy)]
pub(super) enum Next {
    Ethernet,
    EtherType(u16),
    Ppp,
    Pppoe,
    CiscoHdlc,
    LinuxCooked,
    LinuxCooked2,
    Null,
    Fddi,
    /// PPP behind an octet that tells the direction.
    PppWithDirection,
    Radio(RadioHeader),
    Host(HostHeader),
    Ieee80211 {
        /// The header is filled up to a multiple of four octets.
        is_padded: bool,
    },
    /// IPv4 or IPv6, by the version field.
    Ip,
    Ipv4,
    Ipv6,
    /// An IP header was taken off.
    Datagram(IpHeader),
}

/// What a host's own capture facility puts in front of a packet.
#[derive(Debug, Clone, Copy)]
pub(super) enum HostHeader {
    /// Names the link type itself.
    Pktap,
    Nflog,
    Pflog,
    Enc,
}

/// What a radio's driver puts in front of an IEEE 802.11 frame.
#[derive(Debug, Clone, Copy)]
pub(super) enum RadioHeader {
    Radiotap,
    Prism,
    Avs,
    /// Per-packet information: names the link type itself.
    Ppi,
}

impl<'a> Packet<'a> {
    pub(super) fn new(frame: &Frame<'a>) -> Self {
        let wire_len = usize::try_from(frame.wire_len).unwrap_or(usize::MAX);
        let wire_len = wire_len.max(frame.bytes.len());
        Self { bytes: frame.bytes, wire_len, scope: ScopePath::default() }
    }

    /// What was captured of the rest.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// How long the rest was on the wire.
    pub(super) fn wire_len(&self) -> usize {
        self.wire_len
    }

    pub(super) fn scope(&self) -> &ScopePath {
        &self.scope
    }

    pub(super) fn scope_mut(&mut self) -> &mut ScopePath {
        &mut self.scope
    }

    /// A datagram put together of fragments: its first octets and its length.
    pub(super) fn joined(head: &'a [u8], len: u32, scope: ScopePath) -> Self {
        let wire_len = usize::try_from(len).unwrap_or(usize::MAX);
        Self { bytes: head, wire_len, scope }
    }

    /// Takes `N` octets off.
    ///
    /// # Errors
    /// [`Skip::Truncated`] if fewer were captured.
    pub(super) fn take<const N: usize>(&mut self) -> Result<&'a [u8; N], Skip> {
        let (head, rest) = self.bytes.split_first_chunk::<N>().ok_or(Skip::Truncated)?;
        self.bytes = rest;
        self.wire_len = self.wire_len.saturating_sub(N);
        Ok(head)
    }

    /// Takes `len` octets off.
    ///
    /// # Errors
    /// [`Skip::Truncated`] if fewer were captured.
    pub(super) fn take_slice(&mut self, len: usize) -> Result<&'a [u8], Skip> {
        let (head, rest) = self.bytes.split_at_checked(len).ok_or(Skip::Truncated)?;
        self.bytes = rest;
        self.wire_len = self.wire_len.saturating_sub(len);
        Ok(head)
    }

    /// Looks at the first `N` octets.
    pub(super) fn peek<const N: usize>(&self) -> Option<&'a [u8; N]> {
        self.bytes.first_chunk::<N>()
    }

    /// Cuts what lies behind the first `len` octets: padding, a frame check sequence.
    pub(super) fn limit(&mut self, len: usize) {
        self.bytes = self.bytes.get(..len).unwrap_or(self.bytes);
        self.wire_len = self.wire_len.min(len);
    }
}

//! Why a frame gave no segment.

use std::fmt;

use super::datagram::{ICMP, ICMP_V6};

/// The reason; counted, never an end of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Skip {
    /// A link type that is not decoded.
    UnsupportedLinkType,
    /// ARP.
    Arp,
    /// Another protocol right above the link.
    NotIp,
    /// UDP to or from port 443.
    Quic,
    /// Other UDP.
    Udp,
    /// ICMP or `ICMPv6`.
    Icmp,
    /// Encrypted: IPsec ESP or 802.11.
    Encrypted,
    /// Another protocol above IP.
    OtherIpProtocol,
    /// Part of a datagram of which the rest is still to come.
    Fragment,
    /// The snap length, or a length field, left too little of a header.
    Truncated,
    /// A length field contradicts the header that it belongs to.
    BadLength,
    /// More headers than are decoded.
    TooManyLayers,
}

impl Skip {
    /// What stands for an IP protocol that is neither TCP nor a tunnel.
    pub(super) fn of_protocol(protocol: u8) -> Self {
        match protocol {
            ICMP | ICMP_V6 => Self::Icmp,
            17 => Self::Udp,
            50 => Self::Encrypted,
            _ => Self::OtherIpProtocol,
        }
    }

    /// What stands for a fragment until its datagram is whole.
    ///
    /// # Errors
    /// The protocol, if putting its fragments together cannot lead to TCP.
    pub(super) fn of_fragment(protocol: u8) -> Result<Self, Self> {
        const IPV6_EXTENSIONS: [u8; 5] = [0, 43, 51, 60, 135];
        match protocol {
            4 | 6 | 41 | 47 => Ok(Self::Fragment),
            17 => Ok(Self::Udp),
            other if IPV6_EXTENSIONS.contains(&other) => Ok(Self::Fragment),
            other => Err(Self::of_protocol(other)),
        }
    }

    /// The name in JSON.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::UnsupportedLinkType => "unsupported_link_type",
            Self::Arp => "arp",
            Self::NotIp => "not_ip",
            Self::Quic => "quic",
            Self::Udp => "udp",
            Self::Icmp => "icmp",
            Self::Encrypted => "encrypted",
            Self::OtherIpProtocol => "other_ip_protocol",
            Self::Fragment => "fragment",
            Self::Truncated => "truncated",
            Self::BadLength => "bad_length",
            Self::TooManyLayers => "too_many_layers",
        }
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnsupportedLinkType => "unsupported link type",
            Self::Arp => "ARP",
            Self::NotIp => "not IP",
            Self::Quic => "QUIC (UDP port 443)",
            Self::Udp => "UDP",
            Self::Icmp => "ICMP",
            Self::Encrypted => "encrypted",
            Self::OtherIpProtocol => "another IP protocol",
            Self::Fragment => "part of a datagram, put together later",
            Self::Truncated => "header cut off",
            Self::BadLength => "contradictory length",
            Self::TooManyLayers => "too many headers",
        })
    }
}

//! Link layers, and what stands between them and IP.

use super::ip;
use super::packet::{HostHeader, Next, Packet, RadioHeader};
use super::scope::Step;
use super::skip::Skip;
use crate::capture::LinkType;

/// The first layer of a link type (<https://www.tcpdump.org/linktypes.html>).
pub(super) fn first(link_type: LinkType) -> Result<Next, Skip> {
    Ok(match link_type.0 {
        0 | 108 => Next::Null,
        1 => Next::Ethernet,
        9 | 50 | 166 => Next::Ppp,
        10 => Next::Fddi,
        12 | 14 | 101 => Next::Ip,
        51 => Next::Pppoe,
        104 => Next::CiscoHdlc,
        105 => Next::Ieee80211 { is_padded: false },
        109 => Next::Host(HostHeader::Enc),
        113 => Next::LinuxCooked,
        117 => Next::Host(HostHeader::Pflog),
        119 => Next::Radio(RadioHeader::Prism),
        127 => Next::Radio(RadioHeader::Radiotap),
        163 => Next::Radio(RadioHeader::Avs),
        192 => Next::Radio(RadioHeader::Ppi),
        204 => Next::PppWithDirection,
        228 => Next::Ipv4,
        229 => Next::Ipv6,
        239 => Next::Host(HostHeader::Nflog),
        258 => Next::Host(HostHeader::Pktap),
        276 => Next::LinuxCooked2,
        _ => return Err(Skip::UnsupportedLinkType),
    })
}

pub(super) fn ethernet(packet: &mut Packet<'_>) -> Result<Next, Skip> {
    let header = packet.take::<14>()?;
    let ether_type = u16::from_be_bytes([header[12], header[13]]);
    if ether_type >= ETHER_TYPE_MIN { Ok(Next::EtherType(ether_type)) } else { llc(packet) }
}

/// IEEE 802.2 LLC with SNAP (RFC 1042).
pub(super) fn llc(packet: &mut Packet<'_>) -> Result<Next, Skip> {
    match *packet.take::<8>()? {
        [0xaa, 0xaa, 0x03, _, _, _, high, low] => {
            Ok(Next::EtherType(u16::from_be_bytes([high, low])))
        }
        _ => Err(Skip::NotIp),
    }
}

/// Below it the field is a length (IEEE 802.3).
const ETHER_TYPE_MIN: u16 = 0x0600;

pub(super) fn above_ether_type(packet: &mut Packet<'_>, ether_type: u16) -> Result<Next, Skip> {
    match ether_type {
        0x0800 => Ok(Next::Ipv4),
        0x86dd => Ok(Next::Ipv6),
        0x0806 | 0x8035 => Err(Skip::Arp),
        // IEEE 802.1Q, 802.1ad, and what QinQ used before it.
        0x8100 | 0x88a8 | 0x9100 | 0x9200 => vlan(packet),
        0x8847 | 0x8848 => mpls(packet),
        0x8864 => Ok(Next::Pppoe),
        0x6558 => Ok(Next::Ethernet), // transparent Ethernet bridging
        0x880b => Ok(Next::Ppp),
        other if other < ETHER_TYPE_MIN => llc(packet),
        _ => Err(Skip::NotIp),
    }
}

fn vlan(packet: &mut Packet<'_>) -> Result<Next, Skip> {
    let [tag_high, tag_low, high, low] = *packet.take::<4>()?;
    packet.scope_mut().push(Step::Vlan(u16::from_be_bytes([tag_high, tag_low]) & 0x0fff));
    Ok(Next::EtherType(u16::from_be_bytes([high, low])))
}

/// One label stack entry (RFC 3032). Labels differ between the two directions, so they are no part
/// of the scope.
fn mpls(packet: &mut Packet<'_>) -> Result<Next, Skip> {
    let [_, _, bottom, _] = *packet.take::<4>()?;
    if bottom & 1 == 0 {
        return Ok(Next::EtherType(0x8847));
    }
    below_labels(packet)
}

/// No field tells what stands below the bottom label. IP begins with its version; an Ethernet
/// pseudowire with a control word, which begins with zero (RFC 4448 section 4.6), or without one,
/// with an address that may begin with the same digits (RFC 4928 section 3).
fn below_labels(packet: &mut Packet<'_>) -> Result<Next, Skip> {
    match packet.peek::<1>().ok_or(Skip::Truncated)?[0] >> 4 {
        4 | 6 if ip::has_fitting_length(packet) => Ok(Next::Ip),
        _ if is_ethernet(packet.bytes()) => Ok(Next::Ethernet),
        0 => {
            packet.take::<4>()?;
            Ok(Next::Ethernet)
        }
        _ => Ok(Next::Ip),
    }
}

/// Whether `bytes` begin with an Ethernet header that leads to IP or PPPoE. Behind a control word
/// the place of the type holds part of an address, which hardly ever looks like that.
fn is_ethernet(bytes: &[u8]) -> bool {
    const TAGS_MAX: usize = 4;
    let mut behind = bytes.get(12..).unwrap_or_default();
    for _ in 0..=TAGS_MAX {
        behind = match behind {
            // The last is PPPoE's version and type (RFC 2516 section 4).
            [0x08, 0x00, 0x45..=0x4f, ..]
            | [0x86, 0xdd, 0x60..=0x6f, ..]
            | [0x88, 0x64, 0x11, ..] => return true,
            [0x81 | 0x91 | 0x92, 0x00, _, _, rest @ ..] | [0x88, 0xa8, _, _, rest @ ..] => rest,
            _ => return false,
        };
    }
    false
}

/// PPPoE session (RFC 2516 section 4). Its length tells the payload from padding, which some routers
/// count in IP's total length; zero is what segmentation offload leaves.
pub(super) fn pppoe(packet: &mut Packet<'_>) -> Result<Next, Skip> {
    let [_, _, _, _, high, low] = *packet.take::<6>()?;
    let len = usize::from(u16::from_be_bytes([high, low]));
    if len > 0 {
        packet.limit(len);
    }
    Ok(Next::Ppp)
}

/// PPP (RFC 1661), with or without address and control octets (RFC 1662), its protocol field one
/// or two octets long.
pub(super) fn ppp(packet: &mut Packet<'_>) -> Result<Next, Skip> {
    if let Some([0xff, 0x03] | [0x0f | 0x8f, 0x00]) = packet.peek::<2>() {
        let [address, _] = *packet.take::<2>()?;
        if address != 0xff {
            let [high, low] = *packet.take::<2>()?; // Cisco HDLC framing
            return Ok(Next::EtherType(u16::from_be_bytes([high, low])));
        }
    }
    let [first] = *packet.take::<1>()?;
    let protocol = if first & 1 == 1 {
        u16::from(first)
    } else {
        let [low] = *packet.take::<1>()?;
        u16::from_be_bytes([first, low])
    };
    match protocol {
        0x0021 => Ok(Next::Ipv4),
        0x0057 => Ok(Next::Ipv6),
        0x0281 => Ok(Next::EtherType(0x8847)),
        _ => Err(Skip::NotIp),
    }
}

/// BSD loopback: the address family in the byte order of the capturing host (`LINKTYPE_NULL`) or
/// in network order (`LINKTYPE_LOOP`).
pub(super) fn null(packet: &mut Packet<'_>) -> Result<Next, Skip> {
    let octets = *packet.take::<4>()?;
    let family = u32::from_be_bytes(octets).min(u32::from_le_bytes(octets));
    match family {
        2 => Ok(Next::Ipv4),
        10 | 24 | 28 | 30 => Ok(Next::Ipv6),
        _ => Err(Skip::NotIp),
    }
}

//! IPv4 (RFC 791) and IPv6 (RFC 8200) headers. Lengths come from the header, whatever the snap
//! length kept; where the header says zero (segmentation offload, jumbograms), or more than was on
//! the wire (a damaged header, a frame cut by a tool that forgot its length), from the frame.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::datagram::{Fragment, IpHeader};
use super::packet::{Next, Packet};
use super::skip::Skip;

/// IP protocol number.
pub(super) const TCP: u8 = 6;

/// IPv4 or IPv6, by the version field.
pub(super) fn version(packet: &Packet<'_>) -> Result<Next, Skip> {
    match packet.peek::<1>().ok_or(Skip::Truncated)?[0] >> 4 {
        4 => Ok(Next::Ipv4),
        6 => Ok(Next::Ipv6),
        _ => Err(Skip::NotIp),
    }
}

/// Whether the length that stands where an IP header has its own fits the frame: what is taken for IP
/// by its first digit may be anything.
pub(super) fn has_fitting_length(packet: &Packet<'_>) -> bool {
    let wire_len = packet.wire_len();
    let len = |high, low| usize::from(u16::from_be_bytes([high, low]));
    match *packet.bytes() {
        [first @ 0x45..=0x4f, _, high, low, ..] => {
            let header_len = usize::from(first & 0x0f).saturating_mul(4);
            let total_len = len(high, low);
            total_len == 0 || (header_len..=wire_len).contains(&total_len)
        }
        [0x60..=0x6f, _, _, _, high, low, ..] => len(high, low).saturating_add(40) <= wire_len,
        _ => false,
    }
}

/// Takes an IPv4 header off.
pub(super) fn v4(packet: &mut Packet<'_>) -> Result<IpHeader, Skip> {
    let wire_len = packet.wire_len();
    let fixed = packet.take::<20>()?;
    let header_len = usize::from(fixed[0] & 0x0f).saturating_mul(4);
    let options_len = header_len.checked_sub(fixed.len()).ok_or(Skip::BadLength)?;
    if fixed[0] >> 4 != 4 {
        return Err(Skip::NotIp);
    }
    packet.take_slice(options_len)?;
    let total_len = match u16::from_be_bytes([fixed[2], fixed[3]]) {
        0 => wire_len,
        len => usize::from(len).min(wire_len),
    };
    let payload_len = total_len.checked_sub(header_len).ok_or(Skip::BadLength)?;
    packet.limit(payload_len);
    let id = u16::from_be_bytes([fixed[4], fixed[5]]);
    let flags = u16::from_be_bytes([fixed[6], fixed[7]]);
    let offset = u32::from(flags & 0x1fff).saturating_mul(8);
    let has_more = flags & 0x2000 != 0;
    let mut header = IpHeader {
        src: Ipv4Addr::new(fixed[12], fixed[13], fixed[14], fixed[15]).into(),
        dst: Ipv4Addr::new(fixed[16], fixed[17], fixed[18], fixed[19]).into(),
        protocol: fixed[9],
        id: (id != 0).then_some(id),
        ttl: fixed[8],
        payload_len: u32::try_from(payload_len).unwrap_or(u32::MAX),
        fragment: (offset > 0 || has_more).then_some(Fragment { id: id.into(), offset, has_more }),
    };
    extensions(packet, &mut header)?;
    Ok(header)
}

/// Takes an IPv6 header and its extension headers off.
pub(super) fn v6(packet: &mut Packet<'_>) -> Result<IpHeader, Skip> {
    let fixed = packet.take::<40>()?;
    if fixed[0] >> 4 != 6 {
        return Err(Skip::NotIp);
    }
    let payload_len = match u16::from_be_bytes([fixed[4], fixed[5]]) {
        0 => packet.wire_len(),
        len => usize::from(len).min(packet.wire_len()),
    };
    packet.limit(payload_len);
    let mut header = IpHeader {
        src: v6_address(fixed, 8),
        dst: v6_address(fixed, 24),
        protocol: fixed[6],
        id: None,
        ttl: fixed[7],
        payload_len: u32::try_from(payload_len).unwrap_or(u32::MAX),
        fragment: None,
    };
    extensions(packet, &mut header)?;
    Ok(header)
}

/// The header of a datagram of which `fragment` was the last part to come; `packet` holds what
/// follows the header.
pub(super) fn joined(packet: &mut Packet<'_>, fragment: &IpHeader) -> Result<IpHeader, Skip> {
    let payload_len = u32::try_from(packet.wire_len()).unwrap_or(u32::MAX);
    let mut header = IpHeader { payload_len, fragment: None, ..*fragment };
    extensions(packet, &mut header)?;
    Ok(header)
}

/// Extension headers passed over in one packet.
const EXTENSIONS_MAX: usize = 16;

/// Passes over extension headers (RFC 8200 section 4), of which IPv4 knows only authentication
/// (RFC 4302), up to the upper layer or to what a fragment holds of it.
fn extensions(packet: &mut Packet<'_>, header: &mut IpHeader) -> Result<(), Skip> {
    for _ in 0..EXTENSIONS_MAX {
        let is_known = header.src.is_ipv6() || header.protocol == AUTHENTICATION;
        if header.fragment.is_some() || !is_known {
            return Ok(());
        }
        let len = match header.protocol {
            HOP_BY_HOP | ROUTING | DESTINATION | MOBILITY => {
                let [_, len] = *packet.peek::<2>().ok_or(Skip::Truncated)?;
                usize::from(len).saturating_add(1).saturating_mul(8)
            }
            AUTHENTICATION => {
                let [_, len] = *packet.peek::<2>().ok_or(Skip::Truncated)?;
                usize::from(len).saturating_add(2).saturating_mul(4)
            }
            FRAGMENT => 8,
            _ => return Ok(()),
        };
        let taken = packet.take_slice(len)?;
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        header.payload_len = header.payload_len.checked_sub(len).ok_or(Skip::BadLength)?;
        let protocol = std::mem::replace(&mut header.protocol, *taken.first().unwrap_or(&NONE));
        match protocol {
            FRAGMENT => header.fragment = v6_fragment(taken),
            ROUTING => header.dst = final_destination(taken).unwrap_or(header.dst),
            _ => {}
        }
    }
    Err(Skip::TooManyLayers)
}

const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const NONE: u8 = 59;
const DESTINATION: u8 = 60;
const MOBILITY: u8 = 135;

/// Where a packet with segments left goes in the end. The IPv6 header names only the next segment; the
/// connection's end is the last one, as in TCP's pseudo-header (RFC 8200 section 8.1). It stands first:
/// as `Segment List[0]` (RFC 8754 section 2), as home address (RFC 6275 section 6.4.1). `None` if the
/// packet is there, or its routing is of another type.
fn final_destination(routing: &[u8]) -> Option<IpAddr> {
    const HOME_ADDRESS: u8 = 2;
    const SEGMENT_ROUTING: u8 = 4;
    let (fixed, addresses) = routing.split_first_chunk::<8>()?;
    let [_, _, kind, segments_left, ..] = *fixed;
    if segments_left == 0 || !matches!(kind, HOME_ADDRESS | SEGMENT_ROUTING) {
        return None;
    }
    addresses.first_chunk::<16>().map(|address| Ipv6Addr::from(*address).into())
}

/// `None` for an atomic fragment (RFC 6946): the whole datagram is here.
fn v6_fragment(header: &[u8]) -> Option<Fragment> {
    let [_, _, high, low, id @ ..] = *header.first_chunk::<8>()?;
    let field = u16::from_be_bytes([high, low]);
    let (offset, has_more) = (u32::from(field & 0xfff8), field & 1 == 1);
    let id = u32::from_be_bytes(id);
    (offset > 0 || has_more).then_some(Fragment { id, offset, has_more })
}

fn v6_address(header: &[u8; 40], at: usize) -> IpAddr {
    let octets: [u8; 16] =
        header.get(at..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default();
    Ipv6Addr::from(octets).into()
}

//! Nearly all frames at once: TCP in IP without options or extension headers, right behind a link
//! header of fixed length. Each header is one array, so that its fields are read without further
//! bounds checks, and nothing is copied from layer to layer: a quarter of the time that the layers
//! take one by one (`benches/decode.rs`: `decode/plain`). Gives only what they would give, and
//! leaves them all that is not quite plain; `properties.rs` holds the two against each other.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::datagram::IpHeader;
use super::ip;
use super::{Scope, Segment, read};
use crate::capture::Frame;

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;

/// Reads the `segment` of a plain frame; `None` if it is not one, or not whole.
#[inline(always)]
#[expect(clippy::inline_always, reason = "it is called once, for each frame: `decode/plain`")]
pub(super) fn decode(frame: &Frame<'_>, segment: &mut Segment) -> Option<()> {
    let wire_len = frame.wire_len as usize;
    let (ether_type, datagram, wire_len) = match frame.link_type.0 {
        1 => {
            let (header, rest) = frame.bytes.split_first_chunk::<14>()?;
            (u16::from_be_bytes([header[12], header[13]]), rest, wire_len.checked_sub(14)?)
        }
        // Linux cooked, versions 1 and 2.
        113 => {
            let (header, rest) = frame.bytes.split_first_chunk::<16>()?;
            (u16::from_be_bytes([header[14], header[15]]), rest, wire_len.checked_sub(16)?)
        }
        276 => {
            let (header, rest) = frame.bytes.split_first_chunk::<20>()?;
            (u16::from_be_bytes([header[0], header[1]]), rest, wire_len.checked_sub(20)?)
        }
        _ => return None,
    };
    match ether_type {
        IPV4 => read_whole(frame, v4(datagram, wire_len)?, segment),
        IPV6 => read_whole(frame, v6(datagram, wire_len)?, segment),
        _ => None,
    }
}

/// Reads the segment behind an IP header; not one whose TCP header was cut.
#[inline(always)]
#[expect(clippy::inline_always, reason = "it is half of [`decode`]")]
fn read_whole(
    frame: &Frame<'_>,
    (header, bytes): (IpHeader, &[u8]),
    segment: &mut Segment,
) -> Option<()> {
    bytes.first_chunk::<20>()?;
    read(frame, (Scope(0), &header), bytes, segment).ok()
}

/// A header without options, of a datagram that is whole and holds TCP; and what follows it.
#[inline]
fn v4(datagram: &[u8], wire_len: usize) -> Option<(IpHeader, &[u8])> {
    let (fixed, rest) = datagram.split_first_chunk::<20>()?;
    let total_len = u16::from_be_bytes([fixed[2], fixed[3]]);
    let is_fragment = u16::from_be_bytes([fixed[6], fixed[7]]) & 0x3fff != 0;
    if fixed[0] != 0x45 || fixed[9] != ip::TCP || is_fragment || usize::from(total_len) > wire_len {
        return None;
    }
    let id = u16::from_be_bytes([fixed[4], fixed[5]]);
    let header = IpHeader {
        src: Ipv4Addr::new(fixed[12], fixed[13], fixed[14], fixed[15]).into(),
        dst: Ipv4Addr::new(fixed[16], fixed[17], fixed[18], fixed[19]).into(),
        protocol: ip::TCP,
        id: (id != 0).then_some(id),
        ttl: fixed[8],
        // A total length of 0 is none.
        payload_len: u32::from(total_len).checked_sub(20)?,
        fragment: None,
    };
    Some((header, rest))
}

/// The same of IPv6.
#[inline]
fn v6(datagram: &[u8], wire_len: usize) -> Option<(IpHeader, &[u8])> {
    let (fixed, rest) = datagram.split_first_chunk::<40>()?;
    let payload_len = u16::from_be_bytes([fixed[4], fixed[5]]);
    let is_whole = payload_len != 0 && usize::from(payload_len).saturating_add(40) <= wire_len;
    if fixed[0] >> 4 != 6 || fixed[6] != ip::TCP || !is_whole {
        return None;
    }
    let (_, addresses) = fixed.split_first_chunk::<8>()?;
    let (src, dst) = addresses.split_first_chunk::<16>()?;
    let header = IpHeader {
        src: Ipv6Addr::from(*src).into(),
        dst: Ipv6Addr::from(*dst.first_chunk::<16>()?).into(),
        protocol: ip::TCP,
        id: None,
        ttl: fixed[7],
        payload_len: u32::from(payload_len),
        fragment: None,
    };
    Some((header, rest))
}

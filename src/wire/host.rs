//! What a host's own capture facility puts in front of a packet: macOS' `pktap`, Linux' netfilter log,
//! BSD's packet filter log and IPsec interface.

use super::link;
use super::packet::{HostHeader, Next, Packet};
use super::skip::Skip;
use crate::capture::LinkType;

/// `NFULA_PAYLOAD` of Linux' `nfnetlink_log.h`.
const NFLOG_PAYLOAD: u16 = 9;
/// `PTH_TYPE_PACKET` of Darwin's `pktap.h`: a packet follows.
const PKTAP_PACKET: u32 = 1;

/// Takes the header off.
pub(super) fn strip(packet: &mut Packet<'_>, header: HostHeader) -> Result<Next, Skip> {
    match header {
        HostHeader::Pktap => pktap(packet),
        HostHeader::Nflog => nflog(packet),
        HostHeader::Pflog => {
            let [len] = *packet.peek::<1>().ok_or(Skip::Truncated)?;
            packet.take_slice(padded(u16::from(len)))?;
            Ok(Next::Ip)
        }
        HostHeader::Enc => {
            packet.take::<12>()?;
            Ok(Next::Ip)
        }
    }
}

/// Length, kind and link type first, in the byte order of the host: little-endian since 2006.
fn pktap(packet: &mut Packet<'_>) -> Result<Next, Skip> {
    let head = packet.peek::<12>().ok_or(Skip::Truncated)?;
    let word = |at: usize| {
        let octets = head.get(at..).and_then(|rest| rest.first_chunk::<4>()).copied();
        octets.map(u32::from_le_bytes).unwrap_or_default()
    };
    let len = usize::try_from(word(0)).unwrap_or(usize::MAX);
    if len < head.len() {
        return Err(Skip::BadLength);
    }
    if word(4) != PKTAP_PACKET {
        return Err(Skip::NotIp);
    }
    packet.take_slice(len)?;
    link::first(LinkType(word(8)))
}

/// Attributes up to the packet, their numbers in the byte order of the host. Those before the packet are
/// short: the order in which the first one's length is smaller is the right one.
fn nflog(packet: &mut Packet<'_>) -> Result<Next, Skip> {
    packet.take::<4>()?;
    let [first, second, ..] = *packet.peek::<4>().ok_or(Skip::Truncated)?;
    let is_little = u16::from_le_bytes([first, second]) < u16::from_be_bytes([first, second]);
    let number = |octets: [u8; 2]| {
        if is_little { u16::from_le_bytes(octets) } else { u16::from_be_bytes(octets) }
    };
    loop {
        let [len_0, len_1, kind_0, kind_1] = *packet.take::<4>()?;
        let body_len = number([len_0, len_1]).checked_sub(4).ok_or(Skip::BadLength)?;
        if number([kind_0, kind_1]) == NFLOG_PAYLOAD {
            return Ok(Next::Ip);
        }
        packet.take_slice(padded(body_len))?;
    }
}

/// Up to the next multiple of four.
fn padded(len: u16) -> usize {
    usize::from(len).next_multiple_of(4)
}

//! What routers say of packets that are too large for their next link: ICMP "fragmentation needed" (RFC 792,
//! type 3 code 4) with the MTU of RFC 1191 section 4, and ICMPv6 "packet too big" (RFC 4443 section 3.2). The
//! packet stands in it, as far as to tell its connection. It is kept beside the segments, which it is none
//! of.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::datagram::{ICMP, ICMP_V6, IpHeader};
use super::ip::{self, TCP};
use super::packet::Packet;
use super::{Endpoint, Scope};
use crate::capture::Frame;
use crate::units::{FrameNumber, Timestamp};

/// What was said of the packets of one direction of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooBig {
    /// The router that said so first.
    pub(crate) router: IpAddr,
    /// The smallest MTU that was named; `None` where none was, as by routers before RFC 1191.
    pub(crate) mtu: Option<u32>,
    pub(crate) count: u64,
    pub(crate) first: (FrameNumber, Timestamp),
}

/// Of which connection: the packet's source and destination.
pub(crate) type Ends = (Endpoint, Endpoint);

/// All that was said.
#[derive(Debug, Default)]
pub(super) struct TooBigs {
    said: BTreeMap<(Scope, Ends), TooBig>,
}

impl TooBigs {
    /// Directions kept, of 130 octets each.
    const KEPT_MAX: usize = 4096;

    /// Takes an ICMP message, the header of whose datagram was taken off `packet`.
    #[cold]
    pub(super) fn take(&mut self, frame: &Frame<'_>, packet: &Packet<'_>, header: &IpHeader) {
        let Some((mtu, ends)) = read(packet, header.protocol) else { return };
        let key = (packet.scope().id(), ends);
        let is_room = self.said.len() < Self::KEPT_MAX;
        if let Some(known) = self.said.get_mut(&key) {
            known.count = known.count.saturating_add(1);
            known.mtu = known.mtu.into_iter().chain(mtu).min();
        } else if is_room {
            let first = (frame.number, frame.time);
            self.said.insert(key, TooBig { router: header.src, mtu, count: 1, first });
        }
    }

    pub(super) fn get(&self, scope: Scope, ends: Ends) -> Option<&TooBig> {
        self.said.get(&(scope, ends))
    }
}

/// The MTU that is named, and whose packet it was; `None` of any other message.
fn read(packet: &Packet<'_>, protocol: u8) -> Option<(Option<u32>, Ends)> {
    let (icmp, inner) = packet.bytes().split_first_chunk::<8>()?;
    let [kind, code, _, _, m0, m1, m2, m3] = *icmp;
    let len = u32::try_from(inner.len()).unwrap_or(u32::MAX);
    let mut inner = Packet::joined(inner, len, packet.scope().clone());
    let (mtu, dropped) = match (protocol, kind, code) {
        (ICMP, 3, 4) => (u32::from(u16::from_be_bytes([m2, m3])), ip::v4(&mut inner)),
        (ICMP_V6, 2, _) => (u32::from_be_bytes([m0, m1, m2, m3]), ip::v6(&mut inner)),
        _ => return None,
    };
    let dropped = dropped.ok().filter(|dropped| dropped.protocol == TCP)?;
    let [s0, s1, d0, d1] = *inner.peek::<4>()?;
    let src = Endpoint { addr: dropped.src, port: u16::from_be_bytes([s0, s1]) };
    let dst = Endpoint { addr: dropped.dst, port: u16::from_be_bytes([d0, d1]) };
    Some(((mtu > 0).then_some(mtu), (src, dst)))
}

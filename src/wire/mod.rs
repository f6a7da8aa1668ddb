//! What does this frame say? Takes a [`Frame`], gives a [`Segment`] or the
//! reason why not. Reads header fields and judges nothing; knows no other frames, but for
//! bounded tables: of IP fragments to put together, of networks, and of frames that a router found too big.

mod below_ip;
mod datagram;
mod end;
mod fragment;
mod host;
mod ip;
mod link;
mod packet;
mod plain;
#[cfg(test)]
mod properties;
mod scope;
mod skip;
mod tcp;
mod tcp_options;
#[cfg(test)]
mod tests;
mod too_big;
mod tunnel;
mod wifi;

pub(crate) use end::{End, Endpoint};
pub(crate) use scope::Scope;
pub(crate) use skip::Skip;
pub(crate) use too_big::TooBig;

use crate::capture::Frame;
use crate::units::{FrameNumber, SeqNum, Timestamp, WindowShift};
use datagram::IpHeader;
use fragment::FragmentTable;
use packet::{Next, Packet};
use scope::ScopeNames;
use tcp::TcpHeader;
use too_big::TooBigs;

/// Decodes frames. It remembers nothing of a frame but fragments of datagrams not yet whole, the
/// names of scopes and what routers said, all bounded.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    fragments: FragmentTable,
    scopes: ScopeNames,
    too_big: TooBigs,
}

impl Decoder {
    /// Headers of any kind in one frame; more are not decoded. Real stacks stay below ten.
    pub(crate) const LAYERS_MAX: u32 = 16;

    /// Finds the TCP segment in a frame.
    ///
    /// # Errors
    /// The reason why there is none.
    pub(crate) fn decode(&mut self, frame: &Frame<'_>) -> Result<Segment, Skip> {
        let mut segment = Segment::default();
        self.decode_into(frame, &mut segment).map(|()| segment)
    }

    /// Puts the TCP segment of a frame into `segment`, which means nothing where there is none. A
    /// segment is long: to hand it from function to function takes as long as to decode it.
    ///
    /// # Errors
    /// As [`Self::decode`].
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each frame: `decode/plain`")]
    pub(crate) fn decode_into(
        &mut self,
        frame: &Frame<'_>,
        segment: &mut Segment,
    ) -> Result<(), Skip> {
        match plain::decode(frame, segment) {
            Some(()) => Ok(()),
            None => self.decode_layers(frame, segment),
        }
    }

    /// The same for any frame, header by header.
    #[inline(never)]
    fn decode_layers(&mut self, frame: &Frame<'_>, segment: &mut Segment) -> Result<(), Skip> {
        let mut joined: Vec<u8>;
        let mut packet = Packet::new(frame);
        let mut unsent: u32 = 0;
        let mut next = link::first(frame.link_type)?;
        for _ in 0..Self::LAYERS_MAX {
            next = match next {
                Next::Ip => ip::version(&packet)?,
                Next::Ipv4 => Next::Datagram(ip::v4(&mut packet)?),
                Next::Ipv6 => Next::Datagram(ip::v6(&mut packet)?),
                Next::Datagram(header) if header.fragment.is_some() => {
                    let scope = packet.scope().clone();
                    let fragment = Skip::of_fragment(header.protocol)?;
                    let whole =
                        self.fragments.on_fragment(frame.time, scope.id(), &header, packet.bytes());
                    let datagram = whole.ok_or(fragment)?;
                    joined = datagram.head;
                    packet = Packet::joined(&joined, datagram.len, scope);
                    Next::Datagram(ip::joined(&mut packet, &header)?)
                }
                Next::Datagram(header) if header.protocol == ip::TCP => {
                    let scope = self.scopes.name(packet.scope());
                    read(frame, (scope, &header), packet.bytes(), segment)?;
                    segment.headers_len = segment.headers_len.saturating_sub(unsent);
                    return Ok(());
                }
                Next::Host(_) | Next::Radio(_) => {
                    let inner = below_ip::strip(&mut packet, next)?;
                    // What the host or the driver put in front was on no wire.
                    let sent = u32::try_from(packet.wire_len()).unwrap_or(u32::MAX);
                    unsent = frame.wire_len.saturating_sub(sent);
                    inner
                }
                Next::Datagram(header)
                    if matches!(header.protocol, datagram::ICMP | datagram::ICMP_V6) =>
                {
                    self.too_big.take(frame, &packet, &header);
                    return Err(Skip::Icmp);
                }
                Next::Datagram(header) => tunnel::enter(&mut packet, &header)?,
                _ => below_ip::strip(&mut packet, next)?,
            };
        }
        Err(Skip::TooManyLayers)
    }

    /// What a scope stands for, `vlan 100` for example; `None` for the plain one.
    pub(crate) fn scope_name(&self, scope: Scope) -> Option<&str> {
        self.scopes.get(scope)
    }

    /// What routers said of packets from one end to another; `None` if nothing was.
    pub(crate) fn too_big(&self, scope: Scope, src: Endpoint, dst: Endpoint) -> Option<&TooBig> {
        self.too_big.get(scope, (src, dst))
    }

    /// Fragmented datagrams that never were whole, for want of fragments or of room.
    pub(crate) fn incomplete_datagrams_count(&self) -> u64 {
        self.fragments.incomplete_count()
    }
}

/// Reads the `segment` whose header stands at the start of `bytes`, in a datagram with the header `ip`.
#[inline(always)]
#[expect(clippy::inline_always, reason = "what is known of the IP header saves half of the work")]
fn read(
    frame: &Frame<'_>,
    (scope, ip): (Scope, &IpHeader),
    bytes: &[u8],
    segment: &mut Segment,
) -> Result<(), Skip> {
    let (tcp, options) = TcpHeader::parse(bytes)?;
    let header_len = tcp.header_len()?;
    let payload_len = ip.payload_len.checked_sub(header_len).ok_or(Skip::BadLength)?;
    *segment = Segment {
        frame: frame.number,
        time: frame.time,
        scope,
        src: Endpoint { addr: ip.src, port: tcp.src_port() }.into(),
        dst: Endpoint { addr: ip.dst, port: tcp.dst_port() }.into(),
        ip_id: ip.id,
        ttl: ip.ttl,
        seq: tcp.seq(),
        ack: tcp.ack(),
        flags: tcp.flags(),
        window_unscaled: tcp.window_unscaled(),
        payload_len,
        headers_len: frame.wire_len.saturating_sub(payload_len),
        options: TcpOptions::default(),
    };
    tcp_options::parse(options, header_len, &mut segment.options);
    Ok(())
}

/// One TCP segment as it stood on the wire (or a super-frame of several, see `payload_len`).
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) frame: FrameNumber,
    pub(crate) time: Timestamp,
    /// Keeps equal tuples of different VLANs, VNIs or tunnels apart.
    pub(crate) scope: Scope,
    pub(crate) src: End,
    pub(crate) dst: End,
    /// IPv4 identification; `None` for IPv6 and atomic datagrams' zero.
    pub(crate) ip_id: Option<u16>,
    /// Time to live (RFC 791), or hop limit: one less for each router on the way.
    pub(crate) ttl: u8,
    pub(crate) seq: SeqNum,
    /// `None` without the ACK flag.
    pub(crate) ack: Option<SeqNum>,
    pub(crate) flags: TcpFlags,
    pub(crate) window_unscaled: u16,
    /// Payload octets by the IP header's length, whatever the snap length kept; by the frame's
    /// length where the IP header says 0 (segmentation offload). Above one SMSS: a super-frame.
    pub(crate) payload_len: u32,
    /// The rest of the frame on the wire: headers of all layers, padding; not what a host's capture facility
    /// or a radio's driver put in front. Zero where the segment was
    /// put together of fragments.
    pub(crate) headers_len: u32,
    pub(crate) options: TcpOptions,
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
    pub(crate) const ECE: u16 = 0x40;
    pub(crate) const CWR: u16 = 0x80;
    pub(crate) const AE: u16 = 0x100;

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
    /// Multipath TCP (RFC 8684): in a SYN, the offer of it.
    pub(crate) is_multipath: bool,
    /// The snap length or a bad length octet ended the options early.
    pub(crate) is_cut: bool,
}

/// The timestamps option (RFC 7323 section 3).
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TcpTimestamps {
    pub(crate) value: u32,
    pub(crate) echo: u32,
}

impl TcpTimestamps {
    /// Whether `value` is newer `than` another of the same clock (RFC 7323 section 5.2).
    pub(crate) fn is_newer(value: u32, than: u32) -> bool {
        value != than && value.wrapping_sub(than) < 1 << 31
    }
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

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn as_slice(&self) -> &[(SeqNum, SeqNum)] {
        self.blocks.get(..usize::from(self.count)).unwrap_or_default()
    }
}

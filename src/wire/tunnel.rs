//! What may stand between one IP header and the next.

use super::datagram::IpHeader;
use super::ip::TCP;
use super::packet::{Next, Packet};
use super::scope::Step;
use super::skip::Skip;

/// Takes the header above `ip` off if it opens a tunnel.
///
/// # Errors
/// The protocol, if it is neither TCP nor a tunnel.
pub(super) fn enter(packet: &mut Packet<'_>, ip: &IpHeader) -> Result<Next, Skip> {
    debug_assert_ne!(ip.protocol, TCP, "TCP is no tunnel");
    let next = match ip.protocol {
        4 => Ok(step(packet, Step::IpInIp, Next::Ipv4)),
        41 => Ok(step(packet, Step::IpInIp, Next::Ipv6)),
        17 => udp(packet),
        47 => gre(packet),
        other => Err(Skip::of_protocol(other)),
    }?;
    packet.scope_mut().push_ends(ip.src, ip.dst);
    Ok(next)
}

fn step(packet: &mut Packet<'_>, step: Step, next: Next) -> Next {
    packet.scope_mut().push(step);
    next
}

/// Tunnels over UDP, by the well-known destination port.
fn udp(packet: &mut Packet<'_>) -> Result<Next, Skip> {
    let header = packet.take::<8>().map_err(|_| Skip::Udp)?;
    let src = u16::from_be_bytes([header[0], header[1]]);
    let dst = u16::from_be_bytes([header[2], header[3]]);
    match (src, dst) {
        (_, 4789 | 8472) => vxlan(packet),
        (_, 4790) => vxlan_gpe(packet),
        (_, 6081) => geneve(packet),
        (_, 2152) => gtp_u(packet),
        (443, _) | (_, 443) => Err(Skip::Quic),
        _ => Err(Skip::Udp),
    }
}

/// VXLAN (RFC 7348 section 5).
fn vxlan(packet: &mut Packet<'_>) -> Result<Next, Skip> {
    let header = packet.take::<8>()?;
    let has_vni = header[0] & 0x08 != 0;
    if !has_vni {
        return Err(Skip::Udp);
    }
    let vni = u32::from_be_bytes([0, header[4], header[5], header[6]]);
    Ok(step(packet, Step::Vxlan(vni), Next::Ethernet))
}

/// VXLAN-GPE (draft-ietf-nvo3-vxlan-gpe section 3): names what it carries where the P flag is set; Ethernet
/// without, as VXLAN does.
fn vxlan_gpe(packet: &mut Packet<'_>) -> Result<Next, Skip> {
    let [flags, _, _, protocol, ..] = *packet.peek::<8>().ok_or(Skip::Truncated)?;
    let next = match protocol {
        _ if flags & 0x04 == 0 => Next::Ethernet,
        1 => Next::Ipv4,
        2 => Next::Ipv6,
        3 => Next::Ethernet,
        _ => return Err(Skip::Udp),
    };
    vxlan(packet).map(|_| next)
}

/// Geneve (RFC 8926 section 3.4).
fn geneve(packet: &mut Packet<'_>) -> Result<Next, Skip> {
    let header = packet.take::<8>()?;
    packet.take_slice(usize::from(header[0] & 0x3f).saturating_mul(4))?;
    let vni = u32::from_be_bytes([0, header[4], header[5], header[6]]);
    let ether_type = u16::from_be_bytes([header[2], header[3]]);
    Ok(step(packet, Step::Geneve(vni), Next::EtherType(ether_type)))
}

/// GTP-U (3GPP TS 29.281 section 5). The tunnel id differs between the two directions, so it is no
/// part of the scope.
fn gtp_u(packet: &mut Packet<'_>) -> Result<Next, Skip> {
    const G_PDU: u8 = 255;
    let header = packet.take::<8>()?;
    // Version 1; protocol type 1, for 0 is GTP', which carries charging data.
    let is_version_1 = header[0] >> 4 == 0b0011;
    if !is_version_1 || header[1] != G_PDU {
        return Err(Skip::Udp);
    }
    let has_optional_fields = header[0] & 0x07 != 0;
    if has_optional_fields {
        let [_, _, _, first] = *packet.take::<4>()?;
        gtp_extensions(packet, if header[0] & 0x04 == 0 { 0 } else { first })?;
    }
    Ok(step(packet, Step::Gtp, Next::Ip))
}

/// Extension headers: length in units of four octets first, the next one's type last.
fn gtp_extensions(packet: &mut Packet<'_>, first: u8) -> Result<(), Skip> {
    const EXTENSIONS_MAX: usize = 16;
    let mut next = first;
    for _ in 0..EXTENSIONS_MAX {
        if next == 0 {
            return Ok(());
        }
        let [units] = *packet.peek::<1>().ok_or(Skip::Truncated)?;
        let extension = packet.take_slice(usize::from(units).saturating_mul(4))?;
        next = *extension.last().ok_or(Skip::BadLength)?;
    }
    Err(Skip::TooManyLayers)
}

/// GRE (RFC 2784, RFC 2890) and, by its protocol types, ERSPAN.
fn gre(packet: &mut Packet<'_>) -> Result<Next, Skip> {
    let [flags, version, high, low] = *packet.take::<4>()?;
    let protocol = u16::from_be_bytes([high, low]);
    let has = |bit: u8| flags & bit != 0;
    if version & 0x07 != 0 {
        return gre_version_1(packet, flags, version, protocol);
    }
    if has(0x40) {
        return Err(Skip::OtherIpProtocol); // source routes, which RFC 2784 took out
    }
    if has(0x80) {
        packet.take::<4>()?; // checksum and reserved
    }
    let key = if has(0x20) { u32::from_be_bytes(*packet.take::<4>()?) } else { 0 };
    let has_sequence = has(0x10);
    if has_sequence {
        packet.take::<4>()?;
    }
    packet.scope_mut().push(Step::Gre(key));
    match protocol {
        // ERSPAN type I has no header of its own, type II eight octets.
        0x88be => {
            if has_sequence {
                packet.take::<8>()?;
            }
            Ok(Next::Ethernet)
        }
        0x22eb => erspan_3(packet),
        other => Ok(Next::EtherType(other)),
    }
}

/// Enhanced GRE of PPTP (RFC 2637 section 4.1).
fn gre_version_1(
    packet: &mut Packet<'_>,
    flags: u8,
    version: u8,
    protocol: u16,
) -> Result<Next, Skip> {
    if version & 0x07 != 1 || protocol != 0x880b {
        return Err(Skip::OtherIpProtocol);
    }
    packet.take::<4>()?; // payload length and call id
    if flags & 0x10 != 0 {
        packet.take::<4>()?;
    }
    if version & 0x80 != 0 {
        packet.take::<4>()?;
    }
    Ok(step(packet, Step::Gre(0), Next::Ppp))
}

/// ERSPAN type III: twelve octets, and eight more if the last bit says so.
fn erspan_3(packet: &mut Packet<'_>) -> Result<Next, Skip> {
    let header = packet.take::<12>()?;
    if header[11] & 1 == 1 {
        packet.take::<8>()?;
    }
    Ok(Next::Ethernet)
}

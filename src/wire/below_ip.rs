//! Which header stands in front of the rest of a frame, and what takes it off?

use super::packet::{Next, Packet};
use super::skip::Skip;
use super::{host, link, wifi};

/// Takes one link-layer header off.
pub(super) fn strip(packet: &mut Packet<'_>, layer: Next) -> Result<Next, Skip> {
    match layer {
        Next::Ethernet => link::ethernet(packet),
        Next::EtherType(ether_type) => link::above_ether_type(packet, ether_type),
        Next::Ppp => link::ppp(packet),
        Next::CiscoHdlc => {
            let [_, _, high, low] = *packet.take::<4>()?;
            Ok(Next::EtherType(u16::from_be_bytes([high, low])))
        }
        Next::LinuxCooked => {
            let header = packet.take::<16>()?;
            Ok(Next::EtherType(u16::from_be_bytes([header[14], header[15]])))
        }
        Next::LinuxCooked2 => {
            let header = packet.take::<20>()?;
            Ok(Next::EtherType(u16::from_be_bytes([header[0], header[1]])))
        }
        Next::Null => link::null(packet),
        Next::Fddi => {
            packet.take::<13>()?; // frame control and two addresses
            link::llc(packet)
        }
        Next::PppWithDirection => {
            packet.take::<1>()?;
            Ok(Next::Ppp)
        }
        Next::Pppoe => link::pppoe(packet),
        Next::Ieee80211 { is_padded } => wifi::data_frame(packet, is_padded),
        Next::Radio(header) => wifi::radio_header(packet, header),
        Next::Host(header) => host::strip(packet, header),
        Next::Ip | Next::Ipv4 | Next::Ipv6 | Next::Datagram(_) => Err(Skip::NotIp),
    }
}

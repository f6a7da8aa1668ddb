//! Blocks that hold packets (sections 4.3, 4.4 and Appendix A).

use super::super::LinkType;
use super::super::clock::Stamp;
use super::super::summary::DamageKind;
use super::{Interface, PACKET_DATA_OFFSET, Sections};

/// A packet within its block.
#[derive(Clone, Copy)]
pub(super) struct Packet {
    pub(super) from: usize,
    pub(super) len: usize,
    pub(super) stamp: Option<Stamp>,
    pub(super) link_type: LinkType,
    pub(super) interface: u32,
    pub(super) original_len: u32,
}

impl Sections {
    #[inline]
    pub(super) fn enhanced_packet(
        &mut self,
        block: &[u8],
        offset: u64,
    ) -> Result<Packet, DamageKind> {
        let head = block.first_chunk::<PACKET_DATA_OFFSET>().ok_or(DamageKind::BlockTooShort)?;
        let interface = self.order.u32([head[8], head[9], head[10], head[11]]);
        self.timed_packet(interface, head, block, offset)
    }

    pub(super) fn obsolete_packet(
        &mut self,
        block: &[u8],
        offset: u64,
    ) -> Result<Packet, DamageKind> {
        let head = block.first_chunk::<PACKET_DATA_OFFSET>().ok_or(DamageKind::BlockTooShort)?;
        let number = self.order.u16([head[8], head[9]]);
        let drops = self.order.u16([head[10], head[11]]);
        let packet = self.timed_packet(u32::from(number), head, block, offset)?;
        // 65535 stands for "not known".
        if let Some(interface) = self.interfaces.get_mut(usize::from(number)) {
            let drops = if drops == u16::MAX { 0 } else { u64::from(drops) };
            interface.drops_by_packets = interface.drops_by_packets.saturating_add(drops);
        }
        Ok(packet)
    }

    #[inline]
    fn timed_packet(
        &mut self,
        interface: u32,
        head: &[u8; PACKET_DATA_OFFSET],
        block: &[u8],
        offset: u64,
    ) -> Result<Packet, DamageKind> {
        let word = |at: usize| {
            let octets = head.get(at..).and_then(|rest| rest.first_chunk::<4>());
            self.order.u32(octets.copied().unwrap_or_default())
        };
        let ticks = u64::from(word(12)) << 32 | u64::from(word(16));
        let (captured, original_len) = (word(20) as usize, word(24));
        let padded = captured.checked_next_multiple_of(4).ok_or(DamageKind::BlockTooShort)?;
        let end = PACKET_DATA_OFFSET.saturating_add(padded);
        let room = block.len().saturating_sub(4);
        if end > room {
            return Err(DamageKind::BlockTooShort);
        }
        if end < room {
            self.check_options(block, end, offset);
        }
        let Interface { link_type, clock, .. } = self.interface(interface)?;
        Ok(Packet {
            from: PACKET_DATA_OFFSET,
            len: captured,
            stamp: Some(clock.stamp(ticks)),
            link_type: *link_type,
            interface,
            original_len,
        })
    }

    /// Has neither a time nor a captured length: that is the least of the packet's length, the
    /// interface's snap length and the room there is.
    pub(super) fn simple_packet(&mut self, block: &[u8]) -> Result<Packet, DamageKind> {
        let head = block.first_chunk::<12>().ok_or(DamageKind::BlockTooShort)?;
        let original_len = self.order.u32([head[8], head[9], head[10], head[11]]);
        let room = block.len().checked_sub(16).ok_or(DamageKind::BlockTooShort)?;
        let Interface { link_type, snap_len, .. } = *self.interface(0)?;
        let snap_len = if snap_len == 0 { u32::MAX } else { snap_len };
        Ok(Packet {
            from: 12,
            len: room.min(original_len.min(snap_len) as usize),
            stamp: None,
            link_type,
            interface: 0,
            original_len,
        })
    }

    #[inline]
    fn interface(&self, number: u32) -> Result<&Interface, DamageKind> {
        self.interfaces
            .get(number as usize)
            .ok_or(DamageKind::UnknownInterface { interface: number, known: self.interfaces.len() })
    }
}

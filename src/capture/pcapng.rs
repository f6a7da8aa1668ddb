//! pcapng files (draft-ietf-opsawg-pcapng). pcap-parser 0.17 frames the blocks and their options; its
//! gaps are filled here: it waits for whatever length a block claims, reads the type of a block and
//! the values of options in little-endian order always, and does not know the obsolete packet
//! block. Its parsers of single block types are not used: they make a list of the options of every
//! packet (ten times the memory of a block that is full of them), and mistake a packet longer than
//! its block for one that has not arrived yet.

mod ahead;
pub(crate) mod codes;
mod description;
mod packets;

use pcap_parser::{UnknownBlock, parse_unknownblock_be, parse_unknownblock_le};

use super::LinkType;
use super::clock::Clock;
use super::options::Order;
use super::record::Record;
use super::refusal::Refusal;
use super::summary::{DamageKind, sum};
use super::window::{RECORD_LEN_MAX, Window};
use codes::{
    BLOCK_FRAME_LEN, ENHANCED_PACKET, INTERFACE_DESCRIPTION, INTERFACE_STATISTICS, OBSOLETE_PACKET,
    SECTION_HEADER, SIMPLE_PACKET,
};
use packets::Packet;

/// Where the data of an enhanced or obsolete packet block begins.
const PACKET_DATA_OFFSET: usize = 28;

/// The section that is being read, and what outlives it.
#[derive(Debug, Default)]
pub(super) struct Sections {
    /// Sections begun.
    ordinal: u64,
    order: Order,
    /// Of this section only.
    interfaces: Vec<Interface>,
    /// Drops that the finished sections told of.
    drops_before: Option<u64>,
    pub(super) snap_len: Option<u32>,
    packets: u64,
    /// Packets of the sections before.
    packets_before: u64,
    /// The first block whose options run out of it: its offset and the packets before.
    pub(super) bad_options: Option<(u64, u64)>,
}

/// What an interface description block says, and the statistics since.
#[derive(Debug)]
struct Interface {
    link_type: LinkType,
    snap_len: u32,
    clock: Clock,
    /// Lost by interface and system together, by the last statistics block.
    drops: Option<u64>,
    /// Lost before single packets, as obsolete packet blocks count it.
    drops_by_packets: u64,
}

impl Sections {
    /// More than any machine has; packets of further ones are refused.
    const INTERFACES_MAX: usize = 65_536;

    /// Takes the first section header off `window`; `None` if this is no pcapng file.
    pub(super) fn open(window: &mut Window) -> Result<Option<Self>, Refusal> {
        if !window.unread().starts_with(&SECTION_HEADER.to_be_bytes()) {
            return Ok(None);
        }
        let mut sections = Self::default();
        let Some((kind, len)) = sections.next_block(window).map_err(Refusal::from)? else {
            return Err(Refusal::HeaderCut);
        };
        sections.take_block(kind, len, window).map_err(Refusal::from)?;
        Ok(Some(sections))
    }

    /// Tells this section from all others of the file.
    pub(super) fn ordinal(&self) -> u64 {
        self.ordinal
    }

    /// Whether the packet that was taken last is the section's first.
    pub(super) fn is_first(&self) -> bool {
        self.packets <= self.packets_before.saturating_add(1)
    }

    /// Interfaces that this section has told of so far.
    pub(super) fn interfaces(&self) -> usize {
        self.interfaces.len()
    }

    /// Packets that the capture lost, as far as its statistics tell.
    pub(super) fn drops(&self) -> Option<u64> {
        self.interfaces.iter().fold(self.drops_before, |total, interface| {
            let by_packets = Some(interface.drops_by_packets).filter(|count| *count > 0);
            sum(total, interface.drops.max(by_packets))
        })
    }

    /// Takes the next packet off `window` if it lies there as a whole, in the block of nearly all
    /// packets: enhanced, little-endian, without options (`benches/decode.rs` times it:
    /// `read/pcapng`). `None` for all else, which is left to [`Self::next`].
    #[inline]
    pub(super) fn next_whole(&mut self, window: &mut Window) -> Option<Record> {
        let (head, rest) = window.unread().split_first_chunk::<PACKET_DATA_OFFSET>()?;
        let word = |at: usize| {
            let octets = head.get(at..).and_then(|rest| rest.first_chunk::<4>());
            u32::from_le_bytes(octets.copied().unwrap_or_default())
        };
        let (kind, claimed, captured) = (word(0), word(4), word(20) as usize);
        let padded = captured.checked_next_multiple_of(4)?;
        let len = PACKET_DATA_OFFSET.saturating_add(padded).saturating_add(4);
        let trailer = rest.get(padded..)?.first_chunk::<4>()?;
        let is_usual = self.order == Order::Little
            && kind == ENHANCED_PACKET
            && claimed as usize == len
            && u32::from_le_bytes(*trailer) == claimed;
        let (number, original_len) = (word(8), word(24));
        let interface = self.interfaces.get(number as usize).filter(|_| is_usual)?;
        let stamp = interface.clock.stamp(u64::from(word(12)) << 32 | u64::from(word(16)));
        let link_type = interface.link_type;
        self.packets = self.packets.saturating_add(1);
        let span = window.consume(len, PACKET_DATA_OFFSET, captured);
        Some(Record { span, stamp: Some(stamp), link_type, interface: number, original_len })
    }

    /// Takes the next packet off `window`, whatever block it is in.
    #[inline]
    pub(super) fn next_of_any(
        &mut self,
        window: &mut Window,
    ) -> Result<Option<Record>, DamageKind> {
        match self.next_whole(window) {
            Some(record) => Ok(Some(record)),
            None => self.next(window),
        }
    }

    /// Takes blocks off `window` up to and with the next packet; `None` at a clean end.
    #[inline]
    pub(super) fn next(&mut self, window: &mut Window) -> Result<Option<Record>, DamageKind> {
        while let Some((kind, len)) = self.next_block(window)? {
            if let Some(record) = self.take_block(kind, len, window)? {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }

    /// Type and length of the next block, which is then whole in `window`.
    #[inline]
    fn next_block(&mut self, window: &mut Window) -> Result<Option<(u32, usize)>, DamageKind> {
        if window.unread().len() < BLOCK_FRAME_LEN && !window.fill(BLOCK_FRAME_LEN) {
            return if window.unread().is_empty() { Ok(None) } else { Err(DamageKind::Truncated) };
        }
        let head = *window.unread().first_chunk::<12>().ok_or(DamageKind::Truncated)?;
        let [t0, t1, t2, t3, l0, l1, l2, l3, mark @ ..] = head;
        // The type of a section header reads the same in both orders.
        if u32::from_be_bytes([t0, t1, t2, t3]) == SECTION_HEADER {
            self.order = Order::from_mark(mark).ok_or(DamageKind::ByteOrder)?;
        }
        let kind = self.order.u32([t0, t1, t2, t3]);
        let claimed = self.order.u32([l0, l1, l2, l3]);
        let len = claimed as usize;
        if len % 4 != 0 || !(BLOCK_FRAME_LEN..=RECORD_LEN_MAX).contains(&len) {
            return Err(DamageKind::BlockLength { claimed });
        }
        if window.unread().len() < len && !window.fill(len) {
            return Err(DamageKind::Truncated);
        }
        let octets = window.unread().get(..len).unwrap_or_default();
        let block = self.parse_block(octets).ok_or(DamageKind::BlockTooShort)?;
        if block.block_len2 != claimed {
            let (leading, trailing) = (claimed, block.block_len2);
            return Err(DamageKind::BlockLengthsDiffer { leading, trailing });
        }
        Ok(Some((kind, len)))
    }

    #[inline]
    fn parse_block<'a>(&self, octets: &'a [u8]) -> Option<UnknownBlock<'a>> {
        let parsed = match self.order {
            Order::Little => parse_unknownblock_le(octets),
            Order::Big => parse_unknownblock_be(octets),
        };
        parsed.ok().map(|(_, block)| block)
    }

    /// Reads the block of `len` octets and takes it off `window`; gives the packet, if it is one.
    #[inline]
    fn take_block(
        &mut self,
        kind: u32,
        len: usize,
        window: &mut Window,
    ) -> Result<Option<Record>, DamageKind> {
        let offset = window.offset();
        let block = window.unread().get(..len).unwrap_or_default();
        let packet = match kind {
            ENHANCED_PACKET => Some(self.enhanced_packet(block, offset)?),
            SIMPLE_PACKET => Some(self.simple_packet(block)?),
            OBSOLETE_PACKET => Some(self.obsolete_packet(block, offset)?),
            SECTION_HEADER => self.start_section(block, offset).map(|()| None)?,
            INTERFACE_DESCRIPTION => self.add_interface(block, offset).map(|()| None)?,
            INTERFACE_STATISTICS => self.add_statistics(block, offset).map(|()| None)?,
            _ => None,
        };
        let (data_offset, data_len) = packet.map_or((0, 0), |packet| (packet.from, packet.len));
        let span = window.consume(len, data_offset, data_len);
        self.packets = self.packets.saturating_add(u64::from(packet.is_some()));
        Ok(packet.map(|Packet { stamp, link_type, interface, original_len, .. }| Record {
            span,
            stamp,
            link_type,
            interface,
            original_len,
        }))
    }
}

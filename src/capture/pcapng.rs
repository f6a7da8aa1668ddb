//! pcapng files (draft-ietf-opsawg-pcapng). pcap-parser 0.17 frames the blocks and their options; its
//! gaps are filled here: it waits for whatever length a block claims, reads the type of a block and
//! the values of options in little-endian order always, and does not know the obsolete packet
//! block. Its parsers of single block types are not used: they make a list of the options of every
//! packet (ten times the memory of a block that is full of them), and mistake a packet longer than
//! its block for one that has not arrived yet.

use pcap_parser::{UnknownBlock, parse_unknownblock_be, parse_unknownblock_le};

use super::LinkType;
use super::clock::Clock;
use super::options::{Order, options};
use super::reader::{Record, Refusal};
use super::summary::{DamageKind, sum};
use super::window::{RECORD_LEN_MAX, Window};

/// Type and length in front, length behind.
const BLOCK_LEN_MIN: usize = 12;
/// The shortest section header: its fixed fields and no options.
const SECTION_HEADER_LEN: usize = 28;

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const OBSOLETE_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const INTERFACE_STATISTICS: u32 = 5;
const ENHANCED_PACKET: u32 = 6;

const IF_TSRESOL: u16 = 9;
const IF_TSOFFSET: u16 = 14;
const ISB_IFDROP: u16 = 5;
const ISB_OSDROP: u16 = 7;

/// Where the data of an enhanced or obsolete packet block begins.
const PACKET_DATA_OFFSET: usize = 28;

/// The section that is being read, and what outlives it.
#[derive(Debug)]
pub(super) struct Sections {
    order: Order,
    /// Of this section only.
    interfaces: Vec<Interface>,
    /// Drops that the finished sections told of.
    drops_before: Option<u64>,
    pub(super) snap_len: Option<u32>,
    packets: u64,
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
        let mut sections = Self {
            order: Order::Little,
            interfaces: Vec::new(),
            drops_before: None,
            snap_len: None,
            packets: 0,
            bad_options: None,
        };
        let Some((kind, len)) = sections.next_block(window).map_err(Refusal::from)? else {
            return Err(Refusal::HeaderCut);
        };
        sections.take_block(kind, len, window).map_err(Refusal::from)?;
        Ok(Some(sections))
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
        let interface = self.interfaces.get(word(8) as usize).filter(|_| is_usual)?;
        let stamp = interface.clock.stamp(u64::from(word(12)) << 32 | u64::from(word(16)));
        let (link_type, original_len) = (interface.link_type, word(24));
        self.packets = self.packets.saturating_add(1);
        let span = window.consume(len, PACKET_DATA_OFFSET, captured);
        Some(Record { span, stamp: Some(stamp), link_type, original_len })
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
        if window.unread().len() < BLOCK_LEN_MIN && !window.fill(BLOCK_LEN_MIN) {
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
        if len % 4 != 0 || !(BLOCK_LEN_MIN..=RECORD_LEN_MAX).contains(&len) {
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
        Ok(packet.map(|Packet { stamp, link_type, original_len, .. }| Record {
            span,
            stamp,
            link_type,
            original_len,
        }))
    }
}

/// A packet within its block.
#[derive(Clone, Copy)]
struct Packet {
    from: usize,
    len: usize,
    stamp: Option<super::clock::Stamp>,
    link_type: LinkType,
    original_len: u32,
}

/// Blocks that hold packets (sections 4.3, 4.4 and Appendix A).
impl Sections {
    #[inline]
    fn enhanced_packet(&mut self, block: &[u8], offset: u64) -> Result<Packet, DamageKind> {
        let head = block.first_chunk::<PACKET_DATA_OFFSET>().ok_or(DamageKind::BlockTooShort)?;
        let interface = self.order.u32([head[8], head[9], head[10], head[11]]);
        self.timed_packet(interface, head, block, offset)
    }

    fn obsolete_packet(&mut self, block: &[u8], offset: u64) -> Result<Packet, DamageKind> {
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
            original_len,
        })
    }

    /// Has neither a time nor a captured length: that is the least of the packet's length, the
    /// interface's snap length and the room there is.
    fn simple_packet(&mut self, block: &[u8]) -> Result<Packet, DamageKind> {
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

/// Blocks that describe (sections 4.1, 4.2 and 4.6).
impl Sections {
    /// Interfaces are numbered anew from here. The section's own length is not trusted.
    fn start_section(&mut self, block: &[u8], offset: u64) -> Result<(), DamageKind> {
        let head = block.first_chunk::<24>().filter(|_| block.len() >= SECTION_HEADER_LEN);
        let head = head.ok_or(DamageKind::BlockTooShort)?;
        let major = self.order.u16([head[12], head[13]]);
        let minor = self.order.u16([head[14], head[15]]);
        // Some writers put 1.2 into files that are 1.0 (section 4.1).
        if major != 1 || !matches!(minor, 0 | 2) {
            return Err(DamageKind::SectionVersion { major, minor });
        }
        self.check_options(block, 24, offset);
        self.drops_before = self.drops();
        self.interfaces.clear();
        Ok(())
    }

    fn add_interface(&mut self, block: &[u8], offset: u64) -> Result<(), DamageKind> {
        let head = block.first_chunk::<16>().filter(|_| block.len() >= 20);
        let head = head.ok_or(DamageKind::BlockTooShort)?;
        let snap_len = self.order.u32([head[12], head[13], head[14], head[15]]);
        let (mut resolution, mut time_offset) = (Clock::DEFAULT_RESOLUTION, 0);
        for (code, value) in options(block, 16, self.order).flatten() {
            match (code, value) {
                (IF_TSRESOL, [octet]) => resolution = *octet,
                (IF_TSOFFSET, value) => {
                    time_offset = self
                        .order
                        .u64(value)
                        .map_or(time_offset, |offset| i64::from_ne_bytes(offset.to_ne_bytes()));
                }
                _ => {}
            }
        }
        self.check_options(block, 16, offset);
        if self.interfaces.len() < Self::INTERFACES_MAX {
            self.interfaces.push(Interface {
                link_type: LinkType(u32::from(self.order.u16([head[8], head[9]]))),
                snap_len,
                clock: Clock::new(resolution, time_offset),
                drops: None,
                drops_by_packets: 0,
            });
            self.snap_len = self.snap_len.max(Some(snap_len).filter(|len| *len > 0));
        }
        Ok(())
    }

    /// Counters run from the start of the capture, so a later block replaces an earlier one.
    fn add_statistics(&mut self, block: &[u8], offset: u64) -> Result<(), DamageKind> {
        let head = block.first_chunk::<20>().filter(|_| block.len() >= 24);
        let head = head.ok_or(DamageKind::BlockTooShort)?;
        let number = self.order.u32([head[8], head[9], head[10], head[11]]);
        let mut drops = None;
        for (code, value) in options(block, 20, self.order).flatten() {
            if matches!(code, ISB_IFDROP | ISB_OSDROP) {
                drops = sum(drops, self.order.u64(value));
            }
        }
        self.check_options(block, 20, offset);
        if let Some(interface) = self.interfaces.get_mut(number as usize) {
            interface.drops = drops.or(interface.drops);
        }
        Ok(())
    }

    /// Notes the first block whose options, which begin at `from`, do not fit in it.
    fn check_options(&mut self, block: &[u8], from: usize, offset: u64) {
        if self.bad_options.is_none() && options(block, from, self.order).any(|o| o.is_err()) {
            self.bad_options = Some((offset, self.packets));
        }
    }
}

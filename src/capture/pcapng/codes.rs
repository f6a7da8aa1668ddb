//! Block types and options (draft-ietf-opsawg-pcapng sections 4 and 11.1), for reading and for writing.

pub(crate) const SECTION_HEADER: u32 = 0x0a0d_0d0a;
pub(crate) const INTERFACE_DESCRIPTION: u32 = 1;
pub(crate) const OBSOLETE_PACKET: u32 = 2;
pub(crate) const SIMPLE_PACKET: u32 = 3;
pub(crate) const INTERFACE_STATISTICS: u32 = 5;
pub(crate) const ENHANCED_PACKET: u32 = 6;

pub(crate) const IF_TSRESOL: u16 = 9;
pub(crate) const IF_TSOFFSET: u16 = 14;
pub(crate) const ISB_IFDROP: u16 = 5;
pub(crate) const ISB_OSDROP: u16 = 7;

/// Octets of a block that are not its body: type and length in front, length behind.
pub(crate) const BLOCK_FRAME_LEN: usize = 12;

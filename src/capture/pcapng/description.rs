//! Blocks that describe: sections, interfaces and what these counted (sections 4.1, 4.2 and 4.6).

use super::super::LinkType;
use super::super::clock::Clock;
use super::super::options::options;
use super::super::summary::{DamageKind, sum};
use super::codes::{IF_TSOFFSET, IF_TSRESOL, ISB_IFDROP, ISB_OSDROP};
use super::{Interface, Sections};

/// The shortest section header: its fixed fields and no options.
const SECTION_HEADER_LEN: usize = 28;

impl Sections {
    /// Interfaces are numbered anew from here. The section's own length is not trusted.
    pub(super) fn start_section(&mut self, block: &[u8], offset: u64) -> Result<(), DamageKind> {
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
        self.ordinal = self.ordinal.saturating_add(1);
        self.packets_before = self.packets;
        Ok(())
    }

    pub(super) fn add_interface(&mut self, block: &[u8], offset: u64) -> Result<(), DamageKind> {
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
    pub(super) fn add_statistics(&mut self, block: &[u8], offset: u64) -> Result<(), DamageKind> {
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
    pub(super) fn check_options(&mut self, block: &[u8], from: usize, offset: u64) {
        if self.bad_options.is_none() && options(block, from, self.order).any(|o| o.is_err()) {
            self.bad_options = Some((offset, self.packets));
        }
    }
}

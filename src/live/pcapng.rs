//! Writes pcapng blocks (draft-ietf-opsawg-pcapng section 4), in little-endian order.

use crate::capture::LinkType;
use crate::capture::pcapng_codes::{
    BLOCK_FRAME_LEN, ENHANCED_PACKET, IF_TSRESOL, INTERFACE_DESCRIPTION, INTERFACE_STATISTICS,
    ISB_IFDROP, ISB_OSDROP, SECTION_HEADER,
};

const SHB_USERAPPL: u16 = 4;
const IF_NAME: u16 = 2;

/// The start of a file of one interface.
pub(super) fn head(interface: &str, link_type: LinkType, snap_len: u32, digits: u8) -> Vec<u8> {
    let mut octets = Vec::new();
    block(&mut octets, SECTION_HEADER, |body| {
        body.extend(0x1a2b_3c4d_u32.to_le_bytes());
        body.extend([1, 0, 0, 0]); // Version 1.0.
        body.extend(u64::MAX.to_le_bytes()); // The section's length is not known.
        option(body, SHB_USERAPPL, concat!("tcplimit ", env!("CARGO_PKG_VERSION")).as_bytes());
        option(body, 0, &[]);
    });
    block(&mut octets, INTERFACE_DESCRIPTION, |body| {
        body.extend(u16::try_from(link_type.0).unwrap_or(u16::MAX).to_le_bytes());
        body.extend([0, 0]);
        body.extend(snap_len.to_le_bytes());
        option(body, IF_NAME, interface.as_bytes());
        option(body, IF_TSRESOL, &[digits]);
        option(body, 0, &[]);
    });
    octets
}

/// A frame; `ticks` since 1970 in the interface's resolution.
pub(super) fn packet(octets: &mut Vec<u8>, ticks: u64, wire_len: u32, bytes: &[u8]) {
    block(octets, ENHANCED_PACKET, |body| {
        body.extend(0_u32.to_le_bytes()); // The interface.
        time(body, ticks);
        body.extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
        body.extend(wire_len.to_le_bytes());
        body.extend(bytes);
        pad(body, bytes.len());
    });
}

/// What was lost since the start, as of `ticks`: by the system and by the interface.
pub(super) fn statistics(octets: &mut Vec<u8>, ticks: u64, drops: (u64, u64)) {
    block(octets, INTERFACE_STATISTICS, |body| {
        body.extend(0_u32.to_le_bytes());
        time(body, ticks);
        option(body, ISB_IFDROP, &drops.1.to_le_bytes());
        option(body, ISB_OSDROP, &drops.0.to_le_bytes());
        option(body, 0, &[]);
    });
}

fn block(octets: &mut Vec<u8>, kind: u32, write_body: impl FnOnce(&mut Vec<u8>)) {
    let start = octets.len();
    octets.extend(kind.to_le_bytes());
    octets.extend([0; 4]);
    let body_start = octets.len();
    write_body(octets);
    let len = octets.len().saturating_sub(body_start).saturating_add(BLOCK_FRAME_LEN);
    let len = u32::try_from(len).unwrap_or(u32::MAX).to_le_bytes();
    if let Some(place) = octets.get_mut(start.saturating_add(4)..body_start) {
        place.copy_from_slice(&len);
    }
    octets.extend(len);
}

/// The upper half first (section 4.3).
fn time(body: &mut Vec<u8>, ticks: u64) {
    let [low, high] = [ticks & u64::from(u32::MAX), ticks >> 32];
    for half in [high, low] {
        body.extend(u32::try_from(half).unwrap_or(0).to_le_bytes());
    }
}

fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    body.extend(code.to_le_bytes());
    body.extend(u16::try_from(value.len()).unwrap_or(u16::MAX).to_le_bytes());
    body.extend(value);
    pad(body, value.len());
}

/// Zeros up to the next multiple of four.
fn pad(body: &mut Vec<u8>, len: usize) {
    let padding = len.next_multiple_of(4).saturating_sub(len);
    body.resize(body.len().saturating_add(padding), 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Reader;

    /// The reader of files finds all that was written.
    #[test]
    fn what_is_written_is_read() {
        let mut octets = head("eth0", LinkType(1), 128, 9);
        packet(&mut octets, 1_700_000_000_123_456_789, 1514, &[7; 61]);
        packet(&mut octets, 1_700_000_001_000_000_000, 3, &[1, 2, 3]);
        statistics(&mut octets, 1_700_000_001_000_000_000, (5, 2));
        let mut reader = Reader::open("live".to_owned(), std::io::Cursor::new(octets)).unwrap();
        let frame = reader.next_frame().unwrap();
        assert_eq!(
            (frame.link_type, frame.wire_len, frame.bytes),
            (LinkType(1), 1514, &[7; 61][..])
        );
        assert_eq!(frame.time.0, 1_700_000_000_123_456_789);
        assert_eq!(reader.next_frame().unwrap().bytes, [1, 2, 3]);
        assert!(reader.next_frame().is_none());
        let summary = reader.summary();
        assert!(summary.damage.is_empty());
        assert_eq!(summary.tally.capture_drops, Some(7));
        assert_eq!(summary.tally.snap_len, Some(128));
    }
}

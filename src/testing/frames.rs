//! Frames in memory, to time the decoder alone.

use crate::capture::{Frame, LinkType};
use crate::units::{FrameNumber, Timestamp};
use crate::wire::Decoder;

/// Frames of one kind: a TCP segment with timestamps behind some headers.
pub struct Frames {
    link_type: LinkType,
    bytes: Vec<Vec<u8>>,
    decoder: Decoder,
}

impl Frames {
    /// `count` Ethernet frames, snapped to 96 octets, of a 1448-octet segment behind `headers`: what
    /// stands between the addresses and the IPv4 header, the Ethernet type included.
    pub fn ethernet(count: usize, headers: &[u8]) -> Self {
        let frame = |index: usize| {
            let mut bytes = [&[2; 12], headers, &[0x45, 0, 5, 220, 0, 9, 0x40, 0, 64, 6]].concat();
            bytes.extend([0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0, 1, 0, 2]);
            bytes.extend(u32::try_from(index).expect("few frames").to_be_bytes());
            bytes.extend([0, 0, 0, 200, 0x80, 0x18, 1, 44, 0, 0, 0, 0]);
            bytes.extend([1, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 8]);
            bytes.resize(96, 0);
            bytes
        };
        let bytes = (0..count).map(frame).collect();
        Self { link_type: LinkType(1), bytes, decoder: Decoder::default() }
    }

    /// Decodes all, and gives the sum of the segments' payload lengths.
    pub fn decode(&mut self) -> u64 {
        let mut sum = 0;
        for bytes in &self.bytes {
            let frame = Frame {
                number: FrameNumber(1),
                time: Timestamp(1),
                link_type: self.link_type,
                bytes,
                wire_len: 1600,
            };
            let segment = self.decoder.decode(&frame).expect("a frame with a segment");
            sum += u64::from(segment.payload_len);
        }
        sum
    }
}

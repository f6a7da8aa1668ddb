//! Frames and captures in memory, to time the decoder and the reader alone.

use std::io::Cursor;

use crate::capture::{Capture, Frame, LinkType};
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

/// A capture file of one kind.
pub struct CaptureFile(Vec<u8>);

impl CaptureFile {
    /// `count` frames of [`Frames::ethernet`] without headers of tags, as pcap.
    pub fn pcap(count: usize) -> Self {
        let mut octets = Vec::new();
        for word in [0xa1b2_c3d4, 0x0004_0002, 0, 0, 262_144, 1] {
            octets.extend(u32::to_le_bytes(word));
        }
        for bytes in Frames::ethernet(count, &[8, 0]).bytes {
            for word in [1, 2, bytes.len() as u32, 1514] {
                octets.extend(u32::to_le_bytes(word));
            }
            octets.extend(bytes);
        }
        Self(octets)
    }

    /// The same as pcapng: enhanced packet blocks without options.
    pub fn pcapng(count: usize) -> Self {
        let mut octets = Vec::new();
        let header = [0x0a0d_0d0a, 28, 0x1a2b_3c4d, 1, u32::MAX, u32::MAX, 28];
        for word in header.into_iter().chain([1, 20, 1, 262_144, 20]) {
            octets.extend(u32::to_le_bytes(word));
        }
        for bytes in Frames::ethernet(count, &[8, 0]).bytes {
            let len = bytes.len() as u32;
            for word in [6, len + 32, 0, 0, 2_000_000, len, 1514] {
                octets.extend(u32::to_le_bytes(word));
            }
            octets.extend(bytes);
            octets.extend(u32::to_le_bytes(len + 32));
        }
        Self(octets)
    }

    /// Reads all frames, and gives the sum of their lengths.
    pub fn read(&self) -> u64 {
        let input = Cursor::new(self.0.clone());
        let mut capture = Capture::of_stream("bench", input).expect("a capture");
        let mut sum = 0;
        while let Some(frame) = capture.next_frame() {
            sum += frame.bytes.len() as u64;
        }
        sum
    }
}

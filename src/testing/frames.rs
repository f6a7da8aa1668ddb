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
                number: FrameNumber::new(1),
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

/// What stands in a TCP header.
struct Tcp {
    seq: u32,
    ack: u32,
    flags: u8,
    payload: u16,
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

    /// `count` connections that show one SYN each.
    pub fn flood(count: u32) -> Self {
        let mut file = Self::header();
        for client in 0..count {
            file.push(client, client, true, &Tcp { seq: 9, ack: 0, flags: 0x02, payload: 0 });
        }
        file
    }

    /// `count` connections, one after another, that carry a request, an answer of ten segments, and
    /// close: 20 packets each.
    pub fn short_connections(count: u32) -> Self {
        let mut file = Self::header();
        for client in 0..count {
            let mut at = client * 100;
            let mut push = |is_from_client, seq, ack, flags, payload| {
                file.push(at, client, is_from_client, &Tcp { seq, ack, flags, payload });
                at += 1;
            };
            push(true, 0, 0, 0x02, 0);
            push(false, 0, 1, 0x12, 0);
            push(true, 1, 1, 0x10, 0);
            push(true, 1, 1, 0x18, 300);
            for pair in 0..5 {
                let seq = 1 + pair * 2000;
                push(false, seq, 301, 0x10, 1000);
                push(false, seq + 1000, 301, 0x10, 1000);
                push(true, 301, seq + 2000, 0x10, 0);
            }
            push(false, 10_001, 301, 0x11, 0);
        }
        file
    }

    /// The file.
    pub fn octets(&self) -> &[u8] {
        &self.0
    }

    fn header() -> Self {
        let words = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 262_144, 1];
        Self(words.into_iter().flat_map(u32::to_le_bytes).collect())
    }

    /// Adds a segment between a client and the one server, `at` so many milliseconds, of which the
    /// headers are kept.
    fn push(&mut self, at: u32, client: u32, is_from_client: bool, tcp: &Tcp) {
        const KEPT: u32 = 54;
        for word in [1 + at / 1000, at % 1000 * 1000, KEPT, KEPT + u32::from(tcp.payload)] {
            self.0.extend(word.to_le_bytes());
        }
        let client_ip = (0x0a00_0000 | client >> 8).to_be_bytes();
        let client_port = [0x40, client.to_be_bytes()[3]];
        let ends = [(client_ip, client_port), ([192, 0, 2, 1], [1, 187])];
        let [(src, src_port), (dst, dst_port)] =
            if is_from_client { ends } else { [ends[1], ends[0]] };
        let len = (40 + tcp.payload).to_be_bytes();
        self.0.extend([[2; 12].as_slice(), &[8, 0, 0x45, 0], &len].concat());
        self.0.extend([0, 9, 0x40, 0, 64, 6, 0, 0]);
        self.0.extend([src.as_slice(), &dst, &src_port, &dst_port].concat());
        self.0.extend([tcp.seq.to_be_bytes(), tcp.ack.to_be_bytes()].concat());
        self.0.extend([0x50, tcp.flags, 0xff, 0xff, 0, 0, 0, 0]);
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

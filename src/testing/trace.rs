//! Hand-placed segments. The client sends; octet 0 is its first octet of payload.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use super::ms;
use super::packet::{Packet, Packets, Side};
use crate::model::FlowReport;

/// Where `at(ms(0))` stands on the capture's clock: room for a handshake before it.
const START: Duration = ms(1000);
/// When the SYN, the SYN-ACK and the ACK of a handshake passed, just before it.
const HANDSHAKE: [Duration; 3] =
    [ms(980), Duration::from_micros(999_980), Duration::from_micros(999_990)];

/// A transfer placed segment by segment, as seen at the sender. Each call adds to it.
#[derive(Debug, Clone)]
pub struct Trace {
    packets: Packets,
    now: Duration,
    mss: u32,
    rwnd: u32,
    shift: u8,
    client_isn: u32,
    server_isn: u32,
    /// Cumulative acknowledgment of the server, and of the client for the server's octets.
    server_ack: u32,
    client_ack: u32,
    has_timestamps: bool,
    /// Last `TSval` that the server received.
    echo: u32,
}

impl Trace {
    /// A connection whose handshake was not captured.
    pub fn midway() -> Self {
        Self {
            packets: Packets::default(),
            now: START,
            mss: 1000,
            rwnd: 65_535,
            shift: 0,
            client_isn: 1000,
            server_isn: 5000,
            server_ack: 0,
            client_ack: 0,
            has_timestamps: false,
            echo: 0,
        }
    }

    /// A connection opened 20 ms before `at(ms(0))`.
    pub fn established() -> Self {
        Self::opened(0)
    }

    /// A connection opened 20 ms before `at(ms(0))`, both sides offering window shift `shift`.
    pub fn opened(shift: u8) -> Self {
        Self { shift, ..Self::midway() }.handshake()
    }

    /// The same with the client's initial sequence number `isn`.
    pub fn opened_from(isn: u32) -> Self {
        Self { client_isn: isn, ..Self::midway() }.handshake()
    }

    /// The same with timestamps in each segment of both sides (RFC 7323).
    pub fn with_timestamps() -> Self {
        Self { has_timestamps: true, ..Self::midway() }.handshake()
    }

    fn handshake(mut self) -> Self {
        let offer = Some((1460, Some(self.shift), true));
        self.now = HANDSHAKE[0];
        let syn = Packet { syn: true, window: 64_240, offer, ..self.packet(Side::Client, None) };
        let syn = Packet { seq: self.client_isn, ack: None, ..syn };
        self.add(syn);
        self.now = HANDSHAKE[1];
        let ack = Some(self.client_isn.wrapping_add(1));
        let syn_ack =
            Packet { syn: true, window: 65_160, offer, ..self.packet(Side::Server, None) };
        let syn_ack = Packet { seq: self.server_isn, ack, ..syn_ack };
        self.add(syn_ack);
        self.now = HANDSHAKE[2];
        let last = self.packet(Side::Client, Some(0));
        self.add(last);
        self.now = START;
        self
    }

    /// What follows happens at `time`.
    pub fn at(mut self, time: Duration) -> Self {
        self.now = START + time;
        self
    }

    /// Largest payload of a segment; a handshake offered it.
    pub fn mss(mut self, octets: u32) -> Self {
        self.mss = octets;
        let offered = octets + if self.has_timestamps { 12 } else { 0 };
        for packet in &mut self.packets.packets {
            packet.offer = packet.offer.map(|(_, shift, sack)| (offered as u16, shift, sack));
        }
        self
    }

    /// The connection is the first subflow of a multipath one.
    pub fn multipath(mut self) -> Self {
        for packet in &mut self.packets.packets {
            packet.multipath = packet.syn;
        }
        self
    }

    /// The window that the server advertises from here on, octets; before any data, the one that
    /// it offered.
    pub fn rwnd(mut self, octets: u32) -> Self {
        self.rwnd = octets;
        for packet in &mut self.packets.packets {
            if packet.syn && packet.from == Side::Server && self.now == START {
                packet.window = u16::try_from(octets).unwrap_or(u16::MAX);
            }
        }
        self
    }

    /// The client sends these octets, for the first time or again; PSH ends them.
    pub fn data(self, octets: Range<u32>) -> Self {
        self.segments(octets, true)
    }

    /// The client sends these octets and has more waiting: no PSH (Linux).
    pub fn data_of_more(self, octets: Range<u32>) -> Self {
        self.segments(octets, false)
    }

    fn segments(mut self, octets: Range<u32>, psh: bool) -> Self {
        let mut start = octets.start;
        while start < octets.end {
            let end = octets.end.min(start + self.mss);
            self = self.super_frame(start..end, psh && end == octets.end);
            start = end;
        }
        self
    }

    /// The client sends these octets in one frame, as segmentation offload shows them.
    pub fn super_frame(mut self, octets: Range<u32>, psh: bool) -> Self {
        let len = octets.end - octets.start;
        let packet = Packet { len, psh, ..self.packet(Side::Client, Some(octets.start)) };
        self.add(packet);
        self
    }

    /// The server acknowledges everything below `ack`.
    pub fn ack(self, ack: u32) -> Self {
        self.sack_blocks(ack, &[])
    }

    /// The server acknowledges everything below `ack` and the octets `range`.
    pub fn sack(self, ack: u32, range: Range<u32>) -> Self {
        self.sack_blocks(ack, &[range])
    }

    /// The server acknowledges everything below `ack`, and up to four ranges.
    pub fn sack_blocks(mut self, ack: u32, ranges: &[Range<u32>]) -> Self {
        self.server_ack = ack;
        let base = self.client_isn.wrapping_add(1);
        let block =
            |range: &Range<u32>| (base.wrapping_add(range.start), base.wrapping_add(range.end));
        let sack = ranges.iter().map(block).collect();
        let packet = Packet { sack, ..self.packet(Side::Server, None) };
        self.add(packet);
        self
    }

    /// The server says that it had `range` before (RFC 2883).
    pub fn dsack(self, ack: u32, range: Range<u32>) -> Self {
        self.sack(ack, range)
    }

    /// The server announces a window of `octets` without acknowledging anything new.
    pub fn window_update(self, octets: u32) -> Self {
        let ack = self.server_ack;
        self.rwnd(octets).ack(ack)
    }

    /// The server sends these octets of its own, and the client acknowledges them at once.
    pub fn reply(mut self, octets: Range<u32>) -> Self {
        let seq = self.server_isn.wrapping_add(1 + octets.start);
        let len = octets.end - octets.start;
        let packet = Packet { seq, len, psh: true, ..self.packet(Side::Server, None) };
        self.add(packet);
        self.client_ack = octets.end;
        self
    }

    /// The client closes after octet `end`.
    pub fn fin(mut self, end: u32) -> Self {
        let packet = Packet { fin: true, ..self.packet(Side::Client, Some(end)) };
        self.add(packet);
        self
    }

    /// The server closes, having everything including the client's FIN after octet `end`.
    pub fn fin_ack(mut self, end: u32) -> Self {
        self.server_ack = end + 1;
        let packet = Packet { fin: true, ..self.packet(Side::Server, None) };
        self.add(packet);
        self
    }

    /// The server resets the connection.
    pub fn rst(mut self) -> Self {
        let packet = Packet { rst: true, ..self.packet(Side::Server, None) };
        self.add(packet);
        self
    }

    /// The capture that this makes.
    pub fn packets(&self) -> &Packets {
        &self.packets
    }

    /// The report on the client's data.
    pub fn flow(&self) -> FlowReport {
        self.packets.client_flow()
    }

    /// An empty segment of `from` with the acknowledgment and window of the moment, `offset`
    /// octets into its payload.
    fn packet(&self, from: Side, offset: Option<u32>) -> Packet {
        let offset = offset.unwrap_or(0);
        let (isn, ack, window) = match from {
            Side::Client => {
                (self.client_isn, self.server_isn.wrapping_add(1 + self.client_ack), 64_240)
            }
            Side::Server => (
                self.server_isn,
                self.client_isn.wrapping_add(1 + self.server_ack),
                self.rwnd >> self.shift,
            ),
        };
        let offset = if from == Side::Server { self.client_ack } else { offset };
        Packet {
            ack: Some(ack),
            window: u16::try_from(window).unwrap_or(u16::MAX),
            ..Packet::new(self.now, from, isn.wrapping_add(1 + offset))
        }
    }

    fn add(&mut self, mut packet: Packet) {
        if self.has_timestamps {
            let value = packet.time.as_millis() as u32;
            packet.timestamps = Some((value, self.echo));
            self.echo = value;
        }
        self.packets.packets.push(packet);
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.packets.fmt(f)
    }
}

//! A TCP packet that tests are made of: its octets in a capture, and its line in tcpdump notation.

use std::fmt::{self, Write as _};
use std::time::Duration;

use crate::model::{FlowReport, Report};
use crate::{Config, analyze_stream};

/// Port of the side that opens the connection.
const CLIENT_PORT: u16 = 40_000;
const SERVER_PORT: u16 = 5_001;
/// Zero of a capture's clock: 2026-01-01 00:00 UTC, in nanoseconds.
const EPOCH_NS: u64 = 1_767_225_600_000_000_000;
const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const RST: u8 = 0x04;
const PSH: u8 = 0x08;
const ACK: u8 = 0x10;

/// An end of the connection. The client opens it, and sends the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Opens, and sends the data.
    Client,
    /// Acknowledges.
    Server,
}

/// One packet as the capture has it.
#[derive(Debug, Clone)]
pub struct Packet {
    /// Since the capture's zero.
    pub time: Duration,
    /// Who sent it.
    pub from: Side,
    /// As in the header.
    pub seq: u32,
    /// As in the header; `None` without the flag.
    pub ack: Option<u32>,
    /// As in the header, not scaled.
    pub window: u16,
    /// Time to live, as it passes the tap.
    pub ttl: u8,
    /// Payload octets.
    pub len: u32,
    /// Flag.
    pub syn: bool,
    /// Flag.
    pub fin: bool,
    /// Flag.
    pub rst: bool,
    /// Flag.
    pub psh: bool,
    /// MSS, shift and SACK-permitted, on a SYN.
    pub offer: Option<(u16, Option<u8>, bool)>,
    /// Multipath capable (RFC 8684), on a SYN.
    pub multipath: bool,
    /// `TSval` and `TSecr`.
    pub timestamps: Option<(u32, u32)>,
    /// SACK blocks, at most four (three beside timestamps).
    pub sack: Vec<(u32, u32)>,
}

impl Packet {
    /// A plain segment without any flag.
    pub fn new(time: Duration, from: Side, seq: u32) -> Self {
        Self {
            time,
            from,
            seq,
            ack: None,
            window: 0,
            ttl: 64,
            len: 0,
            syn: false,
            fin: false,
            rst: false,
            psh: false,
            offer: None,
            multipath: false,
            timestamps: None,
            sack: Vec::new(),
        }
    }

    fn flags(&self) -> u8 {
        let flag = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
        flag(self.fin, FIN)
            | flag(self.syn, SYN)
            | flag(self.rst, RST)
            | flag(self.psh, PSH)
            | flag(self.ack.is_some(), ACK)
    }

    /// Options in the order of Linux, padded to a multiple of four with no-operations in front.
    fn options(&self) -> Vec<u8> {
        let mut options = Vec::new();
        if let Some((mss, shift, sack_permitted)) = self.offer {
            options.extend([2, 4]);
            options.extend(mss.to_be_bytes());
            if sack_permitted {
                options.extend([1, 1, 4, 2]);
            }
            if let Some(shift) = shift {
                options.extend([1, 3, 3, shift]);
            }
        }
        if self.multipath {
            options.extend([30, 4, 1, 1]);
        }
        if let Some((value, echo)) = self.timestamps {
            options.extend([1, 1, 8, 10]);
            options.extend(value.to_be_bytes());
            options.extend(echo.to_be_bytes());
        }
        if !self.sack.is_empty() {
            options.extend([1, 1, 5, (2 + 8 * self.sack.len()) as u8]);
            for (left, right) in &self.sack {
                options.extend(left.to_be_bytes());
                options.extend(right.to_be_bytes());
            }
        }
        options
    }

    /// Ethernet, IPv4 and TCP headers; the payload is zeros, which the caller adds.
    fn headers(&self, ip_id: u16) -> Vec<u8> {
        let options = self.options();
        let tcp_len = 20 + options.len() as u32 + self.len;
        let (client, server) = ([192, 0, 2, 1], [198, 51, 100, 1]);
        let (src, dst, ports) = match self.from {
            Side::Client => (client, server, [CLIENT_PORT, SERVER_PORT]),
            Side::Server => (server, client, [SERVER_PORT, CLIENT_PORT]),
        };
        let macs = if self.from == Side::Client { [2, 1] } else { [1, 2] };
        let mut octets = vec![2, 0, 0, 0, 0, macs[0], 2, 0, 0, 0, 0, macs[1], 0x08, 0x00];

        // A super-frame above 64 kB has no length (segmentation offload).
        let total_len = u16::try_from(20 + tcp_len).unwrap_or(0);
        let mut ip = vec![0x45, 0];
        ip.extend(total_len.to_be_bytes());
        ip.extend(ip_id.to_be_bytes());
        ip.extend([0x40, 0, self.ttl, 6, 0, 0]);
        ip.extend(src);
        ip.extend(dst);
        let sum = checksum(&ip, 0).to_be_bytes();
        ip.splice(10..12, sum);

        let mut tcp = Vec::new();
        tcp.extend(ports[0].to_be_bytes());
        tcp.extend(ports[1].to_be_bytes());
        tcp.extend(self.seq.to_be_bytes());
        tcp.extend(self.ack.unwrap_or(0).to_be_bytes());
        tcp.extend([((20 + options.len()) as u8 / 4) << 4, self.flags()]);
        tcp.extend(self.window.to_be_bytes());
        tcp.extend([0; 4]);
        tcp.extend(options);
        let pseudo = [&src[..], &dst[..], &[0, 6], &(tcp_len as u16).to_be_bytes()].concat();
        let sum = checksum(&tcp, u32::from(!checksum(&pseudo, 0))).to_be_bytes();
        tcp.splice(16..18, sum);

        octets.extend(ip);
        octets.extend(tcp);
        octets
    }
}

/// RFC 1071, with `start` as what came before.
fn checksum(octets: &[u8], start: u32) -> u16 {
    let mut sum = start;
    for (index, octet) in octets.iter().enumerate() {
        sum += u32::from(*octet) << if index % 2 == 0 { 8 } else { 0 };
    }
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// tcpdump's notation, with sequence numbers as in the header.
impl fmt::Display for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arrow = if self.from == Side::Client { '>' } else { '<' };
        let mut flags = String::new();
        for (is_set, name) in [(self.syn, 'S'), (self.fin, 'F'), (self.rst, 'R'), (self.psh, 'P')] {
            if is_set {
                flags.push(name);
            }
        }
        if self.ack.is_some() {
            flags.push('.');
        }
        let end = self.seq.wrapping_add(self.len);
        write!(
            f,
            "{:12.6} {arrow} [{flags}] {}:{end}({})",
            self.time.as_secs_f64(),
            self.seq,
            self.len
        )?;
        if let Some(ack) = self.ack {
            write!(f, " ack {ack}")?;
        }
        write!(f, " win {}", self.window)?;
        if let Some((mss, shift, _)) = self.offer {
            write!(f, " <mss {mss}, wscale {shift:?}>")?;
        }
        for (left, right) in &self.sack {
            write!(f, " sack {left}:{right}")?;
        }
        Ok(())
    }
}

/// A capture in the making.
#[derive(Debug, Clone, Default)]
pub struct Packets {
    /// In capture order.
    pub packets: Vec<Packet>,
}

impl Packets {
    /// A little-endian pcap file with nanoseconds, frames cut to `snap_len` octets.
    pub fn pcap(&self, snap_len: u32) -> Vec<u8> {
        let mut file = Vec::new();
        file.extend(0xa1b2_3c4d_u32.to_le_bytes());
        file.extend([2, 0, 4, 0]);
        file.extend([0; 8]);
        file.extend(snap_len.to_le_bytes());
        file.extend(1_u32.to_le_bytes());
        for (index, packet) in self.packets.iter().enumerate() {
            let mut frame = packet.headers(index as u16 + 1);
            let wire_len = frame.len() as u32 + packet.len;
            let kept = wire_len.min(snap_len);
            frame.resize(kept as usize, 0);
            let time = EPOCH_NS + packet.time.as_nanos() as u64;
            for field in
                [(time / 1_000_000_000) as u32, (time % 1_000_000_000) as u32, kept, wire_len]
            {
                file.extend(field.to_le_bytes());
            }
            file.extend(frame);
        }
        file
    }

    /// What the tool makes of it.
    pub fn analyze(&self) -> Report {
        let pcap = std::io::Cursor::new(self.pcap(128));
        analyze_stream("trace", pcap, &Config::default()).expect("a capture of our own making")
    }

    /// The report on the client's data.
    pub fn client_flow(&self) -> FlowReport {
        let report = self.analyze();
        let flow = report.flows.into_iter().find(|flow| flow.src.port == CLIENT_PORT);
        flow.unwrap_or_else(|| panic!("no flow of the client in\n{self}"))
    }
}

impl fmt::Display for Packets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for packet in &self.packets {
            writeln!(text, "{packet}")?;
        }
        f.write_str(&text)
    }
}

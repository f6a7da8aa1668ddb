//! One simulated transfer whose cause is known by construction.
//!
//! A sender (IW10, slow start, Reno with SACK, retransmission timer, Linux's rule for waking a
//! blocked writer), a bottleneck with a droptail queue and seeded loss, and a receiver (delayed
//! ACKs, SACK, a window that its reader keeps open or not). Discrete events, no clock, no threads:
//! the same path gives the same octets.

mod receiver;
mod sender;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::time::Duration;

use super::ms;
use super::packet::{Packet, Packets, Side};
use crate::model::{FlowReport, Report};
use receiver::Receiver;
use sender::Sender;

/// Headers on the wire beside the payload: Ethernet, IPv4, TCP with timestamps.
const HEADERS: u64 = 66;
/// Payload of a full segment on Ethernet with timestamps.
const MSS: u64 = 1448;
const CLIENT_ISN: u32 = 1_000_000;
const SERVER_ISN: u32 = 5_000_000;
const SHIFT: u8 = 7;
/// From segment to segment of a burst, without segmentation offload (measured, Linux 6.12).
const PER_SEGMENT: u64 = 7_000;
/// A transfer that is not through by then ends without a FIN.
const TIME_MAX: Duration = Duration::from_secs(60);

/// What the sending application does, always through a blocking socket in writes of 64 kB.
#[derive(Debug, Clone, Copy)]
pub enum Application {
    /// Writes as fast as the socket takes it.
    Bulk,
    /// Writes `chunk` octets every `interval`.
    Paced {
        /// Octets per write.
        chunk: u64,
        /// From write to write.
        interval: Duration,
    },
}

/// What the receiving application does.
#[derive(Debug, Clone, Copy)]
pub enum Reader {
    /// Reads at once.
    Eager,
    /// Reads `chunk` octets (or what there is) every `interval`.
    Slow {
        /// Octets per read.
        chunk: u64,
        /// From read to read.
        interval: Duration,
    },
}

/// Where the capture is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tap {
    /// At the sender's interface.
    Sender,
    /// Behind the bottleneck, half of the propagation from either end.
    Middle,
    /// At the receiver's interface.
    Receiver,
}

/// A transfer to simulate. Change fields of [`Path::default`].
#[derive(Debug, Clone, Copy)]
pub struct Path {
    /// Bottleneck, bits per second.
    pub rate_bps: u64,
    /// Propagation there and back.
    pub rtt: Duration,
    /// Octets that the bottleneck's queue holds.
    pub queue: u64,
    /// One data packet in this many is lost, at random; 0 for none.
    pub loss_one_in: u64,
    /// Of the random losses.
    pub seed: u64,
    /// Octets that the receiver buffers.
    pub rcvbuf: u64,
    /// Octets that the sender buffers, unacknowledged ones included.
    pub sndbuf: u64,
    /// Writer.
    pub application: Application,
    /// Reader.
    pub reader: Reader,
    /// Bits per second at which the sender spaces its segments; `None` sends bursts.
    pub pacing_bps: Option<u64>,
    /// How long the application writes.
    pub duration: Duration,
    /// Capture point.
    pub tap: Tap,
}

/// 20 Mbit/s, 40 ms, a queue of one bandwidth-delay product, no other limit near, three seconds.
impl Default for Path {
    fn default() -> Self {
        Self {
            rate_bps: 20_000_000,
            rtt: ms(40),
            queue: 100_000,
            loss_one_in: 0,
            seed: 1,
            rcvbuf: 4_000_000,
            sndbuf: 4_000_000,
            application: Application::Bulk,
            reader: Reader::Eager,
            pacing_bps: None,
            duration: ms(3000),
            tap: Tap::Sender,
        }
    }
}

impl Path {
    /// Runs the transfer and captures it.
    pub fn capture(&self) -> Packets {
        Simulation::new(*self).run()
    }

    /// What the tool makes of it.
    pub fn analyze(&self) -> Report {
        self.capture().analyze()
    }

    /// The report on the data's direction.
    pub fn flow(&self) -> FlowReport {
        self.capture().client_flow()
    }

    /// A packet's time on the bottleneck.
    fn serialization(&self, payload: u64) -> u64 {
        (payload + HEADERS) * 8 * 1_000_000_000 / self.rate_bps
    }
}

/// Data on its way, in stream offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Data {
    start: u64,
    len: u64,
    psh: bool,
    fin: bool,
    sent_at: u64,
}

/// An acknowledgment on its way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Ack {
    rcv_nxt: u64,
    window: u64,
    sack: Vec<(u64, u64)>,
    sent_at: u64,
    /// When the data that it answers was sent.
    echo: u64,
    fin: bool,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    DataArrives(Data),
    AckArrives(Ack),
    Write,
    Read,
    /// The delayed-ACK timer; carries the arming that it belongs to.
    DelayedAck(u64),
    /// The retransmission timer; carries the arming that it belongs to.
    Timeout(u64),
    /// The pacing timer.
    Pace,
}

struct Simulation {
    path: Path,
    now: u64,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    event_count: u64,
    /// When the sending host can put the next segment on its wire.
    host_free_at: u64,
    /// When the bottleneck has sent all that it holds.
    link_free_at: u64,
    random: u64,
    sender: Sender,
    receiver: Receiver,
    packets: Vec<Packet>,
    is_closed: bool,
}

impl Simulation {
    fn new(path: Path) -> Self {
        Self {
            path,
            now: 0,
            events: BinaryHeap::new(),
            event_count: 0,
            host_free_at: 0,
            link_free_at: 0,
            random: path.seed,
            sender: Sender::new(&path),
            receiver: Receiver::new(&path),
            packets: Vec::new(),
            is_closed: false,
        }
    }

    fn run(mut self) -> Packets {
        self.handshake();
        self.schedule(self.now, Event::Write);
        if let Reader::Slow { interval, .. } = self.path.reader {
            self.schedule(self.now + nanos(interval), Event::Read);
        }
        while let Some(Reverse((time, _, event))) = self.events.pop() {
            if self.is_closed || time > nanos(TIME_MAX) {
                break;
            }
            self.now = time;
            self.on_event(event);
        }
        self.packets.sort_by_key(|packet| packet.time);
        Packets { packets: self.packets }
    }

    fn on_event(&mut self, event: Event) {
        match event {
            Event::DataArrives(data) => {
                let ack = self.receiver.on_data(&data);
                self.answer(ack);
            }
            Event::Read => {
                if let Reader::Slow { chunk, interval } = self.path.reader {
                    let ack = self.receiver.read(chunk);
                    self.answer(ack);
                    self.schedule(self.now + nanos(interval), Event::Read);
                }
            }
            Event::DelayedAck(arming) => {
                let ack = self.receiver.on_delayed_ack(arming);
                self.answer(ack);
            }
            Event::AckArrives(ack) => {
                self.sender.on_ack(&ack, self.now);
                self.write_and_send();
                if ack.fin {
                    self.is_closed = true;
                    self.record_ack_of_fin(&ack);
                }
            }
            Event::Write => {
                if let Application::Paced { chunk, interval } = self.path.application {
                    self.sender.owe(chunk);
                    if self.now < nanos(self.path.duration) {
                        self.schedule(self.now + nanos(interval), Event::Write);
                    }
                }
                self.write_and_send();
            }
            Event::Timeout(arming) => {
                if self.sender.on_timeout(arming) {
                    self.write_and_send();
                }
            }
            Event::Pace => self.write_and_send(),
        }
    }

    fn schedule(&mut self, time: u64, event: Event) {
        self.event_count += 1;
        self.events.push(Reverse((time, self.event_count, event)));
    }

    /// SYN, SYN-ACK, ACK on an idle path; leaves `now` at the client's ACK.
    fn handshake(&mut self) {
        let half = nanos(self.path.rtt) / 2;
        let offer = Some((1460, Some(SHIFT), true));
        let at_tap = |sent: u64, from: Side| match (self.path.tap, from) {
            (Tap::Middle, _) => sent + half / 2,
            (Tap::Sender, Side::Client) | (Tap::Receiver, Side::Server) => sent,
            _ => sent + half,
        };
        let unscaled = self.path.rcvbuf.min(65_535) as u16;
        let packet = |sent, from, seq| Packet {
            window: if from == Side::Client { 64_240 } else { unscaled },
            timestamps: Some((millis(sent), millis(sent.saturating_sub(half)))),
            ..Packet::new(Duration::from_nanos(at_tap(sent, from)), from, seq)
        };
        let syn = Packet { syn: true, offer, ..packet(0, Side::Client, CLIENT_ISN) };
        let ack = Some(CLIENT_ISN + 1);
        let syn_ack = Packet { syn: true, offer, ack, ..packet(half, Side::Server, SERVER_ISN) };
        let ack = Some(SERVER_ISN + 1);
        let last = Packet { ack, window: 502, ..packet(2 * half, Side::Client, CLIENT_ISN + 1) };
        self.packets.extend([syn, syn_ack, last]);
        self.now = 2 * half + 20_000;
    }

    /// Lets the application fill the buffer, and the sender put on the wire what it may.
    fn write_and_send(&mut self) {
        let is_over = self.now >= nanos(self.path.duration);
        self.sender.write(&self.path.application, is_over);
        // Linux paces no less than two segments at a time (`tcp_min_tso_segs`).
        let mut quantum = 0;
        while let Some(data) = self.sender.next_segment(self.now) {
            let departs = self.host_free_at.max(self.now);
            self.host_free_at = departs + PER_SEGMENT;
            self.carry(data, departs);
            quantum += data.len + HEADERS;
            if let Some(rate) = self.path.pacing_bps.filter(|_| quantum > MSS + HEADERS) {
                let gap = quantum * 8 * 1_000_000_000 / rate;
                self.sender.paced_until = self.now + gap;
                self.schedule(self.now + gap, Event::Pace);
            }
        }
        if let Some((at, arming)) = self.sender.arm_timer(self.now) {
            self.schedule(at, Event::Timeout(arming));
        }
    }

    /// Takes a data packet over the bottleneck, or drops it there.
    fn carry(&mut self, data: Data, departs: u64) {
        let backlog =
            self.link_free_at.saturating_sub(departs) * self.path.rate_bps / 8_000_000_000;
        let is_lost = self.is_unlucky() || backlog + data.len + HEADERS > self.path.queue;
        let leaves = self.link_free_at.max(departs) + self.path.serialization(data.len);
        let arrives = leaves + nanos(self.path.rtt) / 2;
        match self.path.tap {
            Tap::Sender => self.record_data(departs, &data),
            _ if is_lost => {}
            Tap::Middle => self.record_data(arrives - nanos(self.path.rtt) / 4, &data),
            Tap::Receiver => self.record_data(arrives, &data),
        }
        if !is_lost {
            self.link_free_at = leaves;
            self.schedule(arrives, Event::DataArrives(data));
        }
    }

    /// Sends an acknowledgment back over an idle path, and arms the delayed-ACK timer.
    fn answer(&mut self, ack: Option<Ack>) {
        if let Some((delay, arming)) = self.receiver.arm_delayed_ack() {
            self.schedule(self.now + nanos(delay), Event::DelayedAck(arming));
        }
        let Some(ack) = ack else { return };
        let ack = Ack { sent_at: self.now, ..ack };
        let arrives = self.now + nanos(self.path.rtt) / 2;
        let seen = match self.path.tap {
            Tap::Sender => arrives,
            Tap::Middle => arrives - nanos(self.path.rtt) / 4,
            Tap::Receiver => self.now,
        };
        self.record_ack(seen, &ack);
        self.schedule(arrives, Event::AckArrives(ack));
    }

    /// A linear congruential generator (Knuth's MMIX constants); its upper half decides.
    fn is_unlucky(&mut self) -> bool {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let draw = self.random >> 32;
        draw.checked_rem(self.path.loss_one_in).is_some_and(|rest| rest == 0)
    }

    fn record_data(&mut self, time: u64, data: &Data) {
        self.packets.push(Packet {
            ack: Some(SERVER_ISN + 1),
            window: 502,
            len: data.len as u32,
            psh: data.psh,
            fin: data.fin,
            timestamps: Some((millis(data.sent_at), millis(self.sender.peer_time))),
            ..Packet::new(Duration::from_nanos(time), Side::Client, sequence(data.start))
        });
    }

    fn record_ack(&mut self, time: u64, ack: &Ack) {
        self.packets.push(Packet {
            ack: Some(sequence(ack.rcv_nxt)),
            window: (ack.window >> SHIFT) as u16,
            fin: ack.fin,
            sack: ack
                .sack
                .iter()
                .map(|(left, right)| (sequence(*left), sequence(*right)))
                .collect(),
            timestamps: Some((millis(self.now), millis(ack.echo))),
            ..Packet::new(Duration::from_nanos(time), Side::Server, SERVER_ISN + 1)
        });
    }

    /// The client's last word.
    fn record_ack_of_fin(&mut self, fin: &Ack) {
        let delay = match self.path.tap {
            Tap::Sender => 0,
            Tap::Middle => nanos(self.path.rtt) / 4,
            Tap::Receiver => nanos(self.path.rtt) / 2,
        };
        self.packets.push(Packet {
            ack: Some(SERVER_ISN + 2),
            window: 502,
            timestamps: Some((millis(self.now), millis(fin.sent_at))),
            ..Packet::new(
                Duration::from_nanos(self.now + delay + 10_000),
                Side::Client,
                sequence(fin.rcv_nxt),
            )
        });
    }
}

/// Prints the transfer like tcpdump.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.capture().fmt(f)
    }
}

fn nanos(duration: Duration) -> u64 {
    duration.as_nanos() as u64
}

fn millis(nanos: u64) -> u32 {
    (nanos / 1_000_000) as u32 + 1
}

fn sequence(offset: u64) -> u32 {
    CLIENT_ISN.wrapping_add(1).wrapping_add(offset as u32)
}

//! A connection as it is handed on when nothing more is expected of it.

use std::num::NonZeroU8;

use super::Offered;
use crate::units::{Bytes, FrameNumber, Timestamp, WindowShift};
use crate::wire::{Endpoint, Scope};

/// Both directions of one connection.
#[derive(Debug)]
pub(crate) struct Connection<C> {
    /// Number of the connection in the capture, from 0: Wireshark's `tcp.stream`.
    pub(crate) stream: u32,
    pub(crate) scope: Scope,
    pub(crate) first_frame: FrameNumber,
    pub(crate) first_time: Timestamp,
    pub(crate) last_time: Timestamp,
    /// Who was seen first sent the last packet, too.
    pub(crate) is_last_from_first: bool,
    /// A RST closed it, or the FINs of both sides, acknowledged.
    pub(crate) is_closed: bool,
    /// SYN and SYN-ACK were captured.
    pub(crate) has_handshake: bool,
    /// The flow whose sender was seen first, then the other.
    pub(crate) flows: [Flow<C>; 2],
}

/// One direction of a connection.
#[derive(Debug)]
pub(crate) struct Flow<C> {
    /// Who sent this direction's data.
    pub(crate) src: Endpoint,
    /// The sender opened the connection; without any SYN, it was seen first.
    pub(crate) is_client: bool,
    /// Frames captured, those without payload included.
    pub(crate) packets: u64,
    /// Payload octets of all frames, as the IP lengths tell.
    pub(crate) payload_bytes: u64,
    /// As it came, of its first packet; none is sent with zero (RFC 1122 section 3.2.1.7). `None` where no
    /// packet was seen.
    pub(crate) ttl: Option<NonZeroU8>,
    /// Octets of the sender's stream that acknowledgments cover, from the first one seen on, whether they
    /// were captured or not.
    pub(crate) covered: Bytes,
    /// What the sender's SYN said of scaling; `None` if it was not captured.
    pub(crate) syn: Option<Offered>,
    /// The shift of the windows that the sender advertises; `None` while nothing tells.
    pub(crate) window_scale: Option<ScaleFacts>,
    /// First RST of the sender.
    pub(crate) reset_time: Option<Timestamp>,
    /// Segments and acknowledgments whose numbers lay beyond any window, or before the first octet
    /// seen: not handed to the consumer.
    pub(crate) unplaced_count: u64,
    /// `None` if the sender sent no payload, and no SYN or FIN again.
    pub(crate) consumer: Option<Box<C>>,
}

impl<C> Connection<C> {
    /// Takes the two consumers out.
    pub(crate) fn split(self) -> (Connection<()>, [Option<Box<C>>; 2]) {
        let [(first, a), (second, b)] = self.flows.map(Flow::split);
        let connection = Connection {
            stream: self.stream,
            scope: self.scope,
            first_frame: self.first_frame,
            first_time: self.first_time,
            last_time: self.last_time,
            is_last_from_first: self.is_last_from_first,
            is_closed: self.is_closed,
            has_handshake: self.has_handshake,
            flows: [first, second],
        };
        (connection, [a, b])
    }
}

impl<C> Flow<C> {
    fn split(self) -> (Flow<()>, Option<Box<C>>) {
        let flow = Flow {
            src: self.src,
            is_client: self.is_client,
            packets: self.packets,
            payload_bytes: self.payload_bytes,
            ttl: self.ttl,
            covered: self.covered,
            syn: self.syn,
            window_scale: self.window_scale,
            reset_time: self.reset_time,
            unplaced_count: self.unplaced_count,
            consumer: None,
        };
        (flow, self.consumer)
    }
}

/// A window's shift and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScaleFacts {
    pub(crate) shift: WindowShift,
    /// Not from the handshake: the smallest that keeps the data inside the window.
    pub(crate) is_inferred: bool,
    /// No other is possible, if the tap stood at the peer of the side that advertised the windows.
    pub(crate) is_certain: bool,
}

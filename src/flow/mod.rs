//! Whose is it, at which stream offset, which window after scaling? Takes
//! [`Segment`](crate::wire::Segment)s, gives [`Data`] and [`Ack`] of one flow to its [`Consumer`].
//!
//! A connection is two flows; a flow is one direction's data and the acknowledgments for it. A
//! segment with payload that also acknowledges is `Data` of one flow and `Ack` of the other, and
//! the `Ack` is handed over first: the sender knew it when it sent.

mod ahead;
mod answer;
mod bare_ack;
mod bounds;
mod clock_set;
mod connection;
mod ecn;
mod handshake;
mod index;
mod key;
mod live;
mod ongoing;
mod placing;
mod queues;
mod riders;
mod side;
mod size_class;
mod slab;
mod table;
mod time_wait;
mod tracked;
mod window_scale;

pub(crate) use ahead::{AHEAD, look_ahead};
pub(crate) use answer::Answer;
pub(crate) use bounds::{TableBounds, TableCounts};
pub(crate) use connection::{Connection, Flow};
pub(crate) use ongoing::Ongoing;
pub(crate) use size_class::{Growth, SizeClass};
pub(crate) use table::FlowTable;
pub(crate) use window_scale::{ETHERNET_MSS, Offered};

use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp};
use crate::wire::TcpTimestamps;

/// What a flow's sender put on the wire: payload, SYN or FIN, or a zero-length probe below SND.NXT
/// (keep-alive, window probe). Plain acknowledgments are not `Data`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Data {
    pub(crate) frame: FrameNumber,
    pub(crate) time: Timestamp,
    /// First octet; the SYN stands at 0.
    pub(crate) start: StreamOffset,
    /// Payload octets; SYN and FIN take one more each (see [`Data::end`]).
    pub(crate) len: Bytes,
    pub(crate) is_syn: bool,
    pub(crate) is_fin: bool,
    pub(crate) is_pushed: bool,
    /// Identifies the copy; `None` for IPv6 or a constant zero.
    pub(crate) ip_id: Option<u16>,
    pub(crate) timestamps: Option<TcpTimestamps>,
    /// Octets of the frame that are not payload; zero where the frame is not known.
    pub(crate) headers_len: u32,
    /// One tick of the sender's clock where `time` is a reading of it: so far apart may be what was
    /// sent at one time. `None` where `time` is when the segment passed the tap.
    pub(crate) sender_tick: Option<Duration>,
    /// Told by `vantage`; [`Departure::Unknown`] before it.
    pub(crate) departure: Departure,
}

/// What is known of when TCP made data, beyond the time at which they passed or by the sender's clock.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Departure {
    /// Nothing.
    #[default]
    Unknown,
    /// They stood in a queue of the sending host, its qdisc or its driver (see the module
    /// `vantage::host_queue`); TCP had made them at another time than the data before them.
    QueuedApart,
    /// The same, and TCP had made them together with the data before them.
    QueuedTogether,
    /// Away from the sender: no acknowledgment had reached it since the data before them, and the time
    /// between is known (see the module `vantage::unprompted`).
    Unprompted,
}

impl Data {
    /// One past the last octet of sequence space.
    pub(crate) fn end(&self) -> StreamOffset {
        let flags = u64::from(self.is_syn).saturating_add(u64::from(self.is_fin));
        self.start.after(self.len).after(Bytes(flags))
    }
}

/// What reached the tap of the receiver's answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "what stood in one header")]
#[expect(clippy::struct_field_names, reason = "SEG.ACK has no other name")]
pub(crate) struct Ack {
    pub(crate) frame: FrameNumber,
    pub(crate) time: Timestamp,
    /// Cumulative acknowledgment, in the data flow's offsets.
    pub(crate) ack: StreamOffset,
    /// The advertised window, scaled (RFC 7323); `None` while the shift is not known. A SYN's
    /// window is never scaled.
    pub(crate) window: Option<Bytes>,
    pub(crate) window_unscaled: u16,
    pub(crate) sack: SackRanges,
    pub(crate) timestamps: Option<TcpTimestamps>,
    /// The segment also carried payload of the other direction (a request, say).
    pub(crate) has_payload: bool,
    pub(crate) is_syn: bool,
    pub(crate) is_fin: bool,
    /// How far `time` may be off the arrival at the sender; zero where the tap stands there.
    pub(crate) slack: Duration,
    /// ECN-Echo outside the handshake (RFC 3168 section 6.1.3).
    pub(crate) has_ece: bool,
    /// So many before it, within a millisecond, said the same, rode on data, too, and were left out (see
    /// [`Consumer::hears_each`]).
    pub(crate) repeats: u32,
}

/// SACK blocks in stream offsets, in the order of the option. A first block at or below the
/// cumulative acknowledgment, or inside the second, is a D-SACK (RFC 2883 section 4).
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SackRanges {
    ranges: [(StreamOffset, StreamOffset); crate::wire::SackList::MAX],
    count: u8,
}

impl SackRanges {
    /// Adds a range; a fifth is ignored.
    pub(crate) fn push(&mut self, start: StreamOffset, end: StreamOffset) {
        if let Some(slot) = self.ranges.get_mut(usize::from(self.count)) {
            *slot = (start, end);
            self.count = self.count.saturating_add(1);
        }
    }

    pub(crate) fn as_slice(&self) -> &[(StreamOffset, StreamOffset)] {
        self.ranges.get(..usize::from(self.count)).unwrap_or_default()
    }
}

/// The stage after this one, as far as this one knows it. Calls come in capture order.
///
/// A flow gets its consumer with its first payload; what the flow showed before (its SYNs, the
/// first and the last acknowledgment) is handed over then. A flow without payload has none.
pub(crate) trait Consumer: Sized {
    /// What the user told it beforehand, the same for all flows.
    type Settings: Clone + Default + std::fmt::Debug;
    /// A consumer that heeds them.
    fn with(settings: Self::Settings) -> Self;
    /// What the handshake told; not called where it was not captured. Called again when more is
    /// known: where data came with the SYN (RFC 7413), when the handshake is complete; where it was
    /// answered more slowly than data are, and no timestamps tell, whenever they were answered faster.
    fn on_handshake(&mut self, handshake: &Handshake);
    /// Whether it is to hear of each acknowledgment, of several alike, too (see [`Ack::repeats`]).
    fn hears_each(_settings: &Self::Settings) -> bool {
        true
    }
    /// Somebody looks on: nothing may wait.
    fn is_watched(_settings: &Self::Settings) -> bool {
        false
    }
    /// The flow's sender put something on the wire.
    fn on_data(&mut self, data: &Data);
    /// An acknowledgment for the flow passed.
    fn on_ack(&mut self, ack: &Ack);
    /// Reads something of what the next call needs, so that it is in the cache by then: of what stands in
    /// the consumer itself, or, once that is there, of what it leads to (`is_far`). The number means nothing.
    fn fetch(&self, _is_far: bool) -> u64 {
        0
    }
    /// The capture's times are read from a clock that ticks this coarsely; zero where it is a fine one after
    /// all. Called when that is found out.
    fn on_tap_tick(&mut self, _tick: Duration) {}
    /// The tap stands away from the sender, which the acknowledgments' times so far did not heed: round trips
    /// lacked the way between the two. Called when that is found out.
    fn on_way_found(&mut self) {}
    /// The capture's clock was set back, by this much in all (no more than before where one packet alone
    /// was earlier): its times go on from `now`, and those before it tell nothing of how long something
    /// took until after it.
    fn on_clock_set(&mut self, _now: Timestamp, _back: Duration) {}
    /// Hardly anything will come any more: room that was held for that may go.
    fn settle(&mut self) {}
    /// Estimate of the octets held, for the bound on all flows together. Asked after each segment.
    fn memory(&self) -> Bytes {
        Bytes(u64::try_from(size_of::<Self>()).unwrap_or(u64::MAX))
    }
}

/// What the handshake told about one flow; handed over before the flow's first payload.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Handshake {
    /// The smaller MSS option of the two sides: a sender keeps to its peer's and to its own link.
    pub(crate) mss: Option<u16>,
    /// The receiver's MSS option, which alone binds the sender.
    pub(crate) receiver_mss: Option<u16>,
    /// From the receiver's handshake segment passing the tap to the sender's answer passing it:
    /// the sender's half of the RTT as seen from the tap (near zero at the sender). Less where the
    /// other direction's data were answered faster. `None` if either was not captured.
    pub(crate) sender_half: Option<Duration>,
    /// The other half, the same way round (near zero at the receiver).
    pub(crate) receiver_half: Option<Duration>,
    /// The sender of this flow opened the connection.
    pub(crate) is_client: bool,
    /// Both sides offered SACK (RFC 2018).
    pub(crate) is_sack_permitted: bool,
    /// Both sides offered multipath TCP (RFC 8684): this is one of the subflows.
    pub(crate) is_multipath: bool,
}

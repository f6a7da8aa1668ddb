//! What did the sender know and do? Takes [`Data`](crate::flow::Data) and
//! [`Ack`](crate::flow::Ack), rebuilds the variables of RFC 9293 section 3.3.1, the scoreboard of
//! RFC 6675 and the timers of RFC 6298, and tells each step as a [`SenderEvent`]. It knows no
//! thresholds of limits.

mod clock_step;
mod copies;
mod passage;
mod rtt;
mod segment_size;
mod state;
#[cfg(test)]
mod tests;
mod totals;

pub(crate) use passage::TooLarge;
pub(crate) use rtt::RTO_MIN;
pub(crate) use segment_size::TIMESTAMPS_LEN;
pub(crate) use state::Sender;
pub(crate) use totals::SenderTotals;

use std::num::NonZeroU32;

use crate::flow::Departure;
use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp};
use segment_size::ETHERNET_MSS;

/// Segments (RFC 6928 section 2, `TCP_INIT_CWND`), however short: Linux counts its window in those
/// (`tcp_cwnd_test`).
pub(crate) const INITIAL_WINDOW: u16 = 10;

/// Octets that an initial window holds at most, and as many segments `beside` it: of Ethernet's, or of its
/// own size if that is larger.
pub(crate) fn initial_window(smss: Bytes, beside: u64) -> Bytes {
    let segments = u64::from(INITIAL_WINDOW).saturating_add(beside);
    Bytes(smss.0.max(ETHERNET_MSS).saturating_mul(segments))
}

/// A path may become shorter: what takes a round trip takes, for sure, one of so many parts of the shortest.
pub(crate) const SHORTENED_PARTS: u32 = 2;

/// One step of the sender, with the state right after it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SenderEvent {
    /// It put octets on the wire.
    Send(Send),
    /// It learned of an acknowledgment.
    Acknowledge(Acknowledge),
    /// Part of its traffic is missing from the capture.
    Gap(Gap),
}

/// Octets went out.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts of one segment")]
pub(crate) struct Send {
    pub(crate) frame: FrameNumber,
    pub(crate) time: Timestamp,
    /// See [`Data`](crate::flow::Data).
    pub(crate) sender_tick: Option<Duration>,
    /// See [`Data`](crate::flow::Data).
    pub(crate) departure: Departure,
    pub(crate) start: StreamOffset,
    /// Payload octets (0 for most SYNs, FINs and probes).
    pub(crate) len: Bytes,
    /// Octets of its frame that are not payload; zero where the frame is not known. Each segment of a
    /// super-frame has as many.
    pub(crate) headers_len: u32,
    /// Wire segments in it: `ceil(len / smss)`, at least 1; above 1 in a super-frame.
    pub(crate) segments: u32,
    /// Of these, how many the sender sent again: all of a retransmission but what is new behind it; none of
    /// any other send.
    pub(crate) resent_segments: u32,
    /// Largest wire segment so far, in payload octets.
    pub(crate) smss: Bytes,
    pub(crate) kind: SendKind,
    pub(crate) is_syn: bool,
    pub(crate) is_fin: bool,
    /// PSH stood on it. Linux sets PSH where a write ended or the queue ran dry; a send without
    /// PSH left more data waiting.
    pub(crate) is_pushed: bool,
    /// A tail loss probe (RFC 8985 section 7), whether it carries data again or new data.
    pub(crate) is_loss_probe: bool,
    /// State right after this send.
    pub(crate) after: SenderVars,
}

impl Send {
    /// What follows it in the stream; SYN and FIN count as one octet each (RFC 9293 section 3.4).
    pub(crate) fn end(&self) -> StreamOffset {
        let flags = u64::from(self.is_syn).saturating_add(u64::from(self.is_fin));
        self.start.after(self.len).after(Bytes(flags))
    }
}

/// Why octets went out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SendKind {
    /// Beyond SND.NXT: for the first time.
    New,
    /// Sent before, and sent again by the sender.
    Retransmit(RetransmitCause),
    /// At SND.NXT - 1 with everything acknowledged (RFC 9293 section 3.8.4).
    KeepAlive,
    /// Into a window that is closed, or too small for a segment (RFC 9293 section 3.8.6.1).
    WindowProbe,
    /// The same packet once more, copied by the network or the capture: no act of the sender.
    Duplicate(DuplicateCause),
    /// Seen late, first copy: reordered before the tap, no act of the sender.
    Reordered,
}

/// What made the sender send again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RetransmitCause {
    /// Duplicate ACKs, SACK or RACK (RFC 5681 section 3.2, 6675, 8985), and the repairs that
    /// follow in the same recovery.
    Fast,
    /// The retransmission timer (RFC 6298 section 5), and the go-back-N that follows it.
    Timeout,
    /// A tail loss probe (RFC 8985 section 7).
    LossProbe,
    /// SYN or SYN-ACK again.
    Handshake,
}

/// Where a second copy of one packet came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum DuplicateCause {
    /// The network delivered it twice.
    Network,
    /// The capture recorded it twice (two taps, a bonded or bridged interface).
    Capture,
}

/// An acknowledgment was taken in.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts of one packet")]
pub(crate) struct Acknowledge {
    pub(crate) frame: FrameNumber,
    pub(crate) time: Timestamp,
    /// Octets cumulatively acknowledged for the first time.
    pub(crate) newly_acked: Bytes,
    /// Octets selectively acknowledged for the first time.
    pub(crate) newly_sacked: Bytes,
    /// Octets that the receiver has told to have for the first time, one way or the other.
    pub(crate) newly_delivered: Bytes,
    /// Octets that it was the first to pass over: lost, or late.
    pub(crate) passed_over: Bytes,
    /// When the first of these had first been sent; `None` if there are none, or the capture did not
    /// show it.
    pub(crate) passed_over_sent: Option<Timestamp>,
    /// One past the highest octet that the receiver has told to have.
    pub(crate) highest: StreamOffset,
    /// How far the window's right edge moved. Zero when unknown.
    pub(crate) window_opened: Bytes,
    /// DupAck in the sense of RFC 5681 section 2.
    pub(crate) is_dup_ack: bool,
    /// Octets that the receiver got once more (D-SACK, RFC 2883), start to end.
    pub(crate) dsack: Option<(StreamOffset, StreamOffset)>,
    pub(crate) has_ece: bool,
    /// It also carried payload of the other direction.
    pub(crate) has_payload: bool,
    /// How far `time` may be off; zero where the tap stands at the sender.
    pub(crate) slack: Duration,
    /// The RTT sample that it gave.
    pub(crate) rtt: Option<RttSample>,
    /// It is of no more than a segment, and what it leaves unacknowledged has been on its way for a round
    /// trip: the receiver may have had it.
    pub(crate) is_followed: bool,
    /// See [`Ack`](crate::flow::Ack).
    pub(crate) repeats: u32,
    /// State right after taking it in.
    pub(crate) after: SenderVars,
}

#[cfg(test)]
impl Acknowledge {
    /// Of `octets` in order and nothing else, for the tests of the stages behind.
    pub(crate) fn of(octets: Bytes, time: Timestamp) -> Self {
        Self {
            frame: FrameNumber::new(1),
            time,
            newly_acked: octets,
            newly_sacked: Bytes(0),
            newly_delivered: octets,
            passed_over: Bytes(0),
            passed_over_sent: None,
            highest: StreamOffset(0),
            window_opened: Bytes(0),
            is_dup_ack: octets == Bytes(0),
            dsack: None,
            has_ece: false,
            has_payload: false,
            slack: Duration::ZERO,
            rtt: None,
            is_followed: false,
            repeats: 0,
            after: SenderVars::default(),
        }
    }
}

/// An acknowledgment that rides on data and says what those before it said, with nothing in flight: time
/// has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unchanged {
    pub(crate) frame: FrameNumber,
    pub(crate) time: Timestamp,
    /// See [`Acknowledge`].
    pub(crate) slack: Duration,
    /// See [`Ack`](crate::flow::Ack).
    pub(crate) repeats: u32,
}

/// One round-trip measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RttSample {
    pub(crate) rtt: Duration,
    pub(crate) matcher: RttMatcher,
    /// TSval: the receiver's clock as the ACK left; `None` where it has none or 0, and where the time of the
    /// ACK may be off. (An ACK's event is copied often: more would make it longer than 256 octets.)
    pub(crate) stamp: Option<NonZeroU32>,
}

#[cfg(test)]
impl RttSample {
    /// Without timestamps, for the tests of the stages behind.
    pub(crate) fn of(rtt: Duration, matcher: RttMatcher) -> Self {
        Self { rtt, matcher, stamp: None }
    }
}

/// How a sample was matched to its send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RttMatcher {
    /// A cumulative ACK covered a never-retransmitted segment's end (Karn's rule).
    SegmentEnd,
    /// A SACK block covered a segment that was sent once.
    Sack,
    /// TSecr named the transmission (RFC 7323 section 4); also right for retransmissions.
    Timestamp,
}

/// The capture missed something of this flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) time: Timestamp,
    pub(crate) frame: FrameNumber,
    /// Octets acknowledged or passed over that the capture never showed.
    pub(crate) missed: Bytes,
}

/// The sender's variables, as far as a passive observer can know them.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct SenderVars {
    pub(crate) snd_una: StreamOffset,
    pub(crate) snd_nxt: StreamOffset,
    /// Sent and not cumulatively acknowledged (RFC 5681 section 2).
    pub(crate) flight_size: Bytes,
    /// RFC 6675 pipe: no SACKed and no lost octets, retransmissions counted.
    pub(crate) pipe: Bytes,
    /// SND.WND; `None` until an ACK with a known window scale was seen.
    pub(crate) snd_wnd: Option<Bytes>,
    /// From SND.NXT to the window's right edge; zero when the window is full or was shrunk.
    pub(crate) spare_window: Option<Bytes>,
    pub(crate) recovery: Recovery,
    /// RFC 6298; `None` before the first sample.
    pub(crate) srtt: Option<Duration>,
    /// Smallest sample of the flow.
    pub(crate) min_rtt: Option<Duration>,
    /// RFC 6298 with Linux's floor of 200 ms; `None` before the first sample.
    pub(crate) rto_est: Option<Duration>,
}

/// Whether and how the sender is repairing a loss.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Recovery {
    /// No known loss.
    #[default]
    Open,
    /// Fast recovery (RFC 6675): until SND.UNA passes the recovery point.
    Fast,
    /// After a retransmission timeout, until everything sent before it is acknowledged.
    Timeout,
}

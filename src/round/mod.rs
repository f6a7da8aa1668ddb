//! What are the facts of this round trip? Takes [`SenderEvent`](crate::sender::SenderEvent)s,
//! gives [`Round`]s: the time of one round trip cut into [`Wait`]s, each from the last octet of a
//! burst to the first octet of the next. Knows no names of limits.
//!
//! A round ends with the first send after the ACK of its first send (the rounds of BBR and of
//! tcptrace's "round"). Rounds follow each other without holes, so their waits tile the flow's
//! time. Waits with the same discrete facts ([`Sign`]) are merged, so a round holds a bounded
//! number of them however many segments it has.

mod acks;
mod builder;
mod climb;
mod cwnd_pace;
mod first_pace;
mod lag;
mod manner;
mod nagle;
mod open_wait;
mod pace;
mod pacing_timer;
mod rate;
mod reaction;
mod stop;
#[cfg(test)]
pub(crate) mod tests;
mod thinned;
mod window_pace;

pub(crate) use builder::RoundBuilder;
pub(crate) use lag::LATE_MAX;
pub(crate) use reaction::ALL_BUT_PARTS;

use crate::sender::{Recovery, RetransmitCause};
use crate::units::{Bytes, Duration, FrameNumber, Timestamp};

/// One round trip of a flow.
#[derive(Debug, Clone)]
pub(crate) struct Round {
    /// In order, without holes; at most [`Self::WAITS_MAX`].
    pub(crate) waits: Vec<Wait>,
    pub(crate) smss: Bytes,
    /// RFC 6298; `None` before the first sample.
    pub(crate) srtt: Option<Duration>,
    pub(crate) min_rtt: Option<Duration>,
    /// Largest FlightSize right after a send.
    pub(crate) flight_peak: Bytes,
    /// Largest RFC 6675 pipe right after a send.
    pub(crate) pipe_peak: Bytes,
    /// Smallest room left in the advertised window right after a send; `None` while the window's
    /// scale is unknown.
    pub(crate) spare_window_min: Option<Bytes>,
    /// Largest single send: a super-frame under segmentation offload.
    pub(crate) send_max: Bytes,
    /// Sends of new data that ended in a segment below SMSS.
    pub(crate) short_sends: u32,
    /// How many of these had more behind them in a burst that an ACK prompted; away from the sender none, as
    /// it is not known there.
    pub(crate) write_ends_inside: u32,
    /// Segments that went out before any data was acknowledged; 0 where the capture begins later than the
    /// connection, as that is not known then.
    pub(crate) first_segments: u16,
    /// How exactly the times are known, where they are readings of the sender's clock; `None` where
    /// they are the tap's.
    pub(crate) sender_tick: Option<Duration>,
    /// The tap did not stand at the sender, as far as is known.
    pub(crate) is_remote: bool,
    /// Something was retransmitted, or recovery was on.
    pub(crate) has_loss: bool,
}

/// A stretch in which the sender waited for something, or several alike in a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wait {
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    pub(crate) first_frame: FrameNumber,
    pub(crate) last_frame: FrameNumber,
    pub(crate) sign: Sign,
    /// How many waits were merged into this one.
    pub(crate) count: u32,
    /// The longest and the shortest of them.
    pub(crate) longest: Duration,
    pub(crate) shortest: Duration,
    /// FlightSize right after the send before the (first) wait.
    pub(crate) flight_before: Bytes,
    /// SND.WND at its start; `None` while the scale is unknown.
    pub(crate) snd_wnd: Option<Bytes>,
    /// Octets acknowledged during it without any send in answer.
    pub(crate) unanswered: Bytes,
    /// How long, from its (first) start on, nothing was acknowledged.
    pub(crate) silent: Duration,
    /// How many ACKs came during it.
    pub(crate) acks: u32,
    /// How many of these carried payload of the other direction.
    pub(crate) acks_with_payload: u32,
    /// How long after the last ACK it ended; of several the longest.
    pub(crate) prompted_after: Duration,
    /// How much of it, from each start on, the pacing timer held the sender back, as far as its pace is
    /// known; what is longer is something else's doing (see the module `pacing_timer`).
    pub(crate) held: Duration,
    /// How much of that at a pace which nothing on the wire shows.
    pub(crate) held_assumed: Duration,
    /// How much of it, from each start on, less than one SMSS of the window was open.
    pub(crate) full: Duration,
}

impl Wait {
    pub(crate) fn duration(&self) -> Duration {
        self.end.since(self.start)
    }
}

/// The discrete facts of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sign {
    pub(crate) ended_by: EndedBy,
    pub(crate) queue: QueueSign,
    pub(crate) window: WindowSign,
    /// How much of the flight was acknowledged without an answer.
    pub(crate) batch: BatchSign,
    /// How large what ended the wait was.
    pub(crate) next: NextSign,
    /// Everything sent was acknowledged before the wait ended.
    pub(crate) is_emptied: bool,
    /// Whether the sender's pacing timer made it as long as it was.
    pub(crate) pacing: PacingSign,
    pub(crate) recovery: Recovery,
    /// The capture missed something in it.
    pub(crate) has_gap: bool,
}

impl Sign {
    /// An ACK ended a batch of either size.
    pub(crate) fn is_prompted_batch(self) -> bool {
        self.batch != BatchSign::No && self.ended_by.is_prompted()
    }

    /// An ACK ended a batch of the size that a blocked writer waits for.
    pub(crate) fn is_prompted_third(self) -> bool {
        self.batch == BatchSign::Third && self.ended_by.is_prompted()
    }

    /// Less than a segment stayed queued until an ACK came, of the batch's size or for that segment alone.
    pub(crate) fn is_held_back(self) -> bool {
        let is_put_off = self.batch != BatchSign::No || self.next.is_short();
        self.queue == QueueSign::Held && is_put_off && self.ended_by.is_prompted()
    }

    /// The pacing timer ended it, not an ACK nor the application.
    pub(crate) fn is_pacing_step(self) -> bool {
        matches!(self.pacing, PacingSign::Step | PacingSign::Queued)
    }

    /// The queue had run dry before the wait, or held less than one segment.
    pub(crate) fn is_drained(self) -> bool {
        match self.queue {
            QueueSign::Dry => true,
            QueueSign::Held => self.next.is_short(),
            _ => false,
        }
    }
}

/// What came at the end of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndedBy {
    /// New data within [`IMMEDIATE`](crate::units::host::IMMEDIATE) of an ACK that freed something, or within
    /// what a host takes that answers more slowly.
    Ack,
    /// New data within [`WAKE_UP`](crate::units::host::WAKE_UP) of such an ACK.
    LateAck,
    /// New data within [`WAKE_UP`](crate::units::host::WAKE_UP) of a segment that also carried payload: a
    /// request, say.
    Payload,
    /// New data, with no such ACK.
    Nothing,
    /// New data when the timer of a loss probe was due (RFC 8985 section 7.3).
    NewProbe,
    /// A retransmission.
    Retransmission(RetransmitCause),
    /// A probe of the zero window.
    WindowProbe,
    /// The sender's FIN.
    Fin,
    /// An acknowledgment that opened or finished the connection.
    StateChange,
    /// The end of what was captured.
    End,
}

impl EndedBy {
    /// An ACK prompted new data, at once or by waking somebody up.
    pub(crate) fn is_prompted(self) -> bool {
        matches!(self, Self::Ack | Self::LateAck)
    }

    /// New data need not have waited for an ACK: none came, or too early to be answered at once.
    pub(crate) fn is_perhaps_unprompted(self) -> bool {
        matches!(self, Self::Nothing | Self::LateAck)
    }
}

/// How much of the flight was acknowledged before the next send without prompting one.
///
/// A sender with data queued answers each ACK, or puts its answer off for the sake of larger
/// segments, but not beyond one largest send or a third of the window (Linux
/// `tcp_tso_should_defer`). A blocked writer is woken as soon as a third of the buffer is free
/// (`sk_stream_is_writeable`), not before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BatchSign {
    /// No more than segmentation deferral explains.
    No,
    /// More than that, but less than a blocked writer waits for.
    PutOff,
    /// A third or more.
    Third,
}

/// What went out at the end of a wait.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextSign {
    /// A whole segment or more, or nothing.
    #[default]
    Whole,
    /// One segment shorter than SMSS.
    Short,
    /// One that Nagle's algorithm may have held back until then.
    Released,
}

impl NextSign {
    pub(crate) fn is_short(self) -> bool {
        self != Self::Whole
    }
}

/// What a wait's length tells of the sender's pacing timer (see the module `pace`).
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PacingSign {
    /// Neither shown nor excluded.
    #[default]
    Unknown,
    /// The timer made it this long.
    Step,
    /// The send before it was larger than a paced sender makes one at this pace.
    Oversized,
    /// The timer would have ended it long before.
    Overlong,
    /// What ended it was made before, and stood in a queue of the sending host: its qdisc's timer, or its
    /// line, made it this long.
    Queued,
}

/// What the last send before a wait tells of the send queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QueueSign {
    /// It ended in a segment shorter than SMSS: nothing more was queued. (A segment is never cut
    /// short for the window's sake: RFC 9293 section 3.8.6.2.1.)
    Dry,
    /// Full-sized and without PSH: more was queued, if only less than a segment that Nagle's
    /// algorithm held back.
    Held,
    /// Full-sized with PSH: cannot be told. (Linux sets PSH on every super-frame, since 5.4.)
    Pushed,
    /// One full-sized segment alone, with PSH: a write ended there, and nothing was queued behind
    /// it. (Linux clears PSH where a later write joins the segment, `tcp_sendmsg_locked`.)
    Written,
    /// The SYN is out and not acknowledged.
    Opening,
    /// The connection stands; nothing was sent yet.
    Established,
    /// A probe went out, no data.
    Probe,
    /// The FIN is out; data may still be in flight.
    Closing,
    /// Everything up to the FIN is acknowledged.
    Closed,
}

/// The advertised window right after the send before a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WindowSign {
    /// Less than one SMSS in all.
    Zero,
    /// Less than one SMSS of it left.
    Full,
    /// Less left than segmentation deferral may hold back (a third of the window).
    Near,
    /// More than that left.
    Open,
    /// Its scale is not known.
    Unknown,
}

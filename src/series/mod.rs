//! How did the flow look over time? Takes [`Ack`]s and [`SenderEvent`]s, gives bounded
//! series for plots. Only where they are asked for: `()` stands in everywhere else.
//!
//! Times are the sender's, as everywhere after `vantage`: away from the sender an acknowledgment
//! stands where it is held to have arrived there.

mod rates;
mod reservoir;
mod wanted;

pub(crate) use rates::Rates;
pub(crate) use reservoir::{Point, Range, Reservoir};
pub use wanted::SeriesWanted;
pub(crate) use wanted::Stretch;

use serde::Serialize;

use reservoir::Passed;

use crate::flow::Ack;
use crate::sender::{
    Acknowledge, DuplicateCause, RetransmitCause, RttMatcher, Send, SendKind, SenderEvent,
};
use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp};

/// Listens to one flow besides those who judge it.
pub(crate) trait Listener: Default + std::marker::Send + Sync + 'static {
    /// Steps that change nothing are steps as well.
    const IS_EACH_STEP_HEARD: bool = true;

    /// One that is to keep to a stretch of the flow.
    fn with(_stretch: Stretch) -> Self {
        Self::default()
    }
    /// The acknowledgment of the steps that follow.
    fn on_ack(&mut self, _ack: &Ack) {}
    /// A step of the sender.
    fn on_event(&mut self, _event: &SenderEvent) {}
    /// Octets held beside its own size.
    fn memory(&self) -> usize {
        0
    }
    /// All that was found; `room` is the most samples wanted for one line, `srtt` the flow's mean.
    fn finish(self, _room: usize, _srtt: Option<Duration>) -> Option<Findings> {
        None
    }
}

/// No series.
impl Listener for () {
    const IS_EACH_STEP_HEARD: bool = false;
}

/// Keeps the series of one flow.
#[derive(Debug, Default)]
pub(crate) struct Series {
    stretch: Stretch,
    /// Time of the first step.
    start: Option<Timestamp>,
    found: Lines,
    passed: Reservoir<Passed>,
}

/// The lines that need no more than thinning out.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// Octets after each step.
    pub(crate) flight: Reservoir<Point>,
    pub(crate) pipe: Reservoir<Point>,
    /// Where it changed, octets.
    pub(crate) window: Reservoir<Point>,
    /// Samples in nanoseconds, in the order of [`MATCHERS`].
    pub(crate) rtt: [Reservoir<Point>; 3],
    pub(crate) srtt: Reservoir<Point>,
    /// Smallest sample so far.
    pub(crate) min_rtt: Reservoir<Point>,
    /// What went out, in the order of [`SentKind`].
    pub(crate) sent: [Reservoir<Range>; SentKind::ALL.len()],
    /// SND.UNA.
    pub(crate) acked: Reservoir<Point>,
    /// SND.UNA at each `DupAck`.
    pub(crate) dup_acks: Reservoir<Point>,
    /// Right edge of the advertised window.
    pub(crate) edge: Reservoir<Point>,
    /// Blocks newly reported (RFC 2018), and those got once more (RFC 2883).
    pub(crate) sacked: Reservoir<Range>,
    pub(crate) dsacked: Reservoir<Range>,
}

/// The matchers of RTT samples, in the order in which they are kept.
pub(crate) const MATCHERS: [RttMatcher; 3] =
    [RttMatcher::SegmentEnd, RttMatcher::Sack, RttMatcher::Timestamp];

/// Why a part of the stream went out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SentKind {
    /// For the first time.
    New,
    /// Again: duplicate ACKs, SACK or RACK, and the repairs of the same recovery.
    Fast,
    /// Again: the retransmission timer, and the go-back-N after it.
    Timeout,
    /// Again: a tail loss probe.
    LossProbe,
    /// SYN or SYN-ACK again.
    Handshake,
    /// Keep-alive.
    KeepAlive,
    /// Probe of a zero window.
    WindowProbe,
    /// A copy made by the network or the capture, no act of the sender.
    Duplicate,
    /// The first copy, seen late: reordered before the tap.
    Reordered,
}

impl SentKind {
    pub(crate) const ALL: [Self; 9] = [
        Self::New,
        Self::Fast,
        Self::Timeout,
        Self::LossProbe,
        Self::Handshake,
        Self::KeepAlive,
        Self::WindowProbe,
        Self::Duplicate,
        Self::Reordered,
    ];

    fn of(send: &Send) -> Self {
        match send.kind {
            SendKind::New => Self::New,
            SendKind::Retransmit(RetransmitCause::Fast) => Self::Fast,
            SendKind::Retransmit(RetransmitCause::Timeout) => Self::Timeout,
            SendKind::Retransmit(RetransmitCause::LossProbe) => Self::LossProbe,
            SendKind::Retransmit(RetransmitCause::Handshake) => Self::Handshake,
            SendKind::KeepAlive => Self::KeepAlive,
            SendKind::WindowProbe => Self::WindowProbe,
            SendKind::Duplicate(DuplicateCause::Network | DuplicateCause::Capture) => {
                Self::Duplicate
            }
            SendKind::Reordered => Self::Reordered,
        }
    }
}

/// The series of one flow.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) lines: Lines,
    /// `None` if nothing passed.
    pub(crate) rates: Option<Rates>,
}

impl Listener for Series {
    fn with(stretch: Stretch) -> Self {
        Self { stretch, ..Self::default() }
    }

    fn on_ack(&mut self, ack: &Ack) {
        if !self.is_wanted(ack.time) {
            return;
        }
        // The first block is the newest; the others repeat earlier ones (RFC 2018 section 4). A
        // D-SACK stands in front of it (RFC 2883 section 4) and is told by the event.
        let is_news = |block: &&(StreamOffset, StreamOffset)| block.0 > ack.ack;
        let Some(block) = ack.sack.as_slice().iter().find(is_news) else { return };
        let range = range(ack.time, ack.frame, *block);
        let is_same = |last: &Range| (last.start, last.end) == (range.start, range.end);
        if !self.found.sacked.last().is_some_and(is_same) {
            self.found.sacked.push(range);
        }
    }

    fn on_event(&mut self, event: &SenderEvent) {
        match event {
            SenderEvent::Send(send) if self.is_wanted(send.time) => self.on_send(send),
            SenderEvent::Acknowledge(ack) if self.is_wanted(ack.time) => self.on_acknowledge(ack),
            _ => {}
        }
    }

    fn memory(&self) -> usize {
        let Lines { flight, pipe, window, rtt, srtt, min_rtt, .. } = &self.found;
        let Lines { sent, acked, dup_acks, edge, sacked, dsacked, .. } = &self.found;
        let points = [flight, pipe, window, srtt, min_rtt, acked, dup_acks, edge];
        let points = points.into_iter().chain(rtt).map(Reservoir::memory);
        let ranges = [sacked, dsacked].into_iter().chain(sent).map(Reservoir::memory);
        points.chain(ranges).fold(self.passed.memory(), usize::saturating_add)
    }

    fn finish(mut self, room: usize, srtt: Option<Duration>) -> Option<Findings> {
        let Lines { flight, pipe, window, rtt, srtt: smoothed, min_rtt, .. } = &mut self.found;
        for points in [flight, pipe, window, smoothed, min_rtt].into_iter().chain(rtt) {
            points.thin_out(room);
        }
        let Lines { sent, acked, dup_acks, edge, sacked, dsacked, .. } = &mut self.found;
        for points in [acked, dup_acks, edge] {
            points.thin_out(room);
        }
        for ranges in [sacked, dsacked].into_iter().chain(sent) {
            ranges.thin_out(room);
        }
        let rates = Rates::of(&self.passed, room, srtt.unwrap_or_default());
        Some(Findings { lines: self.found, rates })
    }
}

impl Series {
    fn is_wanted(&mut self, time: Timestamp) -> bool {
        let start = *self.start.get_or_insert(time);
        self.stretch.holds(start, time)
    }

    fn on_send(&mut self, send: &Send) {
        let (time, frame) = (send.time, send.frame);
        let kind = SentKind::of(send);
        if let Some(sent) = self.found.sent.get_mut(kind as usize) {
            let count = u64::from(send.segments);
            sent.push(Range { count, ..range(time, frame, (send.start, send.end())) });
        }
        let headers = u64::from(send.headers_len).saturating_mul(u64::from(send.segments));
        let wire = if kind == SentKind::Duplicate { 0 } else { send.len.0.saturating_add(headers) };
        self.pass(time, frame, (0, wire));
        self.push_state(time, frame, (send.after.flight_size, send.after.pipe));
    }

    fn on_acknowledge(&mut self, ack: &Acknowledge) {
        let (time, frame, after) = (ack.time, ack.frame, &ack.after);
        let found = &mut self.found;
        let point = |value| Point { time, value, frame };
        push_change(&mut found.acked, point(after.snd_una.0));
        if ack.is_dup_ack {
            found.dup_acks.push(point(after.snd_una.0));
        }
        // While the scale is not known, all that is known is when it is closed: no line.
        let window = after.snd_wnd.filter(|it| *it > Bytes(0) || found.window.last().is_some());
        if let Some(window) = window {
            push_change(&mut found.window, point(window.0));
            push_change(&mut found.edge, point(after.snd_una.after(window).0));
        }
        if let Some(block) = ack.dsack {
            found.dsacked.push(range(time, frame, block));
        }
        if let Some(sample) = ack.rtt {
            let slot = MATCHERS.iter().zip(&mut found.rtt);
            for (_, samples) in slot.filter(|(matcher, _)| **matcher == sample.matcher) {
                samples.push(point(sample.rtt.as_nanos()));
            }
            found.srtt.push_some(after.srtt.map(|srtt| point(srtt.as_nanos())));
        }
        if let Some(min) = after.min_rtt {
            push_change(&mut found.min_rtt, point(min.as_nanos()));
        }
        self.pass(time, frame, (ack.newly_acked.0, 0));
        self.push_state(time, frame, (after.flight_size, after.pipe));
    }

    fn pass(&mut self, time: Timestamp, frame: FrameNumber, (acked, wire): (u64, u64)) {
        if acked > 0 || wire > 0 {
            self.passed.push(Passed { time, acked, wire, first_frame: frame, last_frame: frame });
        }
    }

    fn push_state(&mut self, time: Timestamp, frame: FrameNumber, (flight, pipe): (Bytes, Bytes)) {
        push_change(&mut self.found.flight, Point { time, value: flight.0, frame });
        push_change(&mut self.found.pipe, Point { time, value: pipe.0, frame });
    }
}

impl Reservoir<Point> {
    fn push_some(&mut self, point: Option<Point>) {
        if let Some(point) = point {
            self.push(point);
        }
    }
}

/// A value holds until the next one, so only a change is news.
fn push_change(line: &mut Reservoir<Point>, point: Point) {
    if line.last().is_none_or(|last| last.value != point.value) {
        line.push(point);
    }
}

fn range(time: Timestamp, frame: FrameNumber, (start, end): (StreamOffset, StreamOffset)) -> Range {
    let (first_frame, last_frame) = (frame, frame);
    Range { time, until: time, start, end, count: 1, first_frame, last_frame }
}

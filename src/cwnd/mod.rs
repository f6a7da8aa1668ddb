//! What was the congestion window? It never stands on the wire; takes
//! [`SenderEvent`]s, gives a [`Shadow`] of it.
//!
//! What is in the pipe right after a send is a lower bound of cwnd at that time. Where cwnd is the
//! limit, it is also nearly all of it: less than one segment is left (RFC 5681 section 3.1), or what
//! segmentation deferral keeps back for a larger send, which is less than the largest one and than
//! half of what is out (Linux `tcp_tso_should_defer`). As cwnd does not fall except when a loss or a
//! delay says so, the largest pipe of the last two round trips is the estimate in
//! [`Recovery::Open`], so that the dips of deferral do not show.
//!
//! In recovery proportional rate reduction (RFC 6937) sets cwnd anew with each ACK, between what was
//! out when it began and what is out now; and RACK (RFC 8985) may have given up octets which RFC
//! 6675 still counts as in the pipe, so the bounds are wide. After a timeout cwnd begins at one
//! segment.
//!
//! Where something else is the limit, only the lower bound holds. Whether it was is not asked here.

mod slow_start;

pub(crate) use slow_start::SlowStartExit;
pub use slow_start::SlowStartExitCause;

use slow_start::SlowStart;

use crate::sender::{Acknowledge, Recovery, RetransmitCause, Send, SendKind, SenderEvent};
use crate::units::heap::OnHeap;
use crate::units::{Bytes, Duration, StreamOffset, Timestamp, halve};

/// Follows one sender.
#[derive(Debug, Default)]
pub(crate) struct Shadow {
    /// In order; the last one may still change.
    points: Vec<Point>,
    /// Points closer together than this are one.
    spacing: Duration,
    /// Time, pipe and SMSS of the last send since the last ACK.
    waiting: Option<(Timestamp, Bytes, Bytes)>,
    /// Largest pipe of this round trip and of the one before, and the largest send.
    peaks: [Bytes; 2],
    sends: [Bytes; 2],
    /// Largest pipe before recovery began.
    entry: Bytes,
    /// The round trip is over once this is acknowledged.
    round_end: StreamOffset,
    recovery: Recovery,
    slow_start: SlowStart,
}

/// The window between two times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) time: Timestamp,
    /// Octets; holds whatever the limit was.
    pub(crate) low: Bytes,
    /// Octets; these two hold where cwnd was the limit.
    pub(crate) best: Bytes,
    pub(crate) high: Bytes,
}

impl Point {
    /// Nothing to tell apart in a plot: within a hundredth, the bounds within a twentieth.
    fn is_like(&self, other: &Self) -> bool {
        let is_near =
            |one: Bytes, two: Bytes, part: u64| one.0.abs_diff(two.0).saturating_mul(part) <= one.0;
        is_near(self.best, other.best, 100)
            && is_near(self.low, other.low, 20)
            && is_near(self.high, other.high, 20)
    }
}

/// What was found about one sender's window.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) points: Vec<Point>,
    /// `None` if slow start did not end, or nothing shows that it did.
    pub(crate) slow_start_exit: Option<SlowStartExit>,
}

impl Shadow {
    /// Points kept; when there are more, every second one gives way.
    const POINTS_MAX: usize = 1024;
    const SPACING_MIN: Duration = Duration::from_micros(500);

    /// Takes the next event; times never decrease.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "where it is called the kind is known")]
    pub(crate) fn on_event(&mut self, event: &SenderEvent) {
        match event {
            SenderEvent::Send(send) => self.on_send(send),
            SenderEvent::Acknowledge(ack) => self.on_ack(ack),
            SenderEvent::Gap(_) => {}
        }
    }

    /// Octets held beside its own size.
    pub(crate) fn memory(&self) -> usize {
        self.points.on_heap()
    }

    /// Hardly anything will come any more: gives back the room that is held for more.
    pub(crate) fn settle(&mut self) {
        self.points.shrink_to_fit();
    }

    /// Closes the books.
    pub(crate) fn finish(mut self) -> Findings {
        self.push_waiting();
        Findings { points: self.points, slow_start_exit: self.slow_start.exit() }
    }

    fn on_send(&mut self, send: &Send) {
        let is_step = matches!(send.kind, SendKind::New | SendKind::Retransmit(_));
        if !is_step || send.len == Bytes(0) {
            return;
        }
        let vars = &send.after;
        if matches!(send.kind, SendKind::Retransmit(RetransmitCause::Timeout)) {
            self.push_waiting(); // No ACK came in between that would have.
        }
        if vars.recovery != self.recovery {
            self.entry = self.peaks[0].max(self.peaks[1]).max(vars.pipe);
            self.recovery = vars.recovery;
            self.peaks = [Bytes(0); 2];
        }
        self.peaks[0] = self.peaks[0].max(vars.pipe);
        self.sends[0] = self.sends[0].max(send.len);
        self.waiting = Some((send.time, vars.pipe, send.smss));
        self.slow_start.on_send(send);
    }

    /// As it stands right after a send.
    fn point(&self, (time, pipe, smss): (Timestamp, Bytes, Bytes)) -> Point {
        let [peak, before] = self.peaks;
        let best = if self.recovery == Recovery::Open { peak.max(before) } else { pipe };
        let deferred = self.sends[0].max(self.sends[1]).min(Bytes(best.0 / 2)).max(smss);
        let high = best.saturating_add(deferred);
        match self.recovery {
            Recovery::Open => Point { time, low: pipe.saturating_sub(smss), best, high },
            Recovery::Fast => {
                Point { time, low: Bytes(pipe.0 / 2), best, high: high.max(self.entry) }
            }
            // Its one segment may be acknowledged already by what else arrived.
            Recovery::Timeout => {
                Point { time, low: smss, best: best.max(smss), high: high.max(smss) }
            }
        }
    }

    fn on_ack(&mut self, ack: &Acknowledge) {
        self.push_waiting();
        if ack.after.snd_una >= self.round_end {
            self.round_end = ack.after.snd_nxt;
            self.peaks = [Bytes(0), self.peaks[0]];
            self.sends = [Bytes(0), self.sends[0]];
        }
        self.slow_start.on_ack(ack);
    }

    fn push_waiting(&mut self) {
        let Some(point) = self.waiting.take().map(|sent| self.point(sent)) else { return };
        let spacing = self.spacing.max(Self::SPACING_MIN);
        match self.points.last_mut() {
            Some(last) if point.time.since(last.time) < spacing => {
                *last = Point { time: last.time, ..point };
            }
            Some(last) if last.is_like(&point) => {}
            _ => self.push(point, spacing),
        }
    }

    #[inline(never)]
    fn push(&mut self, point: Point, spacing: Duration) {
        self.points.push(point);
        if self.points.len() >= Self::POINTS_MAX {
            self.spacing = spacing.saturating_mul(2);
            halve(&mut self.points);
        }
    }
}

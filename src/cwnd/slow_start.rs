//! When did slow start end, and by what? While it lasts the pipe grows by half or more each round
//! trip (see [`SLOW_START_GROWTH`](crate::response::SLOW_START_GROWTH)). It ends with the first loss (RFC
//! 5681 section 3.1), or where that growth stops without one: by HyStart (Ha, Rhee 2011; RFC 9406 has its
//! successor, HyStart++), or at a limit other than cwnd. In the latter case it may go on later.
//!
//! The end of the first one is told here, to the send and not just to the round trip: by how long the pipe
//! takes to hold a quarter more. In slow start that is two thirds of a round trip at most.

use serde::Serialize;

use crate::sender::{Acknowledge, Recovery, Send};
use crate::units::{Bytes, Timestamp};

/// Why slow start ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SlowStartExitCause {
    /// A loss was repaired.
    Loss,
    /// The receiver echoed a congestion mark.
    Ecn,
    /// The growth ended without either: `HyStart`, or another limit took over.
    GrowthEnded,
}

/// The end of slow start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SlowStartExit {
    pub(crate) time: Timestamp,
    pub(crate) cause: SlowStartExitCause,
}

/// Follows the growth until it ends.
#[derive(Debug, Default)]
pub(super) struct SlowStart {
    exit: Option<SlowStartExit>,
    /// The pipe when it was last a quarter larger than the time before, and when that was.
    mark: Bytes,
    marked: Timestamp,
    /// A quarter more than that.
    enough: Bytes,
    /// Quarters in a row, since the growth ended, that took longer than a round trip.
    slow_quarters: u32,
    /// A loss or a mark came, or the window grew on as avoidance does: no growth takes the end back.
    is_over: bool,
}

impl SlowStart {
    pub(super) fn exit(&self) -> Option<SlowStartExit> {
        self.exit
    }

    pub(super) fn on_send(&mut self, send: &Send) {
        if self.is_over {
            return;
        }
        let vars = &send.after;
        if vars.recovery != Recovery::Open {
            self.end(send.time, SlowStartExitCause::Loss);
            return;
        }
        let Some(srtt) = vars.srtt.filter(|_| self.mark > Bytes(0)) else {
            return self.mark(self.mark.max(vars.pipe), send.time);
        };
        if vars.pipe >= self.enough {
            self.on_quarter(send.time.since(self.marked) <= srtt);
            return self.mark(vars.pipe, send.time);
        }
        let is_slow = || send.time.since(self.marked).saturating_mul(2) > srtt.saturating_mul(3);
        if self.exit.is_none() && is_slow() {
            // Twice as long as the least growth takes for a quarter, and more.
            self.exit =
                Some(SlowStartExit { time: self.marked, cause: SlowStartExitCause::GrowthEnded });
        }
    }

    /// CUBIC grows by as much as slow start again where the round trip is long for the queue that it has
    /// built.
    fn on_quarter(&mut self, is_fast: bool) {
        if is_fast {
            (self.exit, self.slow_quarters) = (None, 0); // Something else had held it.
        } else if self.exit.is_some() {
            self.slow_quarters = self.slow_quarters.saturating_add(1);
            self.is_over = self.slow_quarters >= SLOW_QUARTERS;
        }
    }

    fn mark(&mut self, pipe: Bytes, time: Timestamp) {
        (self.mark, self.marked) = (pipe, time);
        self.enough = Bytes(pipe.0.saturating_mul(5).div_ceil(4));
    }

    pub(super) fn on_ack(&mut self, ack: &Acknowledge) {
        if ack.has_ece && !self.is_over {
            self.end(ack.time, SlowStartExitCause::Ecn);
        }
    }

    /// An earlier end of the growth was the end, then.
    fn end(&mut self, time: Timestamp, cause: SlowStartExitCause) {
        self.is_over = true;
        self.exit = self.exit.or(Some(SlowStartExit { time, cause }));
    }
}

/// The window has doubled as avoidance does it: what a limit other than cwnd had held goes on as slow start.
const SLOW_QUARTERS: u32 = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sender::{SendKind, SenderVars};
    use crate::units::{Duration, FrameNumber, StreamOffset};

    /// Sends at so many ms, each with so much in the pipe, and the round-trip time then, ms.
    fn exit(sends: impl IntoIterator<Item = (u64, u64, u64)>) -> Option<u64> {
        let mut slow_start = SlowStart::default();
        for (at, pipe, rtt) in sends {
            let srtt = Some(Duration::from_millis(rtt));
            let after = SenderVars { pipe: Bytes(pipe), srtt, ..SenderVars::default() };
            slow_start.on_send(&Send {
                frame: FrameNumber::new(1),
                time: Timestamp(0).after(Duration::from_millis(at)),
                sender_tick: None,
                departure: crate::flow::Departure::Unknown,
                start: StreamOffset(at),
                len: Bytes(1),
                headers_len: 66,
                segments: 1,
                resent_segments: 0,
                smss: Bytes(1),
                kind: SendKind::New,
                is_syn: false,
                is_fin: false,
                is_pushed: false,
                is_loss_probe: false,
                after,
            });
        }
        slow_start.exit().map(|exit| exit.time.since(Timestamp(0)).as_micros() / 1000)
    }

    /// Growth by half in each round trip ends at 100 ms, and comes back once the queue is long: after a
    /// window that doubled slowly, or at once after something else had held it.
    #[test]
    fn growth_by_avoidance_in_a_long_queue_is_no_slow_start() {
        let start = [(0, 10, 50), (50, 20, 50), (100, 40, 50)];
        let avoidance = (1..=40).map(|step| (100 + 50 * step, 40 + step, 50));
        let later = |from: u64| (0..4).map(move |step| (2150 + 600 * step, from << step, 1000));
        assert_eq!(exit(start.into_iter().chain(avoidance).chain(later(100))), Some(100));
        let held = (1..=40).map(|step| (100 + 50 * step, 40, 50));
        assert_eq!(exit(start.into_iter().chain(held).chain(later(50))), None);
    }
}

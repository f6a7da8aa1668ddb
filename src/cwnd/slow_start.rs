//! When did slow start end, and by what? While it lasts the pipe grows by half or more each round
//! trip (RFC 5681 section 3.1, RFC 3465). It ends with the first loss, or where that growth stops
//! without one: HyStart (RFC 9406), or a limit other than cwnd. In the latter case it may go on
//! later.

use crate::sender::{Acknowledge, Recovery, Send};
use crate::units::{Bytes, Timestamp};

/// Why slow start ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitCause {
    /// Fast retransmit or a timeout.
    Loss,
    /// An ECN echo.
    Ecn,
    /// The growth ended without either.
    Growth,
}

/// The end of slow start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SlowStartExit {
    pub(crate) time: Timestamp,
    pub(crate) cause: ExitCause,
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
    /// A loss or a mark came: no growth takes the end back.
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
            self.end(send.time, ExitCause::Loss);
            return;
        }
        let Some(srtt) = vars.srtt.filter(|_| self.mark > Bytes(0)) else {
            return self.mark(self.mark.max(vars.pipe), send.time);
        };
        if vars.pipe >= self.enough {
            if send.time.since(self.marked) <= srtt {
                self.exit = None; // Something else had held it.
            }
            return self.mark(vars.pipe, send.time);
        }
        let is_slow = || send.time.since(self.marked).saturating_mul(2) > srtt.saturating_mul(3);
        if self.exit.is_none() && is_slow() {
            // Slow start needs two thirds of a round trip for a quarter more, at the least growth.
            self.exit = Some(SlowStartExit { time: self.marked, cause: ExitCause::Growth });
        }
    }

    fn mark(&mut self, pipe: Bytes, time: Timestamp) {
        (self.mark, self.marked) = (pipe, time);
        self.enough = Bytes(pipe.0.saturating_mul(5).div_ceil(4));
    }

    pub(super) fn on_ack(&mut self, ack: &Acknowledge) {
        if ack.has_ece && !self.is_over {
            self.end(ack.time, ExitCause::Ecn);
        }
    }

    /// An earlier end of the growth was the end, then.
    fn end(&mut self, time: Timestamp, cause: ExitCause) {
        self.is_over = true;
        self.exit = self.exit.or(Some(SlowStartExit { time, cause }));
    }
}

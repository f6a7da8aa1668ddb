//! Which limit held, and why do we say so? Takes [`Round`]s, gives each [`Wait`] a [`Ruling`] and
//! sums them up in a [`Ledger`]. Gives numbers, no wording.
//!
//! Each wait is charged to the thing whose change ended it. The detectors stand in [`DETECTORS`],
//! most specific first; the first that answers decides. A detector sees one wait and its
//! [`Context`], the tallies of the rounds around it, and no packets.

mod application;
mod batches;
mod behind_repair;
mod capture_gap;
mod congestion;
mod context;
mod doubling;
mod handshake_close;
mod held;
mod ledger;
mod level;
pub(crate) mod lu2007;
mod neighbours;
mod out_of_step;
mod overruled;
mod paced_out;
mod peaks;
mod receive_window;
mod record;
mod refilled;
mod send_buffer;
mod stay;
mod tally;
#[cfg(test)]
mod tests;
mod trend;
mod unseen_timeout;

use std::collections::VecDeque;
use std::sync::Arc;

use serde::Serialize;

pub(crate) use context::{
    Context, DRAINED_PARTS, HELD_PARTS, LEVEL_CHANCE_MAX, PACED_WAITS_MIN, WAKE_UPS_A_ROUND_TRIP,
};
pub(crate) use ledger::{Ledger, Measures, Span};
use level::Clocked;
use neighbours::Neighbours;
use out_of_step::OutOfStep;
use peaks::Peaks;
pub(crate) use record::{Record, Recording, Records};
pub(crate) use refilled::LEVEL_ROUNDS;
use trend::Trend;

use crate::round::{Round, Wait};
use crate::units::Duration;
use crate::units::heap::{self, OnHeap};

/// Answers for a wait, or leaves it to the next.
pub(crate) type Detector = fn(&Wait, &Context) -> Option<Ruling>;

/// All detectors, most specific first.
const DETECTORS: [Detector; 11] = [
    capture_gap::examine,
    handshake_close::examine,
    receive_window::examine,
    unseen_timeout::examine,
    behind_repair::examine,
    doubling::examine,
    paced_out::examine,
    application::examine,
    send_buffer::examine,
    refilled::examine,
    congestion::examine,
];

/// What can hold a transfer back. In brackets the names of RFC 4898 and Linux `tcp_info`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Limit {
    /// The receiver's advertised window (`SndLimTimeRwin`, `tcpi_rwnd_limited`): Rlimit.
    ReceiveWindow,
    /// The sender's socket buffer (`SndLimTimeSnd`, `tcpi_sndbuf_limited`): Slimit.
    SendBuffer,
    /// The congestion window, loss recovery or pacing (`SndLimTimeCwnd`): Climit.
    CongestionWindow,
    /// The application had nothing to send.
    Application,
    /// Opening or closing the connection.
    HandshakeClose,
    /// The capture missed what would tell.
    CaptureGap,
    /// Seen whole, and still not decidable.
    #[default]
    Unknown,
}

impl Limit {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 7] = [
        Self::ReceiveWindow,
        Self::SendBuffer,
        Self::CongestionWindow,
        Self::Application,
        Self::HandshakeClose,
        Self::CaptureGap,
        Self::Unknown,
    ];
}

/// The finer cause within a [`Limit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Cause {
    /// Congestion window: exponential growth.
    SlowStart,
    /// Congestion window: growth past slow start.
    Avoidance,
    /// Congestion window: fast recovery.
    Recovery,
    /// Congestion window: waiting for the retransmission timer, and the slow start after it.
    RtoWait,
    /// Congestion window: data waits for the pacing timer.
    Pacing,
    /// Receive window: open but full.
    WindowFull,
    /// Receive window: less than one segment in all.
    ZeroWindow,
    /// Send buffer: the writer is woken once a third of it is free.
    WriterBlocked,
    /// Send buffer: the writer is woken by each ACK and fills up what it freed.
    BufferRefilled,
    /// Send buffer: a paced sender has sent all that fits into it, and pauses.
    PacedAtBuffer,
    /// Application: nothing to send and nothing in flight.
    Idle,
    /// Application: writes slower than the path.
    Trickle,
    /// Application: small writes held back by Nagle's algorithm (RFC 9293 section 3.7.4).
    Nagle,
}

/// The judgment of one wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ruling {
    pub(crate) limit: Limit,
    pub(crate) cause: Option<Cause>,
    /// The limit that the same facts would also fit.
    pub(crate) rival: Option<Limit>,
    pub(crate) reading: Reading,
}

/// How a wait is to be read. (In one octet, so that a ruling has four: with one more, requests and answers
/// took 0.4 % more instructions, by `.ci/instructions.py`.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As it stands.
    Plain,
    /// This limit sets the pace at which the sender measures its path, and so waits for its timer.
    PacedBy(Limit),
    /// Part of a burst that the path spread: nothing of the wait tells of the limit but its time.
    Spread,
}

impl Ruling {
    /// The only kind of ruling that is [`Reading::PacedBy`] a limit.
    const PACED: (Limit, Option<Cause>) = (Limit::CongestionWindow, Some(Cause::Pacing));

    pub(crate) fn sure(limit: Limit, cause: Cause) -> Self {
        Self { cause: Some(cause), ..Self::uncaused(limit) }
    }

    pub(crate) fn rather(limit: Limit, cause: Cause, than: Limit) -> Self {
        Self { rival: Some(than), ..Self::sure(limit, cause) }
    }

    /// The pacing timer's time, at a pace that `limit` sets.
    pub(crate) fn paced_by(limit: Limit) -> Self {
        let reading = Reading::PacedBy(limit);
        Self { reading, ..Self::sure(Limit::CongestionWindow, Cause::Pacing) }
    }

    /// The same where that limit may have held as well.
    pub(crate) fn rather_paced_by(limit: Limit) -> Self {
        Self { rival: Some(limit), ..Self::paced_by(limit) }
    }

    /// What left at once by `limit` and seems clocked by ACKs, as the path spread it.
    fn spread(limit: Limit, cause: Cause) -> Self {
        Self { reading: Reading::Spread, ..Self::rather(limit, cause, Limit::CongestionWindow) }
    }

    fn uncaused(limit: Limit) -> Self {
        Self { limit, cause: None, rival: None, reading: Reading::Plain }
    }
}

/// Judges a flow's rounds in order. It runs [`Judge::AHEAD`] rounds behind, so that a wait is seen
/// among the rounds before and after it.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    /// At most twice [`Judge::AHEAD`] and one; the next to be judged is number `judged`.
    rounds: VecDeque<Round>,
    /// Octets that their waits hold.
    waits_on_heap: usize,
    judged: usize,
    neighbours: Neighbours,
    last: Option<Ruling>,
    peaks: Peaks,
    out_of_step: OutOfStep,
    clocked: Clocked,
    trend: Trend,
    ledger: Ledger,
    /// `None` unless each ruling is to be kept.
    records: Option<Records>,
}

impl Judge {
    /// Rounds looked at on each side: one cycle of BBR's pacing gain (eight rounds).
    const AHEAD: usize = 8;

    /// A judge that keeps so much of each ruling.
    pub(crate) fn recording(what: Recording) -> Self {
        let is_any = what != Recording::None;
        let records = is_any.then(|| Records { what, ..Records::default() });
        Self { records, ..Self::default() }
    }

    /// What limited the flow most over the `last` of the time that was judged so far, up to
    /// [`Judge::AHEAD`] rounds ago; `None` before anything was judged.
    pub(crate) fn limit_over(&self, last: Duration) -> Option<(Limit, Option<Cause>)> {
        self.ledger.limit_over(last)
    }

    /// Takes the next round.
    pub(crate) fn on_round(&mut self, round: Round) {
        let held = self.rounds.len();
        if held == self.rounds.capacity() {
            // With no more room than is ever needed.
            let most = Self::AHEAD.saturating_mul(2).saturating_add(1);
            self.rounds.reserve_exact(held.max(2).min(most.saturating_sub(held)).max(1));
        }
        self.waits_on_heap = self.waits_on_heap.saturating_add(round.waits.on_heap());
        self.trend.on_round(&round);
        self.rounds.push_back(round);
        if self.rounds.len() > self.judged.saturating_add(Self::AHEAD) {
            self.judge_next();
        }
    }

    /// Octets held beside its own size.
    pub(crate) fn memory(&self) -> usize {
        let Ledger { time, hidden, measures, spans, .. } = &self.ledger;
        heap::sum(&[
            self.rounds.on_heap(),
            self.waits_on_heap,
            self.neighbours.memory(),
            self.trend.memory(),
            time.on_heap(),
            hidden.on_heap(),
            measures.on_heap(),
            spans.on_heap(),
        ])
    }

    /// Hardly anything will come any more: gives back the room that is held for more.
    pub(crate) fn settle(&mut self) {
        self.rounds.shrink_to_fit();
        self.trend.settle();
        self.waits_on_heap = 0;
        for round in &mut self.rounds {
            round.waits.shrink_to_fit();
            self.waits_on_heap = self.waits_on_heap.saturating_add(round.waits.on_heap());
        }
        self.ledger.spans.shrink_to_fit();
    }

    /// Judges what is left.
    pub(crate) fn finish(self) -> Ledger {
        self.finish_recorded().0
    }

    /// The same, with the rulings that were kept.
    pub(crate) fn finish_recorded(mut self) -> (Ledger, Records) {
        while self.judged < self.rounds.len() {
            self.judge_next();
        }
        (self.ledger, self.records.unwrap_or_default())
    }

    fn judge_next(&mut self) {
        let Some(round) = self.rounds.get(self.judged) else { return };
        let mut context = self.neighbours.context(&self.rounds, self.judged);
        let ahead = self.rounds.len().saturating_sub(self.judged).saturating_sub(1);
        self.peaks.on_round(&mut context, round, ahead);
        self.out_of_step.on_round(&mut context);
        context.place_trend(&self.trend);
        let shared = self.records.as_ref().map(|_| Arc::new(context.clone()));
        for wait in &round.waits {
            let ruling = DETECTORS
                .iter()
                .find_map(|examine| examine(wait, &context))
                .or(self.last)
                .unwrap_or(Ruling::uncaused(Limit::Unknown));
            self.last = Some(ruling);
            let (ruling, first) = self.clocked.level(wait, ruling, &context);
            for (part, ruling) in held::split(wait, ruling, first, &context).into_iter().flatten() {
                self.ledger.enter(&part, ruling);
                if let (Some(records), Some(context)) = (&mut self.records, &shared) {
                    records.push(&part, ruling, context);
                }
            }
        }
        self.judged = self.judged.saturating_add(1);
        if self.judged > Self::AHEAD {
            let waits = self.rounds.pop_front().map_or(0, |round| round.waits.on_heap());
            self.waits_on_heap = self.waits_on_heap.saturating_sub(waits);
            self.neighbours.pop_front();
            self.judged = self.judged.saturating_sub(1);
        }
    }
}

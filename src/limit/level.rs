//! A congestion window that grows comes to be as large as another limit. While it is, it takes both to let
//! more go, and what leaves the sender looks as if the other were all. Linux counts such time to the
//! congestion window: `tcp_write_xmit` asks for it first, and for the receive window only when it has room;
//! nor does a blocked writer count while it has none (`tcp_cwnd_validate`).
//!
//! It shows by what went before: the flight grew up to the limit, at the pace of the ACKs.

use super::{Cause, Context, Limit, Ruling};
use crate::round::{BatchSign, Sign, Wait};
use crate::units::{Bytes, Timestamp};

/// The waits for the congestion window up to now, in avoidance and in a row.
#[derive(Debug, Default)]
pub(super) struct Clocked {
    waits: u32,
    since: Option<Timestamp>,
    /// The largest flight in them.
    flight: Bytes,
    /// Until then it has grown by less than a segment since it came to the receive window.
    level_until: Timestamp,
}

impl Clocked {
    /// Takes the next wait; gives its ruling, and the one of its beginning, until something was acknowledged,
    /// if that differs.
    pub(super) fn level(
        &mut self,
        wait: &Wait,
        ruling: Ruling,
        context: &Context,
    ) -> (Ruling, Option<(Sign, Ruling)>) {
        if ruling.cause == Some(Cause::Avoidance) {
            self.go_on(wait);
            return (ruling, None);
        }
        let (waits, since) = (std::mem::take(&mut self.waits), self.since.take());
        match ruling.cause {
            Some(Cause::WindowFull) if self.is_level(wait, since, context) => {
                (rather_than(Limit::ReceiveWindow), None)
            }
            Some(Cause::WriterBlocked) if waits >= CLOCKED_MIN && self.is_full(wait, context) => {
                let sign = Sign { batch: BatchSign::No, ..wait.sign };
                (ruling, Some((sign, rather_than(Limit::SendBuffer))))
            }
            _ => (ruling, None),
        }
    }

    fn go_on(&mut self, wait: &Wait) {
        if self.since.is_none() {
            (self.since, self.flight) = (Some(wait.start), Bytes(0));
        }
        self.waits = self.waits.saturating_add(wait.count);
        self.flight = self.flight.max(wait.flight_before);
    }

    /// For the round trip in which the flight has come up to the receive window the congestion window is as
    /// large: it grows by a segment in each (RFC 5681 section 3.1), and had less before. Each ACK is answered
    /// then; where one is not, or none comes for much more than a round trip, the window has closed.
    fn is_level(&mut self, wait: &Wait, since: Option<Timestamp>, context: &Context) -> bool {
        let srtt = context.srtt.unwrap_or_default();
        // Most of a round trip: the burst that it begins with is not in its waits.
        let is_long = |since| wait.start.since(since).saturating_mul(2) >= srtt;
        if since.is_some_and(is_long) {
            self.level_until = wait.start.after(srtt);
        }
        let has_fallen = wait.flight_before.saturating_add(context.smss) < self.flight;
        let is_answered = wait.sign.batch == BatchSign::No && wait.sign.ended_by.is_prompted();
        let is_brief = wait.longest <= srtt.saturating_mul(2);
        if has_fallen || !is_answered || !is_brief {
            self.level_until = wait.start;
        }
        wait.start < self.level_until && !context.is_slow_start()
    }

    /// The last that a blocked writer had written filled the congestion window, as what went before had: one
    /// in avoidance grows by no more than a segment in a round trip. (Two make no difference for 1563
    /// captured directions.) What a woken writer sends at once seems clocked by ACKs, too, where the path has
    /// spread it.
    fn is_full(&self, wait: &Wait, context: &Context) -> bool {
        let has_come = |from: Bytes, to: Bytes| from.saturating_add(context.smss) >= to;
        has_come(wait.flight_before, context.flight_peak_here)
            && has_come(self.flight, wait.flight_before)
            && !wait.silent.is_zero()
    }
}

fn rather_than(limit: Limit) -> Ruling {
    Ruling::rather(Limit::CongestionWindow, Cause::Avoidance, limit)
}

/// What a woken writer adds may leave in two parts, the second at the next ACK. Of three ACKs in a row that
/// each let something go the last found data queued: no captured flow has so many whose buffer is far below
/// its congestion window.
const CLOCKED_MIN: u32 = 3;

#[cfg(test)]
mod tests {
    use super::super::Judge;
    use super::super::tests::{CLOCKED, round};
    use super::*;
    use crate::round::{EndedBy, Round, WindowSign};
    use crate::units::Duration;

    /// How long the congestion window was as large as `limit`, in ms.
    fn level(judge: Judge, limit: Limit) -> u64 {
        let time = judge.finish().time;
        let key = (Limit::CongestionWindow, Some(Cause::Avoidance), Some(limit));
        time.get(&key).map_or(0, |time| time.as_micros() / 1000)
    }

    /// Five waits of 10 ms for the congestion window, then as long at the receive window, with so much in
    /// flight.
    fn at_window(sign: Sign, flight: u64, rtt_ms: u64) -> u64 {
        let mut judge = Judge::default();
        for from_ms in (0..100).step_by(10) {
            let is_before = from_ms < 50;
            let mut round = round(&[if is_before { CLOCKED } else { sign }]);
            for wait in &mut round.waits {
                wait.start = wait.start.after(Duration::from_millis(from_ms));
                wait.end = wait.end.after(Duration::from_millis(from_ms));
                wait.flight_before = Bytes(if is_before { 30_000 } else { flight });
            }
            judge.on_next_round(Round { srtt: Some(Duration::from_millis(rtt_ms)), ..round });
        }
        level(judge, Limit::ReceiveWindow)
    }

    #[test]
    fn for_a_round_trip_both_windows_are_as_large() {
        let full = Sign { window: WindowSign::Full, ..CLOCKED };
        assert_eq!(at_window(full, 30_000, 20), 20);
        assert_eq!(at_window(full, 30_000, 30), 30);
        assert_eq!(at_window(full, 30_000, 100), 0, "no round trip before");
        assert_eq!(at_window(full, 30_000, 4), 0, "none comes for more than two round trips");
        assert_eq!(at_window(full, 28_999, 20), 0, "it has closed below what was in flight");
        let batch = BatchSign::PutOff;
        assert_eq!(at_window(Sign { batch, ..full }, 30_000, 20), 0, "it has closed");
    }

    #[test]
    fn until_an_ack_frees_some_of_it_the_congestion_window_is_as_full_as_the_buffer() {
        let blocked = Sign { batch: BatchSign::Third, ended_by: EndedBy::LateAck, ..CLOCKED };
        let at_buffer = |signs: &[Sign], before: u64, flight: u64| {
            let mut judge = Judge::default();
            for _ in 0..20 {
                let mut round = round(signs);
                for wait in &mut round.waits {
                    let is_blocked = wait.sign == blocked;
                    wait.silent = Duration::from_millis(4);
                    wait.flight_before = Bytes(if is_blocked { flight } else { before });
                }
                judge.on_next_round(round);
            }
            level(judge, Limit::SendBuffer)
        };
        // The first round passes for slow start.
        let four = [CLOCKED, CLOCKED, CLOCKED, blocked];
        assert_eq!(at_buffer(&four, 30_000, 30_000), 19 * 4);
        assert_eq!(at_buffer(&four, 29_000, 30_000), 19 * 4);
        assert_eq!(at_buffer(&four[1..], 30_000, 30_000), 0, "the rest of a write");
        assert_eq!(at_buffer(&four, 30_000, 28_999), 0, "not full");
        assert_eq!(at_buffer(&four, 28_999, 30_000), 0, "not full before");
    }
}

//! A congestion window that grows comes to be as large as another limit. While it is, it takes both to let
//! more go, and what leaves the sender looks as if the other were all. Linux counts such time to the
//! congestion window: `tcp_write_xmit` asks for it first, and for the receive window only when it has room;
//! nor does a blocked writer count while it has none (`tcp_cwnd_validate`).
//!
//! It shows by what went before: the flight grew up to the limit, at the pace of the ACKs. And in a fast
//! recovery an ACK opens the congestion window for no more than what it delivered (RFC 6937, Linux
//! `tcp_cwnd_reduction`): once a repair has gone out in answer to each, it is full until the next one comes.

use super::stay::Stay;
use super::{Cause, Context, Limit, Ruling};
use crate::round::{BatchSign, Sign, Wait};
use crate::sender::Recovery;
use crate::units::{Bytes, Timestamp};

/// The waits for the congestion window up to now, in avoidance and in a row.
#[derive(Debug, Default)]
pub(super) struct Clocked {
    waits: u32,
    since: Option<Timestamp>,
    /// Of their flight.
    stay: Stay,
    /// Until then it has grown by less than a segment since it came to the receive window.
    level_until: Timestamp,
    /// Some of what ACKs have let out in the fast recovery that goes on did not go out.
    has_spare: bool,
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
        let is_spent = self.is_spent(wait);
        if ruling.cause == Some(Cause::Avoidance) {
            self.go_on(wait, context);
            return (ruling, None);
        }
        let (waits, since) = (std::mem::take(&mut self.waits), self.since.take());
        match ruling.cause {
            Some(Cause::WindowFull) if is_spent => {
                let repair = Ruling::sure(Limit::CongestionWindow, Cause::Recovery);
                (ruling, Some((wait.sign, repair)))
            }
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

    /// Whether the wait begins with what the ACKs of a fast recovery let out, and none was left over.
    fn is_spent(&mut self, wait: &Wait) -> bool {
        if wait.sign.recovery != Recovery::Fast {
            self.has_spare = false;
            return false;
        }
        let is_spent = !self.has_spare;
        let are_several = wait.acks > wait.count;
        self.has_spare |= are_several;
        // What duplicates tell of is not known, without SACK or where the capture cut it off.
        let until_last = wait.silent.saturating_add(wait.prompted_after);
        is_spent && !(are_several && until_last >= wait.duration())
    }

    fn go_on(&mut self, wait: &Wait, context: &Context) {
        if self.since.is_none() {
            self.since = Some(wait.start);
            self.stay.restart();
        }
        self.waits = self.waits.saturating_add(wait.count);
        self.stay.go_on(wait, context.srtt.unwrap_or_default());
    }

    /// Until it grows by a segment more the congestion window is as large as the receive window that the
    /// flight has come up to, as it had less before (see the module `stay`). Each ACK is answered then; where
    /// one is not, or none comes for much more than a round trip, the window has closed.
    fn is_level(&mut self, wait: &Wait, since: Option<Timestamp>, context: &Context) -> bool {
        let srtt = context.srtt.unwrap_or_default();
        // Most of a round trip: the burst that it begins with is not in its waits.
        let is_long = |since| wait.start.since(since).saturating_mul(2) >= srtt;
        if since.is_some_and(is_long) {
            self.level_until = wait.start.after(self.stay.next(wait.start, srtt));
        }
        let has_fallen = wait.flight_before.saturating_add(context.smss) < self.stay.flight;
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
            && has_come(self.stay.flight, wait.flight_before)
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

    /// Two waits in a fast recovery, of 10 ms each, for so many ACKs each, the first that freed anything so
    /// long after it began.
    #[test]
    fn a_repair_uses_up_what_the_ack_before_let_out() {
        let repairs = |acks: [u32; 2], silent_ms: u64| {
            let full = Sign { window: WindowSign::Full, recovery: Recovery::Fast, ..CLOCKED };
            let mut round = round(&[full, full]);
            for (wait, acks) in round.waits.iter_mut().zip(acks) {
                (wait.silent, wait.acks) = (Duration::from_millis(silent_ms), acks);
            }
            let mut judge = Judge::default();
            judge.on_next_round(round);
            let time = judge.finish().time;
            let key = (Limit::CongestionWindow, Some(Cause::Recovery), None);
            time.get(&key).map_or(0, |time| time.as_micros() / 1000)
        };
        assert_eq!(repairs([1, 1], 4), 8);
        assert_eq!(repairs([2, 1], 4), 4, "one more could go out with the next");
        assert_eq!(repairs([2, 1], 10), 0, "what the first told of was not captured");
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

//! Which part of a wait at a full window was something else's?
//!
//! The pacing timer's is what comes first. Linux asks the timer first (`tcp_pacing_check` in
//! `tcp_write_xmit`), and counts time to the window only from when the timer lets the sender look at it. With
//! the sender's fq qdisc in the timer's place (`tcp_needs_internal_pacing`) all of it is the window's, for
//! what the qdisc holds back is in flight to TCP. What leaves the sender looks the same, but for its
//! timestamps, if it has any (see the module `vantage`).
//!
//! Where all was acknowledged and the next send came of itself, nothing may have been queued; but until the
//! window was open again, nothing that was could have gone out.

use super::{Cause, Context, Limit, Ruling};
use crate::round::{EndedBy, LATE_MAX, PacingSign, QueueSign, Sign, Wait, WindowSign};
use crate::units::{Bytes, Duration};

/// The wait in parts, each with its ruling; one part unless two held the sender, one of them a window.
///
/// `level`: what it was until something was acknowledged, if that differs.
pub(super) fn split(
    wait: &Wait,
    ruling: Ruling,
    level: Option<(Sign, Ruling)>,
    context: &Context,
) -> [Option<(Wait, Ruling)>; 2] {
    if let Some(until_acknowledged) = level {
        return parts(wait, wait.silent, until_acknowledged, ruling);
    }
    if wait.full.is_zero() && wait.held.is_zero() {
        return [Some((*wait, ruling)), None]; // Nearly always.
    }
    if was_full(wait, ruling) {
        let sign = Sign { is_emptied: false, ..wait.sign };
        return parts(wait, wait.full, (sign, shut(wait)), ruling);
    }
    let is_at_window = ruling.limit == Limit::ReceiveWindow
        && matches!(wait.sign.window, WindowSign::Full | WindowSign::Near);
    if !is_at_window || wait.held.is_zero() {
        return [Some((*wait, ruling)), None];
    }
    let is_shown = wait.held_assumed.saturating_mul(2) <= wait.held;
    let paced = by_window(wait, is_shown, context);
    let sign = Sign { ended_by: EndedBy::Nothing, pacing: PacingSign::Step, ..wait.sign };
    parts(wait, wait.held, (sign, paced), ruling)
}

/// `first` of the wait is what stands beside it, the rest what the whole was.
fn parts(
    wait: &Wait,
    first: Duration,
    (sign, head): (Sign, Ruling),
    rest: Ruling,
) -> [Option<(Wait, Ruling)>; 2] {
    let middle = wait.start.after(first).min(wait.end);
    let before = Wait { end: middle, sign, ..*wait };
    let after = Wait { start: middle, ..*wait };
    [Some((before, head)), (middle < wait.end).then_some((after, rest))]
}

/// Whether a silence between data that is the application's began with a full window. What ends in a segment
/// below SMSS was all there was, unless the window's edge cut it.
fn was_full(wait: &Wait, ruling: Ruling) -> bool {
    let Sign { ended_by, queue, window, .. } = wait.sign;
    let may_go_on = match queue {
        QueueSign::Held | QueueSign::Pushed | QueueSign::Written => true,
        QueueSign::Dry => wait.snd_wnd == Some(wait.flight_before),
        _ => false,
    };
    let is_silence = ruling.limit == Limit::Application && ended_by == EndedBy::Nothing;
    is_silence && window == WindowSign::Full && may_go_on && !wait.full.is_zero()
}

/// The time until it opened. What came soon after that had waited for it.
fn shut(wait: &Wait) -> Ruling {
    let open = wait.duration().saturating_sub(wait.full);
    let most = LATE_MAX.saturating_mul(wait.count);
    let than = (open > most).then_some(Limit::Application);
    Ruling { rival: than, ..Ruling::sure(Limit::ReceiveWindow, Cause::WindowFull) }
}

/// The pacing timer's time in a window that is filled again and again; `is_shown`: it is known to be that.
pub(super) fn by_window(wait: &Wait, is_shown: bool, context: &Context) -> Ruling {
    let may_stand_in_qdisc = may_stand_in_qdisc(wait, context);
    if context.is_paced_by_qdisc() && may_stand_in_qdisc {
        return Ruling::sure(Limit::ReceiveWindow, Cause::WindowFull);
    }
    if is_shown && !may_stand_in_qdisc {
        return Ruling::paced_by(Limit::ReceiveWindow);
    }
    Ruling::rather_paced_by(Limit::ReceiveWindow)
}

/// Whether what is missing from a full window may wait in the sender's qdisc: Linux lets two buffers stand
/// there, or what goes out in 1/1024 s, and one more (`tcp_small_queue_check`).
fn may_stand_in_qdisc(wait: &Wait, context: &Context) -> bool {
    let most = Bytes(context.send_max.0.saturating_mul(3));
    wait.snd_wnd.is_some_and(|wnd| wnd.saturating_sub(wait.flight_before) <= most)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{CLOCKED, round};
    use super::super::{Judge, Ledger};
    use super::*;
    use crate::round::Round;

    /// Three buffers may stand in the sender's fq qdisc, and are in flight to TCP; what is missing beyond
    /// them waits for TCP's own timer.
    #[test]
    fn pacing_just_below_a_full_window_may_be_the_window_s() {
        let paced = Sign { ended_by: EndedBy::Nothing, pacing: PacingSign::Step, ..CLOCKED };
        let full = Sign { window: WindowSign::Full, ..CLOCKED };
        for (flight, rival) in [(57_000, Some(Limit::ReceiveWindow)), (56_999, None)] {
            let mut judge = Judge::default();
            for _ in 0..20 {
                let mut round = round(&[paced, full]);
                for wait in &mut round.waits {
                    wait.flight_before = Bytes(flight);
                    wait.held = Duration::from_millis(4);
                }
                judge.on_next_round(round);
            }
            let Ledger { time, hidden, .. } = judge.finish();
            let pacing = (Limit::CongestionWindow, Some(Cause::Pacing), rival);
            assert_eq!(time.get(&pacing), Some(&Duration::from_millis(280)), "{time:?}");
            let behind = (Limit::ReceiveWindow, rival);
            assert_eq!(hidden.get(&behind), Some(&Duration::from_millis(280)));
        }
    }

    /// Timestamps have shown that it stood there.
    #[test]
    fn what_the_qdisc_holds_below_a_full_window_is_the_window_s() {
        let paced = Sign { ended_by: EndedBy::Nothing, pacing: PacingSign::Step, ..CLOCKED };
        let queued = Sign { pacing: PacingSign::Queued, ..paced };
        let full = Sign { window: WindowSign::Full, ..CLOCKED };
        let of_window = |first: &[Sign], flight: u64| {
            let mut judge = Judge::default();
            judge.on_next_round(round(first));
            for _ in 0..20 {
                let mut round = round(&[paced, full]);
                round.waits.iter_mut().for_each(|wait| wait.flight_before = Bytes(flight));
                judge.on_next_round(round);
            }
            let key = (Limit::ReceiveWindow, Some(Cause::WindowFull), None);
            judge.finish().time.get(&key).copied().unwrap_or_default()
        };
        let (half, all) = (Duration::from_millis(200), Duration::from_millis(400));
        assert_eq!(of_window(&[queued; 3], 57_000), all);
        assert_eq!(of_window(&[queued; 2], 57_000), half, "a host that was slow");
        assert_eq!(of_window(&[queued; 3], 56_999), half, "more than stands in a qdisc");
    }

    /// How a silence of 10 ms after everything was acknowledged is divided, of which the window was full for
    /// so many.
    fn silence(sign: Sign, full_ms: u64, wnd: u64) -> [Duration; 2] {
        let round = round(&[Sign {
            ended_by: EndedBy::Nothing,
            window: WindowSign::Full,
            is_emptied: true,
            ..sign
        }]);
        let full = Duration::from_millis(full_ms);
        let wait = |wait: &Wait| Wait { full, snd_wnd: Some(Bytes(wnd)), ..*wait };
        let mut judge = Judge::default();
        judge.on_next_round(Round { waits: round.waits.iter().map(wait).collect(), ..round });
        let time = judge.finish().time;
        let of = |limit, cause, rival| {
            time.get(&(limit, Some(cause), rival)).copied().unwrap_or_default()
        };
        let rival = (full_ms < 6).then_some(Limit::Application);
        [
            of(Limit::ReceiveWindow, Cause::WindowFull, rival),
            of(Limit::Application, Cause::Idle, None),
        ]
    }

    /// A host may answer a window update some milliseconds late; what comes later may be what was written
    /// meanwhile.
    #[test]
    fn until_the_window_opens_it_is_the_limit() {
        let ms = Duration::from_millis;
        assert_eq!(silence(CLOCKED, 9, 30_500), [ms(9), ms(1)]);
        assert_eq!(silence(CLOCKED, 10, 30_500), [ms(10), ms(0)]);
        assert_eq!(silence(CLOCKED, 5, 30_500), [ms(5), ms(5)]);
        assert_eq!(silence(CLOCKED, 0, 30_500), [ms(0), ms(10)]);
    }

    #[test]
    fn where_all_that_was_written_went_out_it_is_not() {
        let ms = Duration::from_millis;
        let dry = Sign { queue: QueueSign::Dry, ..CLOCKED };
        assert_eq!(silence(dry, 9, 30_500), [ms(0), ms(10)]);
        assert_eq!(silence(dry, 9, 30_000), [ms(9), ms(1)], "cut by the window's edge");
        let closing = Sign { queue: QueueSign::Closing, ..CLOCKED };
        assert_eq!(silence(closing, 9, 30_500), [ms(0), ms(10)]);
    }
}

//! Which part of a wait at a full window was the pacing timer's? Linux asks the timer first
//! (`tcp_pacing_check` in `tcp_write_xmit`), and counts time to the window only from when the timer lets the
//! sender look at it. With the sender's fq qdisc in the timer's place (`tcp_needs_internal_pacing`) all of it
//! is the window's, for what the qdisc holds back is in flight to TCP. What leaves the sender looks the same.

use super::{Context, Limit, Ruling};
use crate::round::{EndedBy, PacingSign, Sign, Wait, WindowSign};
use crate::units::Bytes;

/// The wait in parts, each with its ruling; one part unless the timer held the sender at a window.
pub(super) fn split(wait: &Wait, ruling: Ruling, context: &Context) -> [Option<(Wait, Ruling)>; 2] {
    let is_at_window = ruling.limit == Limit::ReceiveWindow
        && matches!(wait.sign.window, WindowSign::Full | WindowSign::Near);
    if !is_at_window || wait.held.is_zero() {
        return [Some((*wait, ruling)), None];
    }
    let is_shown = wait.held_assumed.saturating_mul(2) <= wait.held;
    let paced = by_window(wait, is_shown, context);
    let middle = wait.start.after(wait.held).min(wait.end);
    let sign = Sign { ended_by: EndedBy::Nothing, pacing: PacingSign::Step, ..wait.sign };
    let head = Wait { end: middle, sign, ..*wait };
    let rest = Wait { start: middle, ..*wait };
    [Some((head, paced)), (middle < wait.end).then_some((rest, ruling))]
}

/// The pacing timer's time in a window that is filled again and again; `is_shown`: it is known to be that.
pub(super) fn by_window(wait: &Wait, is_shown: bool, context: &Context) -> Ruling {
    if is_shown && !may_stand_in_qdisc(wait, context) {
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
    use super::super::{Cause, Judge, Ledger};
    use super::*;
    use crate::units::Duration;

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
                judge.on_round(round);
            }
            let Ledger { time, hidden, .. } = judge.finish();
            let pacing = (Limit::CongestionWindow, Some(Cause::Pacing), rival);
            assert_eq!(time.get(&pacing), Some(&Duration::from_millis(280)), "{time:?}");
            assert_eq!(hidden.get(&Limit::ReceiveWindow), Some(&Duration::from_millis(280)));
        }
    }
}

//! Which part of a wait at a full window was the pacing timer's? Linux asks the timer first
//! (`tcp_pacing_check` in `tcp_write_xmit`), and counts time to the window only from when the timer lets the
//! sender look at it. (With the sender's fq qdisc in the timer's place all of it is the window's. What leaves the
//! sender looks the same.)

use super::{Limit, Ruling};
use crate::round::{EndedBy, PacingSign, Sign, Wait, WindowSign};

/// The wait in parts, each with its ruling; one part unless the timer held the sender at a window.
pub(super) fn split(wait: &Wait, ruling: Ruling) -> [Option<(Wait, Ruling)>; 2] {
    let is_at_window = ruling.limit == Limit::ReceiveWindow
        && matches!(wait.sign.window, WindowSign::Full | WindowSign::Near);
    if !is_at_window || wait.held.is_zero() {
        return [Some((*wait, ruling)), None];
    }
    let is_shown = wait.held_assumed.saturating_mul(2) <= wait.held;
    let paced = if is_shown { Ruling::paced_by } else { Ruling::rather_paced_by };
    let paced = paced(Limit::ReceiveWindow);
    let middle = wait.start.after(wait.held).min(wait.end);
    let sign = Sign { ended_by: EndedBy::Nothing, pacing: PacingSign::Step, ..wait.sign };
    let head = Wait { end: middle, sign, ..*wait };
    let rest = Wait { start: middle, ..*wait };
    [Some((head, paced)), (middle < wait.end).then_some((rest, ruling))]
}

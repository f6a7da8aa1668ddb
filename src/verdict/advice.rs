//! Which knob to turn, and what that would gain.

mod gain;
mod size;

use super::facts::Facts;
use super::shares::SHARE_MIN;
use crate::limit::{Cause, Limit};
use crate::model::figures::percent;
use crate::model::{Advice, Lifted, WhatIf, codes};
use gain::{GAIN_MIN, Gain};

/// Remedies for `limit`, the most promising first.
pub(super) fn of(
    limit: Limit,
    cause: Option<Cause>,
    facts: &Facts,
    what_if: &[WhatIf],
) -> Vec<Advice> {
    let advice = |code, text: String| Advice { code, text };
    let gain = |lifted| Gain::of(lifted, facts, what_if);
    match (limit, cause) {
        (Limit::ReceiveWindow, _) if facts.is_reader_slow || cause == Some(Cause::ZeroWindow) => {
            vec![advice(
                codes::READ_FASTER,
                format!(
                    "the receiving application does not read fast enough: look at it first{}",
                    gain(Lifted::ReceiveWindow).words()
                ),
            )]
        }
        (Limit::ReceiveWindow, _) => vec![size::window(facts, &gain(Lifted::ReceiveWindow))],
        (Limit::SendBuffer, _) => {
            let text = size::send_buffer(facts, &gain(Lifted::SendBuffer));
            vec![advice(codes::RAISE_SEND_BUFFER, text)]
        }
        (Limit::CongestionWindow, _) => vec![congestion_window(cause, facts, what_if)],
        (Limit::Application, Some(Cause::Nagle)) => vec![advice(
            codes::NO_DELAY,
            "small writes wait for ACKs: set TCP_NODELAY, or write more at once".to_owned(),
        )],
        (Limit::Application, _) if facts.is_brief => {
            vec![advice(codes::REUSE_CONNECTION, reuse(facts))]
        }
        (Limit::Application, _) => application(facts, &gain(Lifted::Application)),
        (Limit::CaptureGap | Limit::Unknown, _) => vec![advice(
            codes::CAPTURE_AGAIN,
            "capture again: at the sender, both directions, from before the connection starts"
                .to_owned(),
        )],
        (Limit::HandshakeClose, _) => Vec::new(),
    }
}

/// With the reason, where that is one.
fn reuse(facts: &Facts) -> String {
    let share = facts.handshake_share;
    let reason = if share >= 0.5 {
        format!(", as opening and closing this one took {} of its time", percent(share))
    } else {
        String::new()
    };
    format!(
        "everything was written at once and sent within a few round trips: reuse connections{reason}"
    )
}

/// The losses, too, where they held up enough of the transfer; first, where they did for most of it.
fn application(facts: &Facts, gain: &Gain) -> Vec<Advice> {
    let write_faster = Advice {
        code: codes::WRITE_FASTER,
        text: format!(
            "TCP waits for the sending application: look at its disk, CPU and rate limits, and at what \
             it waits for (requests, answers){}",
            gain.words()
        ),
    };
    let find_loss = || Advice {
        code: codes::FIND_LOSS,
        text: format!(
            "losses held it up for {} of its time: look for loss on the path, or for a peer that is gone",
            percent(facts.lost_share())
        ),
    };
    if facts.is_mostly_lost() {
        vec![find_loss(), write_faster]
    } else if facts.lost_share() >= SHARE_MIN {
        vec![write_faster, find_loss()]
    } else {
        vec![write_faster]
    }
}

fn congestion_window(cause: Option<Cause>, facts: &Facts, what_if: &[WhatIf]) -> Advice {
    let (code, text) = match cause {
        Some(Cause::SlowStart) if facts.is_mostly_opening() && !facts.has_loss => (
            codes::REUSE_CONNECTION,
            "the transfer is over before its congestion window has grown: reuse connections, or raise the \
             initial window (ip route ... initcwnd)"
                .to_owned(),
        ),
        Some(Cause::Pacing) if facts.held_by_host.is_shown() => (
            codes::PATH_IS_FULL,
            "the sending host holds it back: look at the qdiscs of its interface (`tc -s qdisc`: fq, tbf, htb) and \
             at SO_MAX_PACING_RATE"
                .to_owned(),
        ),
        Some(Cause::Pacing) => (
            codes::PATH_IS_FULL,
            "the sender paces itself: look at its congestion control (BBR), the qdiscs of its host (fq, tbf) and \
             SO_MAX_PACING_RATE"
                .to_owned(),
        ),
        _ => (
            codes::FIND_LOSS,
            format!(
                "{}look for {}a full bottleneck on the path, then at the sender's congestion control{}",
                no_buffer(facts, what_if),
                if facts.has_loss { "loss and for " } else { "" },
                without_loss(facts, what_if)
            ),
        ),
    };
    Advice { code, text }
}

/// What would be gained without loss; empty where nothing was predicted.
pub(super) fn without_loss(facts: &Facts, what_if: &[WhatIf]) -> String {
    Gain::of(Lifted::Loss, facts, what_if).words_with("; without loss expect ")
}

/// What would be gained by a larger window or buffer; `None` where that is worth the trouble.
pub(super) fn without_gain(lifted: Lifted, facts: &Facts, what_if: &[WhatIf]) -> Option<String> {
    (!is_gain(lifted, facts, what_if)).then(|| Gain::of(lifted, facts, what_if).words())
}

/// Whether there is enough to gain to be worth the trouble.
pub(super) fn is_gain(lifted: Lifted, facts: &Facts, what_if: &[WhatIf]) -> bool {
    let gain = Gain::of(lifted, facts, what_if);
    gain.rate().is_some_and(|rate| rate >= GAIN_MIN * gain.goodput)
}

/// Begins advice on the path; empty where a window, a buffer or the application holds up enough of the
/// transfer, or nothing tells whether it does.
pub(super) fn no_buffer(facts: &Facts, what_if: &[WhatIf]) -> &'static str {
    let lifted = [Lifted::ReceiveWindow, Lifted::SendBuffer, Lifted::Application];
    let is_untold =
        |lifted| what_if.iter().any(|entry| entry.lifted == lifted && entry.rate_bps.is_none());
    let is_held_up =
        lifted.into_iter().any(|lifted| is_gain(lifted, facts, what_if) || is_untold(lifted));
    if is_held_up { "" } else { "no buffer will help: " }
}

/// Whether a larger buffer cannot help: the window was no smaller than it has to be.
pub(super) fn is_window_enough(facts: &Facts, what_if: &[WhatIf]) -> bool {
    size::is_enough(facts.window, &Gain::of(Lifted::ReceiveWindow, facts, what_if))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vantage::HeldByHost;
    use crate::verdict::lever::{Lever, Side};

    fn facts(window_lever: Lever) -> Facts {
        Facts { window_lever, has_loss: false, ..Facts::sample() }
    }

    /// What a capture there sees of a qdisc looks like a timer of TCP's.
    #[test]
    fn a_host_that_queues_is_named() {
        let text = |sends| {
            let held_by_host = HeldByHost { sends, ..HeldByHost::default() };
            let facts = Facts { held_by_host, ..facts(Lever::System) };
            let told = of(Limit::CongestionWindow, Some(Cause::Pacing), &facts, &[]);
            told.first().map(|advice| advice.text.clone()).unwrap_or_default()
        };
        assert!(text(7).starts_with("the sender paces itself"));
        assert!(text(8).starts_with("the sending host holds it back"));
    }

    /// A second of slow start in a transfer of minutes is not why it is slow.
    #[test]
    fn connections_are_to_be_reused_where_most_of_the_time_went_into_opening_them() {
        let code = |opening_s| {
            let facts = Facts { opening_s, ..facts(Lever::System) };
            let told = of(Limit::CongestionWindow, Some(Cause::SlowStart), &facts, &[]);
            told.first().map(|advice| advice.code)
        };
        assert_eq!(code(6.0), Some(codes::REUSE_CONNECTION));
        assert_eq!(code(1.0), Some(codes::FIND_LOSS));
    }

    /// `opening and closing them takes most of the time` stood where that was 24 % of it.
    #[test]
    fn what_opening_takes_is_told_where_it_is_most_of_the_time() {
        let text = |handshake_share| {
            let facts = Facts { handshake_share, is_brief: true, ..facts(Lever::System) };
            let told = of(Limit::Application, Some(Cause::Idle), &facts, &[]);
            told.first().map(|advice| advice.text.clone()).unwrap_or_default()
        };
        assert!(text(0.99).ends_with("closing this one took 99 % of its time"), "{}", text(0.99));
        assert!(text(0.24).ends_with("reuse connections"), "{}", text(0.24));
    }

    /// Twice the goodput needs 200 kB of window, which is half of a buffer.
    #[test]
    fn the_lever_is_what_holds_the_window() {
        let told = |lever| {
            let told = of(Limit::ReceiveWindow, Some(Cause::WindowFull), &facts(lever), &[]);
            let lines = told.iter().map(|advice| format!("{} {}", advice.code, advice.text));
            lines.collect::<Vec<_>>().join("; ")
        };
        let [fixed, tuned, unscaled]: [String; 3] =
            [Lever::Program, Lever::System, Lever::Scaling(Side::Receiver)].map(told);
        assert!(
            fixed.contains("seems to set SO_RCVBUF: remove that, or set it to 200 kB"),
            "{fixed}"
        );
        assert!(!fixed.contains("tcp_rmem"), "{fixed}");
        assert!(tuned.contains("net.ipv4.tcp_rmem at least 400 kB"), "{tuned}");
        assert!(unscaled.starts_with("A010 ") && unscaled.contains("the receiver's SYN"));
        assert!(!unscaled.contains("buffer to"), "{unscaled}");
    }
}

//! How sure a headline is: by how far the runner-up stays behind when everything doubtful is
//! counted for it and against the headline.

use super::doubts::Doubts;
use super::shares::Shares;
use crate::limit::{Cause, Limit};
use crate::model::{Confidence, LEAD_MIN};

/// The headline and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Headline {
    pub(super) limit: Limit,
    pub(super) runner_up: Option<Limit>,
    /// The ranges of both overlap: either may have held for longer.
    pub(super) is_order_open: bool,
    pub(super) confidence: Confidence,
}

/// Flows shorter than this many round trips are mostly handshake and last round trip. (Of 2482 directions of
/// the open corpus, of `tests/held-out` and of captures of others, 2 makes 49 surer, 8 makes 61 less sure.)
const ROUND_TRIPS_MIN: u32 = 4;

/// Picks the headline: the limit with the largest share, a hidden one's pacing included.
pub(super) fn headline(shares: &Shares, doubts: Doubts) -> Headline {
    let gaps = if doubts.is_clock_stepped { 0.0 } else { shares.of(Limit::CaptureGap) };
    if doubts.is_half_heard() || shares.of(Limit::Unknown) + gaps > 0.5 {
        let is_gap = shares.of(Limit::CaptureGap) >= shares.of(Limit::Unknown);
        let limit = if is_gap { Limit::CaptureGap } else { Limit::Unknown };
        return Headline {
            limit,
            runner_up: None,
            is_order_open: false,
            confidence: Confidence::Low,
        };
    }
    let [first, second, ..] = shares.ranked();
    if shares.with_hidden(first) <= 0.0 {
        let (limit, confidence) = (Limit::HandshakeClose, Confidence::Medium);
        return Headline { limit, runner_up: None, is_order_open: false, confidence };
    }
    let lead = shares.with_hidden(first) - shares.with_hidden(second);
    let is_near = shares.high_with_hidden(second) >= shares.low_with_hidden(first);
    Headline {
        limit: first,
        runner_up: (is_near || lead < LEAD_MIN).then_some(second),
        is_order_open: is_near,
        confidence: confidence(shares, doubts, (first, second)),
    }
}

fn confidence(shares: &Shares, doubts: Doubts, (first, second): (Limit, Limit)) -> Confidence {
    let share = shares.with_hidden(first);
    let lead = share - shares.with_hidden(second);
    let is_clear = shares.low_with_hidden(first) > shares.high_with_hidden(second);
    let is_ahead = share >= 0.5 || lead >= LEAD_MIN;
    let is_short = is_short(shares.round_trips());
    // The receive window and an idle connection show everywhere. What prompted a send is seen at the sender
    // alone; elsewhere the sender's clock tells, and losses tell of a congestion window.
    let shows_everywhere = match first {
        Limit::ReceiveWindow => second != Limit::SendBuffer,
        Limit::Application => shares.main_cause(first) == Some(Cause::Idle),
        _ => false,
    };
    let is_far_off = doubts.is_place_unknown || doubts.is_way_unknown;
    let is_doubted = is_short
        || is_far_off
        || doubts.are_gaps_grave
        || is_window_in_question(shares, doubts, first)
        || is_pause_in_question(shares, doubts, first)
        || (doubts.is_multipath && first != Limit::CongestionWindow)
        || (doubts.is_remote && !shows_everywhere && !is_seen_from_afar(doubts, first))
        || (!shows_everywhere && is_clock_too_coarse(doubts, first));
    // What separates a blocked writer from a slow one is whether ACKs prompted its sends.
    let is_guess = doubts.is_blurred
        && match first {
            Limit::Application => !shows_everywhere,
            Limit::SendBuffer => true,
            _ => false,
        };
    let is_guess = is_guess
        || is_window_guessed(shares, doubts, first)
        || is_timer_guessed(shares, doubts, first)
        || (!is_clear && is_writer_contradicted(shares, doubts, (first, second)));
    match () {
        () if is_guess
            || (is_far_off && !is_its_own_pause(shares, doubts, first))
            || doubts.is_mostly_missed =>
        {
            Confidence::Low
        }
        () if lead >= LEAD_MIN && is_clear && !is_doubted => Confidence::High,
        () if is_ahead && (is_clear || lead >= 0.5) => Confidence::Medium,
        () => Confidence::Low,
    }
}

/// Whether it is a congestion window that losses cut again and again, and the sender's clock tells a blocked
/// writer's batches from what it let out in between.
fn is_seen_from_afar(doubts: Doubts, first: Limit) -> bool {
    first == Limit::CongestionWindow && doubts.is_often_cut && !doubts.is_blurred
}

/// Whether much of it may have been on its way: where no clock tells when the sender sent, an answer that
/// took long looks like one after a short pause.
fn is_pause_in_question(shares: &Shares, doubts: Doubts, first: Limit) -> bool {
    let is_doubted = doubts.is_blurred && shares.doubted(first) >= LEAD_MIN;
    is_doubted && first == Limit::Application && !is_its_own_pause(shares, doubts, first)
}

/// Whether a full window may be meant, or missed. The least scale that fits makes windows too small, if
/// anything, so that time which is not the receive window's is none at any scale. (Of 332 flows whose
/// handshake was cut off, 94 more are sure than by doubting whatever has the receive window in second place
/// and each scale that was not offered; none wrong.) Where none is in use, a full window shows as something
/// else; not as an idle connection, nor as losses.
fn is_window_in_question(shares: &Shares, doubts: Doubts, first: Limit) -> bool {
    match first {
        Limit::ReceiveWindow => doubts.is_scale_open,
        Limit::CongestionWindow => doubts.is_scale_unknown && !doubts.has_loss,
        Limit::Application => {
            doubts.is_scale_unknown && shares.main_cause(first) != Some(Cause::Idle)
        }
        _ => doubts.is_scale_unknown,
    }
}

/// Whether the capture's clock is too coarse: for a blocked writer any that ticks, for each batch comes
/// within a tick of an ACK then, and a slow writer's as well; for others one that tells no batches. (Captures
/// of five waves read to whole milliseconds: 76 directions sure to 223, to four of them 75 to 125, none of
/// them wrongly more.)
fn is_clock_too_coarse(doubts: Doubts, first: Limit) -> bool {
    doubts.is_coarse && (first == Limit::SendBuffer || doubts.is_coarse_for_path)
}

/// Whether it rests on a window of unknown size. One taken for too small is full when it is not, and
/// elsewhere than at the sender one that is full need not show. That leaves what shows without it: a closed
/// window, and a congestion window that losses cut.
fn is_window_guessed(shares: &Shares, doubts: Doubts, first: Limit) -> bool {
    match first {
        Limit::ReceiveWindow => {
            doubts.is_scale_open && shares.main_cause(first) != Some(Cause::ZeroWindow)
        }
        Limit::CongestionWindow => doubts.hides_full_window && !doubts.has_loss,
        _ => doubts.hides_full_window && !is_its_own_pause(shares, doubts, first),
    }
}

/// A pause of seconds, or between small messages, is the application's wherever it is seen: no full window
/// lasts as long, and none is needed for as little.
fn is_its_own_pause(shares: &Shares, doubts: Doubts, first: Limit) -> bool {
    doubts.are_pauses_its_own
        && first == Limit::Application
        && shares.main_cause(first) == Some(Cause::Idle)
}

/// Whether what looks like a writer's timer may be a host, or a tap, that lets ACKs wait: those of Nagle's
/// algorithm and of an idle connection show all the same.
pub(super) fn is_timer_guessed(shares: &Shares, doubts: Doubts, first: Limit) -> bool {
    let cause = shares.main_cause(first);
    doubts.answers_late
        && first == Limit::Application
        && !matches!(cause, Some(Cause::Idle | Cause::Nagle))
}

/// Whether for most of the application's time the flow's own queue stood at the bottleneck, and only a
/// congestion window is near: a writer that is slower than the path lets its queue run empty, a paced sender
/// need not (BBR keeps one, `bbr_cwnd_gain`, and sends single segments below 1.2 Mbit/s, `bbr_min_tso_segs`).
fn is_writer_contradicted(
    shares: &Shares,
    doubts: Doubts,
    (first, second): (Limit, Limit),
) -> bool {
    let share = shares.with_hidden(first);
    let both = share + doubts.queued - 1.0;
    (first, second) == (Limit::Application, Limit::CongestionWindow) && 2.0 * both > share
}

/// Whether a flow is mostly handshake and last round trip.
pub(super) fn is_short(round_trips: u32) -> bool {
    round_trips < ROUND_TRIPS_MIN
}

#[cfg(test)]
mod tests;

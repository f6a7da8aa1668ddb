#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use super::*;
use crate::limit::Ledger;
use crate::units::Duration;

const RWND: Limit = Limit::ReceiveWindow;
const SNDBUF: Limit = Limit::SendBuffer;
const CWND: Limit = Limit::CongestionWindow;
const APP: Limit = Limit::Application;

/// No doubt.
fn none() -> Doubts {
    Doubts::default()
}

/// Milliseconds of a limit, its cause, and of which other limit they may be.
type Part = (Limit, Option<Cause>, Option<Limit>, u64);

fn named(parts: &[Part], doubts: Doubts) -> (Limit, Confidence) {
    named_with_hidden(parts, &[], doubts)
}

/// Milliseconds of a congestion window's pacing, the limit behind it, and which other limit they may be.
type Hidden = (Limit, Option<Limit>, u64);

/// With a round trip of 10 ms.
fn named_with_hidden(parts: &[Part], hidden: &[Hidden], doubts: Doubts) -> (Limit, Confidence) {
    let mut ledger = Ledger::default();
    for (limit, cause, rival, ms) in parts {
        ledger.time.insert((*limit, *cause, *rival), Duration::from_millis(*ms));
    }
    for (behind, rival, ms) in hidden {
        ledger.time.insert((CWND, Some(Cause::Pacing), *rival), Duration::from_millis(*ms));
        ledger.hidden.insert((*behind, *rival), Duration::from_millis(*ms));
    }
    let rtt = Some(Duration::from_millis(10));
    let shares = Shares::new(&ledger, ledger.total(), (Limit::HandshakeClose, None), rtt);
    let headline = headline(&shares, doubts);
    (headline.limit, headline.confidence)
}

fn plain(first: Limit, ms: u64, second: Limit) -> [Part; 2] {
    [(first, None, None, ms), (second, None, None, 10_000 - ms)]
}

#[test]
fn confidence_follows_the_lead_and_what_may_be_another_limits() {
    use Confidence::{High, Low, Medium};
    let doubted =
        |ms, of_these| [(APP, None, None, ms - of_these), (APP, None, Some(CWND), of_these)];
    let beside = |app: [Part; 2], ms| [app[0], app[1], (CWND, None, None, ms)];
    for (parts, expected, why) in [
        (plain(CWND, 9000, APP).to_vec(), High, "nine tenths, none in doubt"),
        (plain(CWND, 6100, APP).to_vec(), High, "a fifth more than the next"),
        (plain(CWND, 5500, APP).to_vec(), Medium, "half of the time, but not a fifth more"),
        (
            vec![(CWND, None, None, 4000), (APP, None, None, 3500), (RWND, None, None, 2500)],
            Low,
            "neither half of the time nor a fifth more",
        ),
        (beside(doubted(7000, 3000), 3000).to_vec(), Low, "the other may be larger"),
        (beside(doubted(9000, 5000), 1000).to_vec(), Medium, "it may be, but the lead is long"),
    ] {
        let limit = parts[0].0;
        assert_eq!(named(&parts, none()), (limit, expected), "{why}");
    }
    let short = [(CWND, None, None, 30), (APP, None, None, 1)];
    assert_eq!(named(&short, none()).1, Medium, "three round trips");
}

#[test]
fn each_doubt_takes_confidence_from_what_it_bears_on() {
    use Confidence::{High, Low, Medium};
    let gaps = Doubts { are_gaps_grave: true, ..none() };
    let missed = Doubts { is_mostly_missed: true, ..gaps };
    let stepped = Doubts { is_clock_stepped: true, ..none() };
    let remote = Doubts { is_remote: true, ..none() };
    let ticking = Doubts { is_coarse: true, ..none() };
    let coarse = Doubts { is_coarse_for_path: true, ..ticking };
    let blurred = Doubts { is_blurred: true, ..none() };
    let open = Doubts { is_scale_open: true, ..none() };
    let unknown = Doubts { is_scale_unknown: true, ..open };
    let hidden = Doubts { hides_full_window: true, ..none() };
    let multipath = Doubts { is_multipath: true, ..none() };
    let nowhere = Doubts { is_place_unknown: true, ..none() };
    let late = Doubts { answers_late: true, ..none() };
    let [idle, nagle, zero, full] =
        [Cause::Idle, Cause::Nagle, Cause::ZeroWindow, Cause::WindowFull].map(Some);
    for (first, cause, second, doubts, expected) in [
        (CWND, None, APP, gaps, Medium),
        (APP, idle, CWND, missed, Low),
        (CWND, None, APP, stepped, High),
        (CWND, None, APP, remote, Medium),
        (CWND, None, APP, coarse, Medium),
        (CWND, None, APP, ticking, High),
        (APP, None, CWND, ticking, High),
        (SNDBUF, None, CWND, ticking, Medium),
        (CWND, None, APP, blurred, High),
        (CWND, None, APP, multipath, High),
        (CWND, None, RWND, open, High),
        (CWND, None, RWND, unknown, Medium),
        (CWND, None, RWND, Doubts { has_loss: true, ..unknown }, High),
        (APP, None, CWND, unknown, Medium),
        (APP, idle, CWND, unknown, High),
        (SNDBUF, None, CWND, unknown, Medium),
        (CWND, None, APP, hidden, Low),
        (CWND, None, APP, Doubts { has_loss: true, ..hidden }, High),
        (CWND, None, APP, nowhere, Low),
        (CWND, None, APP, late, High),
        (RWND, full, CWND, remote, High),
        (RWND, full, SNDBUF, remote, Medium),
        (RWND, full, CWND, open, Low),
        (RWND, zero, CWND, open, Medium),
        (RWND, full, CWND, multipath, Medium),
        (SNDBUF, None, CWND, remote, Medium),
        (SNDBUF, None, CWND, blurred, Low),
        (SNDBUF, None, CWND, hidden, Low),
        (APP, None, CWND, remote, Medium),
        (APP, idle, CWND, remote, High),
        (APP, idle, CWND, coarse, High),
        (APP, None, CWND, blurred, Low),
        (APP, idle, CWND, blurred, High),
        (APP, None, CWND, late, Low),
        (APP, idle, CWND, late, High),
        (APP, nagle, CWND, late, High),
    ] {
        let parts = [(first, cause, None, 9000), (second, None, None, 1000)];
        let what = format!("{first:?} {cause:?}, then {second:?}: {doubts:?}");
        assert_eq!(named(&parts, doubts), (first, expected), "{what}");
    }
}

/// Pacing that counts for a limit counts for it too where it is the next one.
#[test]
fn the_limit_behind_the_pacing_may_be_as_large() {
    use Confidence::{High, Low, Medium};
    let app = |doubted| [(APP, None, None, 6000 - doubted), (APP, None, Some(CWND), doubted)];
    let beside = |doubted, buffer, sure, hidden: &[Hidden]| {
        let [one, other] = app(doubted);
        let parts = [one, other, (SNDBUF, None, None, buffer), (CWND, None, None, sure)];
        named_with_hidden(&parts, hidden, none())
    };
    assert_eq!(beside(2500, 500, 3500, &[]), (APP, Low), "the congestion window may be");
    assert_eq!(beside(2500, 500, 0, &[(SNDBUF, None, 3500)]), (APP, Low), "so may the buffer");
    assert_eq!(beside(0, 500, 0, &[(SNDBUF, None, 3500)]), (APP, High), "nothing is in doubt");
    let claimed = [(SNDBUF, Some(SNDBUF), 3500)];
    assert_eq!(beside(0, 500, 0, &claimed), (APP, High), "what it claims it has once");
    let paced = [(RWND, None, None, 4000), (CWND, None, None, 2000), (APP, None, None, 1000)];
    assert_eq!(named_with_hidden(&paced, &[(RWND, None, 3000)], none()), (RWND, High));
    let less = [(RWND, None, None, 2000), (CWND, None, None, 2000), (APP, None, None, 1000)];
    assert_eq!(
        named_with_hidden(&less, &[(RWND, None, 5000)], none()).1,
        Medium,
        "it may be all pacing"
    );
    let open = [(CWND, None, None, 5000), (APP, None, Some(RWND), 1000)];
    assert_eq!(named_with_hidden(&open, &[(RWND, None, 4000)], none()).1, Low);
}

#[test]
fn only_long_pauses_show_from_an_unknown_distance() {
    let afar = Doubts { is_way_unknown: true, ..none() };
    let paused = Doubts { are_pauses_its_own: true, ..afar };
    let named = |limit, cause, doubts| {
        named(&[(limit, cause, None, 9000), (Limit::HandshakeClose, None, None, 1000)], doubts).1
    };
    let idle = Some(Cause::Idle);
    assert_eq!(named(CWND, None, afar), Confidence::Low);
    assert_eq!(named(APP, idle, afar), Confidence::Low);
    assert_eq!(named(APP, idle, paused), Confidence::Medium);
    assert_eq!(named(APP, Some(Cause::Trickle), paused), Confidence::Low);
    let hidden = Doubts { hides_full_window: true, ..paused };
    assert_eq!(named(APP, idle, hidden), Confidence::Medium);
    assert_eq!(named(APP, idle, Doubts { are_pauses_its_own: false, ..hidden }), Confidence::Low);
}

#[test]
fn a_queue_of_its_own_speaks_against_a_slow_writer() {
    let parts = [(APP, None, None, 4000), (APP, None, Some(CWND), 5000), (CWND, None, None, 1000)];
    let with = |queued| named(&parts, Doubts { queued, ..none() });
    assert_eq!(with(0.2), (APP, Confidence::Medium));
    assert_eq!(with(0.9), (APP, Confidence::Low));
}

/// A fifth of the time would be a clear lead of another limit.
#[test]
fn answers_that_may_have_been_on_their_way_are_no_sure_pauses() {
    let blurred = Doubts { is_blurred: true, ..none() };
    let named = |doubted: u64, doubts| {
        let idle = Some(Cause::Idle);
        let parts = [
            (APP, idle, None, 8500 - doubted),
            (APP, idle, Some(CWND), doubted),
            (CWND, None, None, 1500),
        ];
        named(&parts, doubts)
    };
    assert_eq!(named(1500, blurred), (APP, Confidence::High));
    assert_eq!(named(2500, blurred), (APP, Confidence::Medium));
    assert_eq!(named(2500, none()), (APP, Confidence::High));
    assert_eq!(
        named(2500, Doubts { are_pauses_its_own: true, ..blurred }),
        (APP, Confidence::High)
    );
}

#[test]
fn what_was_not_captured_names_no_limit() {
    let gap = Limit::CaptureGap;
    let one_sided = Doubts { is_one_sided: true, ..none() };
    assert_eq!(named(&plain(gap, 6000, CWND), none()), (gap, Confidence::Low));
    assert_eq!(named(&plain(CWND, 6000, gap), none()).0, CWND);
    assert_eq!(named(&plain(gap, 10_000, CWND), one_sided), (gap, Confidence::Low));
    let stepped = Doubts { is_clock_stepped: true, ..none() };
    assert_eq!(named(&plain(gap, 6000, CWND), stepped).0, CWND, "nothing happened meanwhile");
    let unknown = Limit::Unknown;
    assert_eq!(named(&plain(unknown, 6000, CWND), none()), (unknown, Confidence::Low));
}

/// Of a tap that is away from the sender.
#[test]
fn losses_tell_of_a_congestion_window_everywhere() {
    let afar = Doubts { is_remote: true, ..none() };
    let cut = Doubts { is_often_cut: true, ..afar };
    for (first, doubts, expected) in [
        (CWND, afar, Confidence::Medium),
        (CWND, cut, Confidence::High),
        (CWND, Doubts { is_blurred: true, ..cut }, Confidence::Medium),
        (SNDBUF, cut, Confidence::Medium),
    ] {
        assert_eq!(named(&plain(first, 9000, APP), doubts), (first, expected), "{doubts:?}");
    }
}

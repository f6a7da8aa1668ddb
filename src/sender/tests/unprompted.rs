//! What a timer sent again, also where nothing tells what the sender heard.

use super::*;

/// Fast repairs, those of a timer and timeouts of a sender that is not heard; starts in thousands.
fn unheard_repairs(sends: &[(u64, u64)]) -> (u64, u64, u64) {
    let mut sender = Sender::default();
    for (ms, nth) in sends {
        let start = nth.saturating_mul(1000).saturating_add(1);
        sender.on_data(&Data { timestamps: None, ..data(*ms, start, 0) }, &mut |_| ());
    }
    let totals = sender.into_totals();
    (totals.fast_segments, totals.timeout_segments, totals.timeouts)
}

/// RFC 6298 section 5.5 doubles the timer each time; nothing went out that could have told of a loss.
#[test]
fn what_goes_out_again_and_again_with_nothing_behind_it_is_a_timer_s() {
    let backed_off = [(0, 0), (206, 0), (806, 0), (2006, 0), (4406, 0), (9211, 0)];
    assert_eq!(unheard_repairs(&backed_off), (0, 5, 5));
    // The first of two is lost, and the timer sends it twice.
    let mut behind = vec![(0, 8), (10, 9), (20, 10)];
    behind.extend([(300, 9), (900, 9), (2100, 9)]);
    assert_eq!(
        unheard_repairs(&behind),
        (1, 2, 2),
        "what went out first may have a reason not seen"
    );
    assert_eq!(unheard_repairs(&[(0, 0), (150, 0)]), (1, 0, 0), "no timer expires so soon");
}

/// F-RTO (RFC 5682) sends new data after a timeout; a repair that is lost, too, may come at any time.
#[test]
fn a_timer_that_doubles_is_one_whatever_goes_out_in_between() {
    let repairs = |last| [(0, 0), (10, 1), (20, 2), (430, 1), (440, 3), (last, 1)];
    let fast_at = |last| unheard_repairs(&repairs(last)).0;
    // It had 420 ms, so 840 ms and an eighth.
    assert_eq!([1164, 1165, 1375, 1376].map(fast_at), [2, 1, 1, 2]);
}

/// Each of two losses has its own repair, far apart.
#[test]
fn a_repair_behind_a_timeout_that_nothing_ends_is_judged_anew() {
    let first = [(0, 0), (300, 0)];
    let later = [(400, 1), (410, 2), (420, 3), (430, 4), (440, 1)];
    assert_eq!(unheard_repairs(&[first.as_slice(), &later].concat()), (1, 1, 1));
}

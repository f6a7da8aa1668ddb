//! The shadow of the congestion window, on simulated paths.
#![expect(clippy::expect_used, reason = "test code")]

use tcplimit::model::{CwndPoint, FlowReport, SlowStartExitCause};
use tcplimit::testing::{Application, Path, ms};

fn points(flow: &FlowReport) -> &[CwndPoint] {
    &flow.cwnd.as_ref().expect("the window was the limit").series
}

/// Reno on a queue that overflows: what is in flight then is all of the window.
#[test]
fn an_overflow_ends_slow_start_and_shows_the_window() {
    let flow = Path { duration: ms(20_000), ..Path::default() }.flow();
    let cwnd = flow.cwnd.as_ref().expect("the window was the limit");
    assert_eq!(cwnd.slow_start_exit_cause, Some(SlowStartExitCause::Loss));
    let most = points(&flow).iter().filter_map(|point| point.best_bytes).max();
    let most = most.expect("a point with a value");
    let flight = flow.flight_max_bytes;
    // The largest flight comes while the loss is repaired, when less of it is in the pipe.
    assert!(most <= flight && most * 2 > flight, "{most} of {flight}");
}

#[test]
fn the_estimate_lies_between_its_bounds_and_times_rise() {
    let flow = Path { duration: ms(20_000), ..Path::default() }.flow();
    for pair in points(&flow).windows(2) {
        assert!(pair[0].t_s <= pair[1].t_s, "{pair:?}");
    }
    for point in points(&flow) {
        assert!(point.low_bytes <= point.best_bytes, "{point:?}");
        assert!(point.best_bytes <= point.high_bytes, "{point:?}");
    }
}

#[test]
fn slow_start_that_goes_on_has_no_end() {
    let queue = 10_000_000;
    let path = Path { rate_bps: 1_000_000_000, queue, duration: ms(250), ..Path::default() };
    let cwnd = path.flow().cwnd.expect("the window was the limit");
    assert_eq!((cwnd.slow_start_exit_s, cwnd.slow_start_exit_cause), (None, None));
}

/// Where the application pauses, nothing is said of the window.
#[test]
fn no_value_is_given_while_another_limit_holds() {
    let application = Application::Paced { chunk: 200_000, interval: ms(500) };
    let flow = Path { application, ..Path::default() }.flow();
    assert!(points(&flow).iter().any(|point| point.best_bytes.is_none()), "{:?}", flow.cwnd);
}

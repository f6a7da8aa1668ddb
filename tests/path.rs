//! The path's verdict, on simulated paths.
#![expect(clippy::expect_used, clippy::cast_precision_loss, reason = "test code")]

use tcplimit::model::{
    Capacity, CapacityMethod, Confidence, Limit, PathReport, PathVerdict, codes,
};
use tcplimit::testing::{Application, Path, Side, Tap, ms};

fn capacity(path: Path) -> Capacity {
    path.flow().path.capacity.expect("the path was full")
}

#[track_caller]
fn assert_rate(path: Path) {
    let (found, rate) = (capacity(path), path.rate_bps as f64);
    assert!((found.bps / rate - 1.0).abs() < 0.01, "{found:?} of {path:?}");
    assert!(found.low_bps <= rate && rate <= found.high_bps, "{found:?} of {path:?}");
}

#[test]
fn a_full_bottleneck_shows_its_rate() {
    for (rate_bps, seconds) in [(1_000_000, 20), (20_000_000, 5), (90_000_000, 2)] {
        let (queue, duration) = (rate_bps / 8 / 25, ms(1000 * seconds));
        assert_rate(Path { rate_bps, queue, duration, ..Path::default() });
    }
}

#[test]
fn random_loss_leaves_the_rate_as_it_is() {
    assert_rate(Path { loss_one_in: 2000, duration: ms(10_000), ..Path::default() });
}

#[test]
fn a_window_beyond_the_path_shows_its_rate() {
    let path = Path { rcvbuf: 300_000, queue: 1_000_000, ..Path::default() };
    assert_rate(path);
    assert_eq!(capacity(path).confidence, Confidence::High);
    assert_eq!(capacity(path).method, CapacityMethod::AckRatePlateau);
}

#[test]
fn a_path_that_was_never_full_has_no_known_rate() {
    let paths = [
        Path { rcvbuf: 60_000, ..Path::default() },
        Path { sndbuf: 60_000, ..Path::default() },
        Path {
            application: Application::Paced { chunk: 10_000, interval: ms(20) },
            ..Path::default()
        },
        Path { pacing_bps: Some(10_000_000), ..Path::default() },
    ];
    for path in paths {
        assert_eq!(path.flow().path.capacity, None, "{path:?}");
    }
}

#[test]
fn a_capture_elsewhere_shows_the_same_rate() {
    for tap in [Tap::Middle, Tap::Receiver] {
        let path = Path { tap, duration: ms(10_000), ..Path::default() };
        let found = capacity(path);
        assert!((found.bps / 20e6 - 1.0).abs() < 0.03, "{found:?} at {tap:?}");
    }
}

fn path_of(path: Path) -> PathReport {
    path.flow().path
}

#[test]
fn a_full_queue_of_its_own_is_named() {
    let found = path_of(Path {
        rate_bps: 2_000_000,
        queue: 20_000,
        duration: ms(20_000),
        ..Path::default()
    });
    assert_eq!(found.verdict, PathVerdict::BottleneckFull, "{found:?}");
    assert!(found.utilization.is_some_and(|used| used > 0.9), "{found:?}");
    assert!(found.loss_count > 0, "{found:?}");
}

/// Where the capture paused, or packets of two connections are mixed, octets seem to pass at once.
#[test]
fn what_was_not_captured_fills_no_path() {
    for missed in [3_000_000, 500_000_000] {
        let path = Path { rate_bps: 2_000_000, queue: 20_000, ..Path::default() };
        let mut capture = path.capture();
        for packet in capture.packets.iter_mut().skip(40) {
            let of_client = if packet.from == Side::Client {
                Some(&mut packet.seq)
            } else {
                packet.ack.as_mut()
            };
            if let Some(number) = of_client {
                *number = number.wrapping_add(missed);
            }
        }
        let flow = capture.client_flow();
        assert_eq!(flow.artefacts.missed_bytes, u64::from(missed));
        assert!(flow.path.capacity.is_some(), "{:?}", flow.path);
        assert_eq!(flow.path.utilization, None);
    }
}

/// 300 kB at 20 Mbit/s are 120 ms, of which the path takes 40.
#[test]
fn a_window_beyond_the_path_is_the_limit_and_fills_it() {
    let path = Path { rcvbuf: 300_000, queue: 1_000_000, ..Path::default() };
    let flow = path.flow();
    assert_eq!(flow.verdict.limit, Limit::ReceiveWindow);
    assert_eq!(flow.path.verdict, PathVerdict::BottleneckFull);
    let said = "but the path is full: a larger window only adds queue";
    assert_eq!(flow.path.remark.as_deref(), Some(said));
    assert!(flow.verdict.text.ends_with(said), "{}", flow.verdict.text);
    assert_eq!(flow.verdict.advice[0].code, codes::PATH_IS_FULL, "{:?}", flow.verdict.advice);
    let queueing = flow.path.queueing.expect("samples");
    assert!((queueing.p50_us / 80e3 - 1.0).abs() < 0.1, "{} us", queueing.p50_us);
    assert!((queueing.max_bytes / 200e3 - 1.0).abs() < 0.15, "{} B", queueing.max_bytes);
    assert!(queueing.series.len() <= 100);
    assert!(queueing.series.windows(2).all(|pair| pair[0].t_s < pair[1].t_s));
}

#[test]
fn a_small_window_or_buffer_leaves_the_path_with_room() {
    for path in [
        Path { rcvbuf: 60_000, ..Path::default() },
        Path { sndbuf: 60_000, ..Path::default() },
        Path { pacing_bps: Some(10_000_000), ..Path::default() },
    ] {
        let flow = path.flow();
        assert_eq!(flow.path.verdict, PathVerdict::NotFull, "{path:?}");
        assert_eq!(flow.path.remark, None, "{path:?}");
        assert_ne!(flow.verdict.advice[0].code, codes::PATH_IS_FULL, "{path:?}");
    }
}

#[test]
fn loss_at_random_is_no_congestion() {
    let path = Path { loss_one_in: 100, duration: ms(10_000), ..Path::default() };
    let flow = path.flow();
    let found = &flow.path;
    assert_eq!(found.verdict, PathVerdict::Lossy, "{found:?}");
    assert_eq!(flow.verdict.advice[0].code, codes::FIND_LOSS);
    assert!(
        flow.verdict.advice[0].text.contains("rather than congestion"),
        "{:?}",
        flow.verdict.advice
    );
    assert!((found.loss_share / 0.01 - 1.0).abs() < 0.5, "{found:?}");
}

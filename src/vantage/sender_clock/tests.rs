//! Readings of a sender's clock, and when each segment was sent by it.

use super::*;

/// A segment of each tenth millisecond from 100 ms on, `path_us` behind the sender's clock.
fn settled(path_us: u64) -> SenderClock {
    let mut clock = SenderClock::default();
    for ms in (100..400).step_by(10) {
        clock.on_data(ms, at_us(u64::from(ms), path_us));
    }
    clock
}

fn at_us(ms: u64, us: u64) -> Timestamp {
    Timestamp((ms * 1000 + us) * 1000)
}

#[test]
fn a_queued_segment_was_sent_before_its_tick_ended() {
    let mut clock = settled(20_000);
    assert_eq!(clock.tick(), Some(Duration::from_millis(1)));
    let sent = clock.on_data(500, at_us(500, 27_300)).unwrap();
    assert_eq!((sent.likely(), sent.latest()), (at_us(500, 20_500), at_us(501, 20_000)));
}

/// What passed while the tap's clock was set is lost to it: else each segment after it had been queued for so
/// much less.
#[test]
fn a_tap_s_clock_that_was_set_makes_no_shorter_path() {
    let mut clock = settled(20_000);
    clock.on_clock_set(Duration::from_millis(60));
    let sent = [(400, 9_000), (500, 9_400)]
        .map(|(ms, us)| (clock.on_data(ms, at_us(u64::from(ms), us)), at_us(u64::from(ms), us)));
    for (sent, passed) in sent {
        assert_eq!(sent.unwrap().latest(), passed);
    }
    clock.on_clock_set(Duration::from_millis(60));
    let queued = clock.on_data(600, at_us(600, 27_300)).unwrap();
    assert_eq!(queued.latest(), at_us(601, 9_000), "not set once more");
}

#[test]
fn a_segment_without_queue_was_sent_when_it_passed() {
    let mut clock = settled(20_000);
    let sent = clock.on_data(500, at_us(500, 20_400)).unwrap();
    assert_eq!((sent.likely(), sent.latest()), (at_us(500, 20_400), at_us(500, 20_400)));
}

/// 4 ms: HZ 250.
#[test]
fn a_coarser_clock_is_known_by_its_pace() {
    let mut clock = SenderClock::default();
    for tick in 0..50 {
        clock.on_data(tick, at_us(u64::from(tick) * 4, 0));
    }
    assert_eq!(clock.tick(), Some(Duration::from_millis(4)));
    assert_eq!(clock.on_data(50, at_us(209, 0)).unwrap().latest(), at_us(204, 0));
}

/// 3 ms of queue for each ms: the beginning of slow start on a slow link.
#[test]
fn a_queue_that_grows_is_no_coarser_clock() {
    let mut clock = SenderClock::default();
    for ms in 0..40 {
        clock.on_data(ms, at_us(u64::from(ms), u64::from(ms) * 3000));
    }
    for ms in (300..600).step_by(20) {
        clock.on_data(ms, at_us(u64::from(ms), 60_000));
    }
    assert_eq!(clock.tick(), Some(Duration::from_millis(1)));
}

/// As deep as those of a cellular uplink: 2.5 s, filled within 5 s.
#[test]
fn a_queue_of_seconds_refutes_no_clock() {
    let mut clock = settled(20_000);
    let queued_us = |ms: u32| u64::from((ms - 400).min(5000)) * 500;
    for ms in (400..20_000).step_by(10) {
        clock.on_data(ms, at_us(u64::from(ms), 20_000 + queued_us(ms)));
    }
    let latest = clock.on_data(20_000, at_us(20_000, 2_520_000)).map(|sent| sent.latest());
    // A tick, and what clocks part by in 22 s beyond the first millisecond.
    assert_eq!(latest, Some(Timestamp(20_022_210_000)));
}

#[test]
fn a_count_of_segments_is_no_clock() {
    let mut clock = SenderClock::default();
    let spacings_us = [9000, 70, 1300, 45_000].iter().cycle();
    let mut now_us = 0;
    for (count, spacing_us) in (0..4000).zip(spacings_us) {
        now_us += spacing_us;
        clock.on_data(count, at_us(0, now_us));
    }
    assert_eq!(clock.tick(), None);
}

/// Reset to another value, as a middlebox or a restored virtual machine may.
#[test]
fn a_clock_that_was_set_is_given_up() {
    let mut clock = settled(20_000);
    clock.on_data(90_000, at_us(500, 20_000));
    assert_eq!(clock.on_data(90_010, at_us(510, 20_000)), None);
}

/// Of 5 ms from 6 s on: nobody's clock runs away like that.
#[test]
fn a_queue_that_stays_is_no_path() {
    let mut clock = SenderClock::default();
    let lag_us = |ms: u32| if ms < 6000 { 20_000 } else { 25_000 };
    let sent = (0..20_000)
        .step_by(10)
        .filter_map(|ms| clock.on_data(ms, at_us(u64::from(ms), lag_us(ms))));
    // 0.4 ms of it are, and half a tick.
    assert_eq!(sent.last().map(|sent| sent.likely()), Some(Timestamp(20_010_900_500)));
}

/// 1 us, since Linux 6.7: 2^32 of them pass in 72 minutes.
#[test]
fn a_fine_clock_goes_round() {
    let mut clock = SenderClock::default();
    let readings = (0_u64..200).map(|half_minute| half_minute * 30_000_000);
    for us in readings.clone() {
        let value = u32::try_from(us & u64::from(u32::MAX)).unwrap();
        clock.on_data(value, at_us(0, us + 20_000));
    }
    assert_eq!(clock.tick(), Some(Duration::from_micros(1)));
    let us = 6_000_000_000;
    let sent =
        clock.on_data(u32::try_from(us & u64::from(u32::MAX)).unwrap(), at_us(0, us + 20_000));
    assert_eq!(sent.map(|sent| sent.likely()), Some(at_us(0, us + 20_000)));
}

/// 50 ppm slow: without following it, a minute would add 3 ms to what counts as queue.
#[test]
fn a_clock_that_drifts_is_followed() {
    let mut clock = SenderClock::default();
    for tick in 0..60_000 {
        clock.on_data(tick, at_us(u64::from(tick), 20_000 + u64::from(tick) / 20));
    }
    let last = clock.on_data(60_000, at_us(60_000, 23_000)).unwrap().latest();
    assert!(last >= at_us(60_000, 22_500), "{last:?}");
}

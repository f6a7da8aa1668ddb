//! Waits that a pacing timer made, and such as look like it.

use super::*;

const MSS: Bytes = Bytes(1000);

/// A send of `segments`, and `us` microseconds until the next.
fn step(segments: u64, us: u64) -> Step {
    Step {
        octets: Bytes(segments.saturating_mul(MSS.0)),
        smss: MSS,
        time: Duration::from_micros(us),
        min_rtt: Some(Duration::from_millis(20)),
        is_emptied: false,
    }
}

fn sign(pacer: &mut Pacer, step: Step, ended_by: EndedBy) -> PacingSign {
    pacer.sign(&step, ended_by, QueueSign::Pushed)
}

/// 4 MB/s: 3906 octets in 1/1024 s, so three segments, every 750 us.
#[test]
fn a_buffer_of_the_size_that_its_pace_asks_for_is_a_step() {
    let mut pacer = Pacer::default();
    assert_eq!(sign(&mut pacer, step(3, 750), EndedBy::Nothing), PacingSign::Step);
}

/// 1.5 MB/s: the rate asks for one segment, three went out.
#[test]
fn a_buffer_larger_than_its_pace_asks_for_is_a_writer_s() {
    let mut pacer = Pacer::default();
    assert_eq!(sign(&mut pacer, step(3, 2000), EndedBy::Nothing), PacingSign::Oversized);
}

/// 6 MB/s: five segments would have fitted.
#[test]
fn a_buffer_smaller_than_its_pace_asks_for_proves_nothing() {
    let mut pacer = Pacer::default();
    assert_eq!(sign(&mut pacer, step(3, 500), EndedBy::Nothing), PacingSign::Unknown);
}

#[test]
fn a_full_wait_after_half_a_one_gives_the_pace_away() {
    let mut pacer = Pacer::default();
    sign(&mut pacer, step(2, 20_000), EndedBy::Ack);
    assert_eq!(sign(&mut pacer, step(2, 1000), EndedBy::Nothing), PacingSign::Unknown);
    assert_eq!(sign(&mut pacer, step(2, 2000), EndedBy::Nothing), PacingSign::Step);
    assert_eq!(sign(&mut pacer, step(2, 2010), EndedBy::Nothing), PacingSign::Step);
    assert_eq!(sign(&mut pacer, step(2, 2000), EndedBy::Ack), PacingSign::Step);
    assert_eq!(sign(&mut pacer, step(2, 3000), EndedBy::Nothing), PacingSign::Unknown);
}

/// 4 MB/s, then 20 ms for a segment that the timer holds for 0.25 ms; once the pace was not met, nothing
/// can be said of the next.
#[test]
fn a_wait_far_beyond_the_pace_is_not_the_timer_s() {
    let mut pacer = Pacer::default();
    sign(&mut pacer, step(3, 750), EndedBy::Nothing);
    assert_eq!(sign(&mut pacer, step(1, 20_000), EndedBy::Nothing), PacingSign::Overlong);
    assert_eq!(sign(&mut pacer, step(1, 20_000), EndedBy::Nothing), PacingSign::Unknown);
    assert_eq!(sign(&mut pacer, step(3, 750), EndedBy::Nothing), PacingSign::Step);
    assert_eq!(sign(&mut pacer, step(2, 3900), EndedBy::Nothing), PacingSign::Unknown);
    assert_eq!(sign(&mut pacer, step(2, 20_000), EndedBy::Ack), PacingSign::Unknown);
}

/// A writer pauses with data in flight, so that nothing but the length of its wait shows it.
#[test]
fn a_full_wait_after_half_a_one_after_a_long_one_gives_the_pace_away() {
    let mut pacer = Pacer::default();
    sign(&mut pacer, step(2, 20_000), EndedBy::Nothing);
    sign(&mut pacer, step(2, 1000), EndedBy::Nothing);
    assert_eq!(sign(&mut pacer, step(2, 2000), EndedBy::Nothing), PacingSign::Step);
}

/// BBR: one segment every 10 ms is 0.8 Mbit/s, one every 5 ms would be two every 10 ms.
#[test]
fn a_segment_alone_is_a_buffer_where_the_pace_is_slow() {
    for (us, told) in [(10_000, PacingSign::Step), (5000, PacingSign::Unknown)] {
        let mut pacer = Pacer::default();
        sign(&mut pacer, step(10, 500_000), EndedBy::Ack);
        sign(&mut pacer, step(1, us / 2), EndedBy::Nothing);
        assert_eq!(sign(&mut pacer, step(1, us), EndedBy::Nothing), told, "{us} us");
    }
}

/// Two segments every 10 ms, and one that Nagle's rule holds until an ACK: at the pace which half a wait
/// of 2.5 ms would show, the timer had let it out after 10 ms, not after 8.
#[test]
fn an_ack_before_the_timer_is_no_pause() {
    let mut pacer = Pacer::default();
    sign(&mut pacer, step(2, 10_000), EndedBy::Nothing);
    sign(&mut pacer, step(2, 8000), EndedBy::Ack);
    sign(&mut pacer, step(1, 2500), EndedBy::Nothing);
    assert_eq!(sign(&mut pacer, step(2, 10_000), EndedBy::Nothing), PacingSign::Unknown);
}

/// The first ten segments of a connection, which the timer does not hold back, and the next after 10 ms:
/// at 1 ms a segment that would be no pause after any other ten.
#[test]
fn the_first_burst_takes_no_time() {
    let mut pacer = Pacer::default();
    sign(&mut pacer, step(10, 9600), EndedBy::Ack);
    sign(&mut pacer, step(2, 1000), EndedBy::Nothing);
    assert_eq!(sign(&mut pacer, step(2, 2000), EndedBy::Nothing), PacingSign::Step);
}

/// Without a pause before it there is no credit, so no half wait.
#[test]
fn a_writer_that_doubles_its_pace_is_no_pacing_timer() {
    let mut pacer = Pacer::default();
    sign(&mut pacer, step(2, 2900), EndedBy::Nothing);
    sign(&mut pacer, step(2, 2900), EndedBy::Nothing);
    sign(&mut pacer, step(2, 1000), EndedBy::Nothing);
    assert_eq!(sign(&mut pacer, step(2, 2000), EndedBy::Nothing), PacingSign::Unknown);
}

/// Linux 5.18 and later: 64 kB more where the RTT is below 512 us.
#[test]
fn a_short_path_allows_larger_buffers() {
    let near = Step { min_rtt: Some(Duration::from_micros(300)), ..step(40, 5000) };
    assert_ne!(sign(&mut Pacer::default(), near, EndedBy::Nothing), PacingSign::Oversized);
    assert_eq!(
        sign(&mut Pacer::default(), step(40, 5000), EndedBy::Nothing),
        PacingSign::Oversized
    );
}

/// 3.2 MB/s: 3100 octets in 1/1024 s, and 32 kB more where the RTT is between 512 us and 1 ms. Fewer segments
/// may be as many as any that go out by themselves on such a path.
#[test]
fn a_short_path_asks_for_larger_buffers() {
    let near = |segments| {
        let us = 11_030 * segments / 35; // At that pace.
        let near = Step { min_rtt: Some(Duration::from_micros(900)), ..step(segments, us) };
        sign(&mut Pacer::default(), near, EndedBy::Nothing)
    };
    let told = [3, 5, 34, 35].map(near);
    assert_eq!(
        told,
        [PacingSign::Step, PacingSign::Unknown, PacingSign::Unknown, PacingSign::Step]
    );
}

//! What SACK tells of single segments, and of parts of super-frames.

use super::*;

/// Of what was on the way together the newest is what the ACK answers, and the oldest what Linux smooths
/// (`tcp_sacktag_write_queue`), as of what is acknowledged in order; the first block tells what came last
/// (RFC 2018 section 4), which may have been sent before.
#[test]
fn the_newest_of_what_is_sacked_gives_the_sample_and_the_oldest_is_smoothed() {
    let mut sender = Sender::default();
    for nth in 0..5 {
        sender.on_data(&data(nth * 10, nth * 1000 + 1, 10), &mut |_| ());
    }
    let mut holed = ack(100, 1, 10);
    holed.sack.push(StreamOffset(3001), StreamOffset(4001));
    holed.sack.push(StreamOffset(1001), StreamOffset(2001));
    let told = answer(&mut sender, &holed);
    let (rtt, matcher) = (Duration::from_millis(70), RttMatcher::Sack);
    assert_eq!(told.rtt.map(|it| (it.rtt, it.matcher)), Some((rtt, matcher)));
    assert_eq!(told.after.srtt, Some(Duration::from_millis(90)));
}

/// The receiver put off to acknowledge the first segment until the third came, the second being lost.
#[test]
fn what_is_sacked_gives_the_sample_of_an_ack_that_it_prompted() {
    let mut sender = Sender::default();
    for (ms, start) in [(0, 1), (50, 1001), (50, 2001)] {
        sender.on_data(&data(ms, start, 10), &mut |_| ());
    }
    let mut holed = ack(100, 1001, 10);
    holed.sack.push(StreamOffset(2001), StreamOffset(3001));
    let (rtt, matcher) = (Duration::from_millis(50), RttMatcher::Sack);
    let told = answer(&mut sender, &holed).rtt;
    assert_eq!(told.map(|it| (it.rtt, it.matcher)), Some((rtt, matcher)));
}

/// The receiver had the first segment of one super-frame, and then that of the next: this is what the ACK
/// answers (Linux takes the frame apart there, `tcp_match_skb_to_sack`).
#[test]
fn the_first_segment_of_a_super_frame_gives_the_sample_when_it_is_sacked() {
    let mut sender = Sender::default();
    sender.on_data(&data(0, 1, 10), &mut |_| ());
    for (ms, start) in [(10, 1001), (50, 4001)] {
        sender.on_data(&Data { len: Bytes(3000), ..data(ms, start, 10) }, &mut |_| ());
    }
    let mut holed = ack(100, 2001, 10);
    holed.sack.push(StreamOffset(4001), StreamOffset(5001));
    let (rtt, matcher) = (Duration::from_millis(50), RttMatcher::Sack);
    let told = answer(&mut sender, &holed).rtt;
    assert_eq!(told.map(|it| (it.rtt, it.matcher)), Some((rtt, matcher)));
}

/// What it told of the acknowledgment.
fn answer(sender: &mut Sender, ack: &Ack) -> Acknowledge {
    let mut told = None;
    sender.on_ack(ack, &mut |event| {
        if let SenderEvent::Acknowledge(ack) = event {
            told = Some(ack);
        }
    });
    told.unwrap()
}

//! What SACK tells of single segments, and of parts of super-frames.

use super::*;

/// The first block tells what came last (RFC 2018 section 4); with Linux, the oldest of what an ACK SACKs
/// gives the sample (`tcp_sacktag_write_queue`).
#[test]
fn the_oldest_of_what_is_sacked_gives_the_sample_whichever_block_comes_first() {
    let mut sender = Sender::default();
    for nth in 0..5 {
        sender.on_data(&data(nth * 10, nth * 1000 + 1, 10), &mut |_| ());
    }
    let mut holed = ack(100, 1, 10);
    holed.sack.push(StreamOffset(3001), StreamOffset(4001));
    holed.sack.push(StreamOffset(1001), StreamOffset(2001));
    let (rtt, matcher) = (Duration::from_millis(90), RttMatcher::Sack);
    assert_eq!(sample(&mut sender, &holed), Some(RttSample { rtt, matcher }));
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
    assert_eq!(sample(&mut sender, &holed), Some(RttSample { rtt, matcher }));
}

fn sample(sender: &mut Sender, ack: &Ack) -> Option<RttSample> {
    let mut sample = None;
    sender.on_ack(ack, &mut |event| {
        if let SenderEvent::Acknowledge(ack) = event {
            sample = ack.rtt;
        }
    });
    sample
}

//! Which round trips may tell of a queue? Not those that a receiver made longer by holding its ACK back, nor
//! those told late, by the ACK after one that was lost.

use crate::sender::{Acknowledge, RttMatcher, RttSample};
use crate::units::{Bytes, Duration, StreamOffset};

/// A sample that answers what came last. An ACK that fills a gap, of which one before had told, answers the
/// repair: what it tells of beyond may have come long before, and the ACK that said so was lost. `highest` is
/// one past the highest octet told of before.
#[inline]
pub(super) fn fresh(ack: &Acknowledge, highest: StreamOffset) -> Option<&RttSample> {
    let fills = || {
        let una = ack.after.snd_una.0.saturating_sub(ack.newly_acked.0);
        ack.newly_acked > Bytes(0) && highest.0 > una
    };
    ack.rtt.as_ref().filter(|sample| sample.matcher != RttMatcher::Sack || !fills())
}

/// Whether the receiver answered at once. It may delay the ACK of a lone segment by up to half a second (RFC
/// 9293 section 3.8.6.3); but not of a second one, be it that what was sent behind it had come by then, nor
/// of what came beyond a gap; and what its timer does not tell yet is no delay of it. `base` is an unloaded
/// round trip; with nothing in flight behind it the last ACK of a flow counts as delayed.
#[inline]
pub(super) fn is_prompt(
    ack: &Acknowledge,
    sample: &RttSample,
    base: Duration,
    has_second: bool,
) -> bool {
    let is_early = || sample.rtt.saturating_sub(base) < DELAY_MIN;
    let has_more = ack.after.flight_size > Bytes(0);
    (has_more && (has_second || is_early())) || ack.newly_sacked > Bytes(0) || ack.is_followed
}

/// The shortest delay of the systems that are about: Linux' 40 ms (`TCP_DELACK_MIN`) less a tick of its
/// slowest clock (`HZ` 100), by which the timer may be early. 20 ms changes none of 301 directions, 38 the
/// longest queue of one.
const DELAY_MIN: Duration = Duration::from_millis(30);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sender::SenderVars;
    use crate::units::Timestamp;

    const BASE: Duration = Duration::from_millis(20);

    /// The ACK of a lone segment that was on its way for so many milliseconds, with so many octets in flight
    /// behind it.
    fn lone(rtt_ms: u64, flight_size: u64) -> Acknowledge {
        let rtt = RttSample::of(Duration::from_millis(rtt_ms), RttMatcher::SegmentEnd);
        let after = SenderVars { flight_size: Bytes(flight_size), ..SenderVars::default() };
        let ack = Acknowledge::of(Bytes(1000), Timestamp(1_000_000_000));
        Acknowledge { rtt: Some(rtt), after, ..ack }
    }

    fn is_prompt_alone(ack: &Acknowledge) -> bool {
        fresh(ack, StreamOffset(2)).is_some_and(|sample| is_prompt(ack, sample, BASE, false))
    }

    #[test]
    fn what_waited_for_the_receiver_s_timer_is_no_queue_s() {
        assert!(!is_prompt_alone(&lone(61, 1000)), "the next was not there yet");
        assert!(!is_prompt_alone(&lone(61, 0)));
        assert!(is_prompt_alone(&lone(45, 1000)), "no timer is that fast");
        let followed = Acknowledge { is_followed: true, ..lone(61, 1000) };
        assert!(is_prompt_alone(&followed));
        let gap = Acknowledge { newly_sacked: Bytes(1000), ..lone(61, 1000) };
        assert!(is_prompt_alone(&gap));
    }

    #[test]
    fn what_a_repair_s_ack_tells_besides_is_late() {
        let rtt = Some(RttSample::of(BASE, RttMatcher::Sack));
        let repair = Acknowledge { rtt, ..lone(61, 1000) };
        assert_eq!(fresh(&repair, StreamOffset(2)), None);
        assert_eq!(
            fresh(&repair, StreamOffset(0)),
            rtt.as_ref(),
            "one ACK for both sides of a new gap"
        );
        let beyond = Acknowledge { newly_acked: Bytes(0), ..repair };
        assert_eq!(fresh(&beyond, StreamOffset(2)), rtt.as_ref());
    }
}

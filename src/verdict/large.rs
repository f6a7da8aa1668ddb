//! What follows for a verdict where no large segment got through.

use super::facts::Facts;
use crate::model::figures::counted;
use crate::model::{Advice, FlowReport, Note, codes};
use crate::sender::TooLarge;
use crate::units::Bytes;
use crate::wire::TooBig;

/// What is to be said beside the limit; `None` where that held the transfer up for less than half of its
/// time.
pub(super) fn remark(facts: &Facts) -> Option<String> {
    let too_large = facts.too_large.filter(|_| facts.is_mostly_lost())?;
    let remark = if too_large.is_shown {
        "the path drops its large packets"
    } else {
        "no large segment got through"
    };
    Some(remark.to_owned())
}

/// The numbers behind it.
pub(super) fn reason(too_large: TooLarge) -> String {
    let TooLarge { segment, passed, repeats, .. } = too_large;
    let largest = match passed {
        Bytes(0) => "none with payload did".to_owned(),
        Bytes(passed) => format!("the largest that did had {passed} B"),
    };
    let repeats = counted(u64::from(repeats), "time");
    format!("no segment of {} B got through, though retransmitted {repeats}; {largest}", segment.0)
}

/// What a TCP header without options has more than that of an ICMP echo request, octets (RFC 9293 section
/// 3.1, RFC 792): an echo with so much more payload makes a packet of the same size.
const HEADER_BEYOND_ECHO: Bytes = Bytes(20 - 8);

/// Adds what a router said of a flow's packets, at `at_s` of the capture, if that was while it lasted.
pub(crate) fn hear(flow: &mut FlowReport, told: &TooBig, at_s: f64) {
    if !(flow.start_s..=flow.start_s + flow.duration_s).contains(&at_s) {
        return; // Of another connection of the same ends.
    }
    let takes = match told.mtu {
        Some(mtu) => format!("takes packets of {mtu} B at most"),
        None => "does not take packets so large".to_owned(),
    };
    let (router, frame) = (told.router, told.first.0.shown());
    let said = counted(told.count, "time");
    let text = format!("{router} said {said} that its next link {takes} (first in frame {frame})");
    flow.notes.push(Note { code: codes::PACKET_TOO_BIG, text });
    let advice = &mut flow.verdict.advice;
    let known = advice.len();
    advice.retain(|advice| advice.code != codes::LOWER_MTU);
    // What is sent again as it was, with none of it acknowledged, is as large as before.
    let is_stuck = flow.reverse_packets > 0
        && flow.acked_bytes.is_none_or(|acked| acked == 0)
        && flow.retransmissions.timeouts > 0;
    if advice.len() < known || is_stuck {
        let text = format!(
            "frame {frame} says that the next link of {router} {takes}, and as large ones were sent all the same: \
             let ICMP in at the sender, clamp the MSS or lower the MTU"
        );
        advice.insert(0, Advice { code: codes::LOWER_MTU, text });
    }
}

/// What to do about it.
pub(super) fn advice(facts: &Facts) -> Option<Advice> {
    let TooLarge { segment, options, is_shown, .. } = facts.too_large?;
    let text = if is_shown {
        format!(
            "segments of {} B are too large for the path: clamp the MSS or lower the MTU, and let ICMP \
             \"fragmentation needed\" through; on Linux, net.ipv4.tcp_mtu_probing=1 lets the sender find the size",
            segment.0
        )
    } else {
        let echo = segment.saturating_add(options).saturating_add(HEADER_BEYOND_ECHO);
        format!(
            "either the receiver is gone, or the path drops large packets: try ping -M do -s {}, and smaller \
             sizes, from the sender; if only small ones pass, clamp the MSS or lower the MTU",
            echo.0
        )
    };
    Some(Advice { code: codes::LOWER_MTU, text })
}

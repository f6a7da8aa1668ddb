//! Notes on where the capture was taken.

use super::Grounds;
use crate::model::figures::seconds;
use crate::model::{Code, Vantage, codes, words};

/// Where the capture was taken, and what that leaves to be known.
pub(super) fn notes(grounds: &Grounds, add: &mut impl FnMut(Code, String)) {
    let elsewhere = words::vantage(grounds.vantage).filter(|_| grounds.vantage != Vantage::Sender);
    if let Some(captured) = elsewhere {
        add(codes::VANTAGE_NOT_SENDER, format!("{captured}: {}", basis(grounds)));
    }
    if grounds.doubts.is_place_unknown {
        let text = "captured at the receiver, or at the sender of a short path: the packets do not tell which. At \
                    the receiver, the RTT would be longer than shown and the limit perhaps another; if you know, \
                    say --vantage";
        add(codes::PLACE_UNKNOWN, text.to_owned());
    }
    if grounds.doubts.is_end_open {
        let text = format!(
            "captured at one end of a short path, or between the ends: one host answers as fast as if it were the \
             capturing one, but so would a host nearby; {}. If you know, say --vantage",
            basis(grounds)
        );
        add(codes::PLACE_UNKNOWN, text);
    }
    if grounds.found_vantage != grounds.vantage {
        add(codes::VANTAGE_TOLD, told_vantage(grounds));
    }
}

/// What tells when the sender sent.
fn basis(grounds: &Grounds) -> String {
    if grounds.doubts.is_way_unknown {
        return "neither a handshake nor timestamps tell how far away the sender is, so the RTT is not known, \
                nor what prompted its sends"
            .to_owned();
    }
    let Some(tick) = grounds.sender_tick else {
        return "no TCP timestamps tell when the sender sent, and queues on the path blur it: a send buffer \
                limit may look like the application's"
            .to_owned();
    };
    let tick = seconds(tick.as_secs_f64());
    let coarse = if grounds.doubts.is_blurred {
        ", too coarse on so short a path to tell a send buffer from the application"
    } else {
        ""
    };
    format!("the sender's TCP timestamps tell when it sent, within {tick}{coarse}")
}

/// Where the capture was taken to be, and where it was by its own times.
fn told_vantage(grounds: &Grounds) -> String {
    let told = words::vantage(grounds.vantage).unwrap_or("captured anywhere");
    let times = words::vantage(grounds.found_vantage).map_or_else(
        || "the packet times do not tell the place".to_owned(),
        |found| format!("by the packet times it was {found}"),
    );
    format!("treated as {told}, as --vantage says; {times}")
}

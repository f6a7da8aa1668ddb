//! Doubts and remarks about one flow.

use super::Findings;
use super::confidence::Doubts;
use crate::report::figures::bytes;
use crate::report::{Note, Vantage, WindowScale, codes};

/// What a reader of the verdict should know about its grounds.
pub(super) fn of(
    findings: &Findings,
    doubts: Doubts,
    vantage: Vantage,
    scale: WindowScale,
) -> Vec<Note> {
    let totals = &findings.totals;
    let mut notes = Vec::new();
    let mut add = |code, text: String| notes.push(Note { code, text });
    if doubts.is_one_sided {
        add(codes::ONE_DIRECTION, "only one direction of this connection is in the capture: RTT, receive window and bytes in flight are unknown".to_owned());
    }
    match scale {
        WindowScale::Inferred => add(codes::WINDOW_SCALE_INFERRED, "handshake not in the capture: the window scale is the smallest that fits what was sent; set no great store by the receive window".to_owned()),
        WindowScale::Unknown if !doubts.is_one_sided => add(codes::WINDOW_SCALE_UNKNOWN, "handshake not in the capture and the window scale unknown: the receive window cannot be judged".to_owned()),
        _ => {}
    }
    if doubts.has_gaps {
        add(
            codes::CAPTURE_LOST_PACKETS,
            format!(
                "the capture misses packets of this flow ({} never seen): loss figures leave them out",
                bytes(totals.missed.0)
            ),
        );
    }
    if totals.is_scoreboard_limit_reached {
        add(
            codes::BOUND_REACHED,
            "scoreboard limit reached: loss counts are lower bounds".to_owned(),
        );
    }
    match vantage {
        Vantage::Receiver => add(codes::VANTAGE_NOT_SENDER, "capture taken at the receiver: what the sender did is timed by its half of the round trip".to_owned()),
        Vantage::Middle => add(codes::VANTAGE_NOT_SENDER, "capture taken on the way: what the sender did is timed by its half of the round trip".to_owned()),
        _ => {}
    }
    notes
}

//! What was seen of one wait, and how it was ruled, in words.

use crate::limit::{Reading, Ruling};
use crate::model::words;
use crate::round::{BatchSign, EndedBy, PacingSign, QueueSign, Sign, WindowSign};
use crate::sender::Recovery;

/// The signs of one wait, the usual ones left out.
pub(super) fn signs(sign: Sign) -> String {
    let mut parts = vec![ended_by(sign.ended_by), queue(sign.queue), window(sign.window)];
    parts.extend(batch(sign));
    parts.extend(pacing(sign));
    if sign.is_emptied {
        parts.push("nothing left in flight");
    }
    if sign.recovery != Recovery::Open {
        parts.push("in recovery");
    }
    parts.join(", ")
}

pub(super) fn ruling(ruling: Ruling) -> String {
    let mut text = words::limit(ruling.limit).to_owned();
    if let Some(cause) = ruling.cause {
        text.push_str(", ");
        text.push_str(words::cause(cause));
    }
    if let Reading::PacedBy(behind) = ruling.reading {
        text.push_str(" at the pace that it measures within the ");
        text.push_str(words::limit(behind));
    }
    if let Some(rival) = ruling.rival {
        text.push_str(" (or ");
        text.push_str(words::limit(rival));
        text.push(')');
    }
    text
}

pub(super) fn ended_by(end: EndedBy) -> &'static str {
    match end {
        EndedBy::Ack => "a send at once after an ACK",
        EndedBy::LateAck => "a send some time after an ACK (a wake-up)",
        EndedBy::Payload => "a send after data from the other side",
        EndedBy::Nothing => "a send that no packet prompted",
        EndedBy::NewProbe => "a loss probe with new data",
        EndedBy::Retransmission(_) => "a retransmission",
        EndedBy::WindowProbe => "a window probe",
        EndedBy::Fin => "the FIN",
        EndedBy::StateChange => "a change of state",
        EndedBy::End => "the end of the capture",
    }
}

pub(super) fn queue(queue: QueueSign) -> &'static str {
    match queue {
        QueueSign::Dry => "a partial segment (queue dry)",
        QueueSign::Held => "a full segment without PSH (more queued)",
        QueueSign::Pushed => "a send of full segments with PSH",
        QueueSign::Written => "one full segment alone with PSH (a write's end)",
        QueueSign::Opening => "the SYN",
        QueueSign::Established => "no data yet",
        QueueSign::Probe => "a probe",
        QueueSign::Closing => "the FIN",
        QueueSign::Closed => "the acknowledged FIN",
    }
}

fn window(window: WindowSign) -> &'static str {
    match window {
        WindowSign::Zero => "window closed",
        WindowSign::Full => "window full",
        WindowSign::Near => "window nearly full",
        WindowSign::Open => "window open",
        WindowSign::Unknown => "window unknown",
    }
}

pub(super) fn batch(sign: Sign) -> Option<&'static str> {
    match sign.batch {
        BatchSign::No => None,
        BatchSign::PutOff => Some("more acknowledged than segmentation offload waits for"),
        BatchSign::Third => Some("a third of the flight or more acknowledged"),
    }
}

pub(super) fn pacing(sign: Sign) -> Option<&'static str> {
    match sign.pacing {
        PacingSign::Unknown => None,
        PacingSign::Step => Some("as long as a pacing timer would take"),
        PacingSign::Oversized => Some("a send too large for a pacing timer"),
        PacingSign::Overlong => Some("longer than a pacing timer would take"),
        PacingSign::Queued => Some(
            "made before the last ACK came, by its TSecr: the sending host's qdisc or line held it",
        ),
    }
}

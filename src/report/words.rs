//! The names that readers see, once for all texts.

use anstyle::{Ansi256Color, Color, Style};

use super::figures::{bytes, seconds};
use super::model::{
    Cause, Confidence, CongestionClass, FlowReport, Lifted, Limit, NextLimit, StallCause, Vantage,
};

/// `receiver window`.
pub(crate) fn limit(limit: Limit) -> &'static str {
    match limit {
        Limit::ReceiveWindow => "receiver window",
        Limit::SendBuffer => "send buffer",
        Limit::CongestionWindow => "congestion window",
        Limit::Application => "application",
        Limit::HandshakeClose => "opening, closing",
        Limit::CaptureGap => "not captured",
        Limit::Unknown => "unknown",
    }
}

/// The same where columns are few: at most eleven characters.
pub(super) fn limit_short(limit: Limit) -> &'static str {
    match limit {
        Limit::ReceiveWindow => "receiver",
        Limit::SendBuffer => "send buffer",
        Limit::CongestionWindow => "congestion",
        Limit::Application => "application",
        Limit::HandshakeClose => "open, close",
        Limit::CaptureGap => "capture gap",
        Limit::Unknown => "unknown",
    }
}

/// The letter of the timeline: what tells limits apart without colour.
pub(super) fn letter(limit: Limit) -> char {
    match limit {
        Limit::ReceiveWindow => 'R',
        Limit::SendBuffer => 'S',
        Limit::CongestionWindow => 'C',
        Limit::Application => 'A',
        Limit::HandshakeClose => 'H',
        Limit::CaptureGap => 'X',
        Limit::Unknown => '?',
    }
}

/// The nearest of the 256 terminal colours to a palette that colour-blind readers can tell apart
/// (Okabe and Ito); readable on black and on white.
pub(super) fn color(limit: Limit) -> Style {
    let number = match limit {
        Limit::ReceiveWindow => 166,
        Limit::SendBuffer => 172,
        Limit::CongestionWindow => 132,
        Limit::Application => 33,
        Limit::HandshakeClose | Limit::CaptureGap | Limit::Unknown => 245,
    };
    Style::new().fg_color(Some(Color::Ansi256(Ansi256Color(number))))
}

/// `slow start`.
pub(crate) fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::SlowStart => "slow start",
        Cause::Avoidance => "avoidance",
        Cause::Recovery => "loss recovery",
        Cause::RtoWait => "timeout",
        Cause::Pacing => "pacing",
        Cause::WindowFull => "window full",
        Cause::ZeroWindow => "window closed",
        Cause::WriterBlocked => "writer blocked",
        Cause::PacedAtBuffer => "paced at the buffer's size",
        Cause::Idle => "idle",
        Cause::Trickle => "slow writes",
        Cause::Nagle => "small writes (Nagle)",
    }
}

/// The verdict's sentence in two: the limit, of which the verdict is as sure as it says, and what is
/// remarked on the path, which has a confidence of its own; empty where nothing is.
pub(super) fn parted(flow: &FlowReport) -> (&str, &str) {
    let text = flow.verdict.text.as_str();
    let remark = flow.path.remark.as_deref();
    let limit = remark.and_then(|remark| text.strip_suffix(remark)?.strip_suffix("; "));
    text.split_at(limit.unwrap_or(text).len())
}

pub(super) fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

/// `captured at the sender`; `None` where the capture does not show it.
pub(super) fn vantage(vantage: Vantage) -> Option<&'static str> {
    match vantage {
        Vantage::Sender => Some("captured at the sender"),
        Vantage::Receiver => Some("captured at the receiver"),
        Vantage::Middle => Some("captured between sender and receiver"),
        Vantage::Unknown => None,
    }
}

/// Why nothing moved.
pub(crate) fn stall(cause: StallCause) -> &'static str {
    match cause {
        StallCause::SenderIdle => "nothing to send",
        StallCause::PeerIdle => "waiting for the other side",
        StallCause::ZeroWindow => "closed window",
        StallCause::RetransmissionLost => "retransmission lost",
        StallCause::HandshakeUnanswered => "SYN without an answer",
        StallCause::TailLoss => "tail loss",
        StallCause::SmallWindow => "loss with too little in flight",
        StallCause::ManyLost => "many lost at once",
        StallCause::LateAck => "late ACK",
        StallCause::CaptureGap => "not captured",
    }
}

/// What is thought away in a prediction.
pub(super) fn lifted(lifted: Lifted) -> &'static str {
    match lifted {
        Lifted::ReceiveWindow => "with a receive window that is never full",
        Lifted::SendBuffer => "with a larger send buffer",
        Lifted::Application => "with an application that always has data",
        Lifted::Loss => "without loss",
    }
}

/// What limits then.
pub(super) fn next_limit(next: NextLimit) -> &'static str {
    match next {
        NextLimit::Path => "then the path is full",
        NextLimit::ReceiveWindow => "then the receive window limits",
        NextLimit::SendBuffer => "then the send buffer limits",
        NextLimit::Application => "then the application limits",
        NextLimit::Loss => "then loss limits",
        NextLimit::Unknown => "the next limit is not known",
    }
}

/// `8.24 MB in 20.6 s`: what was acknowledged, which the goodput is of.
pub(super) fn amount(flow: &FlowReport) -> String {
    let octets = flow.acked_bytes().unwrap_or(flow.payload_bytes);
    format!("{} in {}", bytes(octets), seconds(flow.duration_s))
}

/// `11.7 MB sent`: what the packets carried, where that reads otherwise: some twice, some not acknowledged, some
/// not captured.
pub(super) fn carried(flow: &FlowReport) -> Option<String> {
    let (acked, carried) = (flow.acked_bytes()?, flow.payload_bytes);
    let how = if acked < carried { "sent" } else { "captured" };
    (bytes(acked) != bytes(carried)).then(|| format!("{} {how}", bytes(carried)))
}

/// An enum's value as the JSON has it.
pub(super) fn snake_case(value: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

/// `CUBIC`.
pub(crate) fn congestion(class: CongestionClass) -> &'static str {
    match class {
        CongestionClass::RenoLike => "Reno-like",
        CongestionClass::Cubic => "CUBIC",
        CongestionClass::Bbr => "BBR",
        CongestionClass::Bic => "BIC",
        CongestionClass::Htcp => "H-TCP",
        CongestionClass::Highspeed => "HighSpeed",
        CongestionClass::Scalable => "Scalable",
        CongestionClass::Illinois => "Illinois",
        CongestionClass::DelayBased => "delay-based",
        CongestionClass::Dctcp => "DCTCP",
        CongestionClass::Unknown => "unknown",
    }
}

/// The same for a law by the book.
pub(crate) fn law(class: CongestionClass) -> &'static str {
    if class == CongestionClass::RenoLike { "Reno" } else { congestion(class) }
}

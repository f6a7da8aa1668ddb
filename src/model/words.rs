//! The names that readers see, once for all texts.

use super::{
    Cause, Confidence, CongestionClass, Lifted, Limit, NextLimit, PathVerdict, StallCause, Vantage,
};

/// `receive window`.
pub(crate) fn limit(limit: Limit) -> &'static str {
    match limit {
        Limit::ReceiveWindow => "receive window",
        Limit::SendBuffer => "send buffer",
        Limit::CongestionWindow => "congestion window",
        Limit::Application => "application",
        Limit::HandshakeClose => "handshake, close",
        Limit::CaptureGap => "capture gap",
        Limit::Unknown => "unknown",
    }
}

/// The same where columns are few: at most eleven characters.
pub(crate) fn limit_short(limit: Limit) -> &'static str {
    match limit {
        Limit::ReceiveWindow => "recv window",
        Limit::SendBuffer => "send buffer",
        Limit::CongestionWindow => "congestion",
        Limit::Application => "application",
        Limit::HandshakeClose => "handshake",
        Limit::CaptureGap => "capture gap",
        Limit::Unknown => "unknown",
    }
}

/// `full and shared`.
pub(crate) fn path(path: PathVerdict) -> &'static str {
    match path {
        PathVerdict::BottleneckFull => "full",
        PathVerdict::Shared => "full and shared",
        PathVerdict::Policed => "policed",
        PathVerdict::Shaped => "shaped",
        PathVerdict::Lossy => "lossy",
        PathVerdict::AqmOrEcn => "full, AQM or ECN",
        PathVerdict::NotFull => "not full",
        PathVerdict::Unknown => "unknown",
    }
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
        Cause::WriterBlocked => "buffer full",
        Cause::BufferRefilled => "buffer refilled",
        Cause::PacedAtBuffer => "buffer full, paced",
        Cause::Idle => "idle",
        Cause::Trickle => "slow writes",
        Cause::Nagle => "small writes (Nagle)",
    }
}

pub(crate) fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

/// `captured at the sender`; `None` where the capture does not show it.
pub(crate) fn vantage(vantage: Vantage) -> Option<&'static str> {
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
        StallCause::HandshakeUnanswered => "SYN or SYN-ACK without an answer",
        StallCause::TailLoss => "tail loss",
        StallCause::SmallWindow => "loss with too little in flight",
        StallCause::ManyLost => "many lost at once",
        StallCause::LateAck => "late ACK",
        StallCause::CaptureGap => "capture gap",
    }
}

/// What is thought away in a prediction.
pub(crate) fn lifted(lifted: Lifted) -> &'static str {
    match lifted {
        Lifted::ReceiveWindow => "with a receive window that never fills",
        Lifted::SendBuffer => "with a larger send buffer",
        Lifted::Application => "with an application that always has data",
        Lifted::Loss => "without loss",
    }
}

/// What limits then.
pub(crate) fn next_limit(next: NextLimit) -> &'static str {
    match next {
        NextLimit::Path => "then the path is full",
        NextLimit::ReceiveWindow => "then the receive window limits",
        NextLimit::SendBuffer => "then the send buffer limits",
        NextLimit::Application => "then the application limits",
        NextLimit::Loss => "then loss limits",
        NextLimit::Unknown => "the next limit is not known",
    }
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

/// The same for a law in theory.
pub(crate) fn law(class: CongestionClass) -> &'static str {
    if class == CongestionClass::RenoLike { "Reno" } else { congestion(class) }
}

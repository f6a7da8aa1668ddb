//! The model's names, and what several renderers show alike.

use anstyle::{Ansi256Color, Color, Style};

use crate::model::figures::{bytes, micros, seconds};
pub(super) use crate::model::words::*;
use crate::model::{FlowReport, Limit, Rtt};

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

/// The verdict's sentence in two: the limit, of which the verdict is as sure as it says, and what is
/// remarked on the path, which has a confidence of its own; empty where nothing is.
pub(super) fn parted(flow: &FlowReport) -> (&str, &str) {
    let text = flow.verdict.text.as_str();
    let remark = flow.path.remark.as_deref();
    let limit = remark.and_then(|remark| text.strip_suffix(remark)?.strip_suffix("; "));
    text.split_at(limit.unwrap_or(text).len())
}

/// `RTT 20.1 ms (min 20.0 ms)`; what the capture's clock does not resolve is no figure.
pub(super) fn round_trip(rtt: &Rtt) -> String {
    if rtt.usual_us < 1.0 {
        return "RTT below the clock's tick".to_owned();
    }
    let usual = micros(rtt.usual_us);
    if rtt.min_us < 1.0 {
        return format!("RTT {usual}");
    }
    format!("RTT {usual} (min {})", micros(rtt.min_us))
}

/// `8.24 MB in 20.6 s`: what was acknowledged, which the goodput is of.
pub(super) fn amount(flow: &FlowReport) -> String {
    let octets = flow.acked_bytes.unwrap_or(flow.payload_bytes);
    format!("{} in {}", bytes(octets), seconds(flow.duration_s))
}

/// `11.7 MB sent`: what the packets carried, where that reads otherwise: some twice, some not acknowledged,
/// some not captured.
pub(super) fn carried(flow: &FlowReport) -> Option<String> {
    let (acked, carried) = (flow.acked_bytes?, flow.payload_bytes);
    if flow.is_unseen() {
        return Some("by the ACKs alone".to_owned());
    }
    let how = if acked < carried { "sent" } else { "captured" };
    (bytes(acked) != bytes(carried)).then(|| format!("{} {how}", bytes(carried)))
}

/// An enum's value as the JSON has it.
pub(super) fn snake_case(value: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;

    #[test]
    fn a_round_trip_is_told_as_far_as_the_clock_resolves_it() {
        let rtt = sample::report().flows[0].rtt.expect("has samples");
        assert_eq!(round_trip(&rtt), "RTT 228 ms (min 228 ms)");
        let coarse = Rtt { min_us: 0.0, ..rtt };
        assert_eq!(round_trip(&coarse), "RTT 228 ms");
        let within_a_tick = Rtt { usual_us: 0.0, ..coarse };
        assert_eq!(round_trip(&within_a_tick), "RTT below the clock's tick");
    }
}

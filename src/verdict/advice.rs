//! Which knob to turn.

use super::why::Facts;
use crate::limit::{Cause, Limit};
use crate::report::figures::bytes_f64;
use crate::report::{Advice, codes};

/// Remedies for `limit`, the most promising first.
pub(super) fn of(limit: Limit, cause: Option<Cause>, facts: &Facts) -> Vec<Advice> {
    let advice = |code, text: String| Advice { code, text };
    match (limit, cause) {
        (Limit::ReceiveWindow, Some(Cause::ZeroWindow)) => vec![advice(
            codes::READ_FASTER,
            "the receiving application does not read fast enough: look there first".to_owned(),
        )],
        (Limit::ReceiveWindow, _) => {
            vec![advice(codes::RAISE_RECEIVE_BUFFER, receive_buffer(facts))]
        }
        (Limit::SendBuffer, _) => vec![advice(
            codes::RAISE_SEND_BUFFER,
            "raise the sender's socket buffer. Linux: sysctl net.ipv4.tcp_wmem (third value); \
             application: do not set SO_SNDBUF"
                .to_owned(),
        )],
        (Limit::CongestionWindow, Some(Cause::SlowStart)) => vec![advice(
            codes::REUSE_CONNECTION,
            "the transfer is over before its window is open: reuse connections, or raise the \
             initial window (ip route ... initcwnd)"
                .to_owned(),
        )],
        (Limit::CongestionWindow, Some(Cause::Pacing)) => vec![advice(
            codes::PATH_IS_FULL,
            "the sender paces itself: look at its congestion control (BBR), the fq qdisc and \
             SO_MAX_PACING_RATE"
                .to_owned(),
        )],
        (Limit::CongestionWindow, _) => vec![advice(
            codes::FIND_LOSS,
            "no buffer will help: look for loss and for a full bottleneck on the path, then at \
             the sender's congestion control"
                .to_owned(),
        )],
        (Limit::Application, Some(Cause::Nagle)) => vec![advice(
            codes::NO_DELAY,
            "small writes wait for ACKs: set TCP_NODELAY, or write more at once".to_owned(),
        )],
        (Limit::Application, _) => vec![advice(
            codes::WRITE_FASTER,
            "TCP waits for the sending application: look at its disk, its CPU, its rate limit, or \
             at the requests it waits for"
                .to_owned(),
        )],
        (Limit::CaptureGap | Limit::Unknown, _) => vec![advice(
            codes::CAPTURE_AGAIN,
            "capture again: at the sender, both directions, from before the connection starts"
                .to_owned(),
        )],
        (Limit::HandshakeClose, _) => Vec::new(),
    }
}

fn receive_buffer(facts: &Facts) -> String {
    let rate = facts.goodput.zip(facts.srtt).map(|(goodput, srtt)| goodput * 2.0 * srtt / 8.0);
    let size = rate.map(|size| format!(" (twice this rate needs {})", bytes_f64(size)));
    format!(
        "raise the receiver's buffer{}. Linux: sysctl net.ipv4.tcp_rmem (third value); \
         application: do not set SO_RCVBUF",
        size.unwrap_or_default()
    )
}

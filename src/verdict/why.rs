//! The sentences of a verdict. Their numbers multiply out.

mod queueing;
mod window;

pub(super) use queueing::{QUEUED_MIN, usual_rtt};

use super::Findings;
use super::confidence::Headline;
use super::facts::Facts;
use super::large;
use super::shares::Shares;
use crate::limit::{Cause, Limit};
use crate::model::figures::{bytes_f64, counted, percent, rate, seconds};
use crate::model::{Confidence, POINT, words};
use crate::units::Duration;
use crate::vantage::HeldByHost;

/// The headline in one sentence, with what the path adds to it.
pub(super) fn headline(
    headline: Headline,
    shares: &Shares,
    facts: &Facts,
    remark: Option<&str>,
) -> String {
    let sentence = limit_in_words(headline, shares, facts);
    match remark {
        Some(remark) => format!("{sentence}; {remark}"),
        None => sentence,
    }
}

fn limit_in_words(headline: Headline, shares: &Shares, facts: &Facts) -> String {
    let likely = if headline.confidence == Confidence::Low { "probably " } else { "" };
    let share = percent(shares.with_hidden(headline.limit));
    // What the shares have under the congestion window is the named limit's doing, or another's.
    let pacing = match shares.with_hidden(headline.limit) - shares.of(headline.limit) {
        hidden if hidden > POINT => ", pacing included",
        hidden if hidden < -POINT => ", not counting pacing at a full buffer or window",
        _ => "",
    };
    let share = format!("{share} of the time{pacing}");
    match headline.limit {
        Limit::ReceiveWindow => {
            let slow = " (the receiving application reads slowly)";
            let reader = if facts.is_reader_slow { slow } else { "" };
            format!("{likely}the receive window limits this transfer{reader}: {share}")
        }
        Limit::SendBuffer => {
            format!("{likely}the send buffer limits this transfer: {share}")
        }
        Limit::CongestionWindow => {
            let cause = congestion(shares.main_cause(headline.limit));
            format!("{likely}the network limits this transfer ({cause}): {share}")
        }
        Limit::Application => {
            let lost = if facts.is_mostly_lost() {
                format!("; losses held it up for {} of it", percent(facts.lost_share()))
            } else {
                String::new()
            };
            format!("{likely}the application limits this transfer: {share}{lost}")
        }
        Limit::HandshakeClose => match facts.unopened {
            Some(unopened) => unopened.sentence(),
            None => "nothing but the handshake and the close was seen".to_owned(),
        },
        Limit::CaptureGap => "the capture lacks the packets that would show the limit".to_owned(),
        Limit::Unknown => "the limit cannot be told from this capture".to_owned(),
    }
}

fn congestion(cause: Option<Cause>) -> &'static str {
    match cause {
        Some(Cause::SlowStart) => "slow start",
        Some(Cause::Recovery) => "loss recovery",
        Some(Cause::RtoWait) => "retransmission timeouts",
        Some(Cause::Pacing) => "the sender's pacing",
        _ => "the congestion window",
    }
}

/// The numbers behind it.
pub(super) fn numbers(
    findings: &Findings,
    facts: &Facts,
    (limit, cause): (Limit, Option<Cause>),
) -> Vec<String> {
    let mut lines = match limit {
        Limit::ReceiveWindow if cause == Some(Cause::ZeroWindow) => window::closed(findings, facts),
        Limit::ReceiveWindow => window::full(findings, facts),
        Limit::SendBuffer => send_buffer(findings, facts, cause),
        Limit::CongestionWindow => congestion_window(findings, facts, cause),
        Limit::Application => application(findings, facts),
        Limit::HandshakeClose => Vec::new(),
        // There is no verdict that anything would be a reason for.
        Limit::CaptureGap | Limit::Unknown => return Vec::new(),
    };
    lines.extend(facts.too_large.map(large::reason));
    lines.extend(paced(findings, limit));
    lines.extend(queueing::of(findings, facts, limit));
    lines
}

/// The pacing beside a buffer or a window that sets its pace; `None` where it is less than what every share
/// is blurred by (one point).
fn paced(findings: &Findings, limit: Limit) -> Option<String> {
    let time = findings.ledger.hidden_behind(limit);
    if time <= point(findings) {
        return None;
    }
    let what = if limit == Limit::SendBuffer { "buffer" } else { "window" };
    Some(format!(
        "for another {}, the sender waited for its pacing timer, at the rate that the {what} let it measure: \
         the shares list this under congestion window, the verdict counts it as {limit}",
        seconds(time.as_secs_f64()),
        limit = words::limit(limit),
    ))
}

fn time_of(findings: &Findings, wanted: Cause) -> Duration {
    let times = findings.ledger.time.iter();
    times.filter(|((_, cause, _), _)| *cause == Some(wanted)).map(|(_, time)| time).sum()
}

/// What every share is blurred by, as time.
fn point(findings: &Findings) -> Duration {
    findings.ledger.total().mul_f64(POINT)
}

fn send_buffer(findings: &Findings, facts: &Facts, cause: Option<Cause>) -> Vec<String> {
    let measures = findings.ledger.measures.get(&Limit::SendBuffer).copied().unwrap_or_default();
    let what = match cause {
        Some(Cause::PacedAtBuffer) => {
            "pacing had drained the buffer, and the next send followed an ACK"
        }
        Some(Cause::BufferRefilled) => {
            "an ACK let out as much as it freed and never more, where a congestion window would have grown"
        }
        _ => {
            "ACKs arrived and nothing was sent, until one freed enough buffer to wake the application"
        }
    };
    let mut lines = vec![format!(
        "{} {what}, with the receive window open: {} in all",
        counted(measures.waits, "time"),
        seconds(measures.time.as_secs_f64()),
    )];
    if let Some(flight) = measures.flight_mean() {
        lines.push(format!(
            "each time about {} were in flight and nothing more was queued",
            bytes_f64(flight)
        ));
    }
    if let Some(flight) = findings.totals.flight_mean() {
        lines.extend(product("mean flight", flight, facts));
    }
    lines
}

fn congestion_window(findings: &Findings, facts: &Facts, cause: Option<Cause>) -> Vec<String> {
    let totals = &findings.totals;
    let mut lines = Vec::new();
    if let Some(flight) = totals.flight_mean() {
        // Where its scale is not known, nothing can be said of the window.
        let is_known = findings.totals.rwnd_mean().is_some();
        let window = if is_known { ", with the receive window open" } else { "" };
        lines.push(format!(
            "{}{window}: the sender had data waiting, {} in flight on average",
            clocked_by(cause, facts.held_by_host),
            bytes_f64(flight)
        ));
        lines.extend(product("flight", flight, facts));
    }
    if totals.retransmitted_segments > 0 {
        let recoveries = match totals.recoveries {
            1 => "1 fast recovery".to_owned(),
            many => format!("{many} fast recoveries"),
        };
        lines.push(format!(
            "{} retransmitted, in {recoveries} and {}",
            counted(totals.retransmitted_segments, "segment"),
            counted(totals.timeouts, "timeout"),
        ));
    }
    lines
}

/// What let data out while the congestion window was the limit.
fn clocked_by(cause: Option<Cause>, held: HeldByHost) -> &'static str {
    match cause {
        // Told by the growth itself where a late sender's sends do not follow the ACKs at once.
        Some(Cause::SlowStart) => "the bytes in flight grew each round trip",
        Some(Cause::Pacing) if held.is_shown() => {
            "a queue of the sending host set when segments left"
        }
        Some(Cause::Pacing) => "the sender's pacing timer set when segments left",
        Some(Cause::Recovery) => "losses were being repaired",
        Some(Cause::RtoWait) => "the sender waited for its retransmission timer",
        _ => "each ACK let new data out at once",
    }
}

fn application(findings: &Findings, facts: &Facts) -> Vec<String> {
    let measures = findings.ledger.measures.get(&Limit::Application).copied().unwrap_or_default();
    let held = time_of(findings, Cause::Nagle);
    let mut lines = match measures.waits {
        _ if held > point(findings) => {
            held_back(held, measures.time.saturating_sub(held), point(findings))
        }
        0 if facts.smss == 0 => vec!["no payload of it is in the capture".to_owned()],
        0 => vec!["all that it sent went out at once".to_owned()],
        waits => vec![format!(
            "{} the sender had nothing (more) to send, with the window open: {} in all",
            counted(waits, "time"),
            seconds(measures.time.as_secs_f64()),
        )],
    };
    if facts.lost_share() >= POINT {
        lines.push(format!(
            "for {} nothing moved until lost segments were retransmitted",
            seconds(facts.lost_s)
        ));
    }
    lines
}

/// What a short segment waited for ACKs, and the rest, if that is worth a line.
fn held_back(held: Duration, rest: Duration, least: Duration) -> Vec<String> {
    let mut lines = vec![format!(
        "for {} a partial segment was held back until an ACK came (Nagle's algorithm)",
        seconds(held.as_secs_f64())
    )];
    if rest > least {
        lines.push(format!(
            "for another {} the sender had nothing (more) to send, with the window open",
            seconds(rest.as_secs_f64())
        ));
    }
    lines
}

/// The resolution of most captures, seconds: a shorter RTT is rounding.
const RTT_MIN: f64 = 1e-6;

/// A product that is further from the rate seen is no reason for it: what it multiplies was not there all of
/// the time. (Of 185 captured flows that one limit held for four fifths of their time, 182 lie within.)
const PRODUCT_MAX: f64 = 2.0;

/// `window / RTT = rate`, and the rate seen; `None` where they are far apart.
fn product(what: &str, window: f64, facts: &Facts) -> Option<String> {
    let srtt = facts.srtt.filter(|srtt| *srtt >= RTT_MIN)?;
    let found = window * 8.0 / srtt;
    if facts
        .goodput
        .is_some_and(|goodput| found > PRODUCT_MAX * goodput || goodput > PRODUCT_MAX * found)
    {
        return None;
    }
    let goodput = facts.goodput.map(|goodput| format!("; goodput {}", rate(goodput)));
    Some(format!(
        "{what} / RTT = {} / {} = {}{}",
        bytes_f64(window),
        seconds(srtt),
        rate(found),
        goodput.unwrap_or_default()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::Ledger;

    /// The window is full for four seconds of ten, and sets the pace of the others.
    #[test]
    fn a_share_that_counts_pacing_says_so() {
        let text = |hidden_ms| {
            let mut ledger = Ledger::default();
            let [full, paced, hidden] = [4000, 6000, hidden_ms].map(Duration::from_millis);
            ledger.time.insert((Limit::ReceiveWindow, Some(Cause::WindowFull), None), full);
            ledger.time.insert((Limit::CongestionWindow, Some(Cause::Pacing), None), paced);
            ledger.hidden.insert((Limit::ReceiveWindow, None), hidden);
            let shares = Shares::new(&ledger, ledger.total(), (Limit::HandshakeClose, None), None);
            let (limit, confidence) = (Limit::ReceiveWindow, Confidence::High);
            let named = Headline { limit, runner_up: None, is_order_open: false, confidence };
            headline(named, &shares, &Facts::sample(), None)
        };
        assert!(text(6000).ends_with(": 100 % of the time, pacing included"), "{}", text(6000));
        // Less than every share is blurred by.
        assert!(text(50).ends_with(" % of the time"), "{}", text(50));
    }

    /// Slow start is told by doublings, too, where no send follows its ACK at once.
    #[test]
    fn only_what_acks_release_is_told_to_follow_them() {
        assert!(clocked_by(Some(Cause::Avoidance), HeldByHost::default()).contains("ACK"));
        for cause in [Cause::SlowStart, Cause::Pacing, Cause::Recovery, Cause::RtoWait] {
            assert!(!clocked_by(Some(cause), HeldByHost::default()).contains("ACK"), "{cause:?}");
        }
    }

    #[test]
    fn what_waited_for_acks_is_not_nothing_to_send() {
        let ms = Duration::from_millis;
        let lines = held_back(ms(6650), ms(3350), ms(100));
        assert!(lines[0].starts_with("for 6.65 s a partial segment was held back"), "{lines:?}");
        assert!(lines[1].starts_with("for another 3.35 s the sender had nothing"), "{lines:?}");
        assert_eq!(held_back(ms(6650), ms(50), ms(100)).len(), 1);
    }
}

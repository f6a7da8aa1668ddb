//! By which numbers is it the receive window? Full, or closed.

use super::{Facts, Findings, point, product, time_of};
use crate::limit::{Cause, Limit};
use crate::model::figures::{bytes_f64, seconds};
use crate::units::Duration;
use crate::verdict::shares::SHARE_MIN;

pub(super) fn full(findings: &Findings, facts: &Facts) -> Vec<String> {
    let measures = findings.ledger.measures.get(&Limit::ReceiveWindow).copied().unwrap_or_default();
    let closed = time_of(findings, Cause::ZeroWindow);
    let mut lines = Vec::new();
    if is_often(closed, findings.ledger.total()) {
        lines.extend(full_and_closed(measures.time.saturating_sub(closed), closed, facts.smss));
        lines.extend(slow_reader(findings, facts));
    } else if let Some(wnd) = measures.wnd_mean() {
        lines.push(format!(
            "bytes in flight stayed within one segment ({} B) of the advertised window ({}) for {}",
            facts.smss,
            bytes_f64(wnd),
            seconds(measures.time.as_secs_f64()),
        ));
        lines.extend(product("window", wnd, facts));
        lines.extend(slow_reader(findings, facts));
    }
    lines
}

fn is_often(part: Duration, whole: Duration) -> bool {
    part > whole.mul_f64(SHARE_MIN)
}

/// The mean of a window that was often closed is none that it ever had, and sets no rate.
fn full_and_closed(full: Duration, closed: Duration, smss: u64) -> [String; 2] {
    let [full, closed] = [full, closed].map(|time| seconds(time.as_secs_f64()));
    [
        format!(
            "bytes in flight stayed within one segment ({smss} B) of the advertised window for {full}"
        ),
        format!("for another {closed}, the receiver left less than one segment of its window open"),
    ]
}

/// A closed window sets no rate: its mean over the RTT would be a number that nobody saw.
pub(super) fn closed(findings: &Findings, facts: &Facts) -> Vec<String> {
    let mut lines = vec![format!(
        "the receiver left less than one segment ({} B) of its window open for {}",
        facts.smss,
        seconds(time_of(findings, Cause::ZeroWindow).as_secs_f64()),
    )];
    let full = time_of(findings, Cause::WindowFull);
    if full > point(findings) {
        lines.push(format!(
            "for another {}, bytes in flight filled the part that was open",
            seconds(full.as_secs_f64())
        ));
    }
    lines.extend(slow_reader(findings, facts));
    lines
}

fn slow_reader(findings: &Findings, facts: &Facts) -> Option<String> {
    let max = bytes_f64(findings.window.max().unwrap_or_default().as_f64());
    let unread = "the rest of it held data that the receiving application had not read yet";
    facts.is_reader_slow.then(|| format!("the window was {max} at its largest; {unread}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 59.4 kB / 57.6 ms = 8.24 Mbit/s stood beside a goodput of 9.47 Mbit/s.
    #[test]
    fn no_rate_is_made_of_a_window_that_was_often_closed() {
        let ms = Duration::from_millis;
        assert!(is_often(ms(3740), ms(8300)) && !is_often(ms(150), ms(8300)));
        let lines = full_and_closed(ms(4050), ms(3740), 1448);
        assert!(lines[0].ends_with("of the advertised window for 4.05 s"), "{lines:?}");
        assert!(lines[1].starts_with("for another 3.74 s, the receiver left"), "{lines:?}");
    }
}

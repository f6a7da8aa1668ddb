//! The congestion control, and what a loss costs it.

use std::io;

use super::super::figures::{bytes_f64, count, counted, percent, rate, seconds};
use super::super::model::{
    CongestionClass, CongestionControl, FlowReport, Limit, LossRecovery, UnknownReason,
};
use super::super::page::Page;
use super::super::words;

/// Two passages at most.
pub(super) fn write(flow: &FlowReport, page: &mut Page) -> io::Result<()> {
    if let Some(control) = &flow.congestion_control {
        if let Some(text) = told(control) {
            page.field("  cc    ", &text)?;
        }
    }
    let Some(recovery) = &flow.recovery else { return Ok(()) };
    // BBR's window follows none of these laws.
    let class = flow.congestion_control.as_ref().map(|control| control.class);
    let is_limited = flow.verdict.limit == Limit::CongestionWindow;
    if !is_limited || recovery.losses_count == 0 || class == Some(CongestionClass::Bbr) {
        return Ok(());
    }
    page.field("  cost  ", &regained(recovery))?;
    sustained(flow, recovery).map_or(Ok(()), |text| page.field("  book  ", &text))
}

/// `cubic (0.7 of the window is left after a loss; 5 epochs)`.
fn told(control: &CongestionControl) -> Option<String> {
    let left = control
        .back_off_factor
        .map(|left| format!("{left:.2} of the window is left after a back-off; "))
        .unwrap_or_default();
    let epochs = counted(control.epochs_used as u64, "epoch");
    let others: Vec<&str> =
        control.candidates.iter().skip(1).map(|class| words::congestion(*class)).collect();
    let others = match others.as_slice() {
        [] => String::new(),
        names => format!("; here it cannot be told from {}", names.join(", ")),
    };
    match (control.class, control.unknown_reason) {
        (CongestionClass::Unknown, Some(UnknownReason::NoLawFits)) => {
            Some(format!("unknown: its window follows no law known here ({left}{epochs})"))
        }
        (CongestionClass::Unknown, _) => None,
        (class, _) => Some(format!("{} ({left}{epochs}){others}", words::congestion(class))),
    }
}

/// `after a loss 3 of 5 times the window of 160 kB (110 segments) came back, in 2.4 s, 53 round
/// trips; by the book Reno takes 55 (2.5 s), ...`.
fn regained(recovery: &LossRecovery) -> String {
    let window = format!(
        "{} ({})",
        bytes_f64(recovery.window_bytes),
        counted(whole(recovery.window_segments), "segment")
    );
    let seen = match (recovery.regained_s, recovery.regained_rounds) {
        (Some(time), Some(rounds)) => format!(
            "the window before a loss, {window}, came back {} of {} times, after {} ({})",
            recovery.regained_count,
            recovery.losses_count,
            seconds(time),
            counted(whole(rounds), "round trip"),
        ),
        _ => format!("the window before a loss, {window}, never came back before the next"),
    };
    let predicted = recovery.predicted.iter().map(|one| (one.law, seconds(one.time_s)));
    format!("{seen}; by the book: {}", by_value(predicted))
}

/// `Reno, HighSpeed 598 ms, CUBIC 678 ms`: laws that come to the same stand together.
fn by_value(laws: impl Iterator<Item = (CongestionClass, String)>) -> String {
    let mut groups: Vec<(String, String)> = Vec::new();
    for (law, value) in laws {
        let name = words::law(law);
        match groups.iter_mut().find(|(_, other)| *other == value) {
            Some((names, _)) => *names = format!("{names}, {name}"),
            None => groups.push((name.to_owned(), value)),
        }
    }
    let groups: Vec<String> =
        groups.iter().map(|(names, value)| format!("{names} {value}")).collect();
    groups.join(", ")
}

/// Why a large window is slow with so many losses.
fn sustained(flow: &FlowReport, recovery: &LossRecovery) -> Option<String> {
    let loss_rate = recovery.loss_rate?;
    let allowed = recovery
        .sustained
        .iter()
        .map(|one| (one.law, format!("{} ({})", bytes_f64(one.window_bytes), rate(one.rate_bps))));
    let most = flow
        .rwnd_mean_bytes
        .map(|window| format!(", though the receiver offers {}", bytes_f64(window)));
    Some(format!(
        "one loss in {} segments ({}) allows on average, at {} round trip and if nothing else is in \
         the way: {}{}",
        count(whole(1.0 / loss_rate)),
        percent(loss_rate),
        seconds(recovery.rtt_us / 1e6),
        by_value(allowed),
        most.unwrap_or_default()
    ))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count of segments or rounds, shown rounded; saturates"
)]
fn whole(value: f64) -> u64 {
    value.round() as u64
}

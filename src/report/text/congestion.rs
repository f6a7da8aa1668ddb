//! The congestion control, and what a loss costs it.

use std::io;

use super::super::page::Page;
use super::super::table::{Align, Table};
use super::super::words;
use crate::model::figures::{bytes_f64, counted, instant, percent, rate, seconds};
use crate::model::{
    BackOff, ClassBasis, CongestionClass, CongestionControl, CongestionEpoch, FlowReport, Limit,
    LossRecovery, UnknownReason,
};

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
    sustained(flow, recovery).map_or(Ok(()), |text| page.field("  model ", &text))
}

/// The epochs that the name rests on, for an explanation.
pub(super) fn write_epochs(flow: &FlowReport, page: &mut Page) -> io::Result<()> {
    let Some(control) = &flow.congestion_control else { return Ok(()) };
    let used: Vec<&CongestionEpoch> = control.epochs.iter().filter(|epoch| epoch.is_used).collect();
    let Some(text) = told(control) else { return Ok(()) };
    page.field("  cc     ", &text)?;
    if used.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&EPOCH_COLUMNS);
    let heading = ["", "from", "after", "window", "left", "grew to", "per RTT", "law (off by)"];
    table.row(heading.map(str::to_owned));
    for epoch in used.iter().take(EPOCHS_SHOWN) {
        table.row(epoch_row(epoch));
    }
    for line in table.lines(page.width()) {
        page.line(&line)?;
    }
    match used.len().saturating_sub(EPOCHS_SHOWN) {
        0 => Ok(()),
        more => page.line(&format!("         and {more} more in the JSON")),
    }
}

const EPOCH_COLUMNS: [Align; 8] = [
    Align::Left,
    Align::Right,
    Align::Left,
    Align::Right,
    Align::Right,
    Align::Right,
    Align::Right,
    Align::Left,
];

/// More say the same again.
const EPOCHS_SHOWN: usize = 12;

fn epoch_row(epoch: &CongestionEpoch) -> [String; 8] {
    let after = match epoch.after {
        BackOff::SlowStart => "slow start",
        BackOff::Loss => "loss",
        BackOff::Timeout => "timeout",
        BackOff::Ecn => "mark",
    };
    let law = epoch.law.zip(epoch.misfit);
    [
        "       ".to_owned(),
        instant(epoch.start_s, epoch.end_s - epoch.start_s),
        after.to_owned(),
        epoch.window_before_bytes.map(bytes_f64).unwrap_or_default(),
        bytes_f64(epoch.window_start_bytes),
        bytes_f64(epoch.window_end_bytes),
        epoch.growth_segments_per_round.map(|grown| format!("{grown:+.2}")).unwrap_or_default(),
        law.map(|(law, misfit)| format!("{} ({misfit:.1})", words::law(law))).unwrap_or_default(),
    ]
}

/// 2.885 rounded, as the kernel has it (`bbr_high_gain`).
const OPENING: &str = "it opens at BBR's own pace, 2.89 initial windows per RTT";

/// `CUBIC (a back-off leaves 0.69 of the window; 5 epochs); here it cannot be told from H-TCP`.
fn told(control: &CongestionControl) -> Option<String> {
    let left = control
        .back_off_factor
        .map(|left| format!("a back-off leaves {left:.2} of the window; "))
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
            Some(format!("unknown: its window grows by no known rule ({left}{epochs})"))
        }
        (CongestionClass::Unknown, Some(UnknownReason::MostFit)) => Some(format!(
            "unknown: with windows this small most algorithms behave alike ({left}{epochs})"
        )),
        (CongestionClass::Unknown, _) => None,
        (class, _) if control.basis == Some(ClassBasis::Opening) => {
            Some(format!("{} ({OPENING})", words::congestion(class)))
        }
        (class, _) => Some(format!("{} ({left}{epochs}){others}", words::congestion(class))),
    }
}

/// `the window regained what it had before a loss, 42.0 kB (29 segments), 1 of 5 times, after 578 ms (14
/// round trips); in theory: Reno, HighSpeed 598 ms, CUBIC 678 ms, Scalable 150 ms`.
fn regained(recovery: &LossRecovery) -> String {
    let window = format!(
        "{} ({})",
        bytes_f64(recovery.window_bytes),
        counted(whole(recovery.window_segments), "segment")
    );
    let seen = match (recovery.regained_s, recovery.regained_rounds) {
        (Some(time), Some(rounds)) => format!(
            "the window regained what it had before {}, after {} ({})",
            regained_of(recovery, &window),
            seconds(time),
            round_trips(rounds),
        ),
        _ => format!(
            "the window never regained what it had before a loss, {window}, before the next"
        ),
    };
    let predicted = recovery.predicted.iter().map(|one| (one.law, seconds(one.time_s)));
    format!("{seen}; in theory: {}", by_value(predicted))
}

/// `a loss, 42.0 kB (29 segments), 1 of 5 times`.
fn regained_of(recovery: &LossRecovery, window: &str) -> String {
    match (recovery.regained_count, recovery.losses_count) {
        (1, 1) => format!("its one loss, {window}"),
        (2, 2) => format!("a loss, {window}, both times"),
        (some, all) if some == all => format!("a loss, {window}, all {all} times"),
        (some, all) => format!("a loss, {window}, {some} of {all} times"),
    }
}

fn round_trips(rounds: f64) -> String {
    match whole(rounds) {
        0 => "less than a round trip".to_owned(),
        rounds => counted(rounds, "round trip"),
    }
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
    let most =
        flow.rwnd_mean_bytes.map(|window| format!("; the receiver offers {}", bytes_f64(window)));
    Some(format!(
        "one loss event in {} ({}) at an RTT of {} and nothing else in the way allows on average: \
         {}{}",
        counted(whole(1.0 / loss_rate), "segment"),
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

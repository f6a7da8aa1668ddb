//! Why each interval got its name, with the frames to look at.

use std::io::{self, Write};

use super::super::page::Page;
use super::super::words;
use super::{BOLD, TextOptions, congestion, name_of, path, what_if};
use crate::model::figures::{bytes, bytes_f64, count, counted, instant, seconds};
use crate::model::{
    ExplainedInterval, ExplainedWait, Explanation, FlowReport, OpenedBy, ZeroWindow,
};
use crate::units::as_f64;

/// Writes an explanation for a reader at a terminal.
///
/// # Errors
/// If `out` fails.
pub fn write_explanation(
    explanation: &Explanation,
    options: TextOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let page = &mut Page::new(out, options.width, options.has_color);
    let flow = &explanation.flow;
    let vantage = words::vantage(flow.vantage).map(|place| format!(", {place}"));
    let title = format!("{}, stream {}{}", name_of(flow), flow.stream, vantage.unwrap_or_default());
    page.ends(&title, "", BOLD)?;
    let (limit, remark) = words::parted(flow);
    let confidence = words::confidence(flow.verdict.confidence);
    page.field("  ", &format!("{limit}, confidence {confidence}{remark}"))?;
    if explanation.at_s.is_none() {
        path::write(flow, "  path   ", page)?;
        congestion::write_epochs(flow, page)?;
        what_if::write(flow, "  if     ", page)?;
    }
    for interval in &explanation.intervals {
        page.line("")?;
        write_interval(interval, explanation, page)?;
    }
    if explanation.intervals_left_out > 0 {
        let text = format!(
            "{}, {} in all, left out: --all shows each, --at SECONDS the one at that time",
            counted(explanation.intervals_left_out, "shorter interval"),
            seconds(explanation.time_left_out_s)
        );
        page.line("")?;
        page.field("  note   ", &text)?;
    }
    if explanation.records_left_out > 0 {
        let left_out = count(explanation.records_left_out);
        page.field("  note   ", &format!("{left_out} waits at the end were not kept"))?;
    }
    if explanation.intervals.is_empty() {
        page.field("  note   ", &nothing_to_explain(flow))?;
    }
    Ok(())
}

/// Why no interval is shown.
fn nothing_to_explain(flow: &FlowReport) -> String {
    if flow.intervals.is_empty() {
        return "all packets have one time: there is no interval to explain".to_owned();
    }
    format!("the flow has no interval at that time: it ends at {}", seconds(flow.duration_s))
}

fn write_interval(
    explained: &ExplainedInterval,
    explanation: &Explanation,
    page: &mut Page,
) -> io::Result<()> {
    let (interval, flow) = (&explained.interval, &explanation.flow);
    let length = interval.end_s - interval.start_s;
    let cause =
        interval.cause.map_or_else(String::new, |cause| format!(", {}", words::cause(cause)));
    let title = format!(
        "{} to {}: {}{cause}",
        instant(interval.start_s, length),
        instant(interval.end_s, length),
        words::limit(interval.limit)
    );
    page.ends(&title, &seconds(length), BOLD)?;
    page.field("  test   ", &explained.fired)?;
    write_list("facts", &explained.facts, page)?;
    write_list("nearly", &explained.nearly, page)?;
    if let Some(loss) = interval.loss_episode.and_then(|index| flow.episodes.losses.get(index)) {
        let text = format!(
            "after the loss at {} (frame {}, {} retransmitted)",
            instant(loss.start_s, length),
            loss.first_frame,
            count(loss.segments)
        );
        page.field("  loss   ", &text)?;
    }
    let closed = explained.zero_windows.iter().filter_map(|at| flow.episodes.zero_windows.get(*at));
    write_list("closed", &closed.map(zero_window).collect::<Vec<_>>(), page)?;
    write_list("around", &explained.tallies, page)?;
    let filter = format!(
        "tcp.stream == {} && frame.number >= {} && frame.number <= {}",
        flow.stream, interval.first_frame, interval.last_frame
    );
    page.line(&format!("  show   {filter}"))?;
    if explained.waits_before > 0 {
        page.line(&format!("    after {}", counted(explained.waits_before, "other wait")))?;
    }
    write_waits(&explained.waits, explanation.at_s, page)?;
    let more = explained.waits_left_out.saturating_sub(explained.waits_before);
    if !explained.waits.is_empty() && more > 0 {
        page.line(&format!("    and {}", counted(more, "more wait")))?;
    }
    Ok(())
}

fn zero_window(window: &ZeroWindow) -> String {
    let opened = match window.opened_by {
        OpenedBy::WindowUpdate => "opened by a window update",
        OpenedBy::ProbeAnswer => "opened by the answer to a probe",
        OpenedBy::Nothing => "not opened again",
    };
    format!(
        "the window at {} for {} (frames {} to {}), {opened}, {}",
        instant(window.start_s, window.end_s - window.start_s),
        seconds(window.end_s - window.start_s),
        window.first_frame,
        window.last_frame,
        counted(window.probes, "probe")
    )
}

/// Waits below what was seen of them, which is said once of those that follow upon each other; of many, how
/// far they go. The one at the time that was asked for stands alone.
fn write_waits(waits: &[ExplainedWait], at_s: Option<f64>, page: &mut Page) -> io::Result<()> {
    let asked = waits.iter().rposition(|wait| at_s.is_some_and(|at_s| wait.start_s <= at_s));
    let numbered: Vec<(usize, &ExplainedWait)> = waits.iter().enumerate().collect();
    let is_alike = |(_, a): &(usize, &ExplainedWait), (_, b): &(usize, &ExplainedWait)| {
        (&a.signs, &a.ruling) == (&b.signs, &b.ruling)
    };
    for alike in numbered.chunk_by(is_alike) {
        if let Some((_, ExplainedWait { signs, ruling, .. })) = alike.first() {
            page.field("    ", &format!("{signs}: {ruling}"))?;
        }
        let is_asked = |number: usize| Some(number) == asked;
        for run in alike.chunk_by(|(a, _), (b, _)| !is_asked(*a) && !is_asked(*b)) {
            let is_asked = run.first().is_some_and(|(number, _)| is_asked(*number));
            write_run(&run.iter().map(|(_, wait)| *wait).collect::<Vec<_>>(), is_asked, page)?;
        }
    }
    Ok(())
}

/// Waits that are listed one by one; more are told together.
const LISTED_MAX: usize = 2;

fn write_run(run: &[&ExplainedWait], is_asked: bool, page: &mut Page) -> io::Result<()> {
    let mark = if is_asked { "→" } else { " " };
    match run {
        [first, .., last] if run.len() > LISTED_MAX => {
            page.line(&format!("    {mark} {}", together(run, first, last)))
        }
        _ => run.iter().try_for_each(|wait| page.line(&format!("    {mark} {}", alone(wait)))),
    }
}

fn alone(wait: &ExplainedWait) -> String {
    let times = if wait.count > 1 { format!(" ({} alike)", wait.count) } else { String::new() };
    format!(
        "{} for {}{times}, frames {} to {}, {} in flight",
        instant(wait.start_s, wait.duration_s),
        seconds(wait.duration_s),
        wait.first_frame,
        wait.last_frame,
        bytes(wait.flight_bytes)
    )
}

/// `0.324 s to 0.974 s: 20 waits of 32.5 ms, frames 94 to 271, 10.2 kB in flight`.
fn together(run: &[&ExplainedWait], first: &ExplainedWait, last: &ExplainedWait) -> String {
    let end_s = last.start_s + last.duration_s;
    let length = end_s - first.start_s;
    let waits = run.iter().map(|wait| u64::from(wait.count)).sum();
    let durations = run.iter().map(|wait| wait.duration_s / f64::from(wait.count.max(1)));
    let flights = run.iter().map(|wait| as_f64(wait.flight_bytes));
    format!(
        "{} to {}: {} of {}, frames {} to {}, {} in flight",
        instant(first.start_s, length),
        instant(end_s, length),
        counted(waits, "wait"),
        range(durations, seconds),
        first.first_frame,
        last.last_frame,
        range(flights, bytes_f64)
    )
}

/// `1 ms to 2 ms`; one of them where they read the same.
fn range(values: impl Iterator<Item = f64> + Clone, written: fn(f64) -> String) -> String {
    let low = written(values.clone().fold(f64::INFINITY, f64::min));
    let high = written(values.fold(0.0, f64::max));
    if low == high { low } else { format!("{low} to {high}") }
}

/// The label stands once, before the first of `items`.
fn write_list(label: &str, items: &[String], page: &mut Page) -> io::Result<()> {
    let mut label = label;
    for item in items {
        page.field(&format!("  {label:<7}"), item)?;
        label = "";
    }
    Ok(())
}

//! What happened in the course of a flow: its congestion window, losses, stalls, closed windows.

use std::collections::BTreeMap;
use std::io;

use super::super::page::Page;
use super::super::words;
use crate::model::figures::{bytes, bytes_f64, count, counted, instant, percent, seconds};
use crate::model::{
    Cwnd, Episodes, FlowReport, OpenedBy, ReceiveBuffer, SendBuffer, SlowStartExitCause, Stall,
    Vantage, WindowGrowth, codes,
};

/// A line for each thing that there is to tell.
pub(super) fn write(flow: &FlowReport, page: &mut Page) -> io::Result<()> {
    if let Some(buffer) = &flow.send_buffer {
        page.field("  sbuf  ", &send_buffer(buffer))?;
    }
    if let Some(buffer) = &flow.receive_buffer {
        page.field("  rbuf  ", &receive_buffer(buffer))?;
    }
    if let Some(cwnd) = &flow.cwnd {
        page.field("  cwnd  ", &congestion_window(cwnd))?;
    }
    page.field("  loss  ", &losses(flow))?;
    let episodes = &flow.episodes;
    if episodes.stalls_count > 0 {
        page.field("  stall ", &stalls(episodes))?;
    }
    if episodes.zero_windows_count > 0 {
        page.field("  zero  ", &zero_windows(episodes))?;
    }
    let artefacts = artefacts(flow);
    if !artefacts.is_empty() {
        page.field("  also  ", &artefacts)?;
    }
    Ok(())
}

fn send_buffer(buffer: &SendBuffer) -> String {
    // Linux looks at the buffer before it begins another 64 kB of a write, not within.
    let is_over = buffer.held_bytes > buffer.size_high_bytes;
    let over = if is_over { "; large writes go over it" } else { "" };
    format!(
        "{} in flight when it was full: a send buffer of {} to {} with its overhead (estimated; twice \
         SO_SNDBUF{over})",
        bytes_f64(buffer.held_bytes),
        bytes_f64(buffer.size_low_bytes),
        bytes_f64(buffer.size_high_bytes)
    )
}

fn receive_buffer(buffer: &ReceiveBuffer) -> String {
    let growth = match buffer.growth {
        WindowGrowth::Fixed => "never grew much: a fixed buffer",
        WindowGrowth::Capped => "grew up to a bound: a buffer",
        WindowGrowth::Growing => "was still growing: a buffer so far",
    };
    let drained = if buffer.is_drained_slowly { "; data waited in it unread" } else { "" };
    format!(
        "the window reached {} and {growth} of {} to {} (estimated; twice SO_RCVBUF){drained}",
        bytes(buffer.window_max_bytes),
        bytes_f64(buffer.size_low_bytes),
        bytes_f64(buffer.size_high_bytes)
    )
}

/// `3 stalls, 1.20 s in all: 2 × tail loss, 1 × late ACK; the longest lasted 800 ms, from 3.10 s on (frames
/// 70 to 71)`.
fn stalls(episodes: &Episodes) -> String {
    let mut by_cause: BTreeMap<_, u64> = BTreeMap::new();
    for stall in &episodes.stalls {
        let number = by_cause.entry(stall.cause).or_default();
        *number = number.saturating_add(1);
    }
    let causes: Vec<String> = by_cause
        .iter()
        .map(|(cause, number)| format!("{} × {}", count(*number), words::stall(*cause)))
        .collect();
    let length = |stall: &Stall| stall.end_s - stall.start_s;
    let longest = episodes.stalls.iter().max_by(|a, b| length(a).total_cmp(&length(b)));
    let of = of_the_longest(episodes.stalls.len(), episodes.stalls_count);
    let longest = longest.map(|stall| {
        format!(
            "; the longest {}, from {} on (frames {} to {})",
            seconds(length(stall)),
            instant(stall.start_s, length(stall)),
            stall.first_frame,
            stall.last_frame
        )
    });
    format!(
        "{}, {} in all{of}: {}{}",
        counted(episodes.stalls_count, "stall"),
        seconds(episodes.stalls_time_s),
        causes.join(", "),
        longest.unwrap_or_default()
    )
}

/// Says how many are listed, where that is not all.
fn of_the_longest(listed: usize, all: u64) -> String {
    let listed = listed as u64;
    if listed < all { format!(", of the longest {}", count(listed)) } else { String::new() }
}

fn zero_windows(episodes: &Episodes) -> String {
    let opened = |by| {
        let windows = episodes.zero_windows.iter();
        windows.filter(|window| window.opened_by == by).count() as u64
    };
    let how = listed(&[
        (opened(OpenedBy::WindowUpdate), "by a window update (the application had read)"),
        (opened(OpenedBy::ProbeAnswer), "by the answer to a probe"),
    ]);
    let is_shut = episodes.zero_windows.iter().all(|window| window.window_min_bytes == 0);
    let did =
        if is_shut { "closed its window" } else { "left less than a segment of its window open" };
    let mut parts = vec![format!(
        "the receiver {did} {}, {} in all",
        times(episodes.zero_windows_count),
        seconds(episodes.zero_windows_time_s),
    )];
    if !how.is_empty() {
        let of = of_the_longest(episodes.zero_windows.len(), episodes.zero_windows_count);
        parts.push(format!("reopened{of}: {how}"));
    }
    if opened(OpenedBy::Nothing) > 0 {
        // Only the last one can be left so.
        let which = if episodes.zero_windows_count == 1 { "it" } else { "the last time it" };
        parts.push(format!("{which} stayed closed"));
    }
    parts.join("; ")
}

fn times(number: u64) -> String {
    if number == 1 { "once".to_owned() } else { counted(number, "time") }
}

fn congestion_window(cwnd: &Cwnd) -> String {
    let known = || cwnd.series.iter().filter_map(|point| point.best_bytes);
    let range = match (known().min(), known().max()) {
        (Some(least), Some(most)) if least < most => {
            format!("{} to {}", bytes(least), bytes(most))
        }
        (_, most) => bytes(most.unwrap_or_default()),
    };
    let cause = match cwnd.slow_start_exit_cause {
        Some(SlowStartExitCause::Loss) => " with a loss",
        Some(SlowStartExitCause::Ecn) => " with a congestion mark",
        Some(SlowStartExitCause::GrowthEnded) => ", without a loss",
        None => "",
    };
    let slow_start = cwnd.slow_start_exit_s.map_or_else(
        || "slow start has not ended".to_owned(),
        |exit| format!("slow start ended after {}{cause}", seconds(exit)),
    );
    format!("{range} while it was the limit (estimated); {slow_start}")
}

fn losses(flow: &FlowReport) -> String {
    if flow.is_unseen() {
        return "what was sent is not in the capture".to_owned();
    }
    let sums = &flow.retransmissions;
    let probes = match sums.loss_probes_of_new_data {
        0 => String::new(),
        probes => format!("; {} with new data", counted(probes, "tail loss probe")),
    };
    if flow.retransmitted_segments == 0 {
        return format!("no retransmissions{probes}");
    }
    // Told apart by the ACKs. How many repairs were fast is then not known either.
    let is_unheard = flow.notes.iter().any(|note| note.code == codes::ONE_DIRECTION);
    let (fast, recoveries) = if is_unheard {
        ("fast or by a timer (the ACKs that would tell are missing)", 0)
    } else {
        ("fast", sums.recoveries)
    };
    let kinds = listed(&[
        (sums.fast_segments, fast),
        (sums.timeout_segments, "after a timeout"),
        (sums.loss_probe_segments, "as a loss probe"),
        (sums.handshake_segments, "in the handshake"),
    ]);
    let episodes = listed(&[
        (recoveries, either(recoveries, "fast recovery", "fast recoveries")),
        (sums.timeouts, either(sums.timeouts, "timeout", "timeouts")),
        (sums.spurious_segments, "retransmitted needlessly"),
    ]);
    let mut text = format!(
        "{} retransmitted ({} of the bytes)",
        counted(flow.retransmitted_segments, "segment"),
        percent(flow.resent_share())
    );
    for part in [(": ", kinds), ("; ", episodes)] {
        if !part.1.is_empty() {
            text.push_str(part.0);
            text.push_str(&part.1);
        }
    }
    text.push_str(&probes);
    text
}

fn artefacts(flow: &FlowReport) -> String {
    let seen = &flow.artefacts;
    // No network lies between the sender and the tap there, so the capture wrote them so.
    let (one, more) = if flow.vantage == Vantage::Sender {
        ("packet recorded out of order", "packets recorded out of order")
    } else {
        ("packet reordered by the network", "packets reordered by the network")
    };
    let mut parts = listed(&[
        (seen.reordered_packets, either(seen.reordered_packets, one, more)),
        (seen.network_duplicates, "duplicated by the network"),
        (seen.capture_duplicates, "recorded twice"),
        (seen.keep_alives, either(seen.keep_alives, "keep-alive", "keep-alives")),
        (
            seen.window_probes,
            either(seen.window_probes, "probe of a closed window", "probes of a closed window"),
        ),
    ]);
    if seen.missed_bytes > 0 {
        if !parts.is_empty() {
            parts.push_str(", ");
        }
        parts.push_str(&bytes(seen.missed_bytes));
        parts.push_str(" missing in the capture");
    }
    parts
}

fn either(number: u64, one: &'static str, more: &'static str) -> &'static str {
    if number == 1 { one } else { more }
}

/// `3 fast, 1 after a timeout`, without the zeros.
fn listed(counts: &[(u64, &str)]) -> String {
    let some = counts.iter().filter(|(number, _)| *number > 0);
    let parts: Vec<String> =
        some.map(|(number, what)| format!("{} {what}", count(*number))).collect();
    parts.join(", ")
}

//! What stands at a page's foot: where its lines come from, and what they leave out.

use super::shape::{Align, Area, Drawing, TextStyle};
use super::sheet::{Sheet, shortened};
use crate::model::Report;
use crate::model::figures::{count, instant, seconds};

/// Where the lines come from and what they leave out; gives the place above.
pub(super) fn draw(
    drawing: &mut Drawing,
    sheet: &Sheet<'_>,
    (area, report): (Area, &Report),
) -> f64 {
    let unit = sheet.unit;
    let size = 10.5 * unit;
    let files = report.input.files.join(", ");
    let start_s = sheet.flow.start_s;
    let start = report.input.first_packet_utc.as_deref().map(|utc| {
        if start_s <= 0.0 {
            return format!("; 0 is {utc}");
        }
        let start = instant(start_s, sheet.flow.duration_s);
        format!("; 0 is {start} after {utc}, the capture's first packet")
    });
    let source = format!(
        "tcplimit {}, {}{}",
        report.tool_version,
        crate::error::printable(&files),
        start.unwrap_or_default()
    );
    let rows = [left_out(sheet), source];
    let style = TextStyle { size, color: sheet.theme.muted(), align: Align::Left };
    let mut y = area.bottom;
    for row in rows.iter().rev().filter(|row| !row.is_empty()) {
        y -= size * 0.65;
        drawing.text((area.left, y), shortened(row, size, area.width()), style);
        y -= size * 0.65;
    }
    y - 2.0 * unit
}

/// What lines with too many points show instead; empty where all show every point. Hatching is
/// told here too.
fn left_out(sheet: &Sheet<'_>) -> String {
    let series = sheet.series;
    let rtt = &series.rtt;
    let buckets = [&series.flight, &series.pipe, &series.rwnd, &series.acked];
    let buckets = buckets.into_iter().chain([&series.window_edge]).map(|line| line.bucket_s);
    let micros = [&rtt.segment_end, &rtt.sack, &rtt.timestamp, &rtt.srtt];
    let ranges = series.sent.iter().map(|sent| sent.ranges.bucket_s);
    let all = buckets.chain(micros.into_iter().map(|line| line.bucket_s)).chain(ranges);
    let widest = all.flatten().fold(0.0, f64::max);
    let mut notes = Vec::new();
    if widest > ONE_TIME_S {
        notes.push(format!(
            "lines of many points show the first, least, greatest and last of each {} or less",
            seconds(widest)
        ));
    }
    if sheet.unknown().next().is_some() {
        notes.push("hatched: capture gap, or not decidable".to_owned());
    }
    notes.extend(not_listed(sheet));
    notes.join("; ")
}

/// A row that ends with the list of its episodes would pass for a flow without more of them.
fn not_listed(sheet: &Sheet<'_>) -> impl Iterator<Item = String> {
    let episodes = &sheet.flow.episodes;
    let kinds = [
        ("repairs: the first", episodes.losses.len(), episodes.losses_count),
        ("stalls: the longest", episodes.stalls.len(), episodes.stalls_count),
        ("closed windows: the longest", episodes.zero_windows.len(), episodes.zero_windows_count),
    ];
    let cut = kinds.into_iter().filter(|(_, listed, all)| (*listed as u64) < *all);
    cut.map(|(which, listed, all)| format!("{which} {} of {}", count(listed as u64), count(all)))
}

/// No bucket is shorter than a microsecond: in one of that, all points have one time and stand upon each
/// other.
const ONE_TIME_S: f64 = 1e-6;

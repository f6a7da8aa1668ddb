//! How much memory does a report take? Of what it holds in lists and texts, the allocator's own
//! share left aside.

use super::{BytesLine, MicrosLine, Ranges, SentRanges};
use super::{
    CongestionControl, Cwnd, Episodes, FlowReport, Limit, Limits, LossRecovery, Note, PathReport,
    RttLines, Series, Verdict, WhatIf,
};

impl FlowReport {
    /// Octets held, with its own.
    pub(crate) fn octets(&self) -> u64 {
        let parts = [
            size_of::<Self>(),
            text(self.scope.as_ref()),
            self.cwnd.as_ref().map_or(0, |Cwnd { series, .. }| list(series)),
            self.congestion_control.as_ref().map_or(0, congestion_control),
            self.recovery.as_ref().map_or(0, recovery),
            episodes(&self.episodes),
            verdict(&self.verdict),
            limits(&self.limits),
            list(&self.what_if),
            self.what_if.iter().map(|WhatIf { assumption, .. }| assumption.capacity()).sum(),
            list(&self.intervals),
            path(&self.path),
            list(&self.evidence),
            list(&self.notes),
            self.notes.iter().map(|Note { text, .. }| text.capacity()).sum(),
            self.series.as_deref().map_or(0, series),
        ];
        parts.into_iter().fold(0, |sum, part| sum.saturating_add(part as u64))
    }
}

fn list<T>(list: &Vec<T>) -> usize {
    list.capacity().saturating_mul(size_of::<T>())
}

fn text(text: Option<&String>) -> usize {
    text.map_or(0, String::capacity)
}

fn sum<const N: usize>(parts: [usize; N]) -> usize {
    parts.into_iter().fold(0, usize::saturating_add)
}

fn congestion_control(found: &CongestionControl) -> usize {
    sum([list(&found.candidates), list(&found.epochs)])
}

fn recovery(recovery: &LossRecovery) -> usize {
    sum([list(&recovery.predicted), list(&recovery.sustained)])
}

fn episodes(found: &Episodes) -> usize {
    sum([list(&found.stalls), list(&found.losses), list(&found.zero_windows)])
}

fn verdict(verdict: &Verdict) -> usize {
    let why = verdict.why.iter().map(String::capacity).sum();
    let advice = verdict.advice.iter().map(|advice| advice.text.capacity()).sum();
    sum([verdict.text.capacity(), list(&verdict.why), why, list(&verdict.advice), advice])
}

fn limits(limits: &Limits) -> usize {
    sum(Limit::ALL.map(|limit| list(&limits.of(limit).causes)))
}

fn path(path: &PathReport) -> usize {
    let queueing = path.queueing.as_ref().map_or(0, |queueing| list(&queueing.series));
    sum([text(path.remark.as_ref()), queueing])
}

fn series(series: &Series) -> usize {
    let rates = series.rates.as_ref().map_or(0, |rates| {
        let frames = [list(&rates.first_frame), list(&rates.last_frame)];
        sum([list(&rates.goodput_bps), list(&rates.wire_bps), sum(frames)])
    });
    let bytes = [
        &series.flight,
        &series.pipe,
        &series.rwnd,
        &series.acked,
        &series.dup_acks,
        &series.window_edge,
    ];
    let sent = series.sent.iter().map(|SentRanges { ranges, .. }| self::ranges(ranges)).sum();
    sum([
        size_of::<Series>(),
        rates,
        sum(bytes.map(bytes_line)),
        rtt(&series.rtt),
        list(&series.sent),
        sent,
        ranges(&series.sacked),
        ranges(&series.dsacked),
    ])
}

fn rtt(lines: &RttLines) -> usize {
    let RttLines { segment_end, sack, timestamp, srtt, min, queue } = lines;
    sum([segment_end, sack, timestamp, srtt, min, queue].map(micros_line))
}

fn bytes_line(line: &BytesLine) -> usize {
    sum([list(&line.t_s), list(&line.bytes), list(&line.frame)])
}

fn micros_line(line: &MicrosLine) -> usize {
    sum([list(&line.t_s), list(&line.us), list(&line.frame)])
}

fn ranges(ranges: &Ranges) -> usize {
    sum([
        list(&ranges.t_s),
        list(&ranges.end_t_s),
        list(&ranges.start_bytes),
        list(&ranges.end_bytes),
        list(&ranges.count),
        list(&ranges.first_frame),
        list(&ranges.last_frame),
    ])
}

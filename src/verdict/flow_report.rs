//! Puts a flow's report together.

use std::cmp::Ordering;

use super::direction::Direction;
use super::judged::{Along, Judged};
use super::lever::Lever;
use super::why::usual_rtt;
use super::{
    Ended, Findings, Floor, Found, Told, Wanted, buffers, episodes, evidence, intervals, notes,
    recovery, series,
};
use crate::cwnd;
use crate::flow::{Connection, Flow};
use crate::limit::{self, Limit, Span};
use crate::model::{
    Artefacts, CongestionControl, Cwnd, CwndPoint, FlowReport, Lu2007, Peer, ReceiveBuffer,
    Retransmissions, Rtt, Series, Vantage,
};
use crate::series::Listener;
use crate::units::{Duration, Timestamp};

/// What a flow's report needs to know of the capture, and of what was asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Capture {
    /// Time of its first frame.
    pub(crate) start: Timestamp,
    /// Where the user says that it was taken.
    pub(crate) told_position: Option<Vantage>,
    pub(crate) wanted: Wanted,
}

/// What a flow's report is put together from.
struct Draft<'a> {
    direction: Direction<'a>,
    judged: Judged,
    capture: Capture,
}

/// One report per direction that carried data or sent a SYN or FIN again, the client's first; for a
/// connection without any, one for the side whose data acknowledgments cover, or that opened it.
/// A direction below `floor` is only counted. `finish` closes the books of what followed a direction, at the
/// connection's last packet.
pub(crate) fn of_connection<C, S: Listener>(
    connection: Connection<C>,
    finish: impl Fn(Option<Box<C>>, Timestamp) -> Found<S>,
    capture: Capture,
    floor: Floor,
) -> Ended {
    let (mut connection, consumers) = connection.split();
    let (first_frame, scope) = (connection.first_frame, connection.scope);
    let has_data = connection.flows.iter().any(|flow| flow.payload_bytes > 0);
    let (mut is_told, mut left_out) = ([false; 2], 0_u64);
    let [first, second] = &connection.flows;
    let ways = [(first, second), (second, first)];
    for ((told, (flow, reverse)), consumer) in is_told.iter_mut().zip(ways).zip(&consumers) {
        let is_there = consumer.is_some() || (!has_data && is_main(flow, reverse));
        let is_below = floor.is_above(flow.payload_bytes, first_frame);
        *told = is_there && !is_below;
        left_out = left_out.saturating_add(u64::from(is_there && is_below));
    }
    let mut reports = [None, None];
    if is_told.contains(&true) {
        // Each report tells what the other direction carried, too: the books of both are closed first.
        let [a, b] = consumers;
        let close = |consumer: Option<Box<C>>, is_told| {
            (consumer.is_some() || is_told).then(|| finish(consumer, connection.last_time))
        };
        let mut found = [close(a, is_told[0]), close(b, is_told[1])];
        leave_out_copies(&mut connection, &found);
        let [first, second] = &connection.flows;
        let mut directions = [(first, second, 0), (second, first, 1)];
        directions.sort_by_key(|(flow, ..)| !flow.is_client);
        for (report, (flow, reverse, number)) in reports.iter_mut().zip(directions) {
            let found = found.get_mut(number).and_then(Option::take);
            let is_told = is_told.get(number).is_some_and(|is_told| *is_told);
            *report = found.filter(|_| is_told).map(|found| {
                let direction = Direction::new(&connection, (flow, reverse), &found.place);
                told(direction, found, capture)
            });
        }
    }
    Ended { first_frame, scope, reports, left_out }
}

/// Of two directions without payload in the capture: acknowledgments alone tell of it, or it is that of the
/// side that opened the connection.
fn is_main(flow: &Flow<()>, reverse: &Flow<()>) -> bool {
    let unseen = |flow: &Flow<()>| if flow.packets == 0 { flow.covered.0 } else { 0 };
    match unseen(flow).cmp(&unseen(reverse)) {
        Ordering::Equal => flow.is_client,
        order => order.is_gt(),
    }
}

/// What the capture recorded twice was sent once.
fn leave_out_copies<S>(connection: &mut Connection<()>, found: &[Option<Found<S>>; 2]) {
    for (flow, found) in connection.flows.iter_mut().zip(found) {
        let copied = found.as_ref().map_or(0, |it| it.findings.totals.recorded_twice.0);
        flow.payload_bytes = flow.payload_bytes.saturating_sub(copied);
    }
}

fn told<S: Listener>(direction: Direction<'_>, found: Found<S>, capture: Capture) -> Told {
    let Found { mut findings, place, lines } = found;
    let method = findings.lu2007.take();
    let mut judged = Judged::new(direction, findings, &place);
    let control = judged.identify();
    let draft = Draft { direction, judged, capture };
    let report = Box::new(draft.report(lines, method, control));
    Told { report, open: draft.judged.into_open() }
}

impl Draft<'_> {
    /// `lines` keeps its series, where they are wanted; `method` is the 2007 paper's.
    fn report<S: Listener>(
        &self,
        lines: S,
        method: Option<Box<limit::lu2007::Lu2007>>,
        congestion_control: Option<CongestionControl>,
    ) -> FlowReport {
        let judged = &self.judged;
        let Judged { findings, facts, shares, grounds, cause, .. } = judged;
        let Direction { connection, flow, reverse, span: (start, _) } = self.direction;
        let Along { path, what_if, verdict } = judged.path();
        let named = (grounds.headline.limit, *cause);
        FlowReport {
            stream: connection.stream,
            src: peer(flow),
            dst: peer(reverse),
            scope: None,
            start_s: start.since(self.capture.start).as_secs_f64(),
            duration_s: self.direction.duration().as_secs_f64(),
            vantage: grounds.vantage,
            has_handshake: connection.has_handshake,
            window_scale: grounds.scale,
            smss_bytes: Some(facts.smss).filter(|smss| *smss > 0),
            packets: flow.packets,
            payload_bytes: flow.payload_bytes,
            reverse_packets: reverse.packets,
            reverse_payload_bytes: reverse.payload_bytes,
            acked_bytes: self.direction.acked(findings).map(|acked| acked.0),
            goodput_bps: facts.goodput,
            retransmitted_segments: findings.totals.retransmitted_segments,
            retransmitted_bytes: findings.totals.retransmitted.0,
            retransmissions: retransmissions(findings),
            artefacts: artefacts(findings),
            rtt: rtt(findings).filter(|_| !grounds.doubts.is_way_unknown),
            rwnd_mean_bytes: findings.totals.rwnd_mean(),
            flight_mean_bytes: findings.totals.flight_mean(),
            flight_max_bytes: findings.totals.flight_max.0,
            send_buffer: buffers::send(&findings.ledger, findings.smss),
            receive_buffer: self.receive_buffer(),
            cwnd: self.cwnd(),
            congestion_control,
            recovery: recovery::of(findings, facts),
            episodes: episodes::of(&findings.episodes, start),
            verdict,
            limits: shares.limits(),
            paper: shares.paper(),
            what_if,
            intervals: intervals::of(judged, connection.first_frame),
            path,
            evidence: evidence::of(findings, facts, named),
            notes: notes::of(findings, grounds, shares),
            lu2007: self.capture.wanted.lu2007.then(|| self.lu2007(method)),
            series: self.series(lines),
        }
    }

    /// Seconds from the direction's start. An ACK's time is when it reached the sender,
    /// which on a remote capture may lie after the last packet seen.
    fn seconds(&self, time: Timestamp) -> f64 {
        time.since(self.direction.span.0).as_secs_f64()
    }

    /// `None` too of a window that ends where it does whatever the buffer.
    fn receive_buffer(&self) -> Option<ReceiveBuffer> {
        let Judged { findings, facts, .. } = &self.judged;
        let is_told_by_window = !matches!(facts.window_lever, Lever::Scaling(_));
        is_told_by_window
            .then(|| buffers::receive(&findings.window, &findings.ledger, findings.smss))?
    }

    /// The points at which cwnd was the limit, each stretch of them ended by one without a value;
    /// `None` if there are none.
    fn cwnd(&self) -> Option<Cwnd> {
        let findings = &self.judged.findings;
        let mut points = findings.cwnd.points.iter().peekable();
        let mut series = Vec::new();
        let is_cwnd = |span: &Span| span.limit == Limit::CongestionWindow;
        let spans = findings.ledger.spans.iter();
        for span in spans {
            while let Some(point) = points.next_if(|point| point.time < span.end) {
                if is_cwnd(span) {
                    series.push(self.cwnd_point(point));
                }
            }
            let was_told = series.last().is_some_and(|last: &CwndPoint| last.best_bytes.is_some());
            if was_told && !is_cwnd(span) {
                series.push(CwndPoint::unknown(self.seconds(span.start)));
            }
        }
        series.shrink_to_fit(); // A third and more of a long flow's report.
        let measures = findings.ledger.measures.get(&Limit::CongestionWindow);
        let exit = findings.cwnd.slow_start_exit;
        (!series.is_empty()).then_some(Cwnd {
            mean_bytes: measures.and_then(limit::Measures::flight_mean),
            slow_start_exit_s: exit.map(|exit| self.seconds(exit.time)),
            slow_start_exit_cause: exit.map(|exit| exit.cause),
            series,
        })
    }

    fn cwnd_point(&self, point: &cwnd::Point) -> CwndPoint {
        CwndPoint {
            t_s: self.seconds(point.time),
            best_bytes: Some(point.best.0),
            low_bytes: Some(point.low.0),
            high_bytes: Some(point.high.0),
        }
    }

    fn series<S: Listener>(&self, lines: S) -> Option<Box<Series>> {
        let srtt = self.judged.facts.srtt.and_then(Duration::try_from_secs_f64);
        let found = lines.finish(self.capture.wanted.series_points, srtt)?;
        let min_rtt = self.judged.findings.totals.rtt.min();
        Some(Box::new(series::of(&found, self.direction.span.0, min_rtt)))
    }

    fn lu2007(&self, method: Option<Box<limit::lu2007::Lu2007>>) -> Lu2007 {
        let (first, last) = self.direction.span;
        let found = method.unwrap_or_default().finish(first, last);
        Lu2007 {
            rlimit: found.rlimit,
            slimit: found.slimit,
            climit: found.climit,
            wnd_mean_bytes: found.wnd_mean_bytes,
            rtt_mean_us: found.rtt_mean.map(|rtt| rtt.as_secs_f64() * 1e6),
            cwnd_end_bytes: found.cwnd_end_bytes,
        }
    }
}

fn peer(flow: &Flow<()>) -> Peer {
    Peer { ip: flow.src.addr, port: flow.src.port }
}

fn retransmissions(findings: &Findings) -> Retransmissions {
    let totals = &findings.totals;
    Retransmissions {
        fast_segments: totals.fast_segments,
        timeout_segments: totals.timeout_segments,
        loss_probe_segments: totals.loss_probe_segments,
        loss_probes_of_new_data: totals.loss_probes_of_new_data,
        handshake_segments: totals.handshake_segments,
        spurious_segments: totals.spurious_segments,
        dsack_segments: totals.dsack_segments,
        timeouts: totals.timeouts,
        recoveries: totals.recoveries,
    }
}

fn artefacts(findings: &Findings) -> Artefacts {
    let totals = &findings.totals;
    Artefacts {
        reordered_packets: totals.reordered_packets,
        network_duplicates: totals.network_duplicates,
        capture_duplicates: totals.capture_duplicates,
        capture_duplicate_bytes: totals.recorded_twice.0,
        keep_alives: totals.keep_alives,
        window_probes: totals.window_probes,
        missed_bytes: totals.missed.0,
    }
}

fn rtt(findings: &Findings) -> Option<Rtt> {
    let summary = &findings.totals.rtt;
    let min = summary.min()?;
    let us = |share| summary.percentile(share).map(|rtt| rtt.max(min).as_secs_f64() * 1e6);
    let (mean_us, p50_us, p95_us) = (findings.totals.srtt_mean()? * 1e6, us(0.5)?, us(0.95)?);
    Some(Rtt {
        mean_us,
        usual_us: usual_rtt(mean_us, p50_us, p95_us),
        min_us: min.as_secs_f64() * 1e6,
        p50_us,
        p95_us,
        samples_segment_end: summary.segment_end_samples,
        samples_sack: summary.sack_samples,
        samples_timestamp: summary.timestamp_samples,
        rounds: summary.rounds,
        rounds_sampled: summary.rounds_sampled,
    })
}

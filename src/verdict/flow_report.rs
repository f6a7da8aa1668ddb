//! Puts a flow's report together.

use super::confidence::{Doubts, headline, tells_batches};
use super::kept::Floor;
use super::notes::Grounds;
use super::series;
use super::shares::Shares;
use super::why::{self, Facts};
use super::{
    Analysis, Ended, Findings, Followed, Wanted, bearing, buffers, congestion, episodes, evidence,
    notes, path, recovery, what_if,
};
use crate::cwnd;
use crate::flow::{Connection, Flow};
use crate::limit::{self, Limit, Span};
use crate::report::{
    Artefacts, Cwnd, CwndPoint, FlowReport, Interval, Lu2007, Peer, Retransmissions, Rtt, Series,
    SlowStartExitCause, Vantage, Verdict, WindowScale,
};
use crate::series::Listener;
use crate::units::{Bytes, Duration, Timestamp};
use crate::vantage::{AtSender, Position};

/// What a flow's report needs to know of the capture, and of what was asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Capture {
    /// Time of its first frame.
    pub(crate) start: Timestamp,
    pub(crate) wanted: Wanted,
}

/// The connection's times and numbers that both of its flows share.
struct Common<'a> {
    connection: &'a Connection<()>,
    capture: Capture,
}

/// One report per direction that carried data or sent a SYN or FIN again, the client's first; for a
/// connection without any, one for the side that opened it.
/// A direction below `floor` is only counted.
pub(crate) fn of_connection<S: Listener>(
    connection: Connection<Followed<S>>,
    capture: Capture,
    floor: Floor,
) -> Ended {
    let (connection, consumers) = connection.split();
    let common = Common { connection: &connection, capture };
    let [first, second] = &connection.flows;
    let has_data = first.payload_bytes > 0 || second.payload_bytes > 0;
    let [a, b] = consumers;
    let mut directions = [(first, second, a), (second, first, b)];
    directions.sort_by_key(|(flow, _, _)| !flow.is_client);
    let (first_frame, scope) = (connection.first_frame, connection.scope);
    let (mut reports, mut left_out) = ([None, None], 0_u64);
    for (report, (flow, reverse, consumer)) in reports.iter_mut().zip(directions) {
        let is_told = consumer.is_some() || (!has_data && flow.is_client);
        if is_told && floor.is_above(flow.payload_bytes, first_frame) {
            left_out = left_out.saturating_add(1);
        } else if is_told {
            let analysis = consumer.map(|consumer| consumer.into_consumer());
            *report = Some(Box::new(common.flow_report(flow, reverse, analysis)));
        }
    }
    Ended { first_frame, scope, reports, left_out }
}

impl Common<'_> {
    fn duration(&self) -> Duration {
        self.connection.last_time.since(self.connection.first_time)
    }

    fn facts(&self, findings: &Findings) -> Facts {
        Facts {
            goodput: self.goodput(findings),
            srtt: findings.totals.srtt_mean(),
            min_rtt: findings.totals.rtt.min().map(Duration::as_secs_f64),
            smss: findings.smss.0,
            is_reader_slow: findings.window.is_held_by_reader(&findings.ledger),
        }
    }

    fn flow_report<S: Listener>(
        &self,
        flow: &Flow<()>,
        reverse: &Flow<()>,
        consumer: Option<Box<AtSender<Analysis<S>>>>,
    ) -> FlowReport {
        let (analysis, vantage) = consumer.unwrap_or_default().finish();
        let (mut findings, lines) = analysis.finish(self.connection.last_time);
        let (sender_tick, tap_tick) = (vantage.sender_tick, vantage.tap_tick);
        let [found_vantage, vantage] = [vantage.found_position, vantage.position].map(position);
        let scale = window_scale(reverse);
        let ticks = (sender_tick, tap_tick);
        let doubts = doubts(&findings, (flow, reverse), vantage, ticks);
        if doubts.is_one_sided {
            findings.ledger.forget_rulings();
        }
        let facts = self.facts(&findings);
        let (srtt, min_rtt) = (facts.srtt, findings.totals.rtt.min());
        let shares = Shares::new(
            &findings.ledger,
            self.duration(),
            srtt.and_then(Duration::try_from_secs_f64),
        );
        let headline = headline(&shares, doubts);
        let cause = shares.main_cause(headline.limit);
        let grounds = Grounds {
            doubts,
            headline,
            vantage,
            found_vantage,
            sender_tick,
            tap_tick,
            scale,
            has_handshake: self.connection.has_handshake,
            is_reset: flow.reset_time.is_some() || reverse.reset_time.is_some(),
            round_trips: shares.round_trips(),
        };
        if vantage != Vantage::Sender {
            // Behind the bottleneck the spacing of a burst is what the queue made of it already.
            findings.path.dispersion = None;
        }
        let congestion_control = congestion::of(&findings, self.connection.first_time);
        let what_if = what_if::of(&what_if::Basis {
            findings: &findings,
            facts: &facts,
            shares: &shares,
            shift: reverse.window_scale.map(|scale| scale.shift),
            class: congestion_control.as_ref().map(|found| found.class).unwrap_or_default(),
        });
        let path = path::of(&findings, headline.limit, self.connection);
        FlowReport {
            stream: self.connection.stream,
            src: peer(flow),
            dst: peer(reverse),
            scope: None,
            start_s: self.connection.first_time.since(self.capture.start).as_secs_f64(),
            duration_s: self.duration().as_secs_f64(),
            vantage,
            has_handshake: self.connection.has_handshake,
            window_scale: scale,
            smss_bytes: Some(facts.smss).filter(|smss| *smss > 0),
            packets: flow.packets,
            payload_bytes: flow.payload_bytes,
            reverse_packets: reverse.packets,
            reverse_payload_bytes: reverse.payload_bytes,
            goodput_bps: facts.goodput,
            retransmitted_segments: findings.totals.retransmitted_segments,
            retransmitted_bytes: findings.totals.retransmitted.0,
            retransmissions: retransmissions(&findings),
            artefacts: artefacts(&findings),
            rtt: rtt(&findings),
            rwnd_mean_bytes: findings.totals.rwnd_mean(),
            flight_mean_bytes: findings.totals.flight_mean(),
            flight_max_bytes: findings.totals.flight_max.0,
            send_buffer: buffers::send(&findings.ledger),
            receive_buffer: buffers::receive(&findings.window, &findings.ledger),
            cwnd: self.cwnd(&findings),
            congestion_control,
            recovery: recovery::of(&findings, &facts, flow.payload_bytes),
            episodes: episodes::of(&findings.episodes, self.connection.first_time),
            verdict: Verdict {
                limit: headline.limit,
                runner_up: headline.runner_up,
                share: shares.with_hidden(headline.limit).clamp(0.0, 1.0),
                confidence: headline.confidence,
                text: why::headline(headline, &shares, &facts, path.remark.as_deref()),
                why: why::numbers(&findings, &facts, (headline.limit, cause)),
                advice: bearing::advice((headline.limit, cause), &path, &facts, &what_if),
            },
            limits: shares.limits(),
            paper: shares.paper(),
            what_if,
            intervals: self.intervals(&findings),
            path,
            evidence: evidence::of(&findings, &facts, (headline.limit, cause)),
            notes: notes::of(&findings, &grounds),
            lu2007: self.capture.wanted.lu2007.then(|| self.lu2007(findings.lu2007)),
            series: self.series(lines, srtt, min_rtt),
        }
    }

    fn goodput(&self, findings: &Findings) -> Option<f64> {
        let time = self.duration().as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "octets of one connection")]
        let bits = findings.totals.acked.0 as f64 * 8.0;
        (time > 0.0 && bits > 0.0).then(|| bits / time)
    }

    /// Seconds from the connection's first packet. An ACK's time is when it reached the sender,
    /// which on a remote capture may lie after the last packet seen.
    fn seconds(&self, time: Timestamp) -> f64 {
        time.since(self.connection.first_time).as_secs_f64()
    }

    fn intervals(&self, findings: &Findings) -> Vec<Interval> {
        let losses = &findings.episodes.losses;
        let interval = |span: &Span| Interval {
            loss_episode: episodes::loss_behind(losses, span),
            start_s: self.seconds(span.start),
            end_s: self.seconds(span.end),
            limit: span.limit,
            cause: span.cause,
            first_frame: span.first_frame.0,
            last_frame: span.last_frame.0,
        };
        findings.ledger.spans.iter().map(interval).collect()
    }

    /// The points at which cwnd was the limit, each stretch of them ended by one without a value;
    /// `None` if there are none.
    fn cwnd(&self, findings: &Findings) -> Option<Cwnd> {
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
        let measures = findings.ledger.measures.get(&Limit::CongestionWindow);
        let exit = findings.cwnd.slow_start_exit;
        (!series.is_empty()).then_some(Cwnd {
            mean_bytes: measures.and_then(limit::Measures::flight_mean),
            slow_start_exit_s: exit.map(|exit| self.seconds(exit.time)),
            slow_start_exit_cause: exit.map(|exit| match exit.cause {
                cwnd::ExitCause::Loss => SlowStartExitCause::Loss,
                cwnd::ExitCause::Ecn => SlowStartExitCause::Ecn,
                cwnd::ExitCause::Growth => SlowStartExitCause::GrowthEnded,
            }),
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

    fn series<S: Listener>(
        &self,
        lines: S,
        srtt: Option<f64>,
        min_rtt: Option<Duration>,
    ) -> Option<Box<Series>> {
        let found = lines.finish(
            self.capture.wanted.series_points,
            srtt.and_then(Duration::try_from_secs_f64),
        )?;
        Some(Box::new(series::of(&found, self.connection.first_time, min_rtt)))
    }

    fn lu2007(&self, method: Option<Box<limit::lu2007::Lu2007>>) -> Lu2007 {
        let method = method.unwrap_or_default();
        let found = method.finish(self.connection.first_time, self.connection.last_time);
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

fn position(position: Position) -> Vantage {
    match position {
        Position::Sender => Vantage::Sender,
        Position::Receiver => Vantage::Receiver,
        Position::Middle => Vantage::Middle,
        Position::Unknown => Vantage::Unknown,
    }
}

/// `receiver` is the side whose windows are in question.
fn window_scale(receiver: &Flow<()>) -> WindowScale {
    match receiver.window_scale {
        Some(scale) if scale.is_inferred => WindowScale::Inferred,
        Some(_) => WindowScale::Known,
        None => WindowScale::Unknown,
    }
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

/// `ticks` are those of the sender's clock and of the tap's, where they matter.
fn doubts(
    findings: &Findings,
    (flow, reverse): (&Flow<()>, &Flow<()>),
    vantage: Vantage,
    (sender_tick, tap_tick): (Option<Duration>, Option<Duration>),
) -> Doubts {
    let totals = &findings.totals;
    Doubts {
        is_scale_inferred: window_scale(reverse) != WindowScale::Known,
        is_remote: vantage != Vantage::Sender,
        is_coarse: tap_tick.is_some(),
        is_blurred: matches!(vantage, Vantage::Receiver | Vantage::Middle)
            && !tells_batches(sender_tick, totals.rtt.min()),
        has_gaps: totals.missed > Bytes(0),
        is_clock_stepped: totals.clock_steps > 0,
        is_multipath: totals.is_multipath,
        is_one_sided: flow.packets == 0 || (reverse.packets == 0 && !is_unanswered(flow)),
    }
}

/// Nothing but its SYN was sent: without an answer no more was to be expected.
fn is_unanswered(flow: &Flow<()>) -> bool {
    flow.syn.is_some() && flow.payload_bytes == 0
}

fn artefacts(findings: &Findings) -> Artefacts {
    let totals = &findings.totals;
    Artefacts {
        reordered_packets: totals.reordered_packets,
        network_duplicates: totals.network_duplicates,
        capture_duplicates: totals.capture_duplicates,
        keep_alives: totals.keep_alives,
        window_probes: totals.window_probes,
        missed_bytes: totals.missed.0,
    }
}

fn rtt(findings: &Findings) -> Option<Rtt> {
    let summary = &findings.totals.rtt;
    let min = summary.min()?;
    let us = |share| summary.percentile(share).map(|rtt| rtt.max(min).as_secs_f64() * 1e6);
    Some(Rtt {
        mean_us: findings.totals.srtt_mean()? * 1e6,
        min_us: min.as_secs_f64() * 1e6,
        p50_us: us(0.5)?,
        p95_us: us(0.95)?,
        samples_segment_end: summary.segment_end_samples,
        samples_sack: summary.sack_samples,
        samples_timestamp: summary.timestamp_samples,
        rounds: summary.rounds,
        rounds_sampled: summary.rounds_sampled,
    })
}

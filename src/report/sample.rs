//! Reports built by hand, for the tests of the outputs.
#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use super::codes;
use super::figures::as_f64;
use super::model::*;

/// A download that the receive window holds to 110 Mbit/s.
pub(super) fn flow() -> FlowReport {
    FlowReport {
        stream: 0,
        src: peer("10.0.0.7", 443),
        dst: peer("10.0.9.2", 51514),
        scope: None,
        start_s: 0.0,
        duration_s: 30.1,
        vantage: Vantage::Sender,
        has_handshake: true,
        window_scale: WindowScale::Known,
        smss_bytes: Some(1448),
        packets: 284_740,
        payload_bytes: 412_300_000,
        reverse_packets: 142_500,
        reverse_payload_bytes: 812,
        goodput_bps: Some(109_600_123.456_789),
        retransmitted_segments: 114,
        retransmitted_bytes: 164_920,
        retransmissions: retransmissions(),
        artefacts: Artefacts::default(),
        rtt: Some(rtt()),
        rwnd_mean_bytes: Some(3_140_000.0),
        flight_mean_bytes: Some(2_900_000.0),
        flight_max_bytes: 3_139_264,
        send_buffer: None,
        receive_buffer: None,
        cwnd: Some(cwnd()),
        congestion_control: Some(congestion_control()),
        recovery: Some(recovery()),
        episodes: episodes(),
        verdict: verdict(),
        limits: limits(),
        paper: Some(PaperShares { rlimit: 0.877, slimit: 0.0, climit: 0.123 }),
        intervals: intervals(),
        path: path(),
        evidence: vec![Evidence {
            code: codes::WINDOW_FULL,
            metric: "flight_over_rwnd",
            value: 0.98,
            threshold: Some(0.9),
        }],
        what_if: Vec::new(),
        lu2007: None,
        series: None,
        notes: vec![super_frames()],
    }
}

fn retransmissions() -> Retransmissions {
    Retransmissions {
        fast_segments: 100,
        timeout_segments: 12,
        loss_probe_segments: 2,
        loss_probes_of_new_data: 1,
        handshake_segments: 0,
        spurious_segments: 5,
        dsack_segments: 6,
        timeouts: 2,
        recoveries: 3,
    }
}

fn rtt() -> Rtt {
    Rtt {
        mean_us: 228_100.0,
        min_us: 227_600.0,
        p50_us: 228_000.0,
        p95_us: 229_100.0,
        samples_segment_end: 1841,
        samples_sack: 12,
        samples_timestamp: 0,
        rounds: 0,
        rounds_sampled: 0,
    }
}

fn cwnd() -> Cwnd {
    Cwnd {
        mean_bytes: Some(1_200_000.0),
        slow_start_exit_s: Some(1.14),
        slow_start_exit_cause: Some(SlowStartExitCause::Loss),
        series: vec![
            CwndPoint {
                t_s: 0.228,
                best_bytes: Some(14_480),
                low_bytes: Some(14_480),
                high_bytes: Some(17_376),
            },
            CwndPoint::unknown(0.456),
        ],
    }
}

fn super_frames() -> Note {
    Note {
        code: codes::SUPER_FRAMES,
        text: "frames of up to 65 226 B: TSO at this capture point; per-packet timing is \
                   coarse (does not change the verdict)"
            .to_owned(),
    }
}

fn path() -> PathReport {
    PathReport {
        verdict: PathVerdict::NotFull,
        confidence: Confidence::High,
        remark: None,
        capacity: Some(Capacity {
            bps: 941_000_000.0,
            low_bps: 936_000_000.0,
            high_bps: 946_000_000.0,
            method: CapacityMethod::AckRatePlateau,
            confidence: Confidence::High,
        }),
        utilization: Some(0.12),
        busy_share: 0.02,
        loss_share: 0.0004,
        loss_count: 3,
        policer: None,
        shaper: None,
        queueing: Some(Queueing {
            p50_us: 400.0,
            p95_us: 1_500.0,
            max_us: 4_200.0,
            max_bytes: 20_700.0,
            series: vec![QueueingPoint { t_s: 0.25, delay_us: 400.0, bytes: 5_480.0 }],
        }),
    }
}

/// Its requests, the other way.
pub(super) fn reverse_flow() -> FlowReport {
    let limits = Limits {
        application: share(0.99, 29.8, &[(Cause::Idle, 0.99)]),
        handshake_close: share(0.01, 0.3, &[]),
        ..Limits::default()
    };
    FlowReport {
        src: peer("10.0.9.2", 51514),
        dst: peer("10.0.0.7", 443),
        vantage: Vantage::Receiver,
        packets: 142_500,
        payload_bytes: 812,
        reverse_packets: 284_740,
        reverse_payload_bytes: 412_300_000,
        goodput_bps: Some(215.8),
        retransmitted_segments: 0,
        retransmitted_bytes: 0,
        retransmissions: Retransmissions::default(),
        send_buffer: None,
        receive_buffer: None,
        cwnd: None,
        congestion_control: None,
        recovery: None,
        episodes: Episodes::default(),
        verdict: Verdict {
            limit: Limit::Application,
            runner_up: None,
            share: 0.99,
            confidence: Confidence::High,
            text: "The application had nothing to send for 29.8 s of 30.1 s.".to_owned(),
            why: vec![],
            advice: vec![],
        },
        limits,
        paper: None,
        notes: vec![],
        ..flow()
    }
}

/// The capture of one connection.
pub(super) fn report() -> Report {
    Report::new(input(), vec![flow(), reverse_flow()], vec![])
}

/// A capture of `count` connections, their sizes falling.
pub(super) fn busy_report(count: u32) -> Report {
    let limits = [Limit::CongestionWindow, Limit::Application, Limit::ReceiveWindow];
    let flows = (0..count).map(|stream| {
        let mut flow = flow();
        flow.stream = stream;
        flow.dst.port = u16::try_from(50_000 + stream).unwrap();
        flow.payload_bytes /= u64::from(stream + 1);
        flow.goodput_bps = (stream % 4 != 3).then_some(109_600_000.0 / f64::from(stream + 1));
        flow.verdict.limit = limits[(stream % 3) as usize];
        flow
    });
    let mut input = input();
    input.connections = u64::from(count);
    let note = Note {
        code: codes::ONE_DIRECTION,
        text: "31 flows were seen in one direction only (asymmetric routing?): their verdicts are \
               limited"
            .to_owned(),
    };
    Report::new(input, flows.collect(), vec![note])
}

pub(super) fn input() -> Input {
    Input {
        files: vec!["download.pcap".to_owned()],
        format: Some("pcap".to_owned()),
        link_types: vec!["ethernet".to_owned()],
        packets: 427_244,
        filter: None,
        tcp_packets: 427_240,
        skipped: vec![SkippedCount { reason: "arp".to_owned(), packets: 4 }],
        connections: 1,
        connections_dropped: 0,
        capture_drops: Some(0),
        snapped_packets: 427_240,
        damage: None,
        first_packet_utc: Some("2026-11-20T23:20:16.497314000Z".to_owned()),
        duration_s: 30.1,
    }
}

fn verdict() -> Verdict {
    let why = [
        "bytes in flight stayed within one segment of the advertised window (3.14 MB) for 20.4 s",
        "window ÷ RTT = 3.14 MB ÷ 228 ms = 110 Mbit/s, the rate you see",
        "RTT flat at 228 ms (min 228 ms, p95 229 ms): no queue was building",
    ];
    Verdict {
        limit: Limit::ReceiveWindow,
        runner_up: Some(Limit::Application),
        share: 0.71,
        confidence: Confidence::High,
        text: "The receiver's advertised window held the transfer back.".to_owned(),
        why: why.map(str::to_owned).to_vec(),
        advice: vec![Advice {
            code: codes::RAISE_RECEIVE_BUFFER,
            text: "raise the receiver's buffer: for twice this rate at 228 ms it needs 6.28 MB. \
                   Linux: sysctl net.ipv4.tcp_rmem (third value); application: do not set \
                   SO_RCVBUF"
                .to_owned(),
        }],
    }
}

fn limits() -> Limits {
    Limits {
        receive_window: share(0.71, 20.4, &[(Cause::WindowFull, 0.71)]),
        application: share(0.18, 5.2, &[(Cause::Idle, 0.12), (Cause::Trickle, 0.06)]),
        congestion_window: share(0.108, 3.2, &[(Cause::Recovery, 0.08), (Cause::SlowStart, 0.028)]),
        handshake_close: share(0.002, 0.06, &[]),
        ..Limits::default()
    }
}

fn intervals() -> Vec<Interval> {
    let spans = [
        (0.0, 0.06, Limit::HandshakeClose, None),
        (0.06, 0.9, Limit::CongestionWindow, Some(Cause::SlowStart)),
        (0.9, 15.2, Limit::ReceiveWindow, Some(Cause::WindowFull)),
        (15.2, 20.4, Limit::Application, Some(Cause::Idle)),
        (20.4, 27.7, Limit::ReceiveWindow, Some(Cause::WindowFull)),
        (27.7, 30.1, Limit::CongestionWindow, Some(Cause::Recovery)),
    ];
    spans
        .map(|(start_s, end_s, limit, cause)| Interval {
            start_s,
            end_s,
            limit,
            cause,
            loss_episode: None,
            first_frame: 1,
            last_frame: 427_240,
        })
        .to_vec()
}

fn share(share: f64, time_s: f64, causes: &[(Cause, f64)]) -> LimitShare {
    let causes = causes
        .iter()
        .map(|&(cause, part)| CauseShare { cause, share: part, time_s: part * 30.1 })
        .collect();
    LimitShare {
        share,
        share_low: (share - 0.02).max(0.0),
        share_high: (share + 0.02).min(1.0),
        time_s,
        causes,
    }
}

fn peer(ip: &str, port: u16) -> Peer {
    Peer { ip: ip.parse().unwrap(), port }
}

fn episodes() -> Episodes {
    Episodes {
        stalls: vec![Stall {
            start_s: 2.0,
            end_s: 2.6,
            cause: StallCause::TailLoss,
            first_frame: 310,
            last_frame: 311,
        }],
        stalls_count: 1,
        stalls_time_s: 0.6,
        ..Episodes::default()
    }
}

fn congestion_control() -> CongestionControl {
    CongestionControl {
        class: CongestionClass::Cubic,
        unknown_reason: None,
        candidates: vec![CongestionClass::Cubic],
        linux_name: Some("cubic"),
        back_off_factor: Some(0.7),
        epochs_used: 2,
        epochs_count: 3,
        epochs: vec![CongestionEpoch {
            start_s: 2.7,
            end_s: 9.8,
            after: BackOff::Loss,
            window_before_bytes: Some(1_448_000.0),
            window_start_bytes: 1_013_600.0,
            window_end_bytes: 1_400_000.0,
            rounds: 31,
            back_off_factor: Some(0.7),
            growth_segments_per_round: Some(8.9),
            regained_s: None,
            cubic_k_s: Some(9.09),
            law: Some(CongestionClass::Cubic),
            misfit: Some(0.3),
            is_used: true,
        }],
    }
}

fn recovery() -> LossRecovery {
    let predicted = |law, rounds: f64| PredictedRecovery { law, rounds, time_s: rounds * 0.2281 };
    LossRecovery {
        window_bytes: 1_448_000.0,
        window_segments: 1000.0,
        rtt_us: 228_100.0,
        losses_count: 3,
        regained_count: 1,
        regained_s: Some(9.1),
        regained_rounds: Some(40.0),
        predicted: vec![
            predicted(CongestionClass::RenoLike, 500.0),
            predicted(CongestionClass::Cubic, 39.8),
        ],
        loss_rate: Some(1.1e-5),
        sustained: vec![SustainedWindow {
            law: CongestionClass::RenoLike,
            window_bytes: 534_700.0,
            rate_bps: 18_750_000.0,
        }],
    }
}

/// A few points of each line, one stretch merged.
pub(super) fn series() -> Series {
    let bytes = |bytes: &[u64]| BytesLine {
        t_s: (0..bytes.len()).map(|index| as_f64(index as u64) * 0.3).collect(),
        bytes: bytes.to_vec(),
        frame: (1..=bytes.len() as u64).collect(),
        bucket_s: Some(0.1),
        left_out: 7,
    };
    let micros = |us: &[f64]| MicrosLine {
        t_s: (0..us.len()).map(|index| as_f64(index as u64) * 0.3).collect(),
        us: us.to_vec(),
        frame: (1..=us.len() as u64).collect(),
        bucket_s: None,
        left_out: 0,
    };
    let ranges = |start: u64| Ranges {
        t_s: vec![0.1, 0.4],
        end_t_s: vec![0.1, 0.6],
        start_bytes: vec![start, start + 1448],
        end_bytes: vec![start + 1448, start + 14_480],
        count: vec![1, 9],
        first_frame: vec![3, 4],
        last_frame: vec![3, 12],
        bucket_s: Some(0.3),
        left_out: 8,
    };
    let sent = [SentKind::New, SentKind::Fast, SentKind::Timeout, SentKind::WindowProbe];
    Series {
        rates: Some(Rates {
            start_s: 0.0,
            window_s: 0.5,
            goodput_bps: vec![1e8, 1.1e8],
            wire_bps: vec![1.1e8, 1.2e8],
            first_frame: vec![Some(1), None],
            last_frame: vec![Some(9), None],
        }),
        flight: bytes(&[0, 14_480, 28_960, 0]),
        pipe: bytes(&[0, 14_480, 1448]),
        rwnd: bytes(&[65_535, 131_072]),
        rtt: RttLines {
            segment_end: micros(&[228_000.0, 229_100.0]),
            sack: micros(&[240_000.0]),
            timestamp: micros(&[]),
            srtt: micros(&[228_000.0, 228_100.5]),
            min: micros(&[227_600.0]),
            queue: micros(&[400.0, 500.5]),
        },
        sent: sent.into_iter().map(|kind| SentRanges { kind, ranges: ranges(1) }).collect(),
        acked: bytes(&[1, 1449, 14_481]),
        dup_acks: bytes(&[1449]),
        window_edge: bytes(&[65_536, 132_521]),
        sacked: ranges(2897),
        dsacked: ranges(1),
    }
}

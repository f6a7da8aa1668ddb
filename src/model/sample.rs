//! Reports built by hand, for the tests of the outputs. What has a file of its own in the model has one
//! here.
#![expect(clippy::arithmetic_side_effects, reason = "test code")]

mod congestion_control;
mod limits;
mod series;

use self::congestion_control::{congestion_control, recovery};
use self::limits::{intervals, limits, share};
pub(crate) use self::series::series;
use super::*;

/// A download that the receive window holds to 110 Mbit/s.
pub(crate) fn flow() -> FlowReport {
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
        acked_bytes: Some(412_135_080),
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
        usual_us: 228_100.0,
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
            way_back_share: Some(0.02),
            is_of_acks: false,
            series: vec![QueueingPoint { t_s: 0.25, delay_us: 400.0, bytes: 5_480.0 }],
        }),
    }
}

/// Its requests, the other way.
pub(crate) fn reverse_flow() -> FlowReport {
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
        acked_bytes: Some(812),
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
pub(crate) fn report() -> Report {
    Report::new(input(), vec![flow(), reverse_flow()], vec![])
}

/// A capture of `count` connections, their sizes falling.
pub(crate) fn busy_report(count: u32) -> Report {
    let limits = [Limit::CongestionWindow, Limit::Application, Limit::ReceiveWindow];
    let flows = (0..count).map(|stream| {
        let mut flow = flow();
        flow.stream = stream;
        flow.dst.port = u16::try_from(50_000 + stream).unwrap();
        flow.payload_bytes /= u64::from(stream + 1);
        flow.acked_bytes = (stream % 4 != 3).then_some(flow.payload_bytes);
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

pub(crate) fn input() -> Input {
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

/// What a flow would get without a limit, to the bit per second.
pub(crate) fn what_if(lifted: Lifted, rate_bps: f64) -> WhatIf {
    WhatIf {
        lifted,
        rate_bps: Some(rate_bps),
        low_bps: rate_bps,
        high_bps: Some(rate_bps),
        perhaps_bps: None,
        next_limit: NextLimit::Path,
        assumption: String::new(),
    }
}

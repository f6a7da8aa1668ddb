//! The product on one page: what limits a simulated transfer, over receive window, send buffer,
//! loss and the application's rate. The cause is known by construction; the snapshot shows in a
//! diff what a change does to the verdicts.
#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use std::fmt::Write as _;

use tcplimit::model::{FlowReport, Limit};
use tcplimit::testing::{Application, Path, ms};

/// Octets; the bandwidth-delay product of the default path is 100 kB.
const BUFFERS: [u64; 3] = [32_000, 64_000, 4_000_000];
/// One packet in so many is lost.
const LOSSES: [u64; 3] = [0, 1000, 50];
/// Parts per hundred of the path's rate that the application writes; `None` writes all it can.
const RATES: [Option<u64>; 3] = [Some(10), Some(50), None];

#[test]
fn verdicts_over_windows_losses_and_rates() {
    let mut table = String::from(
        "rwnd kB  sndbuf kB  loss %  app %   verdict             R     S     C     A  other   Mbit/s\n",
    );
    for rcvbuf in BUFFERS {
        for sndbuf in BUFFERS {
            for loss_one_in in LOSSES {
                for rate in RATES {
                    let path = Path { rcvbuf, sndbuf, loss_one_in, ..Path::default() };
                    let path = Path { application: writer(rate, path.rate_bps), ..path };
                    write_row(&mut table, &path, rate);
                }
            }
        }
    }
    insta::assert_snapshot!(table);
}

/// Where only one thing can limit, the verdict has to name it.
#[test]
fn a_single_cause_is_named() {
    let paths = [
        (Limit::ReceiveWindow, Path { rcvbuf: 32_000, ..Path::default() }),
        (Limit::SendBuffer, Path { sndbuf: 32_000, ..Path::default() }),
        (Limit::CongestionWindow, Path { loss_one_in: 50, ..Path::default() }),
        (Limit::CongestionWindow, Path::default()),
        (Limit::Application, Path { application: writer(Some(10), 20_000_000), ..Path::default() }),
    ];
    for (cause, path) in paths {
        let verdict = path.flow().verdict;
        assert_eq!(verdict.limit, cause, "{path:?}: {verdict:?}");
    }
}

/// A writer of `percent` of the path's rate, in a write every 10 ms.
fn writer(percent: Option<u64>, rate_bps: u64) -> Application {
    percent.map_or(Application::Bulk, |percent| Application::Paced {
        chunk: rate_bps / 8 / 100 * percent / 100,
        interval: ms(10),
    })
}

fn write_row(table: &mut String, path: &Path, rate: Option<u64>) {
    let flow = path.flow();
    let loss = match path.loss_one_in {
        0 => 0.0,
        one_in => 100.0 / f64::from(u32::try_from(one_in).unwrap_or(u32::MAX)),
    };
    let rate = rate.map_or_else(|| "all".to_owned(), |percent| percent.to_string());
    let [rcvbuf, sndbuf] = [path.rcvbuf, path.sndbuf].map(|octets| octets / 1000);
    let verdict = serde_json::to_string(&flow.verdict.limit).unwrap_or_default();
    let [r, s, c, a, other] = shares(&flow);
    let goodput = flow.goodput_bps.unwrap_or_default() / 1e6;
    let _ = writeln!(
        table,
        "{rcvbuf:7}  {sndbuf:9}  {loss:6.1}  {rate:>5}   {:17} {r:5.2} {s:5.2} {c:5.2} {a:5.2}  {other:5.2}  {goodput:7.2}",
        verdict.trim_matches('"'),
    );
}

fn shares(flow: &FlowReport) -> [f64; 5] {
    let limits = &flow.limits;
    let other = limits.handshake_close.share + limits.capture_gap.share + limits.unknown.share;
    [
        limits.receive_window.share,
        limits.send_buffer.share,
        limits.congestion_window.share,
        limits.application.share,
        other,
    ]
}

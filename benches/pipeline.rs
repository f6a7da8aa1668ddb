//! The whole program but for its outputs, in octets of capture per second.
#![expect(clippy::unwrap_used, missing_docs, reason = "bench code")]

use std::hint::black_box;
use std::io::Cursor;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tcplimit::testing::{Path, ms};
use tcplimit::{Config, analyze_stream};

/// One flow of a real sender, one of a simulated one without losses, and one with.
fn pipeline(criterion: &mut Criterion) {
    let fixture = std::fs::read("fixtures/congestion-window--policer.pcap.zst").unwrap();
    let long = Path { duration: ms(20_000), ..Path::default() };
    let traces = [
        ("fixture", zstd::decode_all(fixture.as_slice()).unwrap()),
        ("simulated_clean", Path { queue: 4_000_000, ..long }.capture().pcap(96)),
        ("simulated_lossy", Path { loss_one_in: 200, ..long }.capture().pcap(96)),
    ];
    let mut group = criterion.benchmark_group("analyze");
    for (name, octets) in traces {
        group.throughput(Throughput::Bytes(u64::try_from(octets.len()).unwrap()));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let input = Cursor::new(black_box(octets.clone()));
                analyze_stream("bench", input, &Config::default()).unwrap()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, pipeline);
criterion_main!(benches);

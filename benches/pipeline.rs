//! The whole program but for its outputs, in octets of capture per second.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    missing_docs,
    reason = "bench code"
)]

use std::hint::black_box;
use std::io::Cursor;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tcplimit::testing::{Path, ms};
use tcplimit::{Config, analyze_stream};

/// One flow of a real sender, one of a simulated one without losses, and one with; and many flows that
/// take turns packet by packet, long ones and such as end before much is known of them.
fn pipeline(criterion: &mut Criterion) {
    let fixture = std::fs::read("fixtures/congestion-window--policer.pcap.zst").unwrap();
    let long = Path { duration: ms(20_000), ..Path::default() };
    let of_many = |packets: usize, flows: u16| {
        let mut one = long.capture();
        one.packets.truncate(packets);
        interleaved(&one.pcap(96), flows)
    };
    let traces = [
        ("fixture", zstd::decode_all(fixture.as_slice()).unwrap()),
        ("simulated_clean", Path { queue: 4_000_000, ..long }.capture().pcap(96)),
        ("simulated_lossy", Path { loss_one_in: 200, ..long }.capture().pcap(96)),
        ("many_flows", of_many(600, 100)),
        ("many_short_flows", of_many(24, 2500)),
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

/// Each frame of a capture of one connection so many times, with other addresses each time.
fn interleaved(file: &[u8], flows: u16) -> Vec<u8> {
    let (header, mut records) = file.split_at(24);
    let mut all = header.to_vec();
    while !records.is_empty() {
        let kept = u32::from_le_bytes(records[8..12].try_into().unwrap());
        let (record, others) = records.split_at(16 + usize::try_from(kept).unwrap());
        for number in 0..flows {
            let frame = all.len() + 16;
            all.extend(record);
            // The middle of both IPv4 addresses, behind the Ethernet header.
            for place in [27, 31] {
                all[frame + place..][..2].copy_from_slice(&number.to_be_bytes());
            }
        }
        records = others;
    }
    all
}

criterion_group!(benches, pipeline);
criterion_main!(benches);

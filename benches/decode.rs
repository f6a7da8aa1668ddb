//! One frame out of its file, and its headers from the link to the TCP options, in frames per second.
#![expect(missing_docs, reason = "bench code")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tcplimit::testing::{CaptureFile, Frames};

const COUNT: usize = 1000;

fn decode(criterion: &mut Criterion) {
    let frames: [(&str, &[u8]); 3] = [
        ("plain", &[8, 0]),
        ("vlan", &[0x81, 0, 0, 100, 8, 0]),
        ("mpls", &[0x88, 0x47, 0, 0, 0x11, 64]),
    ];
    let mut group = criterion.benchmark_group("decode");
    group.throughput(Throughput::Elements(COUNT as u64));
    for (name, headers) in frames {
        let mut frames = Frames::ethernet(COUNT, headers);
        group.bench_function(name, |bencher| bencher.iter(|| black_box(&mut frames).decode()));
    }
    group.finish();
}

/// The octets come from memory, copied as `read(2)` would.
fn read(criterion: &mut Criterion) {
    const COUNT: usize = 100_000;
    let files = [("pcap", CaptureFile::pcap(COUNT)), ("pcapng", CaptureFile::pcapng(COUNT))];
    let mut group = criterion.benchmark_group("read");
    group.throughput(Throughput::Elements(COUNT as u64));
    for (name, file) in files {
        group.bench_function(name, |bencher| bencher.iter(|| black_box(&file).read()));
    }
    group.finish();
}

criterion_group!(benches, read, decode);
criterion_main!(benches);

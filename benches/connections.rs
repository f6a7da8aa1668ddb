//! Many connections, from file to report, in packets per second: what it takes to open and to end
//! one, on one thread and on several.
#![expect(clippy::unwrap_used, missing_docs, reason = "bench code")]

use std::hint::black_box;
use std::io::Cursor;
use std::num::NonZeroUsize;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tcplimit::testing::CaptureFile;
use tcplimit::{Config, analyze_stream};

fn connections(criterion: &mut Criterion) {
    let files = [
        ("flood", 200_000, CaptureFile::flood(200_000)),
        ("short", 200_000, CaptureFile::short_connections(10_000)),
    ];
    let mut group = criterion.benchmark_group("connections");
    group.sample_size(10);
    for (name, packets, file) in files {
        group.throughput(Throughput::Elements(packets));
        for threads in [1, 4] {
            let mut config = Config::default();
            config.threads = NonZeroUsize::new(threads);
            group.bench_function(format!("{name}/threads_{threads}"), |bencher| {
                bencher.iter(|| {
                    let input = Cursor::new(black_box(file.octets().to_vec()));
                    analyze_stream("bench", input, &config).unwrap()
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, connections);
criterion_main!(benches);

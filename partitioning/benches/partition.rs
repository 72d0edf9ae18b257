//! One million random points in a cube into 64 parts, by every method, and the calls made once a
//! contact a step on the cuts that come out.

use std::hint::black_box;
use std::time::Duration;

use criterion::Criterion;
use partitioning::{Assign, Cutter, HilbertCurve, Local, MultiJagged, RecursiveBisection, RegularGrid};

const PARTS: usize = 64;

/// Random coordinates by xorshift, the same in every run.
fn points(count: usize) -> Vec<[f64; 3]> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(|_| [next(), next(), next()]).collect()
}

fn partition(criterion: &mut Criterion) {
    let points = points(1_000_000);
    let weights: Vec<u32> = (0..points.len() as u32).map(|i| 1 + i % 12).collect();
    let mut group = criterion.benchmark_group("1M points, 64 parts");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    let mut out = vec![0; points.len()];
    let methods: [(&str, &dyn Assign<3>); 4] = [
        ("multi-jagged", &MultiJagged),
        ("recursive bisection", &RecursiveBisection),
        ("regular grid", &RegularGrid),
        ("hilbert curve", &HilbertCurve),
    ];
    for (name, method) in methods {
        group.bench_function(name, |bencher| {
            bencher.iter(|| method.assign(&points, &weights, PARTS, &Local, black_box(&mut out)));
        });
    }
    let cuts = MultiJagged.cut(&points, &weights, PARTS, &Local);
    group.bench_function("locate all", |bencher| {
        bencher.iter(|| points.iter().map(|point| cuts.locate(point)).sum::<usize>());
    });
    group.bench_function("touching all", |bencher| {
        bencher.iter(|| {
            let mut met = 0;
            for point in &points {
                let (min, max) = (point.map(|x| x - 0.005), point.map(|x| x + 0.005));
                cuts.touching(&min, &max, |part| met += part);
            }
            met
        });
    });
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    partition(&mut criterion);
    criterion.final_summary();
}

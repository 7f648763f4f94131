//! `advance` at 10³ … 10⁷ bodies on one thread, and 1,000 steps of each body in one kernel.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ikra::World;
use ikra_benches::advance::{
    Hand, aos, aos_wide, fixed, hand_advance, hand_advance_many, plain, plain_wide, soa, soa_wide, tiles, tiles_wide,
};
use ikra_benches::timing::{criterion, time};

const SIZES: [usize; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
const DT: f64 = 0.5;

fn four_fields(c: &mut Criterion) {
    let mut group = c.benchmark_group("advance");
    for n in SIZES {
        group.throughput(Throughput::Elements(n as u64));
        let id = |name| BenchmarkId::new(name, n);
        {
            let Hand { mut px, mut py, vx, vy } = Hand::new(n);
            group.bench_function(id("hand SoA"), |b| time(b, 1, || hand_advance(&mut px, &mut py, &vx, &vy, DT)));
        }
        macro_rules! ikra {
            ($name:literal, $module:ident) => {
                let mut sim = $module::world(n);
                group.bench_function(id($name), |b| time(b, 1, || sim.execute($module::Body::advance, DT)));
                drop(sim);
            };
        }
        ikra!("Ikra soa", soa);
        ikra!("Ikra tiles", tiles);
        ikra!("Ikra capacity", fixed);
        ikra!("Ikra aos", aos);
        {
            let mut rows: Vec<_> = (0..n).map(plain::Row::nth).collect();
            group.bench_function(id("hand AoS"), |b| time(b, 1, || plain::aos_advance(&mut rows, DT)));
        }
        {
            let mut all = plain::derived(n);
            group.bench_function(id("soa_derive"), |b| time(b, 1, || plain::derived_advance(&mut all, DT)));
        }
        {
            let mut all = plain::rs(n);
            group.bench_function(id("soa-rs"), |b| time(b, 1, || plain::rs_advance(&mut all, DT)));
        }
    }
    group.finish();
}

fn twenty_fields(c: &mut Criterion) {
    let mut group = c.benchmark_group("advance, AoS-32");
    for n in SIZES {
        group.throughput(Throughput::Elements(n as u64));
        let id = |name| BenchmarkId::new(name, n);
        {
            let Hand { mut px, mut py, vx, vy } = Hand::new(n);
            group.bench_function(id("hand SoA"), |b| time(b, 1, || hand_advance(&mut px, &mut py, &vx, &vy, DT)));
        }
        macro_rules! ikra {
            ($name:literal, $module:ident) => {
                let mut sim = $module::world(n);
                group.bench_function(id($name), |b| time(b, 1, || sim.execute($module::Body::advance, DT)));
                drop(sim);
            };
        }
        ikra!("Ikra soa", soa_wide);
        ikra!("Ikra tiles", tiles_wide);
        ikra!("Ikra aos", aos_wide);
        {
            let mut rows: Vec<_> = (0..n).map(plain_wide::Row::nth).collect();
            group.bench_function(id("hand AoS"), |b| time(b, 1, || plain_wide::aos_advance(&mut rows, DT)));
        }
        {
            let mut all = plain_wide::derived(n);
            group.bench_function(id("soa_derive"), |b| time(b, 1, || plain_wide::derived_advance(&mut all, DT)));
        }
        {
            let mut all = plain_wide::rs(n);
            group.bench_function(id("soa-rs"), |b| time(b, 1, || plain_wide::rs_advance(&mut all, DT)));
        }
    }
    group.finish();
}

fn fused(c: &mut Criterion) {
    const N: usize = 8_000;
    const STEPS: u32 = 1_000;
    let mut group = c.benchmark_group("1,000 steps fused");
    group.throughput(Throughput::Elements(N as u64 * u64::from(STEPS)));
    let id = |name| BenchmarkId::new(name, N);
    let Hand { mut px, mut py, vx, vy } = Hand::new(N);
    group.bench_function(id("hand SoA"), |b| {
        time(b, 1, || hand_advance_many(&mut px, &mut py, &vx, &vy, DT, STEPS));
    });
    let mut sim = soa::world(N);
    group.bench_function(id("Ikra soa"), |b| time(b, 1, || sim.execute(soa::Body::advance_many, (DT, STEPS))));
    group.finish();
}

fn all(c: &mut Criterion) {
    four_fields(c);
    twenty_fields(c);
    fused(c);
}

criterion_group! { name = benches; config = criterion(); targets = all }
criterion_main!(benches);

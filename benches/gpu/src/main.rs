//! Times Ikra's kernels on a GPU beside the hand-written CUDA of `benches/cuda`, and prints tables.
//!
//! `ikra-gpu-benches target/cuda/libbaselines.so [GROUP …]`, on a machine with a GPU; `ikra-gpu-benches count [GROUP …]` runs each
//! kernel once, for whoever counts.

mod carve;
mod chains;
mod loops;
mod model;
mod order;
mod special;

use std::time::Instant;

use ikra::prelude::*;
use ikra_baselines::table::{beside, microseconds, ratio, row, table};
use ikra_baselines::{Baselines, SAMPLES, in_turn, is_counting, median, size, sizes, time};
use model::*;
use model::{bfs, inner_array, lives};

/// Nanoseconds on the host per call of `work`, without waiting and then once at the end.
fn time_on_host<W: World>(
    sim: &mut W,
    calls: u32,
    mut work: impl FnMut(&mut W) -> Result<(), ikra::Error>,
) -> Result<f64, ikra::Error> {
    let (mut samples, calls) = (Vec::new(), size(calls, 1));
    for _ in 0..size(SAMPLES, 1) {
        sim.on(ikra::Place::Gpu(0)).synchronize()?;
        let start = Instant::now();
        for _ in 0..calls {
            work(sim)?;
        }
        sim.on(ikra::Place::Gpu(0)).synchronize()?;
        samples.push(start.elapsed().as_secs_f64() * 1e9 / f64::from(calls));
    }
    Ok(median(samples))
}

/// `advance` of a class for some numbers of objects.
macro_rules! advance {
    ($class:ident, $world:ident, $float:ident, $baselines:expr, $baseline:literal, $sizes:expr) => {
        for n in sizes($sizes, 4096) {
            let mut sim = $world::new();
            sim.on(ikra::Place::Gpu(0)).construct(n, $class::spawn, ())?;
            let (ikra, cuda) = in_turn(
                || time(&mut sim, |sim| sim.cuda_execute($class::advance, 0.01)),
                || $baselines.call_n($baseline, n as u64),
            )?;
            let bytes = (6 * size_of::<$float>() * n) as f64;
            let note = format!("{:.2} TB/s, CUDA {:.2}", bytes / ikra / 1e3, bytes / cuda / 1e3);
            beside(stringify!($class), n, ikra, cuda, &[&note]);
        }
    };
}

fn advance(baselines: &Baselines) -> Result<(), ikra::Error> {
    let copied = 1_u64 << 32;
    let copy = baselines.call_n("copy_d2d", copied);
    println!("device-to-device copy of {copied} bytes: {:.2} TB/s read and written", 2.0 * copied as f64 / copy / 1e3);
    table(&["advance", "bodies", "Ikra", "CUDA", "ratio", "bandwidth"], 1);
    advance!(
        Mover64,
        Movers64,
        f64,
        baselines,
        "advance_soa_f64",
        [10, 13, 16, 18, 20, 22, 24, 26, 27].map(|k| 1 << k)
    );
    advance!(Mover32, Movers32, f32, baselines, "advance_soa_f32", [20, 26].map(|k| 1 << k));
    advance!(TileMover64, TileMovers64, f64, baselines, "advance_soa_f64", [20, 26].map(|k| 1 << k));
    advance!(RowMover64, RowMovers64, f64, baselines, "advance_aos_f64", [20, 26].map(|k| 1 << k));
    Ok(())
}

/// The force between all bodies of a class.
macro_rules! force {
    ($class:ident, $world:ident, $baselines:expr, $naive:literal, $tiled:literal, $split:literal) => {
        for n in sizes([1_024, 4_096, 8_000, 65_536, 262_144], 1024) {
            let mut sim = $world::new();
            sim.on(ikra::Place::Gpu(0)).construct(n, $class::spawn, ())?;
            let all = time(&mut sim, |sim| sim.cuda_execute($class::attract_all, ()))?;
            let pairs = time(&mut sim, |sim| sim.on(ikra::Place::Gpu(0)).execute_pairs($class::attract, ()))?;
            let (naive, tiled) = ($baselines.call_n($naive, n as u64), $baselines.call_n($tiled, n as u64));
            beside(concat!("all() ", stringify!($class), " / naive"), n, all, naive, &[]);
            beside(concat!("pairs ", stringify!($class), " / tiled"), n, pairs, tiled, &[]);
            if n < 50_000 {
                let split = $baselines.call_n($split, n as u64);
                beside(concat!("pairs ", stringify!($class), " / several threads for each"), n, pairs, split, &[]);
            }
        }
    };
}

fn force(baselines: &Baselines) -> Result<(), ikra::Error> {
    table(&["force", "bodies", "Ikra", "CUDA", "ratio"], 1);
    force!(Particle32, Particles32, baselines, "force_naive_f32", "force_tiled_f32", "force_split_f32");
    force!(Particle64, Particles64, baselines, "force_naive_f64", "force_tiled_f64", "force_split_f64");
    table(&["force, the device's own inverse root", "bodies", "Ikra", "CUDA", "ratio", "10¹² pairs a second"], 1);
    for n in sizes([4_096, 16_384, 65_536, 262_144, 1 << 20], 1024) {
        let mut sim = Particles32::new();
        sim.on(ikra::Place::Gpu(0)).construct(n, Particle32::spawn, ())?;
        let run = |sim: &mut Particles32| sim.on(ikra::Place::Gpu(0)).execute_pairs(Particle32::attract_fast, ());
        let (ikra, cuda) = in_turn(|| time(&mut sim, run), || baselines.call_n("force_tiled_f32_fast", n as u64))?;
        let pairs = format!("{:.2}", n as f64 * n as f64 / ikra * 1e-3);
        beside("pairs / tiled", n, ikra, cuda, &[&pairs]);
    }
    Ok(())
}

fn links(baselines: &Baselines) -> Result<(), ikra::Error> {
    table(&["100 links", "objects", "Ikra", "CUDA", "ratio"], 1);
    for n in sizes([1 << 12, 1 << 16, 1 << 20], 4096) {
        let mut sim = Nodes::new();
        let Some(first) = Link::from_id(1) else { continue };
        sim.on(ikra::Place::Gpu(0)).construct(n, Node::spawn, (n as u32, first))?;
        for (name, baseline) in [
            ("global", "links_global"),
            ("global, checked", "links_global_checked"),
            ("generic", "links_generic"),
            ("generic, checked", "links_generic_checked"),
            ("four a turn", "links_four"),
            ("four a turn, checked", "links_four_checked"),
        ] {
            let (ikra, cuda) = in_turn(
                || time(&mut sim, |sim| sim.cuda_execute(Node::hop, 100)),
                || baselines.call_n_k(baseline, n as u64, 100),
            )?;
            beside(name, n, ikra, cuda, &[]);
        }
    }
    Ok(())
}

fn fused(baselines: &Baselines) -> Result<(), ikra::Error> {
    let mut sim = Movers64::new();
    let bodies = size(8_000, 256);
    sim.on(ikra::Place::Gpu(0)).construct(bodies, Mover64::spawn, ())?;
    let ikra = time(&mut sim, |sim| sim.cuda_execute(Mover64::advance_many, (1000, 0.01)))?;
    table(&["1,000 steps in one kernel, CUDA's fields", "bodies", "Ikra", "CUDA", "ratio"], 1);
    for (fields, baseline) in [("in registers", "fused_advance_f64"), ("in memory", "fused_advance_memory_f64")] {
        beside(fields, 8_000, ikra, baselines.call_n_k(baseline, 8_000, 1000), &[]);
    }
    Ok(())
}

/// Reductions of a class.
macro_rules! reduce {
    ($class:ident, $world:ident, $baselines:expr, $sum:literal, $min:literal) => {
        for n in sizes([1 << 16, 1 << 20, 1 << 26], 1 << 16) {
            let mut sim = $world::new();
            sim.on(ikra::Place::Gpu(0)).construct(n, $class::spawn, ())?;
            let calls = size(if n > 1 << 24 { 20 } else { 200 }, 1);
            sim.cuda_execute_and_reduce($class::get, (), Sum)?;
            sim.cuda().time_kernels(true)?;
            for _ in 0..calls {
                sim.cuda_execute_and_reduce($class::get, (), Sum)?;
            }
            let kernels: f64 = sim.cuda().stats().kernels.iter().map(|kernel| kernel.time.as_secs_f64()).sum();
            sim.cuda().time_kernels(false)?;
            let cuda = |name: &str| $baselines.call_n(name, n as u64);
            let in_a_row = microseconds(cuda($sum));
            let alone = cuda(concat!($sum, "_alone"));
            let kernel = kernels * 1e9 / f64::from(calls);
            beside(concat!("sum ", stringify!($class), ", kernel"), n, kernel, alone, &[&in_a_row]);
            let (sum, result) = in_turn(
                || time(&mut sim, |sim| sim.cuda_execute_and_reduce($class::get, (), Sum).map(drop)),
                || cuda(concat!($sum, "_result")),
            )?;
            beside(concat!("sum ", stringify!($class), ", with result"), n, sum, result, &[&""]);
            let (min, result) = in_turn(
                || time(&mut sim, |sim| sim.cuda_execute_and_reduce($class::get, (), Min).map(drop)),
                || cuda(concat!($min, "_result")),
            )?;
            beside(concat!("min ", stringify!($class), ", with result"), n, min, result, &[&""]);
        }
    };
}

fn reduce(baselines: &Baselines) -> Result<(), ikra::Error> {
    table(&["reduction", "objects", "Ikra", "CUB", "ratio", "CUB, calls in a row"], 1);
    reduce!(Number32, Numbers32, baselines, "reduce_sum_f32", "reduce_min_f32");
    reduce!(Number64, Numbers64, baselines, "reduce_sum_f64", "reduce_min_f64");
    Ok(())
}

/// The synthetic benchmark of inner arrays, in one layout.
macro_rules! inner {
    ($baselines:ident, $class:ident, $module:ident, $rows:ident, $group:literal, $slots:literal) => {{
        use model::inner_array::{
            OBJECTS,
            $module::{Things, $class},
        };
        let mut world = Things::new();
        world.things.extend((0..size(OBJECTS, 4096)).map(inner_array::$rows!($class)))?;
        let ikra = time(&mut world, |world| world.cuda_execute($class::add, ()))?;
        let each = time(&mut world, |world| world.cuda_execute($class::add_each, ()))?;
        let k: u32 = $slots.parse().unwrap_or(0);
        let (cuda, split) = match $group {
            "SoA (full)" => ($baselines.call_0("inner_soa_full"), f64::NAN),
            "SoA (object)" => ($baselines.call_0("inner_object"), f64::NAN),
            "AoS (full)" => ($baselines.call_0("inner_aos_full"), f64::NAN),
            "SoA (partial)" => {
                ($baselines.call_k("inner_soa_partial", k), $baselines.call_k("inner_soa_partial_split", k))
            }
            _ => ($baselines.call_k("inner_aos_partial", k), $baselines.call_k("inner_aos_partial_split", k)),
        };
        let cuda_each = if split.is_nan() { cuda } else { split };
        let best = ratio(cuda.min(cuda_each), ikra.min(each));
        row(&[
            &format!("{} {}", $group, $slots).trim_end(),
            &microseconds(ikra),
            &microseconds(cuda),
            &ratio(cuda, ikra),
            &microseconds(each),
            &microseconds(split),
            &ratio(cuda_each, each),
            &best,
        ]);
    }};
}

fn inner(baselines: &Baselines) -> Result<(), ikra::Error> {
    let by_index = ["Ikra, index", "CUDA, index", "ratio"];
    let each = ["Ikra, `for_each`", "CUDA, split by hand", "ratio"];
    table(&[&["layout"], &by_index[..], &each, &["best of each"]].concat(), 1);
    macro_rules! one {
        ($class:ident, $module:ident, $rows:ident, $group:literal, $slots:literal) => {
            inner!(baselines, $class, $module, $rows, $group, $slots);
        };
    }
    inner_array::for_each_layout!(one);
    Ok(())
}

/// Calls a baseline that searches a graph in compressed rows, with `k` slots per vertex, and returns its distances too. The
/// result is in nanoseconds.
#[allow(unsafe_code, reason = "a call of a C library")]
fn call_bfs(baselines: &Baselines, name: &str, offsets: &[u32], targets: &[u32], k: u32) -> (f64, Vec<u32>) {
    type Function = unsafe extern "C" fn(u64, *const u32, *const u32, u32, *mut u32, u32) -> f64;
    let n = offsets.len() - 1;
    let mut levels = vec![0; n];
    // SAFETY: the baseline of this name takes these arguments and returns a double; the pointers are to as many
    // numbers as it is told.
    let time = unsafe {
        baselines.call(name, |f: &Function| f(n as u64, offsets.as_ptr(), targets.as_ptr(), 0, levels.as_mut_ptr(), k))
    };
    (time, levels)
}

/// Breadth-first search on a road network, in one layout.
macro_rules! search {
    ($baselines:ident, $graph:ident, $class:ident, $world:ident, $rows:ident, $group:literal, $slots:literal) => {{
        let mut sim = bfs::$world::new();
        let search = sim.searches.push(bfs::Search { last: 0 })?;
        let make = {
            use bfs::$class;
            bfs::$rows!($class)
        };
        sim.vertices.extend((0..$graph.vertices()).map(|v| make($graph.neighbours(v))))?;
        let source: Link<bfs::$class> = sim.vertices.links().next().expect("a vertex");
        let mut samples = Vec::new();
        for _ in 0..size(SAMPLES + 2, 1) {
            sim.cuda_execute(bfs::$class::reset, source)?;
            sim.searches.write(search, bfs::Search { last: 0 })?;
            sim.on(ikra::Place::Gpu(0)).synchronize()?;
            let start = Instant::now();
            for level in 0.. {
                sim.cuda_execute(bfs::$class::visit, (level, search))?;
                if sim.searches.read(search)?.last != level + 1 {
                    break;
                }
            }
            samples.push(start.elapsed().as_secs_f64() * 1e9);
        }
        let ikra = median(samples);
        let levels = sim.vertices.iter().map(|vertex| vertex.distance).collect::<Vec<_>>();
        let k: u32 = $slots.parse().unwrap_or(4);
        let (cuda, expected) = call_bfs($baselines, "bfs_soa_inlined", &$graph.offsets, &$graph.targets, k);
        let (pointers, _) = call_bfs($baselines, "bfs_soa_ptr_inlined", &$graph.offsets, &$graph.targets, k);
        let differ = if levels == expected || is_counting() { "" } else { "**DIFFERENT RESULTS** " };
        let milliseconds = |nanoseconds: f64| format!("{:.2}", nanoseconds / 1e6);
        row(&[
            &format!("{differ}{} {}", $group, $slots).trim_end(),
            &milliseconds(ikra),
            &milliseconds(cuda),
            &ratio(cuda, ikra),
            &milliseconds(pointers),
        ]);
    }};
}

fn search(baselines: &Baselines) -> Result<(), ikra::Error> {
    let graph = ::graph::roads::generate(size(::graph::roads::VERTICES, 4000), 1);
    table(&["layout", "Ikra, GPU", "CUDA, SoA", "ratio", "CUDA, 8-byte pointers"], 1);
    macro_rules! one {
        ($class:ident, $world:ident, $rows:ident, $group:literal, $slots:literal) => {
            search!(baselines, graph, $class, $world, $rows, $group, $slots);
        };
    }
    bfs::for_each_bfs!(one);
    Ok(())
}

fn launch(baselines: &Baselines) -> Result<(), ikra::Error> {
    let mut sim = Numbers32::new();
    sim.on(ikra::Place::Gpu(0)).construct(1, Number32::spawn, ())?;
    let nothing = |sim: &mut Numbers32| sim.cuda_execute(Number32::nothing, ());
    let seven = |sim: &mut Numbers32| (0..7).try_for_each(|_| nothing(sim));
    let recording = sim.on(ikra::Place::Gpu(0)).record(|on| seven(on.world()))?;
    table(&["launch", "objects", "Ikra", "CUDA", "ratio"], 1);
    let mut host = |name: &str, calls, work: &mut dyn FnMut(&mut Numbers32) -> Result<(), ikra::Error>, baseline| {
        let (ikra, cuda) = in_turn(|| time_on_host(&mut sim, calls, &mut *work), || baselines.call_0(baseline))?;
        beside(name, 1, ikra, cuda, &[]);
        Ok::<_, ikra::Error>(())
    };
    host("empty kernel", 10_000, &mut { nothing }, "launch_empty")?;
    let mut waiting = |sim: &mut Numbers32| nothing(sim).and_then(|()| sim.on(ikra::Place::Gpu(0)).synchronize());
    host("empty kernel, waiting", 1000, &mut waiting, "launch_empty_sync")?;
    host("seven empty kernels", 1000, &mut { seven }, "launch_sequence7")?;
    host(
        "seven, recorded / CUDA graph",
        1000,
        &mut |sim| sim.on(ikra::Place::Gpu(0)).replay(&recording),
        "graph_sequence7",
    )?;
    if is_counting() { Ok(()) } else { worlds_side_by_side() }
}

/// Each world has a stream of its own: two worlds that fill a part of the device each run at the same time.
fn worlds_side_by_side() -> Result<(), ikra::Error> {
    const BODIES: usize = 8_000;
    let world = || {
        let mut sim = Movers64::new();
        sim.on(ikra::Place::Gpu(0)).construct(BODIES, Mover64::spawn, ()).map(|_| sim)
    };
    let (mut one, mut other) = (world()?, world()?);
    let step = |sim: &mut Movers64| sim.cuda_execute(Mover64::advance_many, (100_000, 0.5));
    let in_turn = time_on_host(&mut one, 10, |one| {
        for sim in [one, &mut other] {
            step(sim)?;
            sim.on(ikra::Place::Gpu(0)).synchronize()?;
        }
        Ok(())
    })?;
    let together = time_on_host(&mut one, 10, |one| {
        step(one)?;
        step(&mut other)?;
        one.on(ikra::Place::Gpu(0)).synchronize()?;
        other.on(ikra::Place::Gpu(0)).synchronize()
    })?;
    beside("two worlds at once / in turn", BODIES, together, in_turn, &[]);
    Ok(())
}

/// A step of objects that move, die or have a child.
macro_rules! births {
    ($class:ident, $world:ident, $baselines:expr) => {
        for n in sizes([1 << 16, 1_000_000, 8_000_000], 4096) {
            let mut sim = lives::$world::new();
            sim.particles.grow_by(n + n / 8)?;
            sim.on(ikra::Place::Gpu(0)).construct(n, lives::$class::spawn, ())?;
            let (ikra, cuda) = in_turn(
                || time(&mut sim, |sim| sim.cuda_execute(lives::$class::live, ())),
                || $baselines.call_n("births_and_deaths", n as u64),
            )?;
            let note = format!("{} left", sim.particles.len());
            beside(stringify!($class), n, ikra, cuda, &[&note]);
        }
    };
}

fn births_and_deaths(baselines: &Baselines) -> Result<(), ikra::Error> {
    table(&["births and deaths", "objects", "Ikra", "CUDA", "ratio", "note"], 1);
    births!(Particle, Particles, baselines);
    births!(DenseParticle, DenseParticles, baselines);
    // One percent comes and one goes, of objects with two columns of links, beside a copy of these columns.
    for n in sizes([1_000_000, 16_000_000], 4096) {
        let mut sim = lives::Friends::new();
        sim.friends.grow_by(n + n / 8)?;
        sim.on(ikra::Place::Gpu(0)).construct(n, lives::Friend::spawn, n as u32)?;
        let (ikra, cuda) = in_turn(
            || time(&mut sim, |sim| sim.cuda_execute(lives::Friend::change, ())),
            || baselines.call_n("copy_d2d", 12 * n as u64),
        )?;
        beside("1 % of friends / copy", n, ikra, cuda, &[&format!("{} left", sim.friends.len())]);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    ikra_baselines::run(&[
        ("advance", advance),
        ("force", force),
        ("links", links),
        ("fused", fused),
        ("inner", inner),
        ("bfs", search),
        ("reduce", reduce),
        ("launch", launch),
        ("lives", births_and_deaths),
        ("order", order::order),
        ("chains", chains::chains),
        ("loops", loops::loops),
        ("worklists", loops::worklists),
        ("special", |_| special::special()),
        ("carve", carve::carve),
    ])
}

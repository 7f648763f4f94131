//! Times whole models, written as the README and the guide teach it, on the host and on a GPU beside the hand-written CUDA of
//! `benches/cuda/models`, and compares their results.
//!
//! `ikra-model-benches target/cuda/libbaselines.so [small | large] [kernels] [MODEL …]`, on a machine with a GPU;
//! `ikra-model-benches host [small | large] [MODEL …]` anywhere.

mod baselines;
mod come_and_go;
mod model;
mod neighbours;
mod setup;

use std::collections::HashMap;
use std::time::Instant;

use baselines::Baselines;
use ikra::prelude::*;
use ikra::{On, Place};
use ikra_baselines::table::{grouped, ratio, row, table};
use ikra_baselines::{is_counting, median, size};

/// Steps of a batch, which is timed as a whole.
const STEPS: u32 = 10;

/// Ten steps of a model.
type Batch<W> = Box<dyn Fn(&mut On<'_, W>) -> Result<(), ikra::Error> + Send + Sync>;

/// A world with what is done to it.
struct Model<W> {
    world: W,
    /// How large it is, in words.
    size: String,
    /// Batches to time.
    batches: u32,
    /// Sets all that a step changes to its initial value.
    reset: Box<dyn Fn(&mut W)>,
    /// A hash of all that a step changes.
    state: Box<dyn Fn(&W) -> u64>,
    variants: Vec<Variant<W>>,
    /// One of the versions in CUDA: nanoseconds per step, and the hash.
    cuda: Box<dyn Fn(&Baselines, Cuda, u32) -> (f64, u64)>,
}

/// A way to write a model.
struct Variant<W> {
    name: &'static str,
    batch: Batch<W>,
    /// Whether a batch can be recorded.
    records: bool,
    /// The versions in CUDA beside it: the same passes over the same columns, and the best.
    same: Cuda,
    best: Cuda,
}

/// A version of a model in CUDA: which, and whether a number is read after each step.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Cuda {
    version: u32,
    reads: bool,
}

/// What is asked for.
struct Options {
    /// Absent on the host.
    baselines: Option<Baselines>,
    sizes: Option<String>,
    /// Whether to say how long each kernel takes.
    kernels: bool,
    models: Vec<String>,
}

impl Options {
    /// Whether a model is asked for. Recursion needs more stack than the driver gives unasked.
    fn wants(&self, name: &str, large: bool) -> bool {
        let unasked = name == "recursion" && self.baselines.is_some() && !is_counting();
        (self.models.is_empty() && !unasked || self.models.iter().any(|model| name.contains(model.as_str())))
            && self.sizes.as_ref().is_none_or(|sizes| (sizes == "large") == large)
    }

    /// Times a model where it is asked for.
    fn measure<W: World + Send>(&self, mut model: Model<W>) -> Result<(), ikra::Error> {
        match &self.baselines {
            Some(baselines) => on_gpu(baselines, &mut model, self.kernels),
            None => on_host(&mut model),
        }
    }
}

/// Words, one after another, as one number.
struct Hash(u64);

impl Hash {
    fn of(words: impl IntoIterator<Item = u32>) -> Self {
        Self(0x243f_6a88_85a3_08d3).and(words)
    }

    fn and(self, words: impl IntoIterator<Item = u32>) -> Self {
        Self(
            words.into_iter().fold(self.0, |hash, word| {
                (hash ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
            }),
        )
    }
}

/// Microseconds per step on the device: the median of batches after the first; and the hash after the first.
fn time<W: World>(
    model: &mut Model<W>,
    mut batch: impl FnMut(&mut W) -> Result<(), ikra::Error>,
) -> Result<(f64, u64), ikra::Error> {
    batch(&mut model.world)?;
    let first = (model.state)(&model.world);
    let mut samples = Vec::new();
    for _ in 0..size(model.batches, 1) {
        samples.push(model.world.cuda().time(&mut batch)?.as_secs_f64() * 1e6 / f64::from(STEPS));
    }
    Ok((median(samples), first))
}

fn on_gpu<W: World>(baselines: &Baselines, model: &mut Model<W>, kernels: bool) -> Result<(), ikra::Error> {
    let place = Place::Gpu(0);
    let mut cuda = HashMap::new();
    for variant in std::mem::take(&mut model.variants) {
        (model.reset)(&mut model.world);
        let (launched, first) = time(model, |world| (variant.batch)(&mut world.on(place)))?;
        let last = (model.state)(&model.world);
        if kernels {
            (model.reset)(&mut model.world);
            model.world.cuda().time_kernels(true)?;
            for _ in 0..=model.batches {
                (variant.batch)(&mut model.world.on(place))?;
            }
            for kernel in model.world.cuda().stats().kernels {
                let time = kernel.time.as_secs_f64() * 1e6 / f64::from(STEPS * (model.batches + 1));
                println!("    {}: {time:.1} per step", kernel.kernel);
            }
            model.world.cuda().time_kernels(false)?;
        }
        let recorded = if variant.records && !is_counting() {
            (model.reset)(&mut model.world);
            let recording = model.world.on(place).record(|on| (variant.batch)(on))?;
            let (recorded, _) = time(model, |world| world.on(place).replay(&recording))?;
            Some((recorded, (model.state)(&model.world)))
        } else {
            None
        };
        let mut run = |which: Cuda| {
            *cuda.entry(which).or_insert_with(|| {
                let (time, hash) = (model.cuda)(baselines, which, model.batches);
                (time / 1e3, hash)
            })
        };
        let ((same, same_hash), (best, best_hash)) = (run(variant.same), run(variant.best));

        (model.reset)(&mut model.world);
        (variant.batch)(&mut model.world.on(Place::Host))?;
        let mut differ = Vec::new();
        for (name, hash, expected) in [
            ("host", (model.state)(&model.world), first),
            ("recorded", recorded.map_or(last, |(_, hash)| hash), last),
            ("CUDA", same_hash, last),
            ("best CUDA", best_hash, last),
        ] {
            if hash != expected && !(is_counting() && name.contains("CUDA")) {
                differ.push(name);
            }
        }
        let differ = if differ.is_empty() { String::new() } else { format!(" **{} DIFFERS**", differ.join(", ")) };
        let time = |microseconds: f64| {
            if microseconds < 1000.0 { format!("{microseconds:.1}") } else { grouped(microseconds.round()) }
        };
        row(&[
            &format!("{}{differ}", variant.name),
            &model.size,
            &time(launched),
            &recorded.map_or("–".to_owned(), |(recorded, _)| time(recorded)),
            &time(same),
            &time(best),
            &ratio(same, launched),
            &ratio(best, launched),
        ]);
    }
    Ok(())
}

fn on_host<W: World + Send>(model: &mut Model<W>) -> Result<(), ikra::Error> {
    let threads = rayon::current_num_threads();
    for variant in std::mem::take(&mut model.variants) {
        let mut columns = Vec::new();
        for threads in [1, threads] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            (model.reset)(&mut model.world);
            let run = |world: &mut W| pool.install(|| (variant.batch)(&mut world.on(Place::Host)));
            run(&mut model.world)?;
            let first = (model.state)(&model.world);
            let mut samples = Vec::new();
            for _ in 0..3 {
                let start = Instant::now();
                run(&mut model.world)?;
                samples.push(start.elapsed().as_secs_f64() * 1e6 / f64::from(STEPS));
            }
            columns.push((median(samples), first, (model.state)(&model.world)));
        }
        let equal = if columns[0].1 == columns[1].1 && columns[0].2 == columns[1].2 { "equal" } else { "**DIFFERS**" };
        let (one, all) = (columns[0].0, columns[1].0);
        println!(
            "| {} | {} | {one:.0} | {all:.0} | {:.2} | {equal} {:08x} |",
            variant.name,
            model.size,
            one / all,
            columns[0].1 as u32
        );
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: ikra-model-benches host|count|target/cuda/libbaselines.so [small|large] [kernels] [MODEL …]";
    let path = arguments.next().ok_or(usage)?;
    let baselines = if path == "host" { None } else { Some(Baselines::open(&path)?) };
    let mut options = Options { baselines, sizes: None, kernels: false, models: Vec::new() };
    for argument in arguments {
        match argument.as_str() {
            "small" | "large" => options.sizes = Some(argument),
            "kernels" => options.kernels = true,
            _ => options.models.push(argument),
        }
    }
    if options.baselines.is_some() {
        println!(
            "{}, microseconds per step, median of batches of {STEPS} steps",
            ikra::gpu::driver::devices()?[0].name
        );
        let times = ["Ikra", "recorded", "CUDA, same data", "CUDA, best", "same / Ikra", "best / Ikra"];
        table(&[&["model", "size"], &times[..]].concat(), 2);
    } else {
        let threads = rayon::current_num_threads();
        println!("host, microseconds per step, median of 3 batches of {STEPS} steps");
        println!("| model | size | 1 thread | {threads} threads | ratio | results |");
        println!("| --- | --- | ---: | ---: | ---: | --- |");
    }
    setup::wator(&options)?;
    setup::epidemic(&options)?;
    setup::tree(&options)?;
    setup::structure(&options)?;
    setup::boids(&options)?;
    setup::life(&options)?;
    come_and_go::shoal(&options)?;
    come_and_go::colony(&options)?;
    neighbours::flock(&options)?;
    Ok(())
}

//! Reading Parquet into a world, beside the `parquet` crate, which decodes the same columns on the same number of threads.
//! Then checkpoints, beside files of as many bytes.
//!
//! ```sh
//! cargo bench --manifest-path tests/tables/Cargo.toml -- [ROWS] [PAIRS]
//! ```
//!
//! Both read all row groups in parallel. `decode` drops each batch; `keep` keeps all of them. The times of one pair are
//! measured one after the other, and the table shows medians of times and of ratios.

use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use arrow_array::RecordBatch;
use ikra::tables::{Checkpoints, Export, Import, Source, TableClasses};
use ikra::{World, prelude::*};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use rayon::prelude::*;

/// A class of numbers.
#[soa_class]
pub struct Body {
    /// Different values.
    pub x: f32,
    /// Different values.
    pub y: f32,
    /// Few different values.
    pub mass: f64,
    /// A number that ascends.
    pub age: u32,
}
/// A world of it.
#[soa_world]
pub struct Bodies {
    /// The objects.
    pub bodies: Objects<Body>,
}

/// A class with a list, and a link.
#[soa_class]
pub struct Node {
    /// A list of two in Parquet.
    pub pos: [f32; 2],
    /// A row's number in Parquet.
    pub next: Option<Link<Node>>,
    /// A number.
    pub value: i64,
}
/// A world of it.
#[soa_world]
pub struct Nodes {
    /// The objects.
    pub nodes: Objects<Node>,
}

/// Numbers without a pattern.
fn hash(n: u32) -> u32 {
    let n = (n ^ 0x9e37_79b9).wrapping_mul(0x85eb_ca6b);
    let n = (n ^ (n >> 13)).wrapping_mul(0xc2b2_ae35);
    n ^ (n >> 16)
}

fn bodies(rows: u32) -> Result<Bodies, Box<dyn Error>> {
    let mut world = Bodies::new();
    let float = |n| hash(n) as f32 / 1e6;
    world.bodies.extend((0..rows).map(|n| Body {
        x: float(n),
        y: float(!n),
        mass: f64::from(hash(n) % 100),
        age: n,
    }))?;
    Ok(world)
}

fn nodes(rows: u32) -> Result<Nodes, Box<dyn Error>> {
    let mut world = Nodes::new();
    let node = |n| Node {
        pos: [n as f32, hash(n) as f32],
        next: Link::from_index((hash(n) % rows) as usize).filter(|_| n % 10 != 0),
        value: i64::from(hash(n)),
    };
    world.nodes.extend((0..rows).map(node))?;
    Ok(world)
}

/// Decodes all row groups in parallel, in batches of so many rows.
fn decode(path: &Path, batch: usize, keep: bool) -> Result<Vec<RecordBatch>, Box<dyn Error>> {
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let metadata = ArrowReaderMetadata::load(&File::open(path)?, options)?;
    let groups: Vec<Result<Vec<RecordBatch>, String>> = (0..metadata.metadata().num_row_groups())
        .into_par_iter()
        .map(|group| {
            let file = File::open(path).map_err(|error| error.to_string())?;
            let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
                .with_row_groups(vec![group])
                .with_batch_size(batch)
                .build()
                .map_err(|error| error.to_string())?;
            let mut kept = Vec::new();
            for batch in reader {
                let batch = black_box(batch.map_err(|error| error.to_string())?);
                if keep {
                    kept.push(batch);
                }
            }
            Ok(kept)
        })
        .collect();
    Ok(groups.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

fn milliseconds<T>(work: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let start = Instant::now();
    let result = black_box(work()?);
    let time = start.elapsed().as_secs_f64() * 1e3;
    // Freed afterwards.
    drop(result);
    Ok(time)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Measures pairs, and prints a line of the table.
fn measure<W>(
    name: &str,
    path: &Path,
    pairs: usize,
    read: impl Fn() -> Result<W, Box<dyn Error>> + Sync,
) -> Result<(), Box<dyn Error>> {
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut times = [const { Vec::new() }; 3];
        let mut ratios = [const { Vec::new() }; 2];
        for pair in 0..=pairs {
            // A thread's errors are strings.
            let time = |work: &(dyn Fn() -> Result<f64, Box<dyn Error>> + Sync)| {
                pool.install(|| work().map_err(|error| error.to_string()))
            };
            let decoded = time(&|| milliseconds(|| decode(path, 8192, false)))?;
            let world = time(&|| milliseconds(&read))?;
            let kept = time(&|| milliseconds(|| decode(path, 8192, true)))?;
            // The first pair brings the file into memory.
            if pair > 0 {
                for (times, time) in times.iter_mut().zip([decoded, kept, world]) {
                    times.push(time);
                }
                ratios[0].push(world / decoded);
                ratios[1].push(world / kept);
            }
        }
        let [decoded, kept, world] = times.map(median);
        let [to_decoded, to_kept] = ratios.map(median);
        println!("| {name} | {threads} | {decoded:.0} | {kept:.0} | {world:.0} | {to_decoded:.2} | {to_kept:.2} |");
    }
    Ok(())
}

/// Measures writing and reading a checkpoint, and prints a line of the table.
fn checkpoints<W: World<Classes: TableClasses<W>>>(name: &str, world: &W, rounds: usize) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let mut checkpoints = Checkpoints::open(folder.path().join("run"))?.keep(1);
    let mut times = [const { Vec::new() }; 6];
    let mut bytes = Vec::new();
    for round in 0..=rounds {
        let start = Instant::now();
        checkpoints.write(world, 1)?;
        let returned = start.elapsed().as_secs_f64() * 1e3;
        checkpoints.wait()?;
        let whole = start.elapsed().as_secs_f64() * 1e3;
        let read = milliseconds(|| Ok(checkpoints.newest::<W>()?))?;
        let path = folder.path().join("file");
        if round == 0 {
            let found = checkpoints.names()?.swap_remove(0);
            for file in std::fs::read_dir(folder.path().join("run").join(found))? {
                bytes.extend(std::fs::read(file?.path())?);
            }
        }
        let copy = milliseconds(|| Ok(bytes.clone()))?;
        let file = milliseconds(|| {
            std::fs::write(&path, &bytes)?;
            Ok(File::open(&path)?.sync_all()?)
        })?;
        let file_read = milliseconds(|| Ok(std::fs::read(&path)?))?;
        if round > 0 {
            for (times, time) in times.iter_mut().zip([copy, returned, whole, file, read, file_read]) {
                times.push(time);
            }
        }
    }
    let [copy, returned, whole, file, read, file_read] = times.map(median);
    let megabytes = bytes.len() as f64 / 1e6;
    println!(
        "| {name} | {megabytes:.0} | {copy:.0} | {returned:.0} | {whole:.0} | {file:.0} | {read:.0} | {file_read:.0} |"
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut numbers =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).map(|number| number.parse());
    let rows = numbers.next().transpose()?.unwrap_or(10_000_000);
    let pairs = numbers.next().transpose()?.unwrap_or(15) as usize;
    let folder = tempfile::tempdir()?;
    println!("{rows} rows, medians of {pairs} pairs, times in milliseconds\n");
    println!("| class | threads | decode | keep | world | world ÷ decode | world ÷ keep |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let path = folder.path().join("bodies.parquet");
    let (first, second) = (bodies(rows)?, nodes(rows)?);
    Export::of(&first).parquet_of::<Body>(&path)?;
    measure("`f32`, `f32`, `f64`, `u32`", &path, pairs, || {
        Ok(Import::<Bodies>::new().table(Source::<Body>::parquet(&path)).read()?)
    })?;
    let path = folder.path().join("nodes.parquet");
    Export::of(&second).parquet_of::<Node>(&path)?;
    measure("`[f32; 2]`, `Option<Link>`, `i64`", &path, pairs, || {
        Ok(Import::<Nodes>::new().table(Source::<Node>::parquet(&path)).read()?)
    })?;
    println!("\n| class | MB | copy | write returns | on the disk | a file | read | read a file |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    checkpoints("`f32`, `f32`, `f64`, `u32`", &first, pairs)?;
    checkpoints("`[f32; 2]`, `Option<Link>`, `i64`", &second, pairs)
}

//! On the host: beside plain Rust.

use std::error::Error;

use ikra::Place;
use ikra_baselines::table::{grouped, row, table as begin};
use ikra_workload_benches::{Case, Outcome};

use crate::options::Options;
use crate::{median, plots};

/// Threads whose times are in the table.
const THREADS: [usize; 2] = [1, 2];

/// Runs a workload with some threads.
fn with_threads(case: &Case, threads: usize) -> Result<Outcome, Box<dyn Error>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    Ok(pool.install(|| case.ikra(Place::Host))?)
}

/// Milliseconds of all steps.
fn milliseconds(outcome: &Outcome) -> f64 {
    outcome.running.as_secs_f64() * 1e3
}

/// Lines of code: those that are neither empty nor comments.
pub(crate) fn lines(text: &str) -> usize {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

/// Lines of the model, of plain Rust, and their ratio.
pub(crate) fn lines_of(case: &Case) -> String {
    let Some(texts) = case.texts else { return "–".to_owned() };
    let [ikra, plain] = texts.map(lines);
    format!("{ikra} / {plain} ({:.2})", ikra as f64 / plain as f64)
}

pub(crate) fn table(options: &Options) -> Result<(), Box<dyn Error>> {
    println!("host, milliseconds for all steps, median of {}; ratio = plain Rust / Ikra", options.samples);
    let times = ["plain Rust", "Ikra, 1 thread", "Ikra, 2 threads", "ratio", "ratio", "lines", "result"];
    begin(&[&["workload", "objects"][..], &times].concat(), 1);
    let mut bars = Vec::new();
    for case in options.cases() {
        let plain = median(options.samples, || case.plain().ok_or(())).ok();
        let mut ikra = Vec::new();
        for threads in THREADS {
            ikra.push(median(options.samples, || with_threads(&case, threads))?);
        }
        let expected = plain.map_or(ikra[0].checksum, |plain| plain.checksum);
        let is_equal = ikra.iter().all(|ikra| ikra.checksum == expected);
        let [one, two] = [milliseconds(&ikra[0]), milliseconds(&ikra[1])];
        let plain = plain.map_or(f64::NAN, |plain| milliseconds(&plain));
        let number = |number: f64, digits: usize| {
            if number.is_nan() { "–".to_owned() } else { format!("{number:.digits$}") }
        };
        row(&[
            &case.name,
            &grouped(case.objects),
            &number(plain, 1),
            &number(one, 1),
            &number(two, 1),
            &number(plain / one, 2),
            &number(plain / two, 2),
            &lines_of(&case),
            &if is_equal { format!("`{expected:016x}`") } else { "**DIFFERS**".to_owned() },
        ]);
        bars.push((case.name, "Ikra 1 thread", plain / one));
        bars.push((case.name, "Ikra 2 threads", plain / two));
    }
    plots::write(options, &plots::HOST, &bars)
}

/// Runs small workloads everywhere, and says where results differ.
pub(crate) fn check(options: &Options) -> Result<(), Box<dyn Error>> {
    let has_gpu = ikra::gpu::driver::devices().is_ok_and(|devices| !devices.is_empty());
    let mut differ = Vec::new();
    for case in (Options { is_small: true, ..options.clone() }).cases() {
        let mut results = Vec::new();
        for threads in [1, 2, 3] {
            results.push((format!("the host, {threads} threads"), with_threads(&case, threads)?.checksum));
        }
        let expected = results[0].1;
        results.extend(case.plain().map(|plain| ("columns in plain Rust".to_owned(), plain.checksum)));
        results.extend(case.ordinary().map(|checksum| ("ordinary objects".to_owned(), checksum)));
        if has_gpu {
            results.push(("a GPU".to_owned(), case.ikra(Place::Gpu(0))?.checksum));
        }
        println!("{}: {expected:016x}, {} runs", case.name, results.len());
        for (place, checksum) in results {
            if checksum != expected {
                differ.push(format!("{}: {checksum:016x} by {place}", case.name));
            }
        }
    }
    if differ.is_empty() {
        println!("all results are equal{}", if has_gpu { "" } else { "; there is no GPU" });
        return Ok(());
    }
    Err(format!("results differ: {}", differ.join("; ")).into())
}

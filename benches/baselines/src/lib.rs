//! The hand-written CUDA of `benches/cuda`, loaded from the library that its `build.sh` makes, and how Ikra's kernels are timed
//! and shown beside it.
#![allow(unsafe_code, reason = "calls of a C library")]

pub mod table;

use std::error::Error;
use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicBool, Ordering};

use ikra::prelude::*;
use libloading::Library;

/// Time of one sample on the device, at least.
const SAMPLE_SECONDS: f64 = 3e-3;
/// Time for which the device works before the first sample, until its clocks are up.
const WARM_UP_SECONDS: f64 = 30e-3;
/// Rounds in which short runs are measured in turn.
const ROUNDS: usize = 5;
/// Up to how many nanoseconds a run is short.
const SHORT: f64 = 1e5;
/// Samples of which the median is taken.
pub const SAMPLES: usize = 9;

/// In place of the library's path: kernels are run once, of few objects, for whoever counts what they do.
pub const COUNT: &str = "count";

static IS_COUNTING: AtomicBool = AtomicBool::new(false);

/// Whether kernels are run to be counted, and not to be timed.
pub fn is_counting() -> bool {
    IS_COUNTING.load(Ordering::Relaxed)
}

/// A number of objects, or `few` where kernels are counted.
pub fn size<T: Ord>(n: T, few: T) -> T {
    if is_counting() { n.min(few) } else { n }
}

/// The same for several numbers, of which one is left where kernels are counted.
pub fn sizes<T: Ord + Copy>(all: impl IntoIterator<Item = T>, few: T) -> Vec<T> {
    let mut sizes: Vec<T> = all.into_iter().map(|n| size(n, few)).collect();
    sizes.dedup();
    sizes.truncate(if is_counting() { 1 } else { usize::MAX });
    sizes
}

/// The library, unless kernels are counted.
pub struct Baselines(Option<Library>);

impl Baselines {
    /// Opens it; with [`COUNT`] there is none from now on.
    ///
    /// # Errors
    /// If there is no library at this path.
    pub fn open(path: &str) -> Result<Self, libloading::Error> {
        if path == COUNT {
            IS_COUNTING.store(true, Ordering::Relaxed);
            return Ok(Self(None));
        }
        // SAFETY: the library has no initialisers of its own.
        unsafe { Library::new(path) }.map(|library| Self(Some(library)))
    }

    /// The nanoseconds that a function of the library returns. If it is missing or fails, this says why, and is not a number.
    ///
    /// # Safety
    /// The function of this name has the type `F`.
    pub unsafe fn call<F>(&self, name: &str, call: impl FnOnce(&F) -> f64) -> f64 {
        let Some(library) = &self.0 else { return f64::NAN };
        // SAFETY: its type, by this function's contract.
        let result = unsafe { library.get::<F>(name.as_bytes()) }.map(|function| {
            let time = call(&function);
            if time < 0.0 { Err(Self::error(library, time)) } else { Ok(time) }
        });
        match result {
            Ok(Ok(time)) => return time,
            Ok(Err(error)) => eprintln!("{name}: {error}"),
            Err(error) => eprintln!("{name}: {error}"),
        }
        f64::NAN
    }

    /// What a negative result means.
    fn error(library: &Library, result: f64) -> String {
        // SAFETY: the function of this name takes a double and returns a text that ends with a zero and is never freed.
        let text = unsafe {
            let text = library.get::<unsafe extern "C" fn(f64) -> *const c_char>(b"error_text");
            text.map(|text| CStr::from_ptr(text(result)))
        };
        text.map_or_else(|error| error.to_string(), |text| text.to_string_lossy().into_owned())
    }

    /// Calls a baseline without arguments. The result is in nanoseconds.
    pub fn call_0(&self, name: &str) -> f64 {
        // SAFETY: the baseline of this name takes nothing and returns a double.
        unsafe { self.call(name, |f: &unsafe extern "C" fn() -> f64| f()) }
    }

    /// Calls a baseline with a 32-bit number. The result is in nanoseconds.
    pub fn call_k(&self, name: &str, k: u32) -> f64 {
        // SAFETY: the baseline of this name takes a 32-bit number and returns a double.
        unsafe { self.call(name, |f: &unsafe extern "C" fn(u32) -> f64| f(k)) }
    }

    /// Calls a baseline for `n` objects. The result is in nanoseconds.
    pub fn call_n(&self, name: &str, n: u64) -> f64 {
        // SAFETY: the baseline of this name takes a 64-bit number and returns a double.
        unsafe { self.call(name, |f: &unsafe extern "C" fn(u64) -> f64| f(n)) }
    }

    /// Calls a baseline for `n` objects with a 32-bit number. The result is in nanoseconds.
    pub fn call_n_k(&self, name: &str, n: u64, k: u32) -> f64 {
        // SAFETY: the baseline of this name takes a 64-bit and a 32-bit number and returns a double.
        unsafe { self.call(name, |f: &unsafe extern "C" fn(u64, u32) -> f64| f(n, k)) }
    }
}

/// The one in the middle.
pub fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// Nanoseconds on the device per call of `work`: the median of several samples, as the baselines take theirs.
///
/// # Errors
/// Those of `work`, and of the device.
pub fn time<W: World>(
    sim: &mut W,
    mut work: impl FnMut(&mut W) -> Result<(), ikra::Error>,
) -> Result<f64, ikra::Error> {
    sampled(|calls| {
        let time = sim.cuda().time(|sim| (0..calls).try_for_each(|_| work(sim)))?;
        Ok(time.as_secs_f64())
    })
}

/// Nanoseconds per call of work, of which `seconds` takes the time for a number of calls.
///
/// # Errors
/// Those of `seconds`.
pub fn sampled(mut seconds: impl FnMut(u32) -> Result<f64, ikra::Error>) -> Result<f64, ikra::Error> {
    if is_counting() {
        return Ok(seconds(1)? * 1e9);
    }
    // Twice as many each time; the last run says how long one call takes.
    let (mut calls, mut total) = (1, 0.0);
    let one = loop {
        let elapsed = seconds(calls)?;
        total += elapsed;
        if total >= WARM_UP_SECONDS {
            break elapsed / f64::from(calls);
        }
        if elapsed < SAMPLE_SECONDS {
            calls *= 2;
        }
    };
    let calls = (SAMPLE_SECONDS / one) as u32 + 1;
    let samples = (0..SAMPLES).map(|_| Ok(seconds(calls)? * 1e9 / f64::from(calls)));
    Ok(median(samples.collect::<Result<_, ikra::Error>>()?))
}

/// Nanoseconds of two programs. Short runs are measured in turn, several times: what changes with time, such as the clock
/// of the host, then changes both.
///
/// # Errors
/// Those of `ikra`.
pub fn in_turn(
    mut ikra: impl FnMut() -> Result<f64, ikra::Error>,
    mut cuda: impl FnMut() -> f64,
) -> Result<(f64, f64), ikra::Error> {
    let (mut ours, mut theirs) = (vec![ikra()?], vec![cuda()]);
    if ours[0] <= SHORT && !is_counting() {
        for _ in 1..ROUNDS {
            ours.push(ikra()?);
            theirs.push(cuda());
        }
    }
    Ok((median(ours), median(theirs)))
}

/// A name, and what shows a table.
pub type Group = (&'static str, fn(&Baselines) -> Result<(), ikra::Error>);

/// A program that shows tables: `PROGRAM target/cuda/libbaselines.so [GROUP …]`, on a machine with a GPU; `PROGRAM count [GROUP …]`
/// runs each kernel once.
///
/// # Errors
/// Without the library, and those of the groups.
pub fn run(groups: &[Group]) -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args();
    let program = arguments.next().unwrap_or_default();
    let names = groups.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" | ");
    let usage = || format!("usage: {program} target/cuda/libbaselines.so | {COUNT} [{names}] …");
    let baselines = Baselines::open(&arguments.next().ok_or_else(usage)?)?;
    let wanted: Vec<String> = arguments.collect();
    if wanted.iter().any(|wanted| groups.iter().all(|(name, _)| wanted != name)) {
        return Err(usage().into());
    }
    println!(
        "{}, microseconds per launch, median of {SAMPLES}; ratio = CUDA / Ikra",
        ikra::gpu::driver::devices()?[0].name
    );
    for (name, group) in groups {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            group(&baselines)?;
        }
    }
    Ok(())
}

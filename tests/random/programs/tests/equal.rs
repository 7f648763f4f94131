//! Random kernels give the results of a plain model, on the host with any number of threads and on a GPU.
#![allow(missing_docs, reason = "a test, not a library")]

use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use ikra::Place;
use ikra_build::variants;
use ikra_random_tests::PROGRAMS;
use ikra_test_gpu::device_code::is_long;

fn compare(place: Place) {
    let mut wrong = Vec::new();
    let mut kernels = 0;
    for program in PROGRAMS {
        kernels += (program.run)(place, 2, &mut |what| wrong.push(format!("{}: {what}", program.name)));
    }
    println!("{kernels} kernels");
    assert!(kernels > 10);
    assert!(wrong.is_empty(), "{} differ from the model:\n{}", wrong.len(), wrong.join("\n"));
}

fn threads(threads: usize) {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| compare(Place::Host));
}

#[test]
fn one_thread() {
    threads(1);
}

#[test]
fn several_threads() {
    threads(4);
}

/// On the machine's GPU, or on the emulator, whose order of warps each seed randomizes.
#[test]
fn gpu() {
    if !ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE")) {
        return;
    }
    compare(Place::Gpu(0));
    if ikra_test_gpu::is_emulated() && std::env::var_os(CHILD).is_none() {
        for &seed in if is_long() { &["1", "2"][..] } else { &["1"] } {
            emulated(seed, None).unwrap_or_else(|said| panic!("seed {seed}: {said}"));
        }
    }
}

/// Runs [`gpu`] in a separate process on the emulator, with this device code instead of the program's.
fn emulated(seed: &str, code: Option<&Path>) -> Result<(), String> {
    let mut run = Command::new(std::env::current_exe().unwrap());
    run.args(["--exact", "gpu", "--nocapture"]).env(CHILD, "1");
    if let Some(code) = code {
        run.env("IKRA_REPLACE_DEVICE_CODE", format!("ikra-random-tests={}", code.display()));
    }
    let output = ikra_test_gpu::emulate(&mut run, &[("SEED", seed)]).output().unwrap();
    let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    if output.status.success() { Ok(()) } else { Err(format!("{}\n{}", said[0], said[1])) }
}

/// Device code gives the same results without the passes over it: without all of them, and with `IKRA_LONG=1` also
/// without any one of them.
#[test]
fn each_pass_may_be_left_out() {
    let Some(code) = option_env!("IKRA_DEVICE_CODE") else {
        println!("SKIPPED: there is no compiler for the device");
        return;
    };
    let code = Path::new(code);
    let compiled = fs::read_to_string(code.with_extension("compiler.ptx")).unwrap();
    let whole = fs::read_to_string(code).unwrap();
    // The marks for recursion are needed, and are added after the passes.
    let is_mark = |line: &&str| ["//ikra:recursive", "//ikra:stack"].iter().any(|mark| line.starts_with(mark));
    let marks: String = whole.lines().filter(is_mark).map(|line| format!("{line}\n")).collect();
    // The host fills the tables that entry points take; this pass defines them.
    let passes: Vec<&str> = variants::names().into_iter().filter(|&name| name != "words").collect();
    let all: Vec<String> = passes.iter().map(|name| format!("-{name}")).collect();
    let one_each = if is_long() { &all[..] } else { &[] };
    let left_out: Vec<String> = one_each.iter().cloned().chain([all.join(",")]).collect();
    let check = |left_out: &str| {
        let text = variants::rewritten(&compiled, left_out).unwrap() + &marks;
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("without{}.ptx", left_out.replace(',', "")));
        fs::write(&path, text).unwrap();
        emulated("1", Some(&path)).unwrap_or_else(|said| panic!("{left_out}: {said}"));
    };
    // The emulator does not use the whole processor, so several runs are in parallel.
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                while let Some(left_out) = left_out.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(left_out);
                }
            });
        }
    });
}

/// Set in the child process that the test starts.
const CHILD: &str = "IKRA_TEST_CHILD";

//! Passes over device code change no results.

use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use ikra_build::variants;
use ikra_test_gpu::device_code::is_long;

use crate::emulated::emulated;

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
        emulated("gpu", "1", Some(&path)).unwrap_or_else(|said| panic!("{left_out}: {said}"));
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

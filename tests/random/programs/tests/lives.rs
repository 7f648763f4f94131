//! Random programs whose objects come and go give the results of a plain model, with any number of threads.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra_random_tests::LIVELY;
use ikra_test_gpu::device_code::is_long;

fn compare(size: usize, steps: u64) {
    let mut wrong = Vec::new();
    let mut kernels = 0;
    for program in LIVELY {
        kernels += (program.run)(size, steps, &mut |what| wrong.push(format!("{}: {what}", program.name)));
    }
    println!("{kernels} kernels");
    assert!(kernels > 10);
    assert!(wrong.is_empty(), "{} differ from the model:\n{}", wrong.len(), wrong.join("\n"));
}

fn threads(threads: usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let times = if is_long() { 10 } else { 1 };
    pool.install(|| {
        compare(40, 150 * times);
        // As many objects as several threads work on.
        compare(12_000, 6 * times);
    });
}

#[test]
fn one_thread() {
    threads(1);
}

#[test]
fn three_threads() {
    threads(3);
}

#[test]
fn eight_threads() {
    threads(8);
}

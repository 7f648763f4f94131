//! Random commands give the results of loops over the rows of a plain model, on the host with any number of threads and on
//! a GPU.

use ikra::Place;
use ikra_random_tests::COMMANDED;
use ikra_test_gpu::device_code::is_long;

fn compare(place: Place, size: usize, rounds: u64) {
    let ran: usize = COMMANDED.iter().map(|program| (program.run)(place, size, rounds)).sum();
    println!("{ran} commands");
    assert!(ran >= 20);
}

fn threads(threads: usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let times = if is_long() { 10 } else { 1 };
    pool.install(|| {
        compare(Place::Host, 1, 2);
        compare(Place::Host, 70, 6 * times);
        // Several chunks, and as many objects as several threads work on.
        compare(Place::Host, 9000, times);
    });
}

#[test]
fn one_thread() {
    threads(1);
}

#[test]
fn two_threads() {
    threads(2);
}

#[test]
fn four_threads() {
    threads(4);
}

/// On the machine's GPU, or on the emulator, whose order of warps each seed randomizes.
#[test]
fn gpu() {
    if !ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE")) {
        return;
    }
    let times = if is_long() { 10 } else { 1 };
    compare(Place::Gpu(0), 70, times);
    // Several blocks.
    compare(Place::Gpu(0), 700, times);
    crate::emulated::in_other_orders("commands::gpu");
}

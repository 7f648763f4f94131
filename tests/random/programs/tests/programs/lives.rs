//! Random programs whose objects come and go give the results of a plain model, on the host with any number of threads
//! and on a GPU.

use ikra::Place;
use ikra_random_tests::LIVELY;
use ikra_test_gpu::device_code::is_long;

fn compare(place: Place, size: usize, steps: u64) {
    let mut wrong = Vec::new();
    let mut kernels = 0;
    for program in LIVELY.iter().filter(|program| place == Place::Host || program.is_for_device) {
        let ran = (program.run)(place, size, steps, &mut |what| wrong.push(format!("{}: {what}", program.name)));
        kernels += ran.kernels;
        if place != Place::Host {
            println!("{}: on the device {:?}", program.name, ran.on_device);
            // The host runs the kernels that a GPU cannot run, so equal results prove nothing by themselves.
            let changes = |kernel: &&&str| kernel.contains("::k") || kernel.ends_with("::leave");
            let changed = ran.on_device.iter().filter(changes).count();
            assert!(!program.is_simple || steps < 50 || changed >= 5, "{}: {changed} ran on the device", program.name);
        }
    }
    println!("{kernels} kernels");
    assert!(kernels > 10);
    assert!(wrong.is_empty(), "{} differ from the model:\n{}", wrong.len(), wrong.join("\n"));
}

fn threads(threads: usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let times = if is_long() { 10 } else { 1 };
    pool.install(|| {
        compare(Place::Host, 40, 150 * times);
        // As many objects as several threads work on.
        compare(Place::Host, 12_000, 6 * times);
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

/// On the machine's GPU, or on the emulator, whose order of warps each seed randomizes.
#[test]
fn gpu() {
    if !ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE")) {
        return;
    }
    let times = if is_long() { 10 } else { 1 };
    compare(Place::Gpu(0), 40, 60 * times);
    // Several blocks.
    compare(Place::Gpu(0), 1500, 4 * times);
    crate::emulated::in_other_orders("lives::gpu");
}

//! Random kernels give the results of a plain model, on the host with any number of threads and on a GPU.

use ikra::Place;
use ikra_random_tests::PROGRAMS;

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
    crate::emulated::in_other_orders("equal::gpu");
}

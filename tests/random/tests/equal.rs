//! Random kernels give the results of a plain model, on the host with any number of threads and on a GPU.
#![allow(missing_docs, reason = "a test, not a library")]

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

#[test]
fn gpu() {
    if option_env!("IKRA_DEVICE_CODE").is_none() {
        println!("SKIPPED: there is no device code; set IKRA_RANDOM_SEEDS");
        return;
    }
    match ikra::driver::devices() {
        Ok(devices) if !devices.is_empty() => compare(Place::Gpu(0)),
        _ => {
            assert!(std::env::var_os("IKRA_REQUIRE_GPU").is_none(), "there is no GPU");
            println!("SKIPPED: there is no GPU");
        }
    }
}

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

/// On the machine's GPU, or on the emulator, whose order of warps each seed draws anew.
#[test]
fn gpu() {
    if option_env!("IKRA_DEVICE_CODE").is_none() {
        println!("SKIPPED: there is no device code; set IKRA_RANDOM_SEEDS");
        return;
    }
    if !ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE")) {
        return;
    }
    compare(Place::Gpu(0));
    if ikra_test_gpu::is_emulated() && std::env::var_os(CHILD).is_none() {
        for seed in ["1", "2"] {
            let mut run = std::process::Command::new(std::env::current_exe().unwrap());
            run.args(["--exact", "gpu", "--nocapture"]).env(CHILD, "1");
            let output = ikra_test_gpu::emulate(&mut run, &[("SEED", seed)]).output().unwrap();
            let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
            assert!(output.status.success(), "seed {seed}: {}\n{}", said[0], said[1]);
        }
    }
}

/// Is set where the test runs itself.
const CHILD: &str = "IKRA_TEST_CHILD";

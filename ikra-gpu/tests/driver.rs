//! What is said of a driver that is missing, old, or fails: with the emulator, which fails as it is told to.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

use ikra_gpu::driver::{Context, Memory, Module, driver_version, library, load};

const KERNEL: &str = ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n";

/// What [`child`] prints beside the emulator, and the emulator with it.
fn said(variables: &[(&str, &str)]) -> String {
    said_by("child", variables)
}

/// What a test prints beside the emulator, and the emulator with it.
fn said_by(test: &str, variables: &[(&str, &str)]) -> String {
    run(ikra_test_gpu::emulate(&mut this_program(test), variables))
}

/// This program, for one test.
fn this_program(test: &str) -> Command {
    let mut run = Command::new(std::env::current_exe().unwrap());
    run.args(["--exact", test, "--ignored", "--nocapture"]);
    run
}

fn run(program: &mut Command) -> String {
    let run = program.output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{said}");
    said
}

#[test]
#[ignore = "run by the others, beside a driver made for it"]
fn child() {
    println!("version: {:?}", driver_version().map_err(|error| error.to_string()));
    for text in [KERNEL, "nonsense"] {
        let module = Context::open(0).and_then(|context| Module::load(&context, text));
        println!("module: {}", module.err().map_or(String::from("loaded"), |error| error.to_string()));
    }
}

#[test]
fn errors_of_the_driver_keep_their_function_and_their_words() {
    let text = said(&[]);
    assert!(text.contains("version: Ok((13, 0))") && text.contains("module: loaded"), "{text}");
    assert!(text.contains("CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed)"), "{text}");
    assert!(text.contains("ptxas application ptx input, line 1"), "the compiler's log: {text}");

    // A result that no list here has, as a newer driver may return.
    let text = said(&[("PLAN", "cuInit:12345")]);
    assert!(text.contains("error 12345, for which the driver has no name"), "{text}");
    let text = said(&[("PLAN", "cuDriverGetVersion:12345")]);
    assert!(text.contains("`cuDriverGetVersion` failed: error 12345"), "{text}");

    let text = said(&[("PLAN", "cuModuleLoadDataEx:2")]);
    assert!(text.contains("device code"), "{text}");

    // A context that a kernel has broken is reset, and if that does not help, the program goes on with the host.
    let text = said(&[("PLAN", "cuDevicePrimaryCtxRetain:700"), ("TRACE", "1")]);
    assert!(text.contains("called cuDevicePrimaryCtxReset_v2"), "{text}");
    assert!(text.contains("restart the program"), "{text}");
}

/// With a library that has one function of the driver.
#[test]
fn an_old_driver_is_an_error_that_names_what_it_lacks() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, driver) = (folder.join("old.rs"), folder.join("libold.so"));
    let text = "#[unsafe(no_mangle)] pub unsafe extern \"C\" fn cuDriverGetVersion(version: *mut i32) -> u32 {
        unsafe { version.write(11_020) };
        0
    }";
    std::fs::write(&source, text).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut build = Command::new(rustc);
    build.args(["--edition=2024", "--crate-type=cdylib", "--crate-name=old", "-o"]).arg(&driver).arg(&source);
    let built = build.output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let text = run(this_program("child").env("IKRA_DRIVER", &driver));
    let wanted = "the NVIDIA driver for CUDA 11.2 has no `cuInit`: install one for CUDA 11.4";
    assert_eq!(text.matches(wanted).count(), 3, "{text}");
    assert!(text.contains("IKRA_DRIVER="), "{text}");
}

#[test]
fn a_driver_that_is_not_there_is_an_error_that_says_who_named_it() {
    let text = run(this_program("child").env("IKRA_DRIVER", "/nowhere/libcuda.so.1"));
    let wanted = "IKRA_DRIVER=/nowhere/libcuda.so.1 cannot be opened as a driver";
    assert!(text.contains(wanted) && text.contains("or run on the host"), "{text}");
}

#[test]
#[ignore = "run by the others, beside a driver made for it"]
fn a_program_that_chooses() {
    let emulator = ikra_test_gpu::emulator();
    // SAFETY: the emulator's functions are those of the driver.
    let choose = || unsafe { load(&emulator) };
    choose().unwrap();
    assert_eq!(library().unwrap(), emulator.to_str().unwrap());
    let context = Context::open(0).unwrap();
    assert_eq!(context.device().name, "Ikra emulator");
    let error = choose().unwrap_err().to_string();
    assert!(error.contains("load this one first"), "{error}");
}

#[test]
fn a_program_chooses_its_driver_before_it_uses_one() {
    run(this_program("a_program_that_chooses").env("IKRA_DRIVER", "/nowhere/libcuda.so.1"));
}

#[test]
#[ignore = "run by the others, beside a driver made for it"]
fn long_memory() {
    let context = Context::open(0).unwrap();
    for len in [0, 1, 65_535, 65_536, 65_537, 1_000_000, 2_097_151, 2_097_152, 5_000_000] {
        // Another each time, so that it starts somewhere else.
        let kept: Vec<_> = (0..3).map(|_| Memory::new(&context, len, "a test").unwrap()).collect();
        for memory in kept {
            assert_eq!(memory.len(), len);
            println!("{len} bytes at {}", memory.address());
        }
    }
}

#[test]
fn long_memory_starts_on_multiples_of_64_kib() {
    // Those of the emulator start on multiples of 256, and it looks whether what is freed was allocated.
    let text = said_by("long_memory", &[]);
    let found: Vec<(u64, u64)> = text
        .lines()
        .filter_map(|line| line.split_once(" bytes at "))
        .map(|(len, address)| (len.parse().unwrap(), address.parse().unwrap()))
        .collect();
    assert_eq!(found.len(), 27, "{text}");
    assert!(found.iter().any(|(_, address)| address % 65_536 != 0), "short ones start anywhere: {text}");
    for (len, address) in found {
        // From 2 MiB on the driver's own start on such places; those of the emulator do not.
        assert!(!(65_536..2_097_152).contains(&len) || address % 65_536 == 0, "{len} bytes at {address}");
    }
}

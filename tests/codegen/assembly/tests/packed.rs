//! Kernels over many columns are vectorised, and give the same results with every instruction set.
#![cfg(target_arch = "x86_64")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// A function of the machine code: its mangled name and its instructions.
struct Function {
    name: String,
    body: Vec<String>,
}

/// Compiles the program in release mode and returns its folder: where other programs of this workspace are built too, which
/// need the same libraries.
fn build() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it is in the target folder");
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["rustc", "--release", "--bin", "run-kernels", "--manifest-path"])
        .arg(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target)
        .args(["--", "--emit=asm", "-Csymbol-mangling-version=v0"])
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    target.join("release")
}

/// The functions of the program's machine code.
fn functions(release: &Path) -> Vec<Function> {
    let newest = fs::read_dir(release.join("deps"))
        .expect("cargo made a folder")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension().is_some_and(|extension| extension == "s")
                && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("run_kernels"))
        })
        .max_by_key(|path| fs::metadata(path).and_then(|data| data.modified()).expect("files have times"))
        .expect("rustc wrote machine code");
    let text = fs::read_to_string(newest).expect("the file can be read");
    let mut functions: Vec<Function> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_suffix(':')
            && name.starts_with("_R")
        {
            functions.push(Function { name: name.to_owned(), body: Vec::new() });
        } else if let Some(function) = functions.last_mut() {
            function.body.push(line.trim().to_owned());
        }
    }
    functions
}

/// Counts an instruction in the loops over a kernel's columns, in the version for one instruction set.
fn count(functions: &[Function], version: &str, module: &str, kernel: &str, instruction: &str) -> usize {
    let mut found = false;
    let mut count = 0;
    for function in functions {
        let name = &function.name;
        // Only the innermost functions, which take the columns or the block as parameters.
        let is_loop = name.contains(version) && ["ikra_core", "ikra_runtime"].iter().any(|own| name.contains(own));
        if is_loop && name.contains(&format!("Kernel_{kernel}")) && name.contains(module) {
            found = true;
            count += function.body.iter().filter(|line| line.starts_with(instruction)).count();
        }
    }
    assert!(found, "no loop of {module}'s {kernel} in the machine code");
    count
}

#[test]
fn loops_over_many_columns_are_vectorised() {
    let release = build();
    let functions = functions(&release);
    for module in ["3soa", "5tiles"] {
        let packed = count(&functions, "4base", module, "add_ten", "addps");
        assert!(packed >= 10, "{module}: ten additions are vectorised, found {packed}");
        let packed = count(&functions, "4base", module, "add_six", "addps");
        assert!(packed >= 6, "{module}: six additions are vectorised, found {packed}");
        let packed = count(&functions, "4base", module, "attract", "mulps");
        assert!(packed >= 3, "{module}: pairs are vectorised, found {packed}");
        for version in ["2v3", "2v4"] {
            let wide = count(&functions, version, module, "churn", "vmulps");
            assert!(wide >= 100, "{module}: a large kernel is in the loop itself, for {version}, found {wide}");
        }
        let wide = count(&functions, "2v4", module, "attract", "vmulps");
        assert!(wide >= 3, "{module}: pairs are vectorised for AVX-512, found {wide}");
    }
    sequential_loops_are_vectorised(&functions);
    atomic_among_threads_only(&functions);
    same_results(&release);
}

/// Plain `for` loops over all objects are vectorised too: invariant checks come before the loop.
fn sequential_loops_are_vectorised(functions: &[Function]) {
    for name in ["loop_over_refs", "loop_over_rows"] {
        let function = functions.iter().find(|function| function.name.contains(name) && function.name.contains("3soa"));
        let function = function.unwrap_or_else(|| panic!("{name} is in the machine code"));
        let packed = function.body.iter().filter(|line| line.starts_with("mulps")).count();
        assert!(packed >= 1, "{name}: multiplications are vectorised");
    }
}

/// Kernels that update atomic fields have two loops: one for several threads, and one without atomic instructions.
fn atomic_among_threads_only(functions: &[Function]) {
    // Executors distinguish the two by the constant `ALONE`.
    let (of_one, of_several) = ("Kb1_", "Kb0_");
    let loops = |kernel: &str, version: &str| -> Vec<&Function> {
        let kernel = format!("Kernel_{kernel}");
        let of_kernel = functions.iter().filter(|function| {
            let name = &function.name;
            name.contains(&kernel) && name.contains("4base") && name.contains("ikra_core") && name.contains(version)
        });
        of_kernel.collect()
    };
    for (kernel, updates) in [("add_one", 1), ("add_by_all_ways", 8), ("lower", 1)] {
        let count = |version: &str, instruction: &str| {
            let versions = loops(kernel, version);
            assert!(!versions.is_empty(), "{kernel} has both versions");
            let lines = versions.iter().flat_map(|function| &function.body);
            lines.filter(|line| line.starts_with(instruction)).count()
        };
        assert!(count(of_several, "lock") >= updates, "{kernel} is atomic where there are several threads");
        assert_eq!(count(of_one, "lock"), 0, "{kernel} is not where there is one");
    }
    assert!(!loops("add_ten", of_several).is_empty(), "other kernels have a version");
    assert!(loops("add_ten", of_one).is_empty(), "and no other");
}

/// All instruction sets of this machine give the same bits.
fn same_results(release: &Path) {
    let [base, v3, v4] = ["base", "v3", "v4"].map(|set| {
        let output = Command::new(release.join("run-kernels")).env("IKRA_ISA", set).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8(output.stdout).expect("it prints text");
        let (isa, bits) = printed.split_once('\n').expect("it prints lines");
        assert!(!is_x86_feature_detected!("avx512f") || isa.eq_ignore_ascii_case(set), "{set}: {isa}");
        assert_eq!(bits.lines().count(), 3, "{bits}");
        bits.to_owned()
    });
    assert!(base == v3 && base == v4, "{base}{v3}{v4}");
}

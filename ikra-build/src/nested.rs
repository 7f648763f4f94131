//! The cargo that compiles for the device.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ikra_ptx::{Item, Module};

use crate::files::{hash, write_if_changed};
use crate::krate::{Krate, PROFILE};
use crate::toolchain::{Libraries, TARGET, Toolchain};
use crate::{Device, Floats, artifact, messages, passes, turn};

/// Variables of the outer build that must not reach the inner one.
const SCRUBBED: &[&str] = &[
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_INCREMENTAL",
    "CARGO_MAKEFLAGS",
    "CARGO_TARGET_DIR",
    "LD_LIBRARY_PATH",
    "MAKEFLAGS",
    "RUSTC",
    "RUSTC_LINKER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
    "TARGET",
];

/// Prefixes of further ones. Variables that describe the package would make the inner build differ from run to run.
const SCRUBBED_PREFIXES: &[&str] = &[
    "CARGO_BUILD_",
    "CARGO_CFG_",
    "CARGO_FEATURE_",
    "CARGO_MANIFEST",
    "CARGO_PKG_",
    "CARGO_PROFILE_",
    "CARGO_UNSTABLE_",
    "DEP_",
];

/// The result of the inner build.
pub(crate) struct Made {
    /// PTX.
    pub(crate) code: Module,
    /// LLVM's text of the same, if it is needed for a check.
    pub(crate) ir: Option<String>,
    /// The files that it was made from.
    pub(crate) sources: Vec<PathBuf>,
    /// For the end of the build script.
    pub(crate) lent: Option<turn::Lent>,
}

/// Compiles the crate. `root` is the folder that paths in messages are relative to.
///
/// # Errors
///
/// A message for the user.
pub(crate) fn compile(
    device: &Device,
    toolchain: &Toolchain,
    krate: &Krate,
    out: &Path,
    root: &Path,
) -> Result<Made, String> {
    let flags = flags(device);
    // Builds with other flags or compilers have a folder of their own, so that neither undoes the other's.
    let key = hash(format!("{}{}", toolchain.version, flags.join("\x1f")).as_bytes());
    let target_dir = target_dir(out).join("ikra-device").join(format!("{key:016x}"));
    let turn = turn::in_folder(&target_dir);
    let run = |offline: bool| {
        let mut command = command(toolchain, krate, &target_dir);
        command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
        if offline {
            command.arg("--offline");
        }
        // For the model's crate alone: the others are not compiled to instructions yet.
        command.args(["--", "--emit=asm"]).args(instructions(device.floats));
        if !device.lines {
            // As on the host, panics say `src/model.rs`, and published code says nothing about this machine.
            let mut remap = OsString::from("--remap-path-prefix=");
            remap.push(root);
            remap.push("=");
            command.arg(remap);
        }
        if device.floats == Floats::Strict {
            // To find operations that give other bits, and their lines.
            command.arg("--emit=llvm-ir");
        }
        if device.lines || device.floats == Floats::Strict {
            command.arg("-Cdebuginfo=line-directives-only");
        }
        command.output().map_err(|error| format!("cannot run {}: {error}", toolchain.cargo.display()))
    };
    let mut output = run(true)?;
    if !output.status.success() && messages::wants_network(&text(&output)) {
        output = run(false)?;
    }
    if !output.status.success() {
        return Err(messages::explain(&text(&output)));
    }
    let profile = target_dir.join(TARGET).join(PROFILE);
    let path = artifact::code(&profile, &krate.name)
        .ok_or_else(|| format!("no PTX was written to {}; remove that folder and build again", profile.display()))?;
    let text = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let ir = match device.floats {
        Floats::Strict => {
            let path = path.with_extension("ll");
            Some(fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?)
        }
        Floats::Contract | Floats::Fast => None,
    };
    let sources = artifact::sources(&profile, &krate.name);
    let lent = turn.and_then(turn::Turn::end);
    // For tests that leave out a pass.
    write_if_changed(&out.join("ikra_device.compiler.ptx"), &text);
    let left_out = passes::left_out(&std::env::var("IKRA_PASSES").unwrap_or_default())?;
    let code = rewritten(&text, toolchain.release(), device.floats, device.lines, &left_out)
        .map_err(|error| not_understood(&error, toolchain, &path))?;
    Ok(Made { code, ir, sources, lent })
}

/// Code from the compiler release, in the form for the driver, without the passes that are named in `left_out`.
///
/// # Errors
///
/// The part of the text that is not understood.
pub(crate) fn rewritten(
    text: &str,
    compiler: &str,
    floats: Floats,
    keeps_lines: bool,
    left_out: &[String],
) -> Result<Module, String> {
    let mut code = passes::parsed(text).map_err(|error| error.to_string())?;
    if !keeps_lines {
        without_lines(&mut code);
    }
    passes::done(&mut code, compiler, floats, left_out, cfg!(debug_assertions))?;
    Ok(code)
}

/// The message about code that is not understood: the compiler is not one of those that were tested.
fn not_understood(error: &str, toolchain: &Toolchain, path: &Path) -> String {
    let version = toolchain.version.lines().next().unwrap_or_default();
    format!(
        "the device code that {version} wrote to {} is not understood: {error}; this is a mistake of ikra-build, or the compiler is newer than it: IKRA_RUSTC can name an older one",
        path.display()
    )
}

/// Removes source positions, and debuggers' data about them, unless someone asked for them.
fn without_lines(code: &mut Module) {
    let is_place = |item: &Item| match item {
        Item::Section(_) => true,
        Item::Directive(text) => text.starts_with(".file"),
        _ => false,
    };
    code.items.retain(|item| !is_place(item));
    let bodies = code.functions_mut().filter_map(|function| function.body.as_mut());
    for one in bodies.flat_map(|body| &mut body.blocks).flat_map(|block| &mut block.instructions) {
        one.location = None;
    }
}

fn command(toolchain: &Toolchain, krate: &Krate, target_dir: &Path) -> Command {
    let mut command = Command::new(&toolchain.cargo);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if SCRUBBED.contains(&&*text) || SCRUBBED_PREFIXES.iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
    command
        .env("RUSTC", &toolchain.rustc)
        .env("RUSTC_BOOTSTRAP", "1")
        // Not known to cargo, but the folder is for the device alone.
        .env(ikra_marks::FOR_DEVICE, "1")
        // Empty, not absent: the settings of the configuration must not be used either.
        .env("RUSTC_WRAPPER", "")
        .env("RUSTC_WORKSPACE_WRAPPER", "")
        .env("CARGO_TARGET_DIR", target_dir)
        .env("CARGO_BUILD_BUILD_DIR", target_dir)
        .args(["rustc", "--lib", "--quiet", "--profile", PROFILE, "--target", TARGET, "--manifest-path"])
        .arg(&krate.manifest);
    // Its job server is not the inner cargo's: a file handle that cannot be inherited.
    if let Ok(jobs) = std::env::var("NUM_JOBS") {
        command.args(["--jobs", &jobs]);
    }
    if toolchain.libraries == Libraries::Sources {
        command.arg("-Zbuild-std=core");
    }
    command
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Flags for all crates of the device, but for none of the host.
fn flags(device: &Device) -> Vec<String> {
    vec![
        format!("-Ctarget-cpu={}", device.target),
        // This pass copies barriers into both arms of a divergent branch (rust-lang/rust#137086).
        String::from("-Zmir-enable-passes=-JumpThreading"),
        // As nvcc: with more, the remainder of a loop is many iterations, one by one, each waiting for memory.
        String::from("-Cllvm-args=-unroll-max-count=4"),
        // A loop of few iterations is unrolled, though that is long: an array that it indexes is then in registers, not
        // in memory.
        String::from("-Cllvm-args=-unroll-threshold=450"),
        String::from("-Cllvm-args=-unroll-full-max-count=32"),
        // Also if each iteration may end in a panic: the check of a link or an index comes before the next load.
        String::from("-Cllvm-args=-unroll-runtime-multi-exit=true"),
        // A counter of 64 bits takes two registers.
        String::from("-Cllvm-args=-indvars-widen-indvars=false"),
        // It keeps a register for each multiple of a stride. Short of registers, the assembler starts loads one after
        // another: a loop over links that was unrolled four times took up to 1.4 times as long.
        String::from("-Cllvm-args=-disable-lsr"),
    ]
}

/// Flags that choose instructions, after all crates have become one.
fn instructions(floats: Floats) -> &'static [&'static str] {
    match floats {
        Floats::Strict => &[],
        Floats::Contract => &["-Cllvm-args=-nvptx-fma-level=1"],
        Floats::Fast => {
            &["-Cllvm-args=-nvptx-fma-level=2", "-Cllvm-args=-nvptx-prec-divf32=0", "-Cllvm-args=-nvptx-prec-sqrtf32=0"]
        }
    }
}

/// The folder in which the program is built: the folder above the build script's that cargo marked. Cargo does not mark
/// an existing folder; in that case the path is inferred from cargo's naming, `debug/build/x-1/out`, or it is the build
/// script's own.
fn target_dir(out: &Path) -> PathBuf {
    let marked = out.ancestors().find(|at| at.join("CACHEDIR.TAG").is_file());
    let build = || out.ancestors().nth(2).filter(|folder| folder.ends_with("build"));
    let named = || build()?.ancestors().nth(2);
    marked.or_else(named).unwrap_or(out).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ways_of_rounding_share_all_crates_but_the_models() {
        let flags = |floats| flags(&Device::new("m").target("sm_90").floats(floats));
        assert!(flags(Floats::Strict).contains(&String::from("-Ctarget-cpu=sm_90")));
        assert_eq!(flags(Floats::Contract), flags(Floats::Fast));
        assert_eq!(flags(Floats::Contract), flags(Floats::Strict));
        assert!(!flags(Floats::Fast).iter().any(|flag| flag.contains("-nvptx")));
        assert_ne!(instructions(Floats::Contract), instructions(Floats::Fast));
    }

    #[test]
    fn all_packages_of_a_target_directory_share_one() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("debug/build/x-1/out");
        fs::create_dir_all(&out).unwrap();
        assert_eq!(target_dir(&out), folder.path());
        let elsewhere = folder.path().join("out");
        assert_eq!(target_dir(&elsewhere), elsewhere);
        fs::write(folder.path().join("CACHEDIR.TAG"), "").unwrap();
        assert_eq!(target_dir(&out), folder.path());
        assert_eq!(target_dir(&elsewhere), folder.path());
    }
}

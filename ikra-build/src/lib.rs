//! Compiles a model for NVIDIA GPUs in the build script of a program that uses
//! [`ikra`](https://docs.rs/ikra).
//!
//! ```no_run
//! // In `main` of build.rs:
//! ikra_build::device("src/model.rs");
//! ```
//!
//! ```toml
//! [dependencies]
//! ikra = { version = "0.1", features = ["cuda"] }
//! [build-dependencies]
//! ikra-build = "0.1"
//! ```
//!
//! The model is a module of the program. It is compiled a second time for `nvptx64-nvidia-cuda`, as the only module of
//! a small `no_std` crate. So it may use `core`, `ikra`, and crates listed with [`Device::dependency`]. `#[soa_world]`
//! embeds the result. No CUDA toolkit is needed.
//!
//! The first build takes half a minute, to compile `core`; a changed model takes seconds. The results are in
//! `ikra-device` in the target directory, shared by all packages and profiles.
//!
//! # The compiler
//!
//! rustc 1.96 or newer, with one of
//!
//! - `rustup target add nvptx64-nvidia-cuda`,
//! - `rustup component add rust-src`,
//! - on Debian, `apt-get install rustc-web cargo-web rust-web-src`.
//!
//! It need not be the toolchain that compiles the program: [`toolchains`] lists the candidates. Without one, the build
//! succeeds with one warning, there is no device code, and programs run on the host.
//!
//! # Messages
//!
//! An error in the model fails the build script, so that the host's compilation does not repeat it. For editors that
//! show only the host's messages, set `IKRA_SKIP_DEVICE=1`; then they show these at the right lines.
//!
//! A call of a function that does not exist on the device is an error too. So is, with [`Floats::Strict`], an operation
//! that gives other bits on the device than on the host. The build warns of kernels that keep variables in local
//! memory, which is slow.
//!
//! # Variables
//!
//! | variable | meaning |
//! | --- | --- |
//! | `IKRA_RUSTC` | the compiler to use, a path or a name, with `cargo` beside it |
//! | `IKRA_SKIP_DEVICE=1` | make no device code; so do clippy, rust-analyzer and docs.rs |
//! | `IKRA_PREBUILT_PTX` | the path in [`Device::prebuilt`] |
//! | `IKRA_WRITE_PREBUILT=1` | write that file |
//! | `IKRA_VERBOSE=1` | say which compiler was taken, and how many kernels were made |
//! | `IKRA_PASSES=-checks,-loops` | leave these passes out, for measurements (see `docs/compilers.md`) |
//! | `IKRA_PTXAS` | the assembler that [`ptxas`] uses |

#![warn(unreachable_pub)]

mod artifact;
mod calls;
mod files;
mod krate;
mod library;
mod messages;
mod nested;
mod passes;
mod prebuilt;
pub mod ptx;
pub mod ptxas;
mod strict;
mod toolchain;
mod turn;
pub mod variants;

use std::env;
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};

use files::write_if_changed;
use prebuilt::Prebuilt;
pub use toolchain::{Candidate, Libraries, Search, Toolchain, find_toolchain, toolchains};

/// Bytes of a thread's local memory that are worth a warning. The driver keeps smaller variables in registers, or they
/// are on a rare path.
const NOTABLE_BYTES: u64 = 64;

/// Bytes of stack per thread, if methods call themselves and [`Device::stack`] says nothing else: enough for a hundred
/// calls or more of a method with few variables.
pub const STACK: usize = 16 * 1024;

/// How floating-point arithmetic is compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Floats {
    /// The same bits as on the host (only the NaN that an operation gives may differ). Every operation is rounded. An
    /// operation that gives other bits is an error with its line and a replacement: `%` of floating-point numbers,
    /// `min` and `max` of numbers that may be −0 and 0, and the methods of `std` that are not exact, such as `sin` and
    /// `powf`. `ikra::math` has all of them, and a table of the operations that are the same anyway.
    #[default]
    Strict,
    /// A product and a sum may become one operation that rounds once, as with `nvcc`. So the sum of *n* products
    /// differs from the host's by at most *n* ε times the sum of their magnitudes, where ε is the type's `EPSILON`.
    /// Divisions and square roots have the same bits, and functions of `ikra::math` are within 2 ulp of the host's.
    /// Operations that `Strict` refuses are allowed: `x.sin()` is `ikra::math::sin(x)`. `%` computes with a rounded
    /// quotient, so it is useless for large quotients.
    Contract,
    /// As `Contract`, but divisions and square roots of `f32` are approximate, within 2 ulp of the host's. They take
    /// numbers below `f32::MIN_POSITIVE` for zero, as `nvcc -use_fast_math` does. Functions of `ikra::math` are within 4
    /// ulp.
    Fast,
}

/// Compiles the model at `path`, relative to the package, with the defaults of [`Device`].
pub fn device(path: impl AsRef<Path>) {
    Device::new(path).build();
}

/// A model to be compiled for the device.
///
/// ```no_run
/// use ikra_build::{Device, Floats};
///
/// Device::new("src/model.rs").target("sm_80").floats(Floats::Contract).build();
/// ```
#[derive(Clone, Debug)]
pub struct Device {
    model: PathBuf,
    target: String,
    floats: Floats,
    lines: bool,
    dependencies: Vec<(String, String)>,
    prebuilt: Option<PathBuf>,
    stack: Option<usize>,
}

impl Device {
    /// The model at `path`, relative to the package.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Self {
            model: path.as_ref().to_owned(),
            target: String::from("sm_75"),
            floats: Floats::Strict,
            lines: false,
            dependencies: Vec::new(),
            prebuilt: None,
            stack: None,
        }
    }

    /// The oldest GPU architecture that can run the code. `sm_75`, the default, serves every GPU since Turing: the
    /// driver compiles the code for the GPU at hand.
    #[must_use]
    pub fn target(mut self, target: &str) -> Self {
        target.clone_into(&mut self.target);
        self
    }

    /// How floating-point arithmetic is compiled.
    #[must_use]
    pub fn floats(mut self, floats: Floats) -> Self {
        self.floats = floats;
        self
    }

    /// Whether tools such as `ncu` and `compute-sanitizer` can show the model's lines.
    #[must_use]
    pub fn line_info(mut self, lines: bool) -> Self {
        self.lines = lines;
        self
    }

    /// A `no_std` crate that the model uses, with its entry in `[dependencies]`: `"1.2"`, or a table such
    /// as `{ version = "1.2", default-features = false }`. A `path` in it counts from the package.
    ///
    /// It may have classes to which the model's classes link. Its kernels are then in this device code. Such a crate
    /// starts with `#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx, asm_experimental_arch))]`. If no
    /// class of the model links to its classes, it can have its own device code, which the world names:
    /// `#[soa_world(device_code = [shapes::DEVICE_CODE])]`.
    #[must_use]
    pub fn dependency(mut self, name: &str, entry: &str) -> Self {
        let entry = if entry.trim_start().starts_with('{') { entry.to_owned() } else { format!("\"{entry}\"") };
        self.dependencies.push((name.to_owned(), entry));
        self
    }

    /// Device code that is kept next to the model, relative to the package. Users of a published crate without a
    /// compiler for the device use it.
    ///
    /// A build with `IKRA_WRITE_PREBUILT=1` writes the file, which names its sources. If the model has changed since,
    /// the file is not used, and builds warn that it must be written again.
    ///
    /// ```no_run
    /// ikra_build::Device::new("src/model.rs").prebuilt("src/model.ptx").build();
    /// ```
    #[must_use]
    pub fn prebuilt(mut self, path: impl AsRef<Path>) -> Self {
        self.prebuilt = Some(path.as_ref().to_owned());
        self
    }

    /// Bytes of stack that each thread of the device has at least, for methods that call themselves.
    ///
    /// The compiler does not know how deep recursion goes. For recursive methods the default is [`STACK`] bytes, and
    /// builds warn: if a tree is deeper, a thread runs out of stack, and the device is lost. Kernels without recursion
    /// have the stack that they need, whatever this says.
    ///
    /// The device sets this memory aside for each thread that can run at the same time. On a GPU with 132
    /// multiprocessors these are 270,336 threads: 4.4 GB at 16 KiB each.
    ///
    /// ```no_run
    /// ikra_build::Device::new("src/model.rs").stack(64 * 1024).build();
    /// ```
    #[must_use]
    pub fn stack(mut self, bytes: usize) -> Self {
        self.stack = Some(bytes);
        self
    }

    /// Compiles the model. Call it once, in a build script.
    ///
    /// # Panics
    ///
    /// Outside a build script; when called twice; if there is no model. If the model does not compile for the device,
    /// the build script ends with the compiler's messages.
    pub fn build(&self) {
        static IS_BUILT: AtomicBool = AtomicBool::new(false);
        assert!(
            !IS_BUILT.swap(true, Ordering::Relaxed),
            "a package has one model; make the second one a module of the first"
        );
        for variable in VARIABLES {
            println!("cargo::rerun-if-env-changed={variable}");
        }
        let package = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
        let model = package.join(&self.model);
        assert!(
            model.is_file(),
            "there is no model at {}; give `ikra_build::device` the model's path relative to the package",
            model.display()
        );
        rerun_if_changed(&self.model);
        if is_set("IKRA_SKIP_DEVICE") || is_analysis() || is_for_device() {
            return;
        }
        let path = env::var_os("IKRA_PREBUILT_PTX").map(PathBuf::from).or_else(|| self.prebuilt.clone());
        let prebuilt = path.map(|path| Prebuilt { path: package.join(path), device: self, package: &package });
        if let Some(Prebuilt { path, .. }) = &prebuilt {
            // A file that does not exist would count as changed at every build.
            rerun_if_changed(path.ancestors().find(|at| at.exists()).unwrap_or(path));
        }
        match find_toolchain() {
            Ok(toolchain) => self.compile(&toolchain, &package, &model, prebuilt.as_ref()),
            Err(search) => use_prebuilt(&search, prebuilt.as_ref()),
        }
    }

    fn compile(&self, toolchain: &Toolchain, package: &Path, model: &Path, prebuilt: Option<&Prebuilt<'_>>) {
        let Some(ikra) = library::folder(package) else {
            fail("ikra is not among this package's dependencies; add it to `[dependencies]`");
        };
        let out = PathBuf::from(variable("OUT_DIR"));
        let lock = krate::lock(&out, package);
        let krate = krate::write(self, package, model, &ikra, &out.join("device"), lock.as_deref());
        // Cargo shows paths relative to the workspace, where the lock file is.
        let root = lock.as_deref().and_then(Path::parent).filter(|root| package.starts_with(root)).unwrap_or(package);
        let made = match nested::compile(self, toolchain, &krate, &out, root) {
            Ok(made) => made,
            Err(message) => fail(&message),
        };
        for source in made.sources.iter().filter(|source| !source.starts_with(&out)) {
            rerun_if_changed(&files::seen_from(source, package, root));
        }
        if let Some(complaint) = made.ir.and_then(|ir| strict::complaint(&ir, package, root)) {
            fail(&complaint);
        }
        let problems = ptx::problems_of(&made.code);
        let kernels = made.code.kernels().count();
        let mut code = made.code.to_string();
        code.push_str(&stack_marks(&problems, self.stack));
        for problem in problems {
            match problem {
                ptx::Problem::Unresolved(name) => fail(&format!(
                    "the device code calls `{name}`, which does not exist on the device; use a function of `core` or `ikra`"
                )),
                ptx::Problem::LocalMemory { bytes, kernel } if bytes < NOTABLE_BYTES || ends_kernels(&kernel) => {}
                ptx::Problem::LocalMemory { kernel, bytes } => warn(&format!(
                    "kernel {kernel} keeps {bytes} bytes per thread in slow local memory, usually for an array that is indexed by a variable"
                )),
                ptx::Problem::Recursion { .. } if self.stack.is_some() => {}
                ptx::Problem::Recursion { kernel, function } => warn(&format!(
                    "kernel {kernel} calls `{function}`, which may call itself; each thread has a stack of {STACK} bytes for that, and if it is too small the kernel fails: write `.stack(bytes)` with what is needed in the build script, `ikra_build::Device::new(…).stack(64 * 1024).build()`, or use a loop"
                )),
            }
        }
        if is_set("IKRA_VERBOSE") {
            warn(&format!("{kernels} kernels by {toolchain}"));
        }
        let path = out.join("ikra_device.ptx");
        write_if_changed(&path, &code);
        embed(&path);
        if let Some(prebuilt) = prebuilt {
            if is_set("IKRA_WRITE_PREBUILT") {
                prebuilt.write(&code, &made.sources);
            } else if let Err(reason) = prebuilt.check() {
                warn(&format!("{reason}; a build with IKRA_WRITE_PREBUILT=1 writes it"));
            }
        }
        drop(made.lent);
    }
}

/// Whether an entry point ends kernels that make or remove objects. Its user cannot change it.
fn ends_kernels(kernel: &str) -> bool {
    let makes = kernel.rsplit_once("_born").is_some_and(|(_, number)| number.parse::<u32>().is_ok());
    makes || kernel.starts_with(ikra_marks::LINKS)
}

/// The facts about recursion that the program needs: the kernels, and the stack of a thread.
fn stack_marks(problems: &[ptx::Problem], stack: Option<usize>) -> String {
    let mut marks = String::new();
    for problem in problems {
        if let ptx::Problem::Recursion { kernel, .. } = problem {
            marks.push_str(&format!("{} {kernel}\n", ikra_marks::RECURSIVE));
        }
    }
    if let Some(bytes) = stack.or((!marks.is_empty()).then_some(STACK)) {
        marks.push_str(&format!("{} {bytes}\n", ikra_marks::STACK));
    }
    marks
}

/// Embeds device code that was made before, if it fits.
fn use_prebuilt(search: &Search, prebuilt: Option<&Prebuilt<'_>>) {
    match prebuilt.map(|prebuilt| (prebuilt, prebuilt.check())) {
        Some((prebuilt, Ok(()))) => embed(&prebuilt.path),
        Some((_, Err(reason))) => warn(&format!("{reason}; {search}")),
        None => warn(&search.to_string()),
    }
    for path in toolchain::watched(search) {
        rerun_if_changed(&path);
    }
}

/// The inputs of the device code, files apart.
const VARIABLES: &[&str] = &[
    "DOCS_RS",
    "IKRA_PASSES",
    "IKRA_PREBUILT_PTX",
    "IKRA_RUSTC",
    "IKRA_SKIP_DEVICE",
    "IKRA_VERBOSE",
    "IKRA_WRITE_PREBUILT",
    // Otherwise a program built after an analysis would have no device code.
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
];

/// Makes `#[soa_world]` embed the device code at `path`.
fn embed(path: &Path) {
    println!("cargo::rustc-env=IKRA_DEVICE_CODE={}", path.display());
}

/// The script runs again when this file changes. A path in the package is relative: cargo may know the script's last
/// run from another checkout, which shares the target directory.
fn rerun_if_changed(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

fn warn(message: &str) {
    println!("cargo::warning={message}");
}

/// Ends the build script. Not a panic: a backtrace would only hide the message.
fn fail(message: &str) -> ! {
    eprintln!("{message}");
    exit(1)
}

/// Whether the user set a variable to on.
fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty() && value != "0")
}

/// Whether the build is for an analysis, whose user waits for it and does not run the program.
fn is_analysis() -> bool {
    let is_by = |wrapper: &Path| {
        let name = wrapper.file_stem().unwrap_or_default().to_string_lossy();
        name.contains("clippy") || name.contains("rust-analyzer")
    };
    let mut wrappers = ["RUSTC_WORKSPACE_WRAPPER", "RUSTC_WRAPPER"].into_iter().filter_map(env::var_os);
    env::var_os("DOCS_RS").is_some() || wrappers.any(|wrapper| is_by(Path::new(&wrapper)))
}

/// Whether the package is being compiled for the device, as a dependency of a model: then it is part of that model's code.
fn is_for_device() -> bool {
    variable("TARGET") == toolchain::TARGET
}

/// A variable that cargo sets for build scripts.
fn variable(name: &str) -> String {
    match env::var(name) {
        Ok(value) => value,
        Err(_) => panic!("{name} is not set: `ikra_build` is to be called in a build script"),
    }
}

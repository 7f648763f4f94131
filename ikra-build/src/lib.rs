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
//! The model is a module of the program, and is compiled a second time for `nvptx64-nvidia-cuda` as the
//! only module of a small `no_std` crate. So it uses `core` and `ikra` only, or crates that are listed with
//! [`Device::dependency`]. `#[soa_world]` embeds what comes out.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `IKRA_RUSTC` | the compiler to use, with `cargo` beside it |
//! | `IKRA_SKIP_DEVICE=1` | make no device code |
//! | `IKRA_VERBOSE=1` | say which compiler was taken |
//! | `IKRA_PTXAS` | the assembler that [`ptxas`] uses |
//!
//! Without a compiler for the device the build succeeds with one warning, and programs run on the host.

mod krate;
mod messages;
mod nested;
pub mod ptx;
pub mod ptxas;
mod toolchain;

use std::path::{Path, PathBuf};
use std::{env, fs};

pub use toolchain::{Libraries, Search, Toolchain, find_toolchain};

/// Local memory of a thread that is worth a warning: the driver keeps less in registers, or it is that of
/// a rare path.
const NOTABLE_BYTES: u64 = 64;

/// How floating-point arithmetic is compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Floats {
    /// Every operation is rounded: the same bits as on the host.
    #[default]
    Strict,
    /// A product and a sum may become one operation that rounds once, as `nvcc` does.
    Contract,
    /// Division, square root and the like are approximate too, and subnormal numbers are zero.
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
        }
    }

    /// The oldest GPU architecture that the code is for. `sm_75`, the default, serves every GPU since
    /// Turing: the driver compiles it for the one that it finds.
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
    /// as `{ version = "1.2", default-features = false }`.
    #[must_use]
    pub fn dependency(mut self, name: &str, entry: &str) -> Self {
        let entry = if entry.trim_start().starts_with('{') { entry.to_owned() } else { format!("\"{entry}\"") };
        self.dependencies.push((name.to_owned(), entry));
        self
    }

    /// Device code that is kept beside the model, relative to the package: used where there is no
    /// compiler for the device, so that a published crate's users need none, and written where there is
    /// one and the file does not exist.
    #[must_use]
    pub fn prebuilt(mut self, path: impl AsRef<Path>) -> Self {
        self.prebuilt = Some(path.as_ref().to_owned());
        self
    }

    /// Compiles the model. To be called in a build script.
    ///
    /// # Panics
    ///
    /// If the model does not compile for the device, with the compiler's messages; outside a build
    /// script.
    pub fn build(&self) {
        for variable in ["IKRA_RUSTC", "IKRA_SKIP_DEVICE", "IKRA_VERBOSE"] {
            println!("cargo::rerun-if-env-changed={variable}");
        }
        let package = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
        let model = package.join(&self.model);
        println!("cargo::rerun-if-changed={}", model.display());
        assert!(
            model.is_file(),
            "there is no model at {}; give `ikra_build::device` the model's path relative to the package",
            model.display()
        );
        if env::var_os("IKRA_SKIP_DEVICE").is_some() || is_analysis() {
            return;
        }
        let out = PathBuf::from(variable("OUT_DIR"));
        let prebuilt = self.prebuilt.as_ref().map(|path| package.join(path));
        if let Some(path) = &prebuilt {
            println!("cargo::rerun-if-changed={}", path.display());
        }
        let toolchain = match find_toolchain() {
            Ok(toolchain) => toolchain,
            Err(search) => {
                match prebuilt.filter(|path| path.is_file()) {
                    Some(path) => embed(&path),
                    None => println!("cargo::warning={search}"),
                }
                return;
            }
        };
        if env::var_os("IKRA_VERBOSE").is_some() {
            println!("cargo::warning=device code by {toolchain}");
        }
        let Some(ikra) = env::var_os("DEP_IKRA_MANIFEST_DIR").map(PathBuf::from) else {
            panic!("ikra is not among this package's dependencies; add it to `[dependencies]`");
        };
        let krate = krate::write(self, &model, &ikra, &out.join("device"), &package);
        let code = match nested::compile(self, &toolchain, &krate, &out) {
            Ok(code) => code,
            Err(message) => {
                eprintln!("{message}");
                // The compiler's messages are above; a backtrace would only hide them.
                std::process::exit(1);
            }
        };
        for problem in ptx::problems(&code) {
            match problem {
                ptx::Problem::Unresolved(name) => {
                    eprintln!(
                        "the device code calls `{name}`, which does not exist on the device; use a function of `core` or `ikra`"
                    );
                    std::process::exit(1);
                }
                ptx::Problem::LocalMemory { bytes, .. } if bytes < NOTABLE_BYTES => {}
                ptx::Problem::LocalMemory { kernel, bytes } => println!(
                    "cargo::warning=kernel {kernel} keeps {bytes} bytes a thread in slow local memory, as arrays do that are indexed by a variable"
                ),
            }
        }
        let path = out.join("ikra_device.ptx");
        write_if_changed(&path, &code);
        if let Some(prebuilt) = prebuilt.filter(|path| !path.is_file()) {
            write_if_changed(&prebuilt, &code);
        }
        embed(&path);
    }
}

/// Makes `#[soa_world]` embed the device code at `path`.
fn embed(path: &Path) {
    println!("cargo::rustc-env=IKRA_DEVICE_CODE={}", path.display());
}

/// Whether the build is for an analysis, whose user waits for it and does not run the program.
fn is_analysis() -> bool {
    ["RUSTC_WORKSPACE_WRAPPER", "RUSTC_WRAPPER"].into_iter().filter_map(env::var_os).any(|wrapper| {
        let name = Path::new(&wrapper).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        name.contains("clippy") || name.contains("rust-analyzer")
    })
}

/// A variable that cargo sets for build scripts.
fn variable(name: &str) -> String {
    match env::var(name) {
        Ok(value) => value,
        Err(_) => panic!("{name} is not set: `ikra_build` is to be called in a build script"),
    }
}

/// Writes a file unless it holds the text already, so that what depends on it is not built again.
fn write_if_changed(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    if let Some(parent) = path.parent()
        && let Err(error) = fs::create_dir_all(parent)
    {
        panic!("cannot create {}: {error}", parent.display());
    }
    if let Err(error) = fs::write(path, text) {
        panic!("cannot write {}: {error}", path.display());
    }
}

//! The GPU for tests: the machine's, or the emulator if there is none.
//!
//! Each test calls [`has_gpu`] before it uses the driver. On a machine without a GPU, this selects the emulator as the
//! driver; `IKRA_DRIVER` selects one on any machine. `IKRA_REQUIRE_GPU=1` requires a real GPU.

pub mod device_code;

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// The name of the emulator's devices.
const EMULATED: &str = "Ikra emulator";

/// The emulator's library, which is built in the same folder as the tests.
///
/// # Panics
///
/// If it is missing: a package whose tests use it depends on this one.
#[must_use]
pub fn emulator() -> PathBuf {
    let name = format!("{}ikra_emulator{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let program = std::env::current_exe().expect("the path of this program");
    // Tests are in the same folder; programs are in the parent folder.
    let folders = program.ancestors().skip(1).take(3);
    let places: Vec<PathBuf> =
        folders.flat_map(|folder| [folder.join(&name), folder.join("deps").join(&name)]).collect();
    let found = places.iter().find(|path| path.is_file()).cloned();
    found.unwrap_or_else(|| panic!("{name} is not beside {}: `cargo build -p ikra-emulator`", program.display()))
}

/// Whether the tests of this process run on the emulator.
fn is_emulated_once() -> bool {
    static IS_EMULATED: OnceLock<bool> = OnceLock::new();
    *IS_EMULATED.get_or_init(|| {
        let names =
            || ikra::gpu::driver::devices().map(|devices| devices.into_iter().map(|device| device.name).collect());
        let found: Result<Vec<String>, _> = names();
        let is_named = std::env::var_os("IKRA_DRIVER").is_some_and(|path| !path.is_empty());
        let found = match found {
            Ok(names) if !names.is_empty() => names,
            Err(error) if is_named => panic!("{error}"),
            missing => {
                assert!(std::env::var_os("IKRA_REQUIRE_GPU").is_none(), "there is no GPU: {missing:?}");
                // SAFETY: the library belongs to this workspace, and its functions match the driver's signatures.
                unsafe { ikra::gpu::driver::load(emulator()) }.unwrap_or_else(|error| panic!("{error}"));
                names().unwrap_or_else(|error| panic!("{error}"))
            }
        };
        let is_emulated = found.first().is_some_and(|name| name == EMULATED);
        let is_real_needed = std::env::var_os("IKRA_REQUIRE_GPU").is_some();
        assert!(!is_emulated || !is_real_needed, "there is the emulator, and IKRA_REQUIRE_GPU wants a real GPU");
        is_emulated
    })
}

/// Whether this test has a GPU: the machine's, or the emulator. If device code was built, there always is one. If not,
/// this prints a message.
///
/// # Panics
///
/// With `IKRA_REQUIRE_GPU=1`, if there is no real GPU; with `IKRA_REQUIRE_DEVICE_CODE=1`, if there is no device code.
pub fn has_gpu(device_code: Option<&str>) -> bool {
    if device_code.is_none() {
        assert!(std::env::var_os("IKRA_REQUIRE_DEVICE_CODE").is_none(), "there is no compiler for the device");
        println!("SKIPPED: there is no compiler for the device");
        return false;
    }
    let _ = is_emulated_once();
    true
}

/// Whether the GPU is the emulator, on which tests use smaller problems.
///
/// # Panics
///
/// As [`has_gpu`].
#[must_use]
pub fn is_emulated() -> bool {
    is_emulated_once()
}

/// Whether a test omits its largest problems: on the emulator, without `IKRA_LONG=1`.
///
/// # Panics
///
/// As [`has_gpu`].
#[must_use]
pub fn is_short() -> bool {
    is_emulated_once() && !device_code::is_long()
}

/// Makes a child process of a test use the tests' GPU.
///
/// # Panics
///
/// As [`has_gpu`].
pub fn choose(command: &mut Command) -> &mut Command {
    if is_emulated_once() && std::env::var_os("IKRA_DRIVER").is_none() {
        command.env("IKRA_DRIVER", emulator());
    }
    command
}

/// Makes a child process of a test use the emulator, even if there is a GPU. `variables` configure the emulator:
/// `("DEVICES", "2")` sets `IKRA_EMULATOR_DEVICES`.
pub fn emulate<'a>(command: &'a mut Command, variables: &[(&str, &str)]) -> &'a mut Command {
    for (name, value) in variables {
        command.env(format!("IKRA_EMULATOR_{name}"), value);
    }
    command.env("IKRA_DRIVER", emulator()).env_remove("IKRA_REQUIRE_GPU")
}

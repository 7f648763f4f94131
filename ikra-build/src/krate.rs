//! The small crate around the model.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files::{hash, write_if_changed};
use crate::{Device, Floats};

/// The crate's files.
pub(crate) struct Krate {
    pub(crate) manifest: PathBuf,
    /// Its name, unique in the target directory.
    pub(crate) name: String,
}

/// Writes the crate into `folder`, which no other build script uses. `package` contains the model.
pub(crate) fn write(
    device: &Device,
    package: &Path,
    model: &Path,
    ikra: &Path,
    folder: &Path,
    lock: Option<&Path>,
) -> Krate {
    let alias = alias();
    let name = format!("ikra_device_{:016x}", hash(folder.as_os_str().as_encoded_bytes()));
    let entries = device.dependencies.iter().map(|(name, entry)| format!("{name} = {}\n", located(entry, package)));
    let dependencies: String = entries.collect();
    // One of the libraries refuses methods of `std` that are not exact. So the others, and the language's own, are
    // compiled once for all ways of rounding.
    let refusals = match device.floats {
        Floats::Strict => format!("[profile.{PROFILE}.package.ikra-core]\nrustflags = [\"--cfg=ikra_strict\"]\n"),
        Floats::Contract | Floats::Fast => String::new(),
    };
    // A profile of its own: the user's settings for `release` are meant for the host.
    let manifest = format!(
        r#"# Made by ikra-build.
cargo-features = ["profile-rustflags"]

[package]
name = "{name}"
version = "0.0.0"
edition = "2024"

[lib]
crate-type = ["staticlib"]
path = "lib.rs"

[dependencies]
{alias} = {{ package = "ikra", path = {ikra:?}, default-features = false }}
{dependencies}
[profile.{PROFILE}]
inherits = "release"
opt-level = 3
lto = "fat"
codegen-units = 1
panic = "abort"
debug = false
debug-assertions = false
overflow-checks = false
incremental = false
strip = false
{refusals}
[workspace]
"#
    );
    let root = format!(
        r"// Made by ikra-build.
#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]
// Warnings about the model come from the host's compilation. (The compiler's flags cannot silence them: cargo reads
// some of its warnings.)
#![allow(warnings)]

{alias}::device_root!();

{}",
        module(model)
    );
    write_if_changed(&folder.join("Cargo.toml"), &manifest);
    write_if_changed(&folder.join("lib.rs"), &root);
    if let Some(lock) = lock {
        take_versions(lock, folder);
    }
    Krate { manifest: folder.join("Cargo.toml"), name }
}

/// An entry of `[dependencies]`, whose path is relative to the package, for a manifest that is elsewhere. An entry that
/// cannot be understood stays unchanged: cargo reports the error.
fn located(entry: &str, package: &Path) -> String {
    let Ok(mut value) = entry.parse::<toml_edit::Value>() else { return entry.to_owned() };
    let path = value.as_inline_table_mut().and_then(|table| table.get_mut("path"));
    if let Some(path) = path
        && let Some(joined) = path.as_str().map(|path| package.join(path))
        && let Some(joined) = joined.to_str()
    {
        *path = joined.into();
    }
    value.to_string()
}

/// The name of ikra in the program, which the model uses too.
fn alias() -> String {
    match proc_macro_crate::crate_name("ikra") {
        Ok(proc_macro_crate::FoundCrate::Name(name)) => name,
        // `ikra` itself; if another crate re-exports it, the model says so.
        _ => String::from("ikra"),
    }
}

/// The declaration of the model's module.
fn module(model: &Path) -> String {
    let stem = model.file_stem().unwrap_or_default().to_string_lossy();
    let is_identifier = stem.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && stem.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match model.parent() {
        // As `mod model;` does in the program. With `#[path]` at the module itself, the compiler would look for its
        // modules next to it, not in `model/`.
        Some(folder) if is_identifier && stem != "mod" => {
            format!("#[path = {folder:?}]\nmod source {{\n    pub mod {stem};\n}}\nuse source::{stem};\n")
        }
        _ => format!("#[path = {model:?}]\nmod model;\n"),
    }
}

/// The profile of the crate.
pub(crate) const PROFILE: &str = "ikra-device";

/// Copies the program's versions, again whenever they change. Cargo then adds and removes the differences.
fn take_versions(lock: &Path, folder: &Path) {
    let Ok(text) = fs::read_to_string(lock) else { return };
    let taken = folder.join("program.lock");
    if fs::read_to_string(&taken).is_ok_and(|old| old == text) && folder.join("Cargo.lock").is_file() {
        return;
    }
    write_if_changed(&folder.join("Cargo.lock"), &text);
    write_if_changed(&taken, &text);
}

/// The lock file of the program that is being built: found from the build script's folder, or from the package's.
pub(crate) fn lock(out: &Path, package: &Path) -> Option<PathBuf> {
    // The first one is the program's, if the package is one of its dependencies.
    out.ancestors().chain(package.ancestors()).map(|at| at.join("Cargo.lock")).find(|lock| lock.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(device: &Device) -> (tempfile::TempDir, String, String) {
        let folder = tempfile::tempdir().unwrap();
        let (package, model) = (Path::new("/a b"), Path::new("/a b/src/model.rs"));
        let krate = write(device, package, model, Path::new("/ikra"), folder.path(), None);
        let manifest = fs::read_to_string(krate.manifest).unwrap();
        let root = fs::read_to_string(folder.path().join("lib.rs")).unwrap();
        (folder, manifest, root)
    }

    #[test]
    fn options_are_in_the_manifest() {
        let device = Device::new("src/model.rs").dependency("bit", "1.2");
        let (_folder, manifest, root) = written(&device.dependency("big", "{ path = \"/big\" }"));
        for line in ["debug = false", "bit = \"1.2\"", "big = { path = \"/big\" }"] {
            assert!(manifest.lines().any(|at| at == line), "{line} is not in {manifest}");
        }
        assert!(root.contains("#[path = \"/a b/src\"]\nmod source {\n    pub mod model;\n}"), "{root}");
    }

    #[test]
    fn paths_of_dependencies_count_from_the_package() {
        let located = |entry| located(entry, Path::new("/p/model"));
        assert_eq!(
            located("{ path = \"../big\", features = [\"a\"] }"),
            "{ path = \"/p/model/../big\", features = [\"a\"] }"
        );
        for same in ["\"1.2\"", "{ path = '/big' }", "{ version = \"1\" }", "{ path = 3 }", "{ pa"] {
            assert_eq!(located(same).replace('"', "'"), same.replace('"', "'"));
        }
    }

    #[test]
    fn a_models_modules_are_where_the_program_has_them() {
        assert!(module(Path::new("/p/src/space/mod.rs")).starts_with("#[path = \"/p/src/space/mod.rs\"]\nmod "));
        assert!(module(Path::new("/p/models/my-model.rs")).starts_with("#[path = \"/p/models/my-model.rs\"]\nmod "));
        assert!(module(Path::new("/p/src/bodies.rs")).starts_with("#[path = \"/p/src\"]\n"));
    }

    #[test]
    fn versions_follow_the_programs() {
        let folder = tempfile::tempdir().unwrap();
        let (lock, own) = (folder.path().join("Cargo.lock"), folder.path().join("own"));
        fs::create_dir(&own).unwrap();
        let read = || fs::read_to_string(own.join("Cargo.lock")).unwrap();
        fs::write(&lock, "one").unwrap();
        take_versions(&lock, &own);
        assert_eq!(read(), "one");
        fs::write(own.join("Cargo.lock"), "one, and the crate itself").unwrap();
        take_versions(&lock, &own);
        assert_eq!(read(), "one, and the crate itself", "what cargo made of it stays");
        fs::write(&lock, "two").unwrap();
        take_versions(&lock, &own);
        assert_eq!(read(), "two");
    }

    #[test]
    fn the_programs_lock_is_found_from_a_dependency() {
        let folder = tempfile::tempdir().unwrap();
        let (program, dependency) = (folder.path().join("program"), folder.path().join("registry/dependency"));
        let out = program.join("target/debug/build/dependency-1/out");
        for folder in [&out, &dependency] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(dependency.join("Cargo.lock"), "").unwrap();
        assert_eq!(lock(&out, &dependency), Some(dependency.join("Cargo.lock")));
        fs::write(program.join("Cargo.lock"), "").unwrap();
        assert_eq!(lock(&out, &dependency), Some(program.join("Cargo.lock")));
    }
}

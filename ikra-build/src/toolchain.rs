//! Which compiler is there for the device.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest compiler that will do: earlier ones do not mark functions `convergent`, and may move
/// barriers.
const MINIMUM: (u32, u32) = (1, 96);
/// The device's target.
pub(crate) const TARGET: &str = "nvptx64-nvidia-cuda";

/// Where the device's `core` comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Libraries {
    /// The target is installed.
    Installed,
    /// Sources, from which it is built once.
    Sources,
}

/// A compiler for the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// `rustc`.
    pub rustc: PathBuf,
    /// `cargo`, of the same version.
    pub cargo: PathBuf,
    /// What `rustc -vV` prints.
    pub version: String,
    /// Where `core` comes from.
    pub libraries: Libraries,
}

impl fmt::Display for Toolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = self.version.lines().next().unwrap_or_default();
        let libraries = match self.libraries {
            Libraries::Installed => "with the target installed",
            Libraries::Sources => "with library sources",
        };
        write!(f, "{version} at {}, {libraries}", self.rustc.display())
    }
}

/// A search that found no compiler for the device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// The compilers that were looked at, and what is wrong with each.
    pub rejected: Vec<(PathBuf, String)>,
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no device code was made, so the program runs on the host only: {}", self.advice())?;
        write!(f, ". To silence this, set IKRA_SKIP_DEVICE=1")
    }
}

impl Search {
    /// What was looked at, and what to install.
    #[must_use]
    pub fn advice(&self) -> String {
        let mut text = String::new();
        if self.rejected.is_empty() {
            text.push_str("no rustc was found");
        }
        for (n, (rustc, reason)) in self.rejected.iter().enumerate() {
            let separator = if n == 0 { "" } else { "; " };
            text.push_str(&format!("{separator}{} {reason}", rustc.display()));
        }
        text.push_str(&format!(
            ". With rustc {}.{} or newer, run `rustup target add {TARGET}` or `rustup component add rust-src`; on Debian, `apt-get install rustc-web cargo-web rust-web-src`",
            MINIMUM.0, MINIMUM.1
        ));
        text
    }
}

/// Looks for a compiler for the device: `IKRA_RUSTC`; the active toolchain; rustup's others, newest
/// first; the system's.
///
/// # Errors
///
/// What was looked at, if none will do.
pub fn find_toolchain() -> Result<Toolchain, Search> {
    let mut search = Search::default();
    for (rustc, cargo) in candidates() {
        match examine(&rustc, &cargo) {
            Ok(toolchain) => return Ok(toolchain),
            Err(reason) => search.rejected.push((rustc, reason)),
        }
    }
    Err(search)
}

/// Compilers in the order in which they are looked at, each with its cargo.
fn candidates() -> Vec<(PathBuf, PathBuf)> {
    let beside = |rustc: PathBuf| {
        let cargo = rustc.with_file_name(format!("cargo{}", std::env::consts::EXE_SUFFIX));
        (rustc, cargo)
    };
    if let Some(rustc) = std::env::var_os("IKRA_RUSTC") {
        return vec![beside(rustc.into())];
    }
    let mut found = Vec::new();
    // The active one: cargo sets RUSTC to a name that rustup resolves, or to a path.
    let active = std::env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
    if let Some(sysroot) = sysroot(Path::new(&active)) {
        found.push(beside(sysroot.join("bin").join(format!("rustc{}", std::env::consts::EXE_SUFFIX))));
    }
    found.extend(rustup_toolchains().into_iter().map(beside));
    if cfg!(unix) {
        for folder in ["/usr/bin", "/usr/local/bin"] {
            let rustc = Path::new(folder).join("rustc");
            if rustc.is_file() {
                found.push(beside(rustc));
            }
        }
    }
    let mut distinct: Vec<(PathBuf, PathBuf)> = Vec::new();
    for candidate in found {
        if !distinct.contains(&candidate) {
            distinct.push(candidate);
        }
    }
    distinct
}

/// The compilers of rustup's toolchains, those with the latest names first.
fn rustup_toolchains() -> Vec<PathBuf> {
    let home = std::env::var_os("RUSTUP_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".rustup")));
    let Some(Ok(entries)) = home.map(|home| std::fs::read_dir(home.join("toolchains"))) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path().join("bin").join(format!("rustc{}", std::env::consts::EXE_SUFFIX)))
        .filter(|rustc| rustc.is_file())
        .collect();
    found.sort();
    found.reverse();
    found
}

/// A compiler, without the variables by which rustup or cargo would choose another.
fn command(rustc: &Path) -> Command {
    let mut command = Command::new(rustc);
    command.env_remove("RUSTUP_TOOLCHAIN").env_remove("RUSTC").env_remove("LD_LIBRARY_PATH");
    command
}

fn sysroot(rustc: &Path) -> Option<PathBuf> {
    // With the variables: they say which toolchain is active.
    let output = Command::new(rustc).args(["--print", "sysroot"]).output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| PathBuf::from(path.trim()))
}

/// Whether a compiler will do, or why not.
fn examine(rustc: &Path, cargo: &Path) -> Result<Toolchain, String> {
    let output = command(rustc).arg("-vV").output().map_err(|error| format!("does not run ({error})"))?;
    let version = String::from_utf8_lossy(&output.stdout).into_owned();
    let number = version_number(&version).ok_or_else(|| String::from("does not say its version"))?;
    if number < MINIMUM {
        return Err(format!("is {}.{}, and {}.{} is needed", number.0, number.1, MINIMUM.0, MINIMUM.1));
    }
    let sysroot = command(rustc).args(["--print", "sysroot"]).output().map_err(|error| error.to_string())?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&sysroot.stdout).trim());
    let libraries =
        libraries(&sysroot).ok_or_else(|| format!("has neither the target {TARGET} nor library sources"))?;
    if !cargo.is_file() {
        return Err(String::from("has no cargo beside it"));
    }
    Ok(Toolchain { rustc: rustc.to_owned(), cargo: cargo.to_owned(), version, libraries })
}

/// `(1, 96)` of `rustc 1.96.0 (…)`.
fn version_number(text: &str) -> Option<(u32, u32)> {
    let release = text.lines().find_map(|line| line.strip_prefix("release: "))?;
    let mut numbers = release.split(['.', '-']);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// What a sysroot holds for the device.
fn libraries(sysroot: &Path) -> Option<Libraries> {
    let rustlib = sysroot.join("lib/rustlib");
    if rustlib.join(TARGET).join("lib").is_dir() {
        Some(Libraries::Installed)
    } else if rustlib.join("src/rust/library/core/Cargo.toml").is_file() {
        Some(Libraries::Sources)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(version_number("rustc 1.96.0 (x)\nbinary: rustc\nrelease: 1.96.0\n"), Some((1, 96)));
        assert_eq!(version_number("release: 1.98.0-nightly\n"), Some((1, 98)));
        assert_eq!(version_number("clang version 14"), None);
    }

    #[test]
    fn sysroots_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(libraries(folder.path()), None);
        let sources = folder.path().join("lib/rustlib/src/rust/library/core");
        std::fs::create_dir_all(&sources).unwrap();
        std::fs::write(sources.join("Cargo.toml"), "").unwrap();
        assert_eq!(libraries(folder.path()), Some(Libraries::Sources));
        std::fs::create_dir_all(folder.path().join("lib/rustlib").join(TARGET).join("lib")).unwrap();
        assert_eq!(libraries(folder.path()), Some(Libraries::Installed));
    }

    #[test]
    fn what_does_not_run_is_rejected() {
        let reason = examine(Path::new("/nowhere/rustc"), Path::new("/nowhere/cargo")).unwrap_err();
        assert!(reason.starts_with("does not run"), "{reason}");
    }

    #[test]
    fn a_search_in_vain_says_what_to_install() {
        let search =
            Search { rejected: vec![(PathBuf::from("/x/rustc"), String::from("is 1.80, and 1.96 is needed"))] };
        let text = search.to_string();
        assert!(text.contains("/x/rustc is 1.80") && text.contains("rustup target add nvptx64-nvidia-cuda"), "{text}");
        assert!(!text.contains('\n'), "a warning is one line");
    }
}

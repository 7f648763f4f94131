//! Finds a compiler for the device.

use std::cmp::Reverse;
use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest usable compiler: earlier ones do not mark functions `convergent`, and may move barriers.
const MINIMUM: (u32, u32) = (1, 96);
/// The device's target.
pub(crate) const TARGET: &str = "nvptx64-nvidia-cuda";

/// The origin of the device's `core`.
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
    /// The output of `rustc -vV`.
    pub version: String,
    /// The origin of `core`.
    pub libraries: Libraries,
}

impl Toolchain {
    /// Its release: `1.96.0`, `1.98.0-nightly`.
    #[must_use]
    pub fn release(&self) -> &str {
        self.version.lines().find_map(|line| line.strip_prefix("release: ")).unwrap_or("unknown")
    }
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

/// A compiler that was examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// `rustc`.
    pub rustc: PathBuf,
    /// The toolchain, or the reason why it cannot be used: `is 1.80, and 1.96 is needed`.
    pub outcome: Result<Toolchain, String>,
}

/// A search that found no compiler for the device.
///
/// Shown in one line, which lists the examined compilers and says what to install.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// The compilers that were examined, each with its fault.
    pub rejected: Vec<(PathBuf, String)>,
}

impl Error for Search {}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no device code was made, so the program runs on the host only: {}", self.advice())?;
        write!(f, ". To silence this, set IKRA_SKIP_DEVICE=1")
    }
}

impl Search {
    /// The examined compilers, and what to install.
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

/// The compiler for the device: the first usable one of [`toolchains`].
///
/// ```no_run
/// match ikra_build::find_toolchain() {
///     Ok(toolchain) => println!("device code is made by {toolchain}"),
///     Err(search) => println!("{search}"),
/// }
/// ```
///
/// # Errors
///
/// The examined compilers, if none can be used.
pub fn find_toolchain() -> Result<Toolchain, Search> {
    Places::of_process().find()
}

/// All candidates, in this order: the one that `IKRA_RUSTC` names, and no other if it is set; the active toolchain;
/// rustup's other toolchains, releases before others and newer before older; the system's.
///
/// ```no_run
/// for candidate in ikra_build::toolchains() {
///     match candidate.outcome {
///         Ok(toolchain) => println!("{toolchain}"),
///         Err(reason) => println!("{} {reason}", candidate.rustc.display()),
///     }
/// }
/// ```
#[must_use]
pub fn toolchains() -> Vec<Candidate> {
    Places::of_process().candidates().map(Places::examined).collect()
}

/// Files and folders that change when a compiler for the device is installed: rustup's lists of what is
/// installed, and the system's folder of programs.
pub(crate) fn watched(search: &Search) -> Vec<PathBuf> {
    let places = Places::of_process();
    let mut watched: Vec<PathBuf> = search
        .rejected
        .iter()
        .filter_map(|(rustc, _)| Some(rustc.parent()?.parent()?.join("lib/rustlib/components")))
        .collect();
    watched.extend(places.rustup.map(|home| home.join("update-hashes")));
    watched.extend(places.system.iter().filter_map(|rustc| Some(rustc.parent()?.to_owned())));
    // One that does not exist would count as changed at every build.
    watched.retain(|path| path.exists());
    watched
}

/// The places where compilers are searched.
#[derive(Clone, Debug, Default)]
struct Places {
    /// The user's choice: a path, or a name on the search path.
    chosen: Option<OsString>,
    /// The active compiler, and the cargo that runs the build script.
    active: Option<(OsString, Option<PathBuf>)>,
    /// rustup's folder.
    rustup: Option<PathBuf>,
    /// The system's compilers.
    system: Vec<PathBuf>,
    /// The search path.
    path: OsString,
}

impl Places {
    fn of_process() -> Self {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
        let rustup = std::env::var_os("RUSTUP_HOME").map(PathBuf::from);
        let system: &[&str] = if cfg!(unix) { &["/usr/bin/rustc", "/usr/local/bin/rustc"] } else { &[] };
        Self {
            chosen: std::env::var_os("IKRA_RUSTC").filter(|rustc| !rustc.is_empty()),
            active: Some((rustc, std::env::var_os("CARGO").map(PathBuf::from))),
            rustup: rustup.or_else(|| std::env::home_dir().map(|home| home.join(".rustup"))),
            system: system.iter().map(PathBuf::from).collect(),
            path: std::env::var_os("PATH").unwrap_or_default(),
        }
    }

    fn find(&self) -> Result<Toolchain, Search> {
        let mut search = Search::default();
        for (rustc, cargo) in self.candidates() {
            match examine(&rustc, &cargo) {
                Ok(toolchain) => return Ok(toolchain),
                Err(reason) => search.rejected.push((rustc, reason)),
            }
        }
        Err(search)
    }

    fn examined((rustc, cargo): (PathBuf, PathBuf)) -> Candidate {
        let outcome = examine(&rustc, &cargo);
        Candidate { rustc, outcome }
    }

    /// Candidates in their order, each with its cargo.
    fn candidates(&self) -> impl Iterator<Item = (PathBuf, PathBuf)> {
        // On demand: asking all of rustup's compilers for their versions takes a while.
        let stages: [fn(&Self) -> Vec<(PathBuf, PathBuf)>; 3] = match self.chosen {
            Some(_) => [Self::chosen, |_| Vec::new(), |_| Vec::new()],
            None => [Self::active, Self::rustup, Self::system],
        };
        let mut seen = Vec::new();
        stages.into_iter().flat_map(|stage| stage(self)).filter(move |(rustc, _)| {
            let is_new = !seen.contains(rustc);
            seen.push(rustc.clone());
            is_new
        })
    }

    fn chosen(&self) -> Vec<(PathBuf, PathBuf)> {
        let Some(chosen) = &self.chosen else { return Vec::new() };
        let rustc = PathBuf::from(chosen);
        let is_name = rustc.components().count() == 1;
        let on_path = std::env::split_paths(&self.path).map(|folder| folder.join(&rustc)).find(|path| path.is_file());
        vec![beside(if is_name { on_path.unwrap_or(rustc) } else { rustc })]
    }

    fn active(&self) -> Vec<(PathBuf, PathBuf)> {
        let Some((rustc, cargo)) = &self.active else { return Vec::new() };
        // A name may be rustup's, which takes the toolchain from the variables and files of the build.
        let Some(sysroot) = sysroot(Command::new(rustc)) else { return Vec::new() };
        let (rustc, own) = beside(sysroot.join("bin").join(program("rustc")));
        vec![match cargo {
            Some(cargo) if !own.is_file() => (rustc, cargo.clone()),
            _ => (rustc, own),
        }]
    }

    fn rustup(&self) -> Vec<(PathBuf, PathBuf)> {
        let Some(Ok(entries)) = self.rustup.as_ref().map(|home| std::fs::read_dir(home.join("toolchains"))) else {
            return Vec::new();
        };
        let mut found: Vec<_> = entries
            .flatten()
            .map(|entry| entry.path().join("bin").join(program("rustc")))
            .filter(|rustc| rustc.is_file())
            .map(|rustc| (Release::of(&rustc), rustc))
            .collect();
        // Two toolchains of one version are told apart by their names.
        found.sort_by_key(|(release, rustc)| (Reverse(*release), rustc.clone()));
        found.into_iter().map(|(_, rustc)| beside(rustc)).collect()
    }

    fn system(&self) -> Vec<(PathBuf, PathBuf)> {
        self.system.iter().filter(|rustc| rustc.is_file()).cloned().map(beside).collect()
    }
}

/// A program's file name.
fn program(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// A compiler with the cargo in the same folder.
fn beside(rustc: PathBuf) -> (PathBuf, PathBuf) {
    let cargo = rustc.with_file_name(program("cargo"));
    (rustc, cargo)
}

/// A compiler, without the variables by which rustup or cargo would choose another.
fn command(rustc: &Path) -> Command {
    let mut command = Command::new(rustc);
    command.env_remove("RUSTUP_TOOLCHAIN").env_remove("RUSTC").env_remove("LD_LIBRARY_PATH");
    command
}

fn sysroot(mut rustc: Command) -> Option<PathBuf> {
    let output = rustc.args(["--print", "sysroot"]).output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| PathBuf::from(path.trim()))
}

/// Checks whether a compiler can be used, or gives the reason why not.
fn examine(rustc: &Path, cargo: &Path) -> Result<Toolchain, String> {
    let output = command(rustc).arg("-vV").output().map_err(|error| format!("does not run ({error})"))?;
    let version = String::from_utf8_lossy(&output.stdout).into_owned();
    let Release { number, .. } = Release::read(&version).ok_or_else(|| String::from("does not say its version"))?;
    if number < MINIMUM {
        return Err(format!("is {}.{}, and {}.{} is needed", number.0, number.1, MINIMUM.0, MINIMUM.1));
    }
    let sysroot = sysroot(command(rustc)).ok_or_else(|| String::from("does not say its sysroot"))?;
    let libraries =
        libraries(&sysroot).ok_or_else(|| format!("has neither the target {TARGET} nor library sources"))?;
    if !cargo.is_file() {
        return Err(String::from("has no cargo beside it"));
    }
    Ok(Toolchain { rustc: rustc.to_owned(), cargo: cargo.to_owned(), version, libraries })
}

/// The output of `-vV`, ordered by preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Release {
    /// Neither a nightly nor a beta.
    is_final: bool,
    number: (u32, u32),
}

impl Release {
    /// `(1, 96)` of `release: 1.96.0`.
    fn read(text: &str) -> Option<Self> {
        let release = text.lines().find_map(|line| line.strip_prefix("release: "))?;
        let mut numbers = release.split(['.', '-']);
        let number = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
        Some(Self { is_final: !release.contains('-'), number })
    }

    fn of(rustc: &Path) -> Option<Self> {
        let output = command(rustc).arg("-vV").output().ok()?;
        Self::read(&String::from_utf8_lossy(&output.stdout))
    }
}

/// The parts of a sysroot for the device.
fn libraries(sysroot: &Path) -> Option<Libraries> {
    let rustlib = sysroot.join("lib/rustlib");
    if holds_core(&rustlib.join(TARGET).join("lib")) {
        Some(Libraries::Installed)
    } else if rustlib.join("src/rust/library/core/Cargo.toml").is_file() {
        Some(Libraries::Sources)
    } else {
        None
    }
}

fn holds_core(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn versions_are_read() {
        let number = |text| Release::read(text).map(|release| (release.number, release.is_final));
        assert_eq!(number("rustc 1.96.0 (x)\nbinary: rustc\nrelease: 1.96.0\n"), Some(((1, 96), true)));
        assert_eq!(number("release: 1.98.0-nightly\n"), Some(((1, 98), false)));
        assert_eq!(number("clang version 14"), None);
    }

    #[test]
    fn sysroots_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(libraries(folder.path()), None);
        let sources = folder.path().join("lib/rustlib/src/rust/library/core");
        fs::create_dir_all(&sources).unwrap();
        fs::write(sources.join("Cargo.toml"), "").unwrap();
        assert_eq!(libraries(folder.path()), Some(Libraries::Sources));
        let installed = folder.path().join("lib/rustlib").join(TARGET).join("lib");
        fs::create_dir_all(&installed).unwrap();
        assert_eq!(libraries(folder.path()), Some(Libraries::Sources), "rustup leaves empty folders behind");
        fs::write(installed.join("libcore-0123456789abcdef.rlib"), "").unwrap();
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

    /// Fake sysroots whose `rustc` prints a version.
    #[cfg(unix)]
    mod pretended {
        use std::os::unix::fs::PermissionsExt;

        use super::*;

        /// A compiler of a release, with library sources or without.
        fn sysroot(at: &Path, release: &str, has_sources: bool) -> PathBuf {
            let bin = at.join("bin");
            fs::create_dir_all(&bin).unwrap();
            let text = format!(
                "#!/bin/sh\nif [ \"$1\" = -vV ]; then echo 'rustc {release} (x)'; echo 'release: {release}'; else echo '{}'; fi\n",
                at.display()
            );
            fs::write(bin.join("text"), &text).unwrap();
            for name in ["rustc", "cargo"] {
                // Another process writes the program: a process that this one starts meanwhile would keep it open.
                assert!(Command::new("cp").arg(bin.join("text")).arg(bin.join(name)).status().unwrap().success());
                fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
            }
            fs::create_dir_all(at.join("lib/rustlib")).unwrap();
            if has_sources {
                let sources = at.join("lib/rustlib/src/rust/library/core");
                fs::create_dir_all(&sources).unwrap();
                fs::write(sources.join("Cargo.toml"), "").unwrap();
            }
            bin.join("rustc")
        }

        #[test]
        fn the_active_one_comes_first_then_rustups_by_age_then_the_systems() {
            let folder = tempfile::tempdir().unwrap();
            let active = sysroot(&folder.path().join("active"), "1.95.0", true);
            let rustup = folder.path().join("rustup");
            let toolchain = |name: &str, release| sysroot(&rustup.join("toolchains").join(name), release, true);
            let old = toolchain("1.99-x", "1.99.0");
            let new = toolchain("1.100-x", "1.100.0");
            let nightly = toolchain("nightly-x", "1.101.0-nightly");
            let system = sysroot(&folder.path().join("usr"), "1.96.0", true);
            let places = Places {
                active: Some((active.clone().into(), None)),
                rustup: Some(rustup),
                system: vec![system.clone(), folder.path().join("missing")],
                ..Places::default()
            };
            let order: Vec<_> = places.candidates().map(|(rustc, _)| rustc).collect();
            assert_eq!(order, [active, new.clone(), old, nightly, system]);
            assert_eq!(places.find().unwrap().rustc, new);
        }

        #[test]
        fn no_other_is_taken_than_the_chosen_one() {
            let folder = tempfile::tempdir().unwrap();
            let system = sysroot(&folder.path().join("usr"), "1.96.0", true);
            let chosen = sysroot(&folder.path().join("mine"), "1.96.0", false);
            let mut places =
                Places { chosen: Some(chosen.clone().into()), system: vec![system.clone()], ..Places::default() };
            let search = places.find().unwrap_err();
            let reason = format!("has neither the target {TARGET} nor library sources");
            assert_eq!(search.rejected, [(chosen, reason)]);
            // A name is looked up.
            places.chosen = Some("rustc".into());
            places.path = system.parent().unwrap().into();
            assert_eq!(places.find().unwrap().rustc, system);
            places.chosen = Some("none".into());
            assert_eq!(places.find().unwrap_err().rejected.len(), 1);
        }

        #[test]
        fn an_active_compiler_without_cargo_beside_it_uses_the_running_one() {
            let folder = tempfile::tempdir().unwrap();
            let rustc = sysroot(&folder.path().join("store"), "1.97.0", true);
            fs::remove_file(rustc.with_file_name("cargo")).unwrap();
            let cargo = sysroot(&folder.path().join("other"), "1.97.0", false).with_file_name("cargo");
            let mut places = Places { active: Some((rustc.clone().into(), Some(cargo.clone()))), ..Places::default() };
            assert_eq!(places.find().unwrap().cargo, cargo);
            places.active = Some((rustc.into(), None));
            assert_eq!(places.find().unwrap_err().rejected[0].1, "has no cargo beside it");
        }
    }
}

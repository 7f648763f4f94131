//! Programs that are built and run by cargo, as a user's are.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};
use std::{env, fs};

/// Where `ikra` stands for the real one.
pub const SMALL_IKRA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/ikra");
/// The real one.
pub const REAL_IKRA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A package in a folder of its own.
pub struct Program {
    folder: PathBuf,
    /// Where it is built.
    target: OnceLock<PathBuf>,
    is_small: bool,
}

/// How a build ended.
pub struct Built {
    pub is_success: bool,
    /// The program's output: the path of its device code, or `none`.
    pub printed: String,
    /// Cargo's output.
    pub messages: String,
}

impl Program {
    /// A copy of the fixture, with this statement in its build script.
    pub fn new(name: &str, statement: &str) -> Self {
        Self::with(name, statement, SMALL_IKRA)
    }

    pub fn with(name: &str, statement: &str, ikra: &str) -> Self {
        // Not a temporary folder: the files built for one path are of no use for another.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        let program = Self { folder, target: OnceLock::new(), is_small: ikra == SMALL_IKRA };
        let here = env!("CARGO_MANIFEST_DIR");
        program.write(
            "Cargo.toml",
            &format!(
                "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n
[dependencies]\nikra = {{ path = {ikra:?} }}\n[build-dependencies]\nikra-build = {{ path = {here:?} }}\n
[profile.dev]\ndebug = false\nincremental = false\n
[workspace]\n"
            ),
        );
        program.write("build.rs", &format!("use ikra_build::*;\nfn main() {{\n    {statement};\n}}\n"));
        for file in ["src/main.rs", "src/model.rs"] {
            program.write(file, &fixture(file));
        }
        if !program.is_small {
            // The same versions for all, which are compiled once.
            fs::copy(format!("{ikra}/Cargo.lock"), program.path("Cargo.lock")).unwrap();
        }
        program
    }

    /// Builds where another program is built.
    pub fn share_folder(&mut self, other: &Self) {
        self.target = other.target.clone();
        // The other gives it back.
        self.is_small = false;
    }

    /// Writes a file of the program.
    pub fn write(&self, file: &str, text: &str) {
        let path = self.folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.join(file)).unwrap()
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    /// Builds and runs it, with further variables.
    pub fn run(&self, variables: &[(&str, &str)]) -> Built {
        let mut command = Command::new(env!("CARGO"));
        command.env_remove("RUST_BACKTRACE");
        for (name, _) in env::vars_os() {
            // The compiler that the tests are to be made with may be chosen from outside.
            let is_choice = name == "IKRA_RUSTC";
            if !is_choice && name.to_string_lossy().starts_with("IKRA_") {
                command.env_remove(name);
            }
        }
        let target = self.target.get_or_init(|| if self.is_small { Folders::take() } else { folder("target") });
        let output = command
            .current_dir(&self.folder)
            .args(["run", "--offline", "--color", "never", "--target-dir"])
            .arg(target)
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        Built {
            is_success: output.status.success(),
            printed: String::from_utf8(output.stdout).unwrap().trim().to_owned(),
            messages: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Builds and runs it, and reads its device code.
    pub fn code(&self, variables: &[(&str, &str)]) -> String {
        let built = self.run(variables).expect_success();
        assert_ne!(built.printed, "none", "{}", built.messages);
        fs::read_to_string(built.printed).unwrap()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if self.is_small
            && let Some(target) = self.target.take()
        {
            Folders::give_back(target);
        }
    }
}

/// Where programs are built that have the small `ikra`. Cargo builds one at a time in a folder, so that there are several. In
/// each, `ikra-build` is compiled, so that there are fewer than processors: the last is that of all other programs, in which
/// Ikra is compiled once.
struct Folders {
    /// The folders that no program uses now.
    free: Vec<PathBuf>,
    made: usize,
}

static FOLDERS: Mutex<Folders> = Mutex::new(Folders { free: Vec::new(), made: 0 });

impl Folders {
    fn take() -> PathBuf {
        let most = std::thread::available_parallelism().map_or(1, |count| count.get() / 2).clamp(1, 4);
        let mut folders = FOLDERS.lock().unwrap();
        if let Some(free) = folders.free.pop() {
            return free;
        }
        if folders.made == most {
            return folder("target");
        }
        folders.made += 1;
        folder(&format!("small-{}", folders.made))
    }

    fn give_back(target: PathBuf) {
        if !target.ends_with("target") {
            FOLDERS.lock().unwrap().free.push(target);
        }
    }
}

/// A folder to build in.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // Cargo marks target folders that it makes itself, and does not mark this one. So for the device, programs are built in the
    // folder of this workspace, where the libraries are already.
    fs::create_dir_all(&folder).unwrap();
    folder
}

impl Built {
    #[track_caller]
    pub fn expect_success(self) -> Self {
        assert!(self.is_success, "{}", self.messages);
        self
    }

    #[track_caller]
    pub fn expect_failure(self) -> Self {
        assert!(!self.is_success, "{}", self.messages);
        self
    }

    pub fn warnings(&self) -> Vec<&str> {
        self.messages.lines().filter(|line| line.starts_with("warning:")).collect()
    }
}

/// A file of the fixture.
pub fn fixture(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/program").join(file)).unwrap()
}

/// Whether tests compile all that they can, `IKRA_LONG=1`.
pub fn is_long() -> bool {
    env::var_os("IKRA_LONG").is_some_and(|value| !value.is_empty())
}

/// Whether there is a compiler for the device. Says so if a test is skipped for want of one.
pub fn has_compiler() -> bool {
    match ikra_build::find_toolchain() {
        Ok(_) => true,
        Err(search) => {
            assert!(env::var_os("IKRA_REQUIRE_DEVICE_CODE").is_none(), "{search}");
            println!("SKIPPED: {search}");
            false
        }
    }
}

//! Kernels with a race do not build, and each message names the race. Kernels whose result depends on the order of
//! threads do not build either. Debug and release builds are tested, in programs and in libraries that do not run the
//! kernels.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use ikra_generated_tests::{atomics, choose, combine, write};

/// Compiles the package itself as a release build does, and reuses Ikra from the other builds.
const OPTIMIZED: &[&str] = &["build", "--config", "profile.dev.opt-level=3"];

/// Packages in separate folders. They share one target folder with ikra-build's tests, so that Ikra is built once.
struct Packages {
    folder: PathBuf,
}

impl Packages {
    /// A folder that contains packages, or is one.
    fn new(name: &str) -> Self {
        Self { folder: Path::new(env!("CARGO_TARGET_TMPDIR")).join(name) }
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.folder.join(file);
        std::fs::create_dir_all(path.parent().expect("it is in the folder")).expect("the folder can be made");
        std::fs::write(path, text).expect("the folder can be written");
    }

    /// Adds a package with the source of its program or library. The manifest in the folder applies to all packages.
    fn add(&self, at: &str, name: &str, file: &str, source: &str, all: &str) {
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[dependencies]\nikra = {{ path = {:?} }}\n{all}",
            workspace()
        );
        self.write(&format!("{at}/Cargo.toml"), &manifest);
        self.write(&format!("{at}/{file}"), source);
    }

    /// The standard output and standard error of a Cargo command, which must find errors.
    fn failing(&self, command: &[&str]) -> (String, String) {
        std::fs::copy(workspace().join("Cargo.lock"), self.folder.join("Cargo.lock")).expect("there is a lock file");
        let output = Command::new(env!("CARGO"))
            .args(command)
            .args(["--offline", "--quiet", "--color=never"])
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("target"))
            .env("IKRA_SKIP_DEVICE", "1")
            .output()
            .expect("cargo runs");
        assert!(!output.status.success(), "`cargo {}` succeeded", command.join(" "));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    }
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).expect("the workspace")
}

/// For packages that are not members of another workspace.
const WORKSPACE: &str =
    "[workspace]\n[profile.dev]\ndebug = false\nincremental = false\n[profile.dev.package.\"*\"]\nopt-level = 0\n";

/// The messages of the program with races or the program with orders, one per line: both are built at once.
fn messages(program: &str) -> impl Iterator<Item = &'static str> {
    static ALL: OnceLock<String> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let packages = Packages::new("generated-kernels");
        let manifest = WORKSPACE.replace("[workspace]", "[workspace]\nmembers = [\"*\"]\nresolver = \"3\"");
        packages.write("Cargo.toml", &manifest);
        packages.add("rejected", "rejected", "src/main.rs", &write::rejected(&combine::combinations()), "");
        packages.add("unordered", "unordered", "src/main.rs", &atomics::rejected(&atomics::kernels()), "");
        let (messages, errors) = packages.failing(&["build", "--workspace", "--keep-going", "--message-format=json"]);
        assert!(!messages.is_empty(), "{errors}");
        messages
    });
    let manifest = Path::new("generated-kernels").join(program).join("Cargo.toml");
    let start = format!("{}\"", manifest.display());
    all.lines().filter(move |line| line.contains("compiler-message") && line.contains(&start))
}

/// Checks that a program has one error per kernel, which starts with the given text, and no other error.
fn check(program: &str, numbers: &[usize], start: impl Fn(usize) -> String, about: &str) {
    let errors: Vec<&str> = messages(program).filter(|line| line.contains("\"rendered\":\"error")).collect();
    let has = |&number: &usize| errors.iter().any(|line| line.contains(&start(number)));
    let missed: Vec<usize> = numbers.iter().copied().filter(|number| !has(number)).collect();
    println!("{} kernels", numbers.len());
    assert!(missed.is_empty(), "no error for {missed:?}\n{errors:#?}");
    let others: Vec<&&str> = errors.iter().filter(|line| !line.contains(about)).collect();
    assert!(others.iter().all(|line| line.contains("\"rendered\":\"error: aborting due to")), "{others:?}");
}

/// There are more kernels with mistakes than this.
fn least() -> usize {
    if choose::is_long() { 150 } else { 30 }
}

#[test]
fn every_race_is_an_error() {
    let kernels = combine::combinations();
    let numbers: Vec<usize> = kernels.iter().filter(|kernel| kernel.races()).map(|kernel| kernel.number).collect();
    check("rejected", &numbers, |n| format!("data race: kernel `Thing::k{n}` writes"), "data race: kernel");
    assert!(numbers.len() > least());
}

#[test]
fn every_dependence_on_the_order_is_an_error() {
    let kernels = atomics::kernels();
    let numbers: Vec<usize> =
        kernels.iter().filter(|kernel| !kernel.is_ordered()).map(|kernel| kernel.number).collect();
    let start = |n| format!("order of threads: in kernel `Thing::k{n}`, ");
    check("unordered", &numbers, start, "order of threads: in kernel");
    assert!(numbers.len() > least());
}

/// A library of kernels that are never run, each with a race. A comment marks the line that the message must show.
const LIBRARY: &str = r#"
use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub x: f32,
    pub next: Option<Link<Cell>>,
    #[inline_array]
    pub near: [Link<Cell>; 4],
}

fn look<P: ikra::Phase>(cell: CellRef<'_, P>) -> f32 {
    cell.x() // read by `helped`
}

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn linked(&mut self) {
        self.x += 1.0;
        if let Some(next) = self.next {
            self.x = next.x(); // read by `linked`
        }
    }

    #[kernel]
    fn looped(&mut self) {
        for other in &self.near {
            self.x += other.x(); // read by `looped`
        }
    }

    #[kernel]
    pub fn summed(&mut self) {
        let all = self.all::<Cell>();
        self.x = all
            .map(|other| other.x()) // read by `summed`
            .sum();
    }

    #[kernel(pairs)]
    pub fn met(&mut self, other: Ref<Cell>) {
        let near = other;
        self.x += 2.0;
        self.x *= near.x(); // read by `met`
    }

    #[kernel(reduce(Sum))]
    pub fn reduced(&mut self, argument: Ref<Cell>) -> f32 {
        self.x = 1.0;
        let argument = argument;
        argument.x() // read by `reduced`
    }

    #[kernel]
    pub fn helped(&mut self) {
        self.x = self.next.map_or(0.0, look);
    }
}
"#;

/// The lines of [`LIBRARY`] that read, with the kernels' names.
fn reads() -> impl Iterator<Item = (usize, &'static str)> {
    let reader = |line: &'static str| Some(line.split_once("// read by `")?.1.trim_end_matches('`'));
    LIBRARY.lines().enumerate().filter_map(move |(n, line)| Some((n + 1, reader(line)?)))
}

#[test]
fn libraries_show_the_line_of_the_read() {
    let package = Packages::new("racy-library");
    package.add(".", "racy-library", "src/lib.rs", LIBRARY, WORKSPACE);
    for command in [OPTIMIZED, &["build"], &["test", "--no-run"]] {
        let (_, messages) = package.failing(command);
        let mut missed = String::new();
        for (line, name) in reads() {
            let start = format!("data race: kernel `Cell::{name}` writes `Cell::x` of its own object and reads it");
            let Some(message) = messages.lines().find(|line| line.contains(&start)) else {
                let _ = writeln!(missed, "{name}: no error");
                continue;
            };
            let places = [
                format!("src/lib.rs:{line})"),
                format!("--> src/lib.rs:{line}:"),
                // For a function outside of the class, a release build shows only the name.
                format!("while instantiating `fn look::<Kernel_{name}>`"),
            ];
            if !places.iter().any(|place| messages.contains(place)) {
                let _ = writeln!(missed, "{name}: line {line} is not shown: {message}");
            }
        }
        assert!(missed.is_empty(), "cargo {}\n{missed}\n{messages}", command.join(" "));
    }
}

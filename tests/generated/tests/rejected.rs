//! Kernels with a race do not build, each with a message that names it, nor do those whose result depends on the order
//! of threads: in debug and release builds, in programs and in libraries that do not run them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use ikra_generated_tests::{atomics, combine, write};

/// As a release build compiles the package itself, while Ikra is that of the other builds.
const OPTIMIZED: &[&str] = &["build", "--config", "profile.dev.opt-level=3"];

/// A package in a folder of its own. All are built in one folder, one after another, so that Ikra is built once; it is that
/// of ikra-build's tests.
struct Package {
    name: &'static str,
}

impl Package {
    /// Writes it, with the source of its program or library.
    fn new(name: &'static str, file: &str, source: &str) -> Self {
        let package = Self { name };
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace");
        let folder = package.folder();
        std::fs::create_dir_all(folder.join("src")).expect("the folder can be made");
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[dependencies]\nikra = {{ path = {workspace:?} }}\n[workspace]\n\
            [profile.dev]\ndebug = \"line-tables-only\"\n[profile.dev.package.\"*\"]\nopt-level = 0\n"
        );
        let write =
            |file: &str, text: &str| std::fs::write(folder.join(file), text).expect("the folder can be written");
        write("Cargo.toml", &manifest);
        write(file, source);
        std::fs::copy(workspace.join("Cargo.lock"), folder.join("Cargo.lock")).expect("there is a lock file");
        package
    }

    fn folder(&self) -> PathBuf {
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(self.name)
    }

    /// The errors of a command of Cargo, which must find some.
    fn errors(&self, command: &[&str]) -> String {
        let output = Command::new(env!("CARGO"))
            .args(command)
            .args(["--offline", "--quiet", "--color=never"])
            .current_dir(self.folder())
            .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("target"))
            .env("IKRA_SKIP_DEVICE", "1")
            .output()
            .expect("cargo runs");
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{}: `cargo {}` succeeded", self.name, command.join(" "));
        messages
    }
}

/// Checks that there is an error for each kernel, which starts as given, and no other.
fn check(messages: &str, numbers: &[usize], start: impl Fn(usize) -> String, about: &str) {
    let missed: Vec<usize> = numbers.iter().copied().filter(|&number| !messages.contains(&start(number))).collect();
    let others: Vec<&str> =
        messages.lines().filter(|line| line.starts_with("error") && !line.contains(about)).collect();
    println!("{} kernels", numbers.len());
    assert!(missed.is_empty(), "no error for {missed:?}\n{messages}");
    assert!(others.iter().all(|line| line.contains("could not compile")), "{others:?}");
}

#[test]
fn every_race_is_an_error() {
    let combinations = combine::combinations();
    let package = Package::new("rejected", "src/main.rs", &write::rejected(&combinations));
    let messages = package.errors(&["build"]);
    let numbers: Vec<usize> = combinations.iter().filter(|kernel| kernel.races()).map(|kernel| kernel.number).collect();
    check(&messages, &numbers, |n| format!("data race: kernel `Thing::k{n}` writes"), "data race: kernel");
    assert!(numbers.len() > 150);
}

#[test]
fn every_dependence_on_the_order_is_an_error() {
    let kernels = atomics::kernels();
    let package = Package::new("unordered", "src/main.rs", &atomics::rejected(&kernels));
    let messages = package.errors(&["build"]);
    let numbers: Vec<usize> =
        kernels.iter().filter(|kernel| !kernel.is_ordered()).map(|kernel| kernel.number).collect();
    check(
        &messages,
        &numbers,
        |n| format!("order of threads: in kernel `Thing::k{n}`, "),
        "order of threads: in kernel",
    );
    assert!(numbers.len() > 150);
}

/// A library that runs no kernel, each of which has a race. A comment says the line that the message has to show.
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
        self.x += 2.0;
        self.x *= other.x(); // read by `met`
    }

    #[kernel(reduce(Sum))]
    pub fn reduced(&mut self, argument: Ref<Cell>) -> f32 {
        self.x = 1.0;
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
    let package = Package::new("racy-library", "src/lib.rs", LIBRARY);
    for command in [OPTIMIZED, &["build"], &["test", "--no-run"]] {
        let messages = package.errors(command);
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
                // Of a function outside of the class, a release build shows the name only.
                format!("while instantiating `fn look::<Kernel_{name}>`"),
            ];
            if !places.iter().any(|place| messages.contains(place)) {
                let _ = writeln!(missed, "{name}: line {line} is not shown: {message}");
            }
        }
        assert!(missed.is_empty(), "cargo {}\n{missed}\n{messages}", command.join(" "));
    }
}

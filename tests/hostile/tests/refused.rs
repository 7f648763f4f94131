//! Programs that must either fail to build or be right: forgeries by hidden items, and text that the macros cannot
//! read. Each is built twice: without the attack, to show that nothing else is wrong with it, and with the attack.
#![forbid(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The expected outcome, on the first line of a program.
const REFUSED: &str = "// Must be refused.";
const RIGHT: &str = "// Must be refused, or be right.";

const WORKSPACE: &str = "[workspace]\nmembers = [\"evil\", \"programs\"]\nresolver = \"3\"\n[profile.dev]\ndebug = false\nincremental = false\n[profile.dev.package.\"*\"]\nopt-level = 0\n";

fn ikra() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace")
}

/// A workspace of the programs and their macros, in a separate folder.
struct Programs {
    folder: PathBuf,
    /// Each program's name, and whether it may build.
    all: Vec<(String, bool)>,
}

impl Programs {
    fn new() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile-programs");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("refused");
        let _ = fs::remove_dir_all(&folder);
        let write = |file: &str, text: &str| {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().expect("it is in the folder")).expect("the folder can be made");
            fs::write(path, text).expect("the folder can be written");
        };
        let path = |name: &str| format!("{{ path = {:?} }}", ikra().join(name));
        write("Cargo.toml", WORKSPACE);
        let package = |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n");
        write("evil/Cargo.toml", &format!("{}[lib]\nproc-macro = true\n", package("evil")));
        let dependencies = format!(
            "[features]\nattack = []\n[dependencies]\nevil = {{ path = \"../evil\" }}\nikra = {}\nikra-core = {}\n",
            path(""),
            path("ikra-core")
        );
        write("programs/Cargo.toml", &format!("{}{dependencies}", package("programs")));
        write("evil/src/lib.rs", &fs::read_to_string(source.join("evil/lib.rs")).expect("it can be read"));
        let mut all = Vec::new();
        for entry in fs::read_dir(&source).expect("the folder is there") {
            let path = entry.expect("it can be read").path();
            let file = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
            if path.is_dir() {
                continue;
            }
            let text = fs::read_to_string(&path).expect("it can be read");
            write(&format!("programs/src/bin/{file}"), &text);
            if let Some(name) = file.strip_suffix(".rs") {
                let first = text.lines().next().unwrap_or_default();
                assert!([REFUSED, RIGHT].contains(&first), "{file}: the first line says what is to come of it");
                all.push((name.to_owned(), first == RIGHT));
            }
        }
        fs::copy(ikra().join("Cargo.lock"), folder.join("Cargo.lock")).expect("there is a lock file");
        Self { folder, all }
    }

    fn build(&self, options: &[&str]) -> Output {
        Command::new(env!("CARGO"))
            .args(["build", "--package", "programs", "--bins", "--offline", "--message-format=json"])
            .args(options)
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("target"))
            .env("IKRA_SKIP_DEVICE", "1")
            .output()
            .expect("cargo runs")
    }
}

/// The paths of the programs that were built, from Cargo's messages.
fn built(messages: &str) -> impl Iterator<Item = String> {
    let artifacts = messages.lines().filter(|line| line.contains("\"reason\":\"compiler-artifact\""));
    artifacts.filter_map(|line| {
        let (_, rest) = line.split_once("\"executable\":\"")?;
        rest.split_once('"').map(|(path, _)| path.to_owned())
    })
}

fn name_of(path: &str) -> &str {
    Path::new(path).file_stem().and_then(|name| name.to_str()).expect("a program has a name")
}

/// Runs a program.
fn run(path: &str) -> Result<(), String> {
    let output = Command::new(path).output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(format!("{}: {text}", output.status)) }
}

/// Failed programs by name; programs with the expected outcome are not listed.
struct Findings {
    names: Vec<String>,
    wrong: BTreeMap<String, String>,
}

fn findings() -> &'static Findings {
    static FINDINGS: OnceLock<Findings> = OnceLock::new();
    FINDINGS.get_or_init(|| {
        let programs = Programs::new();
        // Without the attack, all of them build and run.
        let output = programs.build(&[]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let messages = String::from_utf8_lossy(&output.stdout).into_owned();
        let paths: Vec<String> = built(&messages).collect();
        let names: BTreeSet<&str> = paths.iter().map(|path| name_of(path)).collect();
        assert!(programs.all.iter().all(|(name, _)| names.contains(&**name)), "{names:?}");
        for path in &paths {
            assert_eq!(run(path), Ok(()), "{path}, without the attack");
        }

        let output = programs.build(&["--features", "attack", "--keep-going"]);
        let messages = String::from_utf8_lossy(&output.stdout).into_owned();
        let paths: Vec<String> = built(&messages).collect();
        let mut wrong = BTreeMap::new();
        for (name, may_build) in &programs.all {
            let found = match paths.iter().find(|path| name_of(path) == name) {
                Some(path) if *may_build => run(path).err().map(|error| format!("it builds, and goes wrong: {error}")),
                Some(_) => Some("it builds".to_owned()),
                None => {
                    let file = format!("/{name}.rs\"");
                    let is_error = |line: &str| line.contains("\"level\":\"error\"") && line.contains(&file);
                    (!messages.lines().any(is_error)).then(|| "it was not built, and there is no error".to_owned())
                }
            };
            if let Some(found) = found {
                wrong.insert(name.clone(), found);
            }
        }
        Findings { names: programs.all.into_iter().map(|(name, _)| name).collect(), wrong }
    })
}

macro_rules! programs {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let findings = findings();
                assert!(findings.names.iter().any(|name| name == stringify!($name)), "there is no such program");
                assert_eq!(findings.wrong.get(stringify!($name)), None);
            }
        )*
        #[test]
        fn all_programs_are_named() {
            let named = [$(stringify!($name)),*];
            assert!(findings().names.iter().all(|name| named.contains(&&**name)), "{:?}", findings().names);
        }
    };
}
programs! {
    alias_within_a_macro
    attribute_of_an_import_in_a_body
    attribute_of_an_item_in_a_body
    attribute_of_the_block
    colon_of_a_field
    conditional_attribute_in_a_body
    conditional_attribute_of_a_method
    conditional_attribute_of_the_block
    derive_in_a_body
    forged_effects
    forged_effects_of_a_method
    forged_snapshot
    instruction_set_of_ones_choice
    links_of_objects_elsewhere
    module_named_like_a_tool
    module_named_like_an_attribute
    ready_for_a_kernel_elsewhere
    rooted_path_of_this_crate
    tool_in_a_body
}

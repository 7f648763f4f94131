//! Cases that change a few lines of a program.
//!
//! `NAME.diff` says in its first lines what it is about, then names a program of `bases`, then lists the changes:
//!
//! ```diff
//! A field that does not exist.
//! --- bases/body.rs
//! @@
//! -        self.mass += 1.0;
//! +        self.masss += 1.0;
//! ```
//!
//! Lines that begin with `-` are in the program and not in the case, those with `+` are in the case only, and those with a blank
//! are in both. Each change finds its place by its lines, which must be in the program once.
//!
//! The compiler sees `expanded/THEME/NAME.rs`, which Git ignores. The expected message is beside the `.diff`.

use std::fs;
use std::path::{Path, PathBuf};

/// Where the programs of changes are written. Paths begin in the package's folder, in which tests run.
const EXPANDED: &str = "expanded";

/// Folders that have no cases. The last is `trybuild`'s, for messages that nobody expected.
const NOT_THEMES: [&str; 3] = ["bases", EXPANDED, "wip"];

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of all themes with this extension.
fn files(extension: &str) -> Vec<PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let paths = entries.map(|entry| entry.expect("it can be read").path());
        paths.map(|path| path.strip_prefix(".").map(Path::to_owned).unwrap_or(path)).collect()
    };
    let themes = entries(Path::new(".")).into_iter().filter(|path| path.is_dir());
    let themes = themes.filter(|path| !NOT_THEMES.iter().any(|other| path.ends_with(other)));
    let files = themes.flat_map(|theme| entries(&theme));
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    files.sort();
    files
}

/// Where a case is expanded to.
fn expanded(case: &Path, extension: &str) -> PathBuf {
    Path::new(EXPANDED).join(case).with_extension(extension)
}

/// The program of a case.
fn program(case: &Path) -> Result<String, String> {
    let text = text(case);
    let (about, changes) = text.split_once("--- ").ok_or("no line names a program: `--- bases/NAME.rs`")?;
    let mut changes = changes.split("\n@@");
    let base = changes.next().unwrap_or_default();
    let mut program = fs::read_to_string(base).map_err(|error| format!("{base}: {error}"))?;
    for change in changes {
        // What stands behind the `@@` is for the reader.
        let lines = || change.lines().skip(1);
        let side = |other: char| -> String {
            lines()
                .filter(|line| !line.starts_with(other))
                .map(|line| format!("{}\n", line.get(1..).unwrap_or("")))
                .collect()
        };
        let (old, new) = (side('+'), side('-'));
        if let Some(line) = lines().find(|line| !line.is_empty() && !line.starts_with(['-', '+', ' '])) {
            return Err(format!("a line begins with none of `-`, `+` and a blank: {line}"));
        }
        // Whole lines only.
        let marked = format!("\n{program}");
        let found: Vec<usize> = marked.match_indices(&format!("\n{old}")).map(|(at, _)| at).collect();
        match found[..] {
            [at] if !old.is_empty() => program.replace_range(at..at + old.len(), &new),
            _ => return Err(format!("these lines are in {base} {} times, not once:\n{old}", found.len())),
        }
    }
    let about: String = about.lines().map(|line| format!("// {line}\n")).collect();
    Ok(about + &program)
}

/// Expands all cases that are changes, and returns the programs of all.
pub fn programs() -> Vec<PathBuf> {
    let folder = Path::new(EXPANDED);
    if folder.exists() {
        fs::remove_dir_all(folder).expect("the folder of expanded cases can be removed");
    }
    let mut programs = files("rs");
    for case in files("diff") {
        let program = program(&case).unwrap_or_else(|error| panic!("{}: {error}", case.display()));
        let path = expanded(&case, "rs");
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder can be made");
        fs::write(&path, program).expect("the case can be written");
        let message = case.with_extension("stderr");
        if message.exists() {
            fs::copy(message, path.with_extension("stderr")).expect("the message can be copied");
        }
        programs.push(path);
    }
    programs
}

/// Puts messages that were written anew beside the changes.
pub fn take_messages() {
    for case in files("diff") {
        let message = expanded(&case, "stderr");
        if message.exists() {
            fs::copy(message, case.with_extension("stderr")).expect("the message can be copied");
        }
    }
}

//! The results of the inner build: the device code, and the list of files that it was made from.

use std::fs;
use std::path::{Path, PathBuf};

/// The PTX file of the crate under a profile's folder.
///
/// There may be several, from builds with other options. In every build, cargo puts the library beside its folders; it
/// tells which PTX file is the latest.
pub(crate) fn code(profile: &Path, name: &str) -> Option<PathBuf> {
    let mut found = Vec::new();
    collect(profile, &|file| file.starts_with(name) && file.ends_with(".s"), &mut found);
    if found.len() > 1 {
        let latest = fs::read(profile.join(format!("lib{name}.a"))).ok()?;
        let library = |code: &PathBuf| {
            let stem = code.file_stem()?.to_string_lossy().into_owned();
            fs::read(code.with_file_name(format!("lib{stem}.a"))).ok()
        };
        found.retain(|code| library(code).is_some_and(|library| library == latest));
    }
    found.into_iter().next()
}

/// Files whose names satisfy `wanted`, at any depth: cargo's folders differ from version to version.
fn collect(folder: &Path, wanted: &dyn Fn(&str) -> bool, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, wanted, found);
        } else if path.file_name().is_some_and(|name| wanted(&name.to_string_lossy())) {
            found.push(path);
        }
    }
}

/// The sources of the crate, its path dependencies and their macros, as cargo lists them.
pub(crate) fn sources(profile: &Path, name: &str) -> Vec<PathBuf> {
    let text = fs::read_to_string(profile.join(format!("lib{name}.d"))).unwrap_or_default();
    sources_in(&text).into_iter().map(PathBuf::from).collect()
}

/// `b` and `c d` of `a: b c\ d`.
fn sources_in(text: &str) -> Vec<String> {
    let mut sources = Vec::new();
    for line in text.lines() {
        // Not `:` alone, which may be a drive's.
        let Some((_, listed)) = line.split_once(": ") else { continue };
        let mut source = String::new();
        let mut characters = listed.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\\' if characters.peek() == Some(&' ') => source.extend(characters.next()),
                ' ' => sources.push(std::mem::take(&mut source)),
                _ => source.push(character),
            }
        }
        sources.push(source);
    }
    sources.retain(|source| !source.is_empty());
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read() {
        assert_eq!(sources_in("/t/lib.a: /a.rs /b\\ c/d.rs C:\\e\\f.rs\n"), ["/a.rs", "/b c/d.rs", "C:\\e\\f.rs"]);
        assert!(sources_in("").is_empty());
    }

    #[test]
    fn the_code_of_the_latest_build_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let deps = folder.path().join("deps");
        fs::create_dir(&deps).unwrap();
        assert_eq!(code(folder.path(), "model"), None);
        let make = |hash: &str, library: &str| {
            fs::write(deps.join(format!("model-{hash}.s")), "").unwrap();
            fs::write(deps.join(format!("libmodel-{hash}.a")), library).unwrap();
        };
        make("1", "with lines");
        assert_eq!(code(folder.path(), "model"), Some(deps.join("model-1.s")));
        make("2", "without lines");
        fs::write(folder.path().join("libmodel.a"), "with lines").unwrap();
        assert_eq!(code(folder.path(), "model"), Some(deps.join("model-1.s")), "the older file, of the newer build");
        fs::write(folder.path().join("libmodel.a"), "without lines").unwrap();
        assert_eq!(code(folder.path(), "model"), Some(deps.join("model-2.s")));
    }
}

//! Names in the device code.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use proc_macro2::Ident;
use syn::ext::IdentExt;

/// Where a name stands: package, file within it, line and column. Host and device compile the same file, and so agree.
pub(crate) fn place(at: &Ident) -> String {
    let start = at.span().start();
    let file = at.span().local_file().map_or_else(String::new, |file| in_package(&file));
    format!("{file}:{}:{}", start.line, start.column)
}

/// A file as `package/src/model.rs`, wherever the package is and whoever compiles it.
fn in_package(file: &Path) -> String {
    static KNOWN: Mutex<Option<HashMap<PathBuf, String>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(name) = known.get(file) {
        return name.clone();
    }
    let full = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let found = full.ancestors().skip(1).find_map(|folder| Some((folder, package(folder)?)));
    let (package, within) = match &found {
        Some((folder, package)) => (package.as_str(), full.strip_prefix(folder).unwrap_or(&full)),
        None => ("", full.as_path()),
    };
    let parts = within.components().map(|part| part.as_os_str().to_string_lossy());
    let mut name = package.to_owned();
    for part in parts {
        name.push('/');
        // It stands in device code, which is ASCII.
        name.extend(part.chars().map(|c| if c.is_ascii_graphic() { c } else { '?' }));
    }
    known.insert(file.to_owned(), name.clone());
    name
}

/// The name of the package in a folder.
fn package(folder: &Path) -> Option<String> {
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let mut lines = manifest.lines().map(str::trim).skip_while(|line| *line != "[package]").skip(1);
    let name = lines.by_ref().take_while(|line| !line.starts_with('[')).find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "name").then(|| value.trim().trim_matches(['"', '\'']).to_owned())
    })?;
    Some(name)
}

/// A text as letters, digits and `_`, which is all that device code allows.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => plain.push(c),
            _ => plain.push_str(&format!("u{:x}", u32::from(c))),
        }
    }
    plain
}

/// The name of a kernel's entry, for people who read device code, and unlike that of any other.
///
/// The host does not look for it: the entry says in a comment which kernel's it is. So it may depend on what else is
/// expanded in this crate, as it does where one line of source makes several kernels of the same name.
pub(crate) fn kernel_symbol(class: &str, method: &Ident, place: &str) -> String {
    static SEEN: Mutex<Option<HashMap<String, u32>>> = Mutex::new(None);
    let start = method.span().start();
    let mut symbol =
        format!("ikra_kernel_{}_{}_{}_{}", plain(class), plain(&method.unraw().to_string()), start.line, start.column);
    // Another crate, another file: compiled elsewhere, so that the number below does not tell them apart.
    let compiled = std::env::var("CARGO_CRATE_NAME").unwrap_or_default();
    symbol.push_str(&format!("_{:08x}", hash(&format!("{compiled} {place}"))));
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let count = seen.get_or_insert_default().entry(symbol.clone()).or_insert(0);
    // Outside a compiler, in this crate's tests, what is made does not depend on what was made before.
    *count += u32::from(*count == 0 || proc_macro::is_available());
    if *count > 1 {
        symbol.push_str(&format!("_{count}"));
    }
    symbol
}

/// The hash of Fowler, Noll and Vo, folded.
fn hash(text: &str) -> u32 {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_within_their_package() {
        assert_eq!(in_package(Path::new(file!()).strip_prefix("ikra-macros").unwrap()), "ikra-macros/src/symbol.rs");
        assert_eq!(plain("Gänse"), "Gue4nse");
    }
}

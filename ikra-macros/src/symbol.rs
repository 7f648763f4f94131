//! Names in device code.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use proc_macro2::Ident;
use syn::ext::IdentExt;

/// The position of a name: package, file within it, line and column. Host and device compile the same file, so they
/// agree.
pub(crate) fn place(at: &Ident) -> String {
    let start = at.span().start();
    let file = at.span().local_file().map_or_else(String::new, |file| in_package(&file));
    format!("{file}:{}:{}", start.line, start.column)
}

/// A file as `package/src/model.rs`, independent of the package's location and of the compiler.
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
        // The name appears in device code, which is ASCII.
        name.extend(part.chars().map(|c| if c.is_ascii_graphic() { c } else { '?' }));
    }
    known.insert(file.to_owned(), name.clone());
    name
}

/// The name of the package at a folder.
fn package(folder: &Path) -> Option<String> {
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let mut lines = manifest.lines().map(str::trim).skip_while(|line| *line != "[package]").skip(1);
    let name = lines.by_ref().take_while(|line| !line.starts_with('[')).find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "name").then(|| value.trim().trim_matches(['"', '\'']).to_owned())
    })?;
    Some(name)
}

/// A text reduced to letters, digits and `_`, the only characters that device code allows.
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

/// The symbol of a kernel's entry point: unique, and readable in device code.
///
/// The host does not look it up: a comment in the entry point identifies the kernel. So the symbol may depend on other
/// expansions in this crate, for instance if one source line defines several kernels of the same name.
pub(crate) fn kernel_symbol(class: &str, method: &Ident, place: &str) -> String {
    entry_symbol(&format!("ikra_kernel_{}_{}", plain(class), plain(&method.unraw().to_string())), method, place)
}

/// The same for the entry point that changes the links of a class.
pub(crate) fn links_symbol(class: &Ident) -> String {
    let start = format!("{}{}", ikra_marks::LINKS, plain(&class.unraw().to_string()));
    entry_symbol(&start, class, &place(class))
}

fn entry_symbol(start: &str, at: &Ident, place: &str) -> String {
    static SEEN: Mutex<Option<HashMap<String, u32>>> = Mutex::new(None);
    let position = at.span().start();
    let mut symbol = format!("{start}_{}_{}", position.line, position.column);
    // Other crates and files are compiled in separate runs, so the counter below does not distinguish them.
    let compiled = std::env::var("CARGO_CRATE_NAME").unwrap_or_default();
    symbol.push_str(&format!("_{:08x}", hash(&format!("{compiled} {place}"))));
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let count = seen.get_or_insert_default().entry(symbol.clone()).or_insert(0);
    // In this crate's tests, outside a compiler, the output must not depend on earlier calls.
    *count += u32::from(*count == 0 || proc_macro::is_available());
    if *count > 1 {
        symbol.push_str(&format!("_{count}"));
    }
    symbol
}

/// A folded FNV-1a hash.
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

//! Files that a build script writes, and names for them.

use std::fs;
use std::path::Path;

/// FNV-1a: short, and the same in every version of the compiler.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Writes a file unless it holds the text already, so that what depends on it is not built again.
///
/// # Panics
///
/// If it cannot be written.
pub(crate) fn write_if_changed(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    if let Some(parent) = path.parent()
        && let Err(error) = fs::create_dir_all(parent)
    {
        panic!("cannot create {}: {error}", parent.display());
    }
    if let Err(error) = fs::write(path, text) {
        panic!("cannot write {}: {error}", path.display());
    }
}

//! Files that a build script reads and writes, and names for them.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// FNV-1a: short, and the same in every version of the compiler.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A path as seen from a folder, if both are in `root`; otherwise the path itself.
pub(crate) fn seen_from(path: &Path, folder: &Path, root: &Path) -> PathBuf {
    match (path.strip_prefix(root), folder.strip_prefix(root)) {
        (Ok(path), Ok(folder)) => {
            // The common beginning needs no way up.
            let same = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
            let up = folder.components().skip(same).map(|_| Component::ParentDir);
            up.chain(path.components().skip(same)).collect()
        }
        _ => path.to_owned(),
    }
}

/// Writes a file unless it holds the text already, so that nothing that depends on it is built again.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_the_package() {
        let seen = |path: &str| seen_from(Path::new(path), Path::new("/w/tests/hands"), Path::new("/w"));
        assert_eq!(seen("/w/tests/hands/src/model.rs"), Path::new("src/model.rs"));
        assert_eq!(seen("/w/tests/gears/src/model.rs"), Path::new("../gears/src/model.rs"));
        assert_eq!(seen("/w/core/lib.rs"), Path::new("../../core/lib.rs"));
        assert_eq!(seen("/registry/bit/lib.rs"), Path::new("/registry/bit/lib.rs"));
    }
}

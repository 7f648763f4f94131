//! The folder of ikra that the program uses.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the `ikra` that a package depends on, if it does.
///
/// Ikra's build script states it. But if several checkouts of a workspace share a target directory, cargo may take the
/// statement of another checkout. Then this package would be compiled with the other's Ikra. So cargo is asked for the
/// current folder.
pub(crate) fn folder(package: &Path) -> Option<PathBuf> {
    let said = PathBuf::from(env::var_os("DEP_IKRA_MANIFEST_DIR")?);
    Some(asked(package).filter(|folder| folder.join("Cargo.toml").is_file()).unwrap_or(said))
}

/// Cargo's answer, for an `ikra` that is a folder and not from a registry.
fn asked(package: &Path) -> Option<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command.args(["pkgid", "--offline", "--quiet", "--package", "ikra"]);
    let output = command.current_dir(package).output().ok().filter(|output| output.status.success())?;
    in_id(String::from_utf8(output.stdout).ok()?.trim())
}

/// The folder in `path+file:///home/me/ikra#0.1.0`.
fn in_id(id: &str) -> Option<PathBuf> {
    let (path, _) = id.strip_prefix("path+file://")?.split_once('#')?;
    // Before a drive.
    let path = if cfg!(windows) { path.strip_prefix('/')? } else { path };
    decoded(path).map(PathBuf::from)
}

/// A text with `%20` and the like for characters.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                bytes.push(u8::try_from(16 * digit(*high)? + digit(*low)?).ok()?);
                rest = after;
            }
            (b'%', _) => return None,
            (byte, _) => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(all(test, not(windows)))]
mod tests {
    use super::*;

    #[test]
    fn folders_are_found_in_what_cargo_answers() {
        let folder = |id| in_id(id).map(|folder| folder.to_str().unwrap().to_owned());
        assert_eq!(folder("path+file:///home/me/ikra#0.1.0").as_deref(), Some("/home/me/ikra"));
        assert_eq!(folder("path+file:///my%20work/b%C3%A4r/main#ikra@0.1.0").as_deref(), Some("/my work/bär/main"));
        for none in
            ["registry+https://registry.example/index#ikra@0.1.0", "path+file:///a%2", "path+file:///a%zz#1", ""]
        {
            assert_eq!(folder(none), None);
        }
    }
}

//! Device code that is kept next to the model, with a head that names its sources.
//!
//! Code of another model would get columns that it does not know, so it is never used.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Device;
use crate::files::{hash, write_if_changed};

const HEAD: &str = "// Device code made by ikra-build";
const SOURCE: &str = "// source ";

/// The file, and the sources that it must fit.
pub(crate) struct Prebuilt<'a> {
    pub(crate) path: PathBuf,
    pub(crate) device: &'a Device,
    pub(crate) package: &'a Path,
}

impl Prebuilt<'_> {
    /// Writes the file.
    pub(crate) fn write(&self, code: &str, sources: &[PathBuf]) {
        let mut text = format!("{}\n", self.first_line());
        for source in sources {
            // Ikra's version stands for its sources.
            let Ok(relative) = source.strip_prefix(self.package) else { continue };
            if let Some(hash) = hash_of(source) {
                let relative = relative.to_string_lossy().replace('\\', "/");
                text.push_str(&format!("{SOURCE}{hash} {relative}\n"));
            }
        }
        text.push_str(code);
        write_if_changed(&self.path, &text);
    }

    /// Whether the file is there and was made from these sources.
    ///
    /// # Errors
    ///
    /// The reason why it cannot be used.
    pub(crate) fn check(&self) -> Result<(), String> {
        let shown = self.path.strip_prefix(self.package).unwrap_or(&self.path).display();
        let text = fs::read_to_string(&self.path).map_err(|error| format!("cannot read {shown}: {error}"))?;
        let mut lines = text.lines();
        let (found, wanted) = (lines.next().unwrap_or_default(), self.first_line());
        if !found.starts_with(HEAD) {
            return Err(format!("{shown} was not written by ikra-build"));
        }
        if found != wanted {
            let about = |line: &str| line.trim_start_matches(HEAD).trim().to_owned();
            return Err(format!("{shown} was made by {}, and {} is needed", about(found), about(&wanted)));
        }
        let listed: Vec<_> =
            lines.map_while(|line| line.strip_prefix(SOURCE)).filter_map(|line| line.split_once(' ')).collect();
        if listed.is_empty() {
            return Err(format!("{shown} does not say what it was made from"));
        }
        match listed.iter().find(|(hash, source)| hash_of(&self.package.join(source)).as_deref() != Some(*hash)) {
            Some((_, source)) => Err(format!("{shown} was made before {source} changed")),
            None => Ok(()),
        }
    }

    fn first_line(&self) -> String {
        let Device { target, floats, stack, .. } = self.device;
        let stack = stack.map_or(String::new(), |bytes| format!(", stack {bytes}"));
        format!("{HEAD} {} for {target}, floats {floats:?}{stack}", env!("CARGO_PKG_VERSION"))
    }
}

/// Of a file's text, with any line ends: version control may change them.
fn hash_of(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(format!("{:016x}", hash(text.replace("\r\n", "\n").as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Floats;

    #[test]
    fn only_code_of_the_same_model_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path();
        fs::create_dir_all(package.join("src/model")).unwrap();
        let (model, part) = (package.join("src/model.rs"), package.join("src/model/part.rs"));
        fs::write(&model, "mod part;\n").unwrap();
        fs::write(&part, "// one\n").unwrap();
        let device = Device::new("src/model.rs");
        let prebuilt = Prebuilt { path: package.join("src/model.ptx"), device: &device, package };
        assert!(prebuilt.check().unwrap_err().starts_with("cannot read src/model.ptx"));

        prebuilt.write(".version 6.3\n", &[model.clone(), part.clone(), PathBuf::from("/elsewhere/ikra/src/lib.rs")]);
        assert_eq!(prebuilt.check(), Ok(()));
        assert!(fs::read_to_string(&prebuilt.path).unwrap().ends_with("\n.version 6.3\n"));
        assert!(!fs::read_to_string(&prebuilt.path).unwrap().contains("elsewhere"));

        fs::write(&part, "// one\r\n").unwrap();
        assert_eq!(prebuilt.check(), Ok(()), "line ends do not matter");
        fs::write(&part, "// two\n").unwrap();
        assert_eq!(prebuilt.check().unwrap_err(), "src/model.ptx was made before src/model/part.rs changed");

        fs::write(&part, "// one\n").unwrap();
        let contracted = device.clone().floats(Floats::Contract);
        let other = Prebuilt { device: &contracted, path: prebuilt.path.clone(), package };
        assert!(other.check().unwrap_err().contains("floats Strict, and"));

        fs::write(&prebuilt.path, ".version 6.3\n").unwrap();
        assert_eq!(prebuilt.check().unwrap_err(), "src/model.ptx was not written by ikra-build");
    }
}

//! `ptxas`, the assembler of NVIDIA's toolkit, checks device code without a GPU, and reports the resources of each
//! kernel. Ikra does not depend on it; tests use it if it is found.
//!
//! ```no_run
//! use ikra_build::ptxas;
//!
//! if let Some(ptxas) = ptxas::find() {
//!     for usage in ptxas::assemble(&ptxas, "src/model.ptx".as_ref(), "sm_90")? {
//!         assert_eq!(usage.spill_bytes, 0, "{usage:?}");
//!     }
//! }
//! # Ok::<(), ptxas::Error>(())
//! ```

use std::path::{Path, PathBuf};
use std::process::{Command, id};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fmt, fs, io};

/// The resources of a kernel on one architecture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The kernel.
    pub kernel: String,
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of stack per thread.
    pub stack_bytes: u32,
    /// Bytes written to local memory because registers ran out.
    pub spill_bytes: u32,
}

/// The reason why device code was not assembled.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The assembler does not run.
    NotRun(PathBuf, io::Error),
    /// The assembler's messages.
    Rejected(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRun(ptxas, error) => {
                write!(f, "cannot run {}: {error}; set IKRA_PTXAS to the path of `ptxas`", ptxas.display())
            }
            Self::Rejected(messages) => write!(f, "ptxas rejects the device code:\n{}", messages.trim_end()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotRun(_, error) => Some(error),
            Self::Rejected(_) => None,
        }
    }
}

/// Looks for `ptxas`: `IKRA_PTXAS`, the search path, toolkits at the usual places.
#[must_use]
pub fn find() -> Option<PathBuf> {
    if let Some(path) = env::var_os("IKRA_PTXAS") {
        return Some(path.into());
    }
    let on_path = env::var_os("PATH").map(|path| env::split_paths(&path).collect::<Vec<_>>()).unwrap_or_default();
    let toolkits = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR"]
        .into_iter()
        .filter_map(env::var_os)
        .map(PathBuf::from)
        .chain([PathBuf::from("/usr/local/cuda"), PathBuf::from("/opt/cuda")])
        .map(|toolkit| toolkit.join("bin"));
    on_path
        .into_iter()
        .chain(toolkits)
        .map(|folder| folder.join(format!("ptxas{}", env::consts::EXE_SUFFIX)))
        .find(|path| path.is_file())
}

/// Assembles the PTX file at `ptx` for an architecture such as `sm_90`.
///
/// # Errors
///
/// The assembler's messages.
pub fn assemble(ptxas: &Path, ptx: &Path, architecture: &str) -> Result<Vec<Usage>, Error> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let out = env::temp_dir().join(format!("ikra-{}-{}.cubin", id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    let output = Command::new(ptxas)
        .args(["-v", "-arch", architecture, "-o"])
        .arg(&out)
        .arg(ptx)
        .output()
        .map_err(|error| Error::NotRun(ptxas.to_owned(), error))?;
    // Only success matters, not the file.
    let _ = fs::remove_file(&out);
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    if output.status.success() { Ok(usages(&text)) } else { Err(Error::Rejected(text)) }
}

fn usages(text: &str) -> Vec<Usage> {
    let mut usages: Vec<Usage> = Vec::new();
    // Functions that kernels call have properties too.
    let mut is_kernel = false;
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let kernel = rest.split('\'').next().unwrap_or_default().to_owned();
            usages.push(Usage { kernel, ..Usage::default() });
            is_kernel = true;
            continue;
        }
        let Some(usage) = usages.last_mut() else { continue };
        if let Some((_, function)) = line.split_once("Function properties for ") {
            is_kernel = function.trim() == usage.kernel;
        }
        for part in line.split(',') {
            let number = part.split_whitespace().find_map(|word| word.parse().ok()).unwrap_or(0);
            if part.contains(" registers") {
                usage.registers = number;
            } else if is_kernel && part.contains("bytes stack frame") {
                usage.stack_bytes = number;
            } else if is_kernel && part.contains("bytes spill stores") {
                usage.spill_bytes = number;
            }
        }
    }
    usages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_read() {
        let text = "ptxas info    : 0 bytes gmem, 88 bytes cmem[3]
ptxas info    : Compiling entry function 'a' for 'sm_90'
ptxas info    : Function properties for a
    80 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 44 registers, used 1 barriers, 80 bytes cumulative stack size
ptxas info    : Function properties for a_function
    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function 'b' for 'sm_90'
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 6 registers, used 0 barriers
";
        let of = |kernel: &str, registers, stack_bytes, spill_bytes| Usage {
            kernel: kernel.to_owned(),
            registers,
            stack_bytes,
            spill_bytes,
        };
        assert_eq!(usages(text), [of("a", 44, 80, 8), of("b", 6, 0, 0)]);
    }

    #[test]
    fn an_assembler_that_is_not_there_is_named() {
        let error = assemble(Path::new("/nowhere/ptxas"), Path::new("x.ptx"), "sm_90").unwrap_err();
        assert!(error.to_string().starts_with("cannot run /nowhere/ptxas"), "{error}");
    }
}

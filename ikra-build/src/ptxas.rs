//! `ptxas`, the assembler of NVIDIA's toolkit: checks device code without a GPU, and says what each
//! kernel needs. Nothing of Ikra depends on it; tests use it where it is found.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What a kernel needs on one architecture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The kernel.
    pub kernel: String,
    /// Registers a thread.
    pub registers: u32,
    /// Bytes of stack a thread.
    pub stack_bytes: u32,
    /// Bytes written to local memory for want of registers.
    pub spill_bytes: u32,
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
/// What the assembler says.
pub fn assemble(ptxas: &Path, ptx: &Path, architecture: &str) -> Result<Vec<Usage>, String> {
    let out = ptx.with_extension(format!("{architecture}.cubin"));
    let output = Command::new(ptxas)
        .args(["-v", "-arch", architecture, "-o"])
        .arg(&out)
        .arg(ptx)
        .output()
        .map_err(|error| format!("cannot run {}: {error}", ptxas.display()))?;
    // Only its being made counts.
    let _ = fs::remove_file(&out);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(usages(&text)) } else { Err(text) }
}

fn usages(text: &str) -> Vec<Usage> {
    let mut usages: Vec<Usage> = Vec::new();
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let kernel = rest.split('\'').next().unwrap_or_default().to_owned();
            usages.push(Usage { kernel, ..Usage::default() });
        }
        let Some(usage) = usages.last_mut() else { continue };
        for part in line.split(',') {
            let number = part.split_whitespace().find_map(|word| word.parse().ok()).unwrap_or(0);
            if part.contains("registers") {
                usage.registers = number;
            } else if part.contains("bytes stack frame") {
                usage.stack_bytes = number;
            } else if part.contains("bytes spill stores") {
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
}

//! Prints what is installed for building and running kernels on GPUs, and how to install the missing parts. The exit
//! code is 0 if a kernel can be built and run, and 1 otherwise.

use std::process::ExitCode;

use ikra_build::{find_toolchain, ptxas};
use ikra_gpu::GpuError;
use ikra_gpu::driver::{Context, DeviceInfo, Grid, Memory, Module, Stream, devices, driver_version, library};

/// The result of a check: the part that was found, or the next step if it is missing.
enum Finding {
    Found(String),
    Missing(String),
    /// Missing, but not needed to build or run.
    Optional(String),
}

use Finding::{Found, Missing, Optional};

fn main() -> ExitCode {
    let mut findings = vec![("compiler for the device", toolchain()), ("ptxas", assembler()), ("driver", driver())];
    match devices() {
        Ok(devices) if devices.is_empty() => {
            findings
                .push(("GPU", Missing("the driver shows no GPU; see `nvidia-smi`, and `CUDA_VISIBLE_DEVICES`".into())));
        }
        Ok(devices) => {
            for device in &devices {
                findings.push(("GPU", describe(device)));
                findings.push(("test kernel", test_kernel(device.index)));
            }
        }
        Err(_) => findings.push(("GPU", Missing("cannot be seen without a driver".into()))),
    }
    let mut complete = true;
    for (name, finding) in findings {
        let (mark, text) = match finding {
            Found(text) => ("ok", text),
            Optional(text) => ("--", text),
            Missing(text) => {
                complete = false;
                ("no", text)
            }
        };
        println!("{mark}  {name:<24} {text}");
    }
    if complete { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn toolchain() -> Finding {
    match find_toolchain() {
        Ok(toolchain) => Found(toolchain.to_string()),
        Err(search) => Missing(search.advice()),
    }
}

fn assembler() -> Finding {
    match ptxas::find() {
        Some(path) => Found(path.display().to_string()),
        None => Optional(
            "not needed; to check device code without a GPU, `pip download --no-deps nvidia-cuda-nvcc`, unzip it and set IKRA_PTXAS".into(),
        ),
    }
}

fn driver() -> Finding {
    match driver_version() {
        Ok((major, minor)) => {
            let is_named = std::env::var_os("IKRA_DRIVER").is_some_and(|path| !path.is_empty());
            let who = if is_named { ", which IKRA_DRIVER names" } else { "" };
            Found(format!("for CUDA {major}.{minor}: {}{who}", library().unwrap_or("unknown")))
        }
        Err(GpuError::NoDevice { reason }) => {
            Missing(format!("{reason}; IKRA_DRIVER names the emulator, if you have built it"))
        }
        Err(error) => Missing(error.to_string()),
    }
}

/// The emulator's name for its devices.
const EMULATOR: &str = "Ikra emulator";

fn describe(device: &DeviceInfo) -> Finding {
    let DeviceInfo { index, name, memory, compute_capability: (major, minor), multiprocessors } = device;
    let memory = *memory as f64 / f64::from(1 << 30);
    let kind = if name == EMULATOR { " (in software)" } else { "" };
    let text = format!("{index}: {name}{kind}, {memory:.1} GiB, sm_{major}{minor}, {multiprocessors} multiprocessors");
    if (*major, *minor) >= (7, 5) {
        Found(text)
    } else {
        Missing(format!("{text}; kernels need sm_75 (Turing, 2018) or newer"))
    }
}

/// Writes the square of each thread's number.
const KERNEL: &str = "
.version 6.3
.target sm_75
.address_size 64
.visible .entry squares(.param .u64 results) {
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [results];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r1, %tid.x;
    mul.lo.u32 %r2, %r1, %r1;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
}
";

fn test_kernel(device: usize) -> Finding {
    match squares(device) {
        Ok(results) if results.iter().enumerate().all(|(n, &square)| square as usize == n * n) => {
            Found(format!("{} results, all right", results.len()))
        }
        Ok(_) => Missing("ran, with wrong results; check the driver's installation".into()),
        Err(error) => Missing(error.to_string()),
    }
}

fn squares(device: usize) -> Result<Vec<u32>, GpuError> {
    const THREADS: usize = 256;
    let context = Context::open(device)?;
    let module = Module::load(&context, KERNEL)?;
    let function = module.function("squares")?.ok_or_else(|| GpuError::NoSuchKernel {
        kernel: String::from("squares"),
        packages: String::from("`ikra-doctor`"),
    })?;
    let memory = Memory::new(&context, 4 * THREADS, "the test kernel")?;
    let stream = Stream::new(&context)?;
    let address = memory.address();
    let grid = Grid { blocks: 1, threads: THREADS as u32, rows: 1, shared_bytes: 0 };
    let mut results = vec![0_u32; THREADS];
    // SAFETY: the kernel takes an address, with room for one `u32` per thread.
    unsafe { stream.launch(&function, grid, &[(&raw const address).cast()]) }?;
    // SAFETY: the buffer has room for the results until the stream is synchronised.
    unsafe { stream.download(results.as_mut_ptr().cast(), address, 4 * THREADS) }?;
    stream.synchronize()?;
    Ok(results)
}

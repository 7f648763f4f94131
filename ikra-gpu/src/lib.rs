//! NVIDIA GPUs for the [`ikra`](https://docs.rs/ikra) crate.
//!
//! | compiled for | modules |
//! | --- | --- |
//! | the device, `nvptx64-nvidia-cuda` | `device`: shared memory, the executors' loops |
//! | the host | `driver`; the GPU as a place to run kernels; columns that move between host and device; `CudaWorld` |

#![warn(unreachable_pub)]
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(core_intrinsics, stdarch_nvptx, link_llvm_intrinsics, asm_experimental_arch)
)]
#![cfg_attr(target_arch = "nvptx64", allow(internal_features))]

#[cfg(target_arch = "nvptx64")]
pub mod device;

#[cfg(not(target_arch = "nvptx64"))]
mod code;
#[cfg(not(target_arch = "nvptx64"))]
mod construct;
#[cfg(not(target_arch = "nvptx64"))]
mod device_columns;
#[cfg(not(target_arch = "nvptx64"))]
mod device_world;
#[cfg(not(target_arch = "nvptx64"))]
pub mod driver;
#[cfg(not(target_arch = "nvptx64"))]
mod executor;
#[cfg(not(target_arch = "nvptx64"))]
pub mod interop;
#[cfg(not(target_arch = "nvptx64"))]
mod launch;
#[cfg(not(target_arch = "nvptx64"))]
mod losses;
#[cfg(not(target_arch = "nvptx64"))]
mod recordings;
#[cfg(not(target_arch = "nvptx64"))]
mod reduce;
#[cfg(not(target_arch = "nvptx64"))]
mod stats;
#[cfg(not(target_arch = "nvptx64"))]
mod stream_log;
#[cfg(not(target_arch = "nvptx64"))]
mod tables;
#[cfg(not(target_arch = "nvptx64"))]
mod world;

#[cfg(not(target_arch = "nvptx64"))]
pub use executor::open;
#[cfg(not(target_arch = "nvptx64"))]
pub use ikra_runtime::error::GpuError;
#[cfg(not(target_arch = "nvptx64"))]
pub use losses::LostColumn;
#[cfg(not(target_arch = "nvptx64"))]
pub use stats::{DeviceStats, KernelTime};
#[cfg(not(target_arch = "nvptx64"))]
pub use world::CudaWorld;

/// Threads of a block that runs a kernel for pairs, and so others of a tile.
pub(crate) const PAIR_THREADS: usize = 128;

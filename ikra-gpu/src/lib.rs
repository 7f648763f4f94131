//! NVIDIA GPUs for the [`ikra`](https://docs.rs/ikra) crate.
//!
//! | compiled for | modules |
//! | --- | --- |
//! | both | [`math`], random numbers, [`rng`], and who runs a kernel, [`thread`] and [`warp`] |
//! | the device, `nvptx64-nvidia-cuda` | `device`: shared memory, the executors' loops |
//! | the host, with feature `cuda` | `driver`, and `CudaWorld`: the executors' twins, columns that move |

#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(core_intrinsics, stdarch_nvptx, link_llvm_intrinsics, asm_experimental_arch)
)]
#![cfg_attr(target_arch = "nvptx64", allow(internal_features))]

#[cfg(target_arch = "nvptx64")]
pub mod device;
pub mod math;
pub mod rng;
pub mod thread;
pub mod warp;

#[cfg(all(feature = "cuda", not(target_arch = "nvptx64")))]
mod code;
#[cfg(all(feature = "cuda", not(target_arch = "nvptx64")))]
mod columns;
#[cfg(all(feature = "cuda", not(target_arch = "nvptx64")))]
pub mod driver;
#[cfg(all(feature = "cuda", not(target_arch = "nvptx64")))]
mod queue;
#[cfg(all(feature = "cuda", not(target_arch = "nvptx64")))]
mod session;
#[cfg(all(feature = "cuda", not(target_arch = "nvptx64")))]
mod stats;
#[cfg(all(feature = "cuda", not(target_arch = "nvptx64")))]
mod world;

#[cfg(all(feature = "cuda", not(target_arch = "nvptx64")))]
pub use stats::{DeviceStats, KernelTime};
#[cfg(all(feature = "cuda", not(target_arch = "nvptx64")))]
pub use world::{CudaWorld, LostColumn, Recording};

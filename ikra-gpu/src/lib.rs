//! NVIDIA GPUs for the [`ikra`](https://docs.rs/ikra) crate.
//!
//! | compiled for | modules |
//! | --- | --- |
//! | the device, `nvptx64-nvidia-cuda` | `device`: shared memory, the executors' loops |
//! | the host | `driver`; the GPU as a place to run kernels; columns that move between host and device; `CudaWorld` |

#![warn(unreachable_pub, clippy::multiple_unsafe_ops_per_block)]
// On docs.rs, shows the feature that an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    target_arch = "nvptx64",
    no_std,
    feature(core_intrinsics, stdarch_nvptx, link_llvm_intrinsics, asm_experimental_arch),
    allow(internal_features)
)]

mod chunks;
#[cfg(target_arch = "nvptx64")]
pub mod device;
mod parts;
// An explicit path, so that its modules are in a folder next to it.
#[cfg(not(target_arch = "nvptx64"))]
#[path = "host.rs"]
mod host;

#[cfg(not(target_arch = "nvptx64"))]
pub use host::*;

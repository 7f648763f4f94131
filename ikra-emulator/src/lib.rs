//! A GPU in software: executes PTX, checks each access, and runs warps in an order drawn from a seed.
//!
//! | | |
//! | --- | --- |
//! | [`machine`] | the engine: programs, memory of devices, launches |
//! | [`driver`] | the functions of the CUDA driver API that Ikra and `cudarc` use, in front of it |
//!
//! The package's library, `libikra_emulator.so`, stands in for the driver's, `libcuda.so.1`:
//!
//! ```console
//! $ cargo build --release -p ikra-emulator
//! $ IKRA_DRIVER=target/release/libikra_emulator.so cargo run -p nbody -- --place gpu --check
//! ```
//!
//! # Variables
//!
//! | variable | default | |
//! | --- | --- | --- |
//! | `IKRA_EMULATOR_CHECKS` | `on` | `on`: a finding of the checks makes the launch fail; `warn`: it is printed, and the kernel goes on; `off`: only that is noticed which a GPU notices |
//! | `IKRA_EMULATOR_SEED` | 0 | decides the order of blocks, warps and lanes, and in which order streams do their work |
//! | `IKRA_EMULATOR_THREADS` | cores | cores of the host that run blocks; with 1 the same seed gives the same order |
//! | `IKRA_EMULATOR_DEVICES` | 1 | the number of GPUs |
//! | `IKRA_EMULATOR_CAPABILITY` | 90 | their compute capability: 90 for `sm_90` |
//! | `IKRA_EMULATOR_MULTIPROCESSORS` | 4 | their multiprocessors |
//! | `IKRA_EMULATOR_MEMORY` | 16 GiB | their memory in bytes |
//! | `IKRA_EMULATOR_CUDA` | 13000 | the version that the driver says it is: 12030 for CUDA 12.3 |
//! | `IKRA_EMULATOR_PLAN` | | functions that fail: `cuInit:100`, with `@3` from the third call on: `cuMemAlloc_v2:2@3`; `text/word:218` for modules with a word; with commas between |
//! | `IKRA_EMULATOR_TRACE` | 0 | 1: each call is printed on standard error, and what is put on streams |
//! | `IKRA_EMULATOR_COUNTS` | | a file to which one line per kernel is appended at the end: what it executed, loaded and stored |
//!
//! # What is as with a GPU
//!
//! Work is put on streams, and done later: when the host waits for it, or for something behind it. Streams that do not wait for each
//! other do their work in any order. Copies from and to memory that is not page-locked are as CUDA's: their bytes are taken at once,
//! or are there when the call returns. After a kernel has failed, nothing works in its context.
//!
//! # What is not
//!
//! Times of events are those of the emulator. A kernel runs to its end before anything else does: kernels of different
//! streams take turns. There are no textures, managed memory or memory pools.

pub mod counts;
pub mod driver;
pub mod fault;
pub mod machine;

mod alu;
mod block;
mod code;
mod compute;
mod decode;
mod device;
mod execute;
mod grid;
mod memory;
mod options;
mod poison;
mod program;
mod races;
mod registers;
mod schedule;
mod special;
mod warp;

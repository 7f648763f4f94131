//! A GPU in software: executes PTX, checks each access, and runs warps in an order drawn from a seed.
//!
//! ```
//! use std::sync::Arc;
//!
//! use ikra_emulator::machine::{Device, FaultKind, Launch, Options, Program};
//!
//! let program = Arc::new(Program::load("
//!     .version 8.0
//!     .target sm_80
//!     .address_size 64
//!     .visible .entry fill(.param .u64 values)
//!     {
//!         .reg .b32 %r<2>;
//!         .reg .b64 %rd<4>;
//!         ld.param.u64 %rd1, [values];
//!         mov.u32 %r1, %tid.x;
//!         mul.wide.u32 %rd2, %r1, 4;
//!         add.s64 %rd3, %rd1, %rd2;
//!         st.global.u32 [%rd3], %r1;
//!         ret;
//!     }
//! ").unwrap());
//! let device = Device::new(Options::default());
//! let loaded = device.load(Arc::clone(&program)).unwrap();
//! let address = device.allocate(32 * 4, "values").unwrap();
//! let mut launch = Launch { grid: [1; 3], block: [32, 1, 1], ..Launch::default() };
//! launch.arguments = address.to_le_bytes().to_vec();
//! let kernel = program.kernel("fill").unwrap();
//! let counts = device.launch(&loaded, kernel, &launch).unwrap();
//! assert_eq!(counts.thread_instructions(), 6 * 32);
//! let mut last = [0; 4];
//! device.read(address + 31 * 4, &mut last).unwrap();
//! assert_eq!(u32::from_le_bytes(last), 31);
//!
//! // One thread more than values.
//! launch.block = [33, 1, 1];
//! let fault = device.launch(&loaded, kernel, &launch).unwrap_err();
//! assert_eq!(fault.kind, FaultKind::OutOfBounds);
//! assert_eq!(fault.thread.unwrap().thread, [32, 0, 0]);
//! ```
//!
//! # What is modelled
//!
//! - All instructions that `rustc` and `nvcc` emit for scalar code: integers, floats of 32 and 64 bits with all roundings, conversions
//!   (with half precision), memory in all spaces with vectors, atomics, control flow, calls, recursion, barriers, votes, shuffles.
//!   A program with any other instruction is refused when it is loaded, by its line.
//! - Warps of 32 lanes, each with its own position in the program. The lanes of a warp that are furthest behind execute
//!   first, so that lanes meet again after branches and loops. From time to time other lanes go first, so that lanes
//!   may wait for each other, as on hardware since Volta.
//! - The order of blocks, warps and lanes, drawn from [`Options::seed`](machine::Options::seed). A warp executes a
//!   number of instructions before the next one continues; that number is drawn, too. With one host thread, the same
//!   seed gives the same order. `%globaltimer` is the only exception.
//! - Blocks in progress at once: as many as [`Options::multiprocessors`](machine::Options::multiprocessors) hold. They
//!   run alternately.
//! - `__assertfail`, `vprintf`, `malloc`, `free` and `cudaGraphSetConditional`.
//!
//! # What is checked
//!
//! - Each access lies in a live allocation and is aligned. Addresses are never used again, and there are gaps between
//!   allocations.
//! - No branch, address or atomic operation depends on uninitialised bytes. Copies of such bytes are allowed: compilers
//!   copy padding, and the payload of an enum that has none. Values are tracked through registers, local, shared and
//!   global memory, each as a whole. Tracking ends at an exchange between lanes, and at a load of partly initialised
//!   bytes.
//! - No two threads access the same memory, one of them writing, without atomics or an order between them. Orders come
//!   from barriers, `bar.warp.sync` and fences. Any fence on both sides counts as an order, even without the atomic
//!   operation that PTX requires between them. So there are no false findings, and some races are missed. Launches with
//!   more than 2²⁸ threads are not checked for races.
//! - Barriers: all threads of a warp reach an aligned barrier together; no thread waits for ever; loops end.
//! - Each thread's stack is large enough.
//!
//! A [`Fault`](fault::Fault) names the kernel, the thread, the instruction with its line, the address and the allocation.
//!
//! # What is not modelled
//!
//! - Time, caches, coalescing (but [`Counts`](counts::Counts) has the sectors that each warp touches).
//! - The memory model's weakness: instructions of a warp take effect one after the other. With one host thread each launch is
//!   sequentially consistent, with several it is as weak as the host's processor. A missing fence shows as a race, not as a result.
//! - Approximate functions (`sin.approx`): results are more precise than hardware's.
//! - NaN: floats of 32 bits give the canonical `0x7fffffff`, as hardware; payloads of 64 bits follow the host's processor.
//! - Reserved and saved registers: a call takes 16 bytes of stack besides the variables of its function.
//! - Clusters: each block is one.
//!
//! # Speed
//!
//! `cargo run --release -p ikra-emulator --example speed` measures thread instructions per second on one core, with all
//! checks. On a shared server core it found 1055 million for arithmetic, 177 million if three of seven instructions
//! access memory, and 323 million if lanes diverge.
//!
//! # As a driver
//!
//! The package's library, `libikra_emulator.so`, has the functions of the [driver] that Ikra and `cudarc` use, and
//! replaces `libcuda.so.1`:
//!
//! ```console
//! $ cargo build --release -p ikra-emulator
//! $ IKRA_DRIVER=target/release/libikra_emulator.so cargo run -p nbody -- --place gpu --check
//! ```
//!
//! | variable | default | |
//! | --- | --- | --- |
//! | `IKRA_EMULATOR_CHECKS` | `on` | `on`: a finding of the checks is printed and makes the launch fail; `off`: only accesses out of bounds do |
//! | `IKRA_EMULATOR_SEED` | 0 | decides the order of blocks, warps and lanes, and of the work on several streams |
//! | `IKRA_EMULATOR_THREADS` | cores | cores of the host that run blocks; with 1 the same seed gives the same order |
//! | `IKRA_EMULATOR_DEVICES` | 1 | the number of GPUs |
//! | `IKRA_EMULATOR_CAPABILITY` | 90 | their compute capability: 90 for `sm_90` |
//! | `IKRA_EMULATOR_MULTIPROCESSORS` | 4 | their multiprocessors |
//! | `IKRA_EMULATOR_MEMORY` | 16 GiB | their memory in bytes |
//! | `IKRA_EMULATOR_CUDA` | 13000 | the driver's version: 12030 for CUDA 12.3 |
//! | `IKRA_EMULATOR_PLAN` | | functions that fail: `cuInit:100`; `cuMemAlloc_v2:2@3` from the third call on; `cuLaunchKernel:701@4-4` the fourth call alone; `cuLaunchKernelEx/cooperative:720` for such launches; `text/word:218` for modules with a word; separated by commas |
//! | `IKRA_EMULATOR_TRACE` | 0 | 1: prints each call, and the work on streams, on standard error |
//! | `IKRA_EMULATOR_COUNTS` | | a file to which the process appends one line per kernel at its end: the numbers of instructions, loads and stores. Texts of modules are written next to it |
//!
//! Work on streams is executed later: when the host waits for it, or for work after it. Streams that do not wait for
//! each other execute their work in any order. Copies from and to memory that is not page-locked work as in CUDA: their
//! bytes are copied before the call returns. After a kernel has failed, its context is unusable. Times of events are
//! measured in the emulator. A kernel runs to its end before another begins. A kernel that is started early and does
//! not wait may run before the one in front of it. There are no textures, managed memory or memory pools.

#![allow(clippy::result_large_err, reason = "a fault ends a launch: its size costs nothing")]

pub mod counts;
pub mod driver;
pub mod fault;
pub mod machine;

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

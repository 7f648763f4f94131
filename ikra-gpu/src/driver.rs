//! The CUDA driver: found when first needed, so that a program needs none to start.
//!
//! | here | the driver API |
//! | --- | --- |
//! | [`Context`] | the primary `CUcontext` of a device, or another library's |
//! | [`Module`], [`Function`] | `CUmodule`, `CUfunction` |
//! | [`Memory`] | `cuMemAlloc`, `cuMemFree` |
//! | [`Stream`], [`Event`] | `CUstream`, `CUevent` |
//! | [`Graph`] | `CUgraphExec` |
//!
//! # Why a table of our own
//!
//! The crate `cudarc` (0.19.10) has all of the API. It is what the feature `cudarc` works with, and what would bring NCCL;
//! but each row of this table is something that a program with Ikra has and would lose:
//!
//! | | this module | `cudarc::driver::{sys, result}` with dynamic loading |
//! | --- | --- | --- |
//! | a result that is not in the list (drivers are newer than programs) | a number; the message has it | a value that its `enum` does not have, which is undefined behaviour: 12345 is shown as `CUDA_ERROR_UNKNOWN` |
//! | no driver | `GpuError::NoDevice` with what to do | a panic, unless one asks `is_culib_present` first, which opens 34 names |
//! | a driver without a function | the same, with the function's name and the driver's version | a panic when the function is called first |
//! | two packages in one program | nothing to agree on | both must choose the same of 19 features for CUDA's version: two give 329 errors in `cudarc`. Most programs with `cudarc` have chosen one already |
//! | CUDA 11.4 to 13 | one table, whose symbols are those of 11.4 | old drivers want the feature for 11.4, whose list of results ends in 2021 |
//! | the compiler's log, copies in two dimensions, resetting a context | yes | `sys` only: `result` has neither |
//! | to build | 0.3 s of processor time (`libloading`) | 3.8 s |
//!
//! So the declarations stay here, one line per function. What `sys` would save is those lines; safe
//! wrappers of them, which are the rest of this module, would stay.

mod api;
mod context;
mod early;
mod memory;
mod module;
mod status;
mod stream;

pub use context::{Context, DeviceInfo, ForeignContext, devices, driver_version, library, load};
pub(crate) use context::{Loss, forget_entered};
pub use early::{Waiting, waiting};
pub use memory::{HostMemory, Memory};
pub(crate) use module::Footprint;
pub use module::{Function, Module};
pub(crate) use stream::Pieces;
pub use stream::{Event, Graph, Grid, Stream};

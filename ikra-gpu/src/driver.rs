//! The CUDA driver, loaded when it is first needed, so that a program starts without one.
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
//! The crate `cudarc` (0.19.10) declares the whole API, and would bring NCCL too; Ikra's feature `cudarc` works with
//! it. But each row of this table is a property that programs with Ikra would lose:
//!
//! | | this module | `cudarc::driver::{sys, result}` with dynamic loading |
//! | --- | --- | --- |
//! | a result that is not in the list (drivers are newer than programs) | a number; the message shows it | a value that its `enum` does not have, which is undefined behaviour: 12345 is shown as `CUDA_ERROR_UNKNOWN` |
//! | no driver | `GpuError::NoDevice`, which explains what to do | a panic, unless the program calls `is_culib_present` first, which tries 34 names |
//! | a driver without a function | `GpuError::NoDevice` with the function's name and the driver's version | a panic at the function's first call |
//! | two packages in one program | need not agree on anything | both must choose one of 19 features for CUDA's version: two of them give 329 errors in `cudarc`. Most programs with `cudarc` have chosen one already |
//! | CUDA 11.4 to 13 | one table, with the symbols of 11.4 | old drivers need the feature for 11.4, whose list of results ends in 2021 |
//! | the compiler's log, copies in two dimensions, resetting a context | yes | `sys` only: `result` has neither |
//! | to build | 0.3 s of processor time (`libloading`) | 3.8 s |
//!
//! So the declarations stay here, one line per function. `sys` would save these lines only: the safe wrappers, which
//! are the rest of this module, would stay.

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
pub use stream::{Event, Graph, Grid, Stream};
pub(crate) use stream::{Fence, Pieces};

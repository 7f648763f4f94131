//! The CUDA driver: found when first needed, so that a program needs none to start.
//!
//! | here | the driver API |
//! | --- | --- |
//! | [`Context`] | the primary `CUcontext` of a device |
//! | [`Module`], [`Function`] | `CUmodule`, `CUfunction` |
//! | [`Memory`] | `cuMemAlloc`, `cuMemFree` |
//! | [`Stream`], [`Event`] | `CUstream`, `CUevent` |
//! | [`Graph`] | `CUgraphExec` |

mod api;
mod context;
mod memory;
mod module;
mod status;
mod stream;

pub(crate) use context::Loss;
pub use context::{Context, DeviceInfo, devices, driver_version};
pub use memory::{HostMemory, Memory};
pub use module::{Function, Module};
pub(crate) use stream::Pieces;
pub use stream::{Event, Graph, Grid, Stream};

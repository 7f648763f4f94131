//! Items that only the host has.

mod absent;
#[cfg(not(feature = "cuda"))]
mod no_cuda;

pub use ikra_core::isa::Isa;
#[cfg(feature = "report")]
#[cfg_attr(docsrs, doc(cfg(feature = "report")))]
pub use ikra_report as report;
pub use ikra_runtime::error::Error;
pub use ikra_runtime::executor::{BestPlace, Chosen, Iteration, MapOn, MapOver, On, Over, Recording, Subset};
pub use ikra_runtime::list::{LinkList, ListedLink};
pub use ikra_runtime::objects::{AnyColumn, Links, Objects, Rows, Tracked};
pub use ikra_runtime::place::{ParsePlaceError, Place};
pub use ikra_runtime::selection::Selection;
pub use ikra_runtime::world::{Holds, Moved, Mut, World, alone};
#[cfg(feature = "tables")]
#[cfg_attr(docsrs, doc(cfg(feature = "tables")))]
pub use ikra_tables as tables;
#[cfg(feature = "trace")]
#[cfg_attr(docsrs, doc(cfg(feature = "trace")))]
pub use ikra_trace as trace;

/// NVIDIA GPUs: what only they have, their errors, their driver, and other libraries on their columns.
#[cfg(feature = "cuda")]
#[cfg_attr(docsrs, doc(cfg(feature = "cuda")))]
pub mod gpu {
    pub use ikra_gpu::interop;
    pub use ikra_gpu::{
        Cuda, CudaWorld, DeviceStats, GpuError, KernelTime, LoopForm, LoopReport, LostColumn, Specialized, driver,
    };
}

/// Traits in bounds of functions of worlds and objects, which classes, kernels and values have by themselves.
pub mod bounds {
    pub use ikra_core::kernel::{DeviceArgument, Discardable, OnDevice};
    pub use ikra_core::layout::Contiguous;
    pub use ikra_core::storage::SliceSlots;
    pub use ikra_core::transfer::Transfer;
    pub use ikra_runtime::dispatch::{AnyKernel, Collect, CollectOn, Execute, ExecuteOn, LinkIn, Reduce, ReduceOn};
    pub use ikra_runtime::objects::{SliceColumn, SliceColumnMut};
}

/// The host's part of `ikra::dispatch`.
pub(crate) mod dispatch {
    pub use ikra_runtime::dispatch::EveryClass;
}

/// The host's part of the prelude.
pub(crate) mod prelude {
    pub use super::World;
    #[cfg(feature = "cuda")]
    #[cfg_attr(docsrs, doc(cfg(feature = "cuda")))]
    pub use super::gpu::CudaWorld;
    #[cfg(not(feature = "cuda"))]
    #[doc(hidden)]
    pub use super::no_cuda::CudaWorld as _;
}

/// The host's part of `ikra::rt`, for the macros' code.
pub(crate) mod rt {
    pub use super::absent::Absent;
    pub use ikra_core::expansion::{entry, reduced, together};
    pub use ikra_runtime::{
        dispatch::{dispatch_in, every_class},
        executor::Executor,
        objects::AnyObjects,
        world::{WorldState, assert_closed},
    };

    #[cfg(feature = "cuda")]
    pub use ikra_gpu::open;

    /// Reports that the program was built without the feature of a place.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchPlace`](crate::Error::NoSuchPlace), always.
    #[cfg(not(feature = "cuda"))]
    pub fn open<W: crate::World>(_: &mut W, place: crate::Place) -> Result<Box<dyn Executor<W>>, crate::Error> {
        let reason = "the program was built without GPUs; write `ikra = { version = \"0.1\", features = [\"cuda\"] }` in its `Cargo.toml`";
        Err(crate::Error::NoSuchPlace { place, reason })
    }
}

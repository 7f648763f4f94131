//! The host's side of the crate: the driver, copies of columns on devices, and launches.

pub(crate) mod arguments;
pub(crate) mod block_size;
pub(crate) mod changes;
pub(crate) mod code;
pub(crate) mod construct;
pub(crate) mod cuda;
pub(crate) mod device_columns;
pub(crate) mod device_world;
pub mod driver;
pub(crate) mod executor;
pub(crate) mod groups;
pub mod interop;
pub(crate) mod launch;
pub(crate) mod lists;
pub(crate) mod lives;
pub(crate) mod losses;
pub(crate) mod order;
pub(crate) mod recordings;
pub(crate) mod reduce;
pub(crate) mod stats;
pub(crate) mod step;
pub(crate) mod stream_log;
pub(crate) mod tables;
pub(crate) mod world;

pub use cuda::Cuda;
pub use executor::open;
pub use ikra_runtime::error::GpuError;
pub use losses::LostColumn;
pub use stats::{DeviceStats, KernelTime};
pub use world::CudaWorld;

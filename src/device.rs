//! Items that only the device has.

pub use ikra_gpu::device::Objects;
pub use ikra_gpu::device_root;

/// The device's part of `ikra::dispatch`.
pub(crate) mod dispatch {}

/// The part of the prelude that `std` provides on the host.
pub(crate) mod prelude {
    pub use ikra_core::target::StdMethods as _;
}

/// The device's part of `ikra::rt`, for the macros' code.
pub(crate) mod rt {
    pub use ikra_gpu::device::{WorldState, entry, reduced, together};
}

//! What only the device has.

pub use ikra_gpu::device::Objects;
pub use ikra_gpu::device_root;

/// In the prelude: what `std` gives on the host.
pub(crate) mod prelude {
    pub use ikra_core::target::StdMethods as _;
}

/// For the macros' code.
pub(crate) mod rt {
    pub use ikra_gpu::device::{WorldState, entry, reduced, together};
}

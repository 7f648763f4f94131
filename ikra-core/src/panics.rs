//! What kernels and getters panic with.

pub use crate::target::panics::*;

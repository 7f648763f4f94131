//! The panics of kernels and getters.

pub use crate::target::panics::*;

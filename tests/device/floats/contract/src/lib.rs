//! The model, compiled with `Floats::Contract`.
#![forbid(unsafe_code)]

#[path = "../../../src/gpu.rs"]
mod gpu;
#[path = "../../model.rs"]
pub mod model;

pub use gpu::has_gpu;

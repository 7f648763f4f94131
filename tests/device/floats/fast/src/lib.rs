//! The model, compiled with `Floats::Fast`.
#![forbid(unsafe_code)]

#[path = "../../../src/gpu.rs"]
mod gpu;
#[path = "../../model.rs"]
pub mod model;

pub use gpu::has_gpu;

//! The model, compiled with `Floats::Fast`.
#![forbid(unsafe_code)]

#[path = "../../model.rs"]
pub mod model;

//! The model, compiled with `Floats::Contract`.
#![forbid(unsafe_code)]

#[path = "../../model.rs"]
pub mod model;

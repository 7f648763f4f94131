//! The CUDA driver API for the [engine](crate::machine), in place of `libcuda.so.1`.
//!
//! Functions have the names, arguments and results of the driver's functions. Their state belongs to the process; calls
//! of all threads are executed one after the other.

#![allow(
    clippy::missing_safety_doc,
    missing_docs,
    non_snake_case,
    reason = "functions of the CUDA driver API, whose documentation says what they do, and what pointers must point to"
)]

pub mod context;
mod counts;
pub mod device;
pub mod event;
pub mod graph;
pub mod launch;
pub mod memory;
pub mod module;
mod programs;
mod queue;
mod report;
mod settings;
mod state;
mod status;
pub mod stream;
mod symbols;

//! Kernels in all combinations of executors, layouts, and ways to reach an object, to read a field and to write one.
//! Kernels without a data race must give the results of a plain model, bit for bit, with any number of threads
//! (`tests/accepted.rs`). Kernels with a race must not build (`tests/rejected.rs`). Operations on atomic fields are
//! tested likewise (`tests/atomics.rs`): a kernel whose result depends on the order of threads must not build.
//!
//! With `IKRA_LONG=1` all kernels are built, otherwise one in eight, with all ways (`choose`).

pub mod atomics;
pub mod choose;
pub mod combine;
pub mod plain;
pub mod ways;
pub mod write;

//! Kernels in all combinations of ways to reach an object, to read and to write a field, of executors and
//! layouts. Those without a data race have to do what a plain model does, bit for bit, with any number of
//! threads (`tests/accepted.rs`). Those with one must not build (`tests/rejected.rs`). The same for operations on
//! atomic fields (`tests/atomics.rs`), where those must not build whose result depends on the order of threads.
//!
//! With `IKRA_LONG=1` all of them are built, otherwise one in three (`choose`).

pub mod atomics;
pub mod choose;
pub mod combine;
pub mod plain;
pub mod ways;
pub mod write;

//! The workloads by hand: columns, loops and indices, in one thread.

pub mod field;
pub mod graph;
pub mod sheet;

//! Graphs, their sources, their vertices and edges as objects, and sequential algorithms: the whole example except its
//! program.
#![forbid(unsafe_code)]

pub mod model;
pub mod read;
pub mod roads;
pub mod rows;
pub mod sequential;

pub use rows::Graph;

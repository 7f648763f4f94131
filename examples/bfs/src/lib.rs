//! Graphs, where they come from, and their vertices as objects: all of the example but the search itself.
#![forbid(unsafe_code)]

pub mod graph;
pub mod model;
pub mod read;
pub mod roads;
pub mod sequential;

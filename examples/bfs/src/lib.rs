//! Graphs, their sources, and their vertices as objects: the whole example except the search itself.
#![forbid(unsafe_code)]

pub mod graph;
pub mod model;
pub mod read;
pub mod roads;
pub mod sequential;

//! The models: the vertices and edges of a graph for each algorithm. Compiled for the host and for the GPU.

#[path = "model/bfs.rs"]
pub mod bfs;
#[path = "model/components.rs"]
pub mod components;
#[path = "model/pagerank.rs"]
pub mod pagerank;
#[path = "model/sssp.rs"]
pub mod sssp;

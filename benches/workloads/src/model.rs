//! The workloads as models of Ikra. Compiled for the host and for the GPU.

#[path = "model/gen.rs"]
pub mod r#gen;
#[path = "model/gol.rs"]
pub mod gol;
#[path = "model/structure.rs"]
pub mod structure;
#[path = "model/ve.rs"]
pub mod ve;
#[path = "model/ven.rs"]
pub mod ven;

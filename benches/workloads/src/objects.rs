//! The workloads as ordinary object-oriented programs in plain Rust, in one thread: the same classes and methods as the models.

#[path = "objects/gen.rs"]
pub mod r#gen;
#[path = "objects/gol.rs"]
pub mod gol;
#[path = "objects/structure.rs"]
pub mod structure;
/// GraphChi's programs with virtual edges.
pub mod ve {
    #[path = "bfs.rs"]
    pub mod bfs;
    #[path = "cc.rs"]
    pub mod cc;
    #[path = "pr.rs"]
    pub mod pr;
}
/// GraphChi's programs with virtual edges and vertices.
pub mod ven {
    #[path = "bfs.rs"]
    pub mod bfs;
    #[path = "cc.rs"]
    pub mod cc;
    #[path = "pr.rs"]
    pub mod pr;
}

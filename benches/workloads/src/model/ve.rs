//! GraphChi's programs with virtual edges (GraphChi-vE).
//!
//! An iteration is two kernels: edges carry values from their sources, then vertices gather them. In GraphChi it is one,
//! in which vertices write to edges that others read meanwhile.

#[path = "ve/bfs.rs"]
pub mod bfs;
#[path = "ve/cc.rs"]
pub mod cc;
#[path = "ve/pr.rs"]
pub mod pr;

//! GraphChi's programs with virtual edges and vertices (GraphChi-vEN).
//!
//! An iteration is two kernels: edges carry values from their sources, then vertices gather them. In GraphChi it is one,
//! in which vertices write to edges that others read meanwhile.

#[path = "ven/bfs.rs"]
pub mod bfs;
#[path = "ven/cc.rs"]
pub mod cc;
#[path = "ven/pr.rs"]
pub mod pr;

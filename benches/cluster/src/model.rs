//! The models, compiled for the host and for the GPU.

pub mod flock;
pub mod life;
pub mod roads;

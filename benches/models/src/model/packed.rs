//! Models once more, as whoever looks for the shortest time writes them: what is read together lies together.

#[path = "packed/boids.rs"]
pub mod boids;
#[path = "packed/structure.rs"]
pub mod structure;

//! The models, as the README and the guide teach to write them.

#[path = "model/boids.rs"]
pub mod boids;
#[path = "model/colony.rs"]
pub mod colony;
#[path = "model/epidemic.rs"]
pub mod epidemic;
#[path = "model/flock.rs"]
pub mod flock;
#[path = "model/life.rs"]
pub mod life;
#[path = "model/packed.rs"]
pub mod packed;
#[path = "model/shoal.rs"]
pub mod shoal;
#[path = "model/structure.rs"]
pub mod structure;
#[path = "model/tree.rs"]
pub mod tree;
#[path = "model/wator.rs"]
pub mod wator;

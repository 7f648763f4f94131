//! A class with ordinary objects.

pub mod model;

use ikra::prelude::*;

/// The world.
#[soa_world]
pub struct Sim {
    /// The objects.
    pub nodes: Objects<model::Node>,
}

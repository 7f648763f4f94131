//! Objects that kernels read, and that seldom change.

pub mod model;

use ikra::prelude::*;

/// The world.
#[soa_world]
#[derive(Clone)]
pub struct Sim {
    /// The patterns, a list by their links.
    pub patterns: Objects<model::Pattern>,
    /// Filters with inner arrays.
    pub filters: Objects<model::Filter>,
    /// The objects for which kernels run.
    pub spots: Objects<model::Spot>,
}

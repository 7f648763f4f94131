//! The model: shapes that rays hit, materials that scatter rays, and pixels that collect light.
//! Compiled for the host and for the GPU.

use ikra::prelude::*;

mod materials;
mod pixels;
mod shapes;
mod tracing;
mod vector;
mod view;

pub use materials::*;
pub use pixels::*;
pub use shapes::*;
pub use tracing::*;
pub use vector::*;
pub use view::*;

/// The world.
#[soa_world]
#[derive(Debug)]
pub struct Studio {
    /// Shapes.
    pub spheres: Objects<Sphere>,
    /// Shapes.
    pub planes: Objects<Plane>,
    /// Shapes.
    pub triangles: Objects<Triangle>,
    /// Materials.
    pub diffuse: Objects<Diffuse>,
    /// Materials.
    pub checks: Objects<Checks>,
    /// Materials.
    pub mirrors: Objects<Mirror>,
    /// Materials.
    pub glasses: Objects<Glass>,
    /// Materials.
    pub lamps: Objects<Lamp>,
    /// The boxes of the tree.
    pub nodes: Objects<Node>,
    /// A single object, which refers to all shapes.
    pub stages: Objects<Stage>,
    /// The picture, row by row from the top.
    pub pixels: Objects<Pixel>,
}

//! All shapes: a list, and a tree of boxes.

use ikra::prelude::*;
use ikra::rng::Random;

use super::{Hit, MISSED, Ray, Shape, ShapeLink, Vector, View};

/// A box of the tree. Nodes are stored in the order in which they are visited.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Node {
    /// Its smallest coordinates.
    pub low: Vector,
    /// Its largest coordinates.
    pub high: Vector,
    /// Its shape, if it contains only one.
    pub shape: Option<ShapeLink>,
    /// The next box for rays that hit this box.
    pub inside: Option<Link<Node>>,
    /// The next box for rays that miss it.
    pub after: Option<Link<Node>>,
}

/// All shapes.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Stage {
    /// Shapes that are not in the tree.
    #[inline_array(0)]
    pub shapes: InnerArray<ShapeLink>,
    /// The box around all shapes in the tree.
    pub root: Option<Link<Node>>,
}

/// The smaller of two numbers; the second if one is NaN.
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The larger of two numbers; the second if one is NaN.
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// 1 / x, for a number that is not 0.
fn inverse(x: f32) -> f32 {
    const LEAST: f32 = 1e-20;
    1.0 / if x.abs() > LEAST { x } else { LEAST }
}

#[soa_methods]
impl Node {
    /// Whether a ray reaches the box within a distance; `inverse` holds the inverses of its direction's components.
    pub fn is_reached(&self, origin: Vector, inverse: Vector, distance: f32) -> bool {
        let (low, high) = ((self.low - origin) * inverse, (self.high - origin) * inverse);
        let enters = larger(larger(smaller(low.x, high.x), smaller(low.y, high.y)), smaller(low.z, high.z));
        let leaves = smaller(smaller(larger(low.x, high.x), larger(low.y, high.y)), larger(low.z, high.z));
        enters <= leaves && leaves > 0.0 && enters < distance
    }
}

#[soa_methods]
impl Stage {
    /// The light that comes along a path of bounces to a pixel.
    pub fn light(&self, view: &View, pixel: u32, sample: u32) -> Vector {
        let mut random = Random::new(view.seed, pixel, sample);
        let mut ray = view.ray(pixel, &mut random);
        let mut share = Vector::all(1.0);
        for _ in 0..=view.bounces {
            let Some((shape, distance)) = self.nearest(ray) else {
                return share * view.sky.light(ray.direction);
            };
            let at = ray.at(distance);
            let hit = Hit { at, direction: ray.direction, normal: shape.normal(at), gap: view.gap };
            let material = shape.surface();
            let Some(bounce) = material.bounce(&hit, &mut random) else {
                return share * material.glow();
            };
            share = share * bounce.share;
            ray = bounce.ray;
        }
        // The rest of the path is dark.
        Vector::ZERO
    }

    /// The shape that a ray hits first, and its distance.
    pub fn nearest(&self, ray: Ray) -> Option<(Ref<Shape>, f32)> {
        let (mut nearest, mut distance) = (None, MISSED);
        self.shapes.iter().for_each(|shape| {
            let to_shape = shape.distance(ray);
            if to_shape < distance {
                (nearest, distance) = (Some(shape), to_shape);
            }
        });
        let direction = Vector::new(inverse(ray.direction.x), inverse(ray.direction.y), inverse(ray.direction.z));
        let mut next = self.root;
        while let Some(node) = next {
            next = if node.is_reached(ray.origin, direction, distance) {
                if let Some(shape) = node.shape() {
                    let to_shape = shape.distance(ray);
                    if to_shape < distance {
                        (nearest, distance) = (Some(shape), to_shape);
                    }
                }
                node.inside()
            } else {
                node.after()
            };
        }
        Some((nearest?, distance))
    }
}

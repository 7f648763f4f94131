//! All that rays can hit: a list, and a tree of boxes.

use ikra::prelude::*;
use ikra::rng::Random;

use super::{Bounce, Checks, Diffuse, Glass, Hit, Lamp, MISSED, Mirror, Plane, Ray, Sphere, Triangle, Vector, View};

/// The class of a shape or material is in the upper bits of a link, the object's index in the others.
const INDEX_BITS: u32 = 29;

/// A link to a sphere, a plane or a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
#[repr(transparent)]
pub struct ShapeLink(u32);

/// A link to a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
#[repr(transparent)]
pub struct MaterialLink(u32);

macro_rules! tagged {
    ($tagged:ident, $($class:ident = $tag:literal),*) => {
        $(impl From<Link<$class>> for $tagged {
            fn from(link: Link<$class>) -> Self {
                Self($tag << INDEX_BITS | link.index() as u32)
            }
        })*
        impl $tagged {
            /// The number of the class, and the object's index.
            pub fn parts(self) -> (u32, u32) {
                (self.tag(), self.0 & ((1 << INDEX_BITS) - 1))
            }
            fn tag(self) -> u32 {
                self.0 >> INDEX_BITS
            }
            fn link<T: ikra::Class>(self) -> Link<T> {
                Link::from_index((self.0 & ((1 << INDEX_BITS) - 1)) as usize).unwrap()
            }
        }
    };
}
tagged!(ShapeLink, Sphere = 0, Plane = 1, Triangle = 2);
tagged!(MaterialLink, Diffuse = 0, Checks = 1, Mirror = 2, Glass = 3, Lamp = 4);

impl ShapeLink {
    /// No shape.
    pub const NONE: Self = Self(u32::MAX);
}

/// A box of the tree. Nodes lie in the order in which they are visited.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Node {
    /// Its smallest coordinates.
    pub low: Vector,
    /// Its largest coordinates.
    pub high: Vector,
    /// What is in it, if that is one shape.
    pub shape: ShapeLink,
    /// The next box for rays that reach this one.
    pub inside: Option<Link<Node>>,
    /// The next box for rays that do not.
    pub after: Option<Link<Node>>,
}

/// All that rays can hit.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Stage {
    /// Shapes that are not in the tree.
    #[inline_array(0)]
    pub shapes: InnerArray<ShapeLink>,
    /// The box around all others.
    pub root: Option<Link<Node>>,
}

/// The smaller of two; the second if one is not a number.
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The larger of two; the second if one is not a number.
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// 1 / x, of a number that is not 0.
fn inverse(x: f32) -> f32 {
    const LEAST: f32 = 1e-20;
    1.0 / if x > LEAST || x < -LEAST { x } else { LEAST }
}

#[soa_methods]
impl Node {
    /// Whether a ray reaches the box within a distance; `inverse` are the inverses of its direction's components.
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
            let hit = Hit { at, direction: ray.direction, normal: self.normal(shape, at), gap: view.gap };
            let material = self.material(shape);
            let Some(bounce) = self.bounce(material, &hit, &mut random) else {
                return share * self.glow(material);
            };
            share = share * bounce.share;
            ray = bounce.ray;
        }
        // The rest of the way is dark.
        Vector::ZERO
    }

    /// The shape that a ray hits first, and how far along.
    pub fn nearest(&self, ray: Ray) -> Option<(ShapeLink, f32)> {
        let (mut nearest, mut distance) = (ShapeLink::NONE, MISSED);
        for shape in &self.shapes {
            let to_shape = self.distance(shape, ray);
            if to_shape < distance {
                (nearest, distance) = (shape, to_shape);
            }
        }
        let direction = Vector::new(inverse(ray.direction.x), inverse(ray.direction.y), inverse(ray.direction.z));
        let mut next = self.root;
        while let Some(node) = next {
            next = if node.is_reached(ray.origin, direction, distance) {
                let shape = node.shape();
                if shape != ShapeLink::NONE {
                    let to_shape = self.distance(shape, ray);
                    if to_shape < distance {
                        (nearest, distance) = (shape, to_shape);
                    }
                }
                node.inside()
            } else {
                node.after()
            };
        }
        (distance < MISSED).then_some((nearest, distance))
    }

    /// How far along a ray a shape is hit.
    pub fn distance(&self, shape: ShapeLink, ray: Ray) -> f32 {
        match shape.tag() {
            0 => self.resolve::<Link<Sphere>>(shape.link()).distance(ray),
            1 => self.resolve::<Link<Plane>>(shape.link()).distance(ray),
            _ => self.resolve::<Link<Triangle>>(shape.link()).distance(ray),
        }
    }

    /// The direction out of a shape.
    pub fn normal(&self, shape: ShapeLink, at: Vector) -> Vector {
        match shape.tag() {
            0 => self.resolve::<Link<Sphere>>(shape.link()).normal(at),
            1 => self.resolve::<Link<Plane>>(shape.link()).normal(at),
            _ => self.resolve::<Link<Triangle>>(shape.link()).normal(at),
        }
    }

    /// What a shape is made of.
    pub fn material(&self, shape: ShapeLink) -> MaterialLink {
        match shape.tag() {
            0 => self.resolve::<Link<Sphere>>(shape.link()).material(),
            1 => self.resolve::<Link<Plane>>(shape.link()).material(),
            _ => self.resolve::<Link<Triangle>>(shape.link()).material(),
        }
    }

    /// Where a ray goes from a material.
    pub fn bounce(&self, material: MaterialLink, hit: &Hit, random: &mut Random) -> Option<Bounce> {
        match material.tag() {
            0 => self.resolve::<Link<Diffuse>>(material.link()).bounce(hit, random),
            1 => self.resolve::<Link<Checks>>(material.link()).bounce(hit, random),
            2 => self.resolve::<Link<Mirror>>(material.link()).bounce(hit, random),
            3 => self.resolve::<Link<Glass>>(material.link()).bounce(hit, random),
            _ => None,
        }
    }

    /// The light of a material's own.
    pub fn glow(&self, material: MaterialLink) -> Vector {
        match material.tag() {
            4 => self.resolve::<Link<Lamp>>(material.link()).colour(),
            _ => Vector::ZERO,
        }
    }
}

//! Shapes, which rays hit.

use ikra::prelude::*;

use super::{Material, MaterialLink, Ray, Vector};

/// The distance of a miss.
pub const MISSED: f32 = f32::INFINITY;

/// A shape, which rays hit.
#[soa_dispatch(Sphere, Plane, Triangle)]
pub trait Shape {
    /// The distance along a ray to the first hit.
    fn distance(&self, ray: Ray) -> f32;
    /// The outward normal at a point of its surface, of length 1.
    fn normal(&self, at: Vector) -> Vector;
    /// Its material.
    fn surface(&self) -> Ref<Material> {
        self.material
    }
}

/// A sphere.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Sphere {
    /// Its centre.
    pub centre: Vector,
    /// Its radius.
    pub radius: f32,
    /// Its material.
    pub material: MaterialLink,
}

/// An infinite plane.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Plane {
    /// Its normal, of length 1.
    pub up: Vector,
    /// Its signed distance from the origin along the normal.
    pub height: f32,
    /// Its material.
    pub material: MaterialLink,
}

/// A triangle. Seen from outside, its corners are in counter-clockwise order.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Triangle {
    /// A corner.
    pub corner: Vector,
    /// From the first corner to the second corner.
    pub first: Vector,
    /// From the first corner to the third corner.
    pub second: Vector,
    /// Its normal, of length 1.
    pub out: Vector,
    /// Its material.
    pub material: MaterialLink,
}

#[soa_methods]
impl Shape for Sphere {
    fn distance(&self, ray: Ray) -> f32 {
        // The point of the ray that is nearest to the centre. The points where the ray enters and leaves are at equal
        // distances from it.
        let to_centre = self.centre - ray.origin;
        let middle = to_centre.dot(ray.direction);
        let off = to_centre - ray.direction * middle;
        let square = self.radius * self.radius - off.dot(off);
        if square < 0.0 {
            return MISSED;
        }
        let half = square.sqrt();
        let (enters, leaves) = (middle - half, middle + half);
        if enters > 0.0 {
            enters
        } else if leaves > 0.0 {
            leaves
        } else {
            MISSED
        }
    }

    fn normal(&self, at: Vector) -> Vector {
        (at - self.centre).unit()
    }
}

#[soa_methods]
impl Shape for Plane {
    fn distance(&self, ray: Ray) -> f32 {
        let distance = (self.height - ray.origin.dot(self.up)) / ray.direction.dot(self.up);
        // False if the ray is parallel and the distance is NaN.
        if distance > 0.0 { distance } else { MISSED }
    }

    fn normal(&self, _at: Vector) -> Vector {
        self.up
    }
}

#[soa_methods]
impl Triangle {
    /// A triangle with these corners.
    pub fn new(corners: [Vector; 3], material: MaterialLink) -> Self {
        let [corner, first, second] = [corners[0], corners[1] - corners[0], corners[2] - corners[0]];
        Self { corner, first, second, out: first.cross(second).unit(), material }
    }
}

#[soa_methods]
impl Shape for Triangle {
    // Möller & Trumbore, 1997.
    fn distance(&self, ray: Ray) -> f32 {
        let across = ray.direction.cross(self.second);
        let inverse = 1.0 / self.first.dot(across);
        let from_corner = ray.origin - self.corner;
        let u = from_corner.dot(across) * inverse;
        let along = from_corner.cross(self.first);
        let v = ray.direction.dot(along) * inverse;
        let distance = self.second.dot(along) * inverse;
        // False if the ray is parallel and these are NaN. Branch-free, by `&`: all values are computed already.
        if (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (distance > 0.0) { distance } else { MISSED }
    }

    fn normal(&self, _at: Vector) -> Vector {
        self.out
    }
}

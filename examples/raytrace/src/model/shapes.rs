//! What rays hit.

use ikra::prelude::*;

use super::{Material, MaterialLink, Ray, Vector};

/// The distance of what a ray does not hit.
pub const MISSED: f32 = f32::INFINITY;

/// What rays hit.
#[soa_dispatch(Sphere, Plane, Triangle)]
pub trait Shape {
    /// How far along a ray it is hit first.
    fn distance(&self, ray: Ray) -> f32;
    /// The direction out of it at a point of its surface, of length 1.
    fn normal(&self, at: Vector) -> Vector;
    /// What it is made of.
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
    /// What it is made of.
    pub material: MaterialLink,
}

/// A plane without end.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Plane {
    /// The direction away from it, of length 1.
    pub up: Vector,
    /// How far in this direction from the origin of the coordinates it is.
    pub height: f32,
    /// What it is made of.
    pub material: MaterialLink,
}

/// A triangle. Seen from outside its corners follow each other against the clock.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Triangle {
    /// A corner.
    pub corner: Vector,
    /// From there to the second corner.
    pub first: Vector,
    /// From there to the third corner.
    pub second: Vector,
    /// The direction out of it, of length 1.
    pub out: Vector,
    /// What it is made of.
    pub material: MaterialLink,
}

#[soa_methods]
impl Shape for Sphere {
    fn distance(&self, ray: Ray) -> f32 {
        // The point of the ray that is nearest to the centre; from there it is as far to where the ray enters as to where
        // it leaves.
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
        // Not so if the ray is parallel and the distance is not a number.
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
        // Not so if the ray is parallel and these are no numbers. Without branches, by `&`: all are there already.
        if (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (distance > 0.0) { distance } else { MISSED }
    }

    fn normal(&self, _at: Vector) -> Vector {
        self.out
    }
}

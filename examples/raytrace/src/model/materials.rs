//! Materials, and the directions in which rays continue from them.

use ikra::prelude::*;
use ikra::rng::Random;

use super::{Ray, Vector};

/// A ray that met a surface.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// The point on the surface.
    pub at: Vector,
    /// The direction of the ray.
    pub direction: Vector,
    /// The surface's outward normal.
    pub normal: Vector,
    /// A distance that is small, but larger than the rounding errors: rays start at this distance from the surface.
    pub gap: f32,
}

impl Hit {
    /// Whether the ray came from outside.
    pub fn is_outside(&self) -> bool {
        self.direction.dot(self.normal) < 0.0
    }

    /// The normal on the side from which the ray came.
    pub fn facing(&self) -> Vector {
        if self.is_outside() { self.normal } else { -self.normal }
    }

    /// The direction of the mirror image.
    pub fn reflected(&self) -> Vector {
        self.direction - self.normal * (2.0 * self.direction.dot(self.normal))
    }

    /// A ray that continues from here.
    pub fn ray(&self, direction: Vector) -> Ray {
        let direction = direction.unit();
        let gap = if direction.dot(self.normal) < 0.0 { -self.gap } else { self.gap };
        Ray { origin: self.at + self.normal * gap, direction }
    }
}

/// The ray on which a path continues, and the share of the light from there that travels back along the path.
#[derive(Clone, Copy, Debug)]
pub struct Bounce {
    /// The shares of red, green and blue, from 0 to 1.
    pub share: Vector,
    /// The next ray.
    pub ray: Ray,
}

/// A material.
#[soa_dispatch(Diffuse, Checks, Mirror, Glass, Lamp)]
pub trait Material {
    /// The continuation of a ray, if it continues.
    fn bounce(&self, _hit: &Hit, _random: &mut Random) -> Option<Bounce> {
        None
    }
    /// The light that it emits.
    fn glow(&self) -> Vector {
        Vector::ZERO
    }
}

/// A surface that scatters light in all directions.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Diffuse {
    /// The share of light that it scatters.
    pub colour: Vector,
}

/// Diffuse squares of two colours, as on a floor.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Checks {
    /// The first colour.
    pub even: Vector,
    /// The second colour.
    pub odd: Vector,
    /// The side of a square.
    pub side: f32,
}

/// Metal.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Mirror {
    /// The share of light that it reflects.
    pub colour: Vector,
    /// How far reflections deviate from the mirror direction: from 0, polished, to 1.
    pub roughness: f32,
}

/// Glass.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Glass {
    /// The share of light that passes each surface.
    pub colour: Vector,
    /// How many times faster light is outside.
    pub index: f32,
}

/// A lamp.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Lamp {
    /// Its brightness.
    pub colour: Vector,
}

/// A direction of scattered light, with less light towards the sides (Lambert).
fn scattered(hit: &Hit, share: Vector, random: &mut Random) -> Bounce {
    let facing = hit.facing();
    let direction = facing + Vector::random(random);
    // The random vector may cancel the normal.
    let direction = if direction.dot(direction) > 1e-6 { direction } else { facing };
    Bounce { share, ray: hit.ray(direction) }
}

#[soa_methods]
impl Material for Diffuse {
    fn bounce(&self, hit: &Hit, random: &mut Random) -> Option<Bounce> {
        Some(scattered(hit, self.colour, random))
    }
}

#[soa_methods]
impl Material for Checks {
    fn bounce(&self, hit: &Hit, random: &mut Random) -> Option<Bounce> {
        let (column, row) = ((hit.at.x / self.side).floor() as i32, (hit.at.z / self.side).floor() as i32);
        let share = if (column ^ row) & 1 == 0 { self.even } else { self.odd };
        Some(scattered(hit, share, random))
    }
}

#[soa_methods]
impl Material for Mirror {
    fn bounce(&self, hit: &Hit, random: &mut Random) -> Option<Bounce> {
        let direction = hit.reflected() + Vector::random(random) * self.roughness;
        // Absorbed if it would enter the metal.
        let goes_on = direction.dot(hit.facing()) > 0.0;
        goes_on.then(|| Bounce { share: self.colour, ray: hit.ray(direction) })
    }
}

#[soa_methods]
impl Material for Glass {
    /// Reflects or refracts at random, in proportion to the light in each direction.
    fn bounce(&self, hit: &Hit, random: &mut Random) -> Option<Bounce> {
        let facing = hit.facing();
        let ratio = if hit.is_outside() { 1.0 / self.index } else { self.index };
        let cosine = -hit.direction.dot(facing);
        let square = 1.0 - ratio * ratio * (1.0 - cosine * cosine);
        let direction = if square <= 0.0 {
            hit.reflected()
        } else {
            let through = square.sqrt();
            // The reflected share, by Schlick's approximation of Fresnel's law, for the larger of the two angles.
            let rest = 1.0 - if hit.is_outside() { cosine } else { through };
            let straight = (1.0 - self.index) / (1.0 + self.index);
            let straight = straight * straight;
            let back = straight + (1.0 - straight) * (rest * rest * rest * rest * rest);
            if random.uniform_f32() < back {
                hit.reflected()
            } else {
                hit.direction * ratio + facing * (ratio * cosine - through)
            }
        };
        Some(Bounce { share: self.colour, ray: hit.ray(direction) })
    }
}

#[soa_methods]
impl Material for Lamp {
    fn glow(&self) -> Vector {
        self.colour
    }
}

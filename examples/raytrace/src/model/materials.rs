//! What shapes are made of: where a ray goes from there.

use ikra::prelude::*;
use ikra::rng::Random;

use super::{Ray, Vector};

/// A ray that met a surface.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// Where.
    pub at: Vector,
    /// Where the ray was going.
    pub direction: Vector,
    /// The direction out of the shape.
    pub normal: Vector,
    /// A distance that is small, but larger than the rounding errors: rays start so far from the surface.
    pub gap: f32,
}

impl Hit {
    /// Whether the ray came from outside.
    pub fn is_outside(&self) -> bool {
        self.direction.dot(self.normal) < 0.0
    }

    /// The normal on the side that the ray came from.
    pub fn facing(&self) -> Vector {
        if self.is_outside() { self.normal } else { -self.normal }
    }

    /// The direction of the mirror image.
    pub fn reflected(&self) -> Vector {
        self.direction - self.normal * (2.0 * self.direction.dot(self.normal))
    }

    /// A ray that goes on from here.
    pub fn ray(&self, direction: Vector) -> Ray {
        let direction = direction.unit();
        let gap = if direction.dot(self.normal) < 0.0 { -self.gap } else { self.gap };
        Ray { origin: self.at + self.normal * gap, direction }
    }
}

/// Where a ray goes on, and which share of the light that comes from there goes the way back.
#[derive(Clone, Copy, Debug)]
pub struct Bounce {
    /// How much red, green and blue, from 0 to 1.
    pub share: Vector,
    /// The next ray.
    pub ray: Ray,
}

/// What shapes are made of.
#[soa_dispatch(Diffuse, Checks, Mirror, Glass, Lamp)]
pub trait Material {
    /// Where a ray goes on, if it does.
    fn bounce(&self, _hit: &Hit, _random: &mut Random) -> Option<Bounce> {
        None
    }
    /// The light of its own.
    fn glow(&self) -> Vector {
        Vector::ZERO
    }
}

/// A surface that sends light into all directions.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Diffuse {
    /// How much of it.
    pub colour: Vector,
}

/// Diffuse squares of two colours, as on a floor.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Checks {
    /// One.
    pub even: Vector,
    /// The other.
    pub odd: Vector,
    /// Their side.
    pub side: f32,
}

/// Metal.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Mirror {
    /// How much light it sends back.
    pub colour: Vector,
    /// How far from the mirror image's direction it sends it: from 0, polished, to 1.
    pub roughness: f32,
}

/// Glass.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Glass {
    /// How much light passes each surface.
    pub colour: Vector,
    /// How many times faster light is outside.
    pub index: f32,
}

/// What shines.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Lamp {
    /// How bright.
    pub colour: Vector,
}

/// Light that goes into all directions, less of it to the sides (Lambert).
fn scattered(hit: &Hit, share: Vector, random: &mut Random) -> Bounce {
    let facing = hit.facing();
    let direction = facing + Vector::random(random);
    // The random direction may be the opposite one.
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
        // Not so if it would go into the metal.
        let goes_on = direction.dot(hit.facing()) > 0.0;
        goes_on.then(|| Bounce { share: self.colour, ray: hit.ray(direction) })
    }
}

#[soa_methods]
impl Material for Glass {
    /// By chance back or through, as much light as goes either way.
    fn bounce(&self, hit: &Hit, random: &mut Random) -> Option<Bounce> {
        let facing = hit.facing();
        let ratio = if hit.is_outside() { 1.0 / self.index } else { self.index };
        let cosine = -hit.direction.dot(facing);
        let square = 1.0 - ratio * ratio * (1.0 - cosine * cosine);
        let direction = if square <= 0.0 {
            hit.reflected()
        } else {
            let through = square.sqrt();
            // How much goes back, by Schlick's approximation of Fresnel's law: of the larger of the two angles.
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

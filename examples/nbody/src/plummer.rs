//! A Plummer sphere in virial equilibrium, the usual start of a star cluster (Aarseth, Hénon & Wielen 1974). In its
//! units, total mass and gravitational constant are 1, and the energy is -1/4.

use std::f64::consts::PI;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};

use crate::model::Body;

/// Length unit of the Plummer model in these units.
const SCALE: f64 = 3.0 * PI / 16.0;

/// Bodies of equal mass, at rest as a whole around the origin. In two dimensions, the sphere is flattened, and no
/// longer in equilibrium.
pub(crate) fn sphere(bodies: u32, dims: u8, seed: u64) -> Vec<Body> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mass = 1.0 / f64::from(bodies);
    let mut all: Vec<Body> = (0..bodies)
        .map(|_| {
            // The mass within a radius is uniformly distributed; the outermost 0.1 % is left out.
            let within: f64 = rng.random_range(0.0..0.999);
            let radius = 1.0 / (within.powf(-2.0 / 3.0) - 1.0).sqrt();
            let escape = 2f64.sqrt() * (1.0 + radius * radius).powf(-0.25);
            let speed = escape * relative_speed(&mut rng);
            let pos = direction(&mut rng).map(|x| x * radius * SCALE);
            let vel = direction(&mut rng).map(|x| x * speed / SCALE.sqrt());
            let flat = |v: [f64; 3]| if dims == 2 { [v[0], v[1], 0.0] } else { v };
            Body::new(mass, flat(pos), flat(vel))
        })
        .collect();
    let centre = |vector: fn(&Body) -> [f64; 3], all: &[Body]| {
        let sum = all.iter().map(vector).fold([0.0; 3], |a, b| std::array::from_fn(|d| a[d] + b[d]));
        sum.map(|x| x * mass)
    };
    let (pos, vel) = (centre(|body| body.pos, &all), centre(|body| body.vel, &all));
    for body in &mut all {
        for d in 0..3 {
            body.pos[d] -= pos[d];
            body.vel[d] -= vel[d];
        }
    }
    all
}

/// Speed relative to the escape velocity, by von Neumann's rejection: its density is q² (1 − q²)^3.5.
fn relative_speed(rng: &mut impl Rng) -> f64 {
    loop {
        let (q, height): (f64, f64) = (rng.random(), rng.random_range(0.0..0.1));
        if height < q * q * (1.0 - q * q).powf(3.5) {
            return q;
        }
    }
}

/// A uniformly distributed unit vector.
fn direction(rng: &mut impl Rng) -> [f64; 3] {
    let (z, angle): (f64, f64) = (rng.random_range(-1.0..1.0), rng.random_range(0.0..2.0 * PI));
    let radius = (1.0 - z * z).sqrt();
    [radius * angle.cos(), radius * angle.sin(), z]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_rest_around_the_origin_and_nearly_in_equilibrium() {
        let bodies = sphere(4000, 3, 7);
        let mean = |f: fn(&Body) -> f64| bodies.iter().map(f).sum::<f64>() / 4000.0;
        assert!(mean(|body| body.pos[0]).abs() < 1e-12 && mean(|body| body.vel[2]).abs() < 1e-12);
        // By the virial theorem the kinetic energy is 1/4.
        let kinetic = 0.5 * mean(|body| body.vel.iter().map(|v| v * v).sum());
        assert!((0.23..0.27).contains(&kinetic), "{kinetic}");
        assert_eq!(bodies, sphere(4000, 3, 7));
        assert_ne!(bodies, sphere(4000, 3, 8));
        assert!(sphere(10, 2, 1).iter().all(|body| body.pos[2] == 0.0 && body.vel[2] == 0.0));
    }
}

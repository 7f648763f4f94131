//! Bodies that attract each other, and merge where they meet: three kernels for pairs.

use ikra::prelude::*;

use super::{Model, mix, uniform};

/// Seconds per step.
const DT: f32 = 0.01;

/// A body.
#[soa_class]
pub struct Body {
    /// Where it is.
    pub pos: [f32; 2],
    /// Where it flies.
    pub vel: [f32; 2],
    /// Its mass.
    pub mass: f32,
    /// The larger body with which it merges.
    pub target: Option<Link<Body>>,
}

/// The acceleration by another body.
#[inline]
fn pull(d: [f32; 2], mass: f32) -> [f32; 2] {
    let r2 = d[0] * d[0] + d[1] * d[1] + 0.01;
    d.map(|d| mass * d / (r2 * r2.sqrt()))
}

/// Whether two bodies meet, of which the second is the larger.
#[inline]
fn meet(d: [f32; 2], mass: f32, other: f32, is_before: bool) -> bool {
    let reach = 0.02 * (mass + other);
    d[0] * d[0] + d[1] * d[1] < reach * reach && (other > mass || (other == mass && is_before))
}

#[soa_methods]
impl Body {
    /// Is attracted.
    #[kernel(pairs)]
    pub fn attract(&mut self, other: Ref<Body>) {
        let pull = pull([other.pos()[0] - self.pos[0], other.pos()[1] - self.pos[1]], other.mass());
        for k in 0..2 {
            self.vel[k] += DT * pull[k];
        }
    }
    /// Moves.
    #[kernel]
    pub fn advance(&mut self) {
        for k in 0..2 {
            self.pos[k] += self.vel[k] * DT;
        }
        self.target = None;
    }
    /// Finds a larger body that it meets: the last one.
    #[kernel(pairs)]
    pub fn find(&mut self, other: Ref<Body>) {
        let d = [other.pos()[0] - self.pos[0], other.pos()[1] - self.pos[1]];
        if meet(d, self.mass, other.mass(), other.link() < self.link()) {
            self.target = Some(other);
        }
    }
    /// Takes the mass of those that merge with it, unless it merges itself.
    #[kernel(pairs, snapshot(mass, vel))]
    pub fn merge(&mut self, other: Ref<Body>) {
        if let Some(target) = other.target()
            && target.link() == self.link()
            && self.target.is_none()
        {
            let mass = self.mass + other.mass();
            for k in 0..2 {
                self.vel[k] = (self.mass * self.vel[k] + other.mass() * other.vel()[k]) / mass;
            }
            self.mass = mass;
        }
    }
    /// Whether it stays.
    #[kernel]
    pub fn stays(&mut self) -> bool {
        let merged = self.target.is_some_and(|target| target.target().is_none());
        !merged
    }
}

/// The world.
#[soa_world]
pub struct Space {
    /// All bodies.
    pub bodies: Objects<Body>,
}

struct TwinBody {
    pos: [f32; 2],
    vel: [f32; 2],
    mass: f32,
    target: u32,
}

/// The same in plain Rust.
pub struct Twin {
    bodies: Vec<TwinBody>,
}

/// The model.
pub struct Coli;

impl Model for Coli {
    const NAME: &str = "coli";
    type World = Space;
    type Twin = Twin;

    fn make(scale: usize) -> (Space, Twin) {
        let count = 40 * scale;
        let side = (count as f32).sqrt();
        let pos = |n| [3 * n, 3 * n + 1].map(|k| side * uniform(k));
        let mass = |n| 0.5 + uniform(5 * n);
        let mut space = Space::new();
        let bodies = (0..count).map(|n| Body { pos: pos(n), vel: [0.0; 2], mass: mass(n), target: None });
        space.bodies.extend(bodies).expect("memory");
        let twin = |n| TwinBody { pos: pos(n), vel: [0.0; 2], mass: mass(n), target: u32::MAX };
        (space, Twin { bodies: (0..count).map(twin).collect() })
    }

    fn step(space: &mut Space, _: u32) {
        space.execute_pairs(Body::attract, ());
        space.execute(Body::advance, ());
        space.execute_pairs(Body::find, ());
        space.execute_pairs(Body::merge, ());
        space.retain(Body::stays, ()).expect("no links to those that merged");
    }

    fn twin_step(twin: &mut Twin, _: u32) {
        let bodies = &mut twin.bodies;
        for n in 0..bodies.len() {
            for other in 0..bodies.len() {
                let [a, b] = [&bodies[n], &bodies[other]];
                let pull = pull([b.pos[0] - a.pos[0], b.pos[1] - a.pos[1]], b.mass);
                for k in 0..2 {
                    bodies[n].vel[k] += DT * pull[k];
                }
            }
        }
        for body in bodies.iter_mut() {
            for k in 0..2 {
                body.pos[k] += body.vel[k] * DT;
            }
            body.target = u32::MAX;
        }
        for n in 0..bodies.len() {
            for other in 0..bodies.len() {
                let [a, b] = [&bodies[n], &bodies[other]];
                if meet([b.pos[0] - a.pos[0], b.pos[1] - a.pos[1]], a.mass, b.mass, other < n) {
                    bodies[n].target = other as u32;
                }
            }
        }
        let before: Vec<_> = bodies.iter().map(|body| (body.mass, body.vel)).collect();
        for n in 0..bodies.len() {
            for other in 0..bodies.len() {
                if bodies[other].target == n as u32 && bodies[n].target == u32::MAX {
                    let (mass, vel) = before[other];
                    let body = &mut bodies[n];
                    for k in 0..2 {
                        body.vel[k] = (body.mass * body.vel[k] + mass * vel[k]) / (body.mass + mass);
                    }
                    body.mass += mass;
                }
            }
        }
        let stays: Vec<bool> = (bodies.iter())
            .map(|body| body.target == u32::MAX || bodies[body.target as usize].target != u32::MAX)
            .collect();
        let mut stays = stays.into_iter();
        bodies.retain(|_| stays.next().expect("one each"));
    }

    fn digest(space: &Space) -> u64 {
        let (pos, mass) = (space.bodies.column(body::pos), space.bodies.column(body::mass));
        mix(pos.iter().zip(mass).map(|(pos, mass)| u64::from(pos[0].to_bits()) + (u64::from(mass.to_bits()) << 32)))
    }

    fn twin_digest(twin: &Twin) -> u64 {
        mix((twin.bodies.iter()).map(|body| u64::from(body.pos[0].to_bits()) + (u64::from(body.mass.to_bits()) << 32)))
    }
}

//! A small n-body simulation, from construction to reductions.
#![allow(missing_docs, reason = "a test, not a library")]
use ikra::prelude::*;

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub pos: [f32; 2],
    pub vel: [f32; 2],
    pub force: [f32; 2],
    pub mass: f32,
}

#[soa_methods]
impl Body {
    pub fn new(pos: [f32; 2], mass: f32) -> Self {
        Self { pos, vel: [0.0; 2], force: [0.0; 2], mass }
    }
    #[kernel(pairs)]
    pub fn attract(&mut self, other: Ref<Body>) {
        let (p, m) = (other.pos(), other.mass());
        let d = [p[0] - self.pos[0], p[1] - self.pos[1]];
        let r2 = d[0] * d[0] + d[1] * d[1] + 0.01;
        let f = self.mass * m / (r2 * r2.sqrt());
        for (force, d) in self.force.iter_mut().zip(d) {
            *force += f * d;
        }
    }
    #[kernel]
    pub fn advance(&mut self, dt: f32) {
        for d in 0..2 {
            self.vel[d] += self.force[d] * dt / self.mass;
            self.pos[d] += self.vel[d] * dt;
            self.force[d] = 0.0;
        }
    }
    #[kernel(reduce(Sum))]
    pub fn kinetic_energy(&self) -> f32 {
        0.5 * self.mass * (self.vel[0] * self.vel[0] + self.vel[1] * self.vel[1])
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

#[test]
fn nbody() {
    let mut sim = Sim::new();
    let b = sim.bodies.push(Body::new([0.0, 1.0], 2.0)).unwrap();
    sim.bodies.extend((0..100).map(|n| Body::new([n as f32, 0.0], 1.0))).unwrap();
    for _ in 0..10 {
        sim.execute_pairs(Body::attract, ());
        sim.execute(Body::advance, 0.01);
    }
    let e: f32 = sim.execute_and_reduce(Body::kinetic_energy, (), Sum);
    println!("{:?} {e}", sim.get(b).pos());
    assert!(e > 0.0);
    sim.get_mut(b).advance(0.5);
    println!("{:?}", sim.get_mut(b));
    println!("{}", sim.get(b).kinetic_energy());
}

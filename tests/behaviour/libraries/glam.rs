//! glam's types as values, with the feature `glam`.
#![cfg(feature = "glam")]
#![allow(missing_docs, reason = "a test, not a library")]

use glam::{DVec2, Mat3, Quat, UVec4, Vec3, Vec3A};
use ikra::prelude::*;
use ikra_report::ClassLayout;

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub pos: Vec3,
    #[soa(flatten)]
    pub vel: Vec3A,
    pub turn: Quat,
    pub frame: Mat3,
    #[soa(flatten)]
    pub plane: DVec2,
    pub cells: UVec4,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn step(&mut self, dt: f32) {
        self.pos += Vec3::from(self.vel) * dt;
        self.vel *= 0.5;
        self.plane.x += f64::from(dt);
        self.pos = self.turn * (self.frame * self.pos);
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

#[test]
fn vectors_are_values() -> Result<(), ikra::Error> {
    let mut sim = Sim::new();
    let body = Body {
        pos: Vec3::X,
        vel: Vec3A::new(0.0, 2.0, 4.0),
        turn: Quat::IDENTITY,
        frame: Mat3::IDENTITY,
        plane: DVec2::ONE,
        cells: UVec4::new(1, 2, 3, 4),
    };
    let links: Vec<_> = sim.bodies.extend((0..100).map(|_| body.clone()))?.collect();
    sim.execute(Body::step, 0.5);
    let row = sim.bodies.read(links[99])?;
    assert_eq!(
        (row.pos, row.vel, row.plane),
        (Vec3::new(1.0, 1.0, 2.0), Vec3A::new(0.0, 1.0, 2.0), DVec2::new(1.5, 1.0))
    );
    assert_eq!(sim.get(links[3]).cells(), body.cells);
    let names: Vec<_> = ClassLayout::of(&sim.bodies).columns.into_iter().map(|column| column.name).collect();
    assert_eq!(names, ["pos", "vel.x", "vel.y", "vel.z", "turn", "frame", "plane.x", "plane.y", "cells"]);
    Ok(())
}

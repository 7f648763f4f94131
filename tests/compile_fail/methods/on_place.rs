//! Kernels that have no form for a GPU run on the host only.
use std::time::Duration;

use ikra::Place;
use ikra::prelude::*;

#[soa_class]
pub struct Body {
    pub pos: f32,
}

#[derive(Clone, Copy)]
pub struct Longest;
impl Reducer<Duration> for Longest {
    fn identity(&self) -> Duration {
        Duration::ZERO
    }
    fn combine(&self, a: Duration, b: Duration) -> Duration {
        a.max(b)
    }
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn look_up(&mut self, dt: f32, table: &[f32]) {
        self.pos += dt * table[0];
    }
    #[kernel]
    pub fn change(&mut self, how: impl Fn(f32) -> f32 + Copy + Send + Sync) {
        self.pos = how(self.pos);
    }
    #[kernel]
    pub fn shift(&mut self, by: (f32, f32)) {
        self.pos += by.0 + by.1;
    }
    #[kernel(reduce(Longest))]
    pub fn arrival(&self) -> Duration {
        Duration::from_secs_f32(self.pos)
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

fn main() {
    let mut sim = Sim::new();
    let table = vec![1.0];
    // On the host all of them run.
    sim.execute(Body::look_up, (0.5, table.as_slice()));
    sim.execute(Body::change, |pos: f32| pos + table[0]);
    sim.execute(Body::shift, (1.0, 2.0));
    sim.execute_and_reduce(Body::arrival, (), Longest);

    let mut sim = sim.on(Place::Host);
    sim.execute(Body::look_up, (0.5, table.as_slice())).unwrap();
    sim.execute(Body::change, |pos: f32| pos + 1.0).unwrap();
    sim.execute(Body::shift, (1.0, 2.0)).unwrap();
    sim.execute_and_reduce(Body::arrival, (), Longest).unwrap();
}

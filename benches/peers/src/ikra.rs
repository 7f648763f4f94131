//! Ikra: methods of classes.

use ikra::prelude::*;

use crate::{DT, System, Threads, friend, position, velocity};

#[soa_class]
pub struct Body {
    pub px: f64,
    pub py: f64,
    pub vx: f64,
    pub vy: f64,
}

#[soa_class]
pub struct Follower {
    pub friend: Link<Body>,
    pub seen: f64,
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn advance(&mut self, dt: f64) {
        self.px += self.vx * dt;
        self.py += self.vy * dt;
    }
}

#[soa_methods]
impl Follower {
    #[kernel]
    pub fn follow(&mut self) {
        self.seen = self.friend.px();
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
    pub followers: Objects<Follower>,
}

pub struct Ikra(Sim);

impl Ikra {
    pub fn new(n: usize) -> Self {
        let mut sim = Sim::new();
        let bodies = (0..n).map(|n| {
            let ([px, py], [vx, vy]) = (position(n), velocity(n));
            Body { px, py, vx, vy }
        });
        sim.bodies.extend(bodies).expect("there is memory");
        Self(sim)
    }
}

impl System for Ikra {
    fn name(&self) -> &'static str {
        "Ikra"
    }

    fn add_followers(&mut self) {
        let bodies: Vec<Link<Body>> = self.0.bodies.links().collect();
        let followers = (0..bodies.len()).map(|n| Follower { friend: bodies[friend(n, bodies.len())], seen: 0.0 });
        self.0.followers.extend(followers).expect("there is memory");
    }

    fn advance(&mut self, threads: Threads) {
        threads.pool().install(|| self.0.execute(Body::advance, DT));
    }

    fn follow(&mut self, threads: Threads) {
        threads.pool().install(|| self.0.execute(Follower::follow, ()));
    }

    fn count_right_of(&mut self, x: f64) -> usize {
        self.0.all::<Body>().filter(|body| body.px() > x).count()
    }

    fn positions(&mut self) -> Vec<[f64; 2]> {
        self.0.all::<Body>().map(|body| [body.px(), body.py()]).collect()
    }

    fn seen(&mut self) -> Vec<f64> {
        self.0.followers.column(follower::seen).to_vec()
    }
}

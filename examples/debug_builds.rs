#![allow(missing_docs, reason = "a program, not a library")]
//! What debug builds cost: three kernels, and the same as plain Rust. Run it as `cargo run --example debug_builds`, and
//! with `--release`; `docs/performance.md` has the figures.

use std::hint::black_box;
use std::time::Instant;

use ikra::prelude::*;

const COUNT: usize = 1_000_000;

#[soa_class]
pub struct Body {
    pub pos: [f64; 2],
    pub vel: [f64; 2],
    pub heat: f64,
    pub near: [Link<Body>; 4],
    #[inline_array]
    pub path: [f64; 8],
}

#[soa_methods]
impl Body {
    #[kernel]
    pub fn advance(&mut self, dt: f64) {
        for d in 0..2 {
            self.pos[d] += self.vel[d] * dt;
        }
    }

    #[kernel]
    pub fn attract(&mut self) {
        for other in self.near {
            self.heat += other.pos()[0] - self.pos[0];
        }
    }

    #[kernel]
    pub fn smooth(&mut self) {
        for n in 1..self.path.len() {
            self.path[n] += self.path[n - 1];
        }
    }
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

/// The same without Ikra.
#[derive(Clone)]
struct Plain {
    pos: [f64; 2],
    vel: [f64; 2],
    heat: f64,
    near: [usize; 4],
    path: [f64; 8],
}

impl Plain {
    fn advance(&mut self, dt: f64) {
        for d in 0..2 {
            self.pos[d] += self.vel[d] * dt;
        }
    }

    fn smooth(&mut self) {
        for n in 1..self.path.len() {
            self.path[n] += self.path[n - 1];
        }
    }
}

fn attract(all: &mut [Plain]) {
    for n in 0..all.len() {
        for other in all[n].near {
            all[n].heat += all[other].pos[0] - all[n].pos[0];
        }
    }
}

/// Nanoseconds per object, the best of three times.
fn time(mut work: impl FnMut()) -> f64 {
    let once = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e9 / COUNT as f64
    };
    (0..3).map(|_| once(&mut work)).fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let near = |n: usize| [1, 77, 1000, 4321].map(|step| (n + step) % COUNT);
    let mut plain: Vec<Plain> = (0..COUNT)
        .map(|n| Plain { pos: [n as f64; 2], vel: [1.0; 2], heat: 0.0, near: near(n), path: [1.0; 8] })
        .collect();
    let mut sim = Sim::new();
    sim.bodies.reserve(COUNT)?;
    for (n, &Plain { pos, vel, heat, near, path }) in plain.iter().enumerate() {
        let link = |n: usize| Link::from_index(n).ok_or("too many objects");
        let near = [link(near[0])?, link(near[1])?, link(near[2])?, link(near[3])?];
        sim.bodies.init(link(n)?, Body { pos, vel, heat, near, path })?;
    }
    // One thread on both sides.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| {
        println!("nanoseconds per object    Ikra   plain Rust");
        let show = |name: &str, ikra: f64, plain: f64| println!("{name:20} {ikra:9.2} {plain:12.2}");
        let ikra = time(|| sim.execute(Body::advance, 0.01));
        show("four numbers", ikra, time(|| plain.iter_mut().for_each(|body| body.advance(0.01))));
        let ikra = time(|| sim.execute(Body::attract, ()));
        show("four neighbours", ikra, time(|| attract(&mut plain)));
        let ikra = time(|| sim.execute(Body::smooth, ()));
        show("an array of eight", ikra, time(|| plain.iter_mut().for_each(Plain::smooth)));
    });
    black_box((&sim.bodies.column(body::heat)[COUNT / 2], &plain[COUNT / 2].heat));
    Ok(())
}

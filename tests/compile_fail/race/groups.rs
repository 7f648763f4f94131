use ikra::{Grid, prelude::*};

#[soa_class]
pub struct Boid {
    pub pos: [f32; 2],
    pub vel: [f32; 2],
}

#[soa_methods]
impl Boid {
    /// Others may have changed their velocity already.
    #[kernel]
    pub fn align(&mut self, near: Groups<Boid, Grid<2>>) {
        for other in near.around(self.pos) {
            let vel = other.vel();
            self.vel[0] += 0.1 * vel[0];
        }
    }

    /// The text does not show that the method reads it.
    #[kernel]
    pub fn drift(&mut self, near: Groups<Boid>) {
        let speed: f32 = near.of(0).map(|other| other.speed()).sum();
        self.vel = [speed, 0.0];
    }
    pub fn speed(&self) -> f32 {
        self.vel[0] + self.vel[1]
    }
}

#[soa_world]
pub struct Flock {
    pub boids: Objects<Boid>,
}

fn main() {}

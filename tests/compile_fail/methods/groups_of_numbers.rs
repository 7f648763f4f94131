use ikra::{Grid, prelude::*};

#[soa_class]
pub struct Boid {
    pub pos: [f32; 2],
    pub count: u32,
}

#[soa_methods]
impl Boid {
    #[kernel]
    pub fn place(&self) -> [f32; 2] {
        self.pos
    }

    /// These are not groups of a grid.
    #[kernel]
    pub fn look(&mut self, near: Groups<Boid>) {
        self.count = near.around(self.pos).count() as u32;
    }
}

#[soa_world]
pub struct Flock {
    pub boids: Objects<Boid>,
}

fn main() {
    let mut flock = Flock::new();
    // Positions are no numbers.
    let _ = flock.group_by(Boid::place, 10, ());
    // The place of a boid is no truth.
    let _ = flock.select(Boid::place, ());
    let near = flock.group_by(Boid::place, Grid::new([0.0; 2], [1.0; 2], 0.1), ()).unwrap();
    // By value, and of other keys.
    flock.execute(Boid::look, near);
}

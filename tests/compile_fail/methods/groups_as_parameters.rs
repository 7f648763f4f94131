use ikra::prelude::*;

#[soa_class]
pub struct Boid {
    pub pos: [f32; 2],
    pub count: u32,
}

#[soa_methods]
impl Boid {
    #[kernel]
    pub fn nested(&mut self, near: Option<Groups<Boid>>) {
        self.count = near.map_or(0, |near| near.of(0).len() as u32);
    }

    #[kernel]
    pub fn returned(&self, near: Groups<Boid>) -> Groups<Boid> {
        near
    }

    #[kernel]
    pub fn spawn(id: u32, near: Groups<Boid>) -> Self {
        Self { pos: [0.0; 2], count: id + near.groups() }
    }
}

fn main() {}

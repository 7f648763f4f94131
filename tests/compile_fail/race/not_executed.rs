use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub x: f32,
    pub next: Option<Link<Cell>>,
}

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn go(&mut self) {
        self.x = self.next.map_or(0.0, |next| next.x());
    }
    #[kernel(pairs)]
    pub fn meet(&mut self, other: Ref<Cell>, by: &f32) {
        let met = other;
        self.x = met.x() * by;
    }
}

fn main() {}

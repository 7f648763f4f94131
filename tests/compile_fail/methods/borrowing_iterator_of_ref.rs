use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub x: f32,
    pub next: Option<Link<Cell>>,
}

#[soa_methods]
impl Cell {
    pub fn around(&self) -> impl Iterator<Item = Ref<Self>> {
        self.next.iter().copied()
    }
    #[kernel]
    pub fn go(&mut self) {
        self.x = self.around().map(|cell| cell.around().count()).sum::<usize>() as f32;
    }
}

fn main() {}

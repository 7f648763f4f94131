// Methods and getters of objects, called on links.
use ikra::prelude::*;

#[soa_class]
pub struct Side {
    pub area: f32,
}

#[soa_methods]
impl Side {
    pub fn flux(&self) -> f32 {
        self.area
    }
}

/// Links may have methods of the user's own.
pub trait Numbered {
    fn number(&self) -> u32;
}
impl Numbered for Link<Side> {
    fn number(&self) -> u32 {
        self.id()
    }
}

#[soa_class]
pub struct Cell {
    #[inline_array]
    pub sides: [Link<Side>; 4],
    #[inline_array(2)]
    pub far: InnerArray<Link<Side>>,
    pub sum: f32,
}

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn follow(&mut self) {
        for k in 0..4 {
            self.sum += self.sides[k].flux();
        }
    }
    #[kernel]
    pub fn read(&mut self) {
        let side = self.far[0];
        self.sum += side.area() + side.number() as f32 + self.far[1].number() as f32;
    }
    #[kernel]
    pub fn take(&mut self, side: Link<Side>) {
        self.sum += side.flux() + side.index() as f32;
    }
}

fn main() {}

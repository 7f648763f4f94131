use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub mass: f32,
    #[inline_array(1)]
    pub items: InnerArray<u32>,
}

impl Drop for Cell {
    fn drop(&mut self) {
        println!("a row is gone");
    }
}

#[soa_class]
pub struct Plain {
    pub mass: f32,
}

impl Drop for Plain {
    fn drop(&mut self) {}
}

fn main() {}

//! How a field is stored is for the library to say.

use ikra::prelude::*;

pub struct Mine;

impl ikra::arrays::ArrayStorage for Mine {
    type Element = u32;
    type Owner = Node;
    type Arrangement = ikra::rt::FullyInlined<u32, 4>;
    const FIELD: usize = 0;
}

#[soa_class]
pub struct Node {
    pub value: u32,
}

fn main() {}
